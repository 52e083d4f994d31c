"""Does a terrain have the position of its elevation file, with the soils of its soil map, and are voids refused?"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from simulator.base.errors import ConfigError
from simulator.base.records import record
from terrain.ground import soil_under
from terrain.load_terrain import load_terrain
from terrain.soil import SOIL

DATA = Path(__file__).resolve().parents[1] / "data" / "terrain"


def load(tmp_path, soils, **mapping):
    return load_terrain({"type": "heightmap", "surface": "asphalt", **mapping}, str(tmp_path / "land.yaml"), tmp_path, soils)


@pytest.fixture
def plane(tmp_path):
    """Return a grid on a map without voids: z = 5 + 0.1 east + 0.2 north of 1000, 2000."""
    j, i = np.mgrid[0:20, 0:30]
    body = "\n".join(" ".join(f"{5.0 + 0.1 * 2.0 * a + 0.2 * 2.0 * (19 - b):.3f}" for a in i[0]) for b in j[:, 0])
    (tmp_path / "plane.asc").write_text(f"ncols 30\nnrows 20\nxllcenter 1000\nyllcenter 2000\ncellsize 2\n{body}\n")
    return "plane.asc"


def test_a_map_has_its_origin_at_the_given_point(tmp_path, soils, plane):
    g = load(tmp_path, soils, heights={"file": plane}, georeference={"origin": [1020.0, 2010.0]})
    assert g.height(0.0, 0.0) == pytest.approx(5.0 + 2.0 + 2.0, abs=1e-5)
    assert g.height(7.0, -3.0) == pytest.approx(9.0 + 0.7 - 0.6, abs=1e-5)
    assert g.bounds == pytest.approx((-20.0, 38.0, -10.0, 28.0))
    assert g.spawn == pytest.approx((9.0, 9.0, 0.0))
    assert g.hardness.min() == 1.0


def test_a_map_without_georeference_is_refused(tmp_path, soils, plane):
    with pytest.raises(ConfigError, match=r"georeference.*1000 to 1058 and 2000 to 2038"):
        load(tmp_path, soils, heights={"file": plane})


def test_degrees_become_meters_on_a_map(tmp_path, soils):
    pytest.importorskip("pyproj")
    east, north = np.mgrid[0:60, 0:60][::-1] / 100.0  # hundredths of a degree from 8 E, 47 N
    heights = 100.0 + 1000.0 * east + 500.0 * (0.59 - north)
    body = "\n".join(" ".join(f"{z:.6f}" for z in row) for row in heights)
    (tmp_path / "degrees.asc").write_text(f"ncols 60\nnrows 60\nxllcenter 8\nyllcenter 47\ncellsize 0.01\n{body}\n")
    g = load(
        tmp_path,
        soils,
        heights={"file": "degrees.asc", "crs": "EPSG:4326"},
        georeference={"crs": "EPSG:32632", "origin": [463000.0, 5240000.0]},
        grid={"origin": [-5000.0, -5000.0], "spacing": 100.0, "count": [101, 101]},
    )
    from pyproj import Proj

    for x, y in ((0.0, 0.0), (4321.0, -2500.0)):
        longitude, latitude = Proj("EPSG:32632")(463000.0 + x, 5240000.0 + y, inverse=True)
        assert g.height(x, y) == pytest.approx(100.0 + 1000.0 * (longitude - 8.0) + 500.0 * (latitude - 47.0), abs=0.02)


def test_only_voids_under_the_grid_are_refused(tmp_path, soils):
    shutil.copy(DATA / "asc_corner.asc", tmp_path)
    said = {"heights": {"file": "asc_corner.asc"}, "georeference": {"origin": [1001.0, 2001.0]}}
    with pytest.raises(ConfigError, match=r"terrain import asc_corner\.asc.*no heights at \d+ of 336 nodes"):
        load(tmp_path, soils, **said)
    g = load(tmp_path, soils, **said, grid={"origin": [16.0, 0.0], "spacing": 2.0, "count": [8, 8]})
    assert np.isfinite(g.heights).all()


def test_a_soil_map_gives_the_soil_of_each_node(tmp_path, soils, plane):
    indices = np.zeros((20, 30), np.uint8)
    indices[:, 15:], indices[:10, 15:] = 3, 7  # in the east: 3 in the south, 7 in the north, whose rows come first
    Image.fromarray(indices).save(tmp_path / "soils.png")
    soil_map = {
        "file": "soils.png", "first_row": "north", "origin": [0.0, 0.0], "spacing": [2.0, 2.0],
        "soils": [{"index": 0, "surface": "asphalt"}, {"index": 3, "soil": "dry_sand"}, {"index": 7, "surface": "ice"}],
    }  # fmt: skip
    said = {"heights": {"file": plane}, "georeference": {"origin": [1000.0, 2000.0]}}
    g = load(tmp_path, soils, **said, soil_map=soil_map)
    out = record(SOIL)
    for (x, y), name in (((10.0, 10.0), "asphalt"), ((50.0, 8.0), "dry_sand"), ((50.0, 30.0), "ice")):
        soil_under(g.p, g.hardness, g.soil_ids, g.soils, x, y, out)
        assert out[0]["hardness"] == (0.0 if name == "dry_sand" else 1.0)
        assert out[0]["friction"] == pytest.approx(soils[name]["friction"])
    with pytest.raises(ConfigError, match=r"soil_map\.soils.*an entry for index 7"):
        load(tmp_path, soils, **said, soil_map={**soil_map, "soils": soil_map["soils"][:2]})


def test_a_street_of_triangles_is_a_terrain(tmp_path, soils):
    shutil.copy(DATA / "street_zup_quads.obj", tmp_path)
    grid = {"origin": [0.5, -4.5], "spacing": 0.25, "count": [150, 40]}
    g = load(tmp_path, soils, heights={"file": "street_zup_quads.obj", "up": "z", "at": [0.0, 0.5]}, grid=grid)
    assert g.height(20.0, -1.5) == pytest.approx(0.4 - 2.0 * 0.02, abs=1e-3)  # two meters from the crown, which falls by 0.02
