"""Large aggregated bodies: nu(S), G(S), P+ and z+ of `constraint_embedding` with fewer rounding errors.

The condition of D(S) grows with the fourth power of the length of a chain. Forces carried from body to body show what D nu and D G leave
over with far less rounding than D itself has, and so nu and G are refined. For the same reason P+ and z+ are then not found as
P - G D G* and z + G epsilon, but as the forces by which S answers to six unit accelerations of its parent, and to none.
"""

from __future__ import annotations

from simulator.base.algebra.spatial import add_six, inertia_times, lower, shift_force, shift_motion, store_six, unrotated, upper
from simulator.base.algebra.vectors import add, dot, vector
from simulator.base.jit import inline, kernel
from vehicles.multibody.tree.articulated_body import cholesky_solve, joint_motion
from vehicles.multibody.tree.tree import FREE, PRISMATIC, REVOLUTE, SPHERICAL

MANY = 6
"""Aggregated bodies with more independent coordinates than this are refined. Without it, two coupled chains of 40 links are left with 1e-9."""
NO_MOTION = 6
"""Number that stands for a parent without acceleration, after the six unit accelerations [alpha; a]."""


@kernel
def refine(m, s):
    """nu and G of aggregated body s refined, and its P+ and z+ added to its parent; `m` is the Embedding, D its factors L."""
    p = m.closure.clusters[s]["parent"]
    for i in range(0 if p > 0 else NO_MOTION, NO_MOTION + 1):
        answer(m, s, i)
        correct(m, s, i)
        if p > 0:
            answer(m, s, i)
            hand_on(m, s, i)


@kernel
def answer(m, s, i):
    """Forces of S when its parent has the unit acceleration i and nothing else acts, or none and all acts (i = NO_MOTION).

    theta'' = X_S nu + X'_S theta', or -X_S G_i, goes outward as alpha(k); F(k) = P alpha + z + sum phi F comes inward and leaves T - H F in theta.
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
    """out = -H F of one node."""
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
    """Unit vector i, zero when there is none."""
    return (1.0 if i == 0 else 0.0), (1.0 if i == 1 else 0.0), (1.0 if i == 2 else 0.0)


@kernel
def correct(m, s, i):
    """nu, or -G_i, += D^-1 X_S^* (T - H F) after `answer`."""
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
    """Add what `answer` leaves at the joints on the parent to it: a column of P+, or z+."""
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
