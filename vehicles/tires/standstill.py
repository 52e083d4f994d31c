"""Where speed goes through zero: how forces that oppose a motion lose their sign without a jump."""

from __future__ import annotations

import math

from simulator.base.jit import inline

V_CREEP = 1e-6
"""m/s. Added to the rolling speed under the slip. Larger: a parked car creeps faster. Smaller: nothing but digits."""

V_FADE = 0.1
"""m/s. Speed at which resistance of soil, trail and side wall pressure reach 70 %. Larger: soft standstill. Smaller:
these forces act as stiffer dampers and need a shorter step."""

SPIN_FADE = 1.0
"""rad/s. The same for rolling resistance."""

V_SHOW = 0.5
"""m/s. Least divisor of the slips that are shown (not of those that make forces)."""


@inline
def smooth_sign(x):
    """x / sqrt(1 + x^2): sign of x without a jump."""
    return x / math.sqrt(1.0 + x * x)
