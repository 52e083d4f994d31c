"""Scalar constraints between two bodies, and linear couplings of joint coordinates: residual, Jacobian row and velocity terms.

Each joint and each loop is a set of such rows, the primitive constraints of [Suspension interpolation, eqs 3-8], with e, u, w vectors
fixed in a body:

    POINT     e_j . (P_i - P_j)             the points P_i and P_j coincide in the direction e of body j
    DOT       u_i . w_j                     two directions stay perpendicular
    DISTANCE  (|P_i - P_j|^2 - L^2) / (2 L)
    COUPLING  sum c q - offset

Time derivatives of a row phi between the bodies i and j, with V and alpha of the body frame origins:

    phi'  = Y_i . V_i + Y_j . V_j + nu
    phi'' = Y_i . alpha_i + Y_j . alpha_j + gamma

nu and gamma are the terms without unknowns: velocity products and the motion of a driven point. The fully augmented form (bodies with
absolute coordinates) and the tree forms (nodes of the tree) both use these rows, with records of `tree.MOTION` as arguments.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.spatial import columns, lower, rotated, shift_motion, triple, upper
from simulator.base.algebra.vectors import add, cross, dot, in_frame, scale, sub, vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record

POINT, DOT, DISTANCE, COUPLING = range(4)
"""Kinds of rows."""

ROWS = (
    # name    shape   unit   description
    ("kind", (), "1", "kind of the row", "i8"),
    ("loop", (), "1", "index of the loop or coupling (loops first), for messages", "i8"),
    ("i", (), "1", "body i", "i8"),
    ("j", (), "1", "body j", "i8"),
    ("p_i", (3,), "m", "point P_i in body i"),
    ("p_j", (3,), "m", "point P_j in body j"),
    ("u", (3,), "1", "direction u, in body i"),
    ("e", (3,), "1", "direction e or w, in body j"),
    ("length", (), "m", "distance L"),
    ("driven", (), "1", "index of the driven point at P_j, or -1", "i8"),
    ("first", (), "1", "first term of a coupling", "i8"),
    ("last", (), "1", "one past the last term of a coupling", "i8"),
    ("offset", (), "rad, m", "offset of a coupling"),
)

TERMS = (
    ("coefficient", (), "1", "coefficient of the coordinate"),
    ("node", (), "1", "node of the coupled joint", "i8"),
    ("q", (), "1", "index of the position coordinate", "i8"),
    ("v", (), "1", "index of the velocity coordinate", "i8"),
)

DRIVEN = (
    ("offset", (3,), "m", "displacement of the point, in body j"),
    ("velocity", (3,), "m/s", "velocity of the displacement"),
    ("acceleration", (3,), "m/s2", "acceleration of the displacement"),
)


class Constraints(NamedTuple):
    """Constraint rows, their parameters and results: `Y` (rows, 12) stores [Y_i, Y_j]; `residual`, `nu`, `gamma` have shape (rows,)."""

    rows: Record
    terms: Record
    driven: Record
    Y: NDArray[np.float64]
    residual: NDArray[np.float64]
    nu: NDArray[np.float64]
    gamma: NDArray[np.float64]


@inline
def points(row, motion, driven):
    """Return the vectors from the origins of bodies i and j to P_i and P_j, and d = P_i - P_j."""
    m_i, m_j = motion[row["i"]], motion[row["j"]]
    r_i, p_j = rotated(m_i["R"], vector(row["p_i"])), vector(row["p_j"])
    if row["driven"] >= 0:
        p_j = add(p_j, vector(driven[row["driven"]]["offset"]))
    r_j = rotated(m_j["R"], p_j)
    return r_i, r_j, add(sub(vector(m_i["p"]), vector(m_j["p"])), sub(r_i, r_j))


@kernel
def set_residuals(c, motion, q, first, last):
    """Set c.residual of rows first..last-1 from the positions (`tree.move`)."""
    for k in range(first, last):
        row = c.rows[k]
        kind = row["kind"]
        if kind == COUPLING:
            total = -row["offset"]
            for t in range(row["first"], row["last"]):
                total += c.terms[t]["coefficient"] * q[c.terms[t]["q"]]
            c.residual[k] = total
        elif kind == DOT:
            c.residual[k] = dot(rotated(motion[row["i"]]["R"], vector(row["u"])), rotated(motion[row["j"]]["R"], vector(row["e"])))
        else:
            d = points(row, motion, c.driven)[2]
            if kind == POINT:
                c.residual[k] = dot(rotated(motion[row["j"]]["R"], vector(row["e"])), d)
            else:
                c.residual[k] = (dot(d, d) - row["length"] * row["length"]) / (2.0 * row["length"])


@kernel
def set_jacobian(c, motion, first, last):
    """Set c.Y and c.nu of rows first..last-1 from the positions; couplings have no body part (zeros)."""
    for k in range(first, last):
        row = c.rows[k]
        kind = row["kind"]
        zero = (0.0, 0.0, 0.0)
        n_i, f, n_j = zero, zero, zero
        c.nu[k] = 0.0
        if kind == DOT:
            n_i = cross(rotated(motion[row["i"]]["R"], vector(row["u"])), rotated(motion[row["j"]]["R"], vector(row["e"])))
            n_j = scale(-1.0, n_i)
        elif kind != COUPLING:
            r_i, r_j, d = points(row, motion, c.driven)
            R_j = motion[row["j"]]["R"]
            f = rotated(R_j, vector(row["e"])) if kind == POINT else scale(1.0 / row["length"], d)
            n_i = cross(r_i, f)
            n_j = scale(-1.0, cross(add(r_j, d), f))  # at P_i as a point of body j; for DISTANCE d x f is zero
            if row["driven"] >= 0:
                c.nu[k] = -dot(f, rotated(R_j, vector(c.driven[row["driven"]]["velocity"])))
        for i in range(3):
            c.Y[k, i], c.Y[k, 3 + i] = n_i[i], f[i]
            c.Y[k, 6 + i], c.Y[k, 9 + i] = n_j[i], -f[i]


@kernel
def set_gamma(c, motion, first, last):
    """Set c.gamma of rows first..last-1 from positions and velocities V."""
    for k in range(first, last):
        row = c.rows[k]
        kind = row["kind"]
        if kind == COUPLING:
            c.gamma[k] = 0.0
        elif kind == DOT:
            c.gamma[k] = dot_gamma(row, motion)
        else:
            c.gamma[k] = point_gamma(row, motion, c.driven)


@inline
def dot_gamma(row, motion):
    """Return the velocity products of u . w."""
    m_i, m_j = motion[row["i"]], motion[row["j"]]
    u, w = rotated(m_i["R"], vector(row["u"])), rotated(m_j["R"], vector(row["e"]))
    s_i, s_j = upper(m_i["V"]), upper(m_j["V"])
    return dot(triple(u, s_i), w) + 2.0 * dot(cross(s_i, u), cross(s_j, w)) + dot(u, triple(w, s_j))


@inline
def point_gamma(row, motion, driven):
    """Return the velocity products of POINT and DISTANCE rows, with the motion of a driven point."""
    m_i, m_j = motion[row["i"]], motion[row["j"]]
    r_i, r_j, d = points(row, motion, driven)
    w_i, w_j = upper(m_i["V"]), upper(m_j["V"])
    v = sub(shift_motion(w_i, lower(m_i["V"]), r_i), shift_motion(w_j, lower(m_j["V"]), r_j))
    a = sub(triple(r_i, w_i), triple(r_j, w_j))
    if row["driven"] >= 0:
        x, y, z = columns(m_j["R"])
        u = in_frame(x, y, z, vector(driven[row["driven"]]["velocity"]))
        v = sub(v, u)
        a = sub(sub(a, in_frame(x, y, z, vector(driven[row["driven"]]["acceleration"]))), scale(2.0, cross(w_j, u)))
    if row["kind"] == DISTANCE:
        return (dot(v, v) + dot(d, a)) / row["length"]
    e = rotated(m_j["R"], vector(row["e"]))
    return dot(e, a) + 2.0 * dot(cross(w_j, e), v) + dot(triple(e, w_j), d)


@kernel
def set_rates(c, motion, v, rate):
    """Set rate (rows,) = phi', the velocity residual of each row, after `set_jacobian`."""
    for k in range(c.rows.shape[0]):
        row = c.rows[k]
        rate[k] = c.nu[k] + along(c.Y, k, motion[row["i"]]["V"], motion[row["j"]]["V"])
        for t in range(row["first"], row["last"]):
            rate[k] += c.terms[t]["coefficient"] * v[c.terms[t]["v"]]


@inline
def along(Y, k, s_i, s_j):
    """Return Y_i . s_i + Y_j . s_j of row k for two six-vectors."""
    total = 0.0
    for i in range(6):
        total += Y[k, i] * s_i[i] + Y[k, 6 + i] * s_j[i]
    return total


CONTRADICTION = 1e-3
"""A redundant row contradicts the others when its remainder exceeds this fraction of the largest terms of any row.

An explicit integrator leaves a small closure error between steps, at which redundant rows do not agree exactly.
"""
MIN_SCALE = 1e-6
"""m/s2, rad/s2. Minimum scale of the terms."""


@inline
def contradicts(residual, largest):
    """Return whether a redundant row with the remainder `residual` contradicts the others; `largest` is the magnitude of the terms."""
    return not abs(residual) <= CONTRADICTION * max(largest, MIN_SCALE)
