"""Torque of a wheel with force feedback, from the steering of the vehicle.

    T = - gain s T_column - damping w_wheel (1 - |v| / STANDING, at least 0)      within the limit
    s = TURN_TORQUE_SHARE limit / T_turn, at most 1

T_column is the torque in the column below the steering wheel, with which the hands hold the wheel; the reaction on the hands has the
opposite sign. Both are positive to the left, like angles. T_turn is the torque of this vehicle in a turn at 0.7 g (`turn_torque`). A weak
wheel base thus neither clips below 0.7 g nor wastes its torque, whatever the vehicle; a strong one applies the torque of the vehicle.
Friction and inertia of the vehicle's steering wheel are omitted, because the driver's wheel has its own. Damping acts on a vehicle at rest:
tires that stick to the ground, with a delay of 0.01 s in the loop, would otherwise shake a released wheel. T fades in and out and never
steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from simulator.base.field_classes import entry
from simulator.base.fields import Number
from simulator.driver.input_devices.shaping import approach, clip

FADE_IN = 1.0
"""s from zero to full torque, at the start and after a pause or a reset: time to take hold of the wheel."""
FADE_OUT = 0.1
"""s from full torque to zero."""
SLEW = 30.0
"""1/s. Maximum rate of the torque as a fraction of the limit: 33 ms from zero to the limit. Larger: a direct drive jolts. Smaller: curbs
feel
soft."""
STEP = 0.15
"""1. Maximum change of the torque from one event to the next, as a fraction of the limit; a low event rate thus makes the torque slower,
not
coarser."""
TURN_TORQUE_SHARE = 0.8
"""1. Torque in a turn at 0.7 g as a fraction of the limit; the rest is for curbs and for turning at standstill."""
STANDING = 2.0
"""m/s at which the damping is zero."""
INTERRUPTED = 0.13
"""s without a step after which the torque restarts at zero, as the device has ended at least half of it (`evdev.LENGTH`, `FADE`)."""


@dataclass(frozen=True)
class ForceFeedback:
    """Wheel base, and scale of the vehicle's torque on it."""

    torque: float = entry(
        Number("N m", 0.1, 100.0), "maximum torque of the wheel base; a value below the true torque makes all forces too strong"
    )
    limit: float | None = entry(Number("N m", 0.05, 100.0), "maximum torque that is applied (default: torque)", None)
    gain: float = entry(Number("1", 0.0, 2.0), "factor on the torque, which is scaled to the wheel base and the vehicle; 0: none", 1.0)
    damping: float = entry(Number("N m s/rad", 0.0, 5.0), "damping of the steering wheel while the vehicle is at rest", 0.05)
    rate: float = entry(
        Number("Hz", 60.0, 500.0), "maximum number of torque updates per second; above the limit of the device driver they are late", 300.0
    )

    @property
    def max_torque(self) -> float:
        """Maximum torque that is applied [N m]."""
        return self.torque if self.limit is None else min(self.limit, self.torque)


def scale_to_wheel(max_torque: float, turn_torque: float) -> float:
    """Return the torque of the wheel base over the torque of the column, at gain 1.

    Parameters
    ----------
    max_torque : N m, maximum torque that is applied
    turn_torque : N m, column torque of the vehicle in a turn at 0.7 g; 0: unknown
    """
    return min(1.0, TURN_TORQUE_SHARE * max_torque / turn_torque) if turn_torque > 0.0 else 1.0


class WheelTorque:
    """Torque of a wheel over time, for a vehicle with a column torque in a turn at 0.7 g [N m].

    `step` always returns a finite value within the limit.
    """

    def __init__(self, feedback: ForceFeedback, turn_torque: float = 0.0) -> None:
        self.feedback = feedback
        self._scale = feedback.gain * scale_to_wheel(feedback.max_torque, turn_torque)
        self.torque = 0.0
        """Present torque [N m], + = to the left."""
        self._fade = 0.0
        self._requested = 0.0

    def jump(self) -> None:
        """Reset after the vehicle was moved: discard the last request and fade the torque in."""
        self._fade = self._requested = 0.0

    def set_request(self, column: float, rate: float, speed: float) -> None:
        """Set the request from the torque in the column [N m] and the rate of the steering wheel [rad/s], + = left, and the speed [m/s]."""
        f = self.feedback
        still = max(0.0, 1.0 - abs(speed) / STANDING)
        torque = -self._scale * column - f.damping * rate * still
        self._requested = clip(torque, -f.max_torque, f.max_torque) if math.isfinite(torque) else 0.0

    def step(self, runs: bool, h: float) -> float:
        """Return the torque [N m], h seconds after the previous step; `runs`: the vehicle moves and samples arrive."""
        if h > INTERRUPTED:
            self._fade = self.torque = 0.0
            h = 0.0
        self._fade = approach(self._fade, float(runs), h / (FADE_IN if runs else FADE_OUT))
        f = self.feedback
        self.torque = approach(self.torque, self._fade * self._requested, min(SLEW, STEP * f.rate) * f.max_torque * h)
        return self.torque
