"""Constraint Jacobian in joint coordinates: Gc with Gc v = U [Cameron 2013, eq 2], for computations outside the time step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.spatial import shift_force, unrotated
from simulator.base.algebra.vectors import dot, sub, vector
from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from vehicles.multibody.loops.loop_forces import set_accelerations
from vehicles.multibody.tree.constraints import COUPLING, set_gamma, set_jacobian, set_rates, set_residuals
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import FREE, PRISMATIC, REVOLUTE, SPHERICAL, VELOCITIES, move, set_velocities


@kernel
def set_joint_jacobian(tree, constraints, G):
    """Compute G (rows, n_v) = Gc, after `constraints.set_jacobian`."""
    for c in range(G.shape[0]):
        for i in range(G.shape[1]):
            G[c, i] = 0.0
        row = constraints.rows[c]
        if row["kind"] == COUPLING:
            for t in range(row["first"], row["last"]):
                G[c, constraints.terms[t]["v"]] += constraints.terms[t]["coefficient"]
        else:
            add_end(tree, row["i"], constraints.Y, c, 0, G)
            add_end(tree, row["j"], constraints.Y, c, 6, G)


@inline
def add_end(tree, end, Y, c, at, G):
    """Add the contribution of one end of row c: its force, projected on each joint between the end and the world."""
    n_end, f = (Y[c, at], Y[c, at + 1], Y[c, at + 2]), (Y[c, at + 3], Y[c, at + 4], Y[c, at + 5])
    k = end
    while k != 0:
        node, m = tree.nodes[k], tree.motion[k]
        kind, i = node["kind"], node["v"]
        n = shift_force(n_end, f, sub(vector(tree.motion[end]["p"]), vector(m["p"])))
        if kind == REVOLUTE:
            G[c, i] += dot(vector(m["h"]), n)
        elif kind == PRISMATIC:
            G[c, i] += dot(vector(m["h"]), f)
        elif kind == SPHERICAL:
            u = unrotated(m["R"], n)
            for r in range(3):
                G[c, i + r] += u[r]
        elif kind == FREE:
            for r in range(3):
                G[c, i + r] += n[r]
                G[c, i + 3 + r] += f[r]
        k = node["parent"]


def joint_jacobian(system: System, q: Vector) -> Vector:
    """Return Gc (rows, n_v) at the positions q (n_q,)."""
    tree, constraints = system.parts.tree, system.parts.constraints
    G = np.zeros((constraints.rows.size, system.n_v))
    move(tree, np.asarray(q, float))
    set_jacobian(constraints, tree.motion, 0, len(G))
    set_joint_jacobian(tree, constraints, G)
    return G


def position_residuals(system: System, q: Vector) -> Vector:
    """Return the residual (rows,) of each row at q [m, rad]."""
    tree, constraints = system.parts.tree, system.parts.constraints
    move(tree, np.asarray(q, float))
    set_residuals(constraints, tree.motion, np.asarray(q, float), 0, constraints.rows.size)
    return constraints.residual.copy()


def velocity_residuals(system: System, q: Vector, v: Vector) -> Vector:
    """Return the rate (rows,) of each row [m/s, rad/s]."""
    tree, constraints = system.parts.tree, system.parts.constraints
    rate = np.zeros(constraints.rows.size)
    move(tree, np.asarray(q, float))
    set_velocities(tree, np.asarray(v, float))
    set_jacobian(constraints, tree.motion, 0, rate.size)
    set_rates(constraints, tree.motion, np.asarray(v, float), rate)
    return rate


def velocity_products(system: System, q: Vector, v: Vector) -> tuple[Vector, Vector]:
    """Return Gc' v (rows,): second derivative of each row at zero joint accelerations, with the driven points at rest; and the sum of the
    absolute values of its terms.
    """
    tree, constraints = system.parts.tree, system.parts.constraints
    rows, still = constraints.rows.size, constraints.driven.copy()
    still["velocity"], still["acceleration"] = 0.0, 0.0
    resting = constraints._replace(driven=still)
    residual, magnitude = np.zeros(rows), np.zeros(rows)
    move(tree, np.asarray(q, float))
    set_velocities(tree, np.asarray(v, float))
    set_jacobian(resting, tree.motion, 0, rows)
    set_gamma(resting, tree.motion, 0, rows)
    tree.motion["alpha"] = tree.motion["bias"]
    set_accelerations(resting, tree.motion, np.zeros(system.n_v), residual, magnitude)
    return residual, magnitude


def free_coordinates(system: System, hold: tuple[str, ...] = ()) -> NDArray[np.bool_]:
    """Return (n_v,) True where a coordinate is neither prescribed nor of a joint in `hold`."""
    free = np.ones(system.n_v, bool)
    for node in system.parts.tree.nodes:
        if node["prescribed"]:
            free[node["v"] : node["v"] + VELOCITIES[node["kind"]]] = False
    for name in hold:
        free[system.joint_v[name]] = False
    return free


def loops_of(system: System, weights: Vector, threshold: float) -> tuple[str, ...]:
    """Return the names of the loops and couplings whose rows have a weight (rows,) above `least`, the largest first."""
    heaviest: dict[int, float] = {}
    for row, weight in zip(system.parts.constraints.rows, np.abs(weights), strict=True):
        if weight > threshold:
            heaviest[int(row["loop"])] = max(weight, heaviest.get(int(row["loop"]), 0.0))
    return tuple(system.loop_names[number] for number in sorted(heaviest, key=lambda n: (-heaviest[n], n)))
