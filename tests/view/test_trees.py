"""Vegetation in the image: do trunks and crowns become trees of their size and place, near and far, and do they fall with their trunks?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.errors import DeviceError
from simulator.view.dressings.leaf_textures import COLUMNS, TILES, leaf_tiles, smaller_levels
from simulator.view.dressings.plants import BROADLEAVES, BUSHES, CONIFERS, KINDS, find_plants
from simulator.view.dressings.tree_meshes import FORMS, tree_mesh
from simulator.view.make_object_data import make_object_data
from simulator.view.object_changes import ObjectChanges
from simulator.view.offscreen import Offscreen
from simulator.view.textures import SUN
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path
from terrain.objects.trees import LEAVES, TRUNK
from terrain.objects.world_object import Box, Capsule, Cylinder, Material, Sphere, WorldObject
from tests.view.scenes import geometry, hilly_terrain, readout
from tests.view.test_drawn_objects import patch

GREEN = {"label": "vegetation"}


def a_tree(name: str, x: float, y: float, z: float = 0.0, conifer: bool = False, crown: Material = LEAVES) -> list[WorldObject]:
    """Trunk of 5 m and 0.25 m, and a crown from 3.5 m to 9.5 m."""
    shape = Capsule(1.5, 3.0) if conifer else Sphere(3.0)
    return [
        WorldObject(name, Cylinder(0.25, 5.0), (x, y, z), material=TRUNK, **GREEN),
        WorldObject(f"{name}_crown", shape, (x, y, z + 6.5), material=crown, **GREEN),
    ]


def found(objects: list[WorldObject]):
    data = make_object_data(ObjectSet(objects))
    return find_plants(data, np.ones(len(data), bool))


def names(plants) -> list[str]:
    return [KINDS[k] for k in plants.kind]


def test_a_trunk_belongs_to_the_crown_above_it() -> None:
    shifted = WorldObject("loose_crown", Sphere(2.0), (40.3, 0.0, 6.0), **GREEN)
    plants = found([
        *a_tree("oak", 10, 0), *a_tree("spruce", 20, 5, 3.0, conifer=True), WorldObject("loose", Cylinder(0.2, 4.5), (40, 0, 0), **GREEN), shifted,
    ])  # fmt: skip
    pairs = sorted(zip(plants.trunk.tolist(), plants.crown.tolist(), strict=True))
    assert pairs == [(0, 1), (2, 3), (4, 5)]
    oak, spruce = (plants.crown.tolist().index(row) for row in (1, 3))
    assert plants.size[oak] == pytest.approx((3.0, 3.5, 9.5, 0.25)) and plants.base[oak] == pytest.approx((10, 0, 0))
    assert plants.size[spruce] == pytest.approx((1.5, 3.5, 9.5, 0.25)) and plants.base[spruce] == pytest.approx((20, 5, 3))
    assert names(plants)[oak] in BROADLEAVES and names(plants)[spruce] in CONIFERS


def test_what_has_no_partner_is_a_bush_a_stump_or_a_dead_tree() -> None:
    plants = found([
        WorldObject("bush", Sphere(1.2), (0, 0, 1.0), **GREEN), WorldObject("trunk", Cylinder(0.2, 8.0), (9, 0, 0), **GREEN),
        WorldObject("stump", Cylinder(0.3, 0.8), (18, 0, 0), **GREEN), WorldObject("high", Sphere(1.0), (9, 0.1, 30.0), **GREEN),
        WorldObject("aside", Cylinder(0.2, 4.0), (27, 0, 0), **GREEN), WorldObject("crown", Sphere(2.0), (28.5, 0, 5.0), **GREEN),
    ])  # fmt: skip
    kind = {int(max(t, c)): name for t, c, name in zip(plants.trunk, plants.crown, names(plants), strict=True)}
    assert kind[0] in BUSHES and kind[1] == "dead" and kind[2] == "log" and kind[3] in BUSHES and kind[4] == "dead" and kind[5] in BUSHES


def test_a_crown_has_one_trunk_and_a_trunk_one_crown() -> None:
    two = [
        WorldObject("second", Cylinder(0.1, 5.0), (10.4, 0.0, 0.0), **GREEN),
        WorldObject("upper", Sphere(1.0), (10.0, 0.1, 5.5), **GREEN),
    ]
    plants = found([*a_tree("tree", 10, 0), *two])
    assert len(plants.kind) == 4 - 1 or len(plants.kind) == 4 - 2
    for rows in (plants.trunk, plants.crown):
        used = rows[rows >= 0]
        assert len(np.unique(used)) == len(used)


def test_other_shapes_labels_and_moving_objects_stay_what_they_are() -> None:
    path = Path(np.array([(14.0, 0.0, 0.8), (14.0, -6.0, 0.8)]), times=np.array([0.0, 4.0]), turns=False)
    plants = found([
        WorldObject("hedge", Box((1, 4, 1)), (5, 0, 0.5), **GREEN), WorldObject("post", Cylinder(0.1, 2.0), (9, 0, 0), label="fence"),
        WorldObject("lying", Capsule(0.2, 3.0), (12, 0, 0.2), pitch=1.5, **GREEN), WorldObject("mover", Sphere(0.5), (14, 0, 0.8), motion=path, **GREEN),
    ])  # fmt: skip
    assert len(plants.kind) == 0


def test_the_place_alone_decides_the_kind() -> None:
    trees = [a_tree(f"t{k}", 11.0 * k, 3.0 * k, conifer=k % 2 == 0) for k in range(60)]
    forward, backward = found([part for one in trees for part in one]), found([part for one in trees[::-1] for part in one])
    order = np.argsort(forward.base[:, 0]), np.argsort(backward.base[:, 0])
    assert (forward.kind[order[0]] == backward.kind[order[1]]).all()
    assert set(CONIFERS) | set(BROADLEAVES) <= set(names(forward)), "all kinds grow"


@pytest.mark.parametrize("fine", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_mesh_keeps_to_the_crown_and_the_trunk(kind: str, fine: bool) -> None:
    mesh = tree_mesh(kind, fine)
    radius, bottom, _, thick = FORMS[kind].size
    both = np.vstack((mesh.bark, mesh.leaves))
    assert np.isfinite(both).all() and len(both) % 3 == 0
    assert np.linalg.norm(both[:, 6:9], axis=1) == pytest.approx(1.0, abs=1e-5)
    assert np.hypot(*both[:, :2].T).max() < 1.6 and both[:, 2].max() <= 2.0 + 1e-6
    assert len(both) // 3 < (3000 if fine else 1000)
    if bottom > 1.0:
        z = mesh.bark[:, 2] * bottom
        low = (z > 0.85) & (z < 0.9 * bottom) & (np.hypot(*mesh.bark[:, :2].T) < 0.05)
        assert low.any() and np.abs(np.linalg.norm(mesh.bark[low, 3:6], axis=1) - 1.0).max() < 0.15, (
            "as thick as the cylinder that wheels hit"
        )
    assert (tree_mesh(kind, fine).leaves == mesh.leaves).all() and thick < radius


def test_leaves_stay_as_dense_in_smaller_copies_of_their_texture() -> None:
    levels = smaller_levels(leaf_tiles(), (len(TILES) // COLUMNS, COLUMNS))
    assert len(levels) > 4 and (levels[0] == leaf_tiles()).all(axis=2).mean() > 0.4
    opaque = [(level[..., 3] > 127).mean() for level in levels[:5]]
    assert opaque == pytest.approx([opaque[0]] * 5, rel=0.06)
    mean = [level[..., 0][level[..., 3] > 127].mean() for level in levels[:5]]
    assert mean == pytest.approx([mean[0]] * 5, rel=0.12), "and as bright"


@pytest.fixture(scope="module")
def view():
    terrain = hilly_terrain()
    terrain.objects = make_object_data(ObjectSet(a_tree("tree", 14, 3, terrain.height(14, 3))))
    try:
        offscreen = Offscreen(640, 360, terrain, geometry(), samples=1)
    except DeviceError as error:
        pytest.skip(str(error))
    offscreen.scene.instruments = False
    offscreen.camera = "chase"
    yield offscreen
    offscreen.close()


def drawn(view, objects: list[WorldObject], changes: ObjectChanges | None = None, meshes: bool = True) -> np.ndarray:
    dressing = view.scene.objects._dressings[-1]
    dressing._detail = dressing._detail._replace(tree_sight=60.0 if meshes else 0.01)
    view.scene.show_objects(make_object_data(ObjectSet([*objects, WorldObject("far", Box((1, 1, 1)), (-150, 90, 0))])))
    if changes is not None:
        view.scene.move_objects(changes)
    return view.render(readout()).astype(int)


def greens(image: np.ndarray) -> np.ndarray:
    """(h, w) leaves: green, and dark in red."""
    return (image[..., 1] > 1.25 * image[..., 0]) & (image[..., 1] > 1.25 * image[..., 2])


@pytest.mark.parametrize("meshes", [True, False])
def test_a_tree_has_a_brown_trunk_and_green_leaves_between_which_one_sees(view, meshes: bool) -> None:
    x, y = 40.0, 5.0
    z = hilly_terrain().height(x, y)
    image, bare = drawn(view, a_tree("t", x, y, z), meshes=meshes), drawn(view, [], meshes=meshes)
    crown, trunk = patch(view, image, (x, y, z + 6.5)), patch(view, image, (x - 0.2, y, z + 2.0))
    assert crown[1] > 1.3 * crown[0] and crown[1] > 1.3 * crown[2]
    assert trunk[1] < 1.3 * trunk[0] or np.ptp(trunk) < 30, "brown, or the white of a birch"
    assert np.abs(image - bare).max(axis=2)[greens(image) & ~greens(bare)].size > 300
    assert (drawn(view, a_tree("t", x, y, z), meshes=meshes) == image).all(), "the same pixels again"


def test_images_of_far_trees_look_like_their_meshes(view) -> None:
    terrain = hilly_terrain()
    places = [(38.0, 12.0 - 6.0 * k) for k in range(5)]
    grove = [part for k, (x, y) in enumerate(places) for part in a_tree(f"t{k}", x, y, terrain.height(x, y), conifer=k % 2 == 1)]
    bare = drawn(view, [])
    near, far = (drawn(view, grove, meshes=meshes) for meshes in (True, False))
    masks = [np.abs(image - bare).max(axis=2) > 20 for image in (near, far)]
    assert (masks[0] & masks[1]).sum() > 0.75 * (masks[0] | masks[1]).sum(), "the same outline"
    colors = [image[mask].mean(axis=0) for image, mask in zip((near, far), masks, strict=True)]
    assert colors[1] == pytest.approx(colors[0], rel=0.2)


def test_leaves_have_the_color_of_their_crown(view) -> None:
    x, y = 30.0, 4.0
    z = hilly_terrain().height(x, y)
    autumn = Material(color=(0.75, 0.35, 0.05), extinction=0.6)
    for meshes in (True, False):
        image = drawn(view, a_tree("t", x, y, z, crown=autumn), meshes=meshes)
        color = patch(view, image, (x, y, z + 6.5))
        assert color[0] > 1.3 * color[1] > 1.3 * color[2]


def test_a_crown_casts_a_shadow_with_light_between_the_leaves(view) -> None:
    x, y = 16.0, -2.0
    z = hilly_terrain().height(x, y)
    image, bare = drawn(view, a_tree("t", x, y, z)), drawn(view, [])
    middle = np.array((x, y)) - SUN[:2] / SUN[2] * 6.5
    dark = []
    for dx, dy in np.random.default_rng(2).uniform(-2.4, 2.4, (60, 2)):
        point = (middle[0] + dx, middle[1] + dy)
        point = (*point, hilly_terrain().height(*point))
        dark.append(patch(view, image, point).mean() < 0.85 * patch(view, bare, point).mean())
    assert 0.35 < np.mean(dark) < 1.0


def change(row: int, p: tuple[float, float, float], R: np.ndarray, present: bool = True) -> ObjectChanges:
    none = np.zeros((1, 3))
    return ObjectChanges(np.array([row]), np.array([present]), np.array([present]), np.zeros(1), np.array([p]), R[None], none, none)


def test_a_tree_falls_with_its_trunk(view) -> None:
    x, y = 18.0, 3.0
    z = hilly_terrain().height(x, y)
    across = np.array(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)))  # the axis of the trunk points to the left
    image = drawn(view, a_tree("t", x, y, z), change(0, (x, y, z + 0.3), across))
    upright = drawn(view, a_tree("t", x, y, z))
    stands, lies = (x, y, z + 5.0), (x, y + 6.5, z + 0.8)
    assert greens(patch(view, upright, stands)) and not greens(patch(view, image, stands))
    assert greens(patch(view, image, lies))
    view.scene.move_objects(change(0, (x, y, z), np.eye(3)))
    assert (view.render(readout()).astype(int) == upright).all(), "it stands again after a restart"


def test_a_tree_whose_crown_is_removed_is_bare_and_without_both_parts_it_is_gone(view) -> None:
    x, y = 16.0, 2.0
    z = hilly_terrain().height(x, y)
    bare = drawn(view, [])
    leafless = drawn(view, a_tree("t", x, y, z), change(1, (0.0, 0.0, 0.0), np.eye(3), present=False))
    assert greens(leafless).sum() <= greens(bare).sum() + 20
    assert np.abs(patch(view, leafless, (x - 0.2, y, z + 2.0)) - patch(view, bare, (x - 0.2, y, z + 2.0))).max() > 15
    view.scene.move_objects(change(0, (0.0, 0.0, 0.0), np.eye(3), present=False))
    assert np.abs(view.render(readout()).astype(int) - bare).max() <= 2
