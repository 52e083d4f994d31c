"""A body on legs without elimination: equations of the constraint stabilizations of `python -m research bench mechanisms`.

[Uchida 2012], section 2.2. The coordinates are the pose of the body (6) and those of N
legs, k each; the constraints are 3 per leg, d(pose) = leg(coordinates). M and Phi_q have the blocks

    M = diag(m 1, I_Euler, diag(mass)),   Phi_q = [P, diag(D_1, ..., D_N)]

All matrix products use this structure. The systems are solved by Gaussian elimination with partial pivoting, as in the paper.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.linear_solve import factor, solve
from simulator.base.algebra.vectors import symmetric_inverse, symmetric_times
from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel

TRIANGULAR, GENERATED, ANGLES, SEPARATE, SINGLE, WHOLE, BAUMGARTE, PENALTY = range(8)
"""Methods for the dependent coordinates.

Closed form for their sines and cosines, as generated from the Gröbner basis, and with the angles; Newton's method
per leg, for all legs at once, for legs and pose at once; the two stabilizations.
"""

MAX_ITERATIONS = 50
"""Maximum iterations of Newton's methods."""


class Dense(NamedTuple):
    """A dense system: matrix (n, n), right-hand side (n,), row exchanges (n,)."""

    A: Vector
    b: Vector
    exchanges: NDArray[np.int64]


def dense(n: int) -> Dense:
    """Return a workspace for n equations."""
    return Dense(np.zeros((n, n)), np.zeros(n), np.zeros(n, np.int64))


@inline
def solve_two(p, q):
    """Return the solution (2) of two equations, rows (a, b, right-hand side), by Gaussian elimination with partial pivoting."""
    if abs(q[0]) > abs(p[0]):
        p, q = q, p
    ratio = q[0] / p[0]
    y = (q[2] - ratio * p[2]) / (q[1] - ratio * p[1])
    return (p[2] - p[1] * y) / p[0], y


@inline
def solve_three(p, q, r):
    """Return the solution (3) of three equations, rows (a, b, c, right-hand side), by Gaussian elimination with partial pivoting."""
    if abs(q[0]) > abs(p[0]):
        p, q = q, p
    if abs(r[0]) > abs(p[0]):
        p, r = r, p
    per = 1.0 / p[0]
    s, t = q[0] * per, r[0] * per
    y, z = solve_two((q[1] - s * p[1], q[2] - s * p[2], q[3] - s * p[3]), (r[1] - t * p[1], r[2] - t * p[2], r[3] - t * p[3]))
    return (p[3] - p[1] * y - p[2] * z) * per, y, z


class Redundant(NamedTuple):
    """Constraints and equations of motion at a state.

    gap, gap_rate, gamma (3N,) : Phi, Phi', and Phi_q q'' = gamma
    P (3N, 6), D (N, 3, k) : blocks of Phi_q
    H (6, 6), mass (N, k) : blocks of M, the first with its lower triangle
    f (6,), force (N, k) : F on pose and legs
    W (3N, 6) : P M^-1;  free (6,), free_legs (N, k) : M^-1 F;  accelerations (6,), leg_accelerations (N, k) : q''
    multipliers (3N equations), all_coordinates (6 + kN) : the systems of the two stabilizations
    """

    gap: Vector
    gap_rate: Vector
    gamma: Vector
    P: Vector
    D: Vector
    H: Vector
    mass: Vector
    f: Vector
    force: Vector
    W: Vector
    free: Vector
    free_legs: Vector
    accelerations: Vector
    leg_accelerations: Vector
    multipliers: Dense
    all_coordinates: Dense


def redundant(legs: int, k: int) -> Redundant:
    """Return a workspace for N legs of k coordinates each."""
    n, zeros = 3 * legs, np.zeros
    of_rows, of_legs = (zeros(n), zeros(n), zeros(n)), (zeros((legs, k)), zeros(6), zeros((legs, k)))
    return Redundant(
        *of_rows,
        zeros((n, 6)),
        zeros((legs, 3, k)),
        zeros((6, 6)),
        *of_legs,
        zeros((n, 6)),
        zeros(6),
        zeros((legs, k)),
        zeros(6),
        zeros((legs, k)),
        dense(n),
        dense(6 + legs * k),
    )


@kernel
def solve_baumgarte(r, alpha, beta):
    """Compute q'' by equations (4) to (6): Phi'' + 2 alpha Phi' + beta^2 Phi = 0, with a system for the multipliers."""
    n, legs, k = r.gap.shape[0], r.D.shape[0], r.D.shape[2]
    A, b = r.multipliers.A, r.multipliers.b
    set_free(r)
    for i in range(n):
        for j in range(n):
            total = 0.0
            for c in range(6):
                total += r.W[i, c] * r.P[j, c]
            A[i, j] = total
        b[i] = 2.0 * alpha * r.gap_rate[i] + beta * beta * r.gap[i] - r.gamma[i]
        for c in range(6):
            b[i] += r.P[i, c] * r.free[c]
    for leg in range(legs):
        for c in range(k):
            per = 1.0 / r.mass[leg, c]
            for i in range(3):
                b[3 * leg + i] += r.D[leg, i, c] * r.free_legs[leg, c]
                for j in range(3):
                    A[3 * leg + i, 3 * leg + j] += per * r.D[leg, i, c] * r.D[leg, j, c]
    solved = factor(A, r.multipliers.exchanges)
    solve(A, r.multipliers.exchanges, b)
    for c in range(6):
        total = 0.0
        for i in range(n):
            total += r.W[i, c] * b[i]
        r.accelerations[c] = r.free[c] - total
    for leg in range(legs):
        for c in range(k):
            total = 0.0
            for i in range(3):
                total += r.D[leg, i, c] * b[3 * leg + i]
            r.leg_accelerations[leg, c] = r.free_legs[leg, c] - total / r.mass[leg, c]
    return solved


@inline
def set_free(r):
    """Compute W = P M^-1 and M^-1 F; the inertia of the body on the Euler axes is inverted by cofactors."""
    H = r.H
    per = 1.0 / H[0, 0]
    S = symmetric_inverse((H[3, 3], H[4, 4], H[5, 5], H[4, 3], H[5, 3], H[5, 4]))
    for i in range(r.gap.shape[0]):
        r.W[i, 0], r.W[i, 1], r.W[i, 2] = per * r.P[i, 0], per * r.P[i, 1], per * r.P[i, 2]
        r.W[i, 3], r.W[i, 4], r.W[i, 5] = symmetric_times(S, (r.P[i, 3], r.P[i, 4], r.P[i, 5]))
    r.free[0], r.free[1], r.free[2] = per * r.f[0], per * r.f[1], per * r.f[2]
    r.free[3], r.free[4], r.free[5] = symmetric_times(S, (r.f[3], r.f[4], r.f[5]))
    for leg in range(r.D.shape[0]):
        for c in range(r.D.shape[2]):
            r.free_legs[leg, c] = r.force[leg, c] / r.mass[leg, c]


@kernel
def solve_penalty(r, rho, zeta, omega):
    """Compute q'' by one iteration of equations (8) and (9).

    (M + rho Phi_q^T Phi_q) q'' = F - rho Phi_q^T (Phi_q' q' + 2 omega zeta Phi' + omega^2 Phi).
    """
    legs, k = r.D.shape[0], r.D.shape[2]
    A, b = r.all_coordinates.A, r.all_coordinates.b
    for i in range(b.shape[0]):
        for j in range(b.shape[0]):
            A[i, j] = 0.0
    for i in range(6):
        b[i] = r.f[i]
        for j in range(i + 1):
            A[i, j] = r.H[i, j]
    for leg in range(legs):
        for i in range(k):
            A[6 + k * leg + i, 6 + k * leg + i] = r.mass[leg, i]
            b[6 + k * leg + i] = r.force[leg, i]
    for row in range(r.gap.shape[0]):
        push = rho * (2.0 * omega * zeta * r.gap_rate[row] + omega * omega * r.gap[row] - r.gamma[row])
        leg = row // 3
        at, part = 6 + k * leg, row - 3 * leg
        for i in range(6):
            b[i] -= r.P[row, i] * push
            for j in range(i + 1):
                A[i, j] += rho * r.P[row, i] * r.P[row, j]
        for i in range(k):
            b[at + i] -= r.D[leg, part, i] * push
            for j in range(6):
                A[at + i, j] += rho * r.D[leg, part, i] * r.P[row, j]
            for j in range(i + 1):
                A[at + i, at + j] += rho * r.D[leg, part, i] * r.D[leg, part, j]
    for i in range(b.shape[0]):
        for j in range(i):
            A[j, i] = A[i, j]
    solved = factor(A, r.all_coordinates.exchanges)
    solve(A, r.all_coordinates.exchanges, b)
    for i in range(6):
        r.accelerations[i] = b[i]
    for leg in range(legs):
        for i in range(k):
            r.leg_accelerations[leg, i] = b[6 + k * leg + i]
    return solved
