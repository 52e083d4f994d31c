"""Large aggregated bodies: nu(S), G(S), P+ and z+ of `constraint_embedding_kernels` with smaller rounding errors.

The condition number of D(S) grows with the fourth power of the length of a chain. Forces propagated from body to body give the residuals
of D nu and D G with far smaller rounding errors than D itself, and these residuals refine nu and G. For the same reason P+ and z+ are not
computed as P - G D G* and z + G epsilon, but as the reaction forces of S to six unit accelerations of its parent, and to none.
"""

from __future__ import annotations

from simulator.base.algebra.spatial import add_six, inertia_times, lower, shift_force, shift_motion, store_six, unrotated, upper
from simulator.base.algebra.vectors import add, dot, vector
from simulator.base.jit import inline, kernel
from vehicles.multibody.tree.articulated_body import cholesky_solve, joint_motion
from vehicles.multibody.tree.tree import FREE, PRISMATIC, REVOLUTE, SPHERICAL

MIN_COORDINATES = 6
"""Aggregated bodies with more independent coordinates than this are refined.

Without refinement two coupled chains of 40 links have an error of 1e-9.
"""
NO_MOTION = 6
"""Index for a parent without acceleration, after the six unit accelerations [alpha; a]."""


@kernel
def refine(m, s):
    """Refine nu and G of aggregated body s, and add its P+ and z+ to its parent; `m` is the Embedding, D its factors L."""
    p = m.closure.clusters[s]["parent"]
    for i in range(0 if p > 0 else NO_MOTION, NO_MOTION + 1):
        reaction(m, s, i)
        correct(m, s, i)
        if p > 0:
            reaction(m, s, i)
            hand_on(m, s, i)


@kernel
def reaction(m, s, i):
    """Compute the forces of S for a unit acceleration i of its parent without other loads, or for all loads without it (i = NO_MOTION).

    theta'' = X_S nu + X'_S theta', or -X_S G_i, propagates outward as alpha(k); F(k) = P alpha + z + sum phi F propagates inward and
    leaves T - H F in theta.
    """
    tree, closure = m.parts.tree, m.closure
    cluster = closure.clusters[s]
    first, last, v0, n = cluster["first"], cluster["last"], cluster["v0"], cluster["n_ind"]
    still = i == NO_MOTION
    for j in range(v0, v0 + cluster["n_v"]):
        m.theta[j] = closure.X_rate[j] if still else 0.0
        for c in range(n):
            m.theta[j] += closure.X[j, c] * (m.nu[v0 + c] if still else -m.G[s, c, i])
    for k in range(first, last):
        node, motion = tree.nodes[k], tree.motion[k]
        w, u = joint_motion(node, motion, m.theta)
        if node["kind"] != FREE:
            inside = node["parent"] >= first
            w_P, u_P = (upper(m.F[node["parent"]]), lower(m.F[node["parent"]])) if inside else (unit(i), unit(i - 3))
            w, u = add(w, w_P), add(u, shift_motion(w_P, u_P, vector(motion["r"])))
        if still:
            w, u = add(w, upper(motion["a"])), add(u, lower(motion["a"]))
        store_six(m.F[k], w, u)
    for k in range(first, last):
        motion = tree.motion[k]
        nF, fF = inertia_times(motion["A"], motion["B"], motion["C"], upper(m.F[k]), lower(m.F[k]))
        store_six(m.F[k], nF, fF)
        if still:
            add_six(m.F[k], upper(motion["z"]), lower(motion["z"]))
    for k in range(last - 1, first - 1, -1):
        node, motion = tree.nodes[k], tree.motion[k]
        nF, fF = upper(m.F[k]), lower(m.F[k])
        take_joint_force(node, motion, nF, fF, m.theta)
        if node["parent"] >= first:
            add_six(m.F[node["parent"]], shift_force(nF, fF, vector(motion["r"])), fF)
    if still:
        for j in range(v0, v0 + cluster["n_v"]):
            m.theta[j] += m.parts.T[j]


@inline
def take_joint_force(node, motion, nF, fF, out):
    """Compute out = -H F of one node."""
    kind, i = node["kind"], node["v"]
    if kind == REVOLUTE:
        out[i] = -dot(vector(motion["h"]), nF)
    elif kind == PRISMATIC:
        out[i] = -dot(vector(motion["h"]), fF)
    elif kind == SPHERICAL:
        u = unrotated(motion["R"], nF)
        for j in range(3):
            out[i + j] = -u[j]
    elif kind == FREE:
        for j in range(3):
            out[i + j] = -nF[j]
            out[i + 3 + j] = -fF[j]


@inline
def unit(i):
    """Return unit vector i, zero for other indices."""
    return (1.0 if i == 0 else 0.0), (1.0 if i == 1 else 0.0), (1.0 if i == 2 else 0.0)


@kernel
def correct(m, s, i):
    """Correct nu, or -G_i, by D^-1 X_S^* (T - H F) after `reaction`."""
    closure = m.closure
    cluster = closure.clusters[s]
    v0, n = cluster["v0"], cluster["n_ind"]
    for c in range(n):
        m.epsilon[c] = 0.0
        for j in range(v0, v0 + cluster["n_v"]):
            m.epsilon[c] += closure.X[j, c] * m.theta[j]
    cholesky_solve(m.D[s], n, m.epsilon)
    for c in range(n):
        if i == NO_MOTION:
            m.nu[v0 + c] += m.epsilon[c]
        else:
            m.G[s, c, i] -= m.epsilon[c]


@kernel
def hand_on(m, s, i):
    """Add the result of `reaction` at the joints on the parent to the parent: a column of P+, or z+."""
    tree, cluster = m.parts.tree, m.closure.clusters[s]
    p = cluster["parent"]
    parent = tree.motion[p]
    for k in range(cluster["first"], cluster["last"]):
        if tree.nodes[k]["parent"] == p:
            f = lower(m.F[k])
            n = shift_force(upper(m.F[k]), f, vector(tree.motion[k]["r"]))
            if i == NO_MOTION:
                add_six(parent["z"], n, f)
            elif i < 3:
                add_column(parent["A"], i, n)
                for j in range(3):
                    parent["B"][i, j] += f[j]
            else:
                add_column(parent["C"], i - 3, f)


@inline
def add_column(S, i, x):
    """Add column i of a symmetric block (xx, yy, zz, xy, xz, yz), the entries on and below its diagonal."""
    if i == 0:
        S[0] += x[0]
        S[3] += x[1]
        S[4] += x[2]
    elif i == 1:
        S[1] += x[1]
        S[5] += x[2]
    else:
        S[2] += x[2]
