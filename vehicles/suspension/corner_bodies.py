"""What kinds of corners that are made of bodies have in common: the motion of the bodies, and their sums."""

from __future__ import annotations

import numpy as np

from simulator.base.algebra.vectors import add, add_scaled, column, cross, dot, scale, six, symmetric_times, vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Table
from vehicles.axles import WHEELS

AGGREGATE = (
    ("moment", (3, WHEELS), "kg m", "sum of mass times position"),
    ("inertia", (6, WHEELS), "kg m2", "inertia about the reference point (xx, yy, zz, xy, xz, yz)"),
    ("G", (6, WHEELS), "kg m2, kg m", "coupling of chassis and theta (angular, linear)"),
    ("D", (WHEELS,), "kg m2, kg", "inertia of theta"),
    ("bias", (6, WHEELS), "N m, N", "inertia forces at zero acceleration (angular, linear)"),
    ("theta_bias", (WHEELS,), "N m, N", "inertia force on theta at zero acceleration"),
)
"""What the bodies of a corner are to the rest of the vehicle."""


def motion_of(bodies: int) -> Table:
    """Rows for the motion of so many bodies relative to the chassis, in chassis axes; w and u are per metre where theta is one."""
    return (
        ("c", (bodies, 3, WHEELS), "m", "centres of mass, in the order of the BODIES of the corner's kind"),
        ("inertia", (bodies, 6, WHEELS), "kg m2", "inertias about the centres of mass"),
        ("w", (bodies, 3, WHEELS), "1", "angular velocity per theta_dot"),
        ("u", (bodies, 3, WHEELS), "m", "velocity of the centre of mass per theta_dot"),
        ("w_rel", (bodies, 3, WHEELS), "rad/s", "angular velocity relative to the chassis"),
        ("v_rel", (bodies, 3, WHEELS), "m/s", "velocity of the centre of mass relative to the chassis"),
        ("alpha_rel", (bodies, 3, WHEELS), "rad/s2", "angular acceleration relative to the chassis at theta_ddot = 0"),
        ("a_rel", (bodies, 3, WHEELS), "m/s2", "acceleration of the centre of mass relative to the chassis at theta_ddot = 0"),
    )


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


@kernel
def sum_bodies(mass, o, w_WB_B, k, theta):
    """Composite inertia, coupling, theta inertia and bias forces of all four columns, from their bodies.

    mass : (n, 4) of the bodies; o : their motion, see `motion_of`; k : AGGREGATE, overwritten in all columns
    theta : (4,) only tells the number of corners: the compiler uses the vector lanes if that is unknown to it, and unsigned
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
    """Sums of corner i into KINEMATICS, from a record of AGGREGATE of the kind's own."""
    for j in range(3):
        k["moment"][j, i] = sums["moment"][j, i]
    for j in range(6):
        k["inertia"][j, i], k["G"][j, i], k["bias"][j, i] = sums["inertia"][j, i], sums["G"][j, i], sums["bias"][j, i]
    k["D"][i], k["theta_bias"][i] = sums["D"][i], sums["theta_bias"][i]


@inline
def start_sums(k, i):
    """Sums of corner i to zero."""
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

    c center of mass, u its velocity and w its angular velocity per theta_dot, I inertia about c, w_abs absolute angular velocity.
    a and alpha are accelerations where chassis (w_B) and theta do not accelerate, f and n the force and couple they need, N about the
    reference point.

        a = a_rel + w_B × (w_B × c) + 2 w_B × v_rel,    alpha = alpha_rel + w_B × w_rel                 (24)
        f = mass a,  n = I alpha + w_abs × (I w_abs),  N = n + c × f                                    (25)
        G = sum (I w + c × mass u, mass u),             D = sum (mass u . u + w . I w)                  (26)
        moment = sum mass c,                            inertia = sum (I + mass (c . c 1 - c c^T))
        bias = sum (N, f),                              theta_bias = sum (u . f + w . n)                (27)

    o : motion of the bodies of the kind, see `motion_of`; k : KINEMATICS
    """
    c = column(o["c"][b], i)
    I = six(o["inertia"][b], i)
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
    """Force and couple about its centre of mass that body b of corner i needs where chassis and theta do not accelerate (24), (25)."""
    c = column(o["c"][b], i)
    I = six(o["inertia"][b], i)
    w_rel = column(o["w_rel"][b], i)
    w_abs = add(w_B, w_rel)
    a = add(column(o["a_rel"][b], i), cross(w_B, add_scaled(cross(w_B, c), 2.0, column(o["v_rel"][b], i))))
    f = (mass * a[0], mass * a[1], mass * a[2])
    alpha = add(column(o["alpha_rel"][b], i), cross(w_B, w_rel))
    return f, add(symmetric_times(I, alpha), cross(w_abs, symmetric_times(I, w_abs)))


@inline
def start_steering(k, i):
    """What the steering moves of corner i to zero."""
    for j in range(6):
        k["E"][j, i] = 0.0
    k["F"][i], k["H"][i], k["steer_bias"][i] = 0.0, 0.0, 0.0


@inline
def add_steered_body(o, b, i, mass, w_B, v, turn, k):
    """Add body b of corner i, whose centre of mass moves with v and which turns with `turn` per rate of the steering arm.

    With (v, turn) = K in place of (u, w) = J: E = sum M K, F = sum J^T M K, H = sum K^T M K and the bias as in (26), (27).
    """
    c = column(o["c"][b], i)
    I_turn = symmetric_times(six(o["inertia"][b], i), turn)
    mass_v = (mass * v[0], mass * v[1], mass * v[2])
    E = add(I_turn, cross(c, mass_v))
    for j in range(3):
        k["E"][j, i] += E[j]
        k["E"][j + 3, i] += mass_v[j]
    k["F"][i] += dot(column(o["u"][b], i), mass_v) + dot(column(o["w"][b], i), I_turn)
    k["H"][i] += dot(v, mass_v) + dot(turn, I_turn)
    f, n = inertia_force(o, b, i, mass, w_B)
    k["steer_bias"][i] += dot(v, f) + dot(turn, n)
