"""Trees, bushes and reeds: meshes near the camera, images of them farther away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.base.disk_cache import digest_of
from simulator.view.detail import Detail
from simulator.view.dressings import impostors, leaf_textures, tree_meshes
from simulator.view.dressings.plants import KINDS, Plants, find_plants
from simulator.view.dressings.tree_meshes import LAYOUT, tree_mesh
from simulator.view.gl_objects import SHADERS, Mesh, Program, Texture, renderer
from simulator.view.object_culling import EXACT_SMALLEST, SIGHT, SMALLEST_ANGLE, ObjectItems, planes_of
from simulator.view.object_data import ObjectData
from simulator.view.object_renderer import EXACT_BUDGET
from simulator.view.object_shadows import UNIT_OF_CASTERS

INSTANCE = (4, 4, 4, 4, 4, 3)
"""Floats per attribute of an instance of a mesh: rows of the matrix, size, color of leaves, color of bark."""
FAR_INSTANCE = (4, 4, 4, 4)
"""Floats per attribute of an image: place and heading, size and kind, color of leaves, color of bark and crowd."""
CARD_TRIANGLES = 4
"""Triangles of an image of a plant."""
FADE = 0.15
"""Share of the distance up to which meshes are drawn, over which meshes become images."""
TILT = 0.02
"""Minimum change of the axis of a trunk after which its tree is fallen."""
BROWN = (0.10, 0.065, 0.035)
"""Linear color of bark for plants that have no brown trunk."""
NEAREST = 8
"""Number of the nearest plants that are drawn before all others, so that what they hide is not shaded."""
UNIT = 8
"""Texture unit."""

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


class Trees:
    """Dressing of the vegetation; see `simulator.view.dressing.Dressing`."""

    def __init__(self, detail: Detail, exact: bool) -> None:
        self._detail, self._smallest = detail, EXACT_SMALLEST if exact else SMALLEST_ANGLE
        self._most = (EXACT_BUDGET if exact else detail.object_triangles) // CARD_TRIANGLES
        self._ready = False
        self._plants = find_plants_in_nothing()

    def _load(self) -> None:
        """Create programs, meshes and textures, in worlds with plants only."""
        wind = ("WIND",) if self._detail.fine_plants else ()
        self._bark, self._leaves = (Program("trees", define=("CASTERS", *kind, *wind)) for kind in (("BARK",), ()))
        self._depth = [Program("trees", define=("DEPTH", *kind)) for kind in (("BARK",), ())]
        self._far, self._far_depth = Program("impostors"), Program("impostors", define=("DEPTH",))
        leaves = leaf_textures.leaf_levels()
        self._skins = (
            Texture(leaf_textures.bark(), gl.GL_REPEAT),
            Texture(leaves[0], gl.GL_CLAMP_TO_EDGE, smaller=leaves[1:]),
        )
        self._meshes = [_kind_mesh(kind, fine=False) for kind in KINDS]
        views = self._far_levels()
        self._views = Texture(views[0], gl.GL_CLAMP_TO_EDGE, smaller=views[1:])
        if self._detail.fine_plants:
            self._meshes = [_kind_mesh(kind, fine=True) for kind in KINDS]
        corners = np.array([(-0.5, 0), (0.5, 0), (0.5, 1), (-0.5, 1), (-1, 1), (1, 1), (1, 2), (-1, 2)], np.float32)
        self._card = Mesh(corners, (2,), np.array([4, 5, 6, 4, 6, 7, 0, 1, 2, 0, 2, 3]), instance=FAR_INSTANCE)
        for program in (self._far, self._far_depth):
            program.use().set(form=(impostors.WIDTH, impostors.HEIGHT, float(len(KINDS))), views=UNIT)
            for k, shape in enumerate(impostors.SHAPES):
                program.set(**{f"shapes[{k}]": shape})
        for program in (self._bark, self._leaves):
            program.use().set(casters=UNIT_OF_CASTERS)
        self._ready = True

    def _far_levels(self) -> list[NDArray[np.uint8]]:
        """Return the images of plants and their halved copies, from the cache of the user."""
        code = [Path(str(module.__file__)).read_text(encoding="utf-8") for module in (leaf_textures, tree_meshes, impostors)]
        shader = [(SHADERS / f"trees.{part}").read_text(encoding="utf-8") for part in ("vert", "frag")]
        return leaf_textures.cached_levels(
            digest_of(*code, *shader, renderer()), lambda: impostors.bake_views(self._meshes, self._skins[1], self._skins[0])
        )

    def show(self, data: ObjectData, free: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Draw the plants of another world from now on; return the objects (n,) that belong to plants."""
        self._plants = plants = find_plants(data, free)
        taken = np.zeros(len(data), bool)
        self._plant_of = np.full(len(data), -1)
        for rows in (plants.trunk, plants.crown):
            taken[rows[rows >= 0]] = True
            self._plant_of[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
        if not len(plants.kind):
            return taken
        if not self._ready:
            self._load()
        self._make_instances(data)
        self._root = np.where(plants.trunk >= 0, plants.trunk, plants.crown)
        # as in the instances, so that nothing seems to move by rounding
        self._turn, self._at = data.R_WO[self._root].astype(np.float32), data.p_WO[self._root].astype(np.float32)
        self._still, self._moved = self._near[:, :12].copy(), np.zeros(len(self._root), bool)
        self._reach = np.maximum(plants.size[:, 0], 0.5 * plants.size[:, 2])
        return taken

    def _make_instances(self, data: ObjectData) -> None:
        """Write what does not change of the instances of all plants."""
        plants = self._plants
        heading = 2.0 * np.pi * plants.chance[:, 2]
        leaf, bark = _paints(data, plants)
        self._near = np.zeros((len(heading), 23), np.float32)
        self._near[:, :12] = _rows_of(_turns(heading), plants.base).reshape(-1, 12)
        self._near[:, 12:16], self._near[:, 16:19], self._near[:, 20:] = plants.size, leaf, bark
        self._distant = np.zeros((len(heading), 16), np.float32)
        self._distant[:, :3], self._distant[:, 3] = plants.base, heading
        self._distant[:, 4:7] = plants.size[:, :3]
        self._distant[:, 8:11], self._distant[:, 12:15], self._distant[:, 15] = leaf, bark, plants.crowd

    def draw(self, clip_of_world: NDArray, eye: NDArray, shadow: dict[str, Any], items: ObjectItems) -> None:
        """Draw the visible plants, the nearest first."""
        plants = self._plants
        if not len(plants.kind):
            return
        shown, fallen = self._update(items)
        center = plants.base + (0.0, 0.0, 0.5) * plants.size[:, 2:3]
        away = center - eye
        distance = np.sqrt(np.einsum("ij,ij->i", away, away))
        limit = self._mesh_limit(distance)
        shown &= (self._reach > self._smallest * distance) & (distance - self._reach < SIGHT)
        rows = np.flatnonzero(shown)
        planes = planes_of(clip_of_world)
        inside = (center[rows] @ planes[:, :3].T + planes[:, 3] > -1.5 * self._reach[rows, None]).all(axis=1)
        rows = rows[inside | fallen[rows]]
        rows = rows[np.argsort(distance[rows], kind="stable")]
        drawn = np.where(fallen, 1.0, np.clip((limit - distance) / (FADE * limit), 0.0, 1.0))
        near, far = rows[drawn[rows] > 0.0], rows[drawn[rows] < 1.0][: self._most]
        self._near[near, 19], self._distant[far, 11] = drawn[near], 1.0 - drawn[far]
        picture = {"clip_of_world": clip_of_world, "eye": eye, "casters_of_world": shadow["casters_of_world"]}
        for batch in (near[:NEAREST], near[NEAREST:]):
            self._draw_near((self._bark, self._leaves), batch, picture)
        if len(far):
            viewport = (gl.GLint * 4)()
            gl.glGetIntegerv(gl.GL_VIEWPORT, viewport)
            focal = 0.5 * viewport[3] * float(np.linalg.norm(clip_of_world[1, :3]))
            self._far.use().set(clip_of_world=clip_of_world, eye=eye, texels=(float(impostors.CELL[0]), focal))
            self._views.bind(UNIT)
            self._card.upload_instances(self._distant[far])
            self._card.draw_instances(len(far))

    def draw_depths(self, clip_of_world: NDArray, items: ObjectItems, rows: Rows) -> None:
        """Draw the depths of some plants into the map of shadows: cards that face the sun, and fallen trees."""
        some = np.unique(self._plant_of[rows])
        shown, fallen = self._update(items)
        some = some[shown[some]]
        upright = some[~fallen[some]]
        if len(upright):
            self._far_depth.use().set(clip_of_world=clip_of_world)
            self._views.bind(UNIT)
            self._card.upload_instances(self._distant[upright])
            self._card.draw_instances(len(upright))
        self._near[some[fallen[some]], 19] = 1.0
        self._draw_near(self._depth, some[fallen[some]], {"clip_of_world": clip_of_world})

    def _draw_near(self, programs: Any, rows: Rows, picture: dict[str, Any]) -> None:
        """Draw the meshes of some plants: bark, then leaves."""
        kinds = self._kind[rows]
        for number in np.unique(kinds):
            mesh, split = self._meshes[number]
            some = rows[kinds == number]
            mesh.upload_instances(self._near[some])
            for program, skin, first, count in zip(programs, self._skins, (0, split), (split, mesh.count - split), strict=True):
                if count:
                    program.use().set(**picture, skin=skin.bind(UNIT))
                    mesh.draw_instances(len(some), first, count)

    def _mesh_limit(self, distance: Floats) -> float:
        """Return the distance up to which plants are drawn as meshes [m], so that there are few enough of them."""
        number = self._detail.tree_meshes
        if len(distance) <= number:
            return self._detail.tree_sight
        return min(self._detail.tree_sight, float(np.partition(distance, number)[number]))

    def _update(self, items: ObjectItems) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which plants are there and which have moved; place those. A tree without its crown has no leaves."""
        plants = self._plants
        trunk, crown = ((rows >= 0) & items.present[rows] for rows in (plants.trunk, plants.crown))
        self._kind = np.where(crown | (plants.crown < 0), plants.kind, KINDS.index("dead"))
        self._distant[:, 7] = self._kind
        shown = trunk | crown
        matrix = items.instances[self._root, :12].reshape(-1, 3, 4)
        turned = np.abs(matrix[:, :, :3] - self._turn).max(axis=(1, 2)) > TILT
        moved = turned | (np.abs(matrix[:, :, 3] - self._at).max(axis=1) > 0.02)
        back = self._moved & ~moved
        self._near[back, :12] = self._still[back]
        self._moved = moved
        rows = np.flatnonzero(moved & shown)
        if len(rows):
            R = matrix[rows, :, :3] @ self._turn[rows].transpose(0, 2, 1)
            base = matrix[rows, :, 3] + np.einsum("nij,nj->ni", R, plants.base[rows] - self._at[rows])
            R = R @ _turns(2.0 * np.pi * plants.chance[rows, 2])
            self._near[rows, :12] = _rows_of(R, base).reshape(-1, 12)
        return shown, moved


def find_plants_in_nothing() -> Plants:
    """Return no plants."""
    rows, floats = np.zeros(0, np.int64), np.zeros((0, 4))
    return Plants(rows, rows, rows, floats[:, :3], floats, floats, floats[:, 0])


def _kind_mesh(kind: str, fine: bool) -> tuple[Mesh, int]:
    """Return the mesh of a kind on the graphics device, and its number of vertices of bark, which are before the leaves."""
    bark, leaves = tree_mesh(kind, fine)
    return Mesh(np.vstack((bark, leaves)), LAYOUT, instance=INSTANCE), len(bark)


def _turns(heading: Floats) -> Floats:
    """Return rotations (n, 3, 3) about z."""
    c, s, zero = np.cos(heading), np.sin(heading), np.zeros_like(heading)
    return np.stack((np.stack((c, -s, zero), 1), np.stack((s, c, zero), 1), np.stack((zero, zero, zero + 1.0), 1)), axis=1)


def _rows_of(R: Floats, p: Floats) -> Floats:
    return np.concatenate((R, p[:, :, None]), axis=2)


def _paints(data: ObjectData, plants: Plants) -> tuple[Floats, Floats]:
    """Return the linear colors (n, 3) of leaves and of bark: those of crown and trunk, varied by kind and place."""
    crown, trunk = data.color[plants.crown].astype(float) ** 2, data.color[plants.trunk].astype(float) ** 2
    vary = plants.chance - 0.5
    leaf = crown * (1.0 + 0.35 * vary[:, 3:]) * (1.0 + vary[:, :1] * (0.35, 0.05, 0.1))
    brown = (plants.trunk >= 0) & (trunk[:, 1] < 1.1 * trunk[:, 0])  # the usual color of the label is green
    bark = np.where(brown[:, None], trunk, BROWN) * (1.0 + 0.3 * vary[:, 1:2])
    birch, pine = (plants.kind == KINDS.index(name) for name in ("birch", "pine"))
    bark[birch] = 0.3 * bark[birch] + (0.38, 0.36, 0.33)
    bark[pine] *= (1.5, 1.1, 0.85)
    return leaf, bark
