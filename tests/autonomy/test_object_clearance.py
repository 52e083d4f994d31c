"""Is the clearance of a drive the distance of two outlines, measured point by point?"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.autonomy.contract import Pose
from simulator.autonomy.object_clearance import RANGE, ObjectClearance
from simulator.conformance.autonomy import VEHICLE
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path as Way
from terrain.objects.world_object import Box, Cylinder, WorldObject

STEP = 0.02
WAY = np.array(((20.0, 0.0, 1.0), (40.0, 0.0, 1.0)))


def ground() -> Ground:
    return load_terrain({"type": "flat", "surface": "a"}, "t.yaml", Path(), {"a": {"type": "surface", "friction": 0.8}})


def filled(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return points of a rectangle."""
    x, y = (np.linspace(a, b, math.ceil((b - a) / STEP) + 1) for a, b in zip(low, high, strict=True))
    return np.array(np.meshgrid(x, y)).reshape(2, -1).T


def placed(points: np.ndarray, x: float, y: float, yaw: float) -> np.ndarray:
    c, s = math.cos(yaw), math.sin(yaw)
    return points @ np.array(((c, s), (-s, c))) + (x, y)


def test_the_clearance_is_the_least_distance_of_points_of_both_outlines() -> None:
    from scipy.spatial import cKDTree

    rng, touches = np.random.default_rng(2), 0
    own = filled(np.array((-VEHICLE.rear, -0.5 * VEHICLE.width)), np.array((VEHICLE.front, 0.5 * VEHICLE.width)))
    for _ in range(60):
        x, y, yaw = *rng.uniform(-7.0, 7.0, 2), rng.uniform(-4.0, 4.0)
        pose = Pose(*rng.uniform(-3.0, 3.0, 2), rng.uniform(-4.0, 4.0))
        box = WorldObject("box", Box((3.0, 1.0, 2.0)), (x, y, 1.0), yaw=yaw)
        away = cKDTree(placed(own, *pose)).query(placed(filled(np.array((-1.5, -0.5)), np.array((1.5, 0.5))), x, y, yaw))[0].min()
        found = ObjectClearance(VEHICLE, ground()).at(ObjectSet([box]), 0.0, pose)
        assert found == pytest.approx(away, abs=1.5 * STEP)
        touches += away < STEP
    assert touches > 5


def test_what_a_vehicle_passes_over_or_below_does_not_count() -> None:
    def at(shape: Cylinder, z: float = 0.0, x: float = 10.0) -> float:
        return ObjectClearance(VEHICLE, ground()).at(ObjectSet([WorldObject("one", shape, (x, 0.0, z))]), 0.0, Pose(0.0, 0.0, 0.0))

    assert at(Cylinder(0.3, 2.0)) == pytest.approx(10.0 - 0.3 - VEHICLE.front)
    assert at(Cylinder(0.3, 0.02)) == RANGE
    assert at(Cylinder(0.3, 2.0), VEHICLE.height + 1.0) == RANGE
    assert at(Cylinder(0.3, 2.0), x=60.0) == RANGE
    assert at(Cylinder(0.3, 2.0), x=VEHICLE.front) == 0.0


def test_a_moving_object_is_where_it_is_at_the_time() -> None:
    car = WorldObject("car", Box((2.0, 2.0, 2.0)), (20.0, 0.0, 1.0), motion=Way(WAY, speeds=np.array((5.0, 5.0))))
    found = ObjectClearance(VEHICLE, ground())
    near, far = (found.at(ObjectSet([car]), time, Pose(10.0, 0.0, 0.0)) for time in (0.0, 1.0))
    assert near == pytest.approx(20.0 - 1.0 - 10.0 - VEHICLE.front)
    assert far - near == pytest.approx(5.0)


def test_a_wider_vehicle_has_less_room() -> None:
    post = ObjectSet([WorldObject("post", Cylinder(0.1, 2.0), (0.0, 3.0, 0.0))])
    narrow, wide = (ObjectClearance(replace(VEHICLE, width=width), ground()).at(post, 0.0, Pose(0.0, 0.0, 0.0)) for width in (2.0, 3.0))
    assert narrow - wide == pytest.approx(0.5)
