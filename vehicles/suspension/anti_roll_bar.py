"""Anti-roll bars: a spring between the two sides of an axle that acts on their relative motion only.

Each side is connected to the bar at a point P of its suspension, on the wheel carrier or on an arm hinged on the chassis. x is the
coordinate of the bar at that side:

    PLAIN         x = z of P                                                             dx/dP = z                   (1)
    LEVERS        x = angle of the lever, whose end E(x) has the distance of the drop    dx/dP = d / (d . E_1),      (2)
                  link from P: |E(x) - P| = link, a `circle`                             d = E - P

with E_1 the derivative of E by x. Both levers rotate about one axis, parallel to the chassis' y, and both x rise in the same direction,
so that their difference is the twist of the bar. The forces follow from the principle of virtual work, with P_1 the derivative of P by
theta:

    energy = 1/2 stiffness (x_L - x_R)^2,    T = stiffness (x_L - x_R)                                               (3)
    f_L = -T dx_L/dP,  f_R = T dx_R/dP       forces on the suspension at P                                           (4)
    theta_force += f . P_1                   chassis and links carry the rest of the forces                          (5)

On a coupled axle P also moves with the theta of the other side, which receives a force in the same way.

A force on a steered carrier also acts on the Pitman arm: force and couple about the wheel center are stored for the torque of the arm.
Bar, levers and links are massless.
"""

from __future__ import annotations

import math

from simulator.base.algebra.circle import circle, hinged
from simulator.base.algebra.vectors import add, column, cross, dot, in_frame, scale, store, sub
from simulator.base.jit import inline, kernel
from vehicles.axle_layout import AXLES, WHEELS
from vehicles.corner_layout import axle_of, sides_of
from vehicles.suspension.hard_stops import limited

NO_BAR, PLAIN, LEVERS = range(3)
"""Kinds of anti-roll bars."""

ANTI_ROLL_BARS = (
    # name        shape      unit     what it is (axles from the front; corners last)
    ("law", (AXLES,), "1", "NO_BAR, PLAIN or LEVERS", "i8"),
    ("stiffness", (AXLES,), "N/m, N m", "force per height difference, or couple per twist [rad]"),
    ("on_arm", (AXLES,), "1", "1: the points are on arms that rotate by theta about a hinge on the chassis; 0: on the carriers", "i8"),
    ("turned", (), "1", "1: a point is on a carrier, away from the wheel center, so that the attitude of the carrier matters", "i8"),
    ("arm_point", (3, 3, WHEELS), "m", "point on an arm: foot on its hinge, radius, axis x radius"),
    ("carrier_point", (3, WHEELS), "m", "point on a carrier, relative to the wheel center in the design position"),
    ("lever", (3, 3, WHEELS), "m", "end of the lever: foot on the bar's axis, radius, axis x radius"),
    ("link", (WHEELS,), "m", "length of the drop link"),
    ("branch", (WHEELS,), "1", "sign of the square root of lever and link in the design position"),
)

MIN_LEVER_RATIO = 0.2
"""Smallest effective fraction of the lever at the drop link over the full travel; below this value lever and link are nearly in line.

The fraction is the sine of the angle between lever and link, times the fraction of the link length in the plane of the lever.
"""


@inline
def apply_anti_roll_bars(m, s):
    """Add the anti-roll bars to the forces on theta; call it after the kinematics, since it uses the motion of the carriers."""
    for n in range(len(m.corners[0]["sides"])):
        if m.struts[0]["anti_roll_bars"]["law"][n] != NO_BAR:
            apply_anti_roll_bar(m.corners, m.struts, n, s.kinematics, s.inputs, s.work, s.out)


@kernel
def apply_anti_roll_bar(corners, struts, n, k, q, work, out):
    """Apply the bar of axle n: equations (1)-(5) of the module."""
    bars = struts[0]["anti_roll_bars"]
    left = sides_of(corners, n)[0]
    right = left + 1
    P_L, P_R = held_point(corners, bars, left, k, q)[0], held_point(corners, bars, right, k, q)[0]
    x_L, g_L = bar_coordinate(bars, n, left, P_L)
    x_R, g_R = bar_coordinate(bars, n, right, P_R)
    T = bars["stiffness"][n] * (x_L - x_R)
    apply_force(corners, bars, left, scale(-T, g_L), k, q, work, out)
    apply_force(corners, bars, right, scale(T, g_R), k, q, work, out)


@kernel
def held_point(corners, bars, i, k, q):
    """Return the attachment point of the bar on corner i, in B, and its derivative by theta."""
    if bars["on_arm"][axle_of(corners, i)]:
        theta = limited(corners, i, q[0]["theta"][i])
        P, P_1, _ = hinged(bars["arm_point"], math.cos(theta), math.sin(theta), i)
        return P, P_1
    r = carrier_radius(corners, bars, i, k)
    return add(column(k[0]["W"], i), r), add(column(k[0]["W_1"], i), cross(column(k[0]["w"], i), r))


@inline
def carrier_radius(corners, bars, i, k):
    """Return the vector from the wheel center to the point on the carrier, rotated from the design frame to the present one."""
    frame, r = corners[0]["design_frame"], column(bars["carrier_point"], i)
    x, z = column(k[0]["carrier_x"], i), column(k[0]["carrier_z"], i)
    return in_frame(x, cross(z, x), z, (dot(column(frame[:, 0], i), r), dot(column(frame[:, 1], i), r), dot(column(frame[:, 2], i), r)))


@inline
def bar_coordinate(bars, n, i, P):
    """Return x of side i of axle n for its point P, and dx/dP: (1), (2). If the link does not reach, dx/dP stays finite."""
    if bars["law"][n] == PLAIN:
        return P[2], (0.0, 0.0, 1.0)
    A, B, C, min_slope = lever_equation(bars, i, P)
    c, s = circle(A, B, C, bars["branch"][i])
    E, E_1, _ = hinged(bars["lever"], c, s, i)
    d = sub(E, P)
    slope = -bars["branch"][i] * max(-bars["branch"][i] * dot(d, E_1), min_slope)
    return math.atan2(s, c), scale(1.0 / slope, d)


@inline
def lever_equation(bars, i, P):
    """Return A, B, C of `circle` for the lever of side i, and the smallest d . E_1 of (2), by MIN_LEVER_RATIO.

    With w from P to the foot of the lever, u its radius and v = axis × u:  A = w . u,  B = w . v,  C = (link^2 - w . w - u . u) / 2
    """
    lever, link = bars["lever"], bars["link"][i]
    w, u, v = sub(column(lever[0], i), P), column(lever[1], i), column(lever[2], i)
    square = dot(u, u)
    return dot(w, u), dot(w, v), 0.5 * (link * link - dot(w, w) - square), MIN_LEVER_RATIO * link * math.sqrt(square)


@inline
def apply_force(corners, bars, i, f, k, q, work, out):
    """Apply a force f on the suspension of corner i: (5)."""
    P, P_1 = held_point(corners, bars, i, k, q)
    lift = dot(f, P_1)
    work[0]["theta_force"][i] += lift
    if corners[0]["coupled"][axle_of(corners, i)]:
        r = sub(P, column(k[0]["W"], i))
        first, end = sides_of(corners, axle_of(corners, i))
        work[0]["theta_force"][first + end - 1 - i] += dot(f, add(column(k[0]["W_across"], i), cross(column(k[0]["w_across"], i), r)))
    out[0]["bar_force"][i] = math.copysign(math.sqrt(dot(f, f)), -lift)
    if not bars["on_arm"][axle_of(corners, i)]:
        store(work[0]["bar_force"], i, f)
        store(work[0]["bar_couple"], i, cross(sub(P, column(k[0]["W"], i)), f))
