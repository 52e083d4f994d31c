"""The ends of a corner's travel: where metal meets metal, well before the linkage comes to a position in which it could turn over.

The rubber stops of a vehicle file act over the length of the spring and may be soft where the linkage ends. Behind them every corner, of
whatever kind, has a hard end on theta itself, at both sides, placed by the geometry alone (`vehicles.travel_limits`).

    x = theta - end beyond an end, 0 between them
    force = -(rate x + damping theta')    against x only, the damper coming in over FADE

A step takes this force at its own end, x + h theta' + h^2 theta'': backward Euler, stable at any stiffness, which only takes energy away.
Beyond the margin kept before the linkage's end, or a way behind rubber stops that are used up, the rate is that of a rigid body, so that no
speed carries a corner out of its loops.
"""

from __future__ import annotations

import numpy as np

from simulator.base.jit import inline
from simulator.base.records import Record
from vehicles.axle_layout import USUAL, WHEELS, AxleLayout, record_for

ENDS = (
    # name        shape    unit     what it is (corners last)
    ("theta", (2, WHEELS), "rad, m", "least and largest theta, where the end of the travel begins to push back"),
    ("closed", (2, WHEELS), "rad, m", "least and largest theta at which the linkage is known to be well closed; no corner goes beyond"),
    ("rate", (WHEELS,), "N m/rad, N/m", "stiffness of the ends; 0: there are none"),
    ("rigid_rate", (WHEELS,), "N m/rad, N/m", "the same beyond `closed`"),
    ("damping", (WHEELS,), "N m s/rad, N s/m", "damping of the ends"),
)

FADE = 2e-3
"""rad, m. Way over which the damper of an end comes in."""


def no_ends(size: AxleLayout = USUAL) -> Record:
    """Record of ENDS of a mechanism without any."""
    ends = record_for(ENDS, size)
    for name in ("theta", "closed"):
        ends[0][name][0], ends[0][name][1] = -np.inf, np.inf
    return ends


@inline
def limited(corners, i, theta):
    """theta of corner i, held within the range in which its linkage is known to be closed."""
    closed = corners[0]["ends"]["closed"]
    return min(max(theta, closed[0, i]), closed[1, i])


@inline
def apply_hard_stops(m, s, h):
    """Add what the ends of the travel do to theta's force, and to its inertia for the implicit step of h seconds; after `prepare`.

    h = 0 gives the force of the present state, as an ordinary differential equation has it, without the rigid part.
    """
    e, x = m.corners[0]["ends"], s.state[0]
    for i in range(len(x["theta"])):
        theta = x["theta"][i] + h * x["theta_dot"][i]
        if theta < e["theta"][0, i]:
            push_back(m, s, i, 0, theta, h)
        elif theta > e["theta"][1, i]:
            push_back(m, s, i, 1, theta, h)


@inline
def push_back(m, s, i, end, theta, h):
    """The end 0 or 1 of corner i, beyond which it will be at theta."""
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
    """Take back what rounding and the other forces of a step leave beyond the closed range (micrometers)."""
    for i in range(len(state[0]["theta"])):
        theta = state[0]["theta"][i]
        state[0]["theta"][i] = limited(corners, i, theta)
