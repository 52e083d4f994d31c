"""Tree of a mechanism as flat records, and its motion: positions, velocities, velocity-dependent accelerations, inertias.

A node is the frame M of one joint; a universal joint is two revolute nodes, the first without mass. Node 0 is the world. Nodes are
numbered outward: each parent comes before its children. All vectors are in world axes, each node about its own origin.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from simulator.base.algebra.spatial import (
    add_six,
    columns,
    lower,
    rotated,
    shift_motion,
    store_columns,
    store_six,
    triple,
    upper,
)
from simulator.base.algebra.vectors import add, cross, dot, in_frame, scale, sub, symmetric_in_frame, symmetric_times, vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record

FIXED, REVOLUTE, PRISMATIC, SPHERICAL, FREE = range(5)
"""Kinds of nodes."""

POSITIONS = (0, 1, 1, 4, 7)
"""Position coordinates of each kind (quaternions w, x, y, z)."""
VELOCITIES = (0, 1, 1, 3, 6)
"""Velocity coordinates of each kind."""

NODES = (
    # name       shape     unit      description
    ("parent", (), "1", "parent node", "i8"),
    ("kind", (), "1", "kind of the joint", "i8"),
    ("q", (), "1", "index of the first position coordinate", "i8"),
    ("v", (), "1", "index of the first velocity coordinate", "i8"),
    ("prescribed", (), "1", "1 if the coordinates are given functions of time", "i8"),
    ("R_PF", (3, 3), "1", "attitude of the joint frame on the parent"),
    ("p_PF", (3,), "m", "origin of the joint frame, in the parent"),
    ("axis", (3,), "1", "axis of a revolute or prismatic joint, the same in F and M"),
    ("massless", (), "1", "1 for a node without a body (half of a universal joint)", "i8"),
    ("mass", (), "kg", "mass of the body fixed to the node"),
    ("com", (3,), "m", "center of mass of the body, in M"),
    ("inertia", (6,), "kg m2", "inertia of the body about the center of mass, in M (xx, yy, zz, xy, xz, yz)"),
)

MOTION = (
    ("R", (3, 3), "1", "attitude R_WM"),
    ("p", (3,), "m", "origin p_WM"),
    ("r", (3,), "m", "vector from the parent origin to the origin"),
    ("h", (3,), "1", "axis of a revolute or prismatic joint (the column of H*)"),
    ("V", (6,), "rad/s, m/s", "velocity [w; v] of the origin"),
    ("a", (6,), "rad/s2, m/s2", "Coriolis acceleration a(k): acceleration minus phi* alpha(parent) at zero joint acceleration"),
    ("bias", (6,), "rad/s2, m/s2", "acceleration of the origin at zero joint accelerations of the tree"),
    ("f", (6,), "N m, N", "applied force [N; F] at the origin, gravity included"),
    ("A", (6,), "kg m2", "articulated inertia P(k), angular block"),
    ("B", (3, 3), "kg m", "articulated inertia P(k), coupling block"),
    ("C", (6,), "kg", "articulated inertia P(k), linear block"),
    ("z", (6,), "N m, N", "articulated bias force z(k)"),
    ("alpha", (6,), "rad/s2, m/s2", "acceleration [alpha; a] of the origin"),
)
"""Motion of a node at one instant; each evaluation overwrites the record."""


class Tree(NamedTuple):
    """Parameters of the tree and the scratch of one evaluation."""

    nodes: Record
    motion: Record


@kernel
def move(tree, q):
    """Compute the positions of all nodes: R, p, r, h. The world (node 0) stays the identity.

    Parameters
    ----------
    tree : Tree
    q : (n_q,) position coordinates; quaternions of unit length
    """
    for k in range(1, tree.nodes.shape[0]):
        move_node(tree, k, q)


@inline
def move_node(tree, k, q):
    """Compute the position of node k from the position of its parent."""
    node, m = tree.nodes[k], tree.motion[k]
    parent = tree.motion[node["parent"]]
    px, py, pz = columns(parent["R"])
    F = node["R_PF"]
    x = in_frame(px, py, pz, (F[0, 0], F[1, 0], F[2, 0]))
    y = in_frame(px, py, pz, (F[0, 1], F[1, 1], F[2, 1]))
    z = in_frame(px, py, pz, (F[0, 2], F[1, 2], F[2, 2]))
    r = in_frame(px, py, pz, vector(node["p_PF"]))
    kind, i = node["kind"], node["q"]
    if kind == REVOLUTE:
        e = vector(node["axis"])
        h = in_frame(x, y, z, e)
        x, y, z = turn_about(x, y, z, h, e, math.cos(q[i]), math.sin(q[i]))
        store(m["h"], h)
    elif kind == PRISMATIC:
        h = in_frame(x, y, z, vector(node["axis"]))
        r = add(r, scale(q[i], h))
        store(m["h"], h)
    elif kind == SPHERICAL:
        x, y, z = turn_by_quaternion(x, y, z, q[i], q[i + 1], q[i + 2], q[i + 3])
    elif kind == FREE:
        r = add(r, in_frame(x, y, z, (q[i], q[i + 1], q[i + 2])))
        x, y, z = turn_by_quaternion(x, y, z, q[i + 3], q[i + 4], q[i + 5], q[i + 6])
    store_columns(m["R"], x, y, z)
    store(m["r"], r)
    store(m["p"], add(vector(parent["p"]), r))


@inline
def store(field, a):
    """Store a 3-vector in a field."""
    field[0], field[1], field[2] = a[0], a[1], a[2]


@inline
def turn_about(x, y, z, h, e, c, s):
    """Return the columns of [x y z] Rot(e, angle), where h = [x y z] e: each column is c times itself + s h x itself + (1 - c) e_i h."""
    t = 1.0 - c
    hx, hy, hz = cross(h, x), cross(h, y), cross(h, z)
    return (
        (c * x[0] + s * hx[0] + t * e[0] * h[0], c * x[1] + s * hx[1] + t * e[0] * h[1], c * x[2] + s * hx[2] + t * e[0] * h[2]),
        (c * y[0] + s * hy[0] + t * e[1] * h[0], c * y[1] + s * hy[1] + t * e[1] * h[1], c * y[2] + s * hy[2] + t * e[1] * h[2]),
        (c * z[0] + s * hz[0] + t * e[2] * h[0], c * z[1] + s * hz[1] + t * e[2] * h[1], c * z[2] + s * hz[2] + t * e[2] * h[2]),
    )


@inline
def turn_by_quaternion(x, y, z, w, a, b, c):
    """Return the columns of [x y z] R of the unit quaternion (w, a, b, c)."""
    return (
        in_frame(x, y, z, (1.0 - 2.0 * (b * b + c * c), 2.0 * (a * b + w * c), 2.0 * (a * c - w * b))),
        in_frame(x, y, z, (2.0 * (a * b - w * c), 1.0 - 2.0 * (a * a + c * c), 2.0 * (b * c + w * a))),
        in_frame(x, y, z, (2.0 * (a * c + w * b), 2.0 * (b * c - w * a), 1.0 - 2.0 * (a * a + b * b))),
    )


@kernel
def set_velocities(tree, v):
    """Compute velocity V, Coriolis acceleration a and accumulated `bias` of all nodes, after `move`.

    Accelerations are second time derivatives of the positions of the frame origins, not spatial accelerations:

        V(k)     = phi* V(p) + H* v
        alpha(k) = phi* alpha(p) + H* v' + a(k)
    """
    for k in range(1, tree.nodes.shape[0]):
        set_velocity(tree, k, v)


@inline
def set_velocity(tree, k, v):
    """Compute the velocity terms of node k from those of its parent."""
    node, m = tree.nodes[k], tree.motion[k]
    parent = tree.motion[node["parent"]]
    r = vector(m["r"])
    w_P = upper(parent["V"])
    w, u = w_P, shift_motion(w_P, lower(parent["V"]), r)
    a_w, a_v = (0.0, 0.0, 0.0), triple(r, w_P)
    kind, i = node["kind"], node["v"]
    if kind == REVOLUTE:
        rate = scale(v[i], vector(m["h"]))
        w = add(w, rate)
        a_w = cross(w_P, rate)
    elif kind == PRISMATIC:
        rate = scale(v[i], vector(m["h"]))
        u = add(u, rate)
        a_v = add(a_v, scale(2.0, cross(w_P, rate)))
    elif kind == SPHERICAL:
        rate = rotated(m["R"], (v[i], v[i + 1], v[i + 2]))
        w = add(w, rate)
        a_w = cross(w_P, rate)
    elif kind == FREE:
        w, u = (v[i], v[i + 1], v[i + 2]), (v[i + 3], v[i + 4], v[i + 5])
    store_six(m["V"], w, u)
    store_six(m["a"], a_w, a_v)
    b_w = upper(parent["bias"])
    store_six(m["bias"], add(b_w, a_w), add(shift_motion(b_w, lower(parent["bias"]), r), a_v))


@inline
def start_inertia(tree, k, gravity):
    """Compute P(k) = M(k) and z(k) = b(k) of the body on node k: gyroscopic force minus applied forces and gravity."""
    node, m = tree.nodes[k], tree.motion[k]
    A, B, C, z = m["A"], m["B"], m["C"], m["z"]
    mass = node["mass"]
    for i in range(6):
        z[i] = -m["f"][i]
        A[i] = 0.0
        C[i] = 0.0
    if node["massless"]:
        for i in range(3):
            B[i, 0], B[i, 1], B[i, 2] = 0.0, 0.0, 0.0
        return
    x, y, zz = columns(m["R"])
    c = in_frame(x, y, zz, vector(node["com"]))
    I = symmetric_in_frame(
        x, y, zz, (node["inertia"][0], node["inertia"][1], node["inertia"][2], node["inertia"][3], node["inertia"][4], node["inertia"][5])
    )
    A[0] = I[0] + mass * (c[1] * c[1] + c[2] * c[2])
    A[1] = I[1] + mass * (c[0] * c[0] + c[2] * c[2])
    A[2] = I[2] + mass * (c[0] * c[0] + c[1] * c[1])
    A[3] = I[3] - mass * c[0] * c[1]
    A[4] = I[4] - mass * c[0] * c[2]
    A[5] = I[5] - mass * c[1] * c[2]
    S = scale(mass, c)
    B[0, 0], B[0, 1], B[0, 2] = 0.0, -S[2], S[1]
    B[1, 0], B[1, 1], B[1, 2] = S[2], 0.0, -S[0]
    B[2, 0], B[2, 1], B[2, 2] = -S[1], S[0], 0.0
    C[0], C[1], C[2] = mass, mass, mass
    w = upper(m["V"])
    g = vector(gravity)
    n = cross(w, symmetric_times((A[0], A[1], A[2], A[3], A[4], A[5]), w))
    add_six(z, sub(n, cross(S, g)), sub(triple(S, w), scale(mass, g)))


@kernel
def start_inertias(tree, gravity):
    """Compute P = M and z = b of each node, after `set_velocities`; `gravity` (3,) is the acceleration of free fall [m/s2]."""
    for k in range(1, tree.nodes.shape[0]):
        start_inertia(tree, k, gravity)


@kernel
def apply_force(tree, k, point, force, couple):
    """Add a force at a world point and a couple, both in world axes, to node k."""
    m = tree.motion[k]
    r = sub(point, vector(m["p"]))
    add_six(m["f"], add(couple, cross(r, force)), force)


@kernel
def energy(tree, gravity):
    """Return (kinetic, potential) energy [J] of all bodies, after `set_velocities`; the potential of gravity is zero at the world origin."""
    kinetic, potential = 0.0, 0.0
    for k in range(1, tree.nodes.shape[0]):
        node, m = tree.nodes[k], tree.motion[k]
        x, y, z = columns(m["R"])
        c = in_frame(x, y, z, vector(node["com"]))
        w = upper(m["V"])
        v = shift_motion(w, lower(m["V"]), c)
        spin = (dot(w, x), dot(w, y), dot(w, z))
        I = node["inertia"]
        L = symmetric_times((I[0], I[1], I[2], I[3], I[4], I[5]), spin)
        kinetic += 0.5 * (node["mass"] * dot(v, v) + dot(L, spin))
        potential -= node["mass"] * dot(vector(gravity), add(vector(m["p"]), c))
    return kinetic, potential


@kernel
def advance_positions(tree, q, v, h, out):
    """Set out = q advanced by the velocities v for h seconds: sums for scalar coordinates, exact rotations for quaternions (kept at unit
    length).
    """
    for k in range(1, tree.nodes.shape[0]):
        advance_node(tree.nodes[k], q, v, h, out)


@inline
def advance_node(node, q, v, h, out):
    """Advance the position coordinates of one node by its velocities; `out` may be q itself."""
    kind, i, j = node["kind"], node["q"], node["v"]
    if kind in (REVOLUTE, PRISMATIC):
        out[i] = q[i] + h * v[j]
    elif kind == SPHERICAL:
        turn_quaternion(q, i, (v[j], v[j + 1], v[j + 2]), h, out, 1.0)
    elif kind == FREE:
        turn_quaternion(q, i + 3, frame_components(node, v[j], v[j + 1], v[j + 2]), h, out, -1.0)
        u = frame_components(node, v[j + 3], v[j + 4], v[j + 5])
        out[i], out[i + 1], out[i + 2] = q[i] + h * u[0], q[i + 1] + h * u[1], q[i + 2] + h * u[2]


@kernel
def position_rates(tree, q, v, out):
    """Set out = q', the time derivatives of the position coordinates, from the velocities v."""
    for k in range(1, tree.nodes.shape[0]):
        node = tree.nodes[k]
        kind, i, j = node["kind"], node["q"], node["v"]
        if kind in (REVOLUTE, PRISMATIC):
            out[i] = v[j]
        elif kind == SPHERICAL:
            quaternion_rate(q, i, (v[j], v[j + 1], v[j + 2]), out, 1.0)
        elif kind == FREE:
            quaternion_rate(q, i + 3, frame_components(node, v[j], v[j + 1], v[j + 2]), out, -1.0)
            out[i], out[i + 1], out[i + 2] = frame_components(node, v[j + 3], v[j + 4], v[j + 5])


@inline
def quaternion_rate(q, i, w, out, side):
    """Set the rate of the quaternion at i; w in the moving frame (side +1) or in the fixed frame (side -1)."""
    u = (q[i + 1], q[i + 2], q[i + 3])
    turned = cross(u, w)
    out[i] = -0.5 * dot(u, w)
    for n in range(3):
        out[i + 1 + n] = 0.5 * (q[i] * w[n] + side * turned[n])


@inline
def frame_components(node, x, y, z):
    """Return the world components in the joint frame F of a free node."""
    F = node["R_PF"]
    return (
        F[0, 0] * x + F[1, 0] * y + F[2, 0] * z,
        F[0, 1] * x + F[1, 1] * y + F[2, 1] * z,
        F[0, 2] * x + F[1, 2] * y + F[2, 2] * z,
    )


@inline
def turn_quaternion(q, i, w, h, out, side):
    """Rotate the quaternion at i by the rotation vector h w: multiplied right (side +1, w in the moving frame) or left (side -1, w in the
    fixed frame).
    """
    angle = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * h
    half = 0.5 * angle
    s = 0.5 * h * (math.sin(half) / half if abs(half) > 1e-8 else 1.0 - half * half / 6.0)
    a, b = (math.cos(half), (s * w[0], s * w[1], s * w[2])), (q[i], (q[i + 1], q[i + 2], q[i + 3]))
    turned = cross(b[1], a[1])
    out_w = b[0] * a[0] - dot(b[1], a[1])
    u = add(add(scale(b[0], a[1]), scale(a[0], b[1])), scale(side, turned))
    norm = 1.0 / math.sqrt(out_w * out_w + dot(u, u))
    out[i], out[i + 1], out[i + 2], out[i + 3] = norm * out_w, norm * u[0], norm * u[1], norm * u[2]
