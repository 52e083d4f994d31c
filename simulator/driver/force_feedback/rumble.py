"""Rumble of a game controller, from the motion of the vehicle.

    slow motor   road   rms of the shock absorbers' rates over FULL_SHOCK_RATE, up to 0.7
                 stops  deviation of the vertical force at the driver's head from its mean over AVERAGED, above SHOCK_THRESHOLD, over FULL_SHOCK_EXCESS
    fast motor   slip   the largest slip of a wheel on the ground, sqrt(ratio^2 + tan(angle)^2), above GRIP, over SLIDING

Both are motor strengths in [0, 1], times `strength`. Both are zero while the speeds of the car and of its wheels are below CREEP.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simulator.base.field_classes import entry
from simulator.base.fields import Number
from simulator.base.records import Record
from simulator.driver.input_devices.shaping import clip

FULL_SHOCK_RATE = 0.6
"""m/s. Rate of the shock absorbers for full motor strength. The HMMWV at 11 m/s has 0.01 on a road, 0.12 on the course of 1 inch rms, 0.23
on
that of 2, and 0.39 on that of 4; drivers feel motors from about a tenth of their strength [assumed]."""
MAX_ROAD = 0.7
"""1. Maximum motor strength for the road, so that the driver also feels a stop."""
AVERAGED = 0.3
"""s over which the force at the head is averaged: shocks are felt, slopes and bends are not."""
SHOCK_THRESHOLD, FULL_SHOCK_EXCESS = 4.0, 12.0
"""m/s2. Threshold of a shock, and excess over the threshold for full motor strength [assumed]."""
GRIP, SLIDING = 0.12, 0.4
"""1. Slip threshold, and excess for full motor strength [assumed]: tires have their maximum grip at 0.1 to 0.15."""
LOADED = 200.0
"""N. Wheel load above which a wheel is on the ground."""
CREEP = 1.0
"""m/s of the car, or of the treads of its wheels, below which the motors are off."""
TREAD = 0.4
"""m. Radius that converts the spin of a wheel to a speed."""


@dataclass(frozen=True)
class RumbleStrength:
    """Rumble of a game controller."""

    strength: float = entry(Number("1", 0.0, 1.0), "strength of the motors, as a fraction of the maximum; 0: none", 0.6)


class Rumble:
    """Both motors of a game controller over time."""

    def __init__(self, strength: float) -> None:
        self.strength = strength
        self._mean: float | None = None

    def jump(self) -> None:
        """Reset after the vehicle was moved."""
        self._mean = None

    def step(self, readout: Record, runs: bool, h: float) -> tuple[float, float]:
        """Return the (slow, fast) motor strength in [0, 1], h seconds after the previous step, for a READOUT; `runs`: the vehicle moves."""
        r = readout[0]
        force = float(r["f_H_B"][2])
        if not runs or not math.isfinite(force):
            self._mean = None
            return 0.0, 0.0
        self._mean = force if self._mean is None else self._mean + (force - self._mean) * min(1.0, h / AVERAGED)
        moving = clip(max(abs(float(r["v_WB_B"][0])), TREAD * float(np.abs(r["wheel_spin"]).max())) / CREEP, 0.0, 1.0)
        road = clip(float(np.sqrt(np.mean(r["shock_rate"] ** 2))) / FULL_SHOCK_RATE, 0.0, MAX_ROAD)
        stop = clip((abs(force - self._mean) - SHOCK_THRESHOLD) / FULL_SHOCK_EXCESS, 0.0, 1.0)
        slip = clip((_largest_slip(r) - GRIP) / SLIDING, 0.0, 1.0)
        share = self.strength * moving
        return share * min(1.0, road + stop), share * slip


def _largest_slip(r: Record) -> float:
    """Return the largest slip of the wheels on the ground; 0 without such a wheel."""
    grounded = r["F_C"][:, 2] > LOADED
    slip = np.hypot(r["slip_ratio"], np.tan(np.clip(r["slip_angle"], -1.4, 1.4)))
    return float(slip[grounded].max()) if grounded.any() else 0.0
