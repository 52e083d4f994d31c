"""Vehicle motion of a stream: the motion while driving, no motion otherwise, and a smooth transition between both.

Every protocol encodes the output of this module. On pause, reset, fault and at the end, forces therefore fade without a step, the stream
states "no motion", and only then stops. A vehicle that was moved, or whose state is not finite, first fades to rest at its last
valid position.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.records import Record, record
from vehicles.readout import READOUT
from washout.platform_state_machine import SETTLED, ease

FADE_TIME = 1.0
"""Time [s] from full motion to 1 % of it, and back. Longer: smoother."""

FADED = 1e-3
"""1. Fraction of the motion below which the motion counts as zero."""

LONGEST_FADE = 1.35 * FADE_TIME
"""Time [s] in which any motion falls below FADED: (1 + w t + (w t)^2 / 2) exp(-w t) = 0.001 at w t = 11.2, w FADE_TIME = SETTLED = 8.41."""

MOVING = (
    *("roll", "pitch", "v_WB_B", "w_WB_B", "a_WB_B", "alpha_WB_B", "jounce", "theta_dot", "wheel_spin", "shock_rate"),
    *("engine_speed", "engine_torque", "steering_wheel_angle", "steering_wheel_torque", "steering", "throttle", "brake"),
    *("steering_wheel_rate", "steering_column_torque", "steering_assist_torque", "F_C", "slip_ratio", "slip_angle"),
)
"""Fields of READOUT that are zero at rest."""


class Fade:
    """READOUT to send. Call `advance` once per packet; `said` and `jounce_speed` are valid until the next call.

    gravity : gravitational acceleration of the simulated world [m/s2], the specific force at rest
    """

    def __init__(self, gravity: float = STANDARD_GRAVITY) -> None:
        self._rest_force = np.array([0.0, 0.0, gravity])
        self._gain = np.zeros(3)
        self._joined = False
        self._target = 0.0
        self._rest_at(record(READOUT))
        self.advance(self._stored.copy(), False, True, 0.01)

    def _rest_at(self, readout: Record) -> None:
        """Set the rest state of a vehicle with a readout of this layout."""
        self._stored, self._faded = _rest(readout, self._rest_force), _rest(readout, self._rest_force)
        self._stored_speed = np.zeros_like(readout[0]["jounce"])
        self._floats = _floats(self._stored)
        self.said = self._stored
        self.jounce_speed = np.zeros_like(self._stored_speed)
        """Rate of the jounce (wheels,) [m/s], which a READOUT does not contain: the mean between packets."""

    @property
    def at_rest(self) -> bool:
        """True if the output is permanently zero motion."""
        return self._target == 0.0 and self._gain[0] == 0.0

    def advance(self, readout: Record, active: bool, moved: bool, h: float) -> None:
        """Advance by h seconds to a vehicle state.

        `active`: the vehicle drives, and motion is enabled. `moved`: the vehicle was moved to another position since the last call.
        """
        if readout.dtype != self._stored.dtype:
            self._rest_at(readout)
        valid = bool(np.isfinite(readout.view(np.float64)[self._floats]).all())
        time, before = float(readout[0]["time"]), float(self._stored[0]["time"])
        stopped = time == before
        self._joined = self._joined and valid and not moved and time >= before and (active or stopped)
        if not self._joined and self._gain[0] == 0.0 and valid:
            self._joined = True
            self._stored[:], self._stored_speed[:] = readout, 0.0
        self._target = 1.0 if active and self._joined else 0.0
        w = SETTLED / FADE_TIME
        gain, rate, acceleration = (float(value) for value in self._gain)
        self._gain[:] = ease(gain, rate, acceleration, self._target, w, h, math.exp(-w * h))
        if abs(self._target - self._gain[0]) < FADED:
            self._gain[:] = self._target, 0.0, 0.0
        if self._target == 1.0:
            self._store(readout)
        fraction = min(1.0, max(0.0, float(self._gain[0])))
        self.said = self._stored if fraction == 1.0 else self._scaled(fraction)
        self.jounce_speed = fraction * self._stored_speed

    def hold(self, h: float) -> None:
        """Advance by h seconds without a driver."""
        self.advance(self._stored, False, False, h)

    def _store(self, readout: Record) -> None:
        """Store a readout that continues from the stored one."""
        elapsed = float(readout[0]["time"]) - float(self._stored[0]["time"])
        if elapsed > 0.0:
            self._stored_speed[:] = (readout[0]["jounce"] - self._stored[0]["jounce"]) / elapsed
        self._stored[:] = readout

    def _scaled(self, gain: float) -> Record:
        faded, stored = self._faded[0], self._stored[0]
        self._faded[:] = self._stored
        for name in MOVING:
            faded[name] = gain * stored[name]
        faded["f_H_B"] = self._rest_force + gain * (stored["f_H_B"] - self._rest_force)
        faded["q_WB"] = _upright(stored["q_WB"], gain)
        faded["gear"] = stored["gear"] if gain > 0.0 else 0
        return self._faded


def _rest(like: Record, force: NDArray[np.float64]) -> Record:
    result = np.zeros_like(like)
    result[0]["q_WB"] = (1.0, 0.0, 0.0, 0.0)
    result[0]["f_H_B"] = force
    return result


def _floats(readout: Record) -> np.ndarray:
    """Return the indices of the floating-point numbers among the 8-byte words of a record."""
    result: list[int] = []
    for name in readout.dtype.names or ():
        kind, offset = readout.dtype.fields[name][:2]  # type: ignore[index]
        if kind.base.kind == "f":
            result += range(offset // 8, (offset + kind.itemsize) // 8)
    return np.array(result)


def _upright(q: np.ndarray, gain: float) -> tuple[float, float, float, float]:
    """Return the attitude (w, x, y, z) with the same heading and `gain` times the tilt."""
    w, x, y, z = (float(value) for value in q)
    level = math.hypot(w, z)
    c, s = (w / level, z / level) if level > 0.0 else (1.0, 0.0)
    x, y = c * x + s * y, c * y - s * x
    tilt = math.hypot(x, y)
    half = gain * math.atan2(tilt, level)
    fraction = math.sin(half) / tilt if tilt > 0.0 else 0.0
    x, y, w = fraction * x, fraction * y, math.cos(half)
    return c * w, c * x - s * y, c * y + s * x, s * w
