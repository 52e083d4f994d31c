"""Objects in the image: are they where they stand, in their color, with their shadow, and do they move?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.errors import DeviceError
from simulator.view.make_object_data import make_object_data
from simulator.view.object_changes import ObjectChanges
from simulator.view.offscreen import Offscreen
from simulator.view.shot import clip_of_world
from simulator.view.textures import SUN
from terrain.objects.labels import COLORS
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path
from terrain.objects.world_object import Box, Breakaway, Capsule, ConvexHull, Cylinder, Material, Sphere, TriangleMesh, WorldObject
from tests.view.scenes import geometry, hilly_terrain, readout

W, H = 640, 360
PYRAMID = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 2.0)], float)
ROOF = PYRAMID[[(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]]
"""Triangles of an open mesh."""
RED = Material(color=(1.0, 0.0, 0.0))


def placed(name: str, shape, x: float, y: float, up: float = 0.0, **more) -> WorldObject:
    return WorldObject(name, shape, (x, y, hilly_terrain().height(x, y) + up), **more)


def scene() -> ObjectSet:
    """All shapes ahead of the vehicle, each in the color of its label; the last three change."""
    path = Path(np.array([(14.0, 0.0, 0.8), (14.0, -6.0, 0.8)]), times=np.array([0.0, 4.0]), turns=False)
    return ObjectSet([
        placed("box", Box((1.5, 1.5, 1.5)), 12, 3.4, 0.75, label="vehicle"), placed("cylinder", Cylinder(0.5, 3.0), 12, -3.0, label="fence"),
        placed("sphere", Sphere(0.9), 20, 7.5, 0.9, label="vegetation"), placed("capsule", Capsule(0.5, 1.5), 20, -6, 1.25, label="person"),
        placed("hull", ConvexHull(PYRAMID), 26, 12, label="barrier"), placed("mesh", TriangleMesh(ROOF), 26, -10, label="sign"),
        placed("mover", Box((1, 1, 1)), 14, 0, 0.8, material=RED, motion=path),
        placed("loose", Cylinder(0.3, 1.0), 10, 1.8, label="cone", motion=Breakaway(3.0)), placed("gone", Sphere(0.5), 30, 0, 0.5, material=RED),
    ])  # fmt: skip


@pytest.fixture(scope="module")
def view():
    terrain = hilly_terrain()
    terrain.objects = make_object_data(scene())
    try:
        offscreen = Offscreen(W, H, terrain, geometry(), samples=1)
    except DeviceError as error:
        pytest.skip(str(error))
    offscreen.scene.hud.visible = offscreen.scene.instruments = False
    yield offscreen
    offscreen.close()


@pytest.fixture(autouse=True)
def all_in_place(view):
    view.scene.show_objects(make_object_data(scene()))
    view.camera = "chase"


def picture(view, time: float = 0.0):
    state = readout()
    state[0]["time"] = time
    return view.render(state).astype(int)


def pixel(view, p_W) -> tuple[int, int]:
    """Row and column of a point of the world in the last image."""
    state = view._state
    shot = view.scene.camera.shot(state[0]["p_WB"], np.eye(3), state, 0.0)
    clip = clip_of_world(shot, W / H, 6000.0) @ np.array([*p_W, 1.0])
    x, y = clip[:2] / clip[3]
    return int((0.5 - 0.5 * y) * H), int((0.5 + 0.5 * x) * W)


def patch(view, image, p_W) -> np.ndarray:
    row, column = pixel(view, p_W)
    return image[row - 1 : row + 2, column - 1 : column + 2].reshape(-1, 3).mean(axis=0)


def hue(color) -> np.ndarray:
    color = np.asarray(color, float) ** 2
    return color / np.linalg.norm(color)


@pytest.mark.parametrize("row", range(6))
def test_every_shape_is_where_it_stands_in_the_color_of_its_label(view, row):
    one = scene().objects[row]
    with_it = picture(view)
    center, _ = one.shape.bounds()
    point = np.asarray(one.position) + one.rotation() @ center
    color = patch(view, with_it, point)
    assert hue(color / 255.0) @ hue(COLORS[one.label]) > 0.97, "the light is white enough"
    objects = scene()
    objects.remove(row + 1)
    view.scene.show_objects(make_object_data(objects))
    without = picture(view)
    assert np.abs(patch(view, without, point) - color).max() > 25
    changed = np.argwhere(np.abs(without - with_it).max(axis=2) > 25)
    assert 20 < len(changed) < 0.06 * W * H, "itself and its shadow"


def test_shadows_fall_away_from_the_sun(view):
    post = scene().objects[1]
    with_it = picture(view)
    view.scene.show_objects(make_object_data(ObjectSet([placed("far", Sphere(1.0), -150, 100)])))
    without = picture(view)
    tip = np.asarray(post.position)[:2] - SUN[:2] / SUN[2] * 1.5
    shaded, sunny = ((*(tip if side > 0 else 2.0 * np.asarray(post.position)[:2] - tip), 0.0) for side in (1, -1))
    point = (*shaded[:2], hilly_terrain().height(*shaded[:2]))
    assert patch(view, with_it, point).mean() < patch(view, without, point).mean() - 20
    point = (*sunny[:2], hilly_terrain().height(*sunny[:2]))
    assert np.abs(patch(view, with_it, point) - patch(view, without, point)).max() < 12


def test_an_object_shades_another_and_the_vehicle(view):
    """A plate above: what is below it is darker, and itself hides nothing from this camera."""
    wall = placed("wall", Box((0.5, 2.0, 2.0)), 12, -3, 1.0, material=Material(color=(1.0, 1.0, 1.0)))
    bright, dark = [], []
    over = np.array((12.0, -3.0, 1.0)) + SUN * 12.0
    over_car = np.array((0.0, 0.0, 1.0)) + SUN * 12.0
    for found, plates in ((bright, []), (dark, [over, over_car])):
        lids = [WorldObject(f"lid{k}", Box((5.0, 5.0, 0.1)), tuple(p)) for k, p in enumerate(plates)]
        view.scene.show_objects(make_object_data(ObjectSet([wall, *lids])))
        image = picture(view)
        found += [patch(view, image, (12.0, -3.0, 2.0)).mean(), patch(view, image, (-0.3, 0.0, 0.59 + 1.36)).mean()]
    assert dark[0] < bright[0] - 25 and dark[1] < bright[1] - 25


def test_objects_hide_what_is_behind_and_are_hidden(view):
    near, far = placed("near", Box((1, 6, 6)), 15, 0, 3.0), placed("far", Box((1, 4, 4)), 25, 0, 2.0, material=RED)
    view.scene.show_objects(make_object_data(ObjectSet([far, near])))
    red = patch(view, picture(view), (24.5, 0.0, 2.5))
    assert red[0] < 1.3 * red[2], "only the gray box"
    view.scene.show_objects(make_object_data(ObjectSet([far])))
    red = patch(view, picture(view), (24.5, 0.0, 2.5))
    assert red[0] > 3.0 * red[2]


def test_a_moving_box_is_in_two_places_at_two_times(view):
    then, later = picture(view, 0.0), picture(view, 4.0)
    for image, here, there in ((then, 0.0, -6.0), (later, -6.0, 0.0)):
        red, ground = (patch(view, image, (13.5, y, 0.9)) for y in (here, there))
        assert red[0] > 3.0 * red[2] and ground[0] < 2.0 * ground[2]
    shadow = (14.0 - SUN[0] / SUN[2] * 0.8, -6.0 - SUN[1] / SUN[2] * 0.8)
    point = (*shadow, hilly_terrain().height(*shadow))
    assert patch(view, later, point).mean() < patch(view, then, point).mean() - 15, "its shadow goes with it"


def test_broken_and_removed_objects_move_and_disappear(view):
    cone = np.array(scene().objects[7].position) + (0.0, 0.0, 0.5)
    before = picture(view)
    still = ObjectChanges(
        np.array([7, 8]), np.array([True, False]), np.array([True, False]), np.zeros(2),
        np.array([cone + (0.0, 4.5, -0.5), np.zeros(3)]), np.array([np.eye(3)] * 2), np.zeros((2, 3)), np.zeros((2, 3)),
    )  # fmt: skip
    view.scene.move_objects(still)
    after = picture(view)
    orange, left = patch(view, before, cone), patch(view, after, cone)
    assert orange[0] > 2.0 * orange[2] and left[0] < 1.6 * left[2]
    there = patch(view, after, cone + (0.0, 4.5, 0.0))
    assert there[0] > 2.0 * there[2]
    red, road = (patch(view, image, (29.5, 0.0, 0.6)) for image in (before, after))
    assert red[0] > 3.0 * red[2] and road[0] < 1.3 * road[2]


def test_a_fallen_object_lies_and_its_shadow_too(view):
    x, y, z = scene().objects[1].position
    across = np.array(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)))  # the axis of the cylinder points to the left
    before = picture(view)
    none = np.zeros((1, 3))
    fallen = ObjectChanges(
        np.array([1]), np.array([True]), np.array([True]), np.zeros(1), np.array([(x, y, z + 0.5)]), across[None], none, none
    )  # fmt: skip
    view.scene.move_objects(fallen)
    after = picture(view)
    for point, change in (((x, y, z + 2.6), 25.0), ((x - 0.4, y + 2.0, z + 0.6), 20.0)):
        assert np.abs(patch(view, after, point) - patch(view, before, point)).max() > change, "it is not where it stood, but beside it"
    brown = patch(view, after, (x - 0.4, y + 2.0, z + 0.6))
    assert brown[0] > 1.3 * brown[2]
    shadow = np.array((x, y)) - SUN[:2] / SUN[2] * 2.0
    point = (*shadow, hilly_terrain().height(*shadow))
    assert patch(view, after, point).mean() > patch(view, before, point).mean() + 20.0, "its long shadow is gone"


def test_many_objects_take_few_draw_calls_and_keep_to_the_budget(view, monkeypatch):
    from simulator.view.detail import LOW

    rng = np.random.default_rng(1)
    shapes = (Box((1, 1, 2)), Cylinder(0.2, 5.0), Sphere(1.0), Capsule(0.3, 1.0), TriangleMesh(ROOF))
    crowd = [placed(f"{k}", shapes[k % 5], *rng.uniform(-190, 190, 2), 1.0) for k in range(9900)]
    rocks = [placed(f"r{k}", ConvexHull(rng.normal(size=(12, 3)) * 0.5), *rng.uniform(-190, 190, 2)) for k in range(100)]
    objects, calls = view.scene.objects, []
    monkeypatch.setattr(objects, "_budget", LOW.object_triangles)  # a graphics card draws them all
    view.scene.show_objects(make_object_data(ObjectSet([*crowd, *rocks])))
    picture(view)
    for name in ("_draw_instances", "_draw_items"):
        kept = getattr(objects, name)
        monkeypatch.setattr(objects, name, lambda *a, kept=kept, name=name: (calls.append(name), kept(*a))[1])
    picture(view)
    assert calls.count("_draw_instances") + calls.count("_draw_items") < 80, "no call for each object"
    assert 0.5 * LOW.object_triangles < objects.triangles <= LOW.object_triangles


def test_the_shadow_map_is_drawn_only_when_it_changes(view, monkeypatch):
    still = ObjectSet(scene().objects[:6])
    view.scene.show_objects(make_object_data(still))
    picture(view)
    drawn = []
    kept = view.scene.objects._draw_depths
    monkeypatch.setattr(view.scene.objects, "_draw_depths", lambda *a: (drawn.append(1), kept(*a))[1])
    picture(view, 0.02)
    assert drawn == []
    far = readout(x=30.0)
    far[0]["time"] = 0.04
    view.render(far)
    assert drawn == [1], "another place"
    gone = ObjectChanges(
        np.array([1]),
        np.array([False]),
        np.array([False]),
        np.zeros(1),
        np.zeros((1, 3)),
        np.eye(3)[None],
        np.zeros((1, 3)),
        np.zeros((1, 3)),
    )
    view.scene.move_objects(gone)
    view.render(far)
    assert drawn == [1, 1]
