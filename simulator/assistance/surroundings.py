"""Sensor of the driver assistance: the vehicles, persons and objects ahead, as a radar with a tracker would give them.

It measures the true places and velocities of the objects in range, in cycles and with a delay; a tracker extrapolates them to the present.
Nothing hides anything: an object behind another one is measured too.
"""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

import numpy as np

from simulator.assistance.prediction import targets
from simulator.assistance.section import SensorOptions
from simulator.base.records import Record, record
from simulator.base.rotations import rotation_of_quaternion
from terrain.objects.labels import LABELS
from terrain.objects.object_set import ObjectSet
from terrain.objects.pose import POSE
from terrain.objects.records import PATH
from terrain.rays.cast import place_objects

ELEVATION = 0.2
"""1. Height above or below the own plane divided by the distance, above which an object does not count: a bridge, a car below one."""
MIN_HEIGHT = 2.0
"""m. Heights above and below the own reference point at which it counts at any distance."""
MAX_DECELERATION = 10.0
"""m/s2. Limit of the deceleration of an object that the tracker believes."""
SMOOTHING = 0.5
"""1. Weight of the last cycle in the deceleration of an object."""


class _Measured(NamedTuple):
    time: float
    rows: Record


class Surroundings:
    """Sensor and tracker.

    Parameters
    ----------
    options : see `SensorOptions`
    """

    def __init__(self, options: SensorOptions) -> None:
        self._options = options
        self._labels = np.array([LABELS[name] for name in options.labels], np.int64)
        self._limit = max(options.range, options.near_range)
        self._key: tuple[ObjectSet | None, int, int, int] = (None, 0, 0, 0)
        self._fixed = self._moving = np.zeros(0, np.int64)
        self._centers = np.zeros((0, 2))
        self._last = np.zeros((2, 0))  # speed and deceleration of each object in the last cycle, NaN: it was not seen
        self.begin()

    def begin(self) -> None:
        """Forget everything, at the begin of a drive."""
        self._next = -math.inf
        self._waiting: deque[_Measured] = deque()
        self._latest = _Measured(0.0, targets(0))
        self._last[:] = math.nan

    def look(self, time: float, readout: Record, objects: ObjectSet) -> Record:
        """Return records of TARGET of the objects that the sensor has reported, at their places at `time` [s]."""
        if time >= self._next - 1e-6:
            self._next = time + self._options.cycle
            if len(objects):
                self._waiting.append(_Measured(time, self._measure(time, readout, objects)))
        while self._waiting and self._waiting[0].time <= time - self._options.delay + 1e-6:
            self._latest = self._waiting.popleft()
        out, age = self._latest.rows.copy(), time - self._latest.time
        pace = np.hypot(*out["v_W"].T)
        run = np.minimum(age, pace / np.maximum(out["deceleration"], 1e-9))
        left = np.maximum(pace - out["deceleration"] * run, 0.0) / np.maximum(pace, 1e-9)
        out["p_W"] += out["v_W"] * (0.5 * run * (1.0 + left))[:, None]
        out["v_W"] *= left[:, None]
        return out

    def _measure(self, time: float, readout: Record, objects: ObjectSet) -> Record:
        """Return records of TARGET of the objects in range now."""
        r = readout[0]
        here, options = np.array(r["p_WB"]), self._options
        self._sort(objects)
        near = np.hypot(*(self._centers - here[:2]).T) < self._limit + objects.records["reach"][self._fixed]
        rows = np.concatenate((self._fixed[near], self._moving))
        poses = record(POSE, max(1, len(rows)))
        place_objects(objects.world, rows, poses, float(time))
        poses, o = poses[: len(rows)], objects.records[rows]
        center = poses["p_WO"] + np.einsum("nij,nj->ni", poses["R_WO"], o["center_O"])
        R_WB = np.empty((3, 3))
        rotation_of_quaternion(r["q_WB"], R_WB)
        ahead = (center - here) @ R_WB
        distance = np.hypot(ahead[:, 0], ahead[:, 1])
        reach = np.minimum(o["reach"] / np.maximum(distance, 1e-9), 1.0)
        bearing = np.abs(np.arctan2(ahead[:, 1], ahead[:, 0])) - np.arcsin(reach)
        nearest = distance - o["reach"]
        seen = ((nearest < options.range) & (bearing < options.sector)) | ((nearest < options.near_range) & (bearing < options.near_sector))
        seen &= (o["present"] != 0) & (np.abs(ahead[:, 2]) < MIN_HEIGHT + ELEVATION * distance)
        out, rows, poses, o = targets(int(seen.sum())), rows[seen], poses[seen], o[seen]
        out["row"], out["number"], out["label"] = rows, o["number"], o["label"]
        out["p_W"], out["v_W"] = center[seen, :2], poses["v_WO"][:, :2]
        axis = poses["R_WO"][:, :2, 0]
        out["axis_W"] = axis / np.maximum(np.hypot(*axis.T), 1e-9)[:, None]
        out["half"] = o["half_O"][:, :2]
        self._note_decelerations(out)
        return out

    def _note_decelerations(self, rows: Record) -> None:
        """Write the decelerations, from the speeds in the last cycle."""
        speeds, at = np.hypot(*rows["v_W"].T), rows["row"]
        last, smooth = self._last[:, at]
        new = np.clip((last - speeds) / self._options.cycle, 0.0, MAX_DECELERATION)
        rows["deceleration"] = np.where(np.isnan(last), 0.0, SMOOTHING * new + (1.0 - SMOOTHING) * smooth)
        self._last[0] = math.nan
        self._last[:, at] = speeds, rows["deceleration"]

    def _sort(self, objects: ObjectSet) -> None:
        """Sort the objects with labels that count into those that stay where they are and those that move, if they have changed."""
        key = objects, len(objects), objects.edits, int(objects.world[0]["broken"])
        if self._key[0] is key[0] and self._key[1:] == key[1:]:
            return
        self._key = key
        records = objects.records
        moves = records["motion"] == PATH
        moves[objects.broken_rows[: key[3]]] = True
        counts = np.isin(records["label"], self._labels) & (records["present"] != 0)
        self._fixed, self._moving = np.flatnonzero(counts & ~moves), np.flatnonzero(counts & moves)
        self._centers = records["p_WO"][self._fixed, :2]
        last, self._last = self._last, np.full((2, len(objects)), math.nan)
        self._last[:, : min(last.shape[1], len(objects))] = last[:, : len(objects)]
