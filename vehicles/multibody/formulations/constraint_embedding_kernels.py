"""Forward dynamics by constraint embedding [Jain 2016, section 3]: aggregated bodies restore the tree structure.

An aggregated body S has one parent p and only its independent coordinates theta(S). Its bodies k have

    V(k)     = phi*(p, k) V(p) + J(k) theta'(S),           J = the rows of (X_S^* H_S phi_S)^*
    alpha(k) = phi*(p, k) alpha(p) + J(k) theta''(S) + a_S(k)

with a_S(k) of eq (11): Coriolis accelerations and H* X'_S theta', propagated outward inside S. When S is reached, the children of a body
of S have been added to its P(k) and z(k). So P(S) is block diagonal and eqs (4) and (6) read

    D(S) = sum J* P J,    epsilon(S) = X_S^* T - sum J* z,    P+ = sum phi P phi* - G D G*,    G = (sum phi P J) D^-1

Ordinary bodies use the step of `articulated_body`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.spatial import (
    add_rank_one,
    add_shifted,
    add_six,
    inertia_times,
    lower,
    rotated,
    shift_force,
    shift_motion,
    store_six,
    upper,
)
from simulator.base.algebra.vectors import add, dot, scale, sub, vector
from simulator.base.jit import inline, kernel
from vehicles.multibody.formulations.refinement import MIN_COORDINATES, refine
from vehicles.multibody.loops.closure import WITHOUT_INERTIA, Closure, close_tree, fail
from vehicles.multibody.tree.articulated_body import (
    add_coriolis_force,
    cholesky,
    gather_node,
    joint_motion,
    pass_inward,
    scatter_node,
)
from vehicles.multibody.tree.forces import apply_forces
from vehicles.multibody.tree.system import Parts
from vehicles.multibody.tree.tree import FREE, PRISMATIC, REVOLUTE, SPHERICAL, start_inertias


class Embedding(NamedTuple):
    """A mechanism for constraint embedding, and the scratch of the recursion over its aggregated bodies (max: largest n_ind).

    J (n_nodes, max, 6), a_S (n_nodes, 6) : motion of each node of an aggregated body relative to the parent of the body
    PJ (max, 6), epsilon (max,) : sum of phi P J and epsilon(S) of the present body
    D (n_clusters, max, max), G (n_clusters, max, 6), nu (n_v,) : factors L of D(S) = L L*, G(S) and nu(S)
    F (n_nodes, 6), theta (n_v,) : accelerations and forces of the nodes and joints of S, see `refinement`
    """

    parts: Parts
    closure: Closure
    J: NDArray[np.float64]
    a_S: NDArray[np.float64]
    PJ: NDArray[np.float64]
    epsilon: NDArray[np.float64]
    D: NDArray[np.float64]
    G: NDArray[np.float64]
    nu: NDArray[np.float64]
    F: NDArray[np.float64]
    theta: NDArray[np.float64]


@kernel
def evaluate(m, q, v, accel, tolerance):
    """Compute all accelerations by constraint embedding, without memory allocation.

    Parameters
    ----------
    m : Embedding
    q, v : (n_q,), (n_v,) state; dependent coordinates are solved for, with the given values as initial values
    accel : (n_v,) overwritten; those of prescribed coordinates are read
    tolerance : maximum residual of a closed loop [m, rad]

    Returns False after a failure, with the reason in `m.closure.status`.
    """
    parts, closure = m.parts, m.closure
    tree = parts.tree
    if not close_tree(tree, parts.constraints, closure, q, v, accel, tolerance):
        return False
    apply_forces(parts.forces, tree, q, v, parts.wrenches, parts.tau, parts.T)
    start_inertias(tree, parts.gravity)
    for s in range(closure.clusters.shape[0] - 1, -1, -1):
        cluster = closure.clusters[s]
        k = cluster["first"]
        if cluster["row0"] < cluster["row1"]:
            good = gather_aggregated(m, s)
        else:
            add_coriolis_force(tree.motion[k])
            good = gather_node(tree, parts.joints, k, parts.T, accel)
            pass_inward(tree, k)
        if not good:
            return fail(closure, WITHOUT_INERTIA, s, -1, 0.0)
    for s in range(closure.clusters.shape[0]):
        cluster = closure.clusters[s]
        if cluster["row0"] < cluster["row1"]:
            scatter_aggregated(m, s, accel)
        else:
            scatter_node(tree, parts.joints, cluster["first"], accel)
    return True


@kernel
def gather_aggregated(m, s):
    """Run the tip-to-base step of one aggregated body, eqs (4) and (6) with the quantities of eqs (9)-(11).

    Return False if D(S) is not positive.
    """
    tree, closure = m.parts.tree, m.closure
    cluster = closure.clusters[s]
    first, last, v0, n, p = cluster["first"], cluster["last"], cluster["v0"], cluster["n_ind"], cluster["parent"]
    for c in range(n):
        m.epsilon[c] = 0.0
        for i in range(v0, v0 + cluster["n_v"]):
            m.epsilon[c] += closure.X[i, c] * m.parts.T[i]
        for i in range(6):
            m.PJ[c, i] = 0.0
        for d in range(c + 1):
            m.D[s, c, d] = 0.0
    many = n > MIN_COORDINATES
    for k in range(first, last):
        map_node(m, k, first, n)
        gather_member(m, s, k, p, n, p > 0 and not many)
    good = eliminate(m, s, tree.motion[p], n, v0, p > 0 and not many)
    if many:
        refine(m, s)
    return good


@inline
def map_node(m, k, first, n):
    """Compute J(k) and a_S(k) from the parent node in the aggregated body."""
    tree, X, X_rate = m.parts.tree, m.closure.X, m.closure.X_rate
    node, motion = tree.nodes[k], tree.motion[k]
    p, kind, i = node["parent"], node["kind"], node["v"]
    r = vector(motion["r"])
    w, u = joint_motion(node, motion, X_rate)
    w, u = add(w, upper(motion["a"])), add(u, lower(motion["a"]))
    if p >= first:
        a = upper(m.a_S[p])
        w, u = add(w, a), add(u, shift_motion(a, lower(m.a_S[p]), r))
    store_six(m.a_S[k], w, u)
    for c in range(n):
        w, u = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if p >= first:
            w = upper(m.J[p, c])
            u = shift_motion(w, lower(m.J[p, c]), r)
        if kind == REVOLUTE:
            w = add(w, scale(X[i, c], vector(motion["h"])))
        elif kind == PRISMATIC:
            u = add(u, scale(X[i, c], vector(motion["h"])))
        elif kind == SPHERICAL:
            w = add(w, rotated(motion["R"], (X[i, c], X[i + 1, c], X[i + 2, c])))
        elif kind == FREE:
            w = add(w, (X[i, c], X[i + 1, c], X[i + 2, c]))
            u = add(u, (X[i + 3, c], X[i + 4, c], X[i + 5, c]))
        store_six(m.J[k, c], w, u)


@inline
def gather_member(m, s, k, p, n, hands_on):
    """Add body k of an aggregated body to D(S), epsilon(S) and sum phi P J; with `hands_on`, add its P and z to those of the parent p."""
    tree = m.parts.tree
    motion, parent = tree.motion[k], tree.motion[p]
    A, B, C, z = motion["A"], motion["B"], motion["C"], motion["z"]
    r = sub(vector(motion["p"]), vector(parent["p"]))
    nz, fz = inertia_times(A, B, C, upper(m.a_S[k]), lower(m.a_S[k]))
    nz, fz = add(nz, upper(z)), add(fz, lower(z))
    for c in range(n):
        w, u = upper(m.J[k, c]), lower(m.J[k, c])
        nJ, fJ = inertia_times(A, B, C, w, u)
        m.epsilon[c] -= dot(w, nz) + dot(u, fz)
        for d in range(c + 1):
            m.D[s, c, d] += dot(upper(m.J[k, d]), nJ) + dot(lower(m.J[k, d]), fJ)
        add_six(m.PJ[c], shift_force(nJ, fJ, r), fJ)
    if hands_on:
        add_shifted(parent["A"], parent["B"], parent["C"], A, B, C, r)
        add_six(parent["z"], shift_force(nz, fz, r), fz)


@inline
def eliminate(m, s, parent, n, v0, hands_on):
    """Compute G(S), nu(S) from D(S) = L L*; with `hands_on`, the Riccati step P+ = P - G D G*, z+ = z + G epsilon on the parent."""
    L, PJ, y = m.D[s], m.PJ, m.epsilon
    good = cholesky(L, n)
    for c in range(n):
        for d in range(c):
            y[c] -= L[c, d] * y[d]
            for i in range(6):
                PJ[c, i] -= L[c, d] * PJ[d, i]
        inverse = 1.0 / L[c, c]
        y[c] *= inverse
        for i in range(6):
            PJ[c, i] *= inverse
        if hands_on:
            add_rank_one(parent["A"], parent["B"], parent["C"], -1.0, upper(PJ[c]), lower(PJ[c]))
            add_six(parent["z"], scale(y[c], upper(PJ[c])), scale(y[c], lower(PJ[c])))
    for c in range(n - 1, -1, -1):
        for d in range(c + 1, n):
            y[c] -= L[d, c] * y[d]
            for i in range(6):
                PJ[c, i] -= L[d, c] * PJ[d, i]
        inverse = 1.0 / L[c, c]
        y[c] *= inverse
        m.nu[v0 + c] = y[c]
        for i in range(6):
            PJ[c, i] *= inverse
            m.G[s, c, i] = PJ[c, i]
    return good


@kernel
def scatter_aggregated(m, s, accel):
    """Run the base-to-tip step of one aggregated body, eq (7): theta''(S), then theta''_S = X_S theta''(S) + X'_S theta', then its nodes."""
    tree, closure = m.parts.tree, m.closure
    cluster = closure.clusters[s]
    v0, n = cluster["v0"], cluster["n_ind"]
    alpha = tree.motion[cluster["parent"]]["alpha"]
    for i in range(v0, v0 + cluster["n_v"]):
        accel[i] = closure.X_rate[i]
    for c in range(n):
        theta = m.nu[v0 + c]
        for i in range(6):
            theta -= m.G[s, c, i] * alpha[i]
        for i in range(v0, v0 + cluster["n_v"]):
            accel[i] += closure.X[i, c] * theta
    for k in range(cluster["first"], cluster["last"]):
        node, motion = tree.nodes[k], tree.motion[k]
        parent = tree.motion[node["parent"]]
        w, u = joint_motion(node, motion, accel)
        if node["kind"] != FREE:
            w_P = upper(parent["alpha"])
            w, u = add(w, w_P), add(u, shift_motion(w_P, lower(parent["alpha"]), vector(motion["r"])))
        store_six(motion["alpha"], add(w, upper(motion["a"])), add(u, lower(motion["a"])))
