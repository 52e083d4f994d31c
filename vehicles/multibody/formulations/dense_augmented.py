"""Dense solution of the augmented equations by their Schur complement [Cameron 2013, eqs 5-6].

    alpha       = alpha_f + alpha_delta                                   (5)
    alpha_f     = M^-1 f                                                  (6a)
    lambda      = -[G M^-1 G*]^-1 (G alpha_f + gamma)                     (6b)
    alpha_delta = M^-1 G* lambda                                          (6c)

M is inverted body by body; G M^-1 G* is a full matrix, eliminated in O(rows^3) steps: the cost of eq (4) without use of its sparsity
pattern. A body without inertia in some direction has no M^-1. The kernel returns such a body, and `massless_bodies` solves these systems.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.symmetric_elimination import factor, solve
from simulator.base.algebra.vectors import cross, dot, scale, symmetric_times
from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from vehicles.multibody.formulations.absolute_coordinates import Absolute
from vehicles.multibody.formulations.augmented_equations import Equations, largest_acceleration, set_row_accelerations
from vehicles.multibody.tree.constraints import contradicts

SINGULAR = 1e-13
"""A body whose product of principal moments is below this fraction of their cubed sum has no inertia about some axis."""


class Dense(NamedTuple):
    """Workspaces.

    by_body (entries,), first_of_body (n_bodies + 1,) : entries of G sorted by body
    inverse (n_bodies, 6) : inverse inertias; W (entries, 6) : M^-1 G*
    S (rows, rows) : G M^-1 G*, upper triangle; order, rank : of its elimination; most (1,) : upper limit of the rank, an input
    size, reach, work, x (rows,) : scratch
    """

    by_body: NDArray[np.int64]
    first_of_body: NDArray[np.int64]
    inverse: Vector
    W: Vector
    S: Vector
    order: NDArray[np.int64]
    rank: NDArray[np.int64]
    most: NDArray[np.int64]
    size: Vector
    reach: Vector
    work: Vector
    x: Vector


def allocate_dense(absolute: Absolute, equations: Equations) -> Dense:
    """Return the workspaces, with the entries of each body."""
    body, rows, no = equations.entries["body"], equations.gamma.size, np.zeros
    first = np.searchsorted(np.sort(body), np.arange(absolute.bodies.size + 1))
    return Dense(
        by_body=np.argsort(body, kind="stable"),
        first_of_body=first,
        inverse=no((absolute.bodies.size, 6)),
        W=no((body.size, 6)),
        S=no((rows, rows)),
        order=no(rows, np.int64),
        rank=no(1, np.int64),
        most=np.array([rows]),
        size=no(rows),
        reach=no(rows),
        work=no(rows),
        x=no(rows),
    )


@kernel
def solve_dense(a, e, s):
    """Compute `e.alpha` and `e.multipliers` as in `sparse_augmented.solve_sparse`; each body needs inertia in all directions.

    Returns 0, a body without inertia in some direction, or -1 - r for a redundant row r that contradicts the others.
    """
    for b in range(1, a.bodies.shape[0]):
        if not has_full_inertia(a, b):
            return b
    set_complement(a, e, s)
    rows = e.gamma.shape[0]
    s.rank[0] = factor(s.S, 0, s.reach, s.most[0], s.size, s.order)
    for b in range(1, a.bodies.shape[0]):  # (6a)
        f = a.tree.motion[b]["f"]
        accelerate(a, s, b, e.alpha[b], f)
    for r in range(rows):
        e.multipliers[r] = 0.0
    for _ in range(2):  # the second pass is a step of iterative refinement
        set_row_accelerations(e)
        for r in range(rows):
            s.x[r] = -e.residual[r]
        solve(s.S, s.rank[0], s.order, s.x, s.work)  # (6b)
        for r in range(rows):
            e.multipliers[r] += s.x[r]
        for t in range(e.entries.shape[0]):  # (6c, 5)
            item = e.entries[t]
            for i in range(6):
                e.alpha[item["body"], i] += s.W[t, i] * s.x[item["row"]]
    largest = largest_acceleration(a, e)
    for k in range(s.rank[0], rows):
        if contradicts(e.residual[s.order[k]], largest):
            return -1 - s.order[k]
    return 0


@inline
def has_full_inertia(a, b):
    """Return whether body b has inertia in all directions."""
    A = a.tree.motion[b]["A"]
    x, y, z = (A[0], A[3], A[4]), (A[3], A[1], A[5]), (A[4], A[5], A[2])
    trace = A[0] + A[1] + A[2]
    return a.tree.nodes[b]["mass"] > 0.0 and dot(x, cross(y, z)) > SINGULAR * trace * trace * trace


@inline
def accelerate(a, s, b, out, f):
    """Compute out = M^-1 f of body b."""
    I = s.inverse[b]
    n = symmetric_times((I[0], I[1], I[2], I[3], I[4], I[5]), (f[0], f[1], f[2]))
    inverse = 1.0 / a.tree.nodes[b]["mass"]
    for i in range(3):
        out[i], out[3 + i] = n[i], inverse * f[3 + i]


@kernel
def set_complement(a, e, s):
    """Compute S = G M^-1 G* and W = M^-1 G*."""
    rows = s.S.shape[0]
    for r in range(rows):
        for c in range(r, rows):
            s.S[r, c] = 0.0
    for b in range(1, a.bodies.shape[0]):
        invert(s.inverse[b], a.tree.motion[b]["A"])
        first, last = s.first_of_body[b], s.first_of_body[b + 1]
        for n in range(first, last):
            t = s.by_body[n]
            item = e.entries[t]
            accelerate(a, s, b, s.W[t], e.Y[item["source"], item["half"] : item["half"] + 6])
            for i in range(6):
                s.W[t, i] *= item["coefficient"]
            for k in range(first, n + 1):
                other = e.entries[s.by_body[k]]
                total = 0.0
                for i in range(6):
                    total += s.W[t, i] * e.Y[other["source"], other["half"] + i]
                r, c = min(item["row"], other["row"]), max(item["row"], other["row"])
                s.S[r, c] += other["coefficient"] * total * (2.0 if r == c and k != n else 1.0)
    for r in range(rows):
        s.reach[r] = s.S[r, r]


@inline
def invert(out, A):
    """Compute the inverse of a symmetric matrix (xx, yy, zz, xy, xz, yz)."""
    x, y, z = (A[0], A[3], A[4]), (A[3], A[1], A[5]), (A[4], A[5], A[2])
    u = cross(y, z)
    inverse = 1.0 / dot(x, u)
    u, v, w = scale(inverse, u), scale(inverse, cross(z, x)), scale(inverse, cross(x, y))
    out[0], out[1], out[2], out[3], out[4], out[5] = u[0], v[1], w[2], u[1], u[2], v[2]
