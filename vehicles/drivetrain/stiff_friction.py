"""Friction clutch as a stiff damper, saturated at its capacity, for a step that is linearly implicit in the torque.

This element replaces the exact friction where the coupling of the step is used by another element (a gear next to a lock-up clutch, a
synchronizer next to a friction clutch). It holds with a slip of at most BAND at full capacity.
"""

from __future__ import annotations

from simulator.base.jit import inline

BAND = 1.0
"""rad/s. Slip at which the clutch carries its full capacity."""


@inline
def stiff_friction(slip, capacity, inertia, h):
    """Return (torque [N m] at the start of a step, slope [N m s/rad] of the torque over the slip, 0 where the clutch slips).

    slip : rad/s; inertia : kg m2, reduced inertia between both sides, used to predict whether the clutch will stick at the end of the step
    """
    stiffness = capacity / BAND
    if abs(stiffness * slip) < capacity * (1.0 + h * stiffness / inertia):
        return stiffness * slip, stiffness
    return (capacity if slip > 0.0 else -capacity), 0.0
