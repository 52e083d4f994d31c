"""Are features and markings drawn at their physical positions, and is the terrain cut where the ground is below it?"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import DeviceError
from simulator.view.feature_meshes import PAINT_RAISED, RAISED
from simulator.view.make_terrain_data import make_terrain_data
from simulator.view.offscreen import Offscreen
from simulator.view.terrain_data import CHUNK, TerrainData
from terrain.composite_height import composed_heights
from terrain.load_terrain import load_terrain
from tests.view.scenes import geometry, readout
from tests.view.test_drawn_ground import seen

FEATURES = [
    {"type": "half_round", "at": [9, 0], "yaw_deg": 20, "radius": 0.15, "length": 8},
    {"type": "step", "at": [13, 6], "height": 0.3, "length": 3, "depth": 2},
    {"type": "curb", "points": [[30, -6], [5, -6], [5, -12]], "height": [0.12, 0.12, 0.12], "width": 2, "fall": 1, "corner": 2},
    {"type": "wall", "points": [[16, 4], [22, 9]], "height": 0.5, "thickness": 0.3},
    {"type": "ditch", "points": [[14, -9], [14, 5]], "depth": 0.5, "width": 3},
    {"type": "bump", "at": [9, 5], "height": -0.2, "length": 3, "width": 3},
    {"type": "washboard", "at": [24, 0], "height": 0.08, "wavelength": 1, "length": 5, "width": 4},
]
MARKS = [{"points": [[-20, 2], [30, 2]], "width": 0.15}, {"points": [[3, -4], [3, 4]], "width": 2, "dash": [0.5, 0.5], "color": "yellow"}]


@pytest.fixture(scope="module")
def ground():
    soils = {"asphalt": {"type": "surface", "friction": 0.8}}
    grid = {"origin": [-40, -40], "spacing": 0.5, "count": [161, 161]}
    mapping = {"type": "heightmap", "grid": grid, "surface": "asphalt", "features": FEATURES, "marks": MARKS}
    return load_terrain(mapping, "t.yaml", Path(), soils)


@pytest.fixture(scope="module")
def terrain(ground):
    return make_terrain_data(ground)


def test_every_corner_is_on_the_composed_ground(ground, terrain):
    mesh = terrain.features.mesh.astype(float)
    z = np.empty(len(mesh))
    composed_heights(ground.arrays, mesh[:, 0].copy(), mesh[:, 1].copy(), z)
    above = mesh[:, 2] - z
    on_the_ground = np.abs(above - RAISED) < 1e-3
    painted = np.abs(above - PAINT_RAISED) < 1e-3
    assert (on_the_ground | painted).mean() > 0.97, "but for those on the foot of a face of 2 cm, which single precision moves"
    assert np.abs(above).max() < 0.03
    assert painted.sum() > 100
    np.testing.assert_allclose(np.linalg.norm(mesh[:, 3:6], axis=1), 1.0, atol=1e-5)
    assert (mesh[:, 5] > 0.0).all(), "everything is seen from above"


def test_chunks_hold_all_triangles_once(terrain):
    x, y, first, count = terrain.features.chunks.T
    assert (first == np.concatenate(([0], np.cumsum(count)[:-1]))).all()
    assert first[-1] + count[-1] == len(terrain.features.mesh)
    for k in range(len(first)):
        middles = terrain.features.mesh[int(first[k]) : int(first[k] + count[k]), :2].reshape(-1, 3, 2).mean(axis=1)
        assert (np.abs(middles - (x[k], y[k])) <= 0.5 * CHUNK + 1e-3).all()


def test_the_terrain_is_cut_only_where_the_ground_is_below_it(ground, terrain):
    cut, (x0, y0, per_x, per_y) = terrain.features.cut, terrain.features.cut_grid
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-30.0, 40.0, 40_000), rng.uniform(-30.0, 30.0, 40_000)
    z = np.empty(len(x))
    composed_heights(ground.arrays, x, y, z)
    u, v = (x - x0) * per_x, (y - y0) * per_y
    inside = (u >= 0.0) & (u < 1.0) & (v >= 0.0) & (v < 1.0)
    gone = np.zeros(len(x), bool)
    gone[inside] = cut[(v[inside] * cut.shape[0]).astype(int), (u[inside] * cut.shape[1]).astype(int)] > 0
    assert gone[z < -0.01].all()
    assert (z < -0.01).sum() > 300
    assert (z[gone] < -1e-9).mean() > 0.85
    assert not cut[[0, -1]].any()
    assert not cut[:, [0, -1]].any()


def test_terrain_with_features_is_the_same_for_another_process(terrain, tmp_path):
    terrain.save(tmp_path / "land.npz")
    again = TerrainData.load(tmp_path / "land.npz").features
    for name in ("mesh", "chunks", "cut"):
        np.testing.assert_array_equal(getattr(again, name), getattr(terrain.features, name))
    assert again.cut_grid == terrain.features.cut_grid


@pytest.mark.parametrize(("x", "y", "yaw"), [(0.0, 0.0, 0.0), (8.0, -14.0, 60.0), (28.0, 8.0, 200.0)])
def test_what_is_seen_is_the_composed_ground(ground, terrain, x, y, yaw):
    """Points of the pixels beside the vehicle, from their depth: in the ditch, on the curb, on the wall, and between them."""
    try:
        view = Offscreen(320, 180, terrain, geometry(), samples=1)
    except DeviceError as error:
        pytest.skip(str(error))
    view.scene.instruments = False
    state = readout(x, y, ground=ground.height(x, y))
    half = math.radians(0.5 * yaw)
    state[0]["q_WB"], state[0]["yaw"] = (math.cos(half), 0.0, 0.0, math.sin(half)), 2.0 * half
    view.camera = "chase"
    view.render(state)
    points, away = seen(view, view._state)
    view.close()
    near = points[away < 30.0]
    around = [np.empty(len(near)) for _ in range(9)]
    for k, z in enumerate(around):
        composed_heights(ground.arrays, near[:, 0] + 0.04 * (k % 3 - 1), near[:, 1] + 0.04 * (k // 3 - 1), z)
    low, high = np.min(around, axis=0), np.max(around, axis=0)  # on an upright face every height between
    right = (near[:, 2] > low - 0.03) & (near[:, 2] < high + 0.03)
    assert len(near) > 500
    assert right.mean() > 0.99
    assert (right & (np.abs(near[:, 2]) > 0.05)).sum() > 20, "features are among them"
