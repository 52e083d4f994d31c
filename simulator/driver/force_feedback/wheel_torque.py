"""What a wheel with force feedback gives, from what the steering of the vehicle does.

    T = - gain T_column - damping w_wheel (1 - |v| / STANDING, at least 0)      within the limit

T_column is the torque in the column below the steering wheel, which the hands give to hold the wheel where it is; what comes back to them is
the opposite. Both are + to the left, as angles are. The friction and the inertia of the vehicle's own steering wheel are left out, the
driver's wheel has its own. Damping is for a vehicle that stands: tires that stick to the ground, felt through a loop that is a hundredth of
a second late, would otherwise shake a wheel that nobody holds. T fades in and out and never steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from simulator.base.fields import Number, entry
from simulator.driver.input_devices.shaping import approach, clip

FADE_IN = 1.0
"""s from nothing to the whole torque, at the start and after a pause or a reset: time to take hold of the wheel."""
FADE_OUT = 0.1
"""s from the whole torque to nothing."""
SLEW = 30.0
"""1/s, share of the limit by which the torque changes at most: from none to the limit in 33 ms. Larger: a jolt of a direct drive; smaller:
curbs feel soft."""
STEP = 0.15
"""1. The same from one event to the next: a driver that takes few is given a slower torque, not a coarser one."""
STANDING = 2.0
"""m/s at which the damping has gone."""
INTERRUPTED = 0.13
"""s without a step after which the device has let go by itself, half of it at least (`evdev.LENGTH`, `FADE`): the torque begins from nothing."""


@dataclass(frozen=True)
class ForceFeedback:
    """A wheel base and how the vehicle's torque is given by it."""

    torque: float = entry(Number("N m", 0.1, 100.0), "largest torque of the wheel base; too small a number makes everything too strong")
    limit: float | None = entry(Number("N m", 0.05, 100.0), "largest torque that is given, all of it when left out", None)
    gain: float = entry(Number("1", 0.0, 2.0), "torque given over torque of the vehicle's steering column; 0: none", 0.5)
    damping: float = entry(Number("N m s/rad", 0.0, 5.0), "against the rate of the steering wheel while the vehicle stands", 0.05)
    rate: float = entry(Number("Hz", 60.0, 500.0), "torques per second at most; more than the driver takes come late", 300.0)

    @property
    def most(self) -> float:
        """Largest torque that is given [N m]."""
        return self.torque if self.limit is None else min(self.limit, self.torque)


class WheelTorque:
    """The torque of a wheel as time passes. `step` never returns a number that is not finite, nor one beyond the limit."""

    def __init__(self, feedback: ForceFeedback) -> None:
        self.feedback = feedback
        self.torque = 0.0
        """Given now [N m], + = to the left."""
        self._presence = 0.0
        self._wanted = 0.0

    def jump(self) -> None:
        """The vehicle is elsewhere: what it felt before does not count, and its torque fades in."""
        self._presence = self._wanted = 0.0

    def want(self, column: float, rate: float, speed: float) -> None:
        """What the vehicle does: torque in its column [N m] and rate of its steering wheel [rad/s], + = left, and speed [m/s]."""
        f = self.feedback
        still = max(0.0, 1.0 - abs(speed) / STANDING)
        torque = -f.gain * column - f.damping * rate * still
        self._wanted = clip(torque, -f.most, f.most) if math.isfinite(torque) else 0.0

    def step(self, runs: bool, h: float) -> float:
        """Torque [N m], h seconds after the step before; `runs`: the vehicle moves, and somebody says what it does."""
        if h > INTERRUPTED:
            self._presence = self.torque = 0.0
            h = 0.0
        self._presence = approach(self._presence, float(runs), h / (FADE_IN if runs else FADE_OUT))
        f = self.feedback
        self.torque = approach(self.torque, self._presence * self._wanted, min(SLEW, STEP * f.rate) * f.most * h)
        return self.torque
