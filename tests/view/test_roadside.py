"""Are the posts at the roadside, on the ground and nowhere else?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.view.marker_posts import EDGE_DISTANCE, SPACING, places, post, posts
from simulator.view.terrain_data import ViewRoad
from tests.view.scenes import hilly_terrain


def test_posts_stand_in_pairs_beside_the_road():
    road = ViewRoad(np.column_stack((np.linspace(0.0, 300.0, 151), np.zeros(151))), 8.0, True)
    found = places(road)
    assert len(found) == 2 * 300 / SPACING
    assert np.sort(np.unique(np.round(found[:, 1], 6))) == pytest.approx([-4.0 - EDGE_DISTANCE, 4.0 + EDGE_DISTANCE])
    assert np.diff(found[::2, 0]) == pytest.approx(SPACING)


def test_posts_keep_their_distance_in_a_bend():
    angle = np.linspace(0.0, 3.0, 400)
    road = ViewRoad(100.0 * np.column_stack((np.cos(angle), np.sin(angle))), 6.0, False)
    radius = np.hypot(*places(road)[:, :2].T)
    assert radius[::2] == pytest.approx(100.0 - 3.0 - EDGE_DISTANCE, abs=0.05), "left is inside in a left bend"
    assert radius[1::2] == pytest.approx(100.0 + 3.0 + EDGE_DISTANCE, abs=0.05)


def test_posts_stand_on_the_ground():
    terrain = hilly_terrain()
    mesh, groups, size = posts(terrain)
    assert len(mesh) and np.isfinite(mesh).all() and len(groups) == -(-len(mesh) // size)
    for corners in mesh.reshape(-1, len(post(True)), 10):
        x, y = corners[:, 0].mean(), corners[:, 1].mean()
        assert corners[:, 2].max() - terrain.height(x, y) == pytest.approx(1.0, abs=0.02)


def test_no_post_stands_on_a_crossing_road():
    terrain = hilly_terrain()
    y = np.linspace(-190.0, 190.0, 191)
    terrain.roads.append(ViewRoad(np.column_stack((25.0 + 0.0 * y, y)), 8.0, False))
    mesh, _, _ = posts(terrain)
    where = mesh.reshape(-1, len(post(True)), 10)[:, :, :2].mean(axis=1)
    assert (np.abs(where[:, 1]) > 4.0).all() and ((np.abs(where[:, 0] - 25.0) > 4.0) | (np.abs(where[:, 1]) > 190.0)).all()


def test_terrain_without_roads_has_no_posts():
    terrain = hilly_terrain()
    terrain.roads.clear()
    mesh, groups, size = posts(terrain)
    assert len(mesh) == len(groups) == size == 0
