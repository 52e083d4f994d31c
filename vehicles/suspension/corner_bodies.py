"""Common functions of kinds of corners that consist of bodies: motion of the bodies, and their sums."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simulator.base.algebra.vectors import add, add_scaled, column, cross, dot, scale, symmetric_matrix_at, symmetric_times, vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Table
from vehicles.axle_layout import WHEELS


def aggregate_of(lanes: int) -> Table:
    """Return the rows for the aggregate of bodies, summed in so many vector lanes."""
    return (
        ("moment", (3, lanes), "kg m", "sum of mass times position"),
        ("inertia", (6, lanes), "kg m2", "inertia about the reference point (xx, yy, zz, xy, xz, yz)"),
        ("G", (6, lanes), "kg m2, kg m", "coupling of chassis and theta (angular, linear)"),
        ("D", (lanes,), "kg m2, kg", "inertia of theta"),
        ("bias", (6, lanes), "N m, N", "inertia forces at zero acceleration (angular, linear)"),
        ("theta_bias", (lanes,), "N m, N", "inertia force on theta at zero acceleration"),
    )


AGGREGATE = aggregate_of(WHEELS)
"""Aggregate of the bodies of a corner; the lanes are the corners."""


def motion_of(bodies: int, lanes: int = WHEELS) -> Table:
    """Return the rows for the motion of so many bodies relative to the chassis, in chassis axes; w and u are per meter if theta is a
    length.

    The lanes are the corners, unless a kind uses them otherwise.
    """
    return (
        ("c", (bodies, 3, lanes), "m", "centers of mass, in the order of the BODIES of the corner's kind"),
        ("inertia", (bodies, 6, lanes), "kg m2", "inertias about the centers of mass"),
        ("w", (bodies, 3, lanes), "1", "angular velocity per theta_dot"),
        ("u", (bodies, 3, lanes), "m", "velocity of the center of mass per theta_dot"),
        ("w_rel", (bodies, 3, lanes), "rad/s", "angular velocity relative to the chassis"),
        ("v_rel", (bodies, 3, lanes), "m/s", "velocity of the center of mass relative to the chassis"),
        ("alpha_rel", (bodies, 3, lanes), "rad/s2", "angular acceleration relative to the chassis at theta_ddot = 0"),
        ("a_rel", (bodies, 3, lanes), "m/s2", "acceleration of the center of mass relative to the chassis at theta_ddot = 0"),
    )


@inline
def turning(w, w_1, r):
    """Return the acceleration w_1 × r + w × (w × r) of the point r of a body that rotates with w and w_1 about the origin."""
    return add(cross(w_1, r), cross(w, cross(w, r)))


class ThetaMotion(NamedTuple):
    """Motion of a body that depends on theta alone.

    c : center of mass; u, u_1 : its first and second derivative by theta
    w, w_1 : angular velocity per theta_dot, and its derivative by theta
    """

    c: Any
    u: Any
    u_1: Any
    w: Any
    w_1: Any


@inline
def put_theta_body(o, body, i, rate, motion):
    """Store a body with a ThetaMotion that moves with theta_dot = `rate`."""
    put_body(o, body, i, motion.c, motion.w, motion.u)
    squared = rate * rate
    put_motion(o, body, i, scale(rate, motion.w), scale(rate, motion.u), scale(squared, motion.w_1), scale(squared, motion.u_1))


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


@kernel
def sum_bodies(mass, o, w_WB_B, k, theta):
    """Compute composite inertia, coupling, theta inertia and bias forces in every lane from its bodies.

    mass : (n, lanes) of the bodies; o : their motion, see `motion_of`; k : `aggregate_of`, overwritten in all lanes
    theta : (lanes,), used only for its length: the compiler uses the vector lanes if the length is unknown at compile time and unsigned
    """
    w_B = vector(w_WB_B)
    lanes = np.uint64(theta.shape[0])
    for i in range(lanes):
        start_sums(k, i)
    for b in range(mass.shape[0]):
        for i in range(lanes):
            add_body(o, b, i, mass[b, i], w_B, k)


@inline
def take_sums(sums, i, k):
    """Add up four lanes of `aggregate_of` into column i of KINEMATICS."""
    for j in range(3):
        k["moment"][j, i] = sum_of_lanes(sums["moment"][j])
    for j in range(6):
        k["inertia"][j, i], k["G"][j, i] = sum_of_lanes(sums["inertia"][j]), sum_of_lanes(sums["G"][j])
        k["bias"][j, i] = sum_of_lanes(sums["bias"][j])
    k["D"][i], k["theta_bias"][i] = sum_of_lanes(sums["D"]), sum_of_lanes(sums["theta_bias"])


@inline
def sum_of_lanes(a):
    """Return the sum of four numbers."""
    return (a[0] + a[1]) + (a[2] + a[3])


@inline
def start_sums(k, i):
    """Set the sums of corner i to zero."""
    for j in range(3):
        k["moment"][j, i] = 0.0
    for j in range(6):
        k["inertia"][j, i] = 0.0
        k["G"][j, i] = 0.0
        k["bias"][j, i] = 0.0
    k["D"][i] = 0.0
    k["theta_bias"][i] = 0.0


@inline
def add_body(o, b, i, mass, w_B, k):
    """Add body b of corner i to the composite inertia, the coupling, the inertia and the bias forces of its corner.

    c center of mass, u its velocity and w its angular velocity per theta_dot, I inertia about c, w_abs absolute angular velocity. a and
    alpha are the accelerations at zero acceleration of chassis (w_B) and theta, f and n the required force and couple, N the couple
    about the reference point.

        a = a_rel + w_B × (w_B × c) + 2 w_B × v_rel,    alpha = alpha_rel + w_B × w_rel                 (24)
        f = mass a,  n = I alpha + w_abs × (I w_abs),  N = n + c × f                                    (25)
        G = sum (I w + c × mass u, mass u),             D = sum (mass u . u + w . I w)                  (26)
        moment = sum mass c,                            inertia = sum (I + mass (c . c 1 - c c^T))
        bias = sum (N, f),                              theta_bias = sum (u . f + w . n)                (27)

    o : motion of the bodies of the kind, see `motion_of`; k : KINEMATICS
    """
    c = column(o["c"][b], i)
    I = symmetric_matrix_at(o["inertia"][b], i)
    w = column(o["w"][b], i)
    u = column(o["u"][b], i)
    f, n = inertia_force(o, b, i, mass, w_B)  # (24), (25)
    N = add(n, cross(c, f))

    # (26), (27)
    I_w = symmetric_times(I, w)
    mass_u = (mass * u[0], mass * u[1], mass * u[2])
    G = add(I_w, cross(c, mass_u))
    for j in range(3):
        k["moment"][j, i] += mass * c[j]
        k["G"][j, i] += G[j]
        k["G"][j + 3, i] += mass_u[j]
        k["bias"][j, i] += N[j]
        k["bias"][j + 3, i] += f[j]
    k["D"][i] += dot(u, mass_u) + dot(w, I_w)
    k["theta_bias"][i] += dot(u, f) + dot(w, n)
    k["inertia"][0, i] += I[0] + mass * (c[1] * c[1] + c[2] * c[2])
    k["inertia"][1, i] += I[1] + mass * (c[0] * c[0] + c[2] * c[2])
    k["inertia"][2, i] += I[2] + mass * (c[0] * c[0] + c[1] * c[1])
    k["inertia"][3, i] += I[3] - mass * c[0] * c[1]
    k["inertia"][4, i] += I[4] - mass * c[0] * c[2]
    k["inertia"][5, i] += I[5] - mass * c[1] * c[2]


@inline
def inertia_force(o, b, i, mass, w_B):
    """Return force and couple about its center of mass of body b of corner i at zero acceleration of chassis and theta (24), (25)."""
    c = column(o["c"][b], i)
    I = symmetric_matrix_at(o["inertia"][b], i)
    w_rel = column(o["w_rel"][b], i)
    w_abs = add(w_B, w_rel)
    a = add(column(o["a_rel"][b], i), cross(w_B, add_scaled(cross(w_B, c), 2.0, column(o["v_rel"][b], i))))
    f = (mass * a[0], mass * a[1], mass * a[2])
    alpha = add(column(o["alpha_rel"][b], i), cross(w_B, w_rel))
    return f, add(symmetric_times(I, alpha), cross(w_abs, symmetric_times(I, w_abs)))


@inline
def start_steering(k, i):
    """Set the steering sums of corner i to zero."""
    for j in range(6):
        k["E"][j, i] = 0.0
    k["F"][i], k["H"][i], k["steer_bias"][i] = 0.0, 0.0, 0.0


@inline
def add_steered_body(o, b, i, mass, w_B, v, turn, k):
    """Add body b of corner i to the steering sums; v, turn : velocity of its center of mass and angular velocity per rate of the
    steering arm.

    With (v, turn) = K instead of (u, w) = J: E = sum M K, F = sum J^T M K, H = sum K^T M K and the bias as in (26), (27).
    """
    c = column(o["c"][b], i)
    I_turn = symmetric_times(symmetric_matrix_at(o["inertia"][b], i), turn)
    mass_v = (mass * v[0], mass * v[1], mass * v[2])
    E = add(I_turn, cross(c, mass_v))
    for j in range(3):
        k["E"][j, i] += E[j]
        k["E"][j + 3, i] += mass_v[j]
    k["F"][i] += dot(column(o["u"][b], i), mass_v) + dot(column(o["w"][b], i), I_turn)
    k["H"][i] += dot(v, mass_v) + dot(turn, I_turn)
    f, n = inertia_force(o, b, i, mass, w_B)
    k["steer_bias"][i] += dot(v, f) + dot(turn, n)
