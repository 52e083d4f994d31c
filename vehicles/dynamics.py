"""Accelerations of the whole vehicle by constraint embedding: 33 bodies, 12 loops, 14 degrees of freedom, one 6 x 6 solve.

Every corner is one aggregated body of paper 000 (section 3): its bodies move with V_i = V_B + J_i theta' + K_i Q' relative to the
chassis, so it enters the equations of motion only through a composite inertia M = sum M_i, a coupling G = sum M_i J_i, an inertia
D = sum J_i^T M_i J_i and the bias forces. Eliminating theta'' (one division per corner) leaves the chassis.
The counts are those of four double wishbones; a five-link corner (`vehicles.suspension.five_link`) enters in the same way.

The wheels are balanced rotors: with the absolute spin Omega = axle . w_wheel as coordinate, Omega' = (torque about the axle) / I_spin
holds by itself, and the rest of the vehicle feels the wheel as a rotor without axial inertia plus the gyroscopic couple
I_spin Omega (w x axle). Everything is written in chassis axes B about the chassis reference point; accelerations are those relative to
the world, gravity enters as a = a_WB - g.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.jit import inline, kernel
from vehicles.multibody.vectors import (
    add,
    add_scaled,
    column,
    cross,
    dot,
    in_frame,
    scale,
    six,
    sub,
    symmetric_inverse,
    symmetric_times,
    vector,
)
from vehicles.suspension.corner import corner_kinematics
from vehicles.suspension.corner_bodies import CARRIER
from vehicles.suspension.ends import hold_ends, limited
from vehicles.suspension.struts import damper_force, spring_force

CHASSIS = (
    # name         shape    unit     what it is
    ("mass", (), "kg", "mass of the chassis body"),
    ("com", (3,), "m", "its centre of mass from the chassis reference point, in B"),
    ("inertia", (6,), "kg m2", "its inertia about the centre of mass, in B (xx, yy, zz, xy, xz, yz)"),
    ("gravity", (), "m/s2", "acceleration of gravity, along -z of the world"),
)

STATE = (
    ("p_WB", (3,), "m", "position of the chassis reference point in the world"),
    ("q_WB", (4,), "1", "attitude of the chassis, quaternion w, x, y, z"),
    ("v_WB_B", (3,), "m/s", "velocity of the chassis reference point, in B"),
    ("w_WB_B", (3,), "rad/s", "angular velocity of the chassis, in B"),
    ("theta", (4,), "rad, m", "lower-arm angles, or heights of the wheels of a five-link axle, + = jounce"),
    ("theta_dot", (4,), "rad/s, m/s", "their rates"),
    ("wheel_angle", (4,), "rad", "angles of the wheels relative to their carriers"),
    ("wheel_spin", (4,), "rad/s", "absolute angular velocity of the wheels about their axles"),
)

LOADS = (
    ("wheel_force", (3, 4), "N", "force on each wheel at its centre, in B"),
    ("carrier_couple", (3, 4), "N m", "couple on each wheel across its axle, plus the brake's reaction on the carrier, in B"),
    ("chassis_force", (3,), "N", "force on the chassis at its reference point, in B"),
    ("chassis_couple", (3,), "N m", "couple on the chassis (reactions of half shafts and engine), in B"),
)

ACCELERATIONS = (
    ("alpha_WB_B", (3,), "rad/s2", "angular acceleration of the chassis, in B"),
    ("a_WB_B", (3,), "m/s2", "acceleration of the chassis reference point relative to the world, in B"),
    ("theta_ddot", (4,), "rad/s2, m/s2", "accelerations of theta"),
    ("carrier_spin", (4,), "rad/s", "angular velocity of the carriers about the axles"),
    ("spring_force", (4,), "N", "springs with stops, + = pushes the ends apart"),
    ("shock_force", (4,), "N", "dampers, + = pushes the ends apart"),
)

WORK = (
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
    ("corners_moment", (3,), "kg m", "sum of mass times position of all corners"),
    ("corners_inertia", (6,), "kg m2", "inertia of all corners about the reference point"),
    ("corners_bias", (6,), "N m, N", "inertia forces of all corners at zero acceleration (angular, linear)"),
    ("A", (6, 6), "", "articulated inertia of the chassis"),
    ("x", (6,), "", "right-hand side, then angular and linear acceleration (relative to free fall)"),
)
"""Scratch of one evaluation, kept in a record so that nothing is allocated."""


@kernel
def accelerations(chassis, corners, struts, state, q, loads, k, work, out):
    """All 14 accelerations from state and loads.

    Parameters
    ----------
    chassis, corners, struts : parameter records of CHASSIS, CORNERS, STRUTS
    state : record of STATE
    q : record of INPUTS; theta and theta_dot are copied from `state`, the inner tie-rod points are read
    loads : record of LOADS
    k, work : records of KINEMATICS and WORK, overwritten
    out : record of ACCELERATIONS, overwritten

    Source: paper 000, eqs (4)-(7) and (9)-(11), reduced once more (see the module).
    """
    prepare(corners, struts, state, q, k, work, out)
    hold_ends(corners, state, work, 0.0)
    answer_loads(chassis, corners, state, loads, k, work, out)


@kernel
def answer_loads(chassis, corners, state, loads, k, work, out):
    """Second half of `accelerations`: what the loads do, after `prepare` at the same state."""
    apply_wheel_loads(loads, k, work)
    assemble_chassis(chassis, corners, state[0]["w_WB_B"], work)
    eliminate_thetas(work)
    solve_symmetric(work[0]["A"], work[0]["x"])
    recover_thetas(work, out)
    g_B = gravity_in_chassis(state[0]["q_WB"], chassis[0]["gravity"])
    for j in range(3):
        out[0]["alpha_WB_B"][j] = work[0]["x"][j]
        out[0]["a_WB_B"][j] = work[0]["x"][j + 3] + g_B[j]


@kernel
def prepare(corners, struts, state, q, k, work, out):
    """Kinematics, sums and strut forces of the corners at the present state."""
    for i in range(4):
        q[0]["theta"][i] = state[0]["theta"][i]
        q[0]["theta_dot"][i] = state[0]["theta_dot"][i]
        theta = limited(corners, i, state[0]["theta"][i])
        work[0]["cos_theta"][i] = math.cos(theta)
        work[0]["sin_theta"][i] = math.sin(theta)
    corner_kinematics(corners, q, work[0]["cos_theta"], work[0]["sin_theta"], k)
    sum_corners(corners, k, state[0]["w_WB_B"], work, state[0]["wheel_spin"])
    add_up_corners(work)
    add_gyroscopic_couples(corners, k, state[0]["w_WB_B"], state[0]["wheel_spin"], work, out[0]["carrier_spin"])
    apply_struts(struts, k, q, work, out)


@kernel
def sum_corners(corners, k, w_WB_B, work, wheel_spin):
    """Composite inertia, coupling, theta inertia and bias forces of every corner, from its bodies.

    `wheel_spin` (4,) only tells the number of corners: the compiler uses the vector lanes if that is unknown to it, and unsigned.
    """
    w = work[0]
    o = k[0]
    w_B = vector(w_WB_B)
    lanes = np.uint64(wheel_spin.shape[0])
    for i in range(lanes):
        for j in range(3):
            w["moment"][j, i] = 0.0
        for j in range(6):
            w["inertia"][j, i] = 0.0
            w["G"][j, i] = 0.0
            w["bias"][j, i] = 0.0
        w["D"][i] = 0.0
        w["theta_bias"][i] = 0.0
    for b in range(7):
        for i in range(lanes):
            mass = corners[0]["mass"][b, i]
            c = column(o["c"][b], i)
            I = six(o["inertia"][b], i)
            rate = column(o["w"][b], i)
            u = column(o["u"][b], i)
            w_rel = column(o["w_rel"][b], i)
            spin = add(w_B, w_rel)

            # inertia force and couple at zero acceleration of chassis and theta
            a = add(column(o["a_rel"][b], i), cross(w_B, add_scaled(cross(w_B, c), 2.0, column(o["v_rel"][b], i))))
            f = (mass * a[0], mass * a[1], mass * a[2])
            alpha = add(column(o["alpha_rel"][b], i), cross(w_B, w_rel))
            n = add(symmetric_times(I, alpha), cross(spin, symmetric_times(I, spin)))
            N = add(n, cross(c, f))

            Iw = symmetric_times(I, rate)
            mu = (mass * u[0], mass * u[1], mass * u[2])
            G = add(Iw, cross(c, mu))
            for j in range(3):
                w["moment"][j, i] += mass * c[j]
                w["G"][j, i] += G[j]
                w["G"][j + 3, i] += mu[j]
                w["bias"][j, i] += N[j]
                w["bias"][j + 3, i] += f[j]
            w["D"][i] += dot(u, mu) + dot(rate, Iw)
            w["theta_bias"][i] += dot(u, f) + dot(rate, n)
            w["inertia"][0, i] += I[0] + mass * (c[1] * c[1] + c[2] * c[2])
            w["inertia"][1, i] += I[1] + mass * (c[0] * c[0] + c[2] * c[2])
            w["inertia"][2, i] += I[2] + mass * (c[0] * c[0] + c[1] * c[1])
            w["inertia"][3, i] += I[3] - mass * c[0] * c[1]
            w["inertia"][4, i] += I[4] - mass * c[0] * c[2]
            w["inertia"][5, i] += I[5] - mass * c[1] * c[2]


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
    """Add the couples I_spin Omega (w x axle) of the spinning wheels to the bias; note the spin of the carriers about the axles."""
    w_B = vector(w_WB_B)
    for i in range(np.uint64(wheel_spin.shape[0])):
        axle = column(k[0]["axle"], i)
        rate = column(k[0]["w"][CARRIER], i)
        spin = add(w_B, column(k[0]["w_rel"][CARRIER], i))
        carrier_spin[i] = dot(spin, axle)
        n = cross(spin, scale(corners[0]["spin_inertia"][i] * wheel_spin[i], axle))
        for j in range(3):
            work[0]["gyroscopic"][j, i] = n[j]
            work[0]["corners_bias"][j] += n[j]
        work[0]["theta_bias"][i] += dot(rate, n)


@inline
def apply_struts(struts, k, q, work, out):
    """Forces of springs, stops and dampers, and their sum on theta: the virtual work of a strut is force times change of length."""
    for i in range(4):
        spring = spring_force(struts, i, k[0]["spring_length"][i])
        shock = damper_force(struts, i, k[0]["shock_length"][i], k[0]["shock_length_1"][i] * q[0]["theta_dot"][i])
        out[0]["spring_force"][i] = spring
        out[0]["shock_force"][i] = shock
        work[0]["theta_force"][i] = spring * k[0]["spring_length_1"][i] + shock * k[0]["shock_length_1"][i]


@inline
def apply_wheel_loads(loads, k, work):
    """Add the wheel loads to theta's force, and collect them with the bias forces of the corners on the right-hand side."""
    x = work[0]["x"]
    for j in range(3):
        x[j] = loads[0]["chassis_couple"][j] - work[0]["corners_bias"][j]
        x[j + 3] = loads[0]["chassis_force"][j] - work[0]["corners_bias"][j + 3]
    for i in range(4):
        force = column(loads[0]["wheel_force"], i)
        couple = column(loads[0]["carrier_couple"], i)
        W = column(k[0]["W"], i)
        rate = column(k[0]["w"][CARRIER], i)
        work[0]["theta_force"][i] += dot(column(k[0]["W_1"], i), force) + dot(rate, couple) - work[0]["theta_bias"][i]
        N = add(couple, cross(W, force))
        for j in range(3):
            x[j] += N[j]
            x[j + 3] += force[j]


@inline
def assemble_chassis(chassis, corners, w_WB_B, work):
    """Rigid composite of chassis and corners in A (lower triangle), and the chassis' own bias on the right-hand side."""
    w = work[0]
    A = w["A"]
    w_B = vector(w_WB_B)
    mass = chassis[0]["mass"]
    c = vector(chassis[0]["com"])
    I = chassis[0]["inertia"]
    J = w["corners_inertia"]
    S = scale(mass, c)
    xx = I[0] + mass * (c[1] * c[1] + c[2] * c[2])
    yy = I[1] + mass * (c[0] * c[0] + c[2] * c[2])
    zz = I[2] + mass * (c[0] * c[0] + c[1] * c[1])
    xy = I[3] - mass * c[0] * c[1]
    xz = I[4] - mass * c[0] * c[2]
    yz = I[5] - mass * c[1] * c[2]
    f = cross(w_B, cross(w_B, S))
    n = cross(w_B, symmetric_times((xx, yy, zz, xy, xz, yz), w_B))
    for j in range(3):
        w["x"][j] -= n[j]
        w["x"][j + 3] -= f[j]
    mass += (corners[0]["corner_mass"][0] + corners[0]["corner_mass"][1]) + (corners[0]["corner_mass"][2] + corners[0]["corner_mass"][3])
    S = add(S, vector(w["corners_moment"]))
    xx, yy, zz = xx + J[0], yy + J[1], zz + J[2]
    xy, xz, yz = xy + J[3], xz + J[4], yz + J[5]
    A[0, 0], A[1, 1], A[2, 2] = xx, yy, zz
    A[1, 0], A[2, 0], A[2, 1] = xy, xz, yz
    A[3, 0], A[3, 1], A[3, 2] = 0.0, S[2], -S[1]
    A[4, 0], A[4, 1], A[4, 2] = -S[2], 0.0, S[0]
    A[5, 0], A[5, 1], A[5, 2] = S[1], -S[0], 0.0
    A[3, 3], A[4, 4], A[5, 5] = mass, mass, mass
    A[4, 3], A[5, 3], A[5, 4] = 0.0, 0.0, 0.0


@inline
def eliminate_thetas(work):
    """Take theta'' = (theta_force - G . x) / D out of the equations of the chassis: the Riccati step of paper 000 eq (4)."""
    w = work[0]
    for i in range(4):
        inverse = 1.0 / w["D"][i]
        accel = w["theta_force"][i] * inverse
        for r in range(6):
            g = w["G"][r, i]
            w["x"][r] -= g * accel
            g *= inverse
            for s in range(r + 1):
                w["A"][r, s] -= g * w["G"][s, i]


@inline
def recover_thetas(work, out):
    """theta'' of every corner from the acceleration of the chassis relative to free fall in `work`."""
    for i in range(4):
        accel = work[0]["theta_force"][i]
        for r in range(6):
            accel -= work[0]["G"][r, i] * work[0]["x"][r]
        out[0]["theta_ddot"][i] = accel / work[0]["D"][i]


@kernel
def accelerations_on_fixed_chassis(chassis, corners, struts, state, q, loads, k, work, out):
    """As `accelerations`, with the chassis held where it is: only the four thetas move (the quarter cars of paper 001)."""
    prepare(corners, struts, state, q, k, work, out)
    hold_ends(corners, state, work, 0.0)
    answer_loads_on_fixed_chassis(chassis, state, loads, k, work, out)


@kernel
def answer_loads_on_fixed_chassis(chassis, state, loads, k, work, out):
    """Second half of `accelerations_on_fixed_chassis`."""
    apply_wheel_loads(loads, k, work)
    g_B = gravity_in_chassis(state[0]["q_WB"], chassis[0]["gravity"])
    for j in range(3):
        work[0]["x"][j] = 0.0
        work[0]["x"][j + 3] = -g_B[j]
        out[0]["alpha_WB_B"][j] = 0.0
        out[0]["a_WB_B"][j] = 0.0
    recover_thetas(work, out)


@inline
def gravity_in_chassis(q, g):
    """Acceleration of gravity (0, 0, -g) of the world, in chassis axes, for the unit attitude quaternion q."""
    return (
        -2.0 * g * (q[1] * q[3] - q[0] * q[2]),
        -2.0 * g * (q[2] * q[3] + q[0] * q[1]),
        -g * (1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])),
    )


@inline
def solve_symmetric(A, x):
    """Solve A y = x in place for a positive definite 6 x 6 A given by its lower triangle, in blocks of three.

    With the angular block P, the coupling R and the linear block Q the angular part has the matrix P - R^T Q^-1 R. Two inverses of
    3 x 3 matrices leave the processor less to wait for than six pivots one after the other.
    """
    inverse = symmetric_inverse((A[3, 3], A[4, 4], A[5, 5], A[4, 3], A[5, 3], A[5, 4]))
    r0, r1, r2 = (A[3, 0], A[4, 0], A[5, 0]), (A[3, 1], A[4, 1], A[5, 1]), (A[3, 2], A[4, 2], A[5, 2])
    t0, t1, t2 = symmetric_times(inverse, r0), symmetric_times(inverse, r1), symmetric_times(inverse, r2)
    schur = (
        A[0, 0] - dot(r0, t0),
        A[1, 1] - dot(r1, t1),
        A[2, 2] - dot(r2, t2),
        A[1, 0] - dot(r1, t0),
        A[2, 0] - dot(r2, t0),
        A[2, 1] - dot(r2, t1),
    )
    linear = (x[3], x[4], x[5])
    angular = symmetric_times(symmetric_inverse(schur), (x[0] - dot(t0, linear), x[1] - dot(t1, linear), x[2] - dot(t2, linear)))
    linear = sub(symmetric_times(inverse, linear), in_frame(t0, t1, t2, angular))
    for j in range(3):
        x[j] = angular[j]
        x[j + 3] = linear[j]
