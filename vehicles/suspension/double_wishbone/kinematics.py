"""Double-wishbone corner in closed form: seven bodies, three loops, one degree of freedom, no iteration.

Inside a corner all quantities are functions of the lower-arm angle theta (positive in jounce on all four corners) and of the inner
tie-rod point Q in chassis axes. The loops of [Jain 2016, section 4.1] are solved on the real, non-planar hardpoints: each reduces to
``A cos x + B sin x = C``.

Letters of the points as in [Jain 2016, figure 5]: A lower-arm hinge, D lower ball joint, F upper ball joint, G upper-arm hinge,
B and J lower and upper end of the shock absorber, K outer and L inner end of the tie rod. S and U are the ends of the spring, W is the
wheel center. The inner end of the tie rod moves with the steering and is called Q.

All quantities are in chassis axes with the chassis reference point as origin. A subscript `_1` is a derivative by theta,
`_2` a second derivative by theta, `_dot` and `_ddot` are derivatives by time relative to the chassis. The rods (upright, tie rod, shock
halves) have universal joints, which determine their spin about their own axis: the first joint axis is fixed in the parent, the
second in the rod, both stay perpendicular.

Equation numbers are those of docs/double_wishbone.md, which derives them; the tools are (1) `hinged`, (2) `circle`, (7)-(9) `_rod` and
(10) `turning`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from simulator.base.algebra.circle import circle, hinged
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
)
from simulator.base.jit import inline
from vehicles.axle_layout import WHEELS
from vehicles.suspension.corner_bodies import ThetaMotion, motion_of, put_body, put_inertia, put_motion, put_theta_body, turning
from vehicles.suspension.hinge import hinged_inertia

BODIES = ("lower_arm", "upright", "carrier", "tierod", "shock_lower", "shock_upper", "upper_arm")
"""Bodies of a corner; `carrier` is the knuckle with the wheel as a rotor that does not spin."""
LOWER_ARM, UPRIGHT, CARRIER, TIEROD, SHOCK_LOWER, SHOCK_UPPER, UPPER_ARM = range(7)

DOUBLE_WISHBONES = (
    # name                  shape       unit     what it is (last index: corner; first index of 3: foot on the hinge axis, radius, axis x radius)
    ("corners", (), "1", "number of corners of this kind; 0: none", "i8"),
    ("steered", (), "1", "steered corners of this kind, bit i: corner i", "i8"),
    ("mass", (7, WHEELS), "kg", "masses of BODIES"),
    ("J", (3, WHEELS), "m", "upper end of the shock absorber, on the chassis"),
    ("U", (3, WHEELS), "m", "upper end of the spring, on the chassis"),
    ("e_L", (3, WHEELS), "1", "lower-arm hinge axis; turning about it by theta > 0 is jounce"),
    ("e_U", (3, WHEELS), "1", "upper-arm hinge axis; turning about it by phi > 0 is jounce"),
    ("D", (3, 3, WHEELS), "m", "lower ball joint on the lower arm"),
    ("B", (3, 3, WHEELS), "m", "lower end of the shock absorber on the lower arm"),
    ("S", (3, 3, WHEELS), "m", "lower end of the spring on the lower arm"),
    ("lower_arm_com", (3, 3, WHEELS), "m", "center of mass of the lower arm"),
    ("upright_axis", (3, 3, WHEELS), "1", "first axis of the upright's universal joint, fixed in the lower arm"),
    ("shock_axis", (3, 3, WHEELS), "1", "first axis of the shock absorber's universal joint, fixed in the lower arm"),
    ("F", (3, 3, WHEELS), "m", "upper ball joint on the upper arm"),
    ("upper_arm_com", (3, 3, WHEELS), "m", "center of mass of the upper arm"),
    ("kingpin_length", (WHEELS,), "m", "distance of the ball joints D and F"),
    ("upper_arm_branch", (WHEELS,), "1", "sign of the square root in the design position of the upper arm"),
    ("arm_radius", (WHEELS,), "m", "distance of the outer tie-rod joint from the kingpin axis"),
    ("arm_height", (WHEELS,), "m", "height of the outer tie-rod joint over D along the kingpin"),
    ("tierod_length", (WHEELS,), "m", "length of the tie rod"),
    ("tierod_branch", (WHEELS,), "1", "sign of the square root in the design position of the carrier"),
    ("tierod_axis", (3, WHEELS), "1", "first axis of the tie rod's universal joint, in the carrier frame (steering arm, normal, kingpin)"),
    ("wheel_centre", (3, WHEELS), "m", "wheel center relative to D, in the carrier frame"),
    ("wheel_axis", (3, WHEELS), "1", "wheel axle, pointing left, in the carrier frame"),
    ("upright_branch", (WHEELS,), "1", "sign of the second axis of the upright's universal joint"),
    ("tierod_sign", (WHEELS,), "1", "sign of the second axis of the tie rod's universal joint"),
    ("shock_branch", (WHEELS,), "1", "sign of the second axis of the shock absorber's universal joint"),
    ("upright_com", (3, WHEELS), "m", "center of mass of the upright relative to D, in its frame (rod, second joint axis, their product)"),
    ("carrier_com", (3, WHEELS), "m", "center of mass of the carrier relative to D, in its frame"),
    ("tierod_com", (3, WHEELS), "m", "center of mass of the tie rod relative to K, in its frame"),
    ("shock_lower_com", (3, WHEELS), "m", "center of mass of the lower shock half relative to B, in its frame"),
    ("shock_upper_com", (3, WHEELS), "m", "center of mass of the upper shock half relative to J, in its frame"),
    (
        "lower_arm_inertia",
        (5, 6, WHEELS),
        "kg m2",
        "inertia of the lower arm as 1, cos, sin, cos 2, sin 2 of theta (xx, yy, zz, xy, xz, yz)",
    ),
    ("upper_arm_inertia", (5, 6, WHEELS), "kg m2", "inertia of the upper arm as 1, cos, sin, cos 2, sin 2 of phi"),
    ("upright_inertia", (6, WHEELS), "kg m2", "inertia of the upright about its center of mass, in its frame"),
    ("carrier_inertia", (6, WHEELS), "kg m2", "inertia of the carrier about its center of mass, in its frame"),
    ("tierod_inertia", (6, WHEELS), "kg m2", "inertia of the tie rod about its center of mass, in its frame"),
    ("shock_lower_inertia", (6, WHEELS), "kg m2", "inertia of the lower shock half about its center of mass, in its frame"),
    ("shock_upper_inertia", (6, WHEELS), "kg m2", "inertia of the upper shock half about its center of mass, in its frame"),
)
"""The vector lanes also process columns of corners of other kinds; these columns repeat a double-wishbone corner (`pad`)."""

DOUBLE_WISHBONE_SCRATCH = (
    ("cos_theta", (WHEELS,), "1", "cosines of theta"),
    ("sin_theta", (WHEELS,), "1", "sines of theta"),
    ("D", (3, WHEELS), "m", "lower ball joint"),
    ("F", (3, WHEELS), "m", "upper ball joint"),
    ("K", (3, WHEELS), "m", "outer joint of the tie rod"),
    ("B", (3, WHEELS), "m", "lower end of the shock absorber"),
    ("S", (3, WHEELS), "m", "lower end of the spring"),
    ("arm", (3, WHEELS), "1", "first axis of the carrier frame: from the kingpin axis to K"),
    ("kingpin", (3, WHEELS), "1", "third axis of the carrier frame: from D to F"),
    ("tierod", (3, WHEELS), "1", "unit vector from K to Q"),
    ("tierod_axis", (3, WHEELS), "1", "second axis of the tie rod's universal joint"),
    ("upright_axis", (3, WHEELS), "1", "second axis of the upright's universal joint"),
    ("shock", (3, WHEELS), "1", "unit vector from B to J"),
    ("shock_axis", (3, WHEELS), "1", "second axis of the shock absorber's universal joint"),
    ("steer_gain", (3, WHEELS), "1/m", "angular velocity about the kingpin per velocity of Q: rate = steer_gain . Q_dot"),
    ("cos_phi", (WHEELS,), "1", "cosine of the upper-arm angle"),
    ("sin_phi", (WHEELS,), "1", "sine of the upper-arm angle"),
    ("phi_1", (WHEELS,), "1", "derivative of the upper-arm angle by theta"),
    ("phi_2", (WHEELS,), "1", "second derivative of the upper-arm angle by theta"),
    ("shock_length_2", (WHEELS,), "m", "second derivative of the length of the shock absorber by theta"),
    *motion_of(len(BODIES)),
)
"""Results of the kinematics of double wishbones, all relative to the chassis."""


class Hinge(NamedTuple):
    """Hinge of the lower arm: its axis e_L, cosine and sine of its angle theta, and its rate theta_dot [rad/s]."""

    axis: Any
    cosine: Any
    sine: Any
    rate: Any


class CarrierMotion(NamedTuple):
    """Motion of the carrier and of its joint K with the tie rod, whose inner end is Q.

    frame : (arm, across, n): from the kingpin to K, n × arm, the kingpin upward
    w : angular velocity per theta_dot
    w_rel, alpha : angular velocity and acceleration relative to the chassis
    K, K_1, K_dot, K_ddot : position, derivative by theta, velocity and acceleration relative to the chassis
    t, t_dot, t_ddot : K - Q and its derivatives by time
    """

    frame: Any
    w: Any
    w_rel: Any
    alpha: Any
    K: Any
    K_1: Any
    K_dot: Any
    K_ddot: Any
    t: Any
    t_dot: Any
    t_ddot: Any


@inline
def double_wishbone_kinematics(p, q, cos_theta, sin_theta, found, k):
    """Compute position, velocity map and acceleration bias of all four corners, in adjacent vector lanes.

    For a body: c center of mass, u its velocity and w its angular velocity per theta_dot. x and y are first and second axis of a universal
    joint, e = y × x; r points from a body's origin to its center of mass (or to the wheel center). rate is theta_dot.

    In the functions of the bodies, g holds the corners' constants, o and out are written. D, B and S are the motions of points on the
    lower arm by theta: position, first and second derivative; n is the same of the direction of the kingpin.

    Parameters
    ----------
    p : record of DOUBLE_WISHBONES
    q : record of INPUTS
    cos_theta, sin_theta : (4,) of q's theta
    found : record of DOUBLE_WISHBONE_SCRATCH, overwritten
    k : record of KINEMATICS, overwritten except the sums

    Source: [Jain 2016, sections 3.3 and 5], derived again for hinge axes that are not parallel.
    differs: the paper's four-bar is planar; its eq (30) has a stray 1/r, and its X (section 5.3) has EK(z) instead of EL(z).
    """
    g = p[0]
    o = found[0]
    out = k[0]
    for i in range(np.uint64(cos_theta.shape[0])):
        hinge = Hinge(column(g["e_L"], i), cos_theta[i], sin_theta[i], q[0]["theta_dot"][i])
        D, B, S = _place_lower_arm(g, o, i, hinge)
        F, n = _place_upper_arm(g, o, i, hinge.rate, D)
        _place_upright(g, o, i, hinge, D, n)
        _place_shock_absorber(g, o, out, i, hinge, B)
        _measure_spring(g, out, i, S)
        carrier = _carrier_motion(g, q[0], o, i, hinge.rate, D, n)
        _place_carrier(g, o, out, i, hinge.rate, D, carrier)
        _place_tierod(g, o, i, carrier)
        store(o["D"], i, D[0])
        store(o["F"], i, F)
        store(o["K"], i, carrier.K)
        store(o["B"], i, B[0])
        store(o["S"], i, S[0])
        arm, _, kingpin = carrier.frame
        store(o["kingpin"], i, kingpin)
        store(o["arm"], i, arm)
        store(out["carrier_x"], i, arm)
        store(out["carrier_z"], i, kingpin)


@inline
def _place_lower_arm(g, o, i, hinge):
    """Compute the lower arm, and return the motions of its points D, B and S by theta.

    D, B, S, c by (1) at theta,  w = e_L                                                                  (3)
    """
    c, s = hinge.cosine, hinge.sine
    D, B, S = hinged(g["D"], c, s, i), hinged(g["B"], c, s, i), hinged(g["S"], c, s, i)
    com, com_1, com_2 = hinged(g["lower_arm_com"], c, s, i)
    put_theta_body(o, LOWER_ARM, i, hinge.rate, ThetaMotion(com, com_1, com_2, hinge.axis, (0.0, 0.0, 0.0)))
    put_inertia(o, LOWER_ARM, i, hinged_inertia(g["lower_arm_inertia"], c, s, i))
    return D, B, S


@inline
def _place_upper_arm(g, o, i, rate, D):
    """Compute the upper arm, and return the direction of the kingpin with its derivatives by theta.

    |F(phi) - D| = length gives phi (`_upper_arm_angle`),  d = F - D,                                     (4)
    U1, U2 = derivatives of F by phi
    phi_1 = d . D_1 / d . U1                                                                              (5)
    phi_2 = (d . D_2 - phi_1^2 d . U2 - d_1 . d_1) / d . U1                                               (6)
    n = d / length                                                                                        (11)
    """
    D, D_1, D_2 = D
    length = g["kingpin_length"][i]
    cp, sp = _upper_arm_angle(g, D, length, i)  # cosine and sine of phi
    F, U1, U2 = hinged(g["F"], cp, sp, i)
    d = sub(F, D)
    d_U1 = dot(d, U1)
    phi_1 = dot(d, D_1) / d_U1
    d_1 = sub(scale(phi_1, U1), D_1)
    phi_2 = (dot(d, D_2) - phi_1 * phi_1 * dot(d, U2) - dot(d_1, d_1)) / d_U1
    d_2 = sub(combine(phi_2, U1, phi_1 * phi_1, U2), D_2)
    e_U = column(g["e_U"], i)
    c, c_p, c_pp = hinged(g["upper_arm_com"], cp, sp, i)
    c_1, c_2 = scale(phi_1, c_p), combine(phi_2, c_p, phi_1 * phi_1, c_pp)
    put_theta_body(o, UPPER_ARM, i, rate, ThetaMotion(c, c_1, c_2, scale(phi_1, e_U), scale(phi_2, e_U)))
    put_inertia(o, UPPER_ARM, i, hinged_inertia(g["upper_arm_inertia"], cp, sp, i))
    o["cos_phi"][i], o["sin_phi"][i] = cp, sp
    o["phi_1"][i], o["phi_2"][i] = phi_1, phi_2
    return F, (scale(1.0 / length, d), scale(1.0 / length, d_1), scale(1.0 / length, d_2))


@inline
def _place_upright(g, o, i, hinge, D, n):
    """Compute the upright: a rod from D to F, on the lower arm                                            (11)"""
    D, D_1, D_2 = D
    n, n_1, n_2 = n
    x = direction(g["upright_axis"], hinge.cosine, hinge.sine, i)
    y, w, w_1 = _rod(n, n_1, n_2, x, hinge.axis, g["upright_branch"][i])
    z = cross(n, y)
    store(o["upright_axis"], i, y)
    r = in_frame(n, y, z, column(g["upright_com"], i))
    put_theta_body(o, UPRIGHT, i, hinge.rate, ThetaMotion(add(D, r), add(D_1, cross(w, r)), add(D_2, turning(w, w_1, r)), w, w_1))
    put_inertia(o, UPRIGHT, i, symmetric_in_frame(n, y, z, symmetric_matrix_at(g["upright_inertia"], i)))


@inline
def _place_shock_absorber(g, o, out, i, hinge, B):
    """Compute the shock absorber: two halves that slide along the line from B to J, which is a rod on the lower arm.

    J - B = L m:  L_1 = -m . B_1,  m_1 = -(B_1 + L_1 m) / L,                                              (12)
                  L_2 = -m_1 . B_1 - m . B_2,  m_2 = -(B_2 + 2 L_1 m_1 + L_2 m) / L
    """
    B, B_1, B_2 = B
    J = column(g["J"], i)
    line = sub(J, B)
    L = math.sqrt(dot(line, line))
    m = scale(1.0 / L, line)
    L_1 = -dot(m, B_1)
    m_1 = scale(-1.0 / L, add_scaled(B_1, L_1, m))
    L_2 = -dot(m_1, B_1) - dot(m, B_2)
    m_2 = scale(-1.0 / L, add(B_2, combine(2.0 * L_1, m_1, L_2, m)))
    out["shock_length"][i], out["shock_length_1"][i], o["shock_length_2"][i] = L, L_1, L_2
    x = direction(g["shock_axis"], hinge.cosine, hinge.sine, i)
    y, w, w_1 = _rod(m, m_1, m_2, x, hinge.axis, g["shock_branch"][i])
    z = cross(m, y)
    store(o["shock"], i, m)
    store(o["shock_axis"], i, y)
    r = in_frame(m, y, z, column(g["shock_lower_com"], i))
    put_theta_body(o, SHOCK_LOWER, i, hinge.rate, ThetaMotion(add(B, r), add(B_1, cross(w, r)), add(B_2, turning(w, w_1, r)), w, w_1))
    put_inertia(o, SHOCK_LOWER, i, symmetric_in_frame(m, y, z, symmetric_matrix_at(g["shock_lower_inertia"], i)))
    r = in_frame(m, y, z, column(g["shock_upper_com"], i))
    put_theta_body(o, SHOCK_UPPER, i, hinge.rate, ThetaMotion(add(J, r), cross(w, r), turning(w, w_1, r), w, w_1))
    put_inertia(o, SHOCK_UPPER, i, symmetric_in_frame(m, y, z, symmetric_matrix_at(g["shock_upper_inertia"], i)))


@inline
def _measure_spring(g, out, i, S):
    """Compute the length |S - U| of the spring and its derivative by theta                                 (13)"""
    f = sub(S[0], column(g["U"], i))
    length = math.sqrt(dot(f, f))
    out["spring_length"][i] = length
    out["spring_length_1"][i] = dot(f, S[1]) / length


@inline
def _carrier_motion(g, q, o, i, rate, D, n):
    """Return the CarrierMotion, and store `steer_gain`: the carrier rotates about the kingpin until the tie rod fits.

    |K - Q| = tie rod gives arm (`_steering_arm`),  K = D + b,  t = K - Q                                 (14)
    gain = t / (t . n × b),  w0 = n × n_1                                                                 (15)
    w = w0 - [gain . (D_1 + w0 × b)] n,  w_rel = rate w + (gain . Q_dot) n
    alpha0 = rate^2 n × n_2 + spin n_dot,  spin = w_rel . n                                               (16)
    alpha = alpha0 - [gain . (K_ddot0 - Q_ddot) + t_dot . t_dot / (t . n × b)] n

    (15) and (16) are t . (K_dot - Q_dot) = 0 and its derivative by time at theta_ddot = 0, K_ddot0 the acceleration of K with alpha0.
    """
    D, D_1, D_2 = D
    n, n_1, n_2 = n
    Q, Q_dot, Q_ddot = column(q["Q"], i), column(q["Q_dot"], i), column(q["Q_ddot"], i)
    arm = _steering_arm(g, D, n, Q, i)
    b = combine(g["arm_radius"][i], arm, g["arm_height"][i], n)
    K = add(D, b)
    t = sub(K, Q)

    # (15) velocities
    lever = cross(n, b)
    gain = scale(1.0 / dot(t, lever), t)
    store(o["steer_gain"], i, gain)
    w0 = cross(n, n_1)
    w = add_scaled(w0, -dot(gain, add(D_1, cross(w0, b))), n)
    w_rel = add_scaled(scale(rate, w), dot(gain, Q_dot), n)
    K_dot = add(scale(rate, D_1), cross(w_rel, b))

    # (16) accelerations
    D_ddot = scale(rate * rate, D_2)
    t_dot = sub(K_dot, Q_dot)
    alpha0 = add_scaled(scale(rate * rate, cross(n, n_2)), dot(w_rel, n), scale(rate, n_1))
    K_ddot0 = add(D_ddot, add(cross(alpha0, b), cross(w_rel, cross(w_rel, b))))
    alpha = add_scaled(alpha0, -dot(gain, sub(K_ddot0, Q_ddot)) - dot(t_dot, t_dot) / dot(t, lever), n)
    K_ddot = add(D_ddot, turning(w_rel, alpha, b))
    K_1, t_ddot = add(D_1, cross(w, b)), sub(K_ddot, Q_ddot)
    return CarrierMotion((arm, cross(n, arm), n), w, w_rel, alpha, K, K_1, K_dot, K_ddot, t, t_dot, t_ddot)


@inline
def _place_carrier(g, o, out, i, rate, D, carrier):
    """Compute the carrier and the wheel center, which move with D and rotate with the carrier."""
    D, D_1, D_2 = D
    arm, across, n = carrier.frame
    w, w_rel, alpha = carrier.w, carrier.w_rel, carrier.alpha
    D_dot, D_ddot = scale(rate, D_1), scale(rate * rate, D_2)
    r = in_frame(arm, across, n, column(g["carrier_com"], i))
    put_body(o, CARRIER, i, add(D, r), w, add(D_1, cross(w, r)))
    put_motion(o, CARRIER, i, w_rel, add(D_dot, cross(w_rel, r)), alpha, add(D_ddot, turning(w_rel, alpha, r)))
    put_inertia(o, CARRIER, i, symmetric_in_frame(arm, across, n, symmetric_matrix_at(g["carrier_inertia"], i)))
    r = in_frame(arm, across, n, column(g["wheel_centre"], i))
    store(out["W"], i, add(D, r))
    store(out["W_1"], i, add(D_1, cross(w, r)))
    store(out["W_dot"], i, add(D_dot, cross(w_rel, r)))
    store(out["axle"], i, in_frame(arm, across, n, column(g["wheel_axis"], i)))
    store(out["w"], i, w)
    store(out["w_rel"], i, w_rel)


@inline
def _place_tierod(g, o, i, carrier):
    """Compute the tie rod: a rod from K to Q with its universal joint on the carrier.

    h = -t / its length: with Q at rest (map) and with Q moving,  t = K - Q                               (17)
    twist_dot = [(alpha - at) . e + (w_rel - wt_rel) . e_dot] / h . e                                     (18)
    with at = h × h_ddot + twist h_dot the angular acceleration without twist_dot h
    """
    arm, across, n = carrier.frame
    w, w_rel, K, K_1 = carrier.w, carrier.w_rel, carrier.K, carrier.K_1
    per_length = -1.0 / g["tierod_length"][i]
    h = scale(per_length, carrier.t)
    x = in_frame(arm, across, n, column(g["tierod_axis"], i))
    y = unit(cross(h, x), g["tierod_sign"][i])
    e = cross(y, x)
    h_e = dot(h, e)
    wt = cross(h, scale(per_length, K_1))
    wt = add_scaled(wt, dot(sub(w, wt), e) / h_e, h)
    h_dot = scale(per_length, carrier.t_dot)
    wt_rel = cross(h, h_dot)
    twist = dot(sub(w_rel, wt_rel), e) / h_e
    wt_rel = add_scaled(wt_rel, twist, h)
    e_dot = add(cross(cross(wt_rel, y), x), cross(y, cross(w_rel, x)))

    # (18) its acceleration
    at = add_scaled(scale(per_length, cross(h, carrier.t_ddot)), twist, h_dot)
    at = add_scaled(at, (dot(sub(carrier.alpha, at), e) + dot(sub(w_rel, wt_rel), e_dot)) / h_e, h)
    z = cross(h, y)
    r = in_frame(h, y, z, column(g["tierod_com"], i))
    put_body(o, TIEROD, i, add(K, r), wt, add(K_1, cross(wt, r)))
    put_motion(o, TIEROD, i, wt_rel, add(carrier.K_dot, cross(wt_rel, r)), at, add(carrier.K_ddot, turning(wt_rel, at, r)))
    put_inertia(o, TIEROD, i, symmetric_in_frame(h, y, z, symmetric_matrix_at(g["tierod_inertia"], i)))
    store(o["tierod"], i, h)
    store(o["tierod_axis"], i, y)


@inline
def direction(field, c, s, i):
    """Return a direction fixed in a hinged arm, at the angle with cosine c and sine s."""
    u = (field[1, 0, i], field[1, 1, i], field[1, 2, i])
    v = (field[2, 0, i], field[2, 1, i], field[2, 2, i])
    return add((field[0, 0, i], field[0, 1, i], field[0, 2, i]), combine(c, u, s, v))


@inline
def unit(a, length):
    """Return the vector along a with the given (signed) length."""
    return scale(length / math.sqrt(dot(a, a)), a)


@inline
def _upper_arm_angle(g, D, length, i):
    """Return cosine and sine of the upper-arm angle at which the distance of F from D is `length`.

    A cos phi + B sin phi = C:  A = w . u,  B = w . v,  C = (length^2 - w . w - u . u) / 2,  w = foot - D          (4)
    """
    foot = (g["F"][0, 0, i], g["F"][0, 1, i], g["F"][0, 2, i])
    u = (g["F"][1, 0, i], g["F"][1, 1, i], g["F"][1, 2, i])
    v = (g["F"][2, 0, i], g["F"][2, 1, i], g["F"][2, 2, i])
    w = sub(foot, D)
    return circle(dot(w, u), dot(w, v), 0.5 * (length * length - dot(w, w) - dot(u, u)), g["upper_arm_branch"][i])


@inline
def _steering_arm(g, D, n, Q, i):
    """Return the unit vector of the steering arm, perpendicular to the kingpin n, at which the distance of K from Q is the tie-rod length.

    x, y are unit vectors across n, the arm x cos psi + y sin psi, v = D - Q, and K - Q = v + radius arm + height n:

        A = radius v . x,  B = radius v . y,  C = (rod^2 - v . v - radius^2 - height^2) / 2 - height v . n          (14)
    """
    x = unit((1.0 - n[0] * n[0], -n[0] * n[1], -n[0] * n[2]), 1.0)
    y = cross(n, x)
    v = sub(D, Q)
    radius = g["arm_radius"][i]
    height = g["arm_height"][i]
    rod = g["tierod_length"][i]
    C = 0.5 * (rod * rod - dot(v, v) - radius * radius - height * height) - height * dot(v, n)
    c, s = circle(radius * dot(v, x), radius * dot(v, y), C, g["tierod_branch"][i])
    return combine(c, x, s, y)


@inline
def _rod(n, n_1, n_2, x, w_parent, branch):
    """Return second joint axis, angular velocity and its derivative by theta of a rod n on a universal joint.

    The first joint axis x is fixed in the parent, which rotates with the constant w_parent per theta. The universal joint allows no
    relative rotation about e = y × x; this condition determines the spin of the rod about itself.

        y = branch unit(n × x),  e = y × x                                                                   (7)
        w = n × n_1 + spin n,    spin = (w_parent - n × n_1) . e / n . e                                     (8)
        w_1 = n × n_2 + spin n_1 + spin_1 n,  e_1 = (w × y) × x + y × (w_parent × x)
        spin_1 = [(w_parent - w) . e_1 - (n × n_2 + spin n_1) . e] / n . e                                   (9)
    """
    y = unit(cross(n, x), branch)
    e = cross(y, x)
    n_e = dot(n, e)
    w = cross(n, n_1)
    spin = dot(sub(w_parent, w), e) / n_e
    w = add_scaled(w, spin, n)
    e_1 = add(cross(cross(w, y), x), cross(y, cross(w_parent, x)))
    w_1 = add_scaled(cross(n, n_2), spin, n_1)
    return y, w, add_scaled(w_1, (dot(sub(w_parent, w), e_1) - dot(w_1, e)) / n_e, n)
