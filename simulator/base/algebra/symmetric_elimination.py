"""Rank-revealing elimination of symmetric matrices, A = U* D U with U upper triangular and ones on its diagonal, with diagonal pivots.

For the compliance of loops (positive semidefinite: redundant rows make it singular) and for [[K, Phi*], [Phi, -S]] with K positive
definite: whatever the order of the pivots, such a matrix needs no others (Vanderbei, *Symmetric quasidefinite matrices*, SIAM J. Optim. 5, 1995).
"""

from __future__ import annotations

from simulator.base.jit import inline, kernel

DEPENDENT = 1e-11
"""A row whose pivot fell below this part of its first value is redundant: the sine of its angle to the others is below 3e-6."""
VANISHED = 1e-22
"""A row whose first value is below this part of its reach is zero but for rounding: each of its terms is below 1e-11 of what it is made of."""
POSTPONED = 1e-3
"""A row whose pivot fell below this part of its first value waits until no better one is left."""


@kernel
def factor(A, fixed, reach, most, inverse_size, order):
    """U and D of A, in place.

    Parameters
    ----------
    A : (n, n) symmetric, upper triangle; overwritten, D on the diagonal
    fixed : rows at the beginning that are eliminated first and in their order (positive definite)
    reach : (n - fixed,) what the diagonal of every further row would be if nothing canceled in it
    most : rank that is not exceeded. When it is below n, a row counts by what is left of its reach: one that had canceled nearly all of it to
        begin with comes after those that had not, and the last ones are redundant whatever is left of them
    inverse_size : (n,) overwritten with 1 / |diagonal| of every further row after the fixed ones, or 1 / reach, zero where that is nothing
        but rounding
    order : (n,) overwritten with the rows in the order of elimination, redundant ones last

    Returns
    -------
    Rank of A.
    """
    n = A.shape[0]
    for k in range(n):
        order[k] = k
        inverse_size[k] = 0.0
    for k in range(n):
        if k == fixed:
            for i in range(k, n):
                d = abs(A[i, i])
                if d > VANISHED * reach[i - fixed]:
                    inverse_size[i] = 1.0 / (d if most == n else max(d, reach[i - fixed]))
        if k == most:
            return k
        if k >= fixed and abs(A[k, k]) * inverse_size[order[k]] < POSTPONED:
            pivot = largest_pivot(A, k, inverse_size, order)
            if pivot < 0:
                return k
            if pivot != k:
                exchange(A, k, pivot, order)
        eliminate(A, k)
    return n


@inline
def largest_pivot(A, k, inverse_size, order):
    """Row from k on that lost the smallest part of its first value, or -1 when all that are left are redundant."""
    pivot, best = -1, DEPENDENT
    for i in range(k, A.shape[0]):
        left = abs(A[i, i]) * inverse_size[order[i]]
        if left > best:
            pivot, best = i, left
    return pivot


@inline
def exchange(A, k, p, order):
    """Exchange rows and columns k < p."""
    for i in range(k):
        A[i, k], A[i, p] = A[i, p], A[i, k]
    A[k, k], A[p, p] = A[p, p], A[k, k]
    for i in range(k + 1, p):
        A[k, i], A[i, p] = A[i, p], A[k, i]
    for i in range(p + 1, A.shape[0]):
        A[k, i], A[p, i] = A[p, i], A[k, i]
    order[k], order[p] = order[p], order[k]


@inline
def eliminate(A, k):
    """Row k of U, and the matrix that is left."""
    inverse = 1.0 / A[k, k]
    for i in range(k + 1, A.shape[0]):
        t = A[k, i] * inverse
        if t != 0.0:
            add_scaled_row(A[i, i:], -t, A[k, i:])
    for i in range(k + 1, A.shape[0]):
        A[k, i] *= inverse


@inline
def add_scaled_row(y, t, x):
    """y += t x of two parts of rows: indices from zero let the compiler use the processor's vector lanes."""
    for i in range(y.shape[0]):
        y[i] += t * x[i]


@kernel
def solve(A, rank, order, b, work):
    """b (n,) becomes x with A x = b in the rows that are not redundant and zeros for those that are, after `factor`; `work` (n,) is scratch."""
    for k in range(rank):
        work[k] = b[order[k]]
    for k in range(rank):
        add_scaled_row(work[k + 1 : rank], -work[k], A[k, k + 1 : rank])
    for k in range(rank - 1, -1, -1):
        total = work[k] / A[k, k]
        for i in range(k + 1, rank):
            total -= A[k, i] * work[i]
        work[k] = total
    for k in range(rank):
        b[order[k]] = work[k]
    for k in range(rank, order.shape[0]):
        b[order[k]] = 0.0
