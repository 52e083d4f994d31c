"""Beyond the edge of a map the ground continues without a step, a crease or NaN."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.records import record
from simulator.view.make_terrain_data import make_terrain_data
from terrain.base_grid import height_and_normal
from terrain.ground import GROUND, Ground, soil_under
from terrain.load_terrain import load_terrain
from terrain.map_edge import rolled_off
from terrain.nearest_node import nearest_nodes
from terrain.soil import SOIL

EDGES = {"west": (-248.0, 0), "east": (1800.0, 0), "south": (-1024.0, 1), "north": (1024.0, 1)}


def slopes(g, points):
    """Return the slopes along x and y at points (n, 2)."""
    n, out = np.empty(3), []
    for x, y in points:
        z = height_and_normal(g.p, g.heights, x, y, n)
        assert np.isfinite(z)
        out.append(-n[:2] / n[2])
    return np.array(out)


def across(place, axis, along, reach=90.0, step=0.25):
    """Return points on a line across an edge."""
    points = np.empty((round(2.0 * reach / step), 2))
    points[:, axis] = place - reach + step * np.arange(len(points))
    points[:, 1 - axis] = along
    return points


@pytest.mark.parametrize("edge", EDGES)
def test_the_edge_of_jacksboro_is_not_visible_in_the_ground(jacksboro, edge):
    place, axis = EDGES[edge]
    inward = 300.0 if edge in ("west", "south") else -300.0

    def sharpest(where):
        """Return the maximum change of slope in a quarter of a meter on some lines across."""
        lines = (slopes(jacksboro, across(where, axis, along)) for along in (-700.0, -400.0, 233.0, 900.0))
        return max(float(np.abs(np.diff(rise, axis=0)).max()) for rise in lines)

    assert sharpest(place) < 1.5 * sharpest(place + inward)


def test_the_ground_ten_kilometers_outside_jacksboro_is_like_the_inside(jacksboro):
    s = np.arange(0.0, 10_000.0, 0.5)
    line = np.column_stack((-200.0 - 0.8 * s, 300.0 + 0.6 * s))
    steep = np.abs(slopes(jacksboro, line))
    assert steep.max() < 0.8
    heights = [jacksboro.height(x, y) for x, y in line]
    low, high = float(jacksboro.heights.min()), float(jacksboro.heights.max())
    assert low - 1.0 < min(heights) and max(heights) < high + 1.0 and np.std(heights) > 5.0


def tilted(soils, folder, slope, spacing):
    """Return a user map whose ground rises up to its edge."""
    n = 80
    x = spacing * np.arange(n)
    np.save(folder / "h.npy", slope * x[None, :] + 0.5 * slope * x[:, None])
    heights = {"file": "h.npy", "first_row": "south", "origin": [0.0, 0.0], "spacing": [spacing, spacing], "scale": 1.0, "offset": 0.0}
    mapping = {
        "type": "heightmap",
        "heights": heights,
        "grid": {"origin": [0.0, 0.0], "spacing": spacing, "count": [n, n]},
        "soils": {"shares": {"lete_sand": 0.5, "dry_sand": 0.5}, "size": 40.0, "relief": 0.2, "seed": 3},
        "roads": [
            {
                "name": "out", "surface": "asphalt", "width": 6.0, "verge": 2.0, "embankment": 4.0, "crown_percent": 0.0, "smoothing": 2.0,
                "points": [[20.0 * spacing, 40.0 * spacing], [0.0, 40.0 * spacing]],
            }
        ],
        "spawn": {"position": [spacing * n / 2, spacing * n / 2], "yaw_deg": 0.0},
    }  # fmt: skip
    return load_terrain(mapping, "tilted.yaml", folder, soils)


@pytest.mark.parametrize("spacing", [0.5, 3.0])
def test_a_slope_to_the_edge_of_a_users_map_rolls_off_without_a_crease(tmp_path, soils, spacing):
    g = tilted(soils, tmp_path, 0.4, spacing)
    size = 79 * spacing
    margin = 10 * spacing
    for place in (0.0, size):
        lines = across(place, 0, 0.25 * size, reach=4.0 * margin, step=0.1 * spacing)
        rise = slopes(g, lines)
        assert np.abs(rise[:, 0]).max() < 0.45
        assert np.abs(np.diff(rise[:, 0])).max() < 3.0 * 0.4 / margin * 0.1 * spacing, "like a gentle hilltop, without a crest"


def test_the_inside_of_a_map_is_unchanged_and_its_margin_continues_the_slope():
    inside = np.random.default_rng(2).normal(size=(40, 30)).astype(np.float32)
    wide = rolled_off(inside, (5, 7), 2.0)
    assert wide.shape == (50, 44)
    assert np.array_equal(wide[5:-5, 7:-7], inside)
    x = 2.0 * np.arange(30)
    plane = np.broadcast_to((0.3 * x).astype(np.float32), (40, 30))
    wide = rolled_off(np.ascontiguousarray(plane), (5, 7), 2.0)
    rise = np.diff(wide[20].astype(float)) / 2.0
    assert rise[6] == pytest.approx(0.3, rel=0.15) and rise[0] == pytest.approx(0.0, abs=0.03)
    assert (np.diff(rise[:8]) > 0.0).all() and (np.diff(rise[-8:]) < 0.0).all()


def test_soil_and_road_continue_with_the_ground(tmp_path, soils):
    g = tilted(soils, tmp_path, 0.1, 1.0)
    out, image = record(SOIL), record(SOIL)
    west = float(g.p[0]["origin"][0]) - 0.5
    for d in (0.3, 4.0, 9.7, 30.0):
        for y in (10.0, 40.0, 61.0):
            soil_under(g.p, g.hardness, g.soil_ids, g.soils, west + d, y, image)
            soil_under(g.p, g.hardness, g.soil_ids, g.soils, west - d, y, out)
            for name in out.dtype.names:
                assert out[0][name] == pytest.approx(image[0][name], rel=1e-9), name
    soil_under(g.p, g.hardness, g.soil_ids, g.soils, 2.0 * west - 15.0, 40.0, out)
    assert out[0]["hardness"] == 1.0, "the road comes back in the mirror image"


@pytest.mark.parametrize("name", ["jacksboro", "flat", "flat_soil", "slope", "bump"])
def test_the_view_has_the_same_ground_inside_and_outside(name, terrain_mapping, soils, assets):
    g = load_terrain(terrain_mapping(name), f"{name}.yaml", assets, soils)
    land = make_terrain_data(g)
    rng = np.random.default_rng(1)
    for x, y in np.vstack((rng.uniform(-3000.0, 3000.0, (300, 2)), rng.uniform(-1e5, 1e5, (100, 2)))):
        assert land.height(x, y) == pytest.approx(g.height(x, y), abs=0.06)


@pytest.mark.parametrize("mirrored", [0, 1])
def test_the_nearest_node_beyond_the_edge_is_the_one_whose_height_is_there(mirrored):
    """The surface passes through its nodes, also through those of the mirror images and of the border."""
    p, heights = record(GROUND), np.random.default_rng(4).uniform(0.0, 1.0, (5, 7)).astype(np.float32)
    p[0]["origin"], p[0]["spacing"], p[0]["mirrored"], p[0]["gravity"] = (3.0, -2.0), (0.5, 0.25), mirrored, 9.8
    ground = Ground("g", p, heights, np.ones_like(heights), np.zeros(heights.shape, np.uint8), record(SOIL), ("hard",), (0.0, 0.0, 0.0))
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(-20, 28), np.arange(-20, 28)))
    x, y = 3.0 + 0.5 * i, -2.0 + 0.25 * j
    expected = [height_and_normal(ground.p, ground.heights, *point, np.empty(3)) for point in zip(x, y, strict=True)]
    for dx, dy in ((0.0, 0.0), (0.2, -0.1), (-0.2, 0.1)):
        assert ground.heights[nearest_nodes(ground, x + dx, y + dy)] == pytest.approx(expected, abs=1e-6)
