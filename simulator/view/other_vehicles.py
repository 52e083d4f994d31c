"""Rendering of the other vehicles: body, wheels, panes and lamps, one draw call for each mesh of a kind of vehicle and level of detail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.base.records import Record
from simulator.view.bodies.driver import seated
from simulator.view.bodies.kinds import body_of
from simulator.view.detail import Detail
from simulator.view.gl_objects import Mesh, Program
from simulator.view.lamps import VehicleLamps, vehicle_lamps
from simulator.view.meshes import LAYOUT, PAINTED, mirrored, simplified
from simulator.view.object_culling import SIGHT, ObjectItems, planes_of
from simulator.view.object_data import ObjectData
from simulator.view.object_meshes import indexed
from simulator.view.object_shadows import UNIT_OF_CASTERS
from simulator.view.vehicle_geometry import checked_geometry
from simulator.view.vehicle_states import NO_STATES, are_finite, rotations

CELLS, WHEEL_CELLS = (0.0, 0.05, 0.12, 0.30), (0.0, 0.08, 0.12, 0.30)
"""m. Sizes of the details that the levels of the meshes of bodies and wheels leave out."""
EXACT_ANGLE = 0.0004
"""rad. Angle at the camera below which details of a body are left out in images of sensors."""
INSTANCE = (4, 4, 4, 4)
"""Floats per attribute of an instance: rows of the matrix from B to W; lit stop lamps, lit reverse lamps, lit turn signals; number, or code of the paint."""


class _Kind:
    """Meshes of vehicles with the same geometry."""

    def __init__(self, geometry: dict[str, Any], sun: NDArray) -> None:
        checked = checked_geometry(geometry)
        body = body_of(checked)
        radius, width = checked["tire_radius"], checked["tire_width"]
        wheel = body.wheel(float(radius[0]), float(width[0]))
        self.sizes = np.stack((radius / radius[0], width / width[0], radius / radius[0]), axis=1)
        driver = seated(body, body.eye(checked["p_BH"])) if body.seats else body.fittings[:0]
        solid = np.vstack((body.shell, body.fittings, body.frame, driver))
        solid[(np.abs(solid[:, 6:9] - np.divide(body.paint, 255.0)) < 1e-4).all(axis=1), 9] += PAINTED
        low, high = solid[:, :3].min(axis=0), solid[:, :3].max(axis=0)
        self.middle, self.reach = 0.5 * (low + high), 0.5 * float(np.linalg.norm(high - low)) + float(radius.max())
        self.past_body = sun * float(high[2] - low[2] + 2.0 * radius.max()) / float(sun[2])
        near = solid if body.lining is None else np.vstack((solid, body.lining))
        self.solids = [_mesh(solid if cell else near, cell) for cell in CELLS]
        self.wheels = [(_mesh(wheel, cell), _mesh(mirrored(wheel), cell)) for cell in WHEEL_CELLS]
        self.glass = _mesh(body.glass, 0.0)
        self.lamps = vehicle_lamps(solid)

    def delete(self) -> None:
        """Delete the meshes."""
        for mesh in (*self.solids, *(one for pair in self.wheels for one in pair), self.glass):
            mesh.delete()


class OtherVehicles:
    """Other vehicles on the graphics device.

    Parameters
    ----------
    sun : unit vector towards the sun, in W
    casters : whether objects cast shadows on them
    exact : for images of sensors: finer meshes, and `draw_numbers`
    """

    def __init__(self, data: ObjectData, detail: Detail, sun: NDArray, casters: bool, exact: bool) -> None:
        self._angle, self._sun = EXACT_ANGLE if exact else detail.vehicle_angle, sun
        self._defines = ("INSTANCED", *(() if detail.gloss else ("PLAIN",)), *(("CASTERS",) if casters else ()))
        self._exact = exact
        self._programs: tuple[Program, Program, Program | None] | None = None
        """For opaque parts, panes and numbers; compiled when there are vehicles"""
        self._kinds: list[_Kind] = []
        self._texts: list[dict[str, Any]] = []
        self._states, self._R, self._kind_of = NO_STATES, np.zeros((0, 3, 3)), np.zeros(0, np.int64)
        """Drawn vehicles: states, R_WB, row of `_kinds` or -1"""
        self._marks = np.zeros(0)
        """Codes of their paints, or their numbers while these are drawn"""
        self.show(data)

    def show(self, data: ObjectData) -> None:
        """Show the vehicles of other objects from now on."""
        geometries, before = data.geometries, list(zip(self._texts, self._kinds, strict=True))
        if geometries != self._texts:
            self._programs = self._programs or self._compiled()
            kinds = [next((kind for text, kind in before if text == one), None) or _Kind(one, self._sun) for one in geometries]
            for kind in set(self._kinds) - set(kinds):
                kind.delete()
            self._texts, self._kinds = geometries, kinds
        self._vehicles, self._paints = data.vehicles, paint_codes(data.looks[:, 3:])
        self._states, self._R, self._kind_of = NO_STATES, np.zeros((0, 3, 3)), np.zeros(0, np.int64)

    def _compiled(self) -> tuple[Program, Program, Program | None]:
        programs = Program("solid", define=self._defines), Program("solid", define=("INSTANCED", "GLASS"))
        for program in programs:
            program.use().set(shadow=4, casters=UNIT_OF_CASTERS)
        return (*programs, Program("solid", "number", define=("INSTANCED", "NUMBERS")) if self._exact else None)

    def place(self, states: Record, items: ObjectItems) -> None:
        """Draw vehicles in these states from now on, those that are present among the objects; one whose state has become invalid is drawn as
        its parts, at its last place."""
        states = states[are_finite(states)]
        numbers = np.searchsorted(self._vehicles[:, 0], states["row"])
        known = numbers < len(self._vehicles)
        known[known] = self._vehicles[numbers[known], 0] == states["row"][known]
        self._states, numbers = states[known], numbers[known]
        self._marks = self._paints[numbers]
        self._R = rotations(self._states["q_WB"])
        items.place_vehicles(numbers, self._states["p_WB"], self._R)
        self._kind_of = np.where(items.present[self._states["row"]], self._vehicles[numbers, 2], -1)

    @property
    def states(self) -> Record:
        """States of the drawn vehicles, records of VEHICLE."""
        return self._states

    def draw(self, clip_of_world: NDArray, eye: NDArray, shadow: dict[str, Any]) -> None:
        """Draw the opaque parts. shadow: uniforms of the shadows of the first vehicle and of objects."""
        for kind, rows, levels in self._visible(clip_of_world, eye):
            self._program(0).use().set(clip_of_world=clip_of_world, eye=eye, past_body=kind.past_body, **shadow)
            self._draw_solids(kind, rows, levels)

    def lamps(self) -> Iterator[tuple[VehicleLamps, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]:
        """Yield the lamps of each kind, and position, attitude and lit stop lamps of its vehicles."""
        for number, kind in enumerate(self._kinds):
            rows = np.flatnonzero(self._kind_of == number)
            if len(rows):
                yield kind.lamps, self._states["p_WB"][rows], self._R[rows], self._states["stop_lamps"][rows].astype(float)

    def draw_glass(self, clip_of_world: NDArray, eye: NDArray, shadow: dict[str, Any]) -> None:
        """Draw the window panes over the image, the farthest first."""
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glEnable(gl.GL_CULL_FACE)
        for kind, rows, _ in self._visible(clip_of_world, eye):
            self._program(1).use().set(clip_of_world=clip_of_world, eye=eye, **shadow)
            _draw(kind.glass, self._bodies(rows[::-1]))
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_BLEND)

    def draw_numbers(self, clip_of_world: NDArray, eye: NDArray) -> None:
        """Draw numbers, 1 + row of the first part of each vehicle, with the shader `number`; panes hide what is behind them."""
        paints, self._marks = self._marks, 1.0 + self._states["row"]
        for kind, rows, levels in self._visible(clip_of_world, eye):
            self._program(2).use().set(clip_of_world=clip_of_world, eye=eye)
            self._draw_solids(kind, rows, levels)
            _draw(kind.glass, self._bodies(rows))
        self._marks = paints

    def _program(self, number: int) -> Program:
        program = None if self._programs is None else self._programs[number]
        assert program is not None
        return program

    def _visible(self, clip_of_world: NDArray, eye: NDArray) -> Iterator[tuple[_Kind, NDArray[np.int64], NDArray[np.int64]]]:
        """Yield each kind with the vehicles that are inside the view, the nearest first, and their levels of detail."""
        if not len(self._states):
            return
        planes = planes_of(clip_of_world)
        for number, kind in enumerate(self._kinds):
            rows = np.flatnonzero(self._kind_of == number)
            center = self._states["p_WB"][rows] + self._R[rows] @ kind.middle
            distance = np.linalg.norm(center - eye, axis=1)
            inside = (center @ planes[:, :3].T + planes[:, 3] > -kind.reach).all(axis=1) & (distance - kind.reach < SIGHT)
            order = np.argsort(distance[inside], kind="stable")
            rows, gap = rows[inside][order], np.maximum(distance[inside][order] - kind.reach, 0.0)
            if len(rows):
                yield kind, rows, np.searchsorted(CELLS[1:], gap * self._angle, side="right")

    def _draw_solids(self, kind: _Kind, rows: NDArray[np.int64], levels: NDArray[np.int64]) -> None:
        """Draw bodies and wheels with the active program."""
        for level in np.unique(levels):
            some = rows[levels == level]
            _draw(kind.solids[level], self._bodies(some))
            wheels, right = self._wheels(kind, some)
            for side, mesh in enumerate(kind.wheels[level]):
                _draw(mesh, wheels[right == side])

    def _bodies(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the instances (n, 16) of the bodies of some vehicles."""
        s = self._states[rows]
        out = np.zeros((len(rows), 4, 4))
        out[:, :3, :3], out[:, :3, 3] = self._R[rows], s["p_WB"]
        out[:, 3, 0], out[:, 3, 1], out[:, 3, 2] = s["stop_lamps"], s["reverse_lamps"], s["turn_lamps"]
        out[:, 3, 3] = self._marks[rows]
        return out.reshape(-1, 16)

    def _wheels(self, kind: _Kind, rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the instances (n, 16) of the wheels of some vehicles, and whether each is on the right side."""
        count = len(kind.sizes)
        s = self._states[rows]
        p_BK, R_BK, angle = s["p_BK"][:, :count].astype(float), s["R_BK"][:, :count].astype(float), s["wheel_angle"][:, :count]
        out = np.repeat(self._bodies(rows).reshape(-1, 1, 4, 4), count, axis=1)
        R, p = self._R[rows][:, None], s["p_WB"][:, None]
        c, t = np.cos(angle), np.sin(angle)
        spin = np.zeros((*angle.shape, 3, 3))
        spin[..., 0, 0] = spin[..., 2, 2] = c
        spin[..., 1, 1], spin[..., 0, 2], spin[..., 2, 0] = 1.0, t, -t
        out[:, :, :3, :3] = R @ R_BK @ spin * kind.sizes[:, None, :]
        out[:, :, :3, 3] = p + (R @ p_BK[..., None])[..., 0]
        return out.reshape(-1, 16), (p_BK[..., 1] < 0.0).ravel()


def paint_codes(colors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the codes (n,) of sRGB colors (n, 3), 0 to 1, for the shader; 0 for NaN."""
    own = np.round(np.nan_to_num(colors) * 255.0)
    return np.where(np.isnan(colors[:, 0]), 0.0, 1.0 + own @ (1.0, 256.0, 65536.0))


def _mesh(mesh: NDArray, cell: float) -> Mesh:
    vertices, indices = indexed(simplified(mesh, cell) if cell else mesh)
    return Mesh(vertices, LAYOUT, indices, instance=INSTANCE)


def _draw(mesh: Mesh, instances: NDArray[np.float64]) -> None:
    if len(instances):
        mesh.upload_instances(instances)
        mesh.draw_instances(len(instances))
