"""Objects of a recorded drive that broke off or were removed, at any row of its log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import NOTHING, ConfigError
from simulator.base.npy_reader import read_npz
from simulator.outlets.object_file import POSE, STEERED
from simulator.telemetry.run_folder import OBJECTS_NAME
from simulator.view.object_changes import NO_CHANGES, ObjectChanges, joined
from terrain.objects.records import PATH


class RecordedObjects:
    """Follows the objects of a recording.

    Parameters
    ----------
    folder : folder of the run; without a file of objects, all objects stay at their places
    objects : objects at the start of the drive (`terrain.objects.object_set.ObjectSet`)
    ticks_per_row : ticks between two rows of the log
    step : length of a tick [s]
    say : called with one line if the file is unusable

    Attributes
    ----------
    steered : stored poses of the traffic
    step : length of a tick [s]
    """

    def __init__(self, folder: Path, objects: Any, ticks_per_row: int, step: float, say: Callable[[str], None]) -> None:
        self._ticks_per_row, self._tick, self.step = ticks_per_row, -1, step
        self._poses, self.steered = np.zeros(0, POSE), np.zeros(0, STEERED)
        file = folder / OBJECTS_NAME
        if len(objects) and file.exists():
            try:
                self._poses, self.steered = _read(file)
            except ConfigError as error:
                say(f"{error}; the objects are drawn at their places")
        self._path_start = np.where((objects.records["motion"] == PATH)[:, None], objects.records["p_WO"], np.nan)
        """(n, 3) m, places of the objects on paths at time 0: an object that is there has not left its path"""
        self._start = _at_start(objects, np.unique(self._poses["row"]))
        self._steered_ticks, self._first_steered = np.unique(self.steered["tick"], return_index=True)

    def take(self, row: int) -> ObjectChanges:
        """Return the objects that change from the row of the previous call to `row`, which may be an earlier one."""
        tick, before = self.tick_of(row), self._tick
        self._tick = tick
        if tick == before:
            return NO_CHANGES
        return self._both(tick, before)

    def tick_of(self, row: int) -> int:
        """Return the tick of a row of the log."""
        return row * self._ticks_per_row

    def all_at(self, row: int) -> ObjectChanges:
        """Return all objects that have changed until a row; the last entry of an object counts."""
        tick = self.tick_of(row)
        return self._both(tick, -1)

    def _both(self, tick: int, before: int) -> ObjectChanges:
        """Return the objects that change from a tick to another one; the last entry of an object counts."""
        steered, changed = self._steered_at(tick), self._changed(tick, before)
        counts = changed.moved | ~changed.present | ~np.isin(changed.rows, steered.rows)  # the others follow a path that the session wrote
        return joined(steered, ObjectChanges(**{name: getattr(changed, name)[counts] for name in ObjectChanges._fields}))

    def _steered_at(self, tick: int) -> ObjectChanges:
        """Return the poses of the traffic at a tick: cubic polynomials of time between the stored poses."""
        if not len(self.steered):
            return NO_CHANGES
        k = max(int(np.searchsorted(self._steered_ticks, tick, side="right")) - 1, 0)
        ends = [*self._first_steered, len(self.steered)]
        a = self.steered[ends[k] : ends[k + 1]]
        follows = k + 2 < len(ends)
        h = self.step * (float(self._steered_ticks[k + 1] - self._steered_ticks[k]) if follows else 1.0)
        b = a.copy()  # an object that is hit before the next pose goes on until then
        b["p_WO"] += h * b["v_WO"]
        if follows:
            after = self.steered[ends[k + 1] : ends[k + 2]]
            _, own, found = np.intersect1d(a["row"], after["row"], return_indices=True)
            b[own] = after[found]
        u = min(max((tick - int(self._steered_ticks[k])) * self.step / h, 0.0), 1.0)
        w = (1.0 - u * u * (3.0 - 2.0 * u), u * u * (3.0 - 2.0 * u), h * u * (1.0 - u) ** 2, -h * u * u * (1.0 - u))
        p = w[0] * a["p_WO"] + w[1] * b["p_WO"] + w[2] * a["v_WO"] + w[3] * b["v_WO"]
        R = _unit_axes((1.0 - u) * a["R_WO"] + u * b["R_WO"])
        yes, none = np.ones(len(a), bool), np.zeros((len(a), 3))
        return ObjectChanges(a["row"].astype(np.int64), yes, yes, np.full(len(a), tick * self.step), p, R, none, none)

    def _changed(self, tick: int, before: int) -> ObjectChanges:
        """Return the other objects that change from a tick to another one."""
        if not len(self._poses):
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


def _read(file: Path) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """Return the poses of a file in the order of their ticks, and those of the traffic. Raises ConfigError."""
    arrays = read_npz(file, "a file of objects of a run")
    steered = _poses(file, arrays, STEERED, "steered_") if "steered_tick" in arrays else np.zeros(0, STEERED)
    return _poses(file, arrays, POSE, ""), steered


def _poses(file: Path, arrays: Mapping[str, NDArray[Any]], table: np.dtype[Any], prefix: str) -> NDArray[np.void]:
    """Return the poses of a table in the order of their ticks. Raises ConfigError."""
    poses = np.zeros(len(arrays.get(f"{prefix}tick", ())), table)
    for name in table.names or ():
        given = arrays.get(f"{prefix}{name}")
        if given is None or given.shape != poses[name].shape or given.dtype != poses[name].dtype:
            raise ConfigError(
                file, f"{prefix}{name}", NOTHING if given is None else "another array", "an array of this version, one row per pose"
            )
        poses[name] = given
    return poses[np.argsort(poses["tick"], kind="stable")]


def _unit_axes(R: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return axes (n, 3, 3) at right angles that are close to others, the first and the third one exactly in direction and plane."""
    x = R[:, :, 0] / np.linalg.norm(R[:, :, 0], axis=1)[:, None]
    y = np.cross(R[:, :, 2], x)
    y /= np.linalg.norm(y, axis=1)[:, None]
    return np.stack((x, y, np.cross(x, y)), axis=2)


def _at_start(objects: Any, rows: NDArray[Any]) -> NDArray[np.void]:
    """Return the poses of some objects at the start of the drive; objects that were added later are not present."""
    poses = np.zeros(len(rows), POSE)
    poses["row"] = rows
    there = rows < len(objects)
    poses["present"] = there
    for name in ("p_WO", "R_WO"):
        poses[name][there] = objects.records[name][rows[there]]
    return poses
