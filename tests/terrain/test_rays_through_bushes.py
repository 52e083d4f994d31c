"""Is a ray through porous objects reflected at exponentially distributed depths, and weakened by what it passes?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import kstest

from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path as Way
from terrain.objects.world_object import Box, Cylinder, Material, Sphere, WorldObject
from terrain.rays.caster import RayCaster, RayError
from tests.terrain.test_rays_on_objects import GROUND, SHAPES, is_inside

GRASS = Material(extinction=0.7)


def caster(*objects: WorldObject) -> RayCaster:
    return RayCaster(GROUND, ObjectSet(objects))


def test_ranges_in_grass_are_exponential() -> None:
    grass = WorldObject("grass", Box((40, 40, 2)), (25, 0, 1), material=GRASS, label="vegetation")
    depth = -np.log(1.0 - np.random.default_rng(1).random(5000))
    hits, passed = caster(grass).cast_through((0, 0, 0.5), np.tile((1.0, 0.0, 0.0), (5000, 1)), 100.0, depth)
    assert kstest(hits.range - 5.0, "expon", args=(0.0, 1.0 / 0.7)).pvalue > 0.01
    assert (hits.object == 1).all()
    np.testing.assert_allclose(passed, 0.7 * (hits.range - 5.0), atol=1e-12)
    np.testing.assert_array_equal(hits.normal, np.tile((-1.0, 0.0, 0.0), (5000, 1)))


def test_a_wall_behind_a_bush_is_seen_as_often_as_the_bush_is_passed() -> None:
    bush = WorldObject("bush", Sphere(1), (5, 0, 1), material=GRASS)
    wall = WorldObject("wall", Box((1, 9, 9)), (9, 0, 1))
    depth = np.random.default_rng(2).exponential(size=20000)
    hits, passed = caster(bush, wall).cast_through((0, 0, 1), np.tile((1.0, 0.0, 0.0), (20000, 1)), 50.0, depth)
    behind = hits.object == 2
    assert abs(behind.mean() - math.exp(-1.4)) < 4.0 * math.sqrt(0.25 * 0.75 / 20000)
    np.testing.assert_allclose(hits.range[behind], 8.5)
    np.testing.assert_allclose(passed[behind], 1.4)


@pytest.mark.parametrize("name", SHAPES)
def test_the_depth_is_the_length_inside_times_the_extinction(name: str) -> None:
    """Rays from outside and inside, against an inside test every millimeter."""
    rng, shape = np.random.default_rng(4), SHAPES[name]
    tilt = {} if name == "cylinder" else {"pitch": 0.3, "roll": -0.7}
    one = WorldObject("it", shape, (4.0, -7.0, 3.0), yaw=1.1, material=GRASS, **tilt)
    origins = rng.uniform(-3.0, 3.0, (100, 3)) + one.position
    directions = rng.uniform(-1.2, 1.2, (100, 3)) + one.position - origins
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    _, depth = caster(one).cast_through(origins, directions, 5.0, math.inf, ground=False)
    t, R = np.arange(0.0005, 5.0, 1e-3), one.rotation()
    for o, d, found in zip(origins, directions, depth, strict=True):
        inside = is_inside(shape, (o + t[:, None] * d - one.position) @ R)
        assert abs(found - 0.7e-3 * inside.sum()) < 0.7 * 2.1e-3
    assert (depth > 0.1).sum() > 20


def test_depths_of_overlapping_objects_add() -> None:
    first = WorldObject("first", Box((4, 4, 4)), (4, 0, 1), material=GRASS)
    second = WorldObject("second", Box((4, 4, 4)), (6, 0, 1), material=Material(extinction=2.0))
    objects, look = caster(first, second), ((0, 0, 1), (1, 0, 0), 50.0)
    assert objects.cast_through(*look, math.inf)[1][0] == pytest.approx(4 * 0.7 + 4 * 2.0)
    hit, _ = objects.cast_through(*look, 1.4 + 0.5 * 2.7)
    assert hit.range[0] == pytest.approx(4.5)
    assert hit.object[0] == 2


def test_a_long_object_among_many_counts_once() -> None:
    posts = [WorldObject(f"post {k}", Cylinder(0.1, 1.0), (2.0 * k, 9.0, 0.0)) for k in range(40)]
    hedge = WorldObject("hedge", Box((60, 2, 2)), (40, 0, 1), material=Material(extinction=0.01))
    _, depth = caster(*posts, hedge).cast_through((0, -0.8, 1), (1, 0.01, 0), 100.0, math.inf)
    assert depth[0] == pytest.approx(0.6 * math.hypot(1.0, 0.01))


def test_a_moving_bush_is_where_it_is_at_the_time_of_the_ray() -> None:
    way = Way(np.array([(10.0, 0.0, 1.0), (30.0, 0.0, 1.0)]), times=np.array([0.0, 10.0]))
    cart = WorldObject("cart", Box((4, 2, 2)), (10, 0, 1), motion=way, material=GRASS)
    hits, _ = caster(cart).cast_through((0, 0, 1), (1, 0, 0), 100.0, 1e-12, np.array([0.0, 2.5]))
    np.testing.assert_allclose(hits.range, (8.0, 13.0))


def test_without_porous_objects_the_result_is_that_of_a_cast() -> None:
    objects = caster(WorldObject("wall", Box((1, 4, 2)), (5.5, 0, 1)))
    hits, depth = objects.cast_through((0, 0, 1), [(1, 0, 0), (1, 0, -0.5)], 20.0, [0.5, 0.5])
    np.testing.assert_allclose(hits.range, (5.0, math.sqrt(5.0)))
    np.testing.assert_array_equal(depth, 0.0)


@pytest.mark.parametrize(("depth", "text"), [(-1.0, "negative"), (math.nan, "not a number"), ((1.0, 2.0, 3.0), "3 depth")])
def test_an_impossible_depth_is_refused(depth: object, text: str) -> None:
    with pytest.raises(RayError, match=text):
        caster().cast_through((0, 0, 1), [(1, 0, 0), (0, 1, 0)], 20.0, depth)  # type: ignore[arg-type]
