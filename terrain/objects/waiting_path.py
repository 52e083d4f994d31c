"""Path that an object begins during a drive. Until then the object stands at the first point.

The segments of such a path begin so late that no drive gets there; to begin, they get their times. Kernels need not know.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from simulator.base.arrays import Array
from simulator.base.records import Record
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path, path_pose

NEVER = 1e9
"""s. Time at which a waiting path begins."""


@dataclass(frozen=True, eq=False)
class WaitingPath(Path):
    """Path that begins during a drive."""

    waits = True
    """Its poses are no function of the time alone, for those who know the segments from the begin of a drive."""

    def segments(self, yaw: float) -> Record:
        """Return records of SEGMENT that begin at NEVER."""
        out = super().segments(yaw)
        out["time"] += NEVER
        return out

    def begun(self, time: float) -> Record:
        """Return the times of the segments of a path that begins at a time [s]."""
        return super().segments(0.0)["time"] + time


def with_waiting(objects: ObjectSet, names: set[str]) -> ObjectSet:
    """Return a set in which the objects with these names wait at the first point of their paths."""
    changed = [
        replace(one, motion=WaitingPath(**{field.name: getattr(one.motion, field.name) for field in fields(Path)}))
        if one.name in names and isinstance(one.motion, Path)
        else one
        for one in objects.objects
    ]
    return ObjectSet(changed, objects.first)


def path_motion(objects: ObjectSet, row: int, time: float) -> Array:
    """Return x, y, z [m], yaw [rad] and their rates [m/s, rad/s] (8,) of the object in a row on its path at a time [s]."""
    r, at = objects.records[row], np.empty(8)
    path_pose(objects.segments, int(r["first_segment"]), int(r["segments"]), int(r["repeats"]), time, at)
    return at


def has_waiting(objects: ObjectSet) -> bool:
    """Return whether a path of the set waits."""
    return any(isinstance(one.motion, WaitingPath) for one in objects.objects)


def hold_path(objects: ObjectSet, name: str) -> None:
    """Let an object wait at the first point of its path."""
    _set_begin(objects, name, NEVER)


def begin_path(objects: ObjectSet, name: str, time: float) -> None:
    """Let an object begin its path at a time [s], unless it has begun."""
    _set_begin(objects, name, time)


def _set_begin(objects: ObjectSet, name: str, time: float) -> None:
    """Write the times of a path to its segments, which no other session may share."""
    row = next(row for row, one in enumerate(objects.objects) if one.name == name)
    motion, r = objects.objects[row].motion, objects.records[row]
    assert isinstance(motion, WaitingPath)
    first = int(r["first_segment"])
    if time == NEVER or objects.segments["time"][first, 0] >= NEVER:
        objects.segments["time"][first : first + int(r["segments"])] = motion.begun(time)
