"""Rigid bodies in kernels: the answer of a body to an impulse at a point, and its motion without forces.

`inverse` is the inverse inertia about the center of mass, in W, as a symmetric matrix (xx, yy, zz, xy, xz, yz); r is a point from the center
of mass, in W.
"""

from __future__ import annotations

import math

from simulator.base.algebra.spatial import columns, rotated, unrotated
from simulator.base.algebra.vectors import add, cross, dot, scale, sub, symmetric_in_frame, symmetric_times, vector
from simulator.base.jit import inline, kernel
from simulator.base.rotations import rotation_of_quaternion

TURN = 0.25
"""rad. Maximum rotation in one of the parts of a step. Larger: the iteration converges slowly."""
MAX_PARTS = 64
ITERATIONS = 20
EXACT = 1e-15
"""1. Relative change of the angular momentum at which the iteration ends."""


@inline
def symmetric(field):
    """Return the symmetric matrix of a field of shape (6,)."""
    return field[0], field[1], field[2], field[3], field[4], field[5]


@inline
def in_world(R, S):
    """Return the symmetric matrix S, in O, in W; R (3, 3) are the axes of O."""
    x, y, z = columns(R)
    return symmetric_in_frame(x, y, z, S)


@inline
def tangents(n):
    """Return two unit vectors that form a right-handed frame with the unit vector n; the first one is horizontal or along x."""
    if abs(n[2]) < 0.9:
        length = math.hypot(n[0], n[1])
        t = (-n[1] / length, n[0] / length, 0.0)
    else:
        length = math.hypot(n[0], n[2])
        t = (n[2] / length, 0.0, -n[0] / length)
    return t, cross(n, t)


@inline
def answer_along(mass, inverse, r, d):
    """Return the change of the velocity of the point r along the unit vector d by a unit impulse along d [1/kg]."""
    arm = cross(r, d)
    return 1.0 / mass + dot(arm, symmetric_times(inverse, arm))


@inline
def answer_across(mass, inverse, r, n):
    """Return the largest change of the velocity of the point r across the unit vector n by a unit impulse across n [1/kg]."""
    t, b = tangents(n)
    arm, other = cross(r, t), cross(r, b)
    turn = symmetric_times(inverse, arm)
    tt, tb, bb = dot(arm, turn), dot(other, turn), dot(other, symmetric_times(inverse, other))
    return 1.0 / mass + 0.5 * (tt + bb) + math.sqrt(0.25 * (tt - bb) * (tt - bb) + tb * tb)


@kernel
def turn_freely(b, s, w, h):
    """Turn a body without moments for h seconds; return the angular velocity afterwards, in W. Axes and quaternion of the state are updated.

    The midpoint rule for the angular momentum in O, with the Cayley transform of the same angular velocity for the axes, conserves the
    angular momentum in W and the energy [Simo and Wong 1991]. b, s : records of RIGID_BODY and STATE; w : angular velocity, in W
    """
    R, q = s["R_WO"], s["q_WO"]
    inertia, inverse = symmetric(b["inertia"]), symmetric(b["inverse_inertia"])
    momentum = rotated(R, symmetric_times(inertia, unrotated(R, w)))
    parts = int(min(max(math.ceil(math.sqrt(dot(w, w)) * h / TURN), 1.0), float(MAX_PARTS)))
    h /= parts
    for _ in range(parts):
        first = unrotated(R, momentum)
        last, w_O = first, symmetric_times(inverse, first)
        for _k in range(ITERATIONS):
            middle = scale(0.5, add(first, last))
            w_O = symmetric_times(inverse, middle)
            new = add(first, scale(h, cross(middle, w_O)))
            change = sub(new, last)
            last = new
            if dot(change, change) <= EXACT * EXACT * dot(first, first):
                break
        _turn_by_cayley(q, scale(0.5 * h, w_O))
        rotation_of_quaternion(q, R)
    return rotated(R, symmetric_times(inverse, unrotated(R, momentum)))


@inline
def _turn_by_cayley(q, e):
    """Multiply the unit quaternion q (4,) from the right by (1, e) and normalize it."""
    q0, q1, q2, q3 = q[0], q[1], q[2], q[3]
    q[0] = q0 - q1 * e[0] - q2 * e[1] - q3 * e[2]
    q[1] = q1 + q0 * e[0] + q2 * e[2] - q3 * e[1]
    q[2] = q2 + q0 * e[1] - q1 * e[2] + q3 * e[0]
    q[3] = q3 + q0 * e[2] + q1 * e[1] - q2 * e[0]
    length = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for i in range(4):
        q[i] /= length


@inline
def center_of_mass(b, s):
    """Return (center of mass from the origin of O, its position, its velocity), in W; b, s : records of RIGID_BODY and STATE."""
    c = rotated(s["R_WO"], vector(b["com_O"]))
    return c, add(vector(s["p_WO"]), c), add(vector(s["v_WO"]), cross(vector(s["w_WO"]), c))
