"""Trailing arm with a kingpin in closed form: one square root, no iteration.

The arm rotates by theta about its hinge (positive in jounce on both sides), which has any direction e. The arm carries a kingpin along n
through A, about which the knuckle rotates by phi; the tie rod, of length l, connects K on the knuckle and Q on the rack or the chassis.

P is a point of the hinge. In the design position, where theta and phi are zero, the vectors below are those of the file; q is the
position of Q in the frame of the arm, f the foot of K on the kingpin, u its radius and v = n x u.

    q = P + R(e, -theta) (Q - P),   d = f - q
    |d + u cos phi + v sin phi| = l:   A cos phi + B sin phi = C,   A = d . u,  B = d . v,  C = (l^2 - d . d - u . u) / 2       (1)
    attitude of the knuckle = R(e, theta) R(n, phi)                                                                          (2)

`_1` is a derivative by theta with Q at rest, `_dot` and `_ddot` by time relative to the chassis. With n and k = K - A from here on in
chassis axes, x = K - Q and gain = x / (x . (n x k)), which follows from x . (K_dot - Q_dot) = 0:

    phi_1 = -gain . (e x (K - P)),   phi_dot = rate phi_1 + gain . Q_dot                                                      (3)
    w = e + phi_1 n,   w_rel = rate e + phi_dot n                                                                            (4)
    alpha = rate phi_dot e x n + phi_ddot n                                                                                  (5)
    phi_ddot = gain . (Q_ddot - K_ddot0) - x_dot . x_dot / (x . (n x k))                                                      (6)

at theta_ddot = 0, K_ddot0 being the acceleration of K without phi_ddot. Singular only if rod and kingpin lie in one plane (x . (n x k) =
0). Springs and shock absorbers are on the arm: steering does not move them.

Source: derived here; (1) is the transcendental equation of planar linkages, see `simulator.base.algebra.circle`.
"""

from __future__ import annotations

from simulator.base.algebra.circle import circle, hinged
from simulator.base.algebra.trigonometry import sine_cosine
from simulator.base.algebra.vectors import (
    add,
    add_scaled,
    column,
    combine,
    cross,
    dot,
    in_frame,
    scale,
    store,
    sub,
    symmetric_in_frame,
    symmetric_matrix_at,
    vector,
)
from simulator.base.callbacks import callback, record_at
from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.suspension.contract import INPUTS, KINEMATICS, POINTS
from vehicles.suspension.corner_bodies import (
    ThetaMotion,
    add_body,
    add_steered_body,
    motion_of,
    put_body,
    put_inertia,
    put_motion,
    put_theta_body,
    start_steering,
    start_sums,
    turning,
)
from vehicles.suspension.hinge import hinged_inertia
from vehicles.suspension.semi_trailing_arm.kinematics import length_and_slope, turned

BODIES = ("arm", "carrier", "rack")
"""Bodies of a corner.

`carrier` is the knuckle with the wheel as a rotor that does not spin, `rack` the half of the rack that moves with the inner end of this
tie rod.
"""
ARM, CARRIER, RACK = range(3)

STEERED_TRAILING_ARMS = (
    # name             shape      unit     what it is (last index: corner; first index of 3: foot on the axis, radius, axis x radius)
    ("mass", (3, 4), "kg", "masses of BODIES"),
    ("e", (3, 4), "1", "hinge axis of the arm; turning about it by theta > 0 is jounce"),
    ("P", (3, 4), "m", "a point of the hinge"),
    ("arm_com", (3, 3, 4), "m", "center of mass of the arm, about the hinge"),
    ("arm_inertia", (5, 6, 4), "kg m2", "inertia of the arm as 1, cos, sin, cos 2, sin 2 of theta (xx, yy, zz, xy, xz, yz)"),
    ("A", (3, 3, 4), "m", "lower end of the kingpin, about the hinge"),
    ("top", (3, 3, 4), "m", "upper end of the kingpin, about the hinge"),
    ("n", (3, 4), "1", "unit vector along the kingpin, upward, in the design position"),
    ("K", (3, 3, 4), "m", "outer joint of the tie rod, about the kingpin, at theta = 0"),
    ("k0", (3, 4), "m", "outer joint of the tie rod relative to A in the design position"),
    ("tierod_length", (4,), "m", "length of the tie rod"),
    ("branch", (4,), "1", "sign of the square root in the design position"),
    ("carrier_com", (3, 4), "m", "center of mass of the carrier relative to A in the design position"),
    ("carrier_inertia", (6, 4), "kg m2", "inertia of the carrier about its center of mass, in the design position"),
    ("wheel", (3, 4), "m", "wheel center relative to A in the design position"),
    ("axle", (3, 4), "1", "wheel axle, pointing left, in the design position"),
    ("shock", (3, 3, 4), "m", "lower end of the shock absorber, about the hinge"),
    ("spring", (3, 3, 4), "m", "lower end of the spring, about the hinge"),
    ("J", (3, 4), "m", "upper end of the shock absorber, on the chassis"),
    ("U", (3, 4), "m", "upper end of the spring, on the chassis"),
    ("rack_com", (3, 4), "m", "center of mass of the half of the rack relative to Q"),
    ("rack_inertia", (6, 4), "kg m2", "inertia of the half of the rack about its center of mass"),
)
MEMORY = (
    ("A", (3, 4), "m", "lower end of the kingpin"),
    ("top", (3, 4), "m", "upper end of the kingpin"),
    ("n", (3, 4), "1", "unit vector along the kingpin, upward"),
    ("K", (3, 4), "m", "outer joint of the tie rod"),
    ("gain", (3, 4), "1/m", "rate of the rotation about the kingpin per velocity of Q: gain . Q_dot"),
    ("shock", (3, 4), "m", "lower end of the shock absorber"),
    ("spring", (3, 4), "m", "lower end of the spring"),
    *motion_of(len(BODIES)),
)

P_TYPE, M_TYPE, Q_TYPE, K_TYPE, S_TYPE = (dtype_of(table) for table in (STEERED_TRAILING_ARMS, MEMORY, INPUTS, KINEMATICS, POINTS))
X_AXIS, Y_AXIS, Z_AXIS, NOTHING = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)


@callback
def place(parameters, state, seen, result, first, count, h):
    """Compute position, velocity map, acceleration bias and sums of the corners of the block, see `vehicles.suspension.blocks`."""
    p, o = record_at(parameters, P_TYPE)[0], record_at(state, M_TYPE)[0]
    q, k = record_at(seen, Q_TYPE)[0], record_at(result, K_TYPE)[0]
    w_B = vector(q["w_WB_B"])
    for i in range(first, first + count):
        sine, cosine = sine_cosine(q["theta"][i])
        place_arm(p, o, i, cosine, sine, q, k)
        place_knuckle(p, o, i, cosine, sine, q, k)
        start_sums(k, i)
        for b in range(len(p["mass"])):
            add_body(o, b, i, p["mass"][b, i], w_B, k)


@callback
def steer(parameters, state, seen, result, first, count, h):
    """Compute the effect of the steering: the carrier rotates about the kingpin, the rack moves with Q."""
    p, o = record_at(parameters, P_TYPE)[0], record_at(state, M_TYPE)[0]
    q, k = record_at(seen, Q_TYPE)[0], record_at(result, K_TYPE)[0]
    w_B = vector(q["w_WB_B"])
    for i in range(first, first + count):
        A, Q_1 = column(o["A"], i), column(q["Q_1"], i)
        turn = scale(dot(column(o["gain"], i), Q_1), column(o["n"], i))
        start_steering(k, i)
        store(k["W_steer"], i, cross(turn, sub(column(k["W"], i), A)))
        store(k["w_steer"], i, turn)
        v = cross(turn, sub(column(o["c"][CARRIER], i), A))
        add_steered_body(o, CARRIER, i, p["mass"][CARRIER, i], w_B, v, turn, k)
        add_steered_body(o, RACK, i, p["mass"][RACK, i], w_B, Q_1, NOTHING, k)


@callback
def show(parameters, state, seen, result, first, count, h):
    """Write joints and struts of the corners of the block for the view."""
    o, points = record_at(state, M_TYPE)[0], record_at(result, S_TYPE)[0]
    for i in range(first, first + count):
        store(points["lower_ball"], i, column(o["A"], i))
        store(points["upper_ball"], i, column(o["top"], i))
        store(points["tierod_outer"], i, column(o["K"], i))
        store(points["shock_lower"], i, column(o["shock"], i))
        store(points["spring_lower"], i, column(o["spring"], i))


@inline
def place_arm(p, o, i, c, s, q, k):
    """Compute the arm, its kingpin and its struts at the theta with cosine c and sine s."""
    rate, e = q["theta_dot"][i], column(p["e"], i)
    com, com_1, com_2 = hinged(p["arm_com"], c, s, i)
    put_theta_body(o, ARM, i, rate, ThetaMotion(com, com_1, com_2, e, NOTHING))
    put_inertia(o, ARM, i, hinged_inertia(p["arm_inertia"], c, s, i))
    S, S_1, _ = hinged(p["spring"], c, s, i)
    k["spring_length"][i], k["spring_length_1"][i] = length_and_slope(sub(S, column(p["U"], i)), S_1)
    B, B_1, _ = hinged(p["shock"], c, s, i)
    k["shock_length"][i], k["shock_length_1"][i] = length_and_slope(sub(B, column(p["J"], i)), B_1)
    top, _, _ = hinged(p["top"], c, s, i)
    store(o["top"], i, top)
    store(o["spring"], i, S)
    store(o["shock"], i, B)


@inline
def place_knuckle(p, o, i, c, s, q, k):
    """Compute knuckle with wheel and rack, by the equations of the module."""
    rate, e, n0, Q = q["theta_dot"][i], column(p["e"], i), column(p["n"], i), column(q["Q"], i)
    A, A_1, A_2 = hinged(p["A"], c, s, i)
    cosine, sine = turn_of_knuckle(p, i, add(column(p["P"], i), turned(e, c, -s, sub(Q, column(p["P"], i)))))
    x, y, z = knuckle_axes(e, c, s, n0, cosine, sine)
    n = turned(e, c, s, n0)

    # (3), (4): velocities
    arm = in_frame(x, y, z, column(p["k0"], i))
    rod = sub(add(A, arm), Q)
    across = 1.0 / dot(rod, cross(n, arm))
    gain = scale(across, rod)
    turn_1 = -dot(gain, add(A_1, cross(e, arm)))
    turn_dot = rate * turn_1 + dot(gain, column(q["Q_dot"], i))
    w, w_rel = add_scaled(e, turn_1, n), combine(rate, e, turn_dot, n)

    # (5), (6): accelerations at theta_ddot = 0
    A_dot, A_ddot = scale(rate, A_1), scale(rate * rate, A_2)
    alpha = scale(rate * turn_dot, cross(e, n))
    x_dot = sub(add(A_dot, cross(w_rel, arm)), column(q["Q_dot"], i))
    K_ddot0 = add(A_ddot, turning(w_rel, alpha, arm))
    alpha = add_scaled(alpha, dot(gain, sub(column(q["Q_ddot"], i), K_ddot0)) - across * dot(x_dot, x_dot), n)

    r = in_frame(x, y, z, column(p["carrier_com"], i))
    put_body(o, CARRIER, i, add(A, r), w, add(A_1, cross(w, r)))
    put_motion(o, CARRIER, i, w_rel, add(A_dot, cross(w_rel, r)), alpha, add(A_ddot, turning(w_rel, alpha, r)))
    put_inertia(o, CARRIER, i, symmetric_in_frame(x, y, z, symmetric_matrix_at(p["carrier_inertia"], i)))
    put_body(o, RACK, i, add(Q, column(p["rack_com"], i)), NOTHING, NOTHING)
    put_motion(o, RACK, i, NOTHING, column(q["Q_dot"], i), NOTHING, column(q["Q_ddot"], i))
    put_inertia(o, RACK, i, symmetric_matrix_at(p["rack_inertia"], i))

    r = in_frame(x, y, z, column(p["wheel"], i))
    store(k["W"], i, add(A, r))
    store(k["W_1"], i, add(A_1, cross(w, r)))
    store(k["W_dot"], i, add(A_dot, cross(w_rel, r)))
    store(k["axle"], i, in_frame(x, y, z, column(p["axle"], i)))
    store(k["carrier_x"], i, x)
    store(k["carrier_z"], i, z)
    store(k["w"], i, w)
    store(k["w_rel"], i, w_rel)
    store(o["A"], i, A)
    store(o["n"], i, n)
    store(o["K"], i, add(A, arm))
    store(o["gain"], i, gain)


@inline
def turn_of_knuckle(p, i, q):
    """Return cosine and sine of phi (1); q : inner joint of the tie rod in the frame of the arm."""
    u, v = (p["K"][1, 0, i], p["K"][1, 1, i], p["K"][1, 2, i]), (p["K"][2, 0, i], p["K"][2, 1, i], p["K"][2, 2, i])
    d = sub((p["K"][0, 0, i], p["K"][0, 1, i], p["K"][0, 2, i]), q)
    rod = p["tierod_length"][i]
    return circle(dot(d, u), dot(d, v), 0.5 * (rod * rod - dot(d, d) - dot(u, u)), p["branch"][i])


@inline
def knuckle_axes(e, c, s, n, cosine, sine):
    """Return the axes of the knuckle, which are those of the chassis in the design position (2)."""
    return (
        turned(e, c, s, turned(n, cosine, sine, X_AXIS)),
        turned(e, c, s, turned(n, cosine, sine, Y_AXIS)),
        turned(e, c, s, turned(n, cosine, sine, Z_AXIS)),
    )
