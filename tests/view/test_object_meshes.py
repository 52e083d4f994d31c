"""Are the meshes of objects closed, oriented outwards and of the size of their shapes, and does each object become what it is?"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from simulator.view import make_object_data as made
from simulator.view.make_object_data import make_object_data
from simulator.view.object_data import BAKED, ObjectData, no_objects
from simulator.view.object_meshes import DETAILS, flat_triangles, hull_triangles, indexed, unit_meshes
from terrain.objects.labels import COLORS
from terrain.objects.mesh_file import PaintedMesh
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path
from terrain.objects.records import BOX, CAPSULE, CYLINDER, SPHERE
from terrain.objects.world_object import Box, Breakaway, Capsule, ConvexHull, Cylinder, Material, Sphere, TriangleMesh, WorldObject

RNG = np.random.default_rng(2)
ROCK = RNG.normal(size=(40, 3)) * (1.0, 0.7, 0.5)
SHAPES = {
    "box": (Box((2.0, 3.0, 4.0)), 24.0), "cylinder": (Cylinder(0.5, 3.0), np.pi * 0.25 * 3.0),
    "sphere": (Sphere(1.5), 4.5 * np.pi), "capsule": (Capsule(0.4, 2.0), np.pi * 0.16 * (2.0 + 4.0 / 3.0 * 0.4)),
}  # fmt: skip


def drawn(data: ObjectData, row: int, detail: int = len(DETAILS) - 1) -> np.ndarray:
    """Corners (n, 3, 6) and normals in W of an object, computed as in objects.vert."""
    if data.mesh[row] == BAKED:
        (part,) = data.parts[data.parts[:, 0] == -1 - row]
        return data.baked[int(part[1]) : int(part[1] + part[2]), :6].reshape(-1, 3, 6).astype(float)
    if data.mesh[row] >= 0:
        parts = data.parts[data.parts[:, 0] == data.mesh[row]]
        mesh = np.vstack([data.vertices[int(first) : int(first + count)] for _, first, count, *_ in parts]).astype(float)
        mesh[:, 6][mesh[:, 6] > 1.5] = 0.0  # a color
    else:
        mesh = unit_meshes(DETAILS[detail])[int(data.shape[row])]
    size = data.size[row].astype(float)
    points = mesh[:, :3] * size[:3] + mesh[:, 6:] * (0.0, 0.0, size[3])
    normals = mesh[:, 3:6] / size[:3]
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    R = data.R_WO[row]
    return np.hstack((points @ R.T + data.p_WO[row], normals @ R.T)).reshape(-1, 3, 6)


def volume(corners: np.ndarray) -> float:
    a, b, c = corners[:, :, :3].transpose(1, 0, 2)
    return float(np.einsum("nk,nk->n", a, np.cross(b, c)).sum() / 6.0)


def is_closed(corners: np.ndarray) -> bool:
    """Every edge belongs to two triangles, once in each direction."""
    names = np.unique(np.round(corners[:, :, :3].reshape(-1, 3), 5), axis=0, return_inverse=True)[1].reshape(-1, 3)
    edges = Counter((int(t[k]), int(t[(k + 1) % 3])) for t in names for k in range(3))
    return all(edges[(end, start)] == count == 1 for (start, end), count in edges.items())


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("shape", [BOX, CYLINDER, SPHERE, CAPSULE])
def test_unit_meshes_are_closed_and_their_normals_point_outwards(shape, detail):
    mesh = unit_meshes(detail)[shape]
    if shape == CAPSULE:
        mesh = mesh + np.concatenate((np.zeros((len(mesh), 2)), mesh[:, 6:], np.zeros((len(mesh), 4))), axis=1)
    corners = mesh.reshape(-1, 3, 7)
    assert is_closed(corners) and volume(corners) > 0.0
    flat = np.cross(corners[:, 1, :3] - corners[:, 0, :3], corners[:, 2, :3] - corners[:, 0, :3])
    assert (np.linalg.norm(flat, axis=1) > 1e-6).all()
    assert (np.einsum("nk,nck->nc", flat, corners[:, :, 3:6]) > 0.0).all()
    assert np.linalg.norm(mesh[:, 3:6], axis=1) == pytest.approx(1.0)
    vertices, index = indexed(mesh)
    assert len(vertices) < len(mesh) and vertices[index] == pytest.approx(mesh, abs=1e-8)


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_has_its_size_where_it_stands(name):
    shape, exact = SHAPES[name]
    upright = name == "cylinder"
    one = WorldObject("a", shape, (5.0, -3.0, 2.0), yaw=0.7, pitch=0.0 if upright else 0.3, roll=0.0 if upright else -0.2)
    objects = ObjectSet([one])
    data = make_object_data(objects)
    corners = drawn(data, 0)
    assert is_closed(corners)
    assert 0.9 * exact < volume(corners) <= exact * (1.0 + 1e-6), "round shapes are inscribed"
    low, high = corners[:, :, :3].reshape(-1, 3).min(axis=0), corners[:, :, :3].reshape(-1, 3).max(axis=0)
    assert (low > objects.records[0]["low"] - 1e-5).all() and (high < objects.records[0]["high"] + 1e-5).all()
    own = (corners[:, :, :3].reshape(-1, 3) - one.position) @ one.rotation()
    center, half = shape.bounds()
    assert 0.5 * (own.max(axis=0) - own.min(axis=0)) == pytest.approx(half, rel=0.03), "a polygon may miss the ends of an axis"
    assert (own.max(axis=0)[2], own.min(axis=0)[2]) == pytest.approx((center[2] + half[2], center[2] - half[2]), abs=1e-5)


def test_a_hull_has_the_surface_of_its_points():
    from scipy.spatial import ConvexHull as Hull

    shown = Hull(ROCK)
    corners = flat_triangles(hull_triangles(ROCK)).reshape(-1, 3, 6)
    assert is_closed(corners) and volume(corners) == pytest.approx(shown.volume)
    outside = np.einsum("nk,nk->n", corners[:, :, 3:].mean(axis=1), corners[:, :, :3].mean(axis=1) - ROCK.mean(axis=0))
    assert (outside > 0.0).all()


def test_triangles_without_area_are_left_out_however_small_the_others_are():
    small = np.array([[(0, 0, 0), (1e-3, 0, 0), (0, 1e-3, 0)], [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(1, 1, 1)] * 3], float)
    out = flat_triangles(small)
    assert len(out) == 3 and out[:, 3:] == pytest.approx(np.tile((0.0, 0.0, 1.0), (3, 1)))


def test_meshes_are_baked_shared_or_split(monkeypatch):
    monkeypatch.setattr(made, "PART", 20)
    triangles = RNG.normal(size=(55, 3, 3))
    objects = ObjectSet([
        WorldObject("alone", ConvexHull(ROCK), (10, 20, 3), yaw=1.0, label="rock"),
        WorldObject("one", TriangleMesh(triangles), (0, 0, 0)),
        WorldObject("two", TriangleMesh(triangles), (9, 0, 0), yaw=0.5),
        WorldObject("loose", ConvexHull(ROCK * 2.0), (0, 0, 0), motion=Breakaway(5.0)),
    ])  # fmt: skip
    data = make_object_data(objects)
    assert data.mesh.tolist() == [BAKED, 0, 0, 1], "only a static mesh that no other object has is baked"
    assert Counter(data.parts[:, 0].tolist()) == {
        -1.0: 2 if len(hull_triangles(ROCK)) > 20 else 1,
        0.0: 3,
        1.0: -(-len(hull_triangles(ROCK)) // 20),
    }
    assert data.baked[:, 6:] == pytest.approx(np.tile(COLORS["rock"], (len(data.baked), 1)))
    points = data.baked[:, :3] - np.array((10, 20, 3), np.float32)
    assert np.linalg.norm(points, axis=1).max() == pytest.approx(np.linalg.norm(ROCK, axis=1).max(), abs=1e-4)
    shown = drawn(data, 2)[:, :, :3] - (9.0, 0.0, 0.0)
    wanted = triangles @ objects.objects[2].rotation().T
    assert np.sort(shown.reshape(-1, 9), axis=0) == pytest.approx(np.sort(wanted.reshape(-1, 9), axis=0), abs=1e-5)
    for number, first, count, *box in data.parts:
        vertices = (data.vertices if number >= 0 else data.baked)[int(first) : int(first + count), :3]
        assert np.abs(vertices - box[:3]).max(axis=0) == pytest.approx(box[3:], abs=1e-5), "the box fits the part"


def test_triangles_keep_the_colors_of_their_file():
    """As (x of the first corner, color) of each triangle: the tree of a mesh has them in another order than the file."""
    triangles = RNG.normal(size=(300, 3, 3))
    triangles[1] = triangles[0]
    colors = np.round(RNG.random((300, 3)) * 254.0) / 255.0
    colors[1:3] = colors[0], (np.nan,) * 3
    mesh, single = PaintedMesh(triangles, "a.glb", colors), PaintedMesh(triangles.copy(), "b.glb", colors)
    own = Material(color=(0.0, 0.5, 1.0))
    objects = ObjectSet([
        WorldObject("one", mesh, (0, 0, 0)), WorldObject("two", mesh, (9, 0, 0)),
        WorldObject("alone", single, (0, 0, 0), label="rock"), WorldObject("own", mesh, (0, 0, 0), material=own),
    ])  # fmt: skip
    data = make_object_data(objects)
    assert data.mesh.tolist() == [0, 0, BAKED, BAKED]
    codes = data.vertices[::3, 6].astype(int) - 2
    shared = np.column_stack((codes % 256, codes // 256 % 256, codes // 65536)) / 255.0
    shared[codes == -2] = np.nan
    (baked, given) = (data.baked[int(p[1]) : int(p[1] + p[2]) : 3] for p in data.parts[data.parts[:, 0] < 0])
    alone = np.where(np.isnan(colors), COLORS["rock"], colors)
    for x, seen, wanted in ((data.vertices[::3, 0], shared, colors), (baked[:, 0], baked[:, 6:], alone)):
        np.testing.assert_allclose(seen[np.argsort(x, kind="stable")], wanted[np.argsort(triangles[:, 0, 0], kind="stable")], atol=1e-6)
    np.testing.assert_allclose(given[:, 6:], np.tile(own.color, (300, 1)), atol=1e-6)


def test_own_colors_win_over_those_of_labels_and_all_of_it_survives_a_file(tmp_path):
    path = Path(np.array([(0.0, 0, 0), (10, 0, 0)]), speeds=np.array(2.0))
    objects = ObjectSet([
        WorldObject("plain", Box((1, 1, 1)), (0, 0, 0), label="cone"),
        WorldObject("own", Box((1, 1, 1)), (0, 0, 0), label="cone", material=Material(color=(0.0, 0.5, 1.0))),
        WorldObject("mover", Sphere(1.0), (0, 0, 0), motion=path),
        WorldObject("hull", ConvexHull(ROCK), (0, 0, 0)),
    ])  # fmt: skip
    objects.remove(1)
    data = make_object_data(objects)
    assert data.color[0] == pytest.approx(COLORS["cone"]) and data.color[1] == pytest.approx((0.0, 0.5, 1.0))
    assert data.present.tolist() == [False, True, True, True]
    data.save(tmp_path / "objects.npz")
    back = ObjectData.load(tmp_path / "objects.npz")
    for name, values in data.arrays().items():
        assert np.array_equal(values, getattr(back, name)) and values.dtype == getattr(back, name).dtype
    assert [file.name for file in tmp_path.iterdir()] == ["objects.npz"]


def test_a_world_without_objects_has_no_data():
    data = make_object_data(ObjectSet())
    assert len(data) == 0 and {name: len(values) for name, values in data.arrays().items()} == dict.fromkeys(no_objects().arrays(), 0) | {
        "kinds": len("[]")
    }
