"""Hard stops of a corner: metal contact at the travel limits, well before a singular position of the linkage.

The rubber stops of a vehicle file act over the length of the spring and may be soft at the end of the linkage travel. In addition, every
kind of corner has a hard stop on theta at both sides, placed by the geometry alone (`vehicles.travel_limits`).

    x = theta - end beyond an end, 0 between them
    force = -(rate x + damping theta')    against x only, the damper is faded in over FADE

A step uses this force at its own end, x + h theta' + h^2 theta'': backward Euler, stable at any stiffness, dissipative only.
Beyond the margin before the end of the linkage, or a distance beyond exhausted rubber stops, the rate is that of a rigid body, so that no
speed opens the loops of a corner.
"""

from __future__ import annotations

import numpy as np

from simulator.base.jit import inline
from simulator.base.records import Record
from vehicles.axle_layout import USUAL, WHEELS, AxleLayout, record_for

ENDS = (
    # name        shape    unit     what it is (corners last)
    ("theta", (2, WHEELS), "rad, m", "smallest and largest theta at which the hard stops begin to act"),
    (
        "closed",
        (2, WHEELS),
        "rad, m",
        "smallest and largest theta at which the linkage is known to close with margin; limit of all corners",
    ),
    ("rate", (WHEELS,), "N m/rad, N/m", "stiffness of the hard stops; 0: no hard stops"),
    ("rigid_rate", (WHEELS,), "N m/rad, N/m", "stiffness of the hard stops beyond `closed`"),
    ("damping", (WHEELS,), "N m s/rad, N s/m", "damping of the hard stops"),
)

FADE = 2e-3
"""rad, m. Distance over which the damper of a hard stop is faded in."""


def no_ends(size: AxleLayout = USUAL) -> Record:
    """Return a record of ENDS without hard stops."""
    ends = record_for(ENDS, size)
    for name in ("theta", "closed"):
        ends[0][name][0], ends[0][name][1] = -np.inf, np.inf
    return ends


@inline
def limited(corners, i, theta):
    """Return theta of corner i, limited to the range in which its linkage is known to close."""
    closed = corners[0]["ends"]["closed"]
    return min(max(theta, closed[0, i]), closed[1, i])


@inline
def apply_hard_stops(m, s, h):
    """Add the hard stops to the force on theta, and to its inertia for the implicit step of h seconds; call it after `prepare`.

    h = 0 gives the force of the present state, as an ordinary differential equation has it, without the rigid part.
    """
    e, x = m.corners[0]["ends"], s.state[0]
    for i in range(len(x["theta"])):
        theta = x["theta"][i] + h * x["theta_dot"][i]
        if theta < e["theta"][0, i]:
            apply_hard_stop(m, s, i, 0, theta, h)
        elif theta > e["theta"][1, i]:
            apply_hard_stop(m, s, i, 1, theta, h)


@inline
def apply_hard_stop(m, s, i, end, theta, h):
    """Apply the hard stop 0 (lower) or 1 (upper) of corner i, which is exceeded at theta."""
    e, rate, side = m.corners[0]["ends"], s.state[0]["theta_dot"][i], 2.0 * end - 1.0
    x, beyond = theta - e["theta"][end, i], theta - e["closed"][end, i]
    stiffness = e["rate"][i]
    force = -stiffness * x
    if h > 0.0 and side * beyond > 0.0:
        force -= (e["rigid_rate"][i] - stiffness) * beyond
        stiffness = e["rigid_rate"][i]
    damping = e["damping"][i] * min(abs(x) / FADE, 1.0)
    force -= damping * rate
    if side * force < 0.0:
        s.work[0]["theta_force"][i] += force
        s.kinematics[0]["D"][i] += h * (damping + h * stiffness)


@inline
def keep_loops_closed(corners, state):
    """Limit theta to the closed range, which rounding and other forces of a step can exceed by micrometers."""
    for i in range(len(state[0]["theta"])):
        theta = state[0]["theta"][i]
        state[0]["theta"][i] = limited(corners, i, theta)
