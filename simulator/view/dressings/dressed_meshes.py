"""Drawing of dressed objects: one draw call for each look and level of detail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.base.arrays import Array
from simulator.view.detail import Detail
from simulator.view.dressings.pieces import FRONT, NETTING, PANES, PLAIN, ROCK, ROOF, WALL, Dressed, Look, Piece, Stack
from simulator.view.gl_objects import Mesh, Program, Texture
from simulator.view.meshes import LAYOUT
from simulator.view.object_culling import SIGHT, ObjectItems, planes_of
from simulator.view.object_data import ObjectData
from simulator.view.object_meshes import indexed
from simulator.view.object_renderer import EXACT_BUDGET
from simulator.view.object_shadows import UNIT_OF_CASTERS
from simulator.view.sun_view import clip_of_texture

INSTANCE = (4, 4, 4, 4, 4)
"""Floats per attribute of an instance: rows of the matrix from O to W; factors of the mesh and seed; color and number for the shader."""
UNIT_OF_STAINS = 9
"""Texture unit of the noise of walls and rocks."""
SIZE = 128
"""Texels along a side of the noise."""
DEFINES: dict[int, tuple[str, ...]] = {
    PLAIN: (), ROOF: ("ROOF",), ROCK: ("ROCK",), NETTING: ("NETTING",), PANES: ("WALL", "PANES"), WALL: ("WALL",), FRONT: ("WALL", "FRONT"),
}  # fmt: skip
"""Variants of the shader. Their numbers are in the order in which they are drawn: the costly walls last, when much of them is hidden."""
LIGHTS: tuple[tuple[str, ...], ...] = (("CASTERS", "SHADOW"), ("CASTERS",), ())
"""Variants with the shadows of objects and of the vehicle, of objects only, without shadows."""
SHADOW_ANGLE = 0.035
"""rad. Radius, as an angle at the camera, for the level of detail of shadows."""
MARGIN = 0.8
"""m. Distance by which eaves, feet of walls and legs may be outside of the bounding box of their mesh."""
MOST = 4
"""Maximum number of levels of a look."""
NEAR_WALL = 26.0
"""m. Distance up to which single bricks are drawn, as wide as two pixels of 720 lines."""
BRICKS = (WALL, FRONT)
"""Programs with a variant for what is near"""
Wardrobe = Callable[[ObjectData, NDArray[np.bool_]], Dressed]
"""Function that chooses among the free objects (n,) of a world those that it can dress."""


class DressedMeshes:
    """Dressing that draws the pieces of several wardrobes.

    Parameters
    ----------
    looks : by name
    wardrobes : choose their objects one after the other
    phases : returns the phase of the walk (n,) [rad] of pieces of the objects `owner` (n,), see the shader
    exact : True = for images of sensors: details are drawn farther away
    """

    def __init__(
        self,
        looks: dict[str, Look],
        wardrobes: Sequence[Wardrobe],
        phases: Callable[[ObjectItems, NDArray], NDArray],
        detail: Detail,
        exact: bool,
    ) -> None:
        self._looks, self._wardrobes, self._phases = looks, wardrobes, phases
        self._fineness = 8.0 if exact else 4.0 if detail.gloss else 1.0
        self._budget = EXACT_BUDGET if exact else detail.object_triangles
        self._meshes: list[Mesh] = []
        self._uploaded: dict[int, int] = {}
        """Row in `_meshes` of a mesh of a look, by its identity"""
        self._programs: dict[tuple[str, ...], Program] = {}
        self._stains = Texture(stains(), gl.GL_REPEAT)
        self.triangles = 0
        """Triangles in the last image"""
        self._set(Stack())

    def show(self, data: ObjectData, free: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Draw the objects of another world from now on; see `Dressing`."""
        taken = np.zeros(len(data), bool)
        pieces: list[Piece] = []
        for wardrobe in self._wardrobes:
            found = wardrobe(data, free & ~taken)
            taken |= found.rows
            pieces += found.pieces
        self._set(Stack.of(pieces))
        return taken

    def _set(self, stack: Stack) -> None:
        self._stack = stack
        count = len(stack.owner)
        self._reach = np.zeros(count)
        self._middle = np.zeros((count, 3))
        self._smallest = np.zeros(count)
        for k, name in enumerate(stack.names):
            some = stack.look == k
            mesh = self._looks[name].levels[-1][:, :3]
            low, high = mesh.min(axis=0), mesh.max(axis=0)
            size = stack.numbers[some, 3:6]
            self._middle[some] = 0.5 * (low + high) * size
            self._reach[some] = np.linalg.norm(0.5 * (high - low) * size, axis=1)
            self._smallest[some] = self._looks[name].smallest / self._fineness
        self._prepare_meshes()
        c, s = np.cos(stack.numbers[:, 11]), np.sin(stack.numbers[:, 11])
        self._turn = np.zeros((count, 3, 3))
        self._turn[:, 0, 0] = self._turn[:, 1, 1] = c
        self._turn[:, 0, 1], self._turn[:, 1, 0], self._turn[:, 2, 2] = -s, s, 1.0
        self._instances = np.zeros((count, 20), np.float32)
        self._instances[:, 12:15], self._instances[:, 15] = stack.numbers[:, 3:6], stack.numbers[:, 9]
        self._instances[:, 16:19], self._instances[:, 19] = stack.numbers[:, 6:9], stack.numbers[:, 10]
        self._center = np.zeros((count, 3))
        self._placed = np.full((count, 12), np.nan, np.float32)
        """Places of the objects for which the instances were computed"""

    def _prepare_meshes(self) -> None:
        """Upload the meshes of the present looks; `_limits` (looks, 3) and `_mesh_of` (looks, 4) are their levels."""
        names = self._stack.names
        self._program_of = np.array([self._looks[name].program for name in names], np.int64)
        self._walks = np.array([name.startswith("walks_") for name in names], bool)
        self._casts = np.array([self._looks[name].casts for name in names], bool)
        self._limits, self._mesh_of = np.full((len(names), MOST - 1), np.inf), np.zeros((len(names), MOST), np.int64)
        for k, name in enumerate(names):
            look = self._looks[name]
            self._limits[k, : len(look.limits)] = look.limits
            for level, mesh in enumerate(look.levels):
                if id(mesh) not in self._uploaded:
                    vertices, indices = indexed(mesh)
                    self._uploaded[id(mesh)] = len(self._meshes)
                    self._meshes.append(Mesh(vertices, LAYOUT, indices, instance=INSTANCE))
                self._mesh_of[k, level] = self._uploaded[id(mesh)]

    def _place(self, items: ObjectItems) -> None:
        """Move the pieces to the present places of their objects."""
        now = items.instances[self._stack.owner, :12]
        rows = np.flatnonzero((now != self._placed).any(axis=1))
        if len(rows):
            X = now[rows].reshape(-1, 3, 4).astype(float)
            R = X[:, :, :3] @ self._turn[rows]
            p = X[:, :, 3] + np.einsum("nij,nj->ni", X[:, :, :3], self._stack.numbers[rows, :3])
            out = self._instances[:, :12].reshape(-1, 3, 4)
            out[rows, :, :3], out[rows, :, 3] = R, p
            self._center[rows] = p + np.einsum("nij,nj->ni", R, self._middle[rows])
            self._placed[rows] = now[rows]
            walkers = rows[self._walks[self._stack.look[rows]]]
            if len(walkers):
                self._instances[walkers, 19] = self._phases(items, self._stack.owner[walkers])

    def draw(self, clip_of_world: NDArray, eye: NDArray, shadow: dict[str, Any], items: ObjectItems) -> None:
        """Draw the visible objects; see `Dressing`."""
        if not len(self._stack.owner):
            return
        self._place(items)
        distance = np.linalg.norm(self._center - eye, axis=1)
        owner = self._stack.owner
        shown = items.present[owner] & items.drawn[owner] & (self._reach > self._smallest * distance) & (distance - self._reach < SIGHT)
        rows = np.flatnonzero(shown)
        rows = rows[self._inside(rows, planes_of(clip_of_world))]
        rows = rows[np.argsort(distance[rows], kind="stable")]
        angle = self._reach[rows] / np.maximum(distance[rows], 1e-3) * self._fineness
        counts = np.array([mesh.count // 3 for mesh in self._meshes])[self._mesh_at(rows, angle)]
        rows = rows[: int(np.searchsorted(np.cumsum(counts), self._budget, side="right"))]
        self.triangles = int(counts[: len(rows)].sum())
        angle = angle[: len(rows)]
        light = np.full(len(rows), 2)
        light[self._inside(rows, planes_of(clip_of_texture(shadow["casters_of_world"]))[:4])] = 1
        light[self._inside(rows, planes_of(clip_of_texture(shadow["shadow_of_world"]))[:4])] = 0
        near = distance[rows] - self._reach[rows] < NEAR_WALL * self._fineness
        self._stains.bind(UNIT_OF_STAINS)
        gl.glEnable(gl.GL_CULL_FACE)
        program_of = self._program_of[self._stack.look[rows]]
        for program in np.unique(program_of):
            define, of_program = DEFINES[program], program_of == program
            for number, lights in enumerate(LIGHTS):
                for fine in (True, False) if program in BRICKS else (True,):
                    some = of_program & (light == number) & ((near == fine) | (program not in BRICKS))
                    if some.any():
                        more = ("NEAR",) if program in BRICKS and fine else ()
                        self._program((*define, *lights, *more)).use().set(clip_of_world=clip_of_world, eye=eye, **shadow)
                        for mesh, these in self._grouped(rows[some], angle[some]):
                            _draw(mesh, self._instances[these])
        gl.glDisable(gl.GL_CULL_FACE)

    def draw_depths(self, clip_of_world: NDArray, items: ObjectItems, rows: NDArray[np.int64]) -> None:
        """Draw the depths of some objects into the map of shadows; see `Dressing`."""
        self._place(items)
        dark = np.zeros(len(items.present), bool)
        dark[rows] = True
        pieces = np.flatnonzero(dark[self._stack.owner] & self._casts[self._stack.look])
        program_of = self._program_of[self._stack.look[pieces]]
        for program in np.unique(program_of):
            some = pieces[program_of == program]
            self._program(("DEPTH", *DEFINES[program])).use().set(clip_of_world=clip_of_world, eye=np.zeros(3))
            for mesh, these in self._grouped(some, np.full(len(some), SHADOW_ANGLE)):
                _draw(mesh, self._instances[these])

    def _inside(self, rows: NDArray[np.int64], planes: NDArray) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = (self._center[rows] @ planes[:, :3].T + planes[:, 3] > -self._reach[rows, None] - MARGIN).all(axis=1)
        return inside

    def _grouped(self, rows: NDArray[np.int64], angle: Array) -> Iterator[tuple[Mesh, NDArray[np.int64]]]:
        """Yield each mesh with the pieces that it draws at these angles [rad]; looks may share meshes."""
        key = self._mesh_at(rows, angle)
        for one in np.unique(key):
            yield self._meshes[int(one)], rows[key == one]

    def _mesh_at(self, rows: NDArray[np.int64], angle: Array) -> NDArray[np.int64]:
        """Return the number of the mesh of each piece at an angle [rad]."""
        level = (angle[:, None] > self._limits[self._stack.look[rows]]).sum(axis=1)
        found: NDArray[np.int64] = self._mesh_of[self._stack.look[rows], level]
        return found

    def _program(self, define: tuple[str, ...]) -> Program:
        if define not in self._programs:
            dark = define[:1] == ("DEPTH",)
            program = Program("dressed", "depth" if dark else None, define=define)
            program.use().set(shadow=4, casters=UNIT_OF_CASTERS, stains=UNIT_OF_STAINS)
            self._programs[define] = program
        return self._programs[define]


def stains(seed: int = 5) -> NDArray[np.uint8]:
    """Return periodic noise (SIZE, SIZE, 4) with mean one half: soft, fine, and two of medium size."""
    rng = np.random.default_rng(seed)
    f = np.hypot(np.fft.rfftfreq(SIZE), np.fft.fftfreq(SIZE)[:, None])
    f[0, 0] = 1.0
    layers = []
    for slope, longest in ((1.6, 64.0), (0.2, 16.0), (1.0, 32.0), (1.0, 32.0)):
        gain = np.where(f >= 1.0 / longest, f**-slope, 0.0)
        gain[0, 0] = 0.0
        noise = np.fft.irfft2(gain * np.exp(2j * np.pi * rng.random(f.shape)), s=(SIZE, SIZE))
        layers.append(np.clip(127.5 + 46.0 * noise / noise.std(), 0.0, 255.0).astype(np.uint8))
    return np.dstack(layers)


def _draw(mesh: Mesh, instances: NDArray[np.float32]) -> None:
    mesh.upload_instances(instances)
    mesh.draw_instances(len(instances))
