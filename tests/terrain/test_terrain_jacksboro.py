"""Does the shipped terrain match its source, and is it drivable?"""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.cbook import get_sample_data

from simulator.base.records import record
from terrain.base_grid import height_and_normal
from terrain.ground import soil_under
from terrain.load_terrain import load_terrain
from terrain.readers.kinds import read_heights
from terrain.readers.request import ReadRequest
from terrain.soil import SOIL

NORTH_ROW, WEST_COLUMN = 131, 284


@pytest.fixture(scope="module")
def source():
    with get_sample_data("jacksboro_fault_dem.npz") as data:
        return data["elevation"].astype(float)


@pytest.fixture(scope="module")
def away_from_roads(jacksboro):
    """Return sample points (x, y, row, column of the source) on the grid and further than 70 m from every road."""
    places = []
    for row in range(29):
        for column in range(34):
            x, y = -447.31 + 74.5519 * column, -1294.65 + 92.4753 * (28 - row)
            x_low, x_high, y_low, y_high = jacksboro.bounds
            near = min(np.hypot(r.points[:, 0] - x, r.points[:, 1] - y).min() for r in jacksboro.roads)
            if x_low <= x <= x_high and y_low <= y <= y_high and near > 70.0:
                places.append((x, y, row + NORTH_ROW, column + WEST_COLUMN))
    return places


def under(g, x, y):
    out = record(SOIL)
    soil_under(g.p, g.hardness, g.soil_ids, g.soils, x, y, out)
    return out[0]


def test_the_asset_contains_the_samples_of_its_source(source, assets):
    asset = read_heights(ReadRequest(assets / "terrain" / "jacksboro_dem.png", {}, "asset", assumed=[])).samples[::-1]
    assert asset.shape == (29, 34)
    for row, column in ((0, 0), (0, 33), (28, 0), (28, 33), (14, 6), (5, 20), (22, 9)):
        assert asset[row, column] == source[NORTH_ROW + row, WEST_COLUMN + column]
    np.testing.assert_array_equal(asset, source[NORTH_ROW : NORTH_ROW + 29, WEST_COLUMN : WEST_COLUMN + 34])


def test_the_drivable_ground_is_the_source_but_for_its_roughness(jacksboro, source, away_from_roads):
    assert len(away_from_roads) > 400
    error = np.array([jacksboro.height(x, y) - (source[row, column] - 333.0) for x, y, row, column in away_from_roads])
    assert np.abs(error).max() < 5.0 * 0.36
    assert error.std() == pytest.approx(0.35, rel=0.15)
    assert abs(error.mean()) < 0.08


def test_the_source_has_relief_that_a_mirrored_map_would_miss(source, jacksboro, away_from_roads):
    mirrored = [jacksboro.height(x, y) - (source[2 * 145 - row, column] - 333.0) for x, y, row, column in away_from_roads]
    assert np.std(mirrored) > 10.0


def test_the_straight_is_paved_level_and_long_enough(jacksboro):
    x, y, yaw = jacksboro.spawn
    assert yaw == 0.0
    n = np.empty(3)
    for ahead in np.arange(0.0, 1400.0, 7.0):
        for side in (-7.0, 0.0, 7.0):
            assert abs(height_and_normal(jacksboro.p, jacksboro.heights, x + ahead, y + side, n)) < 0.02
            assert n[2] > 0.9998
            ground = under(jacksboro, x + ahead, y + side)
            assert ground["hardness"] == pytest.approx(1.0, abs=1e-6)
            assert ground["friction"] == pytest.approx(0.8)


def test_the_circuit_is_gravel_graded_and_closed_by_the_straight(jacksboro):
    road = jacksboro.road("circuit")
    steps = np.diff(road.points, axis=0)
    length = np.hypot(steps[:, 0], steps[:, 1])
    assert length.sum() > 2500.0
    assert np.abs(steps[:, 2] / length).max() < 0.10
    heading = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
    assert np.abs(np.diff(heading) / length[:-1]).max() < 1.0 / 50.0
    for end in (road.points[0], road.points[-1]):
        assert abs(end[1]) < 0.1
        assert -60.0 <= end[0] <= 1440.0
    for x, y, z in road.points[::25]:
        assert jacksboro.height(x, y) == pytest.approx(z, abs=0.06)
        assert under(jacksboro, x, y)["hardness"] == pytest.approx(1.0, abs=1e-3)


def test_leaving_any_road_the_ground_softens_slowly(jacksboro):
    for x, y, direction in ((700.0, 0.0, (0.0, 1.0)), (1655.0, 280.0, (-1.0, 0.0)), (1655.0, 280.0, (1.0, 0.0))):
        d = np.arange(0.0, 25.0, 0.02)
        rows = [under(jacksboro, x + direction[0] * s, y + direction[1] * s) for s in d]
        hardness = np.array([row["hardness"] for row in rows])
        assert hardness[0] == pytest.approx(1.0, abs=1e-3)
        assert hardness[-1] == 0.0
        assert np.abs(np.diff(hardness)).max() < 0.01


def test_there_are_at_least_three_soils_with_space_to_drive(jacksboro):
    soft = [k for k, name in enumerate(jacksboro.soil_names) if " on " not in name]
    area = np.bincount(jacksboro.soil_ids.ravel(), minlength=len(jacksboro.soil_names))
    assert {"lete_sand", "sandy_loam", "clayey_loam", "dry_sand"} == {jacksboro.soil_names[k] for k in soft}
    assert min(area[k] for k in soft) > 5000


def test_loading_twice_gives_the_same_bits(jacksboro, terrain_mapping, soils, assets):
    again = load_terrain(terrain_mapping("jacksboro"), "jacksboro.yaml", assets, soils)
    for name in ("p", "heights", "hardness", "soil_ids", "soils"):
        assert getattr(again, name).tobytes() == getattr(jacksboro, name).tobytes()


@pytest.mark.parametrize("name", ["flat", "slope", "bump"])
def test_the_other_shipped_terrains_load(name, terrain_mapping, soils, assets):
    g = load_terrain(terrain_mapping(name), f"{name}.yaml", assets, soils)
    assert g.name == name
    assert under(g, 0.0, 0.0)["hardness"] == 1.0
    assert g.height(10.0, 0.0) == pytest.approx({"flat": 0.0, "slope": 3.0, "bump": 0.0}[name])
