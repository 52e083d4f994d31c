"""Accelerations of a closed mechanism from one dense system of equations, all matrices in full:

    [M  G*] [ v'     ]   [ T - h ]
    [G  0 ] [-lambda ] = [ -g    ]

M and h from body Jacobians and Newton's and Euler's laws, G from the Jacobians of the loops' points. Only positions and velocities of the
nodes and the rows' own Y and gamma are taken from the engine; these are compared with differences in `test_tree_augmented`.
"""

from __future__ import annotations

import numpy as np

from vehicles.multibody.tree.constraints import COUPLING, set_gamma, set_jacobian
from vehicles.multibody.tree.forces import apply_forces
from vehicles.multibody.tree.tree import FREE, PRISMATIC, REVOLUTE, SPHERICAL, move, set_velocities


def tilde(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def node_jacobians(tree, n_v):
    """(n_nodes, 6, n_v): [w; v] of every node's origin in terms of the joint velocities."""
    J = np.zeros((tree.nodes.size, 6, n_v))
    for k in range(1, tree.nodes.size):
        node, m = tree.nodes[k], tree.motion[k]
        i = node["v"]
        if node["kind"] == FREE:
            J[k][:, i : i + 6] = np.eye(6)
            continue
        J[k] = J[node["parent"]]
        J[k][3:] -= tilde(m["p"] - tree.motion[node["parent"]]["p"]) @ J[k][:3]
        if node["kind"] == REVOLUTE:
            J[k][:3, i] += m["h"]
        elif node["kind"] == PRISMATIC:
            J[k][3:, i] += m["h"]
        elif node["kind"] == SPHERICAL:
            J[k][:3, i : i + 3] += m["R"]
    return J


def mass_and_force(system, q, v, tau, wrenches):
    """M (n_v, n_v) and T - h (n_v,), and the node Jacobians."""
    parts = system.parts
    tree = parts.tree
    move(tree, q)
    set_velocities(tree, v)
    T = np.zeros(system.n_v)
    apply_forces(parts.forces, tree, q, v, wrenches, tau, T)
    J = node_jacobians(tree, system.n_v)
    M, f = np.zeros((system.n_v, system.n_v)), T.copy()
    for k in range(1, tree.nodes.size):
        node, m = tree.nodes[k], tree.motion[k]
        c, w = m["R"] @ node["com"], m["V"][:3]
        xx, yy, zz, xy, xz, yz = node["inertia"]
        I = m["R"] @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ m["R"].T
        to_com = np.block([[np.eye(3), np.zeros((3, 3))], [-tilde(c), np.eye(3)]])
        Jc = to_com @ J[k]
        bias = to_com @ m["bias"] + np.concatenate([np.zeros(3), np.cross(w, np.cross(w, c))])
        inertia = np.block([[I, np.zeros((3, 3))], [np.zeros((3, 3)), node["mass"] * np.eye(3)]])
        gyro = np.concatenate([np.cross(w, I @ w), -node["mass"] * parts.gravity])
        M += Jc.T @ inertia @ Jc
        f += J[k].T @ m["f"] - Jc.T @ (inertia @ bias + gyro)
    return M, f, J


def loop_rows(system, J):
    """G (rows, n_v) and g (rows,), after `mass_and_force`."""
    constraints, motion = system.parts.constraints, system.parts.tree.motion
    rows = constraints.rows
    set_jacobian(constraints, motion, 0, rows.size)
    set_gamma(constraints, motion, 0, rows.size)
    G, g = np.zeros((rows.size, J.shape[2])), constraints.gamma.copy()
    for c, row in enumerate(rows):
        if row["kind"] == COUPLING:
            for term in constraints.terms[row["first"] : row["last"]]:
                G[c, term["v"]] += term["coefficient"]
        else:
            for end, Y in ((row["i"], constraints.Y[c, :6]), (row["j"], constraints.Y[c, 6:])):
                G[c] += Y @ J[end]
                g[c] += Y @ motion[end]["bias"]
    return G, g


def accelerations(system, q, v, tau, wrenches, prescribed, known):
    """v' (n_v,), and the matrices M, T - h, G; `known` (n_v,) tells which coordinates are prescribed."""
    M, f, J = mass_and_force(system, q, v, tau, wrenches)
    G, g = loop_rows(system, J)
    free = ~known
    n, rows = int(free.sum()), len(G)
    K = np.block([[M[np.ix_(free, free)], G[:, free].T], [G[:, free], np.zeros((rows, rows))]])
    right = np.concatenate([f[free] - M[np.ix_(free, known)] @ prescribed[known], -g - G[:, known] @ prescribed[known]])
    accel = prescribed.copy()
    accel[free] = np.linalg.lstsq(K, right, rcond=1e-12)[0][:n]
    return accel, M, f, G
