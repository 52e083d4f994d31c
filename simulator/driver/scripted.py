"""Driver that follows a script: steering and pedals as functions of time, optionally with speed control."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from simulator.base.records import Record
from simulator.driver.speed import SpeedControl


class ScriptRow(NamedTuple):
    """Inputs at time `at` (s): steering in [-1, 1] (+ = left), throttle and brake in [0, 1]."""

    at: float
    steering: float
    throttle: float = 0.0
    brake: float = 0.0


class ScriptedDriver:
    """Open-loop driver.

    Parameters
    ----------
    rows : in order of time; inputs are interpolated linearly, and constant before the first and after the last row
    speed : speed control of the pedals; replaces throttle and brake of the rows
    """

    label = "scripted driver"
    """Name of the driver in messages."""
    overrides_assistance = False
    """Its throttle keeps a speed, and overrides no driver assistance."""

    def __init__(self, rows: Sequence[ScriptRow], speed: SpeedControl | None = None) -> None:
        self._rows = list(rows)
        self._times = [row.at for row in rows]
        self._speed = speed

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at time t (s); of the READOUT record only speed control uses a value, the speed."""
        steering, throttle, brake = self._inputs(t)
        if self._speed is not None:
            throttle, brake = self._speed.pedals(t, 0.0, float(readout[0]["v_WB_B"][0]))
        out = command[0]
        out["steering"] = steering
        out["throttle"], out["brake"] = throttle, brake
        out["parking_brake"] = 0.0
        out["selector"] = 1

    def _inputs(self, t: float) -> tuple[float, float, float]:
        i = bisect_right(self._times, t)
        if i == 0 or i == len(self._rows):
            row = self._rows[0 if i == 0 else -1]
            return row.steering, row.throttle, row.brake
        a, b = self._rows[i - 1], self._rows[i]
        f = (t - a.at) / (b.at - a.at)
        return a.steering + f * (b.steering - a.steering), a.throttle + f * (b.throttle - a.throttle), a.brake + f * (b.brake - a.brake)
