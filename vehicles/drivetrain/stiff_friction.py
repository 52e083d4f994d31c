"""A friction clutch as a stiff damper that ends at its capacity, for a step that is linearly implicit in it.

Where the coupling of the step is needed elsewhere (a lock-up clutch beside a gear, a hand clutch beside a synchronizer) this one stands in: it
holds up to a slip of BAND at its full capacity.
"""

from __future__ import annotations

from simulator.base.jit import inline

BAND = 1.0
"""rad/s. Slip at which it carries its full capacity."""


@inline
def stiff_friction(slip, capacity, inertia, h):
    """(torque [N m] at the start of a step, slope [N m s/rad] of it over the slip, 0 where it slips).

    slip : rad/s; inertia : kg m2, the reduced one between its halves, by which it is told whether it will hold at the end of the step
    """
    stiffness = capacity / BAND
    if abs(stiffness * slip) < capacity * (1.0 + h * stiffness / inertia):
        return stiffness * slip, stiffness
    return (capacity if slip > 0.0 else -capacity), 0.0
