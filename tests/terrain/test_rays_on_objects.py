"""Does a ray stop at the nearest surface of the objects, whatever their shape, attitude, number and motion?"""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import ConvexHull as Hull

from simulator.base.arrays import Array
from simulator.base.jit import COMPILES
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from terrain.objects.labels import LABELS
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path as Way
from terrain.objects.world_object import (
    Box,
    Breakaway,
    Capsule,
    ConvexHull,
    Cylinder,
    Material,
    Shape,
    Sphere,
    TriangleMesh,
    WorldObject,
)
from terrain.rays.caster import Hits, RayCaster

GROUND: Ground = load_terrain({"type": "flat", "surface": "asphalt"}, "t.yaml", Path(), {"asphalt": {"type": "surface", "friction": 0.8}})
POINTS = np.random.default_rng(3).normal(size=(40, 3)) * (1.5, 1.0, 0.6)
TRIANGLES = POINTS[Hull(POINTS).simplices]
SHAPES: dict[str, Shape] = {
    "box": Box((3.0, 2.0, 1.0)),
    "cylinder": Cylinder(0.8, 2.0),
    "sphere": Sphere(1.2),
    "capsule": Capsule(0.6, 1.5),
    "hull": ConvexHull(POINTS),
    "mesh": TriangleMesh(TRIANGLES),
}


def cast(objects: ObjectSet, origins: object, directions: object, reach: float = 100.0, **more: object) -> Hits:
    return RayCaster(GROUND, objects).cast(origins, directions, reach, ground=False, **more)  # type: ignore[arg-type]


def is_inside(shape: Shape, r: Array) -> NDArray[np.bool_]:
    """Return whether points (n, 3) in O are inside."""
    if isinstance(shape, Box):
        return (np.abs(r) < 0.5 * np.asarray(shape.size)).all(axis=1)
    if isinstance(shape, Cylinder):
        return (np.hypot(*r[:, :2].T) < shape.radius) & (r[:, 2] > 0.0) & (r[:, 2] < shape.height)
    if isinstance(shape, Sphere):
        return np.linalg.norm(r, axis=1) < shape.radius
    if isinstance(shape, Capsule):
        z = r[:, 2] - np.clip(r[:, 2], -0.5 * shape.length, 0.5 * shape.length)
        return np.hypot(np.hypot(r[:, 0], r[:, 1]), z) < shape.radius
    faces = Hull(POINTS).equations
    return (r @ faces[:, :3].T + faces[:, 3] < 0.0).all(axis=1)


@pytest.mark.parametrize("name", SHAPES)
def test_the_range_is_where_an_inside_test_changes(name: str) -> None:
    """Rays from outside and from inside, against samples every millimeter, with a hit on a surface to 1e-9 m."""
    shape, rng = SHAPES[name], np.random.default_rng(11)
    tilt = {} if name == "cylinder" else {"pitch": 0.3, "roll": -0.7}
    one = WorldObject("it", shape, (40.0, -7.0, 3.0), yaw=1.1, **tilt)
    objects, R = ObjectSet([one]), one.rotation()
    origins = rng.uniform(-3.0, 3.0, (300, 3)) + one.position
    directions = rng.uniform(-1.2, 1.2, (300, 3)) + one.position - origins
    directions[::9, 0] = 0.0
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    found = cast(objects, origins, directions, 6.0)
    t, step = np.arange(0.0, 6.0, 1e-3), 1e-3
    for o, d, hit, number, normal in zip(origins, directions, *found, strict=True):
        inside = is_inside(shape, (o + t[:, None] * d - one.position) @ R)
        change = np.flatnonzero(inside != inside[0])
        if len(change):
            assert t[change[0]] - step - 1e-9 <= hit <= t[change[0]] + 1e-9
        if number > 0:
            around = is_inside(shape, (o + (hit + np.array((-1e-9, 1e-9)))[:, None] * d - one.position) @ R)
            assert around[0] != around[1] or len(change) == 0
            assert normal @ d < 0.0
            assert abs(np.linalg.norm(normal) - 1.0) < 1e-12
            outward = normal if not inside[0] else -normal
            beside = is_inside(shape, (o + hit * d + np.array((1e-5, -1e-5))[:, None] * outward - one.position) @ R)
            assert beside.tolist() == [False, True] or len(change) == 0
        else:
            assert not len(change)
    assert 0.3 < (found.object > 0).mean() < 1.0


def test_many_objects_give_the_nearest_of_all() -> None:
    rng, shapes = np.random.default_rng(5), list(SHAPES.values())
    many = [
        WorldObject(f"o{k}", shapes[k % len(shapes)], rng.uniform((-60, -60, -5), (60, 60, 5)), yaw=rng.uniform(0, 6.0)) for k in range(300)
    ]
    origins, directions = rng.uniform((-80, -80, -8), (80, 80, 8), (400, 3)), rng.normal(size=(400, 3)) * (1.0, 1.0, 0.1)
    directions[::7, 1] = 0.0
    directions[3::7, 0] = 0.0
    all_ = cast(ObjectSet(many), origins, directions)
    single = [cast(ObjectSet([one], first=k + 1), origins, directions) for k, one in enumerate(many)]
    nearest = np.min([one.range for one in single], axis=0)
    np.testing.assert_array_equal(all_.range, nearest)
    which = np.argmin([one.range for one in single], axis=0) + 1
    np.testing.assert_array_equal(all_.object, np.where(np.isfinite(nearest), which, -1))
    assert 0.2 < np.isfinite(nearest).mean() < 1.0


def test_the_ground_is_object_0_and_the_nearer_of_both_counts() -> None:
    caster = RayCaster(GROUND, ObjectSet([WorldObject("wall", Box((1, 4, 2)), (5.5, 0, 1), label="building")]))
    found = caster.cast([(0, 0, 1), (0, 0, 1), (0, 0, 1), (5.5, 0, 1)], [(1, 0, 0), (1, 0, -0.5), (0, 0, 1), (3, 0, 0)], 20.0)
    np.testing.assert_allclose(found.range, [5.0, math.sqrt(5.0), math.inf, 0.5])
    assert found.object.tolist() == [1, 0, -1, 1]
    np.testing.assert_allclose(found.normal[[0, 1, 3]], [(-1, 0, 0), (0, 0, 1), (-1, 0, 0)])
    assert caster.labels(found).tolist() == [LABELS["building"], LABELS["ground"], LABELS["none"], LABELS["building"]]


def test_a_hit_at_max_range_counts_and_one_beyond_does_not() -> None:
    wall = ObjectSet([WorldObject("wall", Box((2, 4, 2)), (6, 0, 1))])
    assert cast(wall, (0, 0, 1), (1, 0, 0), 5.0).object[0] == 1
    assert cast(wall, (0, 0, 1), (1, 0, 0), 5.0 - 1e-9).object[0] == -1


def test_a_moving_object_is_where_it_is_at_the_time_of_each_ray() -> None:
    way = Way(np.array([(10.0, 0.0, 1.0), (30.0, 0.0, 1.0)]), times=np.array([0.0, 10.0]))
    objects = ObjectSet([WorldObject("car", Box((4, 2, 2)), (10, 0, 1), motion=way), WorldObject("post", Cylinder(0.1, 3), (50, 0, 0))])
    time = np.array([0.0, 2.5, 10.0, 99.0, 2.5])
    found = cast(objects, (0, 0, 1), (1, 0, 0), 100.0, time=time)
    np.testing.assert_allclose(found.range, 8.0 + 2.0 * np.minimum(time, 10.0))
    aside = cast(objects, (0, 5, 1), [(0.0, -1.0, 0.0)] * 5, 100.0, time=time)
    assert (aside.object == -1).all()


def test_many_movers_give_the_nearest_of_all() -> None:
    """Objects on paths, among them one that begins again, at one time for each ray."""
    rng, shapes = np.random.default_rng(6), list(SHAPES.values())
    many = []
    for k in range(40):
        ends = rng.uniform((-15, -15, -1), (15, 15, 1), (2, 3))
        way = Way(ends, times=np.array([0.0, 4.0]), repeats=k % 3 == 0)
        many.append(WorldObject(f"o{k}", shapes[k % len(shapes)], tuple(ends[0]), motion=way))
    origins, directions = rng.uniform((-20, -20, -1), (20, 20, 1), (100, 3)), rng.normal(size=(100, 3)) * (1.0, 1.0, 0.1)
    time = rng.uniform(0.0, 9.0, 100)
    together = cast(ObjectSet(many), origins, directions, time=time)
    single = [
        cast(ObjectSet([one], first=k + 1), origins[n], directions[n], time=time[n]).range[0]
        for n in range(100)
        for k, one in enumerate(many)
    ]
    np.testing.assert_array_equal(together.range, np.reshape(single, (100, 40)).min(axis=1))
    assert 0.2 < np.isfinite(together.range).mean() < 1.0


def test_a_broken_object_is_where_it_has_moved_and_a_removed_one_is_gone() -> None:
    objects = ObjectSet(
        [
            WorldObject("cone", Cylinder(0.2, 0.7), (5, 0, 0), label="cone", motion=Breakaway(3.0)),
            WorldObject("far", Sphere(1), (9, 0, 0.5)),
        ]
    )
    session = objects.for_session()
    caster = RayCaster(GROUND, session)
    look = (0.0, 0.0, 0.5), (1.0, 0.0, 0.0), 50.0
    np.testing.assert_allclose(caster.cast(*look).range, 4.8)
    session.states[0]["broken"], session.states[0]["p_WO"] = 1, (5.0, 3.0, 0.0)
    assert caster.cast(*look).object[0] == 2
    np.testing.assert_allclose(caster.cast((0, 3, 0.5), (1, 0, 0), 50.0).range, 4.8)
    assert RayCaster(GROUND, objects).cast(*look).object[0] == 1
    session.states[0]["p_WO"], session.states[0]["R_WO"] = (5.0, 3.0, 0.2), ((0, 0, 1), (0, 1, 0), (-1, 0, 0))  # it lies along x
    fallen = caster.cast([(0, 3, 0.5), (5.35, 3, 5), (5.8, 3, 5), (0, 3, 0.3)], [(1, 0, 0), (0, 0, -1), (0, 0, -1), (1, 0, 0)], 50.0)
    assert fallen.object.tolist() == [-1, 1, 0, 1] and caster.labels(fallen).tolist()[1] == LABELS["cone"]
    np.testing.assert_allclose(fallen.range[[1, 3]], (4.6, 5.0))
    np.testing.assert_allclose(fallen.normal[[1, 3]], ((0, 0, 1), (-1, 0, 0)), atol=1e-12)
    session.remove(2)
    assert caster.cast(*look).object[0] == -1
    session.reset()
    assert caster.cast(*look).object[0] == 1 and caster.cast(*look).range[0] == pytest.approx(4.8), "it stands again"


def test_a_porous_object_stops_a_ray_only_on_request() -> None:
    objects = ObjectSet(
        [WorldObject("bush", Sphere(1), (5, 0, 1), material=Material(extinction=0.7)), WorldObject("wall", Box((1, 9, 9)), (9, 0, 1))]
    )
    assert cast(objects, (0, 0, 1), (1, 0, 0)).object[0] == 2
    assert cast(objects, (0, 0, 1), (1, 0, 0), porous=True).object[0] == 1


def test_rays_along_the_edges_of_a_mesh_do_not_pass_between_its_triangles() -> None:
    grid = np.stack(np.meshgrid(np.arange(6.0), np.arange(6.0), indexing="ij"), axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    flat = np.concatenate([np.stack(corners, axis=-2).reshape(-1, 3, 2) for corners in ((a, b, c), (a, c, d))])
    mesh = TriangleMesh(np.concatenate((flat, np.zeros((len(flat), 3, 1))), axis=2))
    objects = ObjectSet([WorldObject("sheet", mesh, (0.1, 0.2, 0.3), yaw=0.4)])
    R = objects.objects[0].rotation()
    at = np.concatenate((grid[1:-1, 1:-1].reshape(-1, 2), [(k + 0.5, k + 0.5) for k in range(5)], [(k, 2.2) for k in range(1, 5)]))
    points = np.column_stack((at, np.zeros(len(at)))) @ R.T + (0.1, 0.2, 0.3)
    rng = np.random.default_rng(1)
    for _ in range(20):
        away = rng.normal(size=3) + (0, 0, 2.0)
        assert (cast(objects, points + away, np.tile(-away, (len(points), 1))).object == 1).all()


@pytest.mark.skipif(not COMPILES, reason="too slow without a compiler")
def test_a_deep_mesh_is_as_exact_as_its_triangles() -> None:
    """A sphere of 20 000 triangles, against every triangle."""
    rng = np.random.default_rng(2)
    u, v = np.meshgrid(np.linspace(0, math.pi, 101), np.linspace(0, math.tau, 101))
    p = np.stack((np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)), axis=-1)
    triangles = np.concatenate(
        [np.stack(c, axis=2).reshape(-1, 3, 3) for c in ((p[:-1, :-1], p[1:, :-1], p[1:, 1:]), (p[:-1, :-1], p[1:, 1:], p[:-1, 1:]))]
    )
    objects = ObjectSet([WorldObject("ball", TriangleMesh(triangles), (0, 0, 0))])
    origins, directions = rng.uniform(-2, 2, (200, 3)), rng.normal(size=(200, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    found = cast(objects, origins, directions)
    a, ab, ac = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    normal = np.cross(ab, ac)
    for o, d, hit in zip(origins, directions, found.range, strict=True):
        with np.errstate(all="ignore"):
            t = ((a - o) * normal).sum(axis=1) / (normal @ d)
            r = o + t[:, None] * d - a
            g = np.stack([(x * y).sum(axis=1) for x, y in ((ab, ab), (ab, ac), (ac, ac), (r, ab), (r, ac))])
            det = g[0] * g[2] - g[1] ** 2
            s, q = (g[2] * g[3] - g[1] * g[4]) / det, (g[0] * g[4] - g[1] * g[3]) / det
            on = (t > 0) & (s >= -1e-9) & (q >= -1e-9) & (s + q <= 1 + 1e-9)
        np.testing.assert_allclose(hit, t[on].min(initial=math.inf), rtol=1e-9)


def test_a_caster_is_the_same_after_pickling_and_with_other_objects() -> None:
    caster = RayCaster(GROUND, ObjectSet([WorldObject("wall", Box((1, 4, 2)), (5.5, 0, 1))]))
    look = (0.0, 0.0, 1.0), (1.0, 0.0, -0.1), 30.0
    first, again = caster.cast(*look), pickle.loads(pickle.dumps(caster)).cast(*look)
    np.testing.assert_array_equal(first.range, again.range)
    assert caster.with_objects(ObjectSet()).cast(*look).object[0] == 0


def test_many_times_give_what_each_time_gives_alone() -> None:
    """Objects on paths, one that begins again, and rays whose times are mixed, with steps from microseconds to seconds."""
    rng = np.random.default_rng(8)
    ways = [
        Way(rng.uniform((-20, -20, 0), (20, 20, 2), (4, 3)), times=np.array([0.0, 0.7, 1.1, 2.0]), repeats=k % 2 == 0) for k in range(6)
    ]
    objects = ObjectSet([WorldObject(f"o{k}", Box((4, 2, 2)), way.points[0], motion=way) for k, way in enumerate(ways)])
    time = np.concatenate((np.linspace(1.9, 2.1, 400), rng.uniform(0, 9, 100), 4.0 + np.cumsum(rng.uniform(0, 1e-4, 500))))
    origins, directions = rng.uniform((-25, -25, 0), (25, 25, 2), (1000, 3)), rng.normal(size=(1000, 3)) * (1.0, 1.0, 0.05)
    found = cast(objects, origins, directions, 60.0, time=time)
    alone = np.array([cast(objects, o, d, 60.0, time=t).range[0] for o, d, t in zip(origins, directions, time, strict=True)])
    np.testing.assert_array_equal(found.range, alone)
    assert 0.1 < np.isfinite(found.range).mean() < 0.9
