"""From the motion of the bodies of the corners to what the chassis sees of them: composite inertia, couplings, bias and strut forces.

Every corner is one aggregated body [Jain 2016, section 3]: its bodies move with V_i = V_B + J_i theta' + K_i Q' relative to the chassis, so
it enters the equations of motion only through M = sum M_i, G = sum M_i J_i, D = sum J_i^T M_i J_i and the bias forces.
J_i theta' is (w, u) theta_dot, K_i Q' the rest of (w_rel, v_rel). Equations are numbered as in docs/double_wishbone.md.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.algebra.vectors import add, add_scaled, column, cross, dot, scale, six, symmetric_times, vector
from simulator.base.jit import inline, kernel
from vehicles.suspension.anti_roll_bar import apply_anti_roll_bars
from vehicles.suspension.corner import corner_kinematics
from vehicles.suspension.corner_bodies import CARRIER
from vehicles.suspension.ends import limited
from vehicles.suspension.struts import damper_force, spring_force

SUMS = (
    ("cos_theta", (4,), "1", "cosines of theta"),
    ("sin_theta", (4,), "1", "sines of theta; of use to double wishbones only"),
    ("moment", (3, 4), "kg m", "sum of mass times position, per corner"),
    ("inertia", (6, 4), "kg m2", "inertia about the reference point, per corner"),
    ("G", (6, 4), "kg m2, kg m", "coupling of chassis and theta (angular, linear), per corner"),
    ("D", (4,), "kg m2", "inertia of theta, per corner"),
    ("bias", (6, 4), "N m, N", "inertia forces at zero acceleration (angular, linear), per corner"),
    ("theta_bias", (4,), "N m", "inertia force on theta at zero acceleration, per corner"),
    ("gyroscopic", (3, 4), "N m", "couple that turns the axle of the spinning wheel, in B"),
    ("theta_force", (4,), "N m", "applied force on theta, per corner"),
    ("bar_force", (3, 4), "N", "force of the anti-roll bar on the carriers, in B; of bars that hold carriers"),
    ("bar_couple", (3, 4), "N m", "its couple about the wheel centres, in B"),
    ("corners_moment", (3,), "kg m", "sum of mass times position of all corners"),
    ("corners_inertia", (6,), "kg m2", "inertia of all corners about the reference point"),
    ("corners_bias", (6,), "N m, N", "inertia forces of all corners at zero acceleration (angular, linear)"),
)
"""Per corner and of all corners together; scratch of one evaluation."""


@kernel
def prepare(corners, struts, state, q, k, work, out):
    """Kinematics, sums, strut and bar forces of the corners at the present state."""
    move_corners(corners, state, q, k, work)
    sum_corners(corners, k, state[0]["w_WB_B"], work, state[0]["wheel_spin"])
    add_up_corners(work)
    add_gyroscopic_couples(corners, k, state[0]["w_WB_B"], state[0]["wheel_spin"], work, out[0]["carrier_spin"])
    apply_struts(struts, k, q, work, out)
    apply_anti_roll_bars(corners, struts, k, q, work, out)


@inline
def move_corners(corners, state, q, k, work):
    """Kinematics of the corners at the present state."""
    for i in range(4):
        q[0]["theta"][i] = state[0]["theta"][i]
        q[0]["theta_dot"][i] = state[0]["theta_dot"][i]
        theta = limited(corners, i, state[0]["theta"][i])
        work[0]["cos_theta"][i] = math.cos(theta)
        work[0]["sin_theta"][i] = math.sin(theta)
    corner_kinematics(corners, q, work[0]["cos_theta"], work[0]["sin_theta"], k)


@kernel
def sum_corners(corners, k, w_WB_B, work, wheel_spin):
    """Composite inertia, coupling, theta inertia and bias forces of every corner, from its bodies.

    Per body: c center of mass, u its velocity and w its angular velocity per theta_dot, I inertia about c, w_abs absolute angular velocity.
    a and alpha are accelerations where chassis (w_B) and theta do not accelerate, f and n the force and couple they need, N about the
    reference point.

        a = a_rel + w_B × (w_B × c) + 2 w_B × v_rel,    alpha = alpha_rel + w_B × w_rel                 (24)
        f = mass a,  n = I alpha + w_abs × (I w_abs),  N = n + c × f                                    (25)
        G = sum (I w + c × mass u, mass u),             D = sum (mass u . u + w . I w)                  (26)
        moment = sum mass c,                            inertia = sum (I + mass (c . c 1 - c c^T))
        bias = sum (N, f),                              theta_bias = sum (u . f + w . n)                (27)

    `wheel_spin` (4,) only tells the number of corners: the compiler uses the vector lanes if that is unknown to it, and unsigned.
    """
    sums = work[0]
    o = k[0]
    w_B = vector(w_WB_B)
    lanes = np.uint64(wheel_spin.shape[0])
    for i in range(lanes):
        for j in range(3):
            sums["moment"][j, i] = 0.0
        for j in range(6):
            sums["inertia"][j, i] = 0.0
            sums["G"][j, i] = 0.0
            sums["bias"][j, i] = 0.0
        sums["D"][i] = 0.0
        sums["theta_bias"][i] = 0.0
    for b in range(7):
        for i in range(lanes):
            mass = corners[0]["mass"][b, i]
            c = column(o["c"][b], i)
            I = six(o["inertia"][b], i)
            w = column(o["w"][b], i)
            u = column(o["u"][b], i)
            w_rel = column(o["w_rel"][b], i)
            w_abs = add(w_B, w_rel)

            # (24), (25) inertia force and couple at zero acceleration of chassis and theta
            a = add(column(o["a_rel"][b], i), cross(w_B, add_scaled(cross(w_B, c), 2.0, column(o["v_rel"][b], i))))
            f = (mass * a[0], mass * a[1], mass * a[2])
            alpha = add(column(o["alpha_rel"][b], i), cross(w_B, w_rel))
            n = add(symmetric_times(I, alpha), cross(w_abs, symmetric_times(I, w_abs)))
            N = add(n, cross(c, f))

            # (26), (27)
            I_w = symmetric_times(I, w)
            mass_u = (mass * u[0], mass * u[1], mass * u[2])
            G = add(I_w, cross(c, mass_u))
            for j in range(3):
                sums["moment"][j, i] += mass * c[j]
                sums["G"][j, i] += G[j]
                sums["G"][j + 3, i] += mass_u[j]
                sums["bias"][j, i] += N[j]
                sums["bias"][j + 3, i] += f[j]
            sums["D"][i] += dot(u, mass_u) + dot(w, I_w)
            sums["theta_bias"][i] += dot(u, f) + dot(w, n)
            sums["inertia"][0, i] += I[0] + mass * (c[1] * c[1] + c[2] * c[2])
            sums["inertia"][1, i] += I[1] + mass * (c[0] * c[0] + c[2] * c[2])
            sums["inertia"][2, i] += I[2] + mass * (c[0] * c[0] + c[1] * c[1])
            sums["inertia"][3, i] += I[3] - mass * c[0] * c[1]
            sums["inertia"][4, i] += I[4] - mass * c[0] * c[2]
            sums["inertia"][5, i] += I[5] - mass * c[1] * c[2]


@inline
def add_up_corners(work):
    """What the chassis carries of all four corners together."""
    w = work[0]
    for j in range(3):
        w["corners_moment"][j] = (w["moment"][j, 0] + w["moment"][j, 1]) + (w["moment"][j, 2] + w["moment"][j, 3])
    for j in range(6):
        w["corners_inertia"][j] = (w["inertia"][j, 0] + w["inertia"][j, 1]) + (w["inertia"][j, 2] + w["inertia"][j, 3])
        w["corners_bias"][j] = (w["bias"][j, 0] + w["bias"][j, 1]) + (w["bias"][j, 2] + w["bias"][j, 3])


@inline
def add_gyroscopic_couples(corners, k, w_WB_B, wheel_spin, work, carrier_spin):
    """Add the couples w_abs × (I_spin Omega axle) of the spinning wheels to the bias (28); note the spin of the carriers about the axles."""
    w_B = vector(w_WB_B)
    for i in range(np.uint64(wheel_spin.shape[0])):
        axle = column(k[0]["axle"], i)
        w = column(k[0]["w"][CARRIER], i)
        w_abs = add(w_B, column(k[0]["w_rel"][CARRIER], i))
        carrier_spin[i] = dot(w_abs, axle)
        n = cross(w_abs, scale(corners[0]["spin_inertia"][i] * wheel_spin[i], axle))
        for j in range(3):
            work[0]["gyroscopic"][j, i] = n[j]
            work[0]["corners_bias"][j] += n[j]
        work[0]["theta_bias"][i] += dot(w, n)


@inline
def apply_struts(struts, k, q, work, out):
    """Forces of springs, stops and dampers, and their sum on theta: the virtual work of a strut is force times change of length.

    theta_force = spring force x spring_length_1 + shock force x shock_length_1          (29)
    """
    for i in range(4):
        spring = spring_force(struts, i, k[0]["spring_length"][i])
        shock = damper_force(struts, i, k[0]["shock_length"][i], k[0]["shock_length_1"][i] * q[0]["theta_dot"][i])
        out[0]["spring_force"][i] = spring
        out[0]["shock_force"][i] = shock
        work[0]["theta_force"][i] = spring * k[0]["spring_length_1"][i] + shock * k[0]["shock_length_1"][i]
