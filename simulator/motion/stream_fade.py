"""What a stream says of the vehicle: its motion while it drives, and otherwise none, with a soft way from the one to the other.

Every protocol encodes what comes out of here, so that on pause, reset, fault and at the end forces run out without a step, "no motion"
is said, and only then a stream may stop. A vehicle that was put elsewhere, or whose state is no number, is first brought to rest in
words where it was last sound.
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
"""s from full motion to 1 % of it, and back. Longer: softer."""

FADED = 1e-3
"""1. A smaller share of the motion is none."""

LONGEST_FADE = 1.35 * FADE_TIME
"""s in which any motion falls below FADED: (1 + w t + (w t)^2 / 2) exp(-w t) = 0.001 at w t = 11.2, and w FADE_TIME = SETTLED = 8.41."""

MOVING = (
    *("roll", "pitch", "v_WB_B", "w_WB_B", "a_WB_B", "alpha_WB_B", "jounce", "theta_dot", "wheel_spin", "shock_rate"),
    *("engine_speed", "engine_torque", "steering_wheel_angle", "steering_wheel_torque", "steering", "throttle", "brake"),
    *("steering_wheel_rate", "steering_column_torque", "steering_assist_torque", "F_C", "slip_ratio", "slip_angle"),
)
"""Fields of READOUT that are nought when nothing moves."""


class Fade:
    """The READOUT that is said. Call `advance` once per packet; `said` and `jounce_speed` are valid until the next call.

    gravity : acceleration of free fall of the vehicle's world [m/s2], which is felt at rest
    """

    def __init__(self, gravity: float = STANDARD_GRAVITY) -> None:
        self._rest_force = np.array([0.0, 0.0, gravity])
        self._gain = np.zeros(3)
        self._joined = False
        self._wanted = 0.0
        self._rest_at(record(READOUT))
        self.advance(self._held.copy(), False, True, 0.01)

    def _rest_at(self, readout: Record) -> None:
        """Nothing moves, of a vehicle with a readout like this one."""
        self._held, self._faded = _rest(readout, self._rest_force), _rest(readout, self._rest_force)
        self._held_speed = np.zeros_like(readout[0]["jounce"])
        self._floats = _floats(self._held)
        self.said = self._held
        self.jounce_speed = np.zeros_like(self._held_speed)
        """(wheels,) rate of the jounce [m/s], which a READOUT has not: the mean between packets."""

    @property
    def at_rest(self) -> bool:
        """Whether what is said is that nothing moves, and stays so."""
        return self._wanted == 0.0 and self._gain[0] == 0.0

    def advance(self, readout: Record, active: bool, moved: bool, h: float) -> None:
        """The vehicle h seconds after the last call.

        `active`: it drives, and motion is consented to. `moved`: since the last call it was put elsewhere.
        """
        if readout.dtype != self._held.dtype:
            self._rest_at(readout)
        sound = bool(np.isfinite(readout.view(np.float64)[self._floats]).all())
        time, before = float(readout[0]["time"]), float(self._held[0]["time"])
        stands = time == before
        self._joined = self._joined and sound and not moved and time >= before and (active or stands)
        if not self._joined and self._gain[0] == 0.0 and sound:
            self._joined = True
            self._held[:], self._held_speed[:] = readout, 0.0
        self._wanted = 1.0 if active and self._joined else 0.0
        w = SETTLED / FADE_TIME
        gain, rate, acceleration = (float(value) for value in self._gain)
        self._gain[:] = ease(gain, rate, acceleration, self._wanted, w, h, math.exp(-w * h))
        if abs(self._wanted - self._gain[0]) < FADED:
            self._gain[:] = self._wanted, 0.0, 0.0
        if self._wanted == 1.0:
            self._hold(readout)
        share = min(1.0, max(0.0, float(self._gain[0])))
        self.said = self._held if share == 1.0 else self._scaled(share)
        self.jounce_speed = share * self._held_speed

    def hold(self, h: float) -> None:
        """h seconds during which nobody drives any more."""
        self.advance(self._held, False, False, h)

    def _hold(self, readout: Record) -> None:
        """The vehicle drove on from what was held."""
        passed = float(readout[0]["time"]) - float(self._held[0]["time"])
        if passed > 0.0:
            self._held_speed[:] = (readout[0]["jounce"] - self._held[0]["jounce"]) / passed
        self._held[:] = readout

    def _scaled(self, gain: float) -> Record:
        said, held = self._faded[0], self._held[0]
        self._faded[:] = self._held
        for name in MOVING:
            said[name] = gain * held[name]
        said["f_H_B"] = self._rest_force + gain * (held["f_H_B"] - self._rest_force)
        said["q_WB"] = _upright(held["q_WB"], gain)
        said["gear"] = held["gear"] if gain > 0.0 else 0
        return self._faded


def _rest(like: Record, force: NDArray[np.float64]) -> Record:
    found = np.zeros_like(like)
    found[0]["q_WB"] = (1.0, 0.0, 0.0, 0.0)
    found[0]["f_H_B"] = force
    return found


def _floats(readout: Record) -> np.ndarray:
    """Places of the real numbers among the 8-byte words of a record."""
    found: list[int] = []
    for name in readout.dtype.names or ():
        kind, offset = readout.dtype.fields[name][:2]  # type: ignore[index]
        if kind.base.kind == "f":
            found += range(offset // 8, (offset + kind.itemsize) // 8)
    return np.array(found)


def _upright(q: np.ndarray, gain: float) -> tuple[float, float, float, float]:
    """Attitude (w, x, y, z) with the same heading and `gain` times the tilt."""
    w, x, y, z = (float(value) for value in q)
    level = math.hypot(w, z)
    c, s = (w / level, z / level) if level > 0.0 else (1.0, 0.0)
    x, y = c * x + s * y, c * y - s * x
    across = math.hypot(x, y)
    half = gain * math.atan2(across, level)
    share = math.sin(half) / across if across > 0.0 else 0.0
    x, y, w = share * x, share * y, math.cos(half)
    return c * w, c * x - s * y, c * y + s * x, s * w
