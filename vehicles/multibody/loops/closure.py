"""Kinematics of aggregated bodies [Jain 2016, section 3.3]: position solve, velocity map X_S of eq (13), X'_S theta' of eq (14).

The coordinates theta_S of an aggregated body are its dependent ones, its independent ones theta(S) and, rarely, prescribed ones. With the
constraint rows Y = [Y_1, Y_2, Y_3] sorted in this way and Y_1 of full column rank,

    X_S            = [-Y_1^-1 Y_2; 1; 0]
    X'_S theta'    = [-Y_1^-1 delta'; 0; theta''_prescribed],   delta' = phi'' at theta''(S) = 0

Y_1 may have more rows than columns: a planar loop closed by a ball has one redundant row. Elimination with row pivoting selects the
independent rows. The remainder of the other rows must be zero; otherwise the constraints contradict each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.spatial import shift_force, unrotated
from simulator.base.algebra.vectors import dot, vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record
from vehicles.multibody.tree.constraints import along, set_gamma, set_jacobian, set_residuals
from vehicles.multibody.tree.tree import FREE, PRISMATIC, REVOLUTE, SPHERICAL, advance_node, move_node, set_velocity

CLUSTERS = (
    # name     shape   unit   description
    ("first", (), "1", "first node", "i8"),
    ("last", (), "1", "one past the last node", "i8"),
    ("parent", (), "1", "node outside the aggregated body that carries the nodes", "i8"),
    ("row0", (), "1", "first constraint row", "i8"),
    ("row1", (), "1", "one past the last row", "i8"),
    ("v0", (), "1", "first velocity coordinate", "i8"),
    ("n_v", (), "1", "number of velocity coordinates", "i8"),
    ("n_dep", (), "1", "number of dependent velocity coordinates", "i8"),
    ("n_ind", (), "1", "number of independent velocity coordinates; the others are prescribed", "i8"),
    ("driven", (), "1", "1 if prescribed coordinates or driven points move the aggregated body", "i8"),
)

STATUS = (
    ("reason", (), "1", "reason of the failure (FINE, OPEN, ...); 0: no failure", "i8"),
    ("cluster", (), "1", "aggregated body of the failure", "i8"),
    ("row", (), "1", "constraint row of the failure, or -1", "i8"),
    ("value", (), "m, rad", "residual of the constraint row"),
)

FINE, OPEN, SINGULAR, CONTRADICTORY, WITHOUT_INERTIA = range(5)
"""Reasons: success, open loop, singular dependent coordinates, contradictory rows, D not positive."""

MAX_ITERATIONS = 30
"""Maximum Newton steps of a loop; warm-started loops need two or three."""
SMALLEST_PIVOT = 1e-9
"""Pivots below this fraction of the largest entry of Y count as zero: rounding leaves 1e-15, a usable position has more than 1e-6."""
MAX_REMAINDER = 1e-7
"""Maximum remainder of redundant rows that agree with the others to rounding; above it they contradict the others."""


class Closure(NamedTuple):
    """Aggregated bodies and the scratch of their kinematics. Rows are constraint rows, `max` is the maximum over all aggregated bodies.

    columns (n_v,) : for each aggregated body its coordinates sorted dependent, independent, prescribed, counted from v0
    Y (rows, max n_v) : constraint rows with respect to the coordinates of the body
    LU (rows, max n_dep), order (rows,) : factors of Y_1, and its rows in the order of the pivots
    X (n_v, max n_ind), X_rate (n_v,) : X_S and X'_S theta', rows in the order of the coordinates
    b (rows,), y (max n_v,) : right-hand side and solution
    step (n_v,) : Newton step
    """

    clusters: Record
    columns: NDArray[np.int64]
    Y: NDArray[np.float64]
    LU: NDArray[np.float64]
    order: NDArray[np.int64]
    X: NDArray[np.float64]
    X_rate: NDArray[np.float64]
    b: NDArray[np.float64]
    y: NDArray[np.float64]
    step: NDArray[np.float64]
    status: Record


@kernel
def close_tree(tree, constraints, closure, q, v, accel, tolerance):
    """Compute positions, velocities and X_S, X'_S theta' of the complete mechanism, from the base outward.

    Parameters
    ----------
    q, v : (n_q,), (n_v,) independent and prescribed coordinates are read, dependent ones are initial values and are overwritten
    accel : (n_v,) accelerations of the prescribed coordinates are read
    tolerance : maximum residual of a closed loop [m, rad]

    Returns False after a failure, with the reason in `closure.status`.
    """
    closure.status[0]["reason"] = FINE
    for s in range(closure.clusters.shape[0]):
        cluster = closure.clusters[s]
        if cluster["row0"] == cluster["row1"]:
            for k in range(cluster["first"], cluster["last"]):
                move_node(tree, k, q)
                set_velocity(tree, k, v)
            continue
        if not close_positions(tree, constraints, closure, s, q, tolerance):
            return False
        if not set_velocity_map(constraints, closure, s, v):
            return False
        for k in range(cluster["first"], cluster["last"]):
            set_velocity(tree, k, v)
        if not set_velocity_map_rate(tree, constraints, closure, s, accel):
            return False
    return True


@kernel
def close_positions(tree, constraints, closure, s, q, tolerance):
    """Solve for the dependent coordinates of one aggregated body by Newton's method; leaves Y and the factors of Y_1 at the solution."""
    cluster = closure.clusters[s]
    row0, row1, v0 = cluster["row0"], cluster["row1"], cluster["v0"]
    before = np.inf
    for iteration in range(MAX_ITERATIONS):
        for k in range(cluster["first"], cluster["last"]):
            move_node(tree, k, q)
        set_residuals(constraints, tree.motion, q, row0, row1)
        set_rows(tree, constraints, closure, s)
        if not factor(closure, s):
            return fail(closure, SINGULAR, s, -1, 0.0)
        worst = row0
        for k in range(row0, row1):
            if not abs(constraints.residual[k]) <= abs(constraints.residual[worst]):
                worst = k
        size = abs(constraints.residual[worst])
        if size <= tolerance or (
            iteration > 0 and size <= MAX_REMAINDER and size >= 0.5 * before
            # second condition: only rounding errors remain
        ):
            return size <= MAX_REMAINDER
        if not size < np.inf:
            break
        before = size
        for k in range(row0, row1):
            closure.b[k] = -constraints.residual[k]
        solve(closure, s)
        for i in range(cluster["n_v"]):
            closure.step[v0 + i] = 0.0
        for c in range(cluster["n_dep"]):
            closure.step[v0 + closure.columns[v0 + c]] = closure.y[c]
        for k in range(cluster["first"], cluster["last"]):
            advance_node(tree.nodes[k], q, closure.step, 1.0, q)
    return fail(closure, OPEN, s, worst, constraints.residual[worst])


@inline
def fail(closure, reason, s, row, value):
    """Store the reason of a failure and return False."""
    status = closure.status[0]
    status["reason"], status["cluster"], status["row"], status["value"] = reason, s, row, value
    return False


@kernel
def set_rows(tree, constraints, closure, s):
    """Compute Y of one aggregated body, eq (12): each row applied to the joints between its two ends and the parent of the body."""
    cluster = closure.clusters[s]
    v0 = cluster["v0"]
    set_jacobian(constraints, tree.motion, cluster["row0"], cluster["row1"])
    for k in range(cluster["row0"], cluster["row1"]):
        row, Y = constraints.rows[k], constraints.Y
        for i in range(cluster["n_v"]):
            closure.Y[k, i] = 0.0
        out = closure.Y[k]
        project_force(tree, row["i"], cluster, (Y[k, 0], Y[k, 1], Y[k, 2]), (Y[k, 3], Y[k, 4], Y[k, 5]), out)
        project_force(tree, row["j"], cluster, (Y[k, 6], Y[k, 7], Y[k, 8]), (Y[k, 9], Y[k, 10], Y[k, 11]), out)
        for t in range(row["first"], row["last"]):
            closure.Y[k, constraints.terms[t]["v"] - v0] += constraints.terms[t]["coefficient"]


@inline
def project_force(tree, node, cluster, n, f, out):
    """Add the force [n; f] on a node, projected on each joint of the aggregated body between the node and the parent of the body, to `out` (n_v,)."""
    first, last, v0 = cluster["first"], cluster["last"], cluster["v0"]
    while first <= node < last:
        m = tree.motion[node]
        kind, i = tree.nodes[node]["kind"], tree.nodes[node]["v"] - v0
        if kind == REVOLUTE:
            out[i] += dot(vector(m["h"]), n)
        elif kind == PRISMATIC:
            out[i] += dot(vector(m["h"]), f)
        elif kind == SPHERICAL:
            u = unrotated(m["R"], n)
            for j in range(3):
                out[i + j] += u[j]
        elif kind == FREE:
            for j in range(3):
                out[i + j] += n[j]
                out[i + 3 + j] += f[j]
        n = shift_force(n, f, vector(m["r"]))
        node = tree.nodes[node]["parent"]


@kernel
def factor(closure, s):
    """Compute LU factors of Y_1 with row pivoting; return False when its columns are dependent."""
    cluster = closure.clusters[s]
    row0, row1, v0, n = cluster["row0"], cluster["row1"], cluster["v0"], cluster["n_dep"]
    LU, order = closure.LU, closure.order
    largest = 0.0
    for k in range(row0, row1):
        order[k] = k
        for c in range(n):
            LU[k, c] = closure.Y[k, closure.columns[v0 + c]]
        for i in range(cluster["n_v"]):
            largest = max(largest, abs(closure.Y[k, i]))
    for c in range(n):
        top, best = row0 + c, row0 + c
        for k in range(top + 1, row1):
            if abs(LU[k, c]) > abs(LU[best, c]):
                best = k
        if not abs(LU[best, c]) > SMALLEST_PIVOT * largest:
            return False
        if best != top:
            order[top], order[best] = order[best], order[top]
            for i in range(n):
                LU[top, i], LU[best, i] = LU[best, i], LU[top, i]
        inverse = 1.0 / LU[top, c]
        for k in range(top + 1, row1):
            if LU[k, c] != 0.0:
                LU[k, c] *= inverse
                for i in range(c + 1, n):
                    LU[k, i] -= LU[k, c] * LU[top, i]
    return True


@kernel
def solve(closure, s):
    """Compute closure.y = Y_1^-1 b for the right-hand side closure.b; return the maximum remainder of the redundant rows, in the unit of b."""
    cluster = closure.clusters[s]
    row0, row1, n = cluster["row0"], cluster["row1"], cluster["n_dep"]
    LU, b, y = closure.LU, closure.b, closure.y
    for c in range(n):
        y[c] = b[closure.order[row0 + c]]
        for i in range(c):
            y[c] -= LU[row0 + c, i] * y[i]
    left = 0.0
    for k in range(row0 + n, row1):
        rest = b[closure.order[k]]
        for i in range(n):
            rest -= LU[k, i] * y[i]
        left = max(left, abs(rest))
    for c in range(n - 1, -1, -1):
        for i in range(c + 1, n):
            y[c] -= LU[row0 + c, i] * y[i]
        y[c] /= LU[row0 + c, c]
    return left


@kernel
def set_velocity_map(constraints, closure, s, v):
    """Compute X_S of eq (13) and the dependent velocities: theta'_S = X_S theta'(S) plus the effect of prescribed coordinates and driven points."""
    cluster = closure.clusters[s]
    row0, row1, v0, n_dep, n_ind = cluster["row0"], cluster["row1"], cluster["v0"], cluster["n_dep"], cluster["n_ind"]
    columns, X = closure.columns, closure.X
    for c in range(n_dep):
        v[v0 + columns[v0 + c]] = 0.0
    if cluster["driven"]:
        for k in range(row0, row1):
            closure.b[k] = -constraints.nu[k]
            for i in range(n_dep + n_ind, cluster["n_v"]):
                closure.b[k] -= closure.Y[k, columns[v0 + i]] * v[v0 + columns[v0 + i]]
        left = solve(closure, s)
        if left > MAX_REMAINDER * (1.0 + largest_of(closure.b, row0, row1)):
            return fail(closure, CONTRADICTORY, s, closure.order[row0 + n_dep], left)
        for c in range(n_dep):
            v[v0 + columns[v0 + c]] = closure.y[c]
    for j in range(n_ind):
        independent = columns[v0 + n_dep + j]
        for k in range(row0, row1):
            closure.b[k] = -closure.Y[k, independent]
        left = solve(closure, s)
        if left > MAX_REMAINDER * (1.0 + largest_of(closure.b, row0, row1)):
            return fail(closure, CONTRADICTORY, s, closure.order[row0 + n_dep], left)
        for i in range(cluster["n_v"]):
            X[v0 + i, j] = 0.0
        X[v0 + independent, j] = 1.0
        for c in range(n_dep):
            X[v0 + columns[v0 + c], j] = closure.y[c]
            v[v0 + columns[v0 + c]] += closure.y[c] * v[v0 + independent]
    return True


@kernel
def set_velocity_map_rate(tree, constraints, closure, s, accel):
    """Compute X'_S theta' of eq (14), after the velocities of the nodes of the body."""
    cluster = closure.clusters[s]
    row0, row1, v0, n_dep, n_ind = cluster["row0"], cluster["row1"], cluster["v0"], cluster["n_dep"], cluster["n_ind"]
    columns = closure.columns
    set_gamma(constraints, tree.motion, row0, row1)
    for k in range(row0, row1):
        row = constraints.rows[k]
        closure.b[k] = -constraints.gamma[k] - along(constraints.Y, k, tree.motion[row["i"]]["bias"], tree.motion[row["j"]]["bias"])
        for i in range(n_dep + n_ind, cluster["n_v"]):
            closure.b[k] -= closure.Y[k, columns[v0 + i]] * accel[v0 + columns[v0 + i]]
    left = solve(closure, s)
    if left > MAX_REMAINDER * (1.0 + largest_of(closure.b, row0, row1)):
        return fail(closure, CONTRADICTORY, s, closure.order[row0 + n_dep], left)
    for i in range(n_dep + n_ind, cluster["n_v"]):
        closure.X_rate[v0 + columns[v0 + i]] = accel[v0 + columns[v0 + i]]
    for j in range(n_ind):
        closure.X_rate[v0 + columns[v0 + n_dep + j]] = 0.0
    for c in range(n_dep):
        closure.X_rate[v0 + columns[v0 + c]] = closure.y[c]
    return True


@inline
def largest_of(b, first, last):
    """Return the maximum magnitude in b[first:last]."""
    size = 0.0
    for k in range(first, last):
        size = max(size, abs(b[k]))
    return size
