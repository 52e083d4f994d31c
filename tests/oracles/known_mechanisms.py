"""Mechanisms whose motion is known by other means: closed forms with one degree of freedom, and a published reference solution.

Nothing here uses the engine. The mechanisms themselves are files in `configs/mechanisms`; the numbers below are theirs, and
`test_known_mechanisms` sees to it that both agree. A position that follows from one coordinate s comes as (x, dx/ds, d2x/ds2).
"""

import math
from itertools import pairwise

import numpy as np

G = 9.81


def one_freedom(terms, pull, rate):
    """Second derivative of the only coordinate s, from Lagrange's equation with T = 1/2 m(s) s'^2 and m(s) = sum w |x'(s)|^2.

        m s'' + sum w x' . x'' s'^2 = pull

    terms : (w, x', x'') of every mass with its position and every inertia with its angle;  pull : generalized force - dV/ds
    """
    m = sum(w * np.dot(x1, x1) for w, x1, x2 in terms)
    return (pull - rate**2 * sum(w * np.dot(x1, x2) for w, x1, x2 in terms)) / m


def along(position, rate, acceleration):
    """(x, x', x'') over time of (x, dx/ds, d2x/ds2) when s moves with `rate` and `acceleration`."""
    x, x1, x2 = position
    return x, x1 * rate, x2 * rate**2 + x1 * acceleration


def runge_kutta(f, y, h, steps):
    """Classical Runge-Kutta of y' = f(y)."""
    for _ in range(steps):
        k1 = f(y)
        k2 = f(y + 0.5 * h * k1)
        k3 = f(y + 0.5 * h * k2)
        k4 = f(y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


# Four-bar (four_bar.yaml) ------------------------------------------------------------------------------------------------------

FOUR_BAR = {"a": 1.0, "b": 0.3, "c": math.sqrt(0.8), "d": math.sqrt(0.53), "masses": (0.6, 1.8, 1.4)}
"""Lengths GA, AD, DF, FG; masses of crank AD, coupler DF and rocker FG, uniform rods."""


def four_bar_angles(theta):
    """theta_3 and theta_4 of the four-bar by a + b e^(i theta) = c e^(i theta_3) + d e^(i theta_4), with derivatives by theta.

    [Jain 2016, eqs 15 to 26]; the second derivatives are those of (24).
    The sign of the arc cosine is the one of the file's design position.
    """
    a, b, c, d = (FOUR_BAR[name] for name in "abcd")
    x, y = a + b * math.cos(theta), b * math.sin(theta)
    theta_4 = math.atan2(y, x) + math.acos((x * x + y * y + d * d - c * c) / (2.0 * d * math.hypot(x, y)))
    theta_3 = math.atan2(y - d * math.sin(theta_4), x - d * math.cos(theta_4))
    p = b * math.sin(theta - theta_4) / (c * math.sin(theta_3 - theta_4))
    q = b * math.sin(theta - theta_3) / (d * math.sin(theta_4 - theta_3))
    p1 = (b * math.cos(theta - theta_4) - c * p * p * math.cos(theta_3 - theta_4) - d * q * q) / (c * math.sin(theta_3 - theta_4))
    q1 = (b * math.cos(theta - theta_3) - d * q * q * math.cos(theta_4 - theta_3) - c * p * p) / (d * math.sin(theta_4 - theta_3))
    return (theta_3, p, p1), (theta_4, q, q1)


def spoke(length, angle):
    """length (cos, sin) of an angle given with its derivatives, with its own."""
    t, t1, t2 = angle
    e, n = np.array([math.cos(t), math.sin(t)]), np.array([-math.sin(t), math.cos(t)])
    return length * e, length * t1 * n, length * (t2 * n - t1 * t1 * e)


def plus(u, v):
    """Sum of two positions with their derivatives."""
    return tuple(x + y for x, y in zip(u, v, strict=True))


def four_bar_accelerations(theta, rate):
    """Relative joint angles (crank from +x, coupler on crank, rocker from +x) as (q, q', q'') over time; gravity along -y."""
    third, fourth = four_bar_angles(theta)
    first = (theta, 1.0, 0.0)
    b, c, d = (FOUR_BAR[name] for name in "bcd")
    m_crank, m_coupler, m_rocker = FOUR_BAR["masses"]
    mid_coupler = plus(spoke(d, fourth), spoke(0.5 * c, third))
    centers = [(m_crank, spoke(0.5 * b, first)), (m_coupler, mid_coupler), (m_rocker, spoke(0.5 * d, fourth))]
    terms = [(m, x[1], x[2]) for m, x in centers]
    terms += [(m_crank * b * b / 12.0, 1.0, 0.0), (m_coupler * c * c / 12.0, *third[1:]), (m_rocker * d * d / 12.0, *fourth[1:])]
    acceleration = one_freedom(terms, -sum(m * G * x[1][1] for m, x in centers), rate)
    coupler_on_crank = (third[0] - theta, third[1] - 1.0, third[2])
    return [along(angle, rate, acceleration) for angle in (first, coupler_on_crank, fourth)]


# Slider-crank (slider_crank.yaml) ----------------------------------------------------------------------------------------------

SLIDER_CRANK = {"r": 0.05, "l": 0.15, "masses": (0.8, 0.4, 0.3), "inertia_crank": 1.2e-3, "torque": 0.5}
"""Crank (center of mass on its axis, moment about it), uniform rod, slider; torque on the crank."""


def slider_crank_position(theta):
    """Angle of the rod and travel of the slider, with derivatives by the crank angle: sin(phi) = -r/l sin(theta)."""
    r, l = SLIDER_CRANK["r"], SLIDER_CRANK["l"]
    phi = math.asin(-r / l * math.sin(theta))
    phi1 = -r * math.cos(theta) / (l * math.cos(phi))
    phi2 = (r * math.sin(theta) + l * math.sin(phi) * phi1**2) / (l * math.cos(phi))
    rod = (phi, phi1, phi2)
    pin = plus(spoke(r, (theta, 1.0, 0.0)), spoke(l, rod))
    return rod, tuple(float(x[0]) for x in pin)


def slider_crank_accelerations(theta, rate):
    """Crank angle, rod angle on the crank, and travel of the slider from the crank's axis as (q, q', q''); gravity along -y."""
    rod, x = slider_crank_position(theta)
    first = (theta, 1.0, 0.0)
    r, l = SLIDER_CRANK["r"], SLIDER_CRANK["l"]
    _, m_rod, m_slider = SLIDER_CRANK["masses"]
    middle = plus(spoke(r, first), spoke(0.5 * l, rod))
    terms = [(SLIDER_CRANK["inertia_crank"], 1.0, 0.0), (m_rod, *middle[1:]), (m_rod * l * l / 12.0, *rod[1:]), (m_slider, *x[1:])]
    acceleration = one_freedom(terms, SLIDER_CRANK["torque"] - m_rod * G * middle[1][1], rate)
    rod_on_crank = (rod[0] - theta, rod[1] - 1.0, rod[2])
    return [along(s, rate, acceleration) for s in (first, rod_on_crank, x)]


# N-four-bar (n_four_bar.yaml, IFToMM benchmark) --------------------------------------------------------------------------------


def n_four_bar_acceleration(windows, theta):
    """Acceleration of the cranks' angle from +x: N + 1 cranks turn about one end, N couplers stay horizontal; rods of 1 m, 1 kg.

    All windows are parallelograms: T = 1/2 ((N + 1)/3 + N) theta'^2, V = g ((N + 1)/2 + N) sin(theta). It holds through the singular
    position too, where the chain of parallelograms lies flat and could fold.
    """
    return -G * ((windows + 1) / 2.0 + windows) * math.cos(theta) / ((windows + 1) / 3.0 + windows)


def n_four_bar_rate(windows, theta, theta_0, rate_0):
    """Size of theta' at theta by conservation of energy, from a known one."""
    fall = 2.0 * G * ((windows + 1) / 2.0 + windows) / ((windows + 1) / 3.0 + windows)
    return math.sqrt(rate_0**2 + fall * (math.sin(theta_0) - math.sin(theta)))


# Bricard (bricard.yaml, IFToMM benchmark) --------------------------------------------------------------------------------------

BRICARD_POINTS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1.0]])
BRICARD_AXES = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0.0]])
"""Hinges at the design position. The sixth link, from the last point back to the first, is the ground."""


def bricard_angles(s):
    """Angles of the odd and of the even hinges from the design position (s = 0), with derivatives by s.

    Six equal links with twists of 90 degrees are a threefold-symmetric Bricard linkage; its hinge angles phi and psi alternate and obey
    cos phi + cos psi + cos phi cos psi = 0 (Chen, You, Tarnai, "Threefold-symmetric Bricard linkages for deployable structures", 2005).
    In half sums and differences this is a circle, sin^2(A/2) + sin^2(B/2) = 1/2 with phi = A + B and psi = A - B, walked through by s.
    """
    c, d = math.cos(s) / math.sqrt(2.0), math.sin(s) / math.sqrt(2.0)
    A, B = 2.0 * math.asin(c), 2.0 * math.asin(d)
    cA, cB = math.cos(0.5 * A), math.cos(0.5 * B)
    A1, B1 = -2.0 * d / cA, 2.0 * c / cB
    A2, B2 = (-2.0 * c + 0.5 * c * A1**2) / cA, (-2.0 * d + 0.5 * d * B1**2) / cB
    odd = (0.5 * math.pi - A - B, -A1 - B1, -A2 - B2)
    even = (0.5 * math.pi - A + B, -A1 + B1, -A2 + B2)
    return odd, even


def turned(axis, angle, v):
    """v turned about a unit axis (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    return c * v + s * np.cross(axis, v) + (1.0 - c) * (axis @ v) * axis


def bricard_points(s):
    """All seven points of the chain (the seventh is the first again) with derivatives by s."""
    odd, even = bricard_angles(s)
    frame = np.eye(3)
    w, w1 = np.zeros(3), np.zeros(3)
    p = [(np.zeros(3), np.zeros(3), np.zeros(3))]
    for i in range(6):
        q, q1, q2 = odd if i % 2 == 0 else even
        axis = BRICARD_AXES[i] @ frame
        frame = np.array([turned(axis, q, row) for row in frame])
        w1 = w1 + np.cross(w, axis) * q1 + axis * q2
        w = w + axis * q1
        link = (BRICARD_POINTS[(i + 1) % 6] - BRICARD_POINTS[i]) @ frame
        x, x1, x2 = p[-1]
        p.append((x + link, x1 + np.cross(w, link), x2 + np.cross(w1, link) + np.cross(w, np.cross(w, link))))
    return p


def bricard_terms(s):
    """(terms, pull) of `one_freedom`: five uniform rods of 1 kg, m/2 |c'|^2 + m/24 |l'|^2 each, gravity along -y."""
    points = bricard_points(s)
    terms, pull = [], 0.0
    for (_, a1, a2), (_, b1, b2) in pairwise(points[:6]):
        terms += [(1.0, (a1 + b1) / 2.0, (a2 + b2) / 2.0), (1.0 / 12.0, b1 - a1, b2 - a2)]
        pull -= G * (a1[1] + b1[1]) / 2.0
    return terms, pull


def bricard_accelerations(s, rate):
    """Angles of the six hinges as (q, q', q'') over time when s moves with `rate`."""
    acceleration = one_freedom(*bricard_terms(s), rate)
    return [along(bricard_angles(s)[i % 2], rate, acceleration) for i in range(6)]


def bricard_motion(h, steps):
    """(s, s') after some steps of Runge-Kutta from rest at the design position."""
    return runge_kutta(lambda y: np.array([y[1], one_freedom(*bricard_terms(y[0]), y[1])]), np.zeros(2), h, steps)


# Andrews' squeezer (andrews_squeezer.yaml) -------------------------------------------------------------------------------------

ANDREWS_START = np.array(
    [
        -0.0617138900142764496358948458001,
        0.0,
        0.455279819163070380255912382449,
        0.222668390165885884674473185609,
        0.487364979543842550225598953530,
        -0.222668390165885884674473185609,
        1.23054744454982119249735015568,
    ]
)
"""beta, Theta, gamma, Phi, delta, Omega, epsilon at t = 0; Theta, Phi and Omega are relative to the bodies of beta, delta and epsilon."""

ANDREWS_START_ACCELERATIONS = np.array([14222.4439199541138705911625887, -10666.8329399655854029433719415, 0.0, 0.0, 0.0, 0.0, 0.0])

ANDREWS_END = np.array(
    [
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ]
)
ANDREWS_END_RATES = np.array(
    [
        1139.920302151208,
        -1424.379294994111,
        11.03291221937134,
        19.29337464421385,
        0.5735699284790808,
        -19.29337464421385,
        0.3231791658026955,
    ]
)
"""At t = 0.03 s: the reference solution of the Test Set for IVP Solvers (Mazzia, Magherini; computed there with PSIDE at tolerance 1e-14).

Parameters and initial values: Schiehlen, Multibody Systems Handbook, 1990; Hairer, Wanner, Solving Ordinary Differential Equations II,
chapter VII.7.
"""

ANDREWS = {
    "masses": np.array([0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498]),
    "inertias": np.array([2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5]),
    "A": -0.06934 - 0.00227j,
    "B": -0.03635 + 0.03273j,
    "C": 0.014 + 0.072j,
    "spring": (4530.0, 0.07785),
    "torque": 0.033,
}
"""Bodies K1 to K7; planes are complex numbers. O is the origin, C the fixed end of the spring."""

_RELATIVE = np.eye(7) + np.array([[0] * 7, [1, 0, 0, 0, 0, 0, 0], [0] * 7, [0, 0, 0, 0, 1, 0, 0], [0] * 7, [0, 0, 0, 0, 0, 0, 1], [0] * 7])
"""Absolute angles of K1 to K7 from the seven coordinates."""

# A point is its base and one complex arm per body, turned by the body's angle.
_CENTERS = np.zeros((7, 7), dtype=complex)
_CENTERS[0, 0] = 0.00092
_CENTERS[1, [0, 1]] = 0.007, -0.0115
_CENTERS[2, 2] = 0.01043 - 0.01874j
_CENTERS[3, [4, 3]] = 0.04, -1j * (0.02 - 0.01421)
_CENTERS[4, 4] = 0.02308 - 0.00916j
_CENTERS[5, [6, 5]] = -0.04j, 0.02 - 0.01421
_CENTERS[6, 6] = 0.01228 - 0.00449j
_JOINT = np.zeros((4, 7), dtype=complex)
_JOINT[0, [0, 1]] = 0.007, -0.028
_JOINT[1, 2] = -0.035j
_JOINT[2, [4, 3]] = 0.04, -0.02j
_JOINT[3, [6, 5]] = -0.04j, 0.02
_SPRING_END = 0.02 - 0.018j


def andrews_gaps(q):
    """(3,) complex: the joint of K2 with K3, K4, K6 as seen over K1-K2, minus as seen over K3, over K5-K4, over K7-K6."""
    joint = _JOINT @ np.exp(1j * (_RELATIVE @ q)) + np.array([0.0, ANDREWS["B"], ANDREWS["A"], ANDREWS["A"]])
    return joint[0] - joint[1:]


def andrews_accelerations(q, rates):
    """q'' of the seven coordinates: absolute angles, Lagrange multipliers for the three closures, dense solution."""
    turn = np.exp(1j * (_RELATIVE @ q))
    spin = _RELATIVE @ rates
    m, J = ANDREWS["masses"], 1j * _CENTERS * turn
    M = np.diag(ANDREWS["inertias"]) + np.real(J.conj().T @ (m[:, None] * J))
    f = np.real(J.conj().T @ (m * ((_CENTERS * turn) @ spin**2)))
    f[0] += ANDREWS["torque"]
    stretch = ANDREWS["B"] + _SPRING_END * turn[2] - ANDREWS["C"]
    rate, free_length = ANDREWS["spring"]
    f[2] += np.real(np.conj(1j * _SPRING_END * turn[2]) * -rate * (abs(stretch) - free_length) * stretch / abs(stretch))
    gaps = _JOINT[0] - _JOINT[1:]
    W = 1j * gaps * turn
    W = np.vstack([W.real, W.imag])
    bias = (gaps * turn) @ spin**2
    system = np.block([[M, W.T], [W, np.zeros((6, 6))]])
    return np.linalg.solve(_RELATIVE, np.linalg.solve(system, np.concatenate([f, bias.real, bias.imag]))[:7])


def andrews_motion(seconds, steps):
    """(q, q') after Runge-Kutta steps from the published initial state."""
    start = np.concatenate([ANDREWS_START, np.zeros(7)])
    y = runge_kutta(lambda y: np.concatenate([y[7:], andrews_accelerations(y[:7], y[7:])]), start, seconds / steps, steps)
    return y[:7], y[7:]
