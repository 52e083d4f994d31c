"""Does `jounce terrain` report heights, generate terrains for driving, and plot them?"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from program import call, refused

DATA = Path(__file__).resolve().parents[1] / "data" / "terrain"
ROWS = [row for row in csv.DictReader((DATA / "expected.csv").open()) if row["file"] == "gt_utm_area_f32.tif"]


def points(tmp_path, rows, header="x,y"):
    file = tmp_path / "points.csv"
    file.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return file


def printed_rows(result):
    """Return the rows of the CSV that a command prints."""
    code, out, err = result
    assert code == 0, err
    return list(csv.DictReader(io.StringIO(out)))


@pytest.fixture
def imported(capsys, tmp_path):
    """A terrain made of a GeoTIFF with voids."""
    pytest.importorskip("rasterio")
    pytest.importorskip("pyproj")
    code, out, err = call(capsys, "terrain", "import", DATA / "gt_utm_area_f32.tif", "--out", tmp_path / "land")
    assert code == 0, err
    assert "3 of 682 heights were voids" in out
    return tmp_path / "land" / "land.yaml"


def test_heights_at_points_in_the_order_of_the_points(capsys, tmp_path):
    pytest.importorskip("rasterio")
    file = points(
        tmp_path, [(row["file"], row["crs"], row["x"], row["y"]) for row in ROWS] + [("other.tif", "local", 0, 0)], "file,crs,x,y"
    )
    rows = printed_rows(call(capsys, "terrain", "info", DATA / "gt_utm_area_f32.tif", "--at", file))
    assert len(rows) == len(ROWS)
    np.testing.assert_allclose([float(row["z"]) for row in rows], [float(row["z"]) for row in ROWS], atol=1e-4)


def test_an_imported_terrain_has_the_heights_of_its_file_in_both_coordinates(capsys, tmp_path, imported):
    there = [row for row in ROWS if row["z"] != "nan"]
    file = points(tmp_path, [(row["x"], row["y"]) for row in there], "easting,northing")
    rows = printed_rows(call(capsys, "terrain", "info", imported, "--raw", "--at", file))
    np.testing.assert_allclose([float(row["z"]) for row in rows], [float(row["z"]) for row in there], atol=1e-4)
    nodes = [row for row in there if row["kind"] == "node"]
    east, north = yaml.safe_load(imported.read_text())["georeference"]["origin"]
    file = points(tmp_path, [(float(row["x"]) - east, float(row["y"]) - north) for row in nodes])
    rows = printed_rows(call(capsys, "terrain", "info", imported, "--at", file))
    np.testing.assert_allclose([float(row["z"]) for row in rows], [float(row["z"]) for row in nodes], atol=1e-4)
    assert call(capsys, "check", imported)[0] == 0


def test_degrees_are_imported_on_a_map_and_found_again_by_degrees(capsys, tmp_path):
    pytest.importorskip("pyproj")
    i = np.arange(40)
    body = "\n".join(" ".join(f"{200.0 + a - 2.0 * b:.1f}" for a in i) for b in i)
    (tmp_path / "hill.asc").write_text(f"ncols 40\nnrows 40\nxllcenter 8\nyllcenter 47\ncellsize 0.001\nNODATA_value 0\n{body}\n")
    code, _, err = call(
        capsys, "terrain", "import", tmp_path / "hill.asc", "--set", "crs=EPSG:4326", "--out", tmp_path / "hill", "--soil", "dry_sand"
    )
    assert code == 0, err
    assert yaml.safe_load((tmp_path / "hill" / "hill.yaml").read_text())["georeference"]["crs"] == "EPSG:32632"
    file = points(tmp_path, [(8.0125, 47.0225), (8.03, 47.01)], "lon,lat")
    rows = printed_rows(call(capsys, "terrain", "info", tmp_path / "hill" / "hill.yaml", "--at", file))
    np.testing.assert_allclose([float(row["z"]) for row in rows], [200.0 + 12.5 - 2.0 * 16.5, 200.0 + 30.0 - 2.0 * 29.0], atol=0.01)


def test_voids_and_what_lies_outside_are_named(capsys, tmp_path):
    file = points(tmp_path, [(1001, 2031), (0, 0), (1021, 2027)])
    code, out, _ = call(capsys, "terrain", "info", DATA / "asc_corner.asc", "--at", file, "--json")
    said = json.loads(out)
    assert code == 0
    assert said["voids"] == 2
    assert [(row["where"], row["z"] is None) for row in said["points"]] == [("void", True), ("outside", True), ("", False)]


def test_a_road_tells_places_in_both_of_its_coordinates(capsys, tmp_path):
    file = points(tmp_path, [(20.2364, -1.0408)], "u,v")
    raw = printed_rows(call(capsys, "terrain", "info", DATA / "own_straight_lrfi.crg", "--raw", "--at", file))[0]
    assert [float(raw[key]) for key in ("x", "y", "z")] == pytest.approx([108.4997323, 55.79842219, -0.0008229796052], abs=1e-5)
    moved = printed_rows(call(capsys, "terrain", "info", DATA / "own_straight_lrfi.crg", "--at", file))[0]
    assert float(moved["x"]) == pytest.approx(10.2364, abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("import", DATA / "png_37x29_north.png"), "no scale, offset, first_row, spacing, origin"),
        (("import", DATA / "street_zup_quads.obj"), "--set up=z"),
        (("import", DATA / "asc_corner.asc", "--crs", "EPSG:4326"), "a file with a reference system"),
        (("import", DATA / "asc_corner.asc", "--window", "0", "0", "1", "1"), "at least 4"),
        (("info", DATA / "asc_corner.asc", "--set", "spacing=2"), "spacing"),
        (("info", DATA / "asc_corner.asc", "--at", DATA / "N47E008_samples.csv"), "x,y"),
        (("info", DATA / "meta.json"), "an elevation file"),
        (("info", "no_such.tif"), "no_such.tif"),
    ],
)
def test_what_is_missing_is_said(capsys, tmp_path, arguments, words):
    verb, file, *rest = arguments
    out = ("--out", tmp_path / "land") if verb == "import" else ()
    assert words in refused(call(capsys, "terrain", verb, file, *rest, *out))
    assert not list(tmp_path.iterdir())


def test_an_older_terrain_is_not_written_over(capsys, tmp_path, imported):
    before = imported.read_bytes()
    assert "exists" in refused(call(capsys, "terrain", "import", DATA / "gt_utm_area_f32.tif", "--out", tmp_path / "land"))
    assert imported.read_bytes() == before


def test_pictures_show_hills_lit_from_the_north_west(capsys, tmp_path, imported):
    from PIL import Image

    np.save(tmp_path / "roof.npy", 10.0 - np.abs(np.arange(100.0) - 50.0)[None, :] * np.ones((100, 1)))  # a ridge from south to north
    said = [f"--set={text}" for text in ("first_row=north", "origin=[0,0]", "spacing=[1,1]", "scale=1", "offset=0")]
    assert call(capsys, "terrain", "show", tmp_path / "roof.npy", *said, "--plot", tmp_path / "roof.png")[0] == 0
    gray = np.asarray(Image.open(tmp_path / "roof.png").convert("L"), float)
    height, width = gray.shape
    row = gray[height // 2, : int(0.8 * width)]
    colored = np.flatnonzero(row < 250.0)
    middle = (colored[0] + colored[-1]) // 2
    west, east = row[colored[0] + 40 : middle - 20].mean(), row[middle + 20 : colored[-1] - 40].mean()
    assert west > east + 10.0
    code, out, _ = call(capsys, "terrain", "show", imported, "--plot", tmp_path / "land.png", "--json")
    assert code == 0
    assert json.loads(out)["voids"] == 0
    assert (tmp_path / "land.png").stat().st_size > 5000


def test_classes_are_printed_octave_by_octave(capsys, tmp_path):
    profile = DATA.parent / "iso8608" / "known_good_C.csv"
    code, out, _ = call(capsys, "terrain", "info", profile, "--roughness", "--plot", tmp_path / "c.png")
    rows = out.strip().splitlines()
    assert code == 0
    assert [" C (" in row for row in rows[1:-1]] == [True] * 9
    assert (tmp_path / "c.png").stat().st_size > 5000
    code, out, _ = call(capsys, "terrain", "info", "flat_gravel", "--roughness", "--json")
    profiles = json.loads(out)["profiles"]
    assert code == 0
    assert {octave["class"] for name in ("ahead", "across") for octave in profiles[name]} == {"C"}
    (tmp_path / "uneven.csv").write_text("x,z\n" + "\n".join(f"{k**1.1},0" for k in range(80)))
    assert "evenly spaced" in refused(call(capsys, "terrain", "info", tmp_path / "uneven.csv", "--roughness"))
    assert "a profile" in refused(call(capsys, "terrain", "info", DATA / "asc_corner.asc", "--roughness"))
