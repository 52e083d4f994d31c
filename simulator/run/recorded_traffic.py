"""Vehicles of the traffic without models in a recorded drive, as they were drawn, but for turn signals: from the poses of their objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from simulator.run.recorded_objects import RecordedObjects
from simulator.session_traffic import BRAKES, ROLLS, STANDS, RollingShape, rolling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from terrain.objects.object_set import ObjectSet


class RecordedTraffic:
    """States of these vehicles at any row of the log.

    Parameters
    ----------
    recorded : objects of the drive
    objects : objects at the start
    shapes : the vehicles
    """

    def __init__(self, recorded: RecordedObjects, objects: ObjectSet, shapes: Sequence[RollingShape]) -> None:
        names = [one.name for one in objects.objects]
        self._vehicles = rolling([names.index(one.name) for one in shapes], shapes)
        self._recorded, self._objects = recorded, objects
        self._ticks, self._way, self._bend, self._stops = self._motions()

    def states(self, row: int) -> Record:
        """Return the states at a row of the log."""
        rows = self._vehicles.rows
        p, R = self._objects.records["p_WO"][rows].copy(), self._objects.records["R_WO"][rows].copy()
        now = self._recorded.all_at(row)
        some = now.moved & np.isin(now.rows, rows)
        own = self._numbers(now.rows[some])
        p[own], R[own] = now.p_WO[some], now.R_WO[some]
        tick = self._recorded.tick_of(row)
        k = int(np.clip(np.searchsorted(self._ticks, tick, side="right") - 1, 0, len(self._ticks) - 1))
        after = min(k + 1, len(self._ticks) - 1)
        share = min(max((tick - self._ticks[k]) / max(self._ticks[after] - self._ticks[k], 1), 0.0), 1.0)
        way, bend = ((1.0 - share) * one[k] + share * one[after] for one in (self._way, self._bend))
        return self._vehicles.states(np.arange(len(rows)), (p, R), way, bend, self._stops[k], 0)

    def _numbers(self, rows: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the numbers of the vehicles whose objects are in these rows."""
        order = np.argsort(self._vehicles.rows)
        numbers: NDArray[np.int64] = order[np.searchsorted(self._vehicles.rows[order], rows)]
        return numbers

    def _motions(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return the ticks (n,) of the stored poses, and (n, vehicles) distance driven [m], curvature [1/m], whether the stop lamps are lit."""
        stored, count = self._recorded.steered, len(self._vehicles.rows)
        stored = stored[np.isin(stored["row"], self._vehicles.rows)]
        if len(np.unique(stored["tick"])) < 2:
            none = np.zeros((1, count))
            return np.zeros(1, np.int64), none, none, none > 0.0
        ticks, at = np.unique(stored["tick"], return_inverse=True)
        which = self._numbers(stored["row"])
        speed, yaw, drives = np.zeros((len(ticks), count)), np.zeros((len(ticks), count)), np.zeros((len(ticks), count), bool)
        speed[at, which] = np.hypot(*stored["v_WO"][:, :2].T)
        yaw[at, which] = np.arctan2(stored["R_WO"][:, 1, 0], stored["R_WO"][:, 0, 0])
        drives[at, which] = True
        h = (np.diff(ticks) * self._recorded.step)[:, None]
        mean, change = 0.5 * (speed[1:] + speed[:-1]), np.diff(speed, axis=0) / h
        way = np.concatenate((np.zeros((1, count)), np.cumsum(mean * h, axis=0)))
        rolls = (mean > ROLLS) & drives[1:] & drives[:-1]
        turned = np.remainder(np.diff(yaw, axis=0) + np.pi, 2.0 * np.pi) - np.pi
        bend = np.where(rolls, turned / h / np.where(rolls, mean, 1.0), 0.0)
        bend = _last_of(np.concatenate((bend[:1], bend)), np.concatenate((rolls[:1], rolls)))
        brakes = np.concatenate((change < -BRAKES, np.zeros((1, count), bool)))
        return ticks, way, bend, drives & (brakes | (speed < STANDS))


def _last_of(values: NDArray[np.float64], valid: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return in each row the last valid values up to there."""
    rows = np.maximum.accumulate(np.where(valid, np.arange(len(values))[:, None], 0), axis=0)
    return np.take_along_axis(values, rows, axis=0)
