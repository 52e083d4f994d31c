"""Projection on the nearest closed state in the norm of the mass matrix: Newton steps delta = - M^-1 Gc* S^-1 phi.

Among all corrections that close the loops these have the minimum kinetic energy, as if the loops closed instantly (for velocities: as in
an impact). S = Gc M^-1 Gc* and M^-1 Gc* are computed as in `tree_augmented`.
"""

from __future__ import annotations

import math

from simulator.base.algebra.symmetric_elimination import factor, solve
from simulator.base.jit import inline, kernel
from vehicles.multibody.formulations.tree_augmented import set_schur_complement
from vehicles.multibody.loops.loop_forces import add_multipliers, gather_forces, start_forces
from vehicles.multibody.tree.articulated_body import gather, scatter
from vehicles.multibody.tree.constraints import set_jacobian, set_rates, set_residuals
from vehicles.multibody.tree.tree import advance_positions, move, set_velocities, start_inertias

ROUNDING = 1e6
"""Residuals up to this multiple of the tolerance may be rounding errors."""


@kernel
def project_positions(m, q, delta, tolerance, steps):
    """Project q (n_q,) on the loop closures, in place; prescribed coordinates are fixed.

    Parameters
    ----------
    m : CutJoints of the tree-augmented form
    delta : (n_v,) scratch
    tolerance : maximum residual of a closed loop [m, rad]
    steps : maximum Newton steps

    Returns
    -------
    Largest remaining residual; `m.parts.constraints.residual` contains the residuals of the rows.
    """
    parts = m.parts
    tree, constraints = parts.tree, parts.constraints
    rows, before = constraints.rows.shape[0], math.inf
    for step in range(steps + 1):
        move(tree, q)
        set_residuals(constraints, tree.motion, q, 0, rows)
        worst = largest(constraints.residual)
        if worst <= tolerance or step == steps or is_rounding(worst, before, tolerance):
            return worst
        before = worst
        factor_loops(m, delta)
        respond(m, constraints.residual, delta)
        advance_positions(tree, q, delta, 1.0, q)
    return 0.0


@kernel
def project_velocities(m, q, v, delta, tolerance, steps):
    """Project v (n_v,) on velocities that keep the loops closed at q, in place; as `project_positions`, with row residuals in `m.residual`."""
    tree, constraints = m.parts.tree, m.parts.constraints
    before = math.inf
    move(tree, q)
    factor_loops(m, delta)
    for step in range(steps + 1):
        set_velocities(tree, v)
        set_rates(constraints, tree.motion, v, m.residual)
        worst = largest(m.residual)
        if worst <= tolerance or step == steps or is_rounding(worst, before, tolerance):
            return worst
        before = worst
        respond(m, m.residual, delta)
        for i in range(v.shape[0]):
            v[i] += delta[i]
    return 0.0


@inline
def is_rounding(worst, before, tolerance):
    """Return whether a small residual stopped decreasing: far from the world origin, or at high speed, rounding exceeds the tolerance."""
    return worst <= ROUNDING * tolerance and worst > 0.5 * before


@inline
def largest(residual):
    """Return the largest absolute value; NaN if a value is NaN."""
    worst = 0.0
    for c in range(residual.shape[0]):
        if not abs(residual[c]) <= worst:
            worst = abs(residual[c])
    return worst


@inline
def factor_loops(m, delta):
    """Factor S at the present positions; `delta` is set to zero."""
    parts = m.parts
    tree, constraints = parts.tree, parts.constraints
    for i in range(delta.shape[0]):
        delta[i] = 0.0
    start_inertias(tree, parts.gravity)
    gather(tree, parts.joints, parts.T, delta)
    set_jacobian(constraints, tree.motion, 0, constraints.rows.shape[0])
    start_forces(m.forces, tree, constraints)
    gather_forces(m.forces, tree, parts.joints)
    set_schur_complement(m, tree)
    m.rank[0] = factor(m.A, 0, m.forces.reach, m.most[0], m.inverse_size, m.order)


@inline
def respond(m, residual, delta):
    """Compute delta (n_v,) = - M^-1 Gc* S^-1 residual: the response of the tree joints to the loop forces."""
    parts = m.parts
    for c in range(m.x.shape[0]):
        m.x[c] = -residual[c]
    solve(m.A, m.rank[0], m.order, m.x, m.work)
    for k in range(parts.tree.nodes.shape[0]):
        parts.joints[k]["nu"] = 0.0
        for i in range(6):
            parts.joints[k]["nus"][i] = 0.0
            parts.tree.motion[k]["a"][i] = 0.0
    for i in range(delta.shape[0]):
        delta[i] = 0.0
    add_multipliers(m.forces, parts.tree, parts.joints, m.x)
    scatter(parts.tree, parts.joints, delta)
