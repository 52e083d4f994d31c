"""Rendering of objects: few draw calls, one for each shape, each shared mesh and all baked triangles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.base.arrays import Array
from simulator.view.detail import Detail
from simulator.view.dressing import Dressing
from simulator.view.gl_objects import Mesh, Program
from simulator.view.light import Light
from simulator.view.object_changes import ObjectChanges
from simulator.view.object_culling import ObjectItems, Rows, planes_of
from simulator.view.object_data import BAKED, ObjectData
from simulator.view.object_meshes import DETAILS, EXACT_DETAILS, LAYOUT, indexed, unit_meshes
from simulator.view.object_shadows import UNIT_OF_CASTERS, ObjectShadows
from simulator.view.shot import Shot
from simulator.view.sun_view import clip_of_texture

EXACT_BUDGET = 10_000_000
"""Maximum number of triangles of an image of a sensor: with 10 million triangles, a software renderer takes about a second."""
INSTANCE = (4, 4, 4, 4, 3)
"""Floats per attribute of an instance: rows of the matrix, size, color."""
KINDS: tuple[tuple[str, ...], ...] = (("CASTERS", "SHADOW"), ("CASTERS",), ())
"""Variants of the shader: with the shadows of objects and of the vehicle, of objects only, without shadows."""
BATCHES = (32, 256)
"""Numbers of the nearest items that are drawn before all others, so that what they hide is not shaded."""
FIRST_INSTANCE, PAINT = 3, 7
"""Locations of the first attribute of an instance and of the color."""


class Objects:
    """Objects on the graphics device.

    dressings : draw objects in place of their collision shapes, the first that wants to
    exact : meshes for images of sensors, and `draw_numbers`
    """

    def __init__(self, data: ObjectData, light: Light, detail: Detail, dressings: Sequence[Dressing] = (), exact: bool = False) -> None:
        levels = [unit_meshes(detail) for detail in (EXACT_DETAILS if exact else DETAILS)]
        self._exact = exact
        self._counts = np.array([[len(meshes[shape]) // 3 for shape in sorted(meshes)] for meshes in levels])
        self._budget = EXACT_BUDGET if exact else detail.object_triangles
        self._units = [[_unit(meshes[shape]) for shape in sorted(meshes)] for meshes in levels]
        self._programs = [Program("objects", define=kind) for kind in KINDS]
        self._depth = Program("objects", "depth")
        self._number = Program("objects", "number", define=("NUMBERS",)) if exact else None
        self._numbers = False
        """Whether numbers are drawn in place of colors."""
        for program in self._programs:
            program.use().set(shadow=4, casters=UNIT_OF_CASTERS)
        self.shadows = ObjectShadows(detail, light.sun)
        self._dressings, self._dresser = tuple(dressings), np.zeros(0, np.int64)
        self.triangles = 0
        """Triangles of objects in the last image."""
        self._own: list[Mesh] = []
        self.show(data)

    def show(self, data: ObjectData) -> None:
        """Show other objects from now on."""
        for mesh in self._own:
            mesh.delete()
        self.items = ObjectItems(data, self._budget, self._counts, self._exact)
        self._shared = Mesh(data.vertices, LAYOUT, instance=INSTANCE)
        self._baked = Mesh(data.baked, (3, 3, 3), locations=(0, 1, PAINT))
        self._own = [self._shared, self._baked]
        self._numbered = self._baked
        if self._exact:
            self._numbered = Mesh(_numbered(data), (3, 3, 3), locations=(0, 1, PAINT))
            self._own.append(self._numbered)
        self._dresser = np.full(len(data), -1)
        for number, dressing in enumerate(self._dressings):
            self._dresser[dressing.show(data, self._dresser < 0)] = number
        self.items.dressed[:] = self._dresser >= 0
        self.shadows.forget()

    @property
    def any(self) -> bool:
        """Whether there are objects."""
        return len(self.items.owner) > 0

    def apply(self, changes: ObjectChanges) -> None:
        """Apply changes from the host."""
        self.items.apply(changes)

    def place(self, time: float, shot: Shot) -> None:
        """Place moving objects at simulated time `time` [s] and draw the shadow map. Call this before the image is drawn."""
        if not self.any:
            return
        self.items.place(time)
        self.shadows.update(self.items, shot.eye, -shot.R_WC[:, 2], self._draw_depths)

    def draw(self, clip_of_world: NDArray, eye: NDArray, shadow: dict[str, Any]) -> None:
        """Draw the visible objects. shadow: uniforms of the shadows of the vehicle and of objects."""
        self.triangles = 0
        if not self.any:
            return
        items, detail = self.items.visible(clip_of_world, eye)
        kind = np.full(len(items), 2)
        kind[self.items.inside(items, planes_of(self.shadows.view)[:4])] = 1
        kind[self.items.inside(items, planes_of(clip_of_texture(shadow["shadow_of_world"]))[:4])] = 0
        self.shadows.bind()
        for batch in np.split(np.arange(len(items)), BATCHES):
            for k in np.unique(kind[batch]):
                some = batch[kind[batch] == k]
                self._programs[k].use().set(clip_of_world=clip_of_world, eye=eye, **shadow)
                self._draw_items(items[some], detail[some])
        for dressing in self._dressings:
            dressing.draw(clip_of_world, eye, shadow, self.items)

    def draw_numbers(self, clip_of_world: NDArray, eye: NDArray) -> None:
        """Draw the numbers of the visible objects, 1 + row, with the shader `number`; for an `exact` object."""
        if not self.any or self._number is None:
            return
        items, detail = self.items.visible(clip_of_world, eye, dressed=True)
        self._number.use().set(clip_of_world=clip_of_world, eye=eye)
        self._numbers = True
        self._draw_items(items, detail)
        self._numbers = False

    def _draw_depths(self, view: NDArray, items: Rows) -> None:
        dresser = self._dresser[self.items.owner[items]]
        plain = items[dresser < 0]
        self._depth.use().set(clip_of_world=view, eye=np.zeros(3))
        self._draw_items(plain, np.ones(len(plain), np.int64))
        for number, dressing in enumerate(self._dressings):
            rows = np.unique(self.items.owner[items[dresser == number]])
            if len(rows):
                dressing.draw_depths(view, self.items, rows)

    def _draw_items(self, items: Rows, detail: Rows) -> None:
        """Draw items with the active program."""
        group, owner = self.items.group[items], self.items.owner[items]
        gl.glEnable(gl.GL_CULL_FACE)  # the unit meshes are closed, meshes of users may be open
        for shape in range(ObjectItems.MESHES):
            for level, meshes in enumerate(self._units):
                some = owner[(group == shape) & (detail == level)]
                if len(some):
                    self._draw_instances(meshes[shape], some, 0, meshes[shape].count)
        gl.glDisable(gl.GL_CULL_FACE)
        parts = self.items.data.parts
        for number in np.unique(group[group >= ObjectItems.MESHES]):
            _, first, count = parts[number - ObjectItems.MESHES, :3].astype(int)
            self._draw_instances(self._shared, owner[group == number], int(first), int(count))
        baked = parts[self.items.part[items[group == BAKED]]]
        if len(baked):
            for k, row in enumerate(((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (1.0, 1.0, 1.0, 0.0))):
                gl.glVertexAttrib4f(FIRST_INSTANCE + k, *row)
            (self._numbered if self._numbers else self._baked).draw_pieces(baked[:, 1], baked[:, 2])
            self.triangles += int(baked[:, 2].sum()) // 3

    def _draw_instances(self, mesh: Mesh, rows: Rows, first: int, count: int) -> None:
        instances = self.items.instances[rows]
        if self._numbers:
            instances[:, -3] = rows + 1
        mesh.upload_instances(instances)
        mesh.draw_instances(len(rows), first, count)
        self.triangles += len(rows) * count // 3


def _numbered(data: ObjectData) -> NDArray[np.float32]:
    """Return the baked triangles with 1 + row of their object in place of the first component of the color."""
    out = data.baked.copy()
    for owner, first, count in data.parts[data.parts[:, 0] < 0, :3].astype(int):
        out[first : first + count, 6] = -owner  # a part of row k has the owner -1 - k
    return out


def _unit(mesh: Array) -> Mesh:
    vertices, indices = indexed(mesh)
    return Mesh(vertices, LAYOUT, indices, instance=INSTANCE)
