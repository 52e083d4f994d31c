"""What do objects look like: do dressings choose what they can draw, keep to its place and size, and follow its motion?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.errors import DeviceError
from simulator.view.dressings import houses, parked_cars, people, signs, street_things
from simulator.view.dressings.pieces import Dressed, Stack, chance
from simulator.view.light import Light
from simulator.view.make_object_data import make_object_data
from simulator.view.object_changes import ObjectChanges
from simulator.view.object_culling import ObjectItems
from simulator.view.offscreen import Offscreen
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path
from terrain.objects.world_object import Box, Capsule, Cylinder, Material, Sphere, WorldObject
from tests.view.scenes import geometry, hilly_terrain, readout

W, H = 480, 270
LOOKS = houses.looks() | parked_cars.looks() | street_things.looks() | signs.looks() | people.looks()
WARDROBES = (
    houses.houses, parked_cars.parked_cars, street_things.posts, street_things.cones_and_barrels, street_things.rocks,
    street_things.fences_and_barriers, signs.signs, people.people,
)  # fmt: skip
USUAL = {
    "house": ("building", Box((9.0, 11.0, 6.0)), 0.41), "tower": ("building", Box((12.0, 12.0, 18.0)), 0.41), "car": ("vehicle", Box((4.4, 1.8, 1.5)), 0.02),
    "van": ("vehicle", Box((4.9, 1.9, 2.0)), 0.02), "truck": ("vehicle", Box((9.0, 2.5, 3.6)), 0.02), "lamp": ("post", Cylinder(0.09, 7.0), 2.2),
    "bollard": ("post", Cylinder(0.06, 1.0), 0.02), "cone": ("cone", Cylinder(0.18, 0.7), 0.02), "barrel": ("barrier", Cylinder(0.29, 0.9), 0.02),
    "stone": ("rock", Sphere(0.7), 0.05), "block": ("rock", Box((1.0, 0.8, 0.6)), 0.1), "pickets": ("fence", Box((8.0, 0.08, 1.2)), 0.02),
    "planks": ("fence", Box((0.1, 6.0, 1.9)), 0.02), "rail": ("barrier", Box((6.0, 0.15, 0.75)), 0.02), "jersey": ("barrier", Box((4.0, 0.6, 0.9)), 0.02),
    "curb": ("curb", Box((2.0, 0.2, 0.15)), 0.02), "plate": ("sign", Box((0.05, 0.7, 0.7)), 0.1), "sign": ("sign", Box((0.05, 0.7, 2.6)), 0.1),
    "person": ("person", Box((0.3, 0.5, 1.8)), 0.15), "walker": ("person", Capsule(0.25, 1.3), 0.15), "deer": ("animal", Box((1.5, 0.4, 1.3)), 0.1),
}  # fmt: skip
"""Objects by name: label, shape, and how far [m] what is drawn may be outside of the box of the shape"""
ODD = {
    "grandstand": ("building", Box((36.0, 2.0, 1.2))), "cube": ("vehicle", Box((1.5, 1.5, 1.5))), "tank": ("fence", Cylinder(0.5, 3.0)),
    "wall": ("barrier", Box((0.4, 80.0, 3.0))), "giant": ("person", Capsule(0.5, 2.5)), "thing": ("other", Box((4.4, 1.8, 1.5))),
    "tree": ("vegetation", Cylinder(0.2, 6.0)), "slab": ("sign", Box((2.0, 2.0, 0.3))),
}  # fmt: skip
"""Objects that no dressing can draw as what they are"""


def dressed(objects: list[WorldObject]) -> tuple[np.ndarray, list]:
    data = make_object_data(ObjectSet(objects))
    free, pieces = np.ones(len(data), bool), []
    for wardrobe in WARDROBES:
        found: Dressed = wardrobe(data, free)
        assert not (found.rows & ~free).any()
        free &= ~found.rows
        pieces += found.pieces
    return ~free, pieces


def one(name: str, shape, label: str, x: float = 0.0, y: float = 0.0, z: float = 0.0, **more) -> WorldObject:
    low = shape.bounds()[0][2] - shape.bounds()[1][2]
    return WorldObject(name, shape, (x, y, z - low), label=label, **more)


@pytest.mark.parametrize("name", USUAL)
def test_what_is_drawn_keeps_to_the_box_of_its_object(name):
    """On all sides but below the ground; a roof may be above its walls, a lamp has an arm and a head."""
    label, shape, outside = USUAL[name]
    rows, pieces = dressed([one(name, shape, label)])
    assert rows.all()
    stack = Stack.of(pieces)
    corners = []
    for k, numbers in zip(stack.look, stack.numbers, strict=True):
        mesh = LOOKS[stack.names[k]].levels[-1]
        roof = LOOKS[stack.names[k]].program in (houses.ROOF, houses.WALL, houses.FRONT, houses.PANES)
        p = mesh[:, :3] * numbers[3:6] + (mesh[:, 6:9] if roof else 0.0)
        c, s = np.cos(numbers[11]), np.sin(numbers[11])
        corners.append(p @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) + numbers[:3])
    middle, half = shape.bounds()
    low, high = np.vstack(corners).min(axis=0) - (middle - half), np.vstack(corners).max(axis=0) - (middle + half)
    assert (low[:2] > -outside).all() and (high[:2] < outside).all()
    assert low[2] > -0.61 and high[2] < (6.5 if label == "building" else 0.6)
    assert high[2] > (-0.15 if label == "sign" else -0.05) and low[2] < 0.1, "as high as the shape, on the ground"


def test_other_shapes_are_drawn_as_they_are():
    rows, pieces = dressed([one(name, shape, label) for name, (label, shape) in ODD.items()])
    assert not rows.any() and not any(len(piece.owner) for piece in pieces)


def test_objects_that_lie_or_lean_are_no_houses():
    rows, _ = dressed([one("fallen", Box((9.0, 11.0, 6.0)), "building", pitch=0.5)])
    assert not rows.any()


def test_meshes_are_closed_to_the_outside_and_finite():
    """A face points away from the middle of its body on average, or a renderer that leaves out back faces shows its inside."""
    for name, look in LOOKS.items():
        assert len(look.levels) == len(look.limits) + 1 and list(look.limits) == sorted(look.limits), name
        for mesh in look.levels:
            assert np.isfinite(mesh).all() and len(mesh) % 3 == 0
            p = (mesh[:, :3] + (0.0 if look.program not in (houses.ROOF, houses.WALL, houses.FRONT) else mesh[:, 6:9])).reshape(-1, 3, 3)
            flat = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
            normal = mesh[:, 3:6].reshape(-1, 3, 3).mean(axis=1)
            facing = (flat * normal).sum(axis=1)
            assert (facing >= -1e-9).mean() > 0.9, name  # coarse bodies have folds


def test_the_look_of_an_object_depends_on_its_row_only():
    rows = np.arange(500)
    assert (chance(rows, 3) == chance(rows, 3)).all() and (chance(rows[100:], 3) == chance(rows, 3)[100:]).all()
    assert 0.45 < chance(rows, 3).mean() < 0.55 and abs(np.corrcoef(chance(rows, 3), chance(rows, 4))[0, 1]) < 0.1


def test_two_shades_of_red_choose_the_sign():
    shades = {(0.7, 0.0, 0.0): "sign_stop", (0.8, 0.0, 0.0): "sign_give_way"}
    plates = [
        one(f"{face}_{k}", Box((0.03, 0.7, 0.7)), "sign", material=Material(color=color))
        for color, face in shades.items()
        for k in range(8)
    ]
    drawn = {piece.look: len(piece.owner) for piece in dressed(plates)[1] if len(piece.owner)}
    assert drawn == dict.fromkeys(shades.values(), 8)


def test_legs_swing_with_the_distance_along_the_path():
    ends = np.array([[(0.0, 0.0), (3.0, 0.0)], [(3.0, 0.0), (3.0, 4.0)]])
    ends = np.concatenate((ends, np.zeros((2, 2, 1))), axis=2)
    for place, distance, gap in (((1.0, 0.0), 1.0, 0.0), ((3.0, 2.0), 5.0, 0.0), ((3.5, 1.0), 4.0, 0.5), ((9.0, 4.0), 7.0, 6.0)):
        assert people.along_path(ends, np.array([*place, 0.9])) == pytest.approx((distance, gap, 7.0))


def test_who_leaves_the_path_walks_along_the_heading_and_who_lies_does_not_walk():
    path = Path(np.array([(0.0, 0.0, 0.9), (0.01, 0.0, 0.9)]), times=np.array([0.0, 1.0]), turns=False)
    walker = [WorldObject("walker", Box((0.3, 0.5, 1.8)), (0.0, 0.0, 0.9), label="person", motion=path)]
    data = make_object_data(ObjectSet([*walker, one("stands", Box((0.3, 0.5, 1.8)), "person", 3.0)]))
    items = ObjectItems(data, 10_000, np.ones((4, 4), np.int64))
    lies = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    phases = []
    for x, R in ((0.3, np.eye(3)), (0.3 + people.STEP, np.eye(3)), (2.0, lies)):
        items.apply(
            ObjectChanges(
                np.array([0]), np.array([True]), np.array([True]), np.zeros(1), np.array([(x, 0.0, 0.9)]), R[None], *np.zeros((2, 1, 3))
            )
        )
        phases.append(people.walk_phases(items, np.array([0, 1])))
    assert phases[1][0] - phases[0][0] == pytest.approx(np.pi, rel=1e-5) and phases[2][0] == people.LIMP
    assert not np.any([one[1] for one in phases])


@pytest.fixture(scope="module")
def view():
    terrain = hilly_terrain()
    terrain.objects = make_object_data(ObjectSet([one("far", Sphere(1.0), "other", -150.0, 100.0)]))
    try:
        offscreen = Offscreen(W, H, terrain, geometry(), samples=1)
    except DeviceError as error:
        pytest.skip(str(error))
    offscreen.scene.instruments = False
    yield offscreen
    offscreen.close()


def picture(view, objects: list[WorldObject], time: float = 0.0, changes: ObjectChanges | None = None) -> np.ndarray:
    view.scene.show_objects(make_object_data(ObjectSet(objects)))
    if changes is not None:
        view.scene.move_objects(changes)
    state = readout()
    state[0]["time"] = time
    view.camera = "chase"
    return view.render(state).astype(int)


def ground(x: float, y: float) -> float:
    return float(hilly_terrain().height(x, y))


@pytest.mark.parametrize("name", USUAL)
def test_every_look_is_visible_and_casts_a_shadow(view, name):
    """The image differs from that without the object, and not more than the object and its shadow."""
    label, shape, _ = USUAL[name]
    x = 32.0 if label == "building" else 14.0
    with_it = picture(view, [one(name, shape, label, x, 1.0, ground(x, 1.0))])
    without = picture(view, [one("far", Sphere(1.0), "other", -150.0, 100.0)])
    changed = (np.abs(with_it - without).max(axis=2) > 15).sum()
    assert 10 < changed < 0.4 * W * H


def test_a_house_has_windows_which_are_lit_at_night(view):
    house = [one("house", Box((12.0, 16.0, 9.0)), "building", 30.0, 0.0, ground(30.0, 0.0), material=Material(color=(0.8, 0.78, 0.72)))]
    day = picture(view, house)
    light = view.scene.light
    view.scene._lit = Light(night=1.0, sunlight=(0.0, 0.0, 0.0), skylight=(0.02, 0.02, 0.03), groundlight=(0.01, 0.01, 0.01), zenith=(0.0, 0.0, 0.0),
                            horizon=(0.01, 0.01, 0.02), glow=(0.0, 0.0, 0.0)).block()  # fmt: skip
    night = picture(view, house)
    view.scene._lit = light.block()
    wall = day[5:80, 170:310].mean(axis=2)
    assert 0.02 < (wall < 0.6 * np.median(wall)).mean() < 0.3, "panes are darker than the wall"
    warm = (night[..., 0] > 150) & (night[..., 0] > 1.2 * night[..., 2])
    assert 20 < warm.sum() < 0.1 * W * H


def test_a_person_walks_and_falls(view):
    path = Path(
        np.array([(12.0, -4.0, ground(12.0, -4.0) + 0.9), (12.0, 4.0, ground(12.0, 4.0) + 0.9)]), times=np.array([0.0, 6.0]), turns=True
    )
    person = [WorldObject("person", Box((0.3, 0.5, 1.8)), (12.0, -4.0, 0.9), label="person", motion=path)]
    before, step = picture(view, person, 3.0), picture(view, person, 3.25)
    assert np.abs(before - step).max() > 40
    assert (picture(view, person, 3.0) == before).all(), "the same time gives the same image"
    lies = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    at = np.array([(12.0, 2.0, ground(12.0, 2.0) + 0.25)])
    fallen = ObjectChanges(
        np.array([0]), np.array([True]), np.array([True]), np.array([3.0]), at, lies[None], np.zeros((1, 3)), np.zeros((1, 3))
    )
    after = picture(view, person, 3.0, fallen)
    empty = picture(view, [one("far", Sphere(1.0), "other", -150.0, 100.0)])
    tall, low = (np.flatnonzero((np.abs(image - empty).max(axis=2) > 40).any(axis=1)) for image in (before, after))
    assert np.ptp(low) < 0.6 * np.ptp(tall), "who lies is lower than who stands"


def test_a_removed_object_is_not_drawn(view):
    car = [one("car", Box((4.4, 1.8, 1.5)), "vehicle", 14.0, 0.0, ground(14.0, 0.0))]
    gone = ObjectChanges(
        np.array([0]),
        np.array([False]),
        np.array([False]),
        np.zeros(1),
        np.zeros((1, 3)),
        np.eye(3)[None],
        np.zeros((1, 3)),
        np.zeros((1, 3)),
    )
    empty = picture(view, [one("far", Sphere(1.0), "other", -150.0, 100.0)])
    assert np.abs(picture(view, car) - empty).max() > 60
    assert (np.abs(picture(view, car, 0.0, gone) - empty).max(axis=2) > 15).mean() < 0.001


def test_many_objects_stay_within_the_budget_of_triangles(view):
    at = np.random.default_rng(3).uniform((10.0, -60.0), (150.0, 60.0), (4000, 2))
    rocks = [one(f"rock_{k}", Sphere(0.6), "rock", x, y, ground(x, y)) for k, (x, y) in enumerate(at)]
    picture(view, rocks)
    dressing = view.scene.objects._dressings[0]
    assert 0 < dressing.triangles <= view.scene._detail.object_triangles
