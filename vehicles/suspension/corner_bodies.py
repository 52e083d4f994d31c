"""What every kind of corner writes about its bodies."""

from __future__ import annotations

from simulator.base.algebra.vectors import add, cross, scale
from simulator.base.jit import inline

BODY_COUNT = 7
CARRIER = 2
"""Most bodies of a corner, and the one that every corner has: the knuckle with the wheel as a rotor that does not spin."""

MOTION = (
    ("c", (BODY_COUNT, 3, 4), "m", "centres of mass, in the order of the BODIES of the corner's kind"),
    ("inertia", (BODY_COUNT, 6, 4), "kg m2", "inertias about the centres of mass"),
    ("w", (BODY_COUNT, 3, 4), "1", "angular velocity per theta_dot"),
    ("u", (BODY_COUNT, 3, 4), "m", "velocity of the centre of mass per theta_dot"),
    ("w_rel", (BODY_COUNT, 3, 4), "rad/s", "angular velocity relative to the chassis"),
    ("v_rel", (BODY_COUNT, 3, 4), "m/s", "velocity of the centre of mass relative to the chassis"),
    ("alpha_rel", (BODY_COUNT, 3, 4), "rad/s2", "angular acceleration relative to the chassis at theta_ddot = 0"),
    ("a_rel", (BODY_COUNT, 3, 4), "m/s2", "acceleration of the centre of mass relative to the chassis at theta_ddot = 0"),
)
"""Motion of the bodies relative to the chassis, in chassis axes; w and u are per metre where theta is one."""


@inline
def turning(w, w_1, r):
    """Acceleration w_1 × r + w × (w × r) of the point r of a body that turns with w and w_1 about the origin."""
    return add(cross(w_1, r), cross(w, cross(w, r)))


@inline
def put_theta_body(o, body, i, rate, c, u, u_1, w, w_1):
    """Store a body that depends on theta alone."""
    put_body(o, body, i, c, w, u)
    put_motion(o, body, i, scale(rate, w), scale(rate, u), scale(rate * rate, w_1), scale(rate * rate, u_1))


@inline
def put_body(o, body, i, c, w, u):
    """Store position and velocity map of a body."""
    for j in range(3):
        o["c"][body, j, i] = c[j]
        o["w"][body, j, i] = w[j]
        o["u"][body, j, i] = u[j]


@inline
def put_motion(o, body, i, w_rel, v_rel, alpha_rel, a_rel):
    """Store velocities of a body and its accelerations at theta_ddot = 0."""
    for j in range(3):
        o["w_rel"][body, j, i] = w_rel[j]
        o["v_rel"][body, j, i] = v_rel[j]
        o["alpha_rel"][body, j, i] = alpha_rel[j]
        o["a_rel"][body, j, i] = a_rel[j]


@inline
def put_inertia(o, body, i, inertia):
    """Store the inertia (xx, yy, zz, xy, xz, yz) of a body."""
    for j in range(6):
        o["inertia"][body, j, i] = inertia[j]
