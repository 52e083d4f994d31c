"""Are walls and steps that no wheel climbs objects, at the place and with the size of the features, and lower ones still surface?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import ConfigError, HighFeatureWarning
from terrain.load_terrain import load_terrain
from terrain.objects.high_features import CLIMBED

SQUARE = [[0, 0], [6, 0], [6, 4], [0, 4], [0, 0]]


def ground(*features, **more):
    return load_terrain({"type": "flat", "features": list(features), **more}, "mine.yaml", Path(), {})


def corners(one) -> np.ndarray:
    """Return the corners (4, 2) of a box seen from above."""
    half = 0.5 * np.array(one.shape.size[:2])
    c, s = np.cos(one.yaw), np.sin(one.yaw)
    return np.array([(x * c - y * s, x * s + y * c) for x in (-half[0], half[0]) for y in (-half[1], half[1])]) + one.position[:2]


def test_a_low_wall_stays_surface():
    g = ground({"type": "wall", "points": [[0, -3], [0, 3]], "height": CLIMBED})
    assert len(g.objects) == 0 and g.height(0.0, 0.0) == pytest.approx(CLIMBED)


def test_a_high_wall_becomes_boxes_of_its_height_and_thickness():
    with pytest.warns(HighFeatureWarning, match=r"mine.yaml: features\[0\]: a wall of 2 m is higher than 0.5 m.*4 objects"):
        g = ground({"type": "wall", "points": SQUARE, "height": 2, "thickness": 0.4})
    assert len(g.objects) == 4 and g.height(3.0, 0.0) == 0.0
    assert [one.name for one in g.objects.objects] == ["wall", "wall 2", "wall 3", "wall 4"]
    tops = g.objects.records["high"][:, 2]
    assert tops == pytest.approx(2.0)
    outer = np.concatenate([corners(one) for one in g.objects.objects])
    assert outer.min(axis=0) == pytest.approx((-0.2, -0.2)) and outer.max(axis=0) == pytest.approx((6.2, 4.2))


def test_a_wall_follows_the_ground():
    with pytest.warns(HighFeatureWarning):
        g = ground({"type": "wall", "points": [[0, 0], [20, 0]], "height": 3}, grade_percent=10)
    assert len(g.objects) == 4
    assert g.objects.records["high"][:, 2] == pytest.approx([3.25, 3.75, 4.25, 4.75])
    assert (g.objects.records["low"][:, 2] < [0.0, 0.5, 1.0, 1.5]).all()


def test_a_high_step_becomes_a_box_beside_lower_features():
    low = {"type": "step", "at": [0, 0], "height": 0.2, "length": 4, "depth": 2}
    with pytest.warns(HighFeatureWarning, match="a step of 1.5 m.*1 object,"):
        g = ground(low, {"type": "step", "at": [30, 0], "yaw_deg": 90, "height": 1.5, "length": 4, "depth": 2})
    assert g.height(0.0, 0.0) == pytest.approx(0.2) and g.height(30.0, 0.0) == 0.0
    box = corners(g.objects.objects[0])
    assert box.min(axis=0) == pytest.approx((28.0, -1.0)) and box.max(axis=0) == pytest.approx((32.0, 1.0))


def test_a_wrong_high_wall_is_an_error():
    with pytest.raises(ConfigError, match=r"features\[0\].points: .*distinct positions"):
        ground({"type": "wall", "points": [[0, 0], [0, 0]], "height": 2})
