"""How a game controller shakes, from what the vehicle does.

    slow motor   road   rms of the shock absorbers' rates over ROUGH, up to 0.7
                 stops  what the force at the driver's head differs from its own mean of AVERAGED, up and down, above HIT, over HARD
    fast motor   slip   the largest slip of a wheel on the ground, sqrt(ratio^2 + tan(angle)^2), above GRIP, over SLIDING

Both are shares of the motor, within [0, 1], times `strength`. Nothing shakes below CREEP of the car and of its wheels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simulator.base.fields import Number, entry
from simulator.base.records import Record
from simulator.driver.input_devices.shaping import clip

ROUGH = 0.6
"""m/s of the shock absorbers that would be a full motor. The HMMWV at 11 m/s has 0.01 on a road, 0.12 on the course of 1 inch rms, 0.23 on that
of 2, and 0.39 on that of 4; motors are felt from a tenth or so of their strength [assumed]."""
MOST_ROAD = 0.7
"""1. Share of the motor that the road takes at most, so that a stop is felt on top of it."""
AVERAGED = 0.3
"""s over which the force at the head is averaged: slopes and bends are not felt, blows are."""
HIT, HARD = 4.0, 12.0
"""m/s2 of a blow from which it is felt, and more of it for a full motor [assumed]."""
GRIP, SLIDING = 0.12, 0.4
"""1. Slip that is grip, and more of it for a full motor [assumed]: tires have most of their grip at 0.1 to 0.15."""
LOADED = 200.0
"""N on a wheel from which it is on the ground."""
CREEP = 1.0
"""m/s of the car, or of the treads of its wheels, below which the motors rest."""
TREAD = 0.4
"""m, radius with which the spin of a wheel counts as a speed."""


@dataclass(frozen=True)
class RumbleStrength:
    """How much a game controller shakes."""

    strength: float = entry(Number("1", 0.0, 1.0), "share of the motors' strength; 0: none", 0.6)


class Rumble:
    """The two motors of a game controller as time passes."""

    def __init__(self, strength: float) -> None:
        self.strength = strength
        self._mean: float | None = None

    def jump(self) -> None:
        """The vehicle is elsewhere."""
        self._mean = None

    def step(self, readout: Record, runs: bool, h: float) -> tuple[float, float]:
        """(slow, fast) motor in [0, 1], h seconds after the step before, of a READOUT record; `runs`: the vehicle moves."""
        r = readout[0]
        force = float(r["f_H_B"][2])
        if not runs or not math.isfinite(force):
            self._mean = None
            return 0.0, 0.0
        self._mean = force if self._mean is None else self._mean + (force - self._mean) * min(1.0, h / AVERAGED)
        moving = clip(max(abs(float(r["v_WB_B"][0])), TREAD * float(np.abs(r["wheel_spin"]).max())) / CREEP, 0.0, 1.0)
        road = clip(float(np.sqrt(np.mean(r["shock_rate"] ** 2))) / ROUGH, 0.0, MOST_ROAD)
        stop = clip((abs(force - self._mean) - HIT) / HARD, 0.0, 1.0)
        slip = clip((_largest_slip(r) - GRIP) / SLIDING, 0.0, 1.0)
        share = self.strength * moving
        return share * min(1.0, road + stop), share * slip


def _largest_slip(r: Record) -> float:
    """Of the wheels on the ground, 0 when none is."""
    grounded = r["F_C"][:, 2] > LOADED
    slip = np.hypot(r["slip_ratio"], np.tan(np.clip(r["slip_angle"], -1.4, 1.4)))
    return float(slip[grounded].max()) if grounded.any() else 0.0
