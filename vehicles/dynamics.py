"""Forward dynamics of the complete vehicle by constraint embedding: 33 bodies, 12 loops, 14 degrees of freedom, one 6 x 6 solve.

Every corner is one aggregated body of [Jain 2016, section 3]: its bodies move with V_i = V_B + J_i theta' + K_i Q' relative to the
chassis, so it enters the equations of motion only through a composite inertia M = sum M_i, a coupling G = sum M_i J_i, an inertia
D = sum J_i^T M_i J_i and the bias forces. Eliminating theta'' (one division per corner) leaves the chassis.
The counts are for four double wishbones; corners of all other kinds enter in the same form.

The wheels are balanced rotors. With the absolute spin Omega = axle . w_wheel as coordinate, Omega' = (torque about the axle) / I_spin is
decoupled from the other equations. For the rest of the vehicle the wheel is a rotor without axial inertia plus the gyroscopic couple
I_spin Omega (w × axle). All quantities are in chassis axes B about the chassis reference point. Accelerations are relative to
the world; gravity enters as a = a_WB - g, the specific force of the reference point.

With x = (alpha, a) of the chassis, A the composite inertia of chassis and corners, * for transposed, X the forces on the chassis and
Theta_i the force on theta of corner i, the forward dynamics are (numbers as on the documentation page of the closed form; (24)-(27) are in
`corner_bodies`, (28) and (29) in `composite_inertia`)

    [A    G_i] [x         ]   [X - bias              ]
    [G_i* D_i] [theta_i'' ] = [Theta_i - theta_bias_i]                                          (30)

    X       = chassis force and couple + sum (couple + W × force, force)
    Theta   = theta_force + W_1 . force + w . couple                                            (31)
    (A - sum G_i G_i* / D_i) x = X - bias - sum G_i (Theta_i - theta_bias_i) / D_i              (32)
    theta_i'' = (Theta_i - theta_bias_i - G_i . x) / D_i                                        (33)

where force and couple act on a wheel, W is its center, W_1 the velocity of W and w the angular velocity of the carrier per theta'.
"""

from __future__ import annotations

from simulator.base.algebra.vectors import (
    add,
    column,
    cross,
    dot,
    in_frame,
    scale,
    sub,
    symmetric_inverse,
    symmetric_times,
    vector,
)
from simulator.base.jit import inline, kernel
from vehicles.axle_layout import WHEELS
from vehicles.corner_layout import sides_of, sum_over_axles
from vehicles.suspension.composite_inertia import SUMS, prepare, prepare_here
from vehicles.suspension.hard_stops import apply_hard_stops

CHASSIS = (
    # name         shape    unit     what it is
    ("mass", (), "kg", "mass of the chassis body"),
    ("com", (3,), "m", "center of mass from the chassis reference point, in B"),
    ("inertia", (6,), "kg m2", "inertia about the center of mass, in B (xx, yy, zz, xy, xz, yz)"),
)

STATE = (
    ("p_WB", (3,), "m", "position of the chassis reference point in the world"),
    ("q_WB", (4,), "1", "attitude of the chassis, quaternion w, x, y, z"),
    ("v_WB_B", (3,), "m/s", "velocity of the chassis reference point, in B"),
    ("w_WB_B", (3,), "rad/s", "angular velocity of the chassis, in B"),
    ("theta", (WHEELS,), "rad, m", "independent coordinates of the corners, + = jounce"),
    ("theta_dot", (WHEELS,), "rad/s, m/s", "rates of theta"),
    ("wheel_angle", (WHEELS,), "rad", "angles of the wheels relative to their carriers"),
    ("wheel_spin", (WHEELS,), "rad/s", "absolute angular velocity of the wheels about their axles"),
    ("time", (), "s", "simulated time"),
)

LOADS = (
    ("wheel_force", (3, WHEELS), "N", "force on each wheel at its center, in B"),
    ("carrier_couple", (3, WHEELS), "N m", "couple on each wheel across its axle, plus the brake reaction on the carrier, in B"),
    ("axle_moment", (WHEELS,), "N m", "moment of the ground on each wheel about its axle; changes only the spin of the wheel"),
    ("chassis_force", (3,), "N", "force on the chassis at its reference point, in B"),
    ("chassis_couple", (3,), "N m", "couple on the chassis (reactions of half shafts and engine), in B"),
    ("gravity", (), "m/s2", "acceleration of gravity, along -z of the world"),
)

ACCELERATIONS = (
    ("alpha_WB_B", (3,), "rad/s2", "angular acceleration of the chassis, in B"),
    ("a_WB_B", (3,), "m/s2", "acceleration of the chassis reference point relative to the world, in B"),
    ("theta_ddot", (WHEELS,), "rad/s2, m/s2", "accelerations of theta"),
    ("carrier_spin", (WHEELS,), "rad/s", "angular velocity of the carriers about the axles"),
    ("spring_force", (WHEELS,), "N", "force of springs with stops, + = pushes the ends apart"),
    ("shock_force", (WHEELS,), "N", "force of dampers, + = pushes the ends apart"),
    ("bar_force", (WHEELS,), "N", "force of anti-roll bars on the suspension, + = downwards"),
    ("f_H_B", (3,), "m/s2", "specific force at the driver's head, in B"),
    ("pitman_torque", (), "N m", "torque that produces the motion of the Pitman arm, about the z axis of the steering frame"),
)

WORK = (
    *SUMS,
    ("R_WB", (3, 3), "1", "attitude of the chassis, from the quaternion of the state"),
    ("A", (6, 6), "", "articulated inertia of the chassis"),
    ("x", (6,), "", "right-hand side, then angular and linear acceleration (relative to free fall)"),
    ("arm_coupling", (6,), "", "coupling of a free steering arm with the chassis, thetas eliminated"),
    ("arm_answer", (6,), "", "acceleration of the chassis per acceleration of a free steering arm"),
)
"""Scratch of one evaluation, in a record so that kernels allocate no memory."""


@inline
def accelerations(m, s):
    """Compute the forward dynamics: all accelerations of chassis and thetas, from state and loads.

    Parameters
    ----------
    m : holds the parameter records `chassis`, `corners` and `struts`: the `records` of a MechanismParameters, or a VehicleModel
    s : Workspace or VehicleData. Reads `state`, `loads` and the inner tie-rod points of `inputs` (theta and theta_dot are copied from the
        state); overwrites the rest; the result is in `out`

    Source: [Jain 2016, eqs 4-7 and 9-11], reduced further (see the module docstring).
    """
    prepare_here(m, s)
    apply_hard_stops(m, s, 0.0)
    answer_loads(m, s)


@inline
def answer_loads(m, s):
    """Second half of `accelerations`: the effect of the loads, after `prepare` at the same state. Equations (30)-(33) of the module."""
    assemble_loads(m, s)
    solve_loads(m, s)


@inline
def assemble_loads(m, s):
    """Compute the articulated inertia of the chassis and its right-hand side, with the thetas eliminated: (32) without its solution."""
    work = s.work
    apply_wheel_loads(s.loads, s.kinematics, work)  # (31)
    uncouple_thetas(m.corners, s)
    assemble_chassis(m.chassis, m.corners, s.state[0]["w_WB_B"], work)  # (30), first row
    eliminate_thetas(s.kinematics, work)  # (32)


@inline
def solve_loads(m, s):
    """Compute all accelerations after `assemble_loads`."""
    work, out = s.work, s.out
    solve_symmetric(work[0]["A"], work[0]["x"])
    recover_thetas(m.corners, s)  # (33)
    g_B = gravity_in_chassis(s.state[0]["q_WB"], s.loads[0]["gravity"])
    for j in range(3):
        out[0]["alpha_WB_B"][j] = work[0]["x"][j]
        out[0]["a_WB_B"][j] = work[0]["x"][j + 3] + g_B[j]


@inline
def apply_wheel_loads(loads, k, work):
    """Write the right-hand sides of (30): Theta - theta_bias into `theta_force` of `work`, X minus the bias of the corners into x, by
    (31)."""
    x = work[0]["x"]
    for j in range(3):
        x[j] = loads[0]["chassis_couple"][j] - work[0]["corners_bias"][j]
        x[j + 3] = loads[0]["chassis_force"][j] - work[0]["corners_bias"][j + 3]
    for i in range(len(k[0]["D"])):
        force = column(loads[0]["wheel_force"], i)
        couple = column(loads[0]["carrier_couple"], i)
        W = column(k[0]["W"], i)
        w = column(k[0]["w"], i)
        work[0]["theta_force"][i] += dot(column(k[0]["W_1"], i), force) + dot(w, couple) - k[0]["theta_bias"][i]
        N = add(couple, cross(W, force))
        for j in range(3):
            x[j] += N[j]
            x[j + 3] += force[j]


@inline
def assemble_chassis(chassis, corners, w_WB_B, work):
    """Assemble the rigid composite of chassis and corners in A (lower triangle), and add the chassis bias to the right-hand side.

    About the reference point, with I0 the inertia and S = sum mass c the first moment, of the chassis in the bias and of all bodies in A:

        bias = (w_B × I0 w_B, w_B × (w_B × S)),    A = [I0    S×    ]
                                                       [-S×   mass 1]
    """
    w = work[0]
    A = w["A"]
    w_B = vector(w_WB_B)
    mass = chassis[0]["mass"]
    c = vector(chassis[0]["com"])
    I = chassis[0]["inertia"]
    carried = w["corners_inertia"]
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
    mass += sum_over_axles(corners, corners[0]["corner_mass"])
    S = add(S, vector(w["corners_moment"]))
    xx, yy, zz = xx + carried[0], yy + carried[1], zz + carried[2]
    xy, xz, yz = xy + carried[3], xz + carried[4], yz + carried[5]
    A[0, 0], A[1, 1], A[2, 2] = xx, yy, zz
    A[1, 0], A[2, 0], A[2, 1] = xy, xz, yz
    A[3, 0], A[3, 1], A[3, 2] = 0.0, S[2], -S[1]
    A[4, 0], A[4, 1], A[4, 2] = -S[2], 0.0, S[0]
    A[5, 0], A[5, 1], A[5, 2] = S[1], -S[0], 0.0
    A[3, 3], A[4, 4], A[5, 5] = mass, mass, mass
    A[4, 3], A[5, 3], A[5, 4] = 0.0, 0.0, 0.0


@inline
def eliminate_thetas(k, work):
    """Eliminate theta'' = (theta_force - G . x) / D from the equations of the chassis: the Riccati step of [Jain 2016, eq 4].

        x <- x - sum G theta_force / D,    A <- A - sum G G* / D          (32)

    On entry `theta_force` is Theta - theta_bias, x is the right-hand side, and A is its lower triangle.
    """
    c, w = k[0], work[0]
    for i in range(len(c["D"])):
        inverse = 1.0 / c["D"][i]
        accel = w["theta_force"][i] * inverse
        for row in range(6):
            coupling = c["G"][row, i]
            w["x"][row] -= coupling * accel
            coupling *= inverse
            for col in range(row + 1):
                w["A"][row, col] -= coupling * c["G"][col, i]


@inline
def uncouple_thetas(corners, s):
    """Transform coupled axles into the form of axles with independent sides.

    First add the forces that each side exerts on theta of the opposite side, as in (29), (31) and (28). Then remove the coupling from D, by
    D = L diag L^T with l = D_across / D_left below the diagonal of L:

        D_right <- D_right - l D_across,    G_right <- G_right - l G_left,    theta_force in the same way

    `recover_thetas` computes theta'' of the left side from the result.
    """
    c, work, out = s.kinematics[0], s.work[0], s.out[0]
    for axle in range(len(corners[0]["coupled"])):
        if corners[0]["coupled"][axle]:
            left = sides_of(corners, axle)[0]
            right = left + 1
            for i in range(left, left + 2):
                force, couple = column(s.loads[0]["wheel_force"], i), column(s.loads[0]["carrier_couple"], i)
                across = dot(column(c["W_across"], i), force)
                across += dot(column(c["w_across"], i), sub(couple, column(work["gyroscopic"], i)))
                across += out["spring_force"][i] * c["spring_length_across"][i]
                across += out["shock_force"][i] * c["shock_length_across"][i]
                work["theta_force"][left + right - i] += across
            factor = c["D_across"][axle] / c["D"][left]
            c["D"][right] -= factor * c["D_across"][axle]
            work["theta_force"][right] -= factor * work["theta_force"][left]
            for row in range(6):
                c["G"][row, right] -= factor * c["G"][row, left]


@inline
def recover_thetas(corners, s):
    """Compute theta'' of every corner from the chassis acceleration relative to free fall in `work` (33)."""
    c, work, theta_ddot = s.kinematics[0], s.work[0], s.out[0]["theta_ddot"]
    for i in range(len(c["D"])):
        accel = work["theta_force"][i]
        for r in range(6):
            accel -= c["G"][r, i] * work["x"][r]
        theta_ddot[i] = accel / c["D"][i]
    for axle in range(len(corners[0]["coupled"])):
        if corners[0]["coupled"][axle]:
            left = sides_of(corners, axle)[0]
            theta_ddot[left] -= c["D_across"][axle] / c["D"][left] * theta_ddot[left + 1]


@kernel
def accelerations_on_fixed_chassis(m, s):
    """Compute the accelerations with a fixed chassis: only the thetas move (the quarter cars of [Cameron 2013])."""
    prepare(m, s)
    apply_hard_stops(m, s, 0.0)
    answer_loads_on_fixed_chassis(m, s)


@kernel
def answer_loads_on_fixed_chassis(m, s):
    """Second half of `accelerations_on_fixed_chassis`."""
    work, out = s.work, s.out
    apply_wheel_loads(s.loads, s.kinematics, work)
    uncouple_thetas(m.corners, s)
    g_B = gravity_in_chassis(s.state[0]["q_WB"], s.loads[0]["gravity"])
    for j in range(3):
        work[0]["x"][j] = 0.0
        work[0]["x"][j + 3] = -g_B[j]
        out[0]["alpha_WB_B"][j] = 0.0
        out[0]["a_WB_B"][j] = 0.0
    recover_thetas(m.corners, s)


@inline
def gravity_in_chassis(q, g):
    """Return the acceleration of gravity (0, 0, -g) of the world, in chassis axes, for the unit attitude quaternion q."""
    return (
        -2.0 * g * (q[1] * q[3] - q[0] * q[2]),
        -2.0 * g * (q[2] * q[3] + q[0] * q[1]),
        -g * (1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])),
    )


@inline
def solve_symmetric(A, x):
    """Solve A y = x in place for a positive definite 6 x 6 A given by its lower triangle, in blocks of three.

    With the angular block P, the coupling R and the linear block Q, the angular part has the matrix P - R^T Q^-1 R. Two inverses of
    3 x 3 matrices have shorter dependency chains in the processor than six successive pivots.
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
