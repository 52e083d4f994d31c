"""Objects of a recorded drive that broke off or were removed, at any row of its log."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import NOTHING, ConfigError
from simulator.base.npy_reader import read_npz
from simulator.outlets.object_file import POSE
from simulator.telemetry.run_folder import OBJECTS_NAME
from simulator.view.object_changes import NO_CHANGES, ObjectChanges
from terrain.objects.records import PATH


class RecordedObjects:
    """Follows the objects of a recording.

    Parameters
    ----------
    folder : folder of the run; without a file of objects, all objects stay at their places
    objects : objects at the start of the drive (`terrain.objects.object_set.ObjectSet`)
    ticks_per_row : ticks between two rows of the log
    say : called with one line if the file is unusable
    """

    def __init__(self, folder: Path, objects: Any, ticks_per_row: int, say: Callable[[str], None]) -> None:
        self._ticks_per_row, self._tick = ticks_per_row, -1
        self._poses = np.zeros(0, POSE)
        file = folder / OBJECTS_NAME
        if len(objects) and file.exists():
            try:
                self._poses = _read(file)
            except ConfigError as error:
                say(f"{error}; the objects are drawn at their places")
        self._path_start = np.where((objects.records["motion"] == PATH)[:, None], objects.records["p_WO"], np.nan)
        """(n, 3) m, places of the objects on paths at time 0: an object that is there has not left its path"""
        self._start = _at_start(objects, np.unique(self._poses["row"]))

    def take(self, row: int) -> ObjectChanges:
        """Return the objects that change from the row of the previous call to `row`, which may be an earlier one."""
        tick, before = row * self._ticks_per_row, self._tick
        self._tick = tick
        if tick == before or not len(self._poses):
            return NO_CHANGES
        first = int(np.searchsorted(self._poses["tick"], before, side="right")) if tick > before >= 0 else 0
        poses = self._poses[first : int(np.searchsorted(self._poses["tick"], tick, side="right"))]
        if first == 0:
            poses = np.concatenate((self._start, poses))
        # the last pose of each object
        _, last = np.unique(poses["row"][::-1], return_index=True)
        poses = poses[::-1][last]
        rows = poses["row"].astype(np.int64)
        on_path = np.zeros(len(poses), bool)
        known = rows < len(self._path_start)
        on_path[known] = (poses["p_WO"][known] == self._path_start[rows[known]]).all(axis=1)
        velocities = poses["v_WO"].astype(float), poses["w_WO"].astype(float)
        return ObjectChanges(rows, poses["present"] > 0, ~on_path, poses["time"], poses["p_WO"], poses["R_WO"], *velocities)


def _read(file: Path) -> NDArray[np.void]:
    """Return the poses of a file in the order of their ticks. Raises ConfigError."""
    arrays = read_npz(file, "a file of objects of a run")
    poses = np.zeros(len(arrays.get("tick", ())), POSE)
    for name in POSE.names or ():
        if name not in arrays or arrays[name].shape != poses[name].shape or arrays[name].dtype != poses[name].dtype:
            raise ConfigError(file, name, "another array" if name in arrays else NOTHING, "an array of this version, one row per pose")
        poses[name] = arrays[name]
    return poses[np.argsort(poses["tick"], kind="stable")]


def _at_start(objects: Any, rows: NDArray[Any]) -> NDArray[np.void]:
    """Return the poses of some objects at the start of the drive; objects that were added later are not present."""
    poses = np.zeros(len(rows), POSE)
    poses["row"] = rows
    there = rows < len(objects)
    poses["present"] = there
    for name in ("p_WO", "R_WO"):
        poses[name][there] = objects.records[name][rows[there]]
    return poses
