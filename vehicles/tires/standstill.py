"""Smooth transition of forces that oppose a motion, at zero speed."""

from __future__ import annotations

import math

from simulator.base.jit import inline

V_CREEP = 1e-6
"""m/s. Added to the rolling speed under the slip. Larger: a parked car creeps faster. Smaller: rounding errors grow."""

V_FADE = 0.1
"""m/s. Speed at which the climbing resistance out of a hole, trail and side wall pressure reach 70 %. Larger: soft standstill. Smaller:
these forces act as stiffer dampers and need a shorter step."""

V_STUCK = 0.02
"""m/s. Speed at which the resistance of soil reaches 70 %. Larger: a car whose drive is too weak for the ground creeps instead of stopping.
Smaller: a stiffer damper; for a resistance of half the weight, a quarter of a car's speed is lost in a step of 1 ms, g h / (2 V_STUCK)."""

SPIN_FADE = 1.0
"""rad/s. Wheel spin at which rolling resistance reaches 70 %."""

V_SHOW = 0.5
"""m/s. Minimum divisor of the displayed slips (not of those that determine forces)."""


@inline
def smooth_sign(x):
    """Return x / sqrt(1 + x^2): the sign of x without a jump."""
    return x / math.sqrt(1.0 + x * x)
