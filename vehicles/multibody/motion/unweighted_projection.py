"""Projection on the nearest closed state with equal weights: Newton steps delta = - Gc* (Gc Gc*)^-1 phi, in meters and radians.

The rows are orthonormalized, Gc = R* Q, the largest remaining row first, so that redundant rows come last; they are ignored. At a closure
error of delta redundant rows differ from the others by delta, and a step with them would move along the motion of the mechanism.
So the rank is an input that limits the number of rows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from vehicles.multibody.loops.constraint_jacobian import free_coordinates, set_joint_jacobian
from vehicles.multibody.motion.mass_weighted_projection import is_rounding, largest
from vehicles.multibody.tree.constraints import set_jacobian, set_rates, set_residuals
from vehicles.multibody.tree.system import Parts, System
from vehicles.multibody.tree.tree import advance_positions, move, set_velocities

NEGLIGIBLE = 1e-9
"""Rows with a remainder below this fraction of the largest are redundant, for any rank."""


class Plain(NamedTuple):
    """Workspaces.

    unit (n_v,), row_unit (rows,) scales of coordinates and rows, inputs: 1 for projections, and 0 for fixed coordinates;
    Q (rows, n_v) = Gc in these units, then its orthonormal rows; R (rows, rows), order (rows,) of the rows, rank (1,) detected and
    most (1,) upper limit; residual (rows,) remaining residual, y (rows,) scratch, step (n_v,).
    """

    parts: Parts
    unit: Vector
    row_unit: Vector
    Q: Vector
    R: Vector
    order: NDArray[np.int64]
    rank: NDArray[np.int64]
    most: NDArray[np.int64]
    residual: Vector
    y: Vector
    step: Vector


def allocate_plain(system: System, rank: int) -> Plain:
    """Return the workspaces of a system whose rows have this rank."""
    rows, n_v, no = system.parts.constraints.rows.size, system.n_v, np.zeros
    return Plain(
        parts=system.parts,
        unit=free_coordinates(system).astype(float),
        row_unit=np.ones(rows),
        Q=no((rows, n_v)),
        R=no((rows, rows)),
        order=no(rows, np.int64),
        rank=no(1, np.int64),
        most=np.array([rank]),
        residual=no(rows),
        y=no(rows),
        step=no(n_v),
    )


@kernel
def project_positions_plain(m, q, tolerance, steps):
    """Project q (n_q,) on the loop closures, in place; prescribed coordinates are fixed.

    Arguments and result as in `mass_weighted_projection.project_positions`, with row residuals in `m.residual`.
    """
    tree, constraints = m.parts.tree, m.parts.constraints
    rows, before = constraints.rows.shape[0], math.inf
    for step in range(steps + 1):
        move(tree, q)
        set_residuals(constraints, tree.motion, q, 0, rows)
        for c in range(rows):
            m.residual[c] = constraints.residual[c]
        worst = largest(m.residual)
        if worst <= tolerance or step == steps or is_rounding(worst, before, tolerance) or not worst < math.inf:
            return worst
        before = worst
        factor_rows(m)
        set_step(m)
        advance_positions(tree, q, m.step, -1.0, q)
    return 0.0


@kernel
def project_velocities_plain(m, q, v):
    """Project v (n_v,) on velocities that keep the loops closed at q, in place; prescribed ones are fixed.

    The rows are linear in v; a second step removes the rounding error of the first. Returns the largest remaining rate, row rates in
    `m.residual`.
    """
    tree, constraints = m.parts.tree, m.parts.constraints
    move(tree, q)
    factor_rows(m)
    for _ in range(2):
        set_velocities(tree, v)
        set_rates(constraints, tree.motion, v, m.residual)
        set_step(m)
        for i in range(v.shape[0]):
            v[i] -= m.step[i]
    set_velocities(tree, v)
    set_rates(constraints, tree.motion, v, m.residual)
    return largest(m.residual)


@kernel
def smallest_part(m, q):
    """Return the remaining length of the last independent row at q (n_q,), relative to the first row; zero if it is redundant."""
    move(m.parts.tree, q)
    factor_rows(m)
    if m.rank[0] < m.most[0]:
        return 0.0
    first, last = m.order[0], m.order[m.most[0] - 1]
    return m.R[last, last] / m.R[first, first]


@inline
def factor_rows(m):
    """Factor Gc of the present positions as R* Q, by Gram-Schmidt with the largest row first."""
    tree, constraints, Q, R = m.parts.tree, m.parts.constraints, m.Q, m.R
    rows, n_v = Q.shape
    set_jacobian(constraints, tree.motion, 0, rows)
    set_joint_jacobian(tree, constraints, Q)
    for c in range(rows):
        m.order[c] = c
        for i in range(n_v):
            Q[c, i] *= m.unit[i] / m.row_unit[c]
    m.rank[0] = 0
    first = 0.0
    for k in range(m.most[0]):
        pivot, best = k, -1.0
        for c in range(k, rows):
            size = product(Q, m.order[c], m.order[c])
            if size > best:
                pivot, best = c, size
        if k == 0:
            first = best
        if not best > NEGLIGIBLE * NEGLIGIBLE * first:
            return
        m.order[k], m.order[pivot] = m.order[pivot], m.order[k]
        own = m.order[k]
        R[own, own] = math.sqrt(best)
        for i in range(n_v):
            Q[own, i] /= R[own, own]
        for c in range(k + 1, rows):
            other = m.order[c]
            R[own, other] = product(Q, own, other)
            for i in range(n_v):
                Q[other, i] -= R[own, other] * Q[own, i]
        m.rank[0] = k + 1


@inline
def product(Q, a, b):
    """Return the scalar product of two rows."""
    total = 0.0
    for i in range(Q.shape[1]):
        total += Q[a, i] * Q[b, i]
    return total


@inline
def set_step(m):
    """Compute step (n_v,), the minimum-norm solution of Gc step = residual."""
    for i in range(m.step.shape[0]):
        m.step[i] = 0.0
    for k in range(m.rank[0]):
        own = m.order[k]
        m.y[k] = m.residual[own] / m.row_unit[own]
        for j in range(k):
            m.y[k] -= m.R[m.order[j], own] * m.y[j]
        m.y[k] /= m.R[own, own]
        for i in range(m.step.shape[0]):
            m.step[i] += m.unit[i] * m.y[k] * m.Q[own, i]
