"""Unit forces of the loops, propagated inward through a tree: the columns of [I - H psi K] Gc* (Jain 2016, eq 3; Cameron 2013, eq 6).

A unit multiplier of row c is the force Y_i* on node i and Y_j* on node j, or the force `coefficient` on the joints of a coupling. With
F(k) the part of this force that reaches node k, in the names of `articulated_body`:

    epsilon(k) = T + H F(k)                 force on the joint coordinate
    W(k)       = L^-1 epsilon,  D = L L*    so that Gc M^-1 Gc* = sum over the joints of W* W
    F(p)      += phi (F - G epsilon)        part that reaches the parent

All rows are propagated together: at each node the inner loop runs over the consecutive rows whose force can pass the node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.base.algebra.symmetric_elimination import add_scaled_row
from simulator.base.algebra.vectors import vector
from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from vehicles.multibody.description.topology import ancestors
from vehicles.multibody.tree.constraints import COUPLING, DOT
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import FIXED, FREE, PRISMATIC, REVOLUTE, SPHERICAL

SPANS = (
    # name   shape  unit  description
    ("first", (), "1", "first row whose force can pass the node", "i8"),
    ("last", (), "1", "one past the last such row", "i8"),
    ("base", (), "1", "index of the acceleration of a base body in the unknowns, -1 for other nodes", "i8"),
)
"""Data of the loop forces for a node."""


class LoopForces(NamedTuple):
    """Workspaces, with the rows as last index.

    F (nodes, 6, rows) unit forces [N; F] at the origins of the nodes; moment (nodes, rows) the sum of lever arms times forces whose
    difference are the couples, for their rounding error; arms (rows, 2) the lever arms at both ends; W (n_v, rows) see the module; reach
    (rows,) value of each diagonal entry of the compliance without cancellation; y (6,) scratch.
    """

    spans: Record
    F: Vector
    moment: Vector
    arms: Vector
    W: Vector
    reach: Vector
    y: Vector


def allocate_loop_forces(system: System, bases: tuple[int, ...] = ()) -> LoopForces:
    """Return workspaces of a system, with the rows that pass each node; `bases` are the free nodes that are not eliminated."""
    nodes, constraints = system.parts.tree.nodes, system.parts.constraints
    parent = nodes["parent"].tolist()
    rows = constraints.rows.size
    spans = record(SPANS, nodes.size)
    spans["first"] = rows
    for c, row in enumerate(constraints.rows):
        ends = {int(row["i"]), int(row["j"])}
        if row["kind"] == COUPLING:
            ends = set(constraints.terms["node"][row["first"] : row["last"]].tolist())
        for k in {k for end in ends for k in ancestors(parent, end)} - {0}:
            spans[k]["first"], spans[k]["last"] = min(spans[k]["first"], c), c + 1
    spans["first"] = np.minimum(spans["first"], spans["last"])
    spans["base"] = -1
    for number, k in enumerate(bases):
        spans[k]["base"] = 6 * number
    arms = np.linalg.norm(np.stack([constraints.rows["p_i"], constraints.rows["p_j"]], axis=1), axis=2)
    arms[constraints.rows["kind"] == DOT] = 1.0
    no = np.zeros
    return LoopForces(spans, no((nodes.size, 6, rows)), no((nodes.size, rows)), arms, no((system.n_v, rows)), no(rows), no(6))


@kernel
def start_forces(m, tree, constraints):
    """Initialize F and W: the ends of the loops and the joints of the couplings, after `constraints.set_jacobian`."""
    for k in range(1, tree.nodes.shape[0]):
        for c in range(m.spans[k]["first"], m.spans[k]["last"]):
            m.moment[k, c] = 0.0
            for i in range(6):
                m.F[k, i, c] = 0.0
    for i in range(m.W.shape[0]):
        for c in range(m.W.shape[1]):
            m.W[i, c] = 0.0
    for c in range(constraints.rows.shape[0]):
        row = constraints.rows[c]
        m.reach[c] = 0.0
        if row["kind"] != COUPLING:
            add_end(m, row["i"], constraints.Y, c, 0)
            add_end(m, row["j"], constraints.Y, c, 1)
        for t in range(row["first"], row["last"]):
            term = constraints.terms[t]
            if not tree.nodes[term["node"]]["prescribed"]:
                m.W[term["v"], c] += term["coefficient"]


@inline
def add_end(m, k, Y, c, end):
    """Add the force of row c to the node k at one end of the loop; not for the world."""
    if k != 0:
        m.moment[k, c] += m.arms[c, end]
        for i in range(6):
            m.F[k, i, c] += Y[c, 6 * end + i]


@kernel
def gather_forces(m, tree, joints):
    """Compute W of all joints, from the tips to the base, after `articulated_body.gather`."""
    for k in range(tree.nodes.shape[0] - 1, 0, -1):
        pass_joint(m, tree, joints, k)
        pass_on(m, tree, k)


@inline
def pass_joint(m, tree, joints, k):
    """Compute W(k), and replace F(k) by F - G epsilon."""
    node, span = tree.nodes[k], m.spans[k]
    kind, i, first, last = node["kind"], node["v"], span["first"], span["last"]
    if kind == FIXED or node["prescribed"] or first == last or span["base"] >= 0:
        return
    if kind == REVOLUTE:
        pass_axis(m, k, i, 0, vector(tree.motion[k]["h"]), joints[k], first, last)
    elif kind == PRISMATIC:
        pass_axis(m, k, i, 3, vector(tree.motion[k]["h"]), joints[k], first, last)
    elif kind == SPHERICAL:
        pass_ball(m, k, i, joints[k], first, last)
    else:
        pass_free(m, k, i, joints[k], first, last)


@inline
def pass_axis(m, k, i, half, h, joint, first, last):
    """Project on a joint with the axis h: H selects the angular (half = 0) or the linear part (half = 3) of F."""
    F, W, G = m.F, m.W, joint["G"]
    g0, g1, g2, g3, g4, g5 = G[0], G[1], G[2], G[3], G[4], G[5]
    inverse = 1.0 / joint["D"]
    root = inverse**0.5
    for c in range(first, last):
        x, y, z = F[k, half, c], F[k, half + 1, c], F[k, half + 2, c]
        T, most = W[i, c], m.moment[k, c] if half == 0 else abs(x) + abs(y) + abs(z)
        epsilon = T + h[0] * x + h[1] * y + h[2] * z
        m.reach[c] += (T * T + most * most) * inverse
        W[i, c] = root * epsilon
        F[k, 0, c] -= g0 * epsilon
        F[k, 1, c] -= g1 * epsilon
        F[k, 2, c] -= g2 * epsilon
        F[k, 3, c] -= g3 * epsilon
        F[k, 4, c] -= g4 * epsilon
        F[k, 5, c] -= g5 * epsilon


@inline
def pass_ball(m, k, i, joint, first, last):
    """Project on a spherical joint: H selects the couple, none of it reaches the parent."""
    F, W, L, K = m.F, m.W, joint["L"], joint["K"]
    yielding = 1.0 / (L[0, 0] * L[0, 0]) + 1.0 / (L[1, 1] * L[1, 1]) + 1.0 / (L[2, 2] * L[2, 2])
    for c in range(first, last):
        x, y, z = F[k, 0, c], F[k, 1, c], F[k, 2, c]
        u, v, w = F[k, 3, c], F[k, 4, c], F[k, 5, c]
        a = x / L[0, 0]
        b = (y - L[1, 0] * a) / L[1, 1]
        d = (z - L[2, 0] * a - L[2, 1] * b) / L[2, 2]
        W[i, c], W[i + 1, c], W[i + 2, c] = a, b, d
        m.reach[c] += m.moment[k, c] * m.moment[k, c] * yielding
        F[k, 0, c], F[k, 1, c], F[k, 2, c] = 0.0, 0.0, 0.0
        F[k, 3, c] = u - K[0, 0] * x - K[0, 1] * y - K[0, 2] * z
        F[k, 4, c] = v - K[1, 0] * x - K[1, 1] * y - K[1, 2] * z
        F[k, 5, c] = w - K[2, 0] * x - K[2, 1] * y - K[2, 2] * z


@inline
def pass_free(m, k, i, joint, first, last):
    """Project on a free body, which takes the complete force: W = L^-1 F."""
    F, W, L = m.F, m.W, joint["L"]
    yielding = 1.0 / (L[0, 0] * L[0, 0]) + 1.0 / (L[1, 1] * L[1, 1]) + 1.0 / (L[2, 2] * L[2, 2])
    for c in range(first, last):
        m.reach[c] += m.moment[k, c] * m.moment[k, c] * yielding
    for r in range(6):
        for c in range(first, last):
            W[i + r, c] = F[k, r, c]
        for s in range(r):
            l = L[r, s]
            for c in range(first, last):
                W[i + r, c] -= l * W[i + s, c]
        inverse = 1.0 / L[r, r]
        for c in range(first, last):
            W[i + r, c] *= inverse
            m.reach[c] += W[i + r, c] * W[i + r, c]


@inline
def pass_on(m, tree, k):
    """Add F(p) += phi F(k)."""
    F, p = m.F, tree.nodes[k]["parent"]
    if p == 0:
        return
    r = vector(tree.motion[k]["r"])
    arm = abs(r[0]) + abs(r[1]) + abs(r[2])
    for c in range(m.spans[k]["first"], m.spans[k]["last"]):
        x, y, z = F[k, 3, c], F[k, 4, c], F[k, 5, c]
        m.moment[p, c] += m.moment[k, c] + arm * (abs(x) + abs(y) + abs(z))
        F[p, 0, c] += F[k, 0, c] + r[1] * z - r[2] * y
        F[p, 1, c] += F[k, 1, c] + r[2] * x - r[0] * z
        F[p, 2, c] += F[k, 2, c] + r[0] * y - r[1] * x
        F[p, 3, c] += x
        F[p, 4, c] += y
        F[p, 5, c] += z


@inline
def add_compliance(m, tree, k, A):
    """Add the contribution of the joint of node k to the accelerations of the rows under unit multipliers: A -= W* W, upper triangle."""
    node, span = tree.nodes[k], m.spans[k]
    if node["prescribed"] or span["base"] >= 0:
        return
    at, last = A.shape[0] - m.reach.shape[0], span["last"]
    for a in range(span["first"], last):
        for i in range(node["v"], node["v"] + degrees(node["kind"])):
            w = m.W[i, a]
            if w != 0.0:
                add_scaled_row(A[at + a, at + a : at + last], -w, m.W[i, a:last])


@inline
def degrees(kind):
    """Return the number of velocity coordinates of a kind of node."""
    return 6 if kind == FREE else 3 if kind == SPHERICAL else 0 if kind == FIXED else 1


@kernel
def add_multipliers(m, tree, joints, x):
    """Add the effect of the unknowns x = [accelerations of the base bodies; -lambda] to nu, the input of `articulated_body.scatter`.

    nu += D^-1 [I - H psi K] Gc* lambda at the eliminated joints, nu += acceleration at the base bodies.
    """
    for k in range(1, tree.nodes.shape[0]):
        node, joint, span = tree.nodes[k], joints[k], m.spans[k]
        kind, i, base = node["kind"], node["v"], span["base"]
        if base >= 0:
            for r in range(6):
                joint["nus"][r] += x[base + r]
        elif kind == FIXED or node["prescribed"] or span["first"] == span["last"]:
            continue
        elif kind in (REVOLUTE, PRISMATIC):
            joint["nu"] -= row_product(m, i, span, x) / joint["D"] ** 0.5
        else:
            L, y, n = joint["L"], m.y, degrees(kind)
            for r in range(n - 1, -1, -1):  # L* y = W lambda, from the last row upward
                y[r] = -row_product(m, i + r, span, x)
                for s in range(r + 1, n):
                    y[r] -= L[s, r] * y[s]
                y[r] /= L[r, r]
                joint["nus"][r] += y[r]


@inline
def row_product(m, i, span, x):
    """Return W_i (-lambda) for one coordinate i."""
    total, at = 0.0, x.shape[0] - m.reach.shape[0]
    for c in range(span["first"], span["last"]):
        total += m.W[i, c] * x[at + c]
    return total


@kernel
def set_accelerations(constraints, motion, accel, residual, size):
    """Compute residual (rows,) = phi'' of each row from the accelerations alpha of the nodes and `accel` of the joints.

    Call after `constraints.set_jacobian` and `set_gamma`; size (rows,) is the sum of the absolute values of its terms.
    """
    Y = constraints.Y
    for c in range(constraints.rows.shape[0]):
        row = constraints.rows[c]
        total = constraints.gamma[c]
        absolute = abs(total)
        if row["kind"] == COUPLING:
            for t in range(row["first"], row["last"]):
                part = constraints.terms[t]["coefficient"] * accel[constraints.terms[t]["v"]]
                total += part
                absolute += abs(part)
        else:
            s_i, s_j = motion[row["i"]]["alpha"], motion[row["j"]]["alpha"]
            for i in range(6):
                a, b = Y[c, i] * s_i[i], Y[c, 6 + i] * s_j[i]
                total += a + b
                absolute += abs(a) + abs(b)
        residual[c], size[c] = total, absolute
