"""Does a true map have the elevation, slope, step, objects and labels of its window?"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import JounceError
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from terrain.objects.labels import LABELS
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path as Way
from terrain.objects.world_object import Box, Breakaway, Capsule, ConvexHull, Cylinder, Shape, Sphere, TriangleMesh, WorldObject
from terrain.outlines import outlines
from terrain.truth_map import FREE, OBSTACLE, Limits, truth_map

SOILS = {"asphalt": {"type": "surface", "friction": 0.8}}
POINTS = np.random.default_rng(3).normal(size=(30, 3)) * (1.0, 0.6, 0.4)


def ground(**more: object) -> Ground:
    return load_terrain({"type": "flat", "surface": "asphalt", **more}, "t.yaml", Path(), SOILS)


def test_a_plane_has_its_slope_everywhere() -> None:
    found = truth_map(ground(grade_percent=30, cross_grade_percent=-10), (20.0, -5.0), (6.0, 4.0), 0.5)
    assert found.elevation.shape == (8, 12)
    assert found.origin == (17.0, -7.0)
    x, y = np.meshgrid(17.25 + 0.5 * np.arange(12), -6.75 + 0.5 * np.arange(8))
    np.testing.assert_allclose(found.elevation, 0.3 * x - 0.1 * y, atol=1e-6)
    np.testing.assert_allclose(found.slope, math.atan(math.hypot(0.3, 0.1)), atol=1e-6)
    np.testing.assert_allclose(found.step, 0.15, atol=1e-6)
    assert (found.state == FREE).all()
    assert (found.label == LABELS["ground"]).all()
    assert (truth_map(ground(grade_percent=60), (0, 0), (2, 2)).state == OBSTACLE).all()


def test_objects_count_by_their_height_above_the_ground_below_them() -> None:
    """A post, a stone that is too low, a beam to pass under and a taller object on the same cells, on a slope."""
    base = 0.1 * 10.0
    objects = ObjectSet(
        [
            WorldObject("post", Cylinder(0.1, 1.5), (10.0, 0.0, base), label="post"),
            WorldObject("stone", Sphere(0.1), (10.0, 3.0, base), label="rock"),
            WorldObject("beam", Box((0.5, 4.0, 0.3)), (10.0, 6.0, base + 2.6), label="other"),
            WorldObject("low beam", Box((0.5, 1.0, 0.3)), (10.0, 9.0, base + 2.3), label="sign"),
            WorldObject("curb", Box((2.0, 0.4, 0.4)), (10.0, 0.0, base), label="curb"),
        ]
    )
    found = truth_map(ground(grade_percent=10), (10.1, 5.1), (4.2, 14.2), 0.2, objects=objects)

    def at(x: float, y: float) -> tuple[float, int, int]:
        i, j = int((x - found.origin[0]) / 0.2), int((y - found.origin[1]) / 0.2)
        return round(float(found.object_height[j, i]), 6), int(found.label[j, i]), int(found.state[j, i])

    assert at(10.0, 0.0) == (1.5, LABELS["post"], OBSTACLE)
    assert at(10.6, 0.0) == (0.2, LABELS["curb"], FREE)
    assert at(10.0, 3.0) == (0.1, LABELS["rock"], FREE)
    assert at(10.0, 6.0) == (0.0, LABELS["ground"], FREE)
    assert at(10.0, 9.0) == (2.45, LABELS["sign"], OBSTACLE)
    taller = truth_map(ground(grade_percent=10), (10.1, 5.1), (4.2, 14.2), 0.2, objects=objects, limits=Limits(vehicle_height=3.0))
    assert (taller.state != found.state).any()


def test_a_fallen_post_is_on_the_map_along_its_length() -> None:
    objects = ObjectSet([WorldObject("post", Cylinder(0.2, 4.0), (0.0, 0.0, 0.0), label="post", motion=Breakaway(20.0))]).for_session()
    s = objects.states[0]
    s["broken"], s["p_WO"], s["R_WO"] = 1, (0.0, 0.0, 0.2), ((0, 0, 1), (0, 1, 0), (-1, 0, 0))
    found = truth_map(ground(), (2.0, 0.0), (6.0, 2.0), 0.1, objects=objects)
    cells = np.argwhere(found.label == LABELS["post"])
    x, y = found.origin[0] + 0.1 * (cells[:, 1] + 0.5), found.origin[1] + 0.1 * (cells[:, 0] + 0.5)
    assert (x.min(), x.max()) == pytest.approx((0.0, 4.0), abs=0.11) and np.abs(y).max() == pytest.approx(0.2, abs=0.06)
    np.testing.assert_allclose(found.object_height[found.label == LABELS["post"]], 0.4, rtol=0.03)


def test_a_moving_object_is_on_the_map_where_it_is_at_the_time() -> None:
    way = Way(np.array([(0.0, 0.0, 1.0), (10.0, 0.0, 1.0)]), times=np.array([0.0, 5.0]))
    objects = ObjectSet([WorldObject("car", Box((1.0, 1.0, 2.0)), (0, 0, 1), motion=way, label="vehicle")])
    for time, x in ((0.0, 0.0), (2.5, 5.0), (9.0, 10.0)):
        found = truth_map(ground(), (5.0, 0.0), (16.0, 4.0), 0.5, objects=objects, time=time)
        rows, columns = np.nonzero(found.object)
        assert abs(found.origin[0] + 0.5 * (columns.mean() + 0.5) - x) < 1e-9
        assert (found.label == LABELS["vehicle"]).sum() == len(rows)
    objects.remove(1)
    assert not truth_map(ground(), (5.0, 0.0), (16.0, 4.0), 0.5, objects=objects).object.any()


@pytest.mark.parametrize(
    ("shape", "tilt"),
    [
        (Box((2.0, 1.0, 0.5)), {}),
        (Box((2.0, 1.0, 0.5)), {"pitch": 0.5, "roll": 0.3}),
        (Capsule(0.4, 1.5), {"pitch": 1.2}),
        (Capsule(0.4, 1.5), {}),
        (ConvexHull(POINTS), {"roll": 0.4}),
        (TriangleMesh(POINTS.reshape(-1, 3, 3)), {}),
        (Cylinder(0.7, 1.0), {}),
    ],
)
def test_an_outline_covers_the_cells_that_points_of_the_object_are_in(shape: Shape, tilt: dict[str, float]) -> None:
    """Random points of the object, seen from above: their cells are covered, and hardly any others."""
    objects = ObjectSet([WorldObject("it", shape, (0.3, -0.2, 1.0), yaw=0.7, **tilt)])
    (outline,) = outlines(objects)
    rng, cell = np.random.default_rng(1), 0.1
    if isinstance(shape, Box):
        r = rng.uniform(-0.5, 0.5, (400_000, 3)) * shape.size
    elif isinstance(shape, Capsule):
        ball = rng.normal(size=(400_000, 3))
        r = shape.radius * ball / np.linalg.norm(ball, axis=1, keepdims=True) * rng.random((400_000, 1)) ** 0.3
        r[:, 2] += np.clip(rng.uniform(-1.0, 1.0, 400_000), -0.5, 0.5) * shape.length
    elif isinstance(shape, Cylinder):
        a, s = rng.uniform(0, math.tau, 400_000), shape.radius * np.sqrt(rng.random(400_000))
        r = np.stack((s * np.cos(a), s * np.sin(a), rng.uniform(0, shape.height, 400_000)), axis=1)
    else:
        r = np.einsum("nk,nkj->nj", rng.dirichlet(np.full(3, 0.7), 400_000), POINTS[rng.integers(len(POINTS), size=(400_000, 3))])
    points = r @ objects.objects[0].rotation().T + (0.3, -0.2, 1.0)
    index = np.arange(-30, 30)
    x, y = np.meshgrid((index + 0.5) * cell, (index + 0.5) * cell)
    covered = outline.covers(x, y, cell)
    hit = np.zeros(covered.shape, bool)
    i, j = (np.floor(points[:, k] / cell).astype(int) + 30 for k in (0, 1))
    hit[j, i] = True
    assert not (hit & ~covered).any()
    assert (covered & ~hit).sum() <= 0.06 * hit.sum()
    assert -1e-9 <= points[:, 2].min() - outline.bottom <= 0.1
    assert -1e-9 <= outline.top - points[:, 2].max() <= 0.1


@pytest.mark.parametrize("window", [((0, math.nan), (1, 1), 0.5), ((0, 0), (0, 1), 0.5), ((0, 0), (1e6, 1e6), 0.5), ((0, 0), (1, 1), 0.0)])
def test_an_impossible_window_is_an_error(window: tuple[tuple[float, float], tuple[float, float], float]) -> None:
    with pytest.raises(JounceError, match="map: "):
        truth_map(ground(), *window)
