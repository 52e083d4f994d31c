"""Changes of objects during a drive: a table with one row per object in the view block, after the ruts.

The host writes an object that was removed, or that moves after it has broken off or left its path, or along a path that the session writes.
Tickets guard each row, as for the states. A view reads the rows that have changed since its previous read; a new view reads all. Other objects
on paths need no row, because their poses are functions of time; parts of vehicles need none, because the states of the vehicles place them.
Objects that were added during the drive have the SPARE rows; further ones are drawn, but neither move freely nor disappear.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, dtype_of, record
from terrain.objects.records import BREAKAWAY, PATH

SPARE = 1024
"""Number of rows for objects that are added during a drive."""

_CHANGE = (
    # name    shape  unit   description
    ("removed", (), "1", "1 = removed", "i8"),
    ("moved", (), "1", "1 = the pose is valid; 0 = the object is on its path", "i8"),
    ("time", (), "s", "simulated time of the pose"),
    ("p_WO", (3,), "m", "origin of O, in W"),
    ("R_WO", (3, 3), "1", "axes of O, in W"),
    ("v_WO", (3,), "m/s", "velocity of the origin of O, in W"),
    ("w_WO", (3,), "rad/s", "angular velocity, in W"),
)
_ROW = dtype_of(_CHANGE)
_MOTION = ("p_WO", "R_WO", "v_WO", "w_WO")
"""Fields of the motion of an object, in the order of `ObjectChanges`."""
_MOTION_TYPE = np.dtype([(name, *_ROW.fields[name][:1]) for name in _MOTION])  # type: ignore[index]


class ObjectChanges(NamedTuple):
    """Present state of some objects."""

    rows: NDArray[np.int64]
    """(n,) rows of `ObjectData`"""
    present: NDArray[np.bool_]
    """(n,) False = removed"""
    moved: NDArray[np.bool_]
    """(n,) True = the pose is valid: breakaway objects, and objects that have left their paths"""
    time: NDArray[np.float64]
    """(n,) simulated time of the pose [s]"""
    p_WO: NDArray[np.float64]
    """(n, 3) m"""
    R_WO: NDArray[np.float64]
    """(n, 3, 3)"""
    v_WO: NDArray[np.float64]
    """(n, 3) m/s"""
    w_WO: NDArray[np.float64]
    """(n, 3) rad/s"""


def size_of(rows: int) -> int:
    """Return the bytes of a table."""
    return rows * (8 + _ROW.itemsize)


class ObjectTable:
    """Table in a memory block, which is zero at first."""

    def __init__(self, buffer: Any, offset: int, rows: int) -> None:
        self._begin = np.frombuffer(buffer, np.uint32, rows, offset)
        self._end = np.frombuffer(buffer, np.uint32, rows, offset + 4 * rows)
        self._changes = np.frombuffer(buffer, _ROW, rows, offset + 8 * rows)
        self._seen = np.zeros(rows, np.uint32)

    def put(self, changes: ObjectChanges) -> None:
        """Write changes; rows beyond the table are ignored."""
        inside = changes.rows < len(self._begin)
        rows = changes.rows[inside]
        tickets = self._begin[rows] + np.uint32(1)
        self._begin[rows] = tickets
        self._changes["removed"][rows] = ~changes.present[inside]
        for name in ("moved", "time", *_MOTION):
            self._changes[name][rows] = getattr(changes, name)[inside]
        self._end[rows] = tickets

    def take(self, all_of_them: bool = False) -> ObjectChanges:
        """Return the rows that have changed since the previous calls, or ever; a row being written follows in the next call."""
        if all_of_them:
            self._seen[:] = 0
        end = self._end.copy()
        rows = np.flatnonzero(end != self._seen)
        changes = self._changes[rows]
        complete = self._begin[rows] == end[rows]
        rows, changes = rows[complete], changes[complete]
        self._seen[rows] = end[rows]
        return ObjectChanges(rows, changes["removed"] == 0, changes["moved"] != 0, changes["time"], *(changes[name] for name in _MOTION))


NO_CHANGES = ObjectChanges(
    np.zeros(0, np.int64), np.zeros(0, bool), np.zeros(0, bool), np.zeros(0),
    np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 3)),
)  # fmt: skip


def joined(a: ObjectChanges, b: ObjectChanges) -> ObjectChanges:
    """Return the changes of two sets of objects."""
    if not len(b.rows):
        return a
    return ObjectChanges(**{name: np.concatenate((getattr(a, name), getattr(b, name))) for name in ObjectChanges._fields})


def steered_poses(objects: Any, time: float) -> tuple[NDArray[np.int64], Record]:
    """Return the rows of the objects of a `terrain.objects.object_set.ObjectSet` that are on paths that the session writes, and records of POSE
    at a time [s]."""
    from terrain.objects.pose import POSE  # imported here, because these load the compiler
    from terrain.rays.cast import place_objects

    rows: NDArray[np.int64] = objects.steered_rows
    r = objects.records[rows]
    free = np.zeros(len(rows), bool)
    own = r["mass"] > 0.0
    free[own] = objects.states["broken"][r["state"][own]] > 0
    rows = rows[(r["present"] == 1) & ~free]
    poses = record(POSE, len(rows))
    place_objects(objects.world, rows, poses, time)
    return rows, poses


class ChangedObjects:
    """Finds the objects of a session that were removed or have moved freely since the previous call.

    Parameters
    ----------
    steered : also those that have moved on paths that the session writes
    """

    def __init__(self, steered: bool = True) -> None:
        self._with_steered = steered
        self._objects: Any = None
        self._edits = 0
        self._breakaway = np.zeros(0, np.int64)
        self._present, self._free = np.zeros(0, bool), np.zeros(0, bool)
        self._loose = np.zeros(0, bool)
        """False for parts that their vehicle moves"""
        self._motion = np.zeros(0, _MOTION_TYPE)
        self._last_steered = (np.zeros(0, np.int64), np.zeros((0, 3)))

    def take(self, objects: Any, time: float) -> ObjectChanges:
        """Return the changes of a `terrain.objects.object_set.ObjectSet` at simulated time `time` [s]."""
        if objects is not self._objects:
            self._follow(objects)
        rows = np.concatenate((self._removed(), self._touched()))
        steered = self._steered(time) if self._with_steered and len(objects.steered_rows) else NO_CHANGES
        if not len(rows):
            return steered
        records = objects.records[rows]
        own = records["mass"] > 0.0
        motion = np.zeros(len(rows), _MOTION_TYPE)
        for name in _MOTION:
            motion[name][own] = objects.states[name][records["state"][own]]
        own[own] = (records["motion"][own] == BREAKAWAY) | self._free[records["state"][own]]
        changes = ObjectChanges(rows, self._present[rows], own, np.full(len(rows), time), *(motion[name] for name in _MOTION))
        return joined(changes, steered)

    def _steered(self, time: float) -> ObjectChanges:
        """Return the poses at a time [s] of the objects on paths that the session writes; those at rest are left out after the first time."""
        rows, poses = steered_poses(self._objects, time)
        known, places = self._last_steered
        some = (poses["p_WO"] != places).any(axis=1) if np.array_equal(known, rows) else np.ones(len(rows), bool)
        self._last_steered = rows, poses["p_WO"].copy()
        rows, poses = rows[some], poses[some]
        yes = np.ones(len(rows), bool)
        return ObjectChanges(rows, yes, yes, np.full(len(rows), time), *(poses[name] for name in _MOTION))

    def _removed(self) -> NDArray[np.int64]:
        """Return the rows of the objects that were removed."""
        if self._objects.edits == self._edits:
            return np.zeros(0, np.int64)
        self._edits = self._objects.edits
        present = self._objects.records["present"] > 0
        rows = np.flatnonzero(present != self._present)
        self._present = present
        return rows

    def _touched(self) -> NDArray[np.int64]:
        """Return the rows of the objects that have broken off, moved, or were put back."""
        states = self._objects.states[: len(self._breakaway)]
        free = states["broken"] > 0
        some = np.flatnonzero((free | self._free) & self._loose)
        if not len(some):
            return some
        motion = np.zeros(len(some), _MOTION_TYPE)
        for name in _MOTION:
            motion[name] = states[name][some]
        touched = (free[some] != self._free[some]) | (motion != self._motion[some])
        self._free, self._motion[some] = free, motion
        return self._breakaway[some[touched]]

    def _follow(self, objects: Any) -> None:
        """Follow another set, which continues the previous one or is the first."""
        self._objects, self._edits = objects, -1
        self._breakaway = np.flatnonzero(objects.records["mass"] > 0.0)
        in_no_vehicle = [getattr(objects.objects[row], "vehicle", None) is None for row in self._breakaway]
        self._loose = np.array(in_no_vehicle, bool) | (objects.records["motion"][self._breakaway] == PATH)
        self._present = _longer(self._present, np.ones(len(objects), bool))
        self._free = _longer(self._free, np.zeros(len(self._breakaway), bool))
        self._motion = _longer(self._motion, np.zeros(len(self._breakaway), _MOTION_TYPE))


def _longer(values: NDArray[Any], default: NDArray[Any]) -> NDArray[Any]:
    """Return `default` with the first rows replaced by `values`."""
    default[: len(values)] = values[: len(default)]
    return default
