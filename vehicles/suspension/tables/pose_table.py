"""Tables of the poses of a corner's bodies, interpolated C1 in position and in rotation [Suspension interpolation].

The nodes store, for every body, the position e of its center of mass, its orientation R, and their derivatives by the arm angle theta: d
= de/dtheta and the angular velocity delta per theta'. Between two nodes the position follows cubic Hermite polynomials (eq 18). The
rotation is a product of three rotations whose angles follow them (eqs 23 to 26): the first starts with delta of the first node, the
second turns from one node to the other, the third ends with delta of the second node; each vanishes, with its rate, where the others
take over.

differs: the angle of eq (21) is computed by atan2, because arccos loses half of the digits at small angles; eqs (20) and (24) to (26) are
written for the rotation vector (axis times angle), so that a body without rotation needs no axis. The error of positions falls with the
fourth power of the distance of the nodes, that of rotations with the third, as the three rotations do not commute.

Over theta and the Pitman angle of the steering the interpolation is applied twice: along the Pitman angle at the two thetas of a cell,
for e and R as above and for d and delta by cubic Hermite polynomials, then along theta between the results. For positions this is the
tensor product of the two interpolations; for rotations it is the closest approximation to it. Neighboring cells share the nodes of their
common edge and thus value and derivatives along it: the surface is C1.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numpy.typing import NDArray

from simulator.base.algebra.hermite import cubic, cubic_1, cubic_2, locate
from simulator.base.algebra.vectors import add, add_scaled, cross, dot, in_frame, scale, sub, vector
from simulator.base.jit import inline, kernel

NODE = (
    ("e", (3,), "m", "center of mass, in chassis axes relative to the reference point"),
    ("R", (3, 3), "1", "orientation: body axes as columns, in chassis axes"),
    ("d", (3,), "m", "derivative of e by theta"),
    ("delta", (3,), "1", "angular velocity per theta_dot, in chassis axes"),
    ("d_steer", (3,), "m", "derivative of e by the Pitman angle"),
    ("delta_steer", (3,), "1", "angular velocity per rate of the Pitman angle"),
    ("d_both", (3,), "m", "derivative of d by the Pitman angle"),
    ("delta_both", (3,), "1", "derivative of delta by the Pitman angle"),
)
"""A body at a node of a table. The last four rows are zero if the inner tie-rod joint does not move."""

POSE = (
    ("e", (3,), "m", "center of mass"),
    ("R", (3, 3), "1", "orientation"),
    ("d", (3,), "m", "derivative of e by theta"),
    ("delta", (3,), "1", "angular velocity per theta_dot"),
    ("d_2", (3,), "m", "second derivative of e by theta"),
    ("delta_2", (3,), "1", "derivative of delta by theta: angular acceleration at theta_dot = 1, theta_ddot = 0"),
    ("d_steer", (3,), "m", "derivative of e by the Pitman angle"),
    ("delta_steer", (3,), "1", "angular velocity per rate of the Pitman angle"),
)
"""Result of a table between its nodes: position, velocity and acceleration [per rad]."""


class PoseTable(NamedTuple):
    """Nodes (7, n) over theta, or (7, n, m) over theta and Pitman angle, bodies in the order of BODIES; angles in rad."""

    nodes: NDArray
    start: float
    step: float
    steer_start: float
    steer_step: float


@kernel
def pose_over_theta(table, body, theta, out):
    """Compute the pose of a body at the arm angle theta [rad] from a table over theta.

    out : record of POSE, overwritten except the derivatives by the Pitman angle
    """
    n, xi = locate(theta, table.start, 1.0 / table.step, table.nodes.shape[1] - 1)
    a, b = table.nodes[body, n], table.nodes[body, n + 1]
    e, d, d_2 = position(vector(a["e"]), vector(a["d"]), vector(b["e"]), vector(b["d"]), xi, table.step)
    R, delta, delta_2 = rotation(columns(a["R"]), vector(a["delta"]), columns(b["R"]), vector(b["delta"]), xi, table.step)
    write_pose(out, e, d, d_2, R, delta, delta_2)


@kernel
def pose_over_both(table, body, theta, angle, out):
    """Compute the pose of a body at the arm angle theta and the Pitman angle [rad] from a table over both.

    out : record of POSE, overwritten
    """
    n, xi = locate(theta, table.start, 1.0 / table.step, table.nodes.shape[1] - 1)
    m, eta = locate(angle, table.steer_start, 1.0 / table.steer_step, table.nodes.shape[2] - 1)
    L = table.step
    a = edge(table.nodes[body, n, m], table.nodes[body, n, m + 1], eta, table.steer_step)
    b = edge(table.nodes[body, n + 1, m], table.nodes[body, n + 1, m + 1], eta, table.steer_step)
    e, d, d_2 = position(a.e, a.d, b.e, b.d, xi, L)
    R, delta, delta_2 = rotation(a.R, a.delta, b.R, b.delta, xi, L)
    write_pose(out, e, d, d_2, R, delta, delta_2)
    d_steer, _, _ = position(a.e_u, a.d_u, b.e_u, b.d_u, xi, L)
    delta_steer = turn_of_rotation(a, b, xi, L)
    for j in range(3):
        out[0]["d_steer"][j] = d_steer[j]
        out[0]["delta_steer"][j] = delta_steer[j]


class Edge(NamedTuple):
    """Values e, d, R, delta of NODE between two nodes along the Pitman angle, and their derivatives by it.

    w_u is the angular velocity of R.
    """

    e: Any
    d: Any
    R: Any
    delta: Any
    e_u: Any
    d_u: Any
    w_u: Any
    delta_u: Any


@inline
def edge(a, b, eta, length):
    """Return the Edge between the nodes a and b, at the relative position eta."""
    e, e_u, _ = position(vector(a["e"]), vector(a["d_steer"]), vector(b["e"]), vector(b["d_steer"]), eta, length)
    d, d_u, _ = position(vector(a["d"]), vector(a["d_both"]), vector(b["d"]), vector(b["d_both"]), eta, length)
    R, w_u, _ = rotation(columns(a["R"]), vector(a["delta_steer"]), columns(b["R"]), vector(b["delta_steer"]), eta, length)
    delta, delta_u, _ = position(vector(a["delta"]), vector(a["delta_both"]), vector(b["delta"]), vector(b["delta_both"]), eta, length)
    return Edge(e, d, R, delta, e_u, d_u, w_u, delta_u)


@inline
def position(e0, d0, e1, d1, xi, length):
    """Return position and its first and second derivative in an interval of the given length. Eq (18) and its derivatives."""
    h, h_1, h_2 = cubic(xi), cubic_1(xi), cubic_2(xi)
    e = blend(h, e0, scale(length, d0), e1, scale(length, d1))
    d = blend(h_1, scale(1.0 / length, e0), d0, scale(1.0 / length, e1), d1)
    per = 1.0 / (length * length)
    return e, d, blend(h_2, scale(per, e0), scale(1.0 / length, d0), scale(per, e1), scale(1.0 / length, d1))


@inline
def blend(h, a, b, c, d):
    """Return h[0] a + h[1] b + h[2] c + h[3] d."""
    return add_scaled(add_scaled(add_scaled(scale(h[0], a), h[1], b), h[2], c), h[3], d)


@inline
def rotation(R0, delta0, R1, delta1, xi, length):
    """Return orientation, angular velocity and acceleration (chassis axes, per unit of the variable) in an interval. Eqs (19) to (26)."""
    h, h_1, h_2 = cubic(xi), cubic_1(xi), cubic_2(xi)
    first = coordinates(R0, delta0)
    last = coordinates(R1, delta1)
    across = scale(1.0 / length, rotation_vector(relative(R0, R1)))
    T1, T2, T3 = turn(scale(h[1] * length, first)), turn(scale(h[2] * length, across)), turn(scale(h[3] * length, last))
    T12 = product(T1, T2)
    R = product(R0, product(T12, T3))
    # in the axes of the first node: each rotation is transformed by the previous ones
    w1, w2, w3 = scale(h_1[1], first), turned(T1, scale(h_1[2], across)), turned(T12, scale(h_1[3], last))
    per = 1.0 / length
    alpha = add(scale(h_2[1] * per, first), add(turned(T1, scale(h_2[2] * per, across)), turned(T12, scale(h_2[3] * per, last))))
    alpha = add(alpha, add(cross(w1, w2), cross(add(w1, w2), w3)))
    return R, turned(R0, add(w1, add(w2, w3))), turned(R0, alpha)


@inline
def turn_of_rotation(a, b, xi, length):
    """Return the angular velocity of `rotation` between the edges a and b while these move along the Pitman angle.

    Both ends rotate with w_u, and the end rates change by delta_u.
    """
    h = cubic(xi)
    p1, p3 = scale(h[1] * length, coordinates(a.R, a.delta)), scale(h[3] * length, coordinates(b.R, b.delta))
    p1_u = scale(h[1] * length, coordinates(a.R, sub(a.delta_u, cross(a.w_u, a.delta))))
    p3_u = scale(h[3] * length, coordinates(b.R, sub(b.delta_u, cross(b.w_u, b.delta))))
    across = rotation_vector(relative(a.R, b.R))
    across_u = rate_of_rotation_vector(across, coordinates(b.R, sub(b.w_u, a.w_u)))
    p2, p2_u = scale(h[2], across), scale(h[2], across_u)
    T1 = turn(p1)
    w = add(velocity_of_turn(p1, p1_u), turned(T1, velocity_of_turn(p2, p2_u)))
    w = add(w, turned(product(T1, turn(p2)), velocity_of_turn(p3, p3_u)))
    return add(a.w_u, turned(a.R, w))


@inline
def turn(p):
    """Return the rotation (three columns) of the rotation vector p: eq (20) with p = n theta."""
    angle = math.sqrt(dot(p, p))
    c = math.cos(angle)
    s, v = _sine_and_versine(angle)
    x, y, z = p
    return (
        (v * x * x + c, v * x * y + s * z, v * x * z - s * y),
        (v * x * y - s * z, v * y * y + c, v * y * z + s * x),
        (v * x * z + s * y, v * y * z - s * x, v * z * z + c),
    )


@inline
def velocity_of_turn(p, p_u):
    """Return the angular velocity of `turn(p)` while p changes by p_u."""
    angle = math.sqrt(dot(p, p))
    s, v = _sine_and_versine(angle)
    third = (1.0 - s) / (angle * angle) if angle > 1e-4 else 1.0 / 6.0 - angle * angle / 120.0
    q = cross(p, p_u)
    return add(p_u, add_scaled(scale(v, q), third, cross(p, q)))


@inline
def _sine_and_versine(angle):
    """Return sin x / x and (1 - cos x) / x^2."""
    half = 0.5 * angle
    s = math.sin(half) / half if half > 1e-8 else 1.0
    return s * math.cos(half), 0.5 * s * s


@inline
def rotation_vector(R):
    """Return axis times angle of a rotation by less than half a revolution. Eqs (21) and (22)."""
    axial = (R[1][2] - R[2][1], R[2][0] - R[0][2], R[0][1] - R[1][0])
    sine = math.sqrt(dot(axial, axial))
    angle = math.atan2(sine, R[0][0] + R[1][1] + R[2][2] - 1.0)
    return scale(angle / sine if sine > 1e-300 else 0.5, axial)


@inline
def rate_of_rotation_vector(p, w):
    """Return the rate of the rotation vector p of a rotation whose angular velocity in its own rotated axes is w."""
    angle = math.sqrt(dot(p, p))
    half = 0.5 * angle
    k = (1.0 - half / math.tan(half)) / (angle * angle) if angle > 1e-3 else 1.0 / 12.0 + angle * angle / 720.0
    q = cross(p, w)
    return add(w, add_scaled(scale(0.5, q), k, cross(p, q)))


@inline
def turned(R, a):
    """Return R a, for R given by its columns."""
    return in_frame(R[0], R[1], R[2], a)


@inline
def coordinates(R, a):
    """Return R^T a."""
    return dot(R[0], a), dot(R[1], a), dot(R[2], a)


@inline
def product(R, S):
    """Return R S."""
    return turned(R, S[0]), turned(R, S[1]), turned(R, S[2])


@inline
def relative(R, S):
    """Return R^T S: eq (19)."""
    return coordinates(R, S[0]), coordinates(R, S[1]), coordinates(R, S[2])


@inline
def columns(field):
    """Return the columns of a field of shape (3, 3)."""
    return (
        (field[0, 0], field[1, 0], field[2, 0]),
        (field[0, 1], field[1, 1], field[2, 1]),
        (field[0, 2], field[1, 2], field[2, 2]),
    )


@inline
def write_pose(out, e, d, d_2, R, delta, delta_2):
    """Fill a POSE record except the derivatives by the Pitman angle."""
    o = out[0]
    for j in range(3):
        o["e"][j], o["d"][j], o["d_2"][j] = e[j], d[j], d_2[j]
        o["delta"][j], o["delta_2"][j] = delta[j], delta_2[j]
        for k in range(3):
            o["R"][j, k] = R[k][j]
