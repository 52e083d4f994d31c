"""Do elevation files of other programs give the same heights here, and are ambiguous files refused?"""

from __future__ import annotations

import csv
import json
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import ConfigError, JounceError
from simulator.cli.main import main
from terrain.readers.crg_file import read_crg_file
from terrain.readers.crg_road import CrgRoad
from terrain.readers.kinds import CONTRACT, ELEVATION_FORMAT_KINDS, ElevationFormatKind, read_heights, register
from terrain.readers.request import ReadRequest, raster_of
from terrain.void_filling import filled

DATA = Path(__file__).resolve().parents[1] / "data" / "terrain"
SAID = {
    "png_37x29_north.png": {"first_row": "north", "spacing": [0.5, 0.5], "origin": [0.0, 0.0], "range": [0.0, 40.0]},
    "unity_33_le.raw": {
        "byte_order": "little",
        "first_row": "south",
        "extent": np.array([64.0, 48.0]),
        "origin": [0.0, 0.0],
        "range": [0.0, 50.0],
    },
    "street_zup_quads.obj": {"up": "z"},
}
"""Options from the description of the files (meta.json), for files without own metadata."""


def rows_of(table):
    with (DATA / table).open() as stream:
        return list(csv.DictReader(stream))


def read(path, assume=False, **said):
    return read_heights(ReadRequest(Path(path), said, "here.yaml", assumed=[] if assume else None))


@pytest.fixture(scope="module")
def tile(tmp_path_factory):
    """Return the SRTM tile with only the samples around the points; other samples are zero."""
    samples = np.zeros((1201, 1201), ">i2")
    for row in rows_of("N47E008_samples.csv"):
        samples[int(row["row"]), int(row["column"])] = int(row["height"])
    file = tmp_path_factory.mktemp("tile") / "N47E008.hgt"
    samples.tofile(file)
    return file


EXPECTED = rows_of("expected.csv")


@pytest.mark.parametrize("name", dict.fromkeys(row["file"] for row in EXPECTED))
def test_heights_at_points_are_those_of_other_programs(name, tile):
    rows = [row for row in EXPECTED if row["file"] == name]
    x, y, z, limit = (np.array([float(row[key]) for row in rows]) for key in ("x", "y", "z", "tol"))
    source = read(tile if name == tile.name else DATA / name, assume="nogeo" in name, **SAID.get(name, {}))
    found = source.heights(x, y)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(z))
    there = ~np.isnan(z)
    assert (np.abs(found - z)[there] <= limit[there]).all()
    kinds = np.array([row["kind"] for row in rows])
    np.testing.assert_array_equal(source.inside(x, y), kinds != "outside")  # a void differs from the outside


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("name", ["own_curved_krbi.crg", "own_straight_lrfi.crg"])
def test_opencrg_roads_are_those_of_the_reference_library(name, raw):
    road = CrgRoad(read_crg_file(DATA / name), raw)
    rows = [row for row in rows_of("expected_crg.csv") if row["file"] == name and row["modifiers"] == ("raw" if raw else "mods")]
    assert len(rows) > 100
    for query, place in (("uv", ("u", "v")), ("xy", ("x", "y"))):
        some = [row for row in rows if row["query"] == query]
        a, b = (np.array([float(row[key]) for row in some]) for key in place)
        found = road.places(a, b) if query == "uv" else road.coordinates(a, b)
        z = road.heights_along(a, b) if query == "uv" else road.heights(a, b)
        other = ("x", "y") if query == "uv" else ("u", "v")
        wanted = np.array([[float(row[key]) for key in (*other, "z")] for row in some])
        np.testing.assert_allclose(np.column_stack((found, z)), wanted, rtol=0.0, atol=1e-5)


CRG_HEAD = """$ROAD_CRG
REFERENCE_LINE_INCREMENT = 1.0
LONG_SECTION_V_RIGHT = -1
LONG_SECTION_V_INCREMENT = 1
$
{more}$KD_Definition
#:{form}
D:long section 1,m
D:long section 2,m
D:long section 3,m
$
{dollars}
"""
GRID = np.array([[0.0, 1.0, 2.0], [3.0, np.nan, 5.0], [6.0, 7.0, 8.0]])


def crg(tmp_path, form, more=""):
    head = CRG_HEAD.format(form=form, more=more, dollars="$" * 72).encode()
    if form[2] == "B":
        body = GRID.astype(">f4" if form[1] == "R" else ">f8").tobytes()
    else:
        width = 10 if form[1] == "R" else 20
        rows = ["".join("*missing**".ljust(width) if np.isnan(z) else f"{z:{width}.3f}" for z in row) for row in GRID]
        body = "\n".join(rows).encode() + b"\n"
    (tmp_path / "road.crg").write_bytes(head + body)
    return read_crg_file(tmp_path / "road.crg")


@pytest.mark.parametrize("form", ["KRBI", "KDBI", "LRFI", "LDFI"])
def test_all_forms_of_opencrg_data_are_equivalent(tmp_path, form):
    np.testing.assert_array_equal(crg(tmp_path, form).z, GRID.astype(np.float32))


@pytest.mark.parametrize(
    ("options", "u", "height"),
    [("", 9.0, 7.0), ("BORDER_MODE_U = 0", 9.0, np.nan), ("BORDER_MODE_U = 1", 9.0, 0.0), ("BORDER_MODE_U = 3", 2.5, 4.0 * 0.5 + 0.5 * 1.0),
     ("BORDER_MODE_U = 4", 2.5, 5.5), ("BORDER_MODE_U = 2\nBORDER_OFFSET_U = 0.25", 9.0, 7.25)],
)  # fmt: skip
def test_options_apply_beyond_the_end_of_a_road(tmp_path, options, u, height):
    more = f"$ROAD_CRG_MODS\nGRID_NAN_MODE = 1\nGRID_NAN_OFFSET = 4\n$\n$ROAD_CRG_OPTS\n{options}\n$\n"
    road = CrgRoad(crg(tmp_path, "KRBI", more))
    np.testing.assert_allclose(road.heights_along(np.array([u]), np.array([0.0])), [height])


def test_a_closed_road_repeats_if_the_file_requests_it(tmp_path):
    n = 121
    phi = np.concatenate(([0.0], (np.arange(n - 1) + 0.5) * 2.0 * np.pi / (n - 0.4)))
    head = CRG_HEAD.format(
        form="KDBI",
        more="$ROAD_CRG_MODS\n$\n$ROAD_CRG_OPTS\nREFLINE_CONTINUATION = {}\n$\n",
        dollars="$" * 72,
    ).replace("$KD", f"$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 0.5\nREFERENCE_LINE_END_PHI = {float(phi[-1])!r}\n$\n$KD")
    head = head.replace("D:long section 1", "D:reference line phi,rad\nD:long section 1")
    data = np.column_stack((phi, np.tile(np.arange(n)[:, None], 3))).astype(">f8").tobytes()
    ends = []
    for goes_on in (0, 1):
        (tmp_path / "ring.crg").write_bytes(head.format(goes_on).encode() + data)
        road = CrgRoad(read_crg_file(tmp_path / "ring.crg"))
        ends.append(road.heights_along(np.array([70.0]), np.array([0.0]))[0])
    # the reference library closes it between u = -0.2182539 and 60.0818656; there is a node every 0.5 m
    assert ends == pytest.approx([120.0, (70.0 - 60.0818656 - 0.2182539) / 0.5], abs=1e-5)


@pytest.mark.parametrize("form", ["KRBI", "KDBI", "LDFI"])
@pytest.mark.parametrize("height", [1e38, -13000.0, np.inf, -9999.0, -32768.0])
def test_a_road_with_a_height_that_is_none_is_refused(tmp_path, monkeypatch, form, height):
    grid = GRID.copy()
    grid[2, 1] = height
    monkeypatch.setitem(globals(), "GRID", grid)
    with pytest.raises(ConfigError, match=r"road.crg: .* in long section 2 of record 3"):
        crg(tmp_path, form)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("$ROAD_CRG_MODS\nGRID_NAN_MODE = 2\nREFPOINT_Z = 1e38\n$\n", "a height of 1e\\+38 m"),
        ("$ROAD_CRG_MODS\nSCALE_Z_GRID = 1e38\nGRID_NAN_MODE = 0\n$\n", "a height of"),
        ("$ROAD_CRG_MODS\nGRID_NAN_MODE = 1\nGRID_NAN_OFFSET = 1e38\n$\n", "a height of"),
        ("$ROAD_CRG_OPTS\nBORDER_OFFSET_U = 1e38\n$\n", "a height of"),
        ("$ROAD_CRG_MODS\nGRID_NAN_MODE = 2\nREFPOINT_X = 1e38\n$\n", "a position of"),
        ("$ROAD_CRG_MODS\nSCALE_WIDTH = 1e38\n$\n", "a position of"),
        ("$ROAD_CRG_MODS\nGRID_NAN_MODE = 0\nREFPOINT_U = 1\nREFPOINT_V = 0\n$\n", "missing heights at the start"),
    ],
)
def test_a_road_is_refused_if_its_header_gives_such_a_height(tmp_path, more, words):
    crg(tmp_path, "KDBI", more)
    with pytest.raises(ConfigError, match=words):
        read(tmp_path / "road.crg")


def test_a_road_without_any_height_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "GRID", np.full((3, 3), np.nan))
    with pytest.raises(ConfigError, match="only missing data"):
        crg(tmp_path, "LRFI")


@pytest.mark.parametrize("height", [1e38, 12001.0, -2e4, np.inf])
def test_a_height_that_is_none_is_refused_in_every_format(tmp_path, height):
    rasterio = pytest.importorskip("rasterio")
    heights = np.array([[1.0, 2.0], [height, 4.0]])
    np.save(tmp_path / "a.npy", heights)
    place = {"first_row": "north", "origin": [0.0, 0.0], "spacing": [1.0, 1.0], "scale": 1.0, "offset": 0.0}
    header = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n"
    (tmp_path / "a.asc").write_text(header + "\n".join(" ".join(f"{z:g}" for z in row) for row in heights))
    corners = [(0, 0, 1.0), (1, 0, 1.0), (0, 1, height)]
    (tmp_path / "a.obj").write_text("".join(f"v {x} {y} {z!r}\n" for x, y, z in corners) + "f 1 2 3\n")
    for name, kind, scale in (("plain", "float64", 1.0), ("scaled", "int16", height / 100.0)):
        values = heights if name == "plain" else np.array([[1, 2], [100, 4]])
        transform = rasterio.transform.from_origin(0.0, 2.0, 1.0, 1.0)
        options = {"driver": "GTiff", "width": 2, "height": 2, "count": 1, "dtype": kind, "crs": "EPSG:32633", "transform": transform}
        with rasterio.open(tmp_path / f"{name}.tif", "w", **options) as data:
            data.write(values.astype(kind), 1)
            data.scales = (scale,)
    for file, said in (("a.npy", place), ("a.asc", {}), ("a.obj", {"up": "z"}), ("plain.tif", {}), ("scaled.tif", {})):
        with pytest.raises(ConfigError, match=r"got .*(m in column 0 of row [01]|a height of|NaN or infinite)"):
            read(tmp_path / file, **said)


def test_counts_of_a_band_with_a_scale_may_be_large(tmp_path):
    rasterio = pytest.importorskip("rasterio")
    transform = rasterio.transform.from_origin(0.0, 2.0, 1.0, 1.0)
    options = {"driver": "GTiff", "width": 2, "height": 2, "count": 1, "dtype": "int16", "crs": "EPSG:32633", "transform": transform}
    with rasterio.open(tmp_path / "a.tif", "w", **options) as data:
        data.write(np.array([[20000, 20100], [20200, 20300]], np.int16), 1)
        data.scales, data.offsets = (0.1,), (5.0,)
    assert read(tmp_path / "a.tif").about()["heights"] == [2005.0, 2035.0]


def test_a_road_may_be_in_an_included_file(tmp_path):
    crg(tmp_path, "KRBI", "$ROAD_CRG_MODS\nREFPOINT_X = 9\n$\n")
    (tmp_path / "outer.crg").write_text("$ROAD_CRG_FILE\nroad.crg\n$\n")
    found = read_crg_file(tmp_path / "outer.crg")
    assert found.z.shape == (3, 3)
    assert found.modifiers == {"refpoint_x": 9.0}
    (tmp_path / "outer.crg").write_text("$ROAD_CRG_FILE\n../road.crg\n$\n")
    with pytest.raises(ConfigError, match="in the same folder"):
        read_crg_file(tmp_path / "outer.crg")
    (tmp_path / "outer.crg").write_text("$ROAD_CRG_FILE\nouter.crg\n$\n")
    with pytest.raises(ConfigError, match="nested at most"):
        read_crg_file(tmp_path / "outer.crg")


TIFFS = {
    "LZW with a predictor of floats": ("float32", {"compress": "lzw", "predictor": 3}),
    "DEFLATE with one of integers": ("int16", {"compress": "deflate", "predictor": 2}),
    "tiles": ("float64", {"tiled": True, "blockxsize": 16, "blockysize": 16, "compress": "zstd"}),
    "points": ("float32", {}),
}


@pytest.mark.parametrize("kind", TIFFS)
def test_geotiffs_are_at_the_positions_of_their_pixels(tmp_path, kind):
    rasterio = pytest.importorskip("rasterio")
    dtype, options = TIFFS[kind]
    columns, rows, (dx, dy) = 41, 23, (3.0, 5.0)
    values = (100.0 + 2.0 * np.arange(columns)[None, :] + 7.0 * np.arange(rows)[:, None]).astype(dtype)
    values[4, 5] = -77
    transform = rasterio.Affine(dx, 0.0, 1000.0, 0.0, -dy, 9000.0)
    about = {"width": columns, "height": rows, "count": 1, "dtype": dtype, "crs": "EPSG:25832", "transform": transform, "nodata": -77}
    with rasterio.open(tmp_path / "a.tif", "w", driver="GTiff", **about, **options) as file:
        if kind == "points":
            file.update_tags(AREA_OR_POINT="Point")
        file.write(values, 1)
    source = read(tmp_path / "a.tif")
    assert (source.kind, source.crs) == ("map", "EPSG:25832")
    x, y = np.array([1001.5, 1061.0, 1100.2]), np.array([8997.5, 8950.1, 8900.0])  # the first is the middle of the north-western pixel
    np.testing.assert_allclose(source.heights(x, y), 100.0 + 2.0 * (x - 1001.5) / dx - 7.0 * (y - 8997.5) / dy, atol=1e-4)
    assert source.voids == 1
    assert np.isnan(source.heights(np.array([1001.5 + 5 * dx]), np.array([8997.5 - 4 * dy])))[0]


def test_a_tile_south_and_west_of_zero_has_its_position(tmp_path):
    samples = np.zeros((1201, 1201), ">i2")
    samples[0, 0], samples[-1, -1], samples[600, 600] = 11, 22, -32768
    samples.tofile(tmp_path / "S01W002.hgt")
    source = read(tmp_path / "S01W002.hgt")
    np.testing.assert_array_equal(source.heights(np.array([-2.0, -1.0, -1.5]), np.array([0.0, -1.0, -0.5])), [11.0, 22.0, np.nan])


def test_a_grid_by_center_with_unequal_cells(tmp_path):
    body = "ncols 3\nnrows 2\nxllcenter 10\nyllcenter 20\ndx 2\ndy 3\n1 2 3\n4 5 -9999\n"
    (tmp_path / "a.asc").write_text(body)
    source = read(tmp_path / "a.asc")
    np.testing.assert_array_equal(
        source.heights(np.array([10.0, 14.0, 13.0, 14.0]), np.array([20.0, 23.0, 21.5, 20.0])), [4, 3, np.nan, np.nan]
    )
    assert source.voids == 1  # -9999 is the default of the header


@pytest.mark.parametrize("runs", ["east", "west", "north", "south"])
def test_an_array_has_the_given_orientation(tmp_path, runs):
    for first in ("north", "south") if runs in ("east", "west") else ("west", "east"):
        truth = 100.0 * np.arange(4)[:, None] + np.arange(6)[None, :]  # 1 to the east, 100 to the north
        array = truth if runs in ("east", "west") else truth.T
        array = array[:, ::-1] if runs in ("west", "south") else array
        array = array[::-1] if first in ("north", "east") else array
        np.save(tmp_path / "a.npy", array)
        said = {"first_row": first, "row_runs": runs, "origin": [10.0, 20.0], "spacing": [2.0, 5.0], "scale": 1.0, "offset": 0.0}
        source = read(tmp_path / "a.npy", **said)
        np.testing.assert_array_equal(source.heights(np.array([10.0, 20.0, 14.0]), np.array([20.0, 20.0, 35.0])), [0.0, 5.0, 302.0])


def test_bytes_of_counts_have_the_given_order(tmp_path):
    counts = 1000 * np.arange(12).reshape(3, 4)
    counts.astype(">u2").tofile(tmp_path / "a.r16")
    said = {"size": [4, 3], "first_row": "north", "origin": [0.0, 0.0], "spacing": [1.0, 1.0], "scale": 0.01, "offset": -256.0}
    found = read(tmp_path / "a.r16", byte_order="big", **said).heights(np.array([0.0, 3.0]), np.array([2.0, 0.0]))
    np.testing.assert_allclose(found, [-256.0, 110.0 - 256.0])


OBJ = """o ground
v 0 0 0
v 10 0 0
v 10 0 -8
v 5 0 -4
v 0 0 -8
f 1 2 3 4 5
o roof
usemtl tiles
v 2 6 -1
v 3 6 -1
v 3 6 -2
v 2 6 -2
f -4 -3 -2 -1
o wall
v 4 0 0
v 4 9 0
v 4 9 -3
v 4 0 -3
f 10 11 12 13
"""


def test_a_mesh_is_seen_from_above_without_ignored_parts(tmp_path):
    (tmp_path / "a.obj").write_text(OBJ)
    x, y = np.array([2.5, 4.0, 5.0, 5.0, 20.0]), np.array([1.5, 1.0, 3.9, 6.0, 0.0])
    whole = read(tmp_path / "a.obj", up="y").heights(x, y)
    np.testing.assert_array_equal(whole, [6.0, 0.0, 0.0, np.nan, np.nan])  # no height over the notch of the ground, nor over a wall
    bare = read(tmp_path / "a.obj", up="y", unit=2.0, ignore=["ROOF*"]).heights(2.0 * x, 2.0 * y)
    np.testing.assert_array_equal(bare, [0.0, 0.0, 0.0, np.nan, np.nan])
    with pytest.raises(ConfigError, match=r"ignore.*ground, roof, tiles, wall"):
        read(tmp_path / "a.obj", up="y", ignore=["roofs"])


def test_nodes_of_a_gltf_scene_transform_and_name_their_meshes(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.Scene()
    square = trimesh.Trimesh([[0, 0, 0], [2, 0, 0], [2, 0, -1], [0, 0, -1]], [[0, 1, 2], [0, 2, 3]], process=False)
    quarter = trimesh.transformations.rotation_matrix(np.pi / 2, [0, 1, 0])  # x to -z: to the north
    scene.add_geometry(
        square, geom_name="square", node_name="street", transform=trimesh.transformations.translation_matrix([10, 3, 0]) @ quarter
    )
    scene.add_geometry(square.copy(), geom_name="cover", node_name="roof", transform=trimesh.transformations.translation_matrix([9, 8, 0]))
    (tmp_path / "a.glb").write_bytes(scene.export(file_type="glb"))
    x, y = np.array([9.5, 9.5, 10.5]), np.array([1.5, 0.5, 0.5])
    np.testing.assert_allclose(read(tmp_path / "a.glb").heights(x, y), [3.0, 8.0, 8.0])
    np.testing.assert_allclose(read(tmp_path / "a.glb", ignore=["roof"]).heights(x, y), [3.0, 3.0, np.nan])


def test_voids_are_filled_between_their_rims():
    j, i = np.mgrid[0:40, 0:50]
    plane = 3.0 + 0.5 * i - 0.25 * j
    holed = plane.copy()
    holed[10:25, 12:30] = holed[30, 40] = np.nan
    np.testing.assert_allclose(filled(holed), plane, atol=1e-2)
    corner = plane.copy()
    corner[:9, :9] = np.nan
    found = filled(corner)[:9, :9]
    assert np.nanmin(corner[:10, :10]) - 1e-3 <= found.min() and found.max() <= np.nanmax(corner[:10, :10]) + 1e-3


def tiff(path, values, **about):
    rasterio = pytest.importorskip("rasterio")
    bands = values.reshape(-1, *values.shape[-2:])
    shape = {"count": len(bands), "height": bands.shape[1], "width": bands.shape[2], "dtype": values.dtype}
    with rasterio.open(path, "w", driver="GTiff", transform=rasterio.Affine(2.0, 0.0, 8.0, 0.0, -2.0, 9.0), **shape, **about) as file:
        file.write(bands)


def refusals(tmp_path):
    """Return refused files with their messages: a function each that creates and reads a file."""
    array = {"first_row": "north", "origin": [0.0, 0.0], "spacing": [1.0, 1.0], "scale": 1.0, "offset": 0.0}
    grid = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize {}\n{}"

    def file(name, content):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / name

    def image(name, values, **about):
        tiff(tmp_path / name, values, **about)
        return tmp_path / name

    return {
        "8 bits": (lambda: read(image("a.tif", np.ones((4, 4), np.uint8))), "16 bits or more"),
        "colors": (lambda: read(image("a.tif", np.ones((3, 4, 4), np.uint16))), "3 bands"),
        "undeclared voids": (lambda: read(image("a.tif", np.full((4, 4), -32768, np.int16) + np.eye(4, dtype=np.int16))), "terrain import"),
        "undeclared voids of another kind": (
            lambda: read(image("a.tif", np.where(np.eye(4), -3.4e38, 1.0).astype(np.float32))),
            "set voids",
        ),
        "a position given twice": (lambda: read(image("a.tif", np.ones((4, 4), np.float32)), first_row="south"), "is georeferenced"),
        "half a tile": (lambda: read(file("N01E001.hgt", b"\0" * 1000)), "2884802 bytes"),
        "a tile of no place": (lambda: read(file("tile.hgt", b"\0" * 2884802)), r"N47E008\.hgt"),
        "a short grid": (lambda: read(file("a.asc", grid.format(1, "1 2\n3"))), "4 numbers"),
        "a long grid": (lambda: read(file("a.asc", grid.format(1, "1 2\n3 4 5"))), "4 numbers"),
        "words in a grid": (lambda: read(file("a.asc", grid.format(1, "1 2\n3 x"))), "decimal points"),
        "degrees taken for meters": (lambda: read(file("a.asc", grid.format(0.001, "1 2\n3 4"))), "EPSG:4326"),
        "a grid of a complete planet": (lambda: read(file("a.asc", "ncols 99999999\nnrows 99999999\ncellsize 1\n1 2")), "rows x columns"),
        "no order of bytes": (lambda: read(file("a.raw", b"\0" * 32), **array), "byte_order"),
        "no square": (lambda: read(file("a.raw", b"\0" * 30), byte_order="big", **array), "not a square"),
        "another size": (lambda: read(file("a.raw", b"\0" * 30), byte_order="big", size=[4, 4], **array), "32 bytes"),
        "no axis that points up": (lambda: read(file("a.obj", OBJ)), r"heights\.up"),
        "a corner that is not there": (lambda: read(file("a.obj", "v 0 0 0\nf 1 2 3"), up="z"), "corner 3"),
        "no glTF": (lambda: read(file("a.gltf", '{"asset": {"version": "2.0"}}')), "a.gltf"),
        "half a road": (lambda: read(file("a.crg", (DATA / "own_curved_krbi.crg").read_bytes()[:2000])), "bytes of data"),
        "half a road in words": (lambda: read(file("a.crg", (DATA / "own_straight_lrfi.crg").read_bytes()[:3000])), "41 records"),
        "a key of another format": (lambda: read(file("a.crg", ""), first_row="north"), "a key of the format opencrg"),
        "an unknown suffix": (lambda: read(file("a.xyz", "")), r"\.asc"),
    }


@pytest.mark.parametrize("kind", list(refusals(Path())))
def test_an_ambiguous_file_is_refused(tmp_path, kind):
    make, words = refusals(tmp_path)[kind]
    with pytest.raises(ConfigError, match=words):
        make()


@pytest.mark.parametrize(
    "name", [name for name in dict.fromkeys(row["file"] for row in EXPECTED) if "hgt" not in name] + ["own_curved_krbi.crg"]
)
def test_damaged_files_are_read_or_refused(tmp_path, name):
    whole, rng = (DATA / name).read_bytes(), np.random.default_rng(5)
    for k in range(25):
        content = bytearray(whole[: rng.integers(len(whole))] if k % 2 else whole)
        for _ in range(4):
            content[rng.integers(min(len(content), 400))] = rng.integers(256) if content else None
        (tmp_path / name).write_bytes(content)
        try:
            source = read(tmp_path / name, assume=True)
            x0, _, y0, _ = source.bounds
            assert len(source.heights(np.array([x0]), np.array([y0]))) == 1
        except JounceError as error:
            assert name in str(error)


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "rasterio", None)
    with pytest.raises(ConfigError, match=r"gt_nogeo_u16.tif: .*package rasterio not installed.*hint: run .*"):
        read(DATA / "gt_nogeo_u16.tif", assume=True)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_of_an_obj_file_continues_after_a_backslash(tmp_path, end):
    lines = ["# made by C:\\tool\\", "v 0 0 1", "v 2 0 \\", "1", "v 2 2 1", "v 0 2 1", "f 1 2 \\", "3 \\", "4", "f 1 2 x"]
    (tmp_path / "a.obj").write_bytes(end.join(lines[:-1]).encode())
    assert read(tmp_path / "a.obj", up="z").bounds == (0.0, 2.0, 0.0, 2.0)
    (tmp_path / "a.obj").write_bytes(end.join(lines).encode())
    with pytest.raises(ConfigError, match="line 10: f 1 2 x"):
        read(tmp_path / "a.obj", up="z")


def test_a_plugin_format_is_found_by_its_suffix(tmp_path):
    ours = ElevationFormatKind(
        "level", (".level",), lambda request: raster_of(request, np.full((3, 3), 7.0), {}), ("first_row", "origin", "spacing"), CONTRACT
    )
    register(ours)
    (tmp_path / "a.level").write_text("")
    assert read(tmp_path / "a.level", assume=True).heights(np.ones(1), np.ones(1)) == 7.0
    broken = ElevationFormatKind("broken", (".broken",), lambda request: 1 / 0, (), CONTRACT)
    register(broken)
    with pytest.raises(JounceError, match="broken: ZeroDivisionError"):
        read(tmp_path / "a.broken")


def test_every_format_can_be_named():
    assert {"png", "npy", "geotiff", "hgt", "esri_ascii", "raw16", "opencrg", "obj", "gltf"} <= set(ELEVATION_FORMAT_KINDS.names())
    assert all(
        ELEVATION_FORMAT_KINDS.get(name).meaning for name in ELEVATION_FORMAT_KINDS.names() if ELEVATION_FORMAT_KINDS.is_builtin(name)
    )


HEADER = "$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1.0\n{more}$\n$KD_DEFINITION\n#:LRFI\nD:long section 1,m\nD:long section 2,m\nD:long section 3,m\n$\n$$$$\n"
RECORDS = "".join(f"{0.1 * n:10.4f}{0.2 * n:10.4f}{0.3 * n:10.4f}\n" for n in range(4))


def road_file(tmp_path, more, encoding="ascii"):
    (tmp_path / "road.crg").write_bytes((HEADER.format(more=more) + RECORDS).encode(encoding))
    return tmp_path / "road.crg"


def test_long_sections_without_their_right_border_begin_at_0_as_in_the_library(tmp_path):
    assert read_crg_file(road_file(tmp_path, "LONG_SECTION_V_INCREMENT = 1.5\n")).v.tolist() == [0.0, 1.5, 3.0]
    assert read_crg_file(road_file(tmp_path, "LONG_SECTION_V_RIGHT = -1\nLONG_SECTION_V_LEFT = 3\n")).v.tolist() == [-1.0, 1.0, 3.0]
    with pytest.raises(ConfigError, match="LONG_SECTION_V_INCREMENT"):
        read_crg_file(road_file(tmp_path, ""))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_content(tmp_path, encoding):
    assert len(read_crg_file(road_file(tmp_path, "LONG_SECTION_V_INCREMENT = 1\n", encoding)).z) == 4
    for name, said in (("asc_corner.asc", {}), ("street_zup_quads.obj", {"up": "z"}), ("street.gltf", {})):
        marked = tmp_path / name
        marked.write_bytes((DATA / name).read_text(encoding="utf-8").encode(encoding))
        assert read(marked, **said).bounds == read(DATA / name, **said).bounds


def test_a_gltf_file_with_its_buffers_beside_it(tmp_path):
    import base64

    scene = json.loads((DATA / "street.gltf").read_text(encoding="utf-8"))
    for n, buffer in enumerate(scene["buffers"]):
        (tmp_path / f"buffer {n}.bin").write_bytes(base64.b64decode(buffer["uri"].partition("base64,")[2]))
        buffer["uri"] = f"buffer%20{n}.bin"
    (tmp_path / "street.gltf").write_text(json.dumps(scene), encoding="utf-8")
    beside, inside = read(tmp_path / "street.gltf"), read(DATA / "street.gltf")
    np.testing.assert_array_equal(beside.triangles, inside.triangles)
    (tmp_path / "buffer 0.bin").unlink()
    with pytest.raises(ConfigError, match="buffers in the same folder"):
        read(tmp_path / "street.gltf")


def test_the_nearest_segment_of_a_long_road_takes_time_in_proportion_to_the_points(tmp_path):
    rows = "".join(f"{0.001 * (n % 7):10.4f}" * 3 + "\n" for n in range(40_000))
    text = HEADER.format(more="LONG_SECTION_V_INCREMENT = 1\n").replace("INCREMENT = 1.0", "INCREMENT = 0.01")
    (tmp_path / "long.crg").write_text(text + rows, encoding="ascii")
    road = CrgRoad(read_crg_file(tmp_path / "long.crg"), raw=True)
    began = time.process_time()
    u, v = road.coordinates(np.linspace(0.0, 399.0, 50_000), np.full(50_000, 1.0)).T
    assert time.process_time() - began < 2.0  # 0.4 s; 7 s if each point is compared with each tenth node (2-core x86)
    np.testing.assert_allclose(u, np.linspace(0.0, 399.0, 50_000), atol=1e-9)
    np.testing.assert_allclose(v, 1.0, atol=1e-9)


def web_mercator_file(tmp_path):
    import rasterio

    x, y = 890_555.926, 5_942_074.072  # 8 degrees east, 47 degrees north
    heights = np.tile(np.arange(40.0, dtype=np.float32), (40, 1))
    place = rasterio.transform.from_origin(x - 2000.0, y + 2000.0, 100.0, 100.0)
    with rasterio.open(
        tmp_path / "web.tif", "w", driver="GTiff", width=40, height=40, count=1, dtype="float32", crs="EPSG:3857", transform=place
    ) as data:
        data.write(heights, 1)
    return tmp_path / "web.tif", x, y


def test_meters_of_web_mercator_are_no_meters_on_the_ground(tmp_path, capsys):
    file, x, y = web_mercator_file(tmp_path)
    assert main(["terrain", "import", str(file), "--out", str(tmp_path / "ground"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["crs"] == "EPSG:32632"
    extent = np.array(found["spacing"]) * (np.array(found["nodes"]) - 1.0)
    assert (extent < 3900.0 / 1.46).all() and (extent > 3900.0 / 1.6).all()  # 3900 m on the map are 2660 m there
    assert main(["terrain", "import", str(file), "--out", str(tmp_path / "map"), "--crs", "EPSG:3857"]) == 2
    assert "1.47 m on this map are 1 m on the ground" in capsys.readouterr().err
    said = f"type: heightmap\nheights: {{file: web.tif}}\nfriction: 0.8\ngeoreference: {{origin: [{x}, {y}]}}\n"
    said += "grid: {origin: [-500.0, -500.0], spacing: 10.0, count: [100, 100]}\n"
    (tmp_path / "web.yaml").write_text(said, encoding="utf-8")
    assert main(["check", "--kind", "terrains", str(tmp_path / "web.yaml")]) == 2
    assert "georeference.crs: invalid value; expected a reference system with true lengths" in capsys.readouterr().err
