"""Does the window draw the objects that are visible, where they are now, and no more than it can?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from simulator.view.make_object_data import make_object_data
from simulator.view.object_changes import ObjectChanges
from simulator.view.object_culling import LAG, ROUND, SMALLEST_ANGLE, ObjectItems, path_poses
from simulator.view.shot import Shot, clip_of_world, look_at
from simulator.view.sun_view import sun_view
from simulator.view.textures import SUN
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path, path_pose
from terrain.objects.pose import POSE, place_object
from terrain.objects.world_object import Box, Breakaway, Cylinder, Sphere, TriangleMesh, WorldObject

TRIANGLES = np.array([[12, 16, 10, 20], [12, 28, 48, 64], [12, 44, 120, 144], [12, 76, 360, 400]])
EYE = np.array((0.0, 0.0, 2.0))


def items_of(*objects: WorldObject, budget: int = 10**6) -> ObjectItems:
    return ObjectItems(make_object_data(ObjectSet(objects)), budget, TRIANGLES)


def view_along_x(angle: float = 46.0) -> np.ndarray:
    return clip_of_world(Shot(EYE, look_at(EYE, EYE + (1.0, 0.0, 0.0)), math.radians(angle), 0.3), 16 / 9, 6000.0)


def names(items: ObjectItems, rows: np.ndarray, objects) -> set[str]:
    return {objects[row].name for row in items.owner[rows]}


def cube(name: str, x: float, y: float, z: float = 2.0, edge: float = 2.0, **more) -> WorldObject:
    return WorldObject(name, Box((edge, edge, edge)), (x, y, z), **more)


def test_what_is_behind_beside_tiny_or_removed_is_not_drawn():
    objects = [
        cube("ahead", 20, 0), cube("behind", -20, 0), cube("beside", 10, 40), cube("above", 20, 0, 60), cube("edge", 20, 16),
        cube("tiny", 3000, 0), cube("tower", 3000, 0, edge=40.0), cube("beyond", 3700, 0, edge=60.0), cube("gone", 22, 3),
        cube("around", 0, 0, edge=6.0),
    ]  # fmt: skip
    items = items_of(*objects)
    row = np.array([8])
    items.apply(
        ObjectChanges(
            row, np.array([False]), np.array([False]), np.zeros(1), np.zeros((1, 3)), np.eye(3)[None], np.zeros((1, 3)), np.zeros((1, 3))
        )
    )
    assert names(items, items.visible(view_along_x(), EYE).items, objects) == {"ahead", "edge", "tower", "around"}
    assert math.sqrt(3.0) / 3000.0 < SMALLEST_ANGLE < math.sqrt(3.0) * 20.0 / 3000.0


def test_nothing_visible_is_left_out():
    """Against the corners of boxes: an object with a corner inside the view must be drawn."""
    rng = np.random.default_rng(5)
    objects = [
        WorldObject(f"{k}", Box(rng.uniform(0.5, 5.0, 3)), (*rng.uniform(-150, 150, 2), rng.uniform(-5, 20)), *rng.uniform(-3, 3, 3))
        for k in range(2000)
    ]  # fmt: skip
    items, clip = items_of(*objects), view_along_x()
    drawn = names(items, items.visible(clip, EYE).items, objects)
    signs = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T
    inside = set()
    for one in objects:
        corners = np.hstack((0.5 * signs * one.shape.size @ one.rotation().T + one.position, np.ones((8, 1)))) @ clip.T
        if (np.abs(corners[:, :3]) < corners[:, 3:]).all(axis=1).any():
            inside.add(one.name)
    assert len(inside) > 100 and inside <= drawn
    assert len(drawn) < 1.5 * len(inside), "and little else"


def test_near_objects_are_first_and_the_budget_ends_with_the_far_ones():
    objects = [cube(f"{k}", 10.0 + 5.0 * k, 0.0) for k in (5, 1, 4, 0, 3, 2)]
    items = items_of(*objects, budget=12 * 3 + 11)
    shown = [objects[row].name for row in items.owner[items.visible(view_along_x(), EYE).items]]
    assert shown == ["0", "1", "2"]


def test_round_shapes_lose_detail_with_distance_by_their_radius():
    """A post is thin: its height alone needs no more sides."""
    at = [0.7 * 0.3 / ROUND[2], 1.4 * 0.3 / ROUND[2], 1.4 * 0.3 / ROUND[1], 1.4 * 0.3 / ROUND[0]]
    posts = items_of(*(WorldObject(f"{k}", Cylinder(0.3, 20.0), (x, 0.0, -8.0)) for k, x in enumerate(at)))
    assert posts.visible(view_along_x(), EYE).detail.tolist() == [3, 2, 1, 0]


def test_parts_of_a_mesh_are_drawn_one_by_one(monkeypatch):
    monkeypatch.setattr("simulator.view.make_object_data.PART", 64)
    x = np.repeat(np.linspace(-500.0, 500.0, 1000), 3).reshape(-1, 3, 1)
    corners = np.concatenate((x + (np.array([0.0, 1, 0])[:, None]), np.tile(np.array([[0.0, 0], [0, 0], [1, 2]]), (1000, 1, 1))), axis=2)
    wall = TriangleMesh(corners + (0.0, 3.0, 0.0))
    for objects in ([WorldObject("a", wall, (0, 0, 0))], [WorldObject("a", wall, (0, 0, 0)), WorldObject("b", wall, (0, -6, 0))]):
        items = items_of(*objects)
        assert len(items.owner) == 16 * len(objects), "baked, or shared by both"
        shown = items.visible(view_along_x(), EYE).items
        assert 7 * len(objects) <= len(shown) <= 9 * len(objects), "the half ahead"


def test_moving_objects_are_where_the_kernels_place_them():
    rng = np.random.default_rng(8)
    paths = [
        Path(rng.uniform(-50, 50, (5, 3)), speeds=rng.uniform(1, 9, 5), smooth=smooth, turns=turns, repeats=repeats)
        for smooth in (False, True) for turns in (False, True) for repeats in (False, True)
    ]  # fmt: skip
    paths.append(Path(rng.uniform(-9, 9, (2, 3)), times=np.array([2.0, 7.0])))
    motions = [WorldObject(f"{k}", Box((1, 2, 3)), (0, 0, 0), yaw=0.3 * k, pitch=0.1, motion=path) for k, path in enumerate(paths)]
    objects = ObjectSet(motions)
    items = ObjectItems(make_object_data(objects), 10**6, TRIANGLES)
    from simulator.base.records import record

    pose = record(POSE)
    for t in (0.0, 1.0, 3.7, 11.0, 26.3, 1000.0):
        items.place(t)
        for row in range(len(motions)):
            place_object(objects.world, objects.records[row], t, pose)
            matrix = items.instances[row, :12].reshape(3, 4)
            assert matrix[:, 3] == pytest.approx(pose[0]["p_WO"], abs=1e-4)
            assert matrix[:, :3] == pytest.approx(pose[0]["R_WO"], abs=1e-6)
            assert items._center[row] == pytest.approx(pose[0]["p_WO"], abs=1e-9), "and they are culled there"
    out = np.zeros(8)
    path_pose(objects.segments, 0, 4, 0, 3.3, out)
    p, turn = path_poses(objects.segments, np.array([[0, 4, 0]]), 3.3)
    assert p[0] == pytest.approx(out[:3]) and turn[0] == pytest.approx(out[3] - objects.segments[0]["yaw"][0])


def test_broken_objects_follow_the_host_between_two_poses_and_then_rest():
    objects = [cube("post", 20, 0, motion=Breakaway(8.0)), cube("other", 30, 0)]
    items = items_of(*objects)
    items.place(0.0)

    def tell(p, v, time, tilt=0.0, w=(0.0, 0.0, 0.0)):
        row, yes = np.array([0, 77]), np.array([True, True])
        R = Rotation.from_euler("y", tilt).as_matrix()
        items.apply(ObjectChanges(row, yes, yes, np.full(2, time), *(np.array([one, one]) for one in (p, R, v, w))))

    tell((21.0, 0.0, 2.0), (4.0, 0.0, -1.0), 1.00)
    for t, x in ((0.99, 20.96), (1.0, 21.0), (1.05, 21.2), (9.0, 21.0 + 4.0 * LAG)):
        items.place(t)
        assert items.instances[0, 3] == pytest.approx(x) and items._center[0, 0] == pytest.approx(x)
    assert items.any_moves(np.array([0])) and not items.any_moves(np.array([1]))
    edits = items.edits
    tell((25.0, 0.0, 1.0), (0.0, 0.0, 0.0), 9.1)
    items.place(20.0)
    assert items.instances[0, [3, 7, 11]] == pytest.approx((25.0, 0.0, 1.0)) and not items.any_moves(np.array([0]))
    assert items.edits > edits, "the shadow is drawn again"
    tell((25.0, 0.0, 1.0), (0.0, 0.0, 0.0), 21.0, 0.4, (0.0, 3.0, 0.0))
    for t, tilt in ((20.98, 0.34), (21.0, 0.4), (21.05, 0.55), (30.0, 0.4 + 3.0 * LAG)):
        items.place(t)
        matrix = items.instances[0, :12].reshape(3, 4)[:, :3]
        assert matrix == pytest.approx(Rotation.from_euler("y", tilt).as_matrix(), abs=1e-6)
    assert items.any_moves(np.array([0])), "it turns"


def test_what_shades_the_map_casts_a_shadow_even_from_beyond_the_near_plane():
    objects = [
        cube("inside", 10, 0), cube("aside", 200, 0), WorldObject("high", Sphere(3.0), tuple(500.0 * SUN + (5.0, 0.0, 0.0))),
        WorldObject("under", Sphere(3.0), tuple(-500.0 * SUN + (5.0, 0.0, 0.0))),
    ]  # fmt: skip
    items = items_of(*objects)
    assert names(items, items.casters(sun_view(SUN, np.zeros(3), 40.0, 120.0)), objects) == {"inside", "high"}


def test_the_area_of_a_shadow_contains_it():
    post = items_of(WorldObject("a", Cylinder(0.2, 5.0), (3.0, 4.0, 1.0)))
    x0, y0, x1, y1 = post.shadow_areas(np.array([0]), SUN)[0]
    tip = np.array((3.0, 4.0)) - SUN[:2] / SUN[2] * 5.0
    assert x0 <= 2.8 and y1 >= 4.2 and x1 > tip[0] + 0.2 and y0 < tip[1] - 0.2
    assert (x1 - x0) * (y1 - y0) < 3.0 * np.prod(np.abs(tip - (3.0, 4.0)) + 0.4)
