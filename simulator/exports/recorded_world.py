"""World of a recorded drive at any time: objects that stood, moved on paths, broke off or were removed, and the other vehicles."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import JounceError
from simulator.base.records import Record
from simulator.exports.source import ExportedRun
from simulator.sensors.truth import Viewpoint, true_boxes
from simulator.telemetry.recover import KILLED
from simulator.telemetry.run_folder import OBJECTS_NAME
from simulator.view.vehicle_states import rotations
from terrain.objects.records import STATIC
from terrain.rays.caster import RayCaster

if TYPE_CHECKING:
    from simulator.run.recording import Recording

MAX_RANGE = 100.0
"""m from a sensor to the farthest box."""


class RecordedWorld:
    """World of a start of a run. It is built from the configuration of the run when it is first asked.

    Wheels of other vehicles have their places at rest. Vehicles and objects that a program added during the drive are not in it.
    """

    def __init__(self, run: ExportedRun, number: int) -> None:
        self._run, self._number = run, number

    @cached_property
    def is_known(self) -> bool:
        """Whether the world can be built; if not, a note for the user says why."""
        try:
            folder, objects = self._recording.file.parent, self._recording.parts.ground.objects
            if self._run.about.get("ended") == KILLED and len(objects) and not (folder / OBJECTS_NAME).exists():
                self._run.note("the run was killed: objects that it moved have their true boxes where they were at its start")
            return True
        except JounceError as error:
            self._run.note(f"true boxes are left out: {error}")
            return False

    @cached_property
    def _recording(self) -> Recording:
        """The recorded drive. Raises ConfigError, JounceError: its configuration cannot be built."""
        from simulator.run.recording import Recording

        return Recording(self._run.file, self._run.note)

    @cached_property
    def _objects(self) -> Any:
        return self._recording.objects()

    @cached_property
    def _caster(self) -> RayCaster:
        return RayCaster(self._recording.parts.ground)

    @cached_property
    def _first_row(self) -> int:
        """Row of the log at which the start begins."""
        restarts = np.flatnonzero(np.diff(self._recording.times) < 0.0) + 1
        return int([0, *restarts.tolist()][min(self._number - 1, len(restarts))])

    def label(self, number: int) -> int:
        """Return the label of an object by its number; 0 if the world does not have it."""
        if not self.is_known:
            return 0
        records = self._recording.parts.ground.objects.records
        found = np.flatnonzero(records["number"] == number)
        return int(records["label"][found[0]]) if len(found) else 0

    def boxes(self, time: float, p_WS: Array, R_WS: Array) -> Record:
        """Return the true boxes at a simulated time [s], in the axes of a sensor at a pose, see `simulator.sensors.truth`."""
        view = Viewpoint(np.ascontiguousarray(p_WS), np.ascontiguousarray(R_WS), np.ascontiguousarray(p_WS))
        return true_boxes(self._caster.with_objects(self._objects_at(time)), time, view, MAX_RANGE)

    def _objects_at(self, time: float) -> Any:
        """Return the objects as they were at a time."""
        recording = self._recording
        times = recording.times[self._first_row :]
        position = recording.positions[self._first_row] + time - times[0]
        row = recording.row_at(position + 1e-9)
        world = recording.parts.ground.objects.for_session()
        if not len(world):
            return world
        changes = self._objects.all_at(row)
        known = changes.rows < len(world)
        for k in np.flatnonzero(known):  # the last entry of an object counts
            world.records["present"][changes.rows[k]] = changes.present[k]
            if changes.moved[k]:
                _put(world, int(changes.rows[k]), changes.p_WO[k], changes.R_WO[k])
        self._put_vehicles(world, position)
        loose = (world.records["mass"] > 0.0) & (world.states["broken"][world.records["state"]] != 0)
        rows = np.flatnonzero(loose)
        world.broken_rows[: len(rows)] = rows
        world.world["broken"] = len(rows)
        return world

    def _put_vehicles(self, world: Any, position: float) -> None:
        from simulator.view.make_object_data import vehicles_among

        states = {int(one["row"]): one for one in self._recording.vehicles(position)}
        for parts in vehicles_among(world):
            rows = range(parts.first, parts.first + parts.parts)
            world.records["number"][list(rows)] = world.records["number"][parts.first]  # a vehicle is one object
            one = states.get(parts.first)
            if one is None:
                continue
            if not np.isfinite(one["p_WB"]).all():  # it has not entered the world, or has left it
                world.records["present"][list(rows)] = 0
                continue
            R = rotations(one["q_WB"][None])[0]
            for row in rows:
                _put(world, row, one["p_WB"] + R @ np.array(parts.vehicle.origin), R)


def _put(world: Any, row: int, p_WO: Array, R_WO: Array) -> None:
    """Let an object stand at a pose: as a broken one, or, without a mass, in place of its path."""
    record = world.records[row]
    if record["mass"] > 0.0:
        state = world.states[record["state"]]
        state["broken"], state["p_WO"], state["R_WO"], state["v_WO"], state["w_WO"] = 1, p_WO, R_WO, 0.0, 0.0
        return
    if row not in world.mover_rows:
        raise JounceError(f"object {record['number']}: has moved without a mass")
    record["motion"], record["p_WO"], record["R_WO"] = STATIC, p_WO, R_WO
