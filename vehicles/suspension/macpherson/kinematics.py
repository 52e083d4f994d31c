"""MacPherson corner in closed form: two square roots, no iteration.

The lower arm rotates by theta about its hinge (positive in jounce on both sides) and is connected to the knuckle by the ball joint D.
The strut has a ball joint J on the chassis. Its rod slides, without rotation, in a tube that is part of the knuckle, so rod and knuckle
have one attitude. The tie rod, from K on the knuckle to Q on the rack, determines the remaining rotation about the line from J to D.

Letters: u unit vector down the strut, fixed in the knuckle; sigma extension of the strut; rho = D - J; b = rho / |rho|; d = u in its
present direction. Index 0 is the design position, vectors of the knuckle are relative to J: g0 = D0 - J, k0 = K0 - J. `_1` and `_2` are
derivatives by theta with Q at rest, `_dot` and `_ddot` by time relative to the chassis.

    lambda = sqrt(|rho|^2 - h^2),  h^2 = |g0|^2 - (g0 . u)^2,  sigma = lambda - g0 . u                                  (1)
    g = g0 + sigma u,  k = k0 + sigma u,  b0 = g / |rho|,  kappa = k . b0,  r = |k - kappa b0|
    q = Q - J,  chi = q . b,  R = |q - chi b|,  e1 = (q - chi b) / R
    cos psi = ((k . k + q . q - rod^2) / 2 - kappa chi) / (r R),  m = cos psi e1 + sin psi b x e1                       (2)
    attitude: (b0, m0, b0 x m0) maps to (b, m, b x m),  m0 = (k - kappa b0) / r                                         (3)

The foot of D on the axis of the strut has the distance lambda from J, since D keeps its distance h from that axis (1). K moves on a
circle about b at the distance of the rod length from Q (2). With x = K - Q, k = K - J from here on in chassis axes, and gain = x / (x .
(b x k)):

    lambda_1 = rho . D_1 / lambda,  lambda_2 = (rho . D_2 + D_1 . D_1 - lambda_1^2) / lambda                            (4)
    c = D_1 - lambda_1 d,  w0 = rho x c / |rho|^2,  w = w0 - gain . (w0 x k + lambda_1 d) b                             (5)
    w_rel = rate w + (gain . Q_dot) b                                                                                   (6)
    alpha0 = rho x c2 / |rho|^2,  c2 = D_ddot - w_rel x D_dot - lambda_dot w_rel x d - lambda_ddot d                    (7)
    alpha = alpha0 + (gain . (Q_ddot - K_ddot0) - x_dot . x_dot / (x . (b x k))) b                                      (8)

(5) is rho_dot = w x rho + lambda_1 d and x . (K_1 - 0) = 0; (7), (8) are their derivatives by time at theta_ddot = 0, K_ddot0 the
acceleration of K with alpha0. Singular only if the strut has no length (lambda = 0) or if rod and line JD lie in one plane (x . (b x k)
= 0).

Source: derived here; the topology is that of the sedan of [2, section 3.3.2].
"""

from __future__ import annotations

import math

from simulator.base.algebra.circle import hinged
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

BODIES = ("lower_arm", "strut", "carrier", "rack")
"""Bodies of a corner.

`strut` is the rod with its attached parts, `carrier` the knuckle with the strut's tube and the wheel as a rotor that does not spin,
`rack` the half of the rack that moves with the inner end of this tie rod.
"""
LOWER_ARM, STRUT, CARRIER, RACK = range(4)

MACPHERSONS = (
    # name             shape      unit     what it is (last index: corner; first index of 3: foot on the hinge axis, radius, axis x radius)
    ("mass", (4, 4), "kg", "masses of BODIES"),
    ("e", (3, 4), "1", "hinge axis of the lower arm; turning about it by theta > 0 is jounce"),
    ("D", (3, 3, 4), "m", "ball joint of the lower arm"),
    ("arm_com", (3, 3, 4), "m", "center of mass of the lower arm"),
    ("arm_inertia", (5, 6, 4), "kg m2", "inertia of the lower arm as 1, cos, sin, cos 2, sin 2 of theta (xx, yy, zz, xy, xz, yz)"),
    ("J", (3, 4), "m", "ball joint of the strut on the chassis"),
    ("u", (3, 4), "1", "unit vector down the strut, in the design position"),
    ("g0", (3, 4), "m", "D relative to J in the design position"),
    ("k0", (3, 4), "m", "outer joint of the tie rod relative to J in the design position"),
    ("foot", (4,), "m", "lambda in the design position"),
    ("offset2", (4,), "m2", "square of the distance of D from the axis of the strut"),
    ("tierod_length", (4,), "m", "length of the tie rod"),
    ("branch", (4,), "1", "sign of sin psi"),
    ("strut_com", (3, 4), "m", "center of mass of the strut relative to J in the design position"),
    ("strut_inertia", (6, 4), "kg m2", "inertia of the strut about its center of mass, in the design position"),
    ("carrier_com", (3, 4), "m", "center of mass of the carrier relative to J in the design position"),
    ("carrier_inertia", (6, 4), "kg m2", "inertia of the carrier about its center of mass, in the design position"),
    ("wheel", (3, 4), "m", "wheel center relative to J in the design position"),
    ("axle", (3, 4), "1", "wheel axle, pointing left, in the design position"),
    ("spring_length", (4,), "m", "length of the spring in the design position"),
    ("shock_length", (4,), "m", "distance of the ends of the shock absorber in the design position"),
    ("spring_end", (3, 4), "m", "lower end of the spring relative to J in the design position"),
    ("shock_end", (3, 4), "m", "lower end of the shock absorber relative to J in the design position"),
    ("rack_com", (3, 4), "m", "center of mass of the half of the rack relative to Q"),
    ("rack_inertia", (6, 4), "kg m2", "inertia of the half of the rack about its center of mass"),
)
MEMORY = (
    ("D", (3, 4), "m", "ball joint of the lower arm"),
    ("K", (3, 4), "m", "outer joint of the tie rod"),
    ("x", (3, 4), "1", "first column of the carrier's rotation from the design position"),
    ("y", (3, 4), "1", "second column of the carrier's rotation"),
    ("z", (3, 4), "1", "third column of the carrier's rotation"),
    ("b", (3, 4), "1", "steering axis, from J to D"),
    ("sigma", (4,), "m", "extension of the strut"),
    ("gain", (3, 4), "1/m", "rate of the rotation about b per velocity of Q: gain . Q_dot"),
    *motion_of(len(BODIES)),
)

P_TYPE, M_TYPE, Q_TYPE, K_TYPE, S_TYPE = (dtype_of(table) for table in (MACPHERSONS, MEMORY, INPUTS, KINEMATICS, POINTS))
NOTHING = (0.0, 0.0, 0.0)


@callback
def place(parameters, state, seen, result, first, count, h):
    """Compute position, velocity map, acceleration bias and sums of the corners of the block, see `vehicles.suspension.blocks`."""
    p, o = record_at(parameters, P_TYPE)[0], record_at(state, M_TYPE)[0]
    q, k = record_at(seen, Q_TYPE)[0], record_at(result, K_TYPE)[0]
    w_B = vector(q["w_WB_B"])
    for i in range(first, first + count):
        place_corner(p, o, i, q, k)
        start_sums(k, i)
        for b in range(len(p["mass"])):
            add_body(o, b, i, p["mass"][b, i], w_B, k)


@callback
def steer(parameters, state, seen, result, first, count, h):
    """Compute the effect of the steering: strut and carrier rotate about the line from J to D, the rack moves with Q."""
    p, o = record_at(parameters, P_TYPE)[0], record_at(state, M_TYPE)[0]
    q, k = record_at(seen, Q_TYPE)[0], record_at(result, K_TYPE)[0]
    w_B = vector(q["w_WB_B"])
    for i in range(first, first + count):
        J, Q_1 = column(p["J"], i), column(q["Q_1"], i)
        turn = scale(dot(column(o["gain"], i), Q_1), column(o["b"], i))
        start_steering(k, i)
        store(k["W_steer"], i, cross(turn, sub(column(k["W"], i), J)))
        store(k["w_steer"], i, turn)
        for b in range(STRUT, RACK):
            v = cross(turn, sub(column(o["c"][b], i), J))
            add_steered_body(o, b, i, p["mass"][b, i], w_B, v, turn, k)
        add_steered_body(o, RACK, i, p["mass"][RACK, i], w_B, Q_1, NOTHING, k)


@callback
def show(parameters, state, seen, result, first, count, h):
    """Write joints and struts of the corners of the block for the view."""
    p, o, points = record_at(parameters, P_TYPE)[0], record_at(state, M_TYPE)[0], record_at(result, S_TYPE)[0]
    for i in range(first, first + count):
        store(points["lower_ball"], i, column(o["D"], i))
        store(points["upper_ball"], i, column(p["J"], i))
        store(points["tierod_outer"], i, column(o["K"], i))
        store(points["shock_lower"], i, on_knuckle(p, o, i, column(p["shock_end"], i)))
        store(points["spring_lower"], i, on_knuckle(p, o, i, column(p["spring_end"], i)))


@inline
def on_knuckle(p, o, i, r):
    """Return the position of a point of the knuckle whose vector from J in the design position is r."""
    r = add_scaled(r, o["sigma"][i], column(p["u"], i))
    return add(column(p["J"], i), in_frame(column(o["x"], i), column(o["y"], i), column(o["z"], i), r))


@inline
def place_corner(p, o, i, q, k):
    """Compute position, velocity map and acceleration bias of corner i, by the equations of the module.

    p : record of MACPHERSONS, o : of MEMORY, q : of INPUTS, k : of KINEMATICS, overwritten except the sums
    """
    rate, J = q["theta_dot"][i], column(p["J"], i)
    sine, cosine = sine_cosine(q["theta"][i])
    D, D_1, D_2 = hinged(p["D"], cosine, sine, i)
    c, c_1, c_2 = hinged(p["arm_com"], cosine, sine, i)
    put_theta_body(o, LOWER_ARM, i, rate, ThetaMotion(c, c_1, c_2, column(p["e"], i), NOTHING))
    put_inertia(o, LOWER_ARM, i, hinged_inertia(p["arm_inertia"], cosine, sine, i))
    rho = sub(D, J)
    rho2 = dot(rho, rho)
    length = math.sqrt(max(rho2 - p["offset2"][i], 1e-12))  # (1); avoids NaN for a strut that is pushed through its own top
    sigma = length - p["foot"][i]
    b = scale(1.0 / math.sqrt(rho2), rho)
    x, y, z = attitude(p, i, sigma, math.sqrt(rho2), b, sub(column(q["Q"], i), J))
    d = in_frame(x, y, z, column(p["u"], i))

    # (4), (5): velocities per theta_dot
    length_1 = dot(rho, D_1) / length
    length_2 = (dot(rho, D_2) + dot(D_1, D_1) - length_1 * length_1) / length
    arm = in_frame(x, y, z, add_scaled(column(p["k0"], i), sigma, column(p["u"], i)))
    rod = sub(add(J, arm), column(q["Q"], i))
    across = 1.0 / dot(rod, cross(b, arm))
    gain = scale(across, rod)
    w = scale(1.0 / rho2, cross(rho, add_scaled(D_1, -length_1, d)))
    w = add_scaled(w, -dot(gain, add_scaled(cross(w, arm), length_1, d)), b)

    # (6)-(8): velocities and accelerations at theta_ddot = 0
    w_rel = add_scaled(scale(rate, w), dot(gain, column(q["Q_dot"], i)), b)
    slide, pull = rate * length_1, rate * rate * length_2
    carried = combine(slide, cross(w_rel, d), pull, d)
    alpha = sub(sub(scale(rate * rate, D_2), cross(w_rel, scale(rate, D_1))), carried)
    alpha = scale(1.0 / rho2, cross(rho, alpha))
    K_dot = add_scaled(cross(w_rel, arm), slide, d)
    x_dot = sub(K_dot, column(q["Q_dot"], i))
    K_ddot0 = add(add(cross(alpha, arm), cross(w_rel, K_dot)), carried)
    alpha = add_scaled(alpha, dot(gain, sub(column(q["Q_ddot"], i), K_ddot0)) - across * dot(x_dot, x_dot), b)

    r = in_frame(x, y, z, column(p["strut_com"], i))
    put_body(o, STRUT, i, add(J, r), w, cross(w, r))
    put_motion(o, STRUT, i, w_rel, cross(w_rel, r), alpha, turning(w_rel, alpha, r))
    put_inertia(o, STRUT, i, symmetric_in_frame(x, y, z, symmetric_matrix_at(p["strut_inertia"], i)))
    r = in_frame(x, y, z, add_scaled(column(p["carrier_com"], i), sigma, column(p["u"], i)))
    put_body(o, CARRIER, i, add(J, r), w, add_scaled(cross(w, r), length_1, d))
    a = add(turning(w_rel, alpha, r), add_scaled(carried, slide, cross(w_rel, d)))
    put_motion(o, CARRIER, i, w_rel, add_scaled(cross(w_rel, r), slide, d), alpha, a)
    put_inertia(o, CARRIER, i, symmetric_in_frame(x, y, z, symmetric_matrix_at(p["carrier_inertia"], i)))
    put_body(o, RACK, i, add(column(q["Q"], i), column(p["rack_com"], i)), NOTHING, NOTHING)
    put_motion(o, RACK, i, NOTHING, column(q["Q_dot"], i), NOTHING, column(q["Q_ddot"], i))
    put_inertia(o, RACK, i, symmetric_matrix_at(p["rack_inertia"], i))

    r = in_frame(x, y, z, add_scaled(column(p["wheel"], i), sigma, column(p["u"], i)))
    store(k["W"], i, add(J, r))
    store(k["W_1"], i, add_scaled(cross(w, r), length_1, d))
    store(k["W_dot"], i, add_scaled(cross(w_rel, r), slide, d))
    store(k["axle"], i, in_frame(x, y, z, column(p["axle"], i)))
    store(k["carrier_x"], i, x)
    store(k["carrier_z"], i, z)
    store(k["w"], i, w)
    store(k["w_rel"], i, w_rel)
    k["spring_length"][i], k["spring_length_1"][i] = p["spring_length"][i] + sigma, length_1
    k["shock_length"][i], k["shock_length_1"][i] = p["shock_length"][i] + sigma, length_1
    store(o["D"], i, D)
    store(o["K"], i, add(J, arm))
    store(o["x"], i, x)
    store(o["y"], i, y)
    store(o["z"], i, z)
    store(o["b"], i, b)
    store(o["gain"], i, gain)
    o["sigma"][i] = sigma


@inline
def attitude(p, i, sigma, reach, b, q):
    """Return the axes of the knuckle, which are those of the chassis in the design position (2), (3); reach = |rho|, q = Q - J."""
    g, k = add_scaled(column(p["g0"], i), sigma, column(p["u"], i)), add_scaled(column(p["k0"], i), sigma, column(p["u"], i))
    b0 = scale(1.0 / reach, g)
    kappa, chi = dot(k, b0), dot(q, b)
    m0, e1 = add_scaled(k, -kappa, b0), add_scaled(q, -chi, b)
    r, R = math.sqrt(dot(m0, m0)), math.sqrt(dot(e1, e1))
    m0, e1 = scale(1.0 / r, m0), scale(1.0 / R, e1)
    rod = p["tierod_length"][i]
    c = (0.5 * (dot(k, k) + dot(q, q) - rod * rod) - kappa * chi) / (r * R)
    s = p["branch"][i] * math.sqrt(max(1.0 - c * c, 0.0))
    m = combine(c, e1, s, cross(b, e1))
    n0, n = cross(b0, m0), cross(b, m)
    return column_of(b, m, n, b0, m0, n0, 0), column_of(b, m, n, b0, m0, n0, 1), column_of(b, m, n, b0, m0, n0, 2)


@inline
def column_of(b, m, n, b0, m0, n0, j):
    """Return column j of the rotation that maps b0, m0, n0 to b, m, n."""
    return add(combine(b0[j], b, m0[j], m), scale(n0[j], n))
