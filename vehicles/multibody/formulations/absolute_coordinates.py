"""Bodies with absolute coordinates at their centers of mass, and joint coordinates as functions of the body poses.

The pose of a body is the position of its center of mass and the quaternion of its attitude. Its velocity V = [w; v] has the velocity of
the center of mass. Both are in world axes. Body 0 is the world. A joint coordinate is measured between two bodies,

    q'  = Y_i . V_i + Y_j . V_j
    q'' = Y_i . alpha_i + Y_j . alpha_j + gamma

with, for the axis h fixed to one of the bodies (TURN) and for the point P_i of body i relative to P_j on body j (SLIDE),

    TURN     q' = h . (w_i - w_j)             gamma = h . (w_i x w_j)
    SLIDE    q  = h . (P_i - P_j)             a POINT row of `constraints`, h fixed to body j

The axes of a universal joint are perpendicular, so each of them measures its own angle. The dual of q' is the force on the
coordinate: T applies Y_i* T and Y_j* T to the bodies.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from simulator.base.algebra.spatial import add_six, columns, lower, rotated, shift_motion, store_columns, store_six, triple, upper
from simulator.base.algebra.vectors import add, cross, dot, in_frame, scale, sub, symmetric_in_frame, symmetric_times, vector
from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record
from vehicles.multibody.tree.constraints import Constraints
from vehicles.multibody.tree.forces import Forces
from vehicles.multibody.tree.tree import Tree, turn_by_quaternion, turn_quaternion

TURN, SLIDE = range(2)
"""Kinds of coordinates."""

COORDINATES = (
    # name     shape  unit  description
    ("kind", (), "1", "TURN or SLIDE", "i8"),
    ("i", (), "1", "body i, the child of the joint", "i8"),
    ("j", (), "1", "body j, the parent of the joint", "i8"),
    ("carrier", (), "1", "body in which the axis is fixed", "i8"),
    ("axis", (3,), "1", "axis, in the carrier"),
    ("p_i", (3,), "m", "point P_i of a SLIDE, in body i"),
    ("p_j", (3,), "m", "point P_j of a SLIDE, in body j"),
    ("mark_i", (3,), "1", "direction perpendicular to the axis of a revolute joint, in body i"),
    ("mark_j", (3,), "1", "direction in body j that coincides with mark_i at zero"),
    ("q", (), "1", "position coordinate of a revolute or prismatic joint, or -1", "i8"),
    ("cross", (), "1", "node of the cross of a universal joint, for its first axis, or 0", "i8"),
)
"""Joint coordinates, in the order of the velocities v."""

BODIES = (
    ("node", (), "1", "node of the body in the tree", "i8"),
    ("com", (3,), "m", "center of mass in the node axes"),
)
"""Nodes of the bodies in the tree."""


class Absolute(NamedTuple):
    """Bodies, coordinates and constraints. `tree` contains the bodies as nodes without joints.

    q (n_q,), v, T, gamma, prescribed (n_v,) : measured joint positions and rates, forces on the coordinates, velocity terms, and the
    accelerations of the prescribed coordinates (an input). Before a measurement q is the result of the last one, so that angles count full
    turns. Y (n_v, 12) : [Y_i, Y_j] of the coordinates
    wrenches (n_bodies, 6) : applied forces [N; F] at the centers of mass
    """

    bodies: Record
    tree: Tree
    coordinates: Record
    constraints: Constraints
    forces: Forces
    Y: Vector
    q: Vector
    v: Vector
    T: Vector
    gamma: Vector
    prescribed: Vector
    wrenches: Vector


@kernel
def follow_tree(a, tree):
    """Set poses and velocities of the bodies from the nodes of the tree, after `tree.set_velocities`."""
    for b in range(1, a.bodies.shape[0]):
        node, m = tree.motion[a.bodies[b]["node"]], a.tree.motion[b]
        x, y, z = columns(node["R"])
        r = in_frame(x, y, z, vector(a.bodies[b]["com"]))
        p = add(vector(node["p"]), r)
        store_columns(m["R"], x, y, z)
        m["p"][0], m["p"][1], m["p"][2] = p[0], p[1], p[2]
        w = upper(node["V"])
        store_six(m["V"], w, shift_motion(w, lower(node["V"]), r))


@kernel
def place_bodies(a, poses, velocities):
    """Set poses and velocities of the bodies from a state.

    Parameters
    ----------
    a : Absolute
    poses : (n_bodies, 7) center of mass and unit quaternion (w, x, y, z) of R_WB, B being the frame of the node of the body
    velocities : (n_bodies, 6) [w; v], world axes
    """
    for b in range(1, a.bodies.shape[0]):
        m = a.tree.motion[b]
        x, y, z = turn_by_quaternion((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), poses[b, 3], poses[b, 4], poses[b, 5], poses[b, 6])
        store_columns(m["R"], x, y, z)
        m["p"][0], m["p"][1], m["p"][2] = poses[b, 0], poses[b, 1], poses[b, 2]
        for i in range(6):
            m["V"][i] = velocities[b, i]


@kernel
def advance(poses, velocities, h, out):
    """Set out = poses advanced by the velocities for h seconds: exact rotations of the quaternions, which keep unit length."""
    for b in range(1, poses.shape[0]):
        for i in range(3):
            out[b, i] = poses[b, i] + h * velocities[b, 3 + i]
        turn_quaternion(poses[b], 3, (velocities[b, 0], velocities[b, 1], velocities[b, 2]), h, out[b], -1.0)


@kernel
def measure(a):
    """Compute Y, gamma, v and q of all joint coordinates."""
    for k in range(a.coordinates.shape[0]):
        c = a.coordinates[k]
        m_i, m_j = a.tree.motion[c["i"]], a.tree.motion[c["j"]]
        h = rotated(a.tree.motion[c["carrier"]]["R"], vector(c["axis"]))
        if c["kind"] == TURN:
            zero = (0.0, 0.0, 0.0)
            store_row(a.Y, k, h, zero, scale(-1.0, h))
            a.gamma[k] = dot(h, cross(upper(m_i["V"]), upper(m_j["V"])))
        else:
            r_i, r_j = rotated(m_i["R"], vector(c["p_i"])), rotated(m_j["R"], vector(c["p_j"]))
            d = add(sub(vector(m_i["p"]), vector(m_j["p"])), sub(r_i, r_j))
            store_row(a.Y, k, cross(r_i, h), h, scale(-1.0, cross(add(r_j, d), h)))
            a.gamma[k] = slide_gamma(m_i, m_j, r_i, r_j, d, h)
        a.v[k] = 0.0
        for i in range(6):
            a.v[k] += a.Y[k, i] * m_i["V"][i] + a.Y[k, 6 + i] * m_j["V"][i]
        if c["q"] >= 0:
            measure_position(a, c, m_i, m_j, h)


@inline
def store_row(Y, k, n_i, f, n_j):
    """Set row k = [n_i; f], [n_j; -f]."""
    for i in range(3):
        Y[k, i], Y[k, 3 + i], Y[k, 6 + i], Y[k, 9 + i] = n_i[i], f[i], n_j[i], -f[i]


@inline
def slide_gamma(m_i, m_j, r_i, r_j, d, h):
    """Return the velocity products of h . d, as in `constraints.point_gamma`."""
    w_i, w_j = upper(m_i["V"]), upper(m_j["V"])
    v = sub(shift_motion(w_i, lower(m_i["V"]), r_i), shift_motion(w_j, lower(m_j["V"]), r_j))
    a = sub(triple(r_i, w_i), triple(r_j, w_j))
    return dot(h, a) + 2.0 * dot(cross(w_j, h), v) + dot(triple(h, w_j), d)


@inline
def measure_position(a, c, m_i, m_j, h):
    """Return the position of a revolute or prismatic joint; an angle is the one nearest to the last value."""
    at = c["q"]
    if c["kind"] == SLIDE:
        r_i, r_j = rotated(m_i["R"], vector(c["p_i"])), rotated(m_j["R"], vector(c["p_j"]))
        a.q[at] = dot(h, add(sub(vector(m_i["p"]), vector(m_j["p"])), sub(r_i, r_j)))
    else:
        e, f = rotated(m_j["R"], vector(c["mark_j"])), rotated(m_i["R"], vector(c["mark_i"]))
        angle = math.atan2(dot(h, cross(e, f)), dot(e, f))
        a.q[at] = angle + 2.0 * math.pi * round((a.q[at] - angle) / (2.0 * math.pi))


@kernel
def take_wrenches(a, wrenches):
    """Set `a.wrenches` at the centers of mass from wrenches at the origins of the tree nodes (n_nodes, 6)."""
    for b in range(1, a.bodies.shape[0]):
        k = a.bodies[b]["node"]
        r = rotated(a.tree.motion[b]["R"], vector(a.bodies[b]["com"]))
        F = (wrenches[k, 3], wrenches[k, 4], wrenches[k, 5])
        n = sub((wrenches[k, 0], wrenches[k, 1], wrenches[k, 2]), cross(r, F))
        for i in range(3):
            a.wrenches[b, i], a.wrenches[b, 3 + i] = n[i], F[i]


@kernel
def finish_forces(a, wrenches, gravity):
    """Compute `f` of each body: applied forces, forces of the joint coordinates, gravity and the gyroscopic couple; A is its inertia."""
    motion = a.tree.motion
    for k in range(a.coordinates.shape[0]):
        c = a.coordinates[k]
        if c["cross"] > 0:
            take_wrench_of_cross(a, k, wrenches)
        if a.T[k] != 0.0:
            f_i, f_j = motion[c["i"]]["f"], motion[c["j"]]["f"]
            for i in range(6):
                f_i[i] += a.Y[k, i] * a.T[k]
                f_j[i] += a.Y[k, 6 + i] * a.T[k]
    for b in range(1, a.bodies.shape[0]):
        body, m = a.tree.nodes[b], motion[b]
        x, y, z = columns(m["R"])
        I = body["inertia"]
        A = symmetric_in_frame(x, y, z, (I[0], I[1], I[2], I[3], I[4], I[5]))
        for i in range(6):
            m["A"][i] = A[i]
        w = upper(m["V"])
        add_six(m["f"], cross(symmetric_times(A, w), w), scale(body["mass"], vector(gravity)))


@inline
def take_wrench_of_cross(a, k, wrenches):
    """Apply the wrench of the cross of a universal joint: to body j, and its couple about the axis k to T."""
    c = a.coordinates[k]
    m = a.tree.motion[c["j"]]
    w = wrenches[c["cross"]]
    N, F = (w[0], w[1], w[2]), (w[3], w[4], w[5])
    add_six(m["f"], add(N, cross(rotated(m["R"], vector(c["p_j"])), F)), F)
    a.T[k] += dot((a.Y[k, 0], a.Y[k, 1], a.Y[k, 2]), N)


@kernel
def joint_accelerations(a, alpha, accel):
    """Compute accel (n_v,) of all joint coordinates from the accelerations of the bodies (n_bodies, 6)."""
    for k in range(a.coordinates.shape[0]):
        i, j = a.coordinates[k]["i"], a.coordinates[k]["j"]
        total = a.gamma[k]
        for n in range(6):
            total += a.Y[k, n] * alpha[i, n] + a.Y[k, 6 + n] * alpha[j, n]
        accel[k] = total
