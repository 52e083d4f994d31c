"""Where speed goes through zero: how forces that oppose a motion lose their sign without a jump."""

from __future__ import annotations

import math

from simulator.base.jit import inline

V_CREEP = 1e-6
"""m/s. Added to the rolling speed under the slip. Larger: a parked car creeps faster. Smaller: nothing but digits."""

V_FADE = 0.1
"""m/s. Speed at which the climb out of a hole, trail and side wall pressure reach 70 %. Larger: soft standstill. Smaller:
these forces act as stiffer dampers and need a shorter step."""

V_STUCK = 0.02
"""m/s. The same for the resistance of soil. Larger: a car whose drive is too weak for the ground creeps along instead of standing. Smaller: a stiffer
damper; that of a resistance of half the weight takes a quarter of a car's speed in a step of 1 ms, g h / (2 V_STUCK)."""

SPIN_FADE = 1.0
"""rad/s. The same for rolling resistance."""

V_SHOW = 0.5
"""m/s. Least divisor of the slips that are shown (not of those that make forces)."""


@inline
def smooth_sign(x):
    """x / sqrt(1 + x^2): sign of x without a jump."""
    return x / math.sqrt(1.0 + x * x)
