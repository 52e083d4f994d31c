"""Drawing of dressed objects: one draw call for each look and level of detail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.base.arrays import Array
from simulator.view.detail import Detail
from simulator.view.dressings.pieces import FRONT, NETTING, PANES, PLAIN, ROCK, ROOF, WALL, Dressed, Look, Stack
from simulator.view.gl_objects import Mesh, Program, Texture
from simulator.view.meshes import LAYOUT
from simulator.view.object_culling import SIGHT, ObjectItems, planes_of
from simulator.view.object_data import ObjectData
from simulator.view.object_meshes import indexed
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
"""Variants of the shader, in the order in which they are drawn: the costly walls last, when much of them is hidden."""
LIGHTS: tuple[tuple[str, ...], ...] = (("CASTERS", "SHADOW"), ("CASTERS",), ())
"""Variants with the shadows of objects and of the vehicle, of objects only, without shadows."""
NEAR_WALL = 45.0
"""m. Distance up to which single bricks are drawn."""
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
    fineness : factor of the angles at which a look becomes finer and at which it appears
    phases : returns the phase of the walk (n,) [rad] of pieces of the objects `owner` (n,), see the shader
    """

    def __init__(
        self, looks: dict[str, Look], wardrobes: Sequence[Wardrobe], fineness: float, phases: Callable[[ObjectItems, NDArray], NDArray] | None = None
    ) -> None:
        self._looks, self._wardrobes, self._fineness, self._phases = looks, wardrobes, fineness, phases
        self._meshes: dict[str, list[Mesh]] = {}
        self._programs: dict[tuple[str, ...], Program] = {}
        self._stains: Texture | None = None
        self._set(Stack())

    def show(self, data: ObjectData, free: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Draw the objects of another world from now on; see `Dressing`."""
        taken, pieces = np.zeros(len(data), bool), []
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
        self._walkers = np.flatnonzero(np.isin(stack.look, [k for k, name in enumerate(stack.names) if name.startswith("walks_")]))

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
            walkers = self._walkers[np.isin(self._walkers, rows)]
            if len(walkers) and self._phases is not None:
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
        light = np.full(len(rows), 2)
        light[self._inside(rows, planes_of(clip_of_texture(shadow["casters_of_world"]))[:4])] = 1
        light[self._inside(rows, planes_of(clip_of_texture(shadow["shadow_of_world"]))[:4])] = 0
        angle = self._reach[rows] / np.maximum(distance[rows], 1e-3) * self._fineness
        near = distance[rows] - self._reach[rows] < NEAR_WALL
        self._stain_texture().bind(UNIT_OF_STAINS)
        gl.glEnable(gl.GL_CULL_FACE)
        for program, define in DEFINES.items():
            looks = [k for k, name in enumerate(self._stack.names) if self._looks[name].program == program]
            of_program = np.isin(self._stack.look[rows], looks)
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
        casts = np.array([self._looks[name].casts for name in self._stack.names], bool)
        pieces = np.flatnonzero(np.isin(self._stack.owner, rows))
        pieces = pieces[casts[self._stack.look[pieces]]]
        for program, define in DEFINES.items():
            looks = [k for k, name in enumerate(self._stack.names) if self._looks[name].program == program]
            some = pieces[np.isin(self._stack.look[pieces], looks)]
            if len(some):
                self._program(("DEPTH", *define)).use().set(clip_of_world=clip_of_world, eye=np.zeros(3))
                for mesh, these in self._grouped(some, np.full(len(some), 0.1)):
                    _draw(mesh, self._instances[these])

    def _inside(self, rows: NDArray[np.int64], planes: NDArray) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = (self._center[rows] @ planes[:, :3].T + planes[:, 3] > -self._reach[rows, None]).all(axis=1)
        return inside

    def _grouped(self, rows: NDArray[np.int64], angle: Array) -> Iterator[tuple[Mesh, NDArray[np.int64]]]:
        """Yield each mesh with the pieces that it draws at these angles [rad]."""
        for k in np.unique(self._stack.look[rows]):
            name = self._stack.names[k]
            some = self._stack.look[rows] == k
            level = np.searchsorted(self._looks[name].limits, angle[some])
            for number in np.unique(level):
                yield self._mesh(name)[number], rows[some][level == number]

    def _mesh(self, name: str) -> list[Mesh]:
        """Return the meshes of a look, from coarse to fine."""
        if name not in self._meshes:
            parts = (indexed(mesh) for mesh in self._looks[name].levels)
            self._meshes[name] = [Mesh(vertices, LAYOUT, indices, instance=INSTANCE) for vertices, indices in parts]
        return self._meshes[name]

    def _program(self, define: tuple[str, ...]) -> Program:
        if define not in self._programs:
            dark = define[:1] == ("DEPTH",)
            program = Program("dressed", "depth" if dark else None, define=define)
            program.use().set(shadow=4, casters=UNIT_OF_CASTERS, stains=UNIT_OF_STAINS)
            self._programs[define] = program
        return self._programs[define]

    def _stain_texture(self) -> Texture:
        if self._stains is None:
            self._stains = Texture(stains(), gl.GL_REPEAT)
        return self._stains


def dressing_fineness(detail: Detail, exact: bool) -> float:
    """Return the fineness of dressings at a level of detail; with a graphics card or for images of sensors, details are drawn farther away."""
    return 8.0 if exact else 4.0 if detail.gloss else 1.0


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
