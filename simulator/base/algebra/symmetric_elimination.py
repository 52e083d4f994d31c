"""Rank-revealing elimination of symmetric matrices with diagonal pivots: A = U* D U, with U unit upper triangular.

For the compliance of loops (positive semidefinite; singular with redundant rows) and for [[K, Phi*], [Phi, -S]] with K positive definite:
diagonal pivots are sufficient for such a matrix, in any order (Vanderbei, *Symmetric quasidefinite matrices*, SIAM J. Optim. 5, 1995).
"""

from __future__ import annotations

from simulator.base.jit import inline, kernel

DEPENDENT = 1e-11
"""Ratio of the pivot to its initial value below which a row is redundant: the sine of its angle to the other rows is below 3e-6."""
VANISHED = 1e-22
"""Ratio of the initial value to `reach` below which a row is zero except for rounding: each factor is below 1e-11 of its terms."""
POSTPONED = 1e-3
"""Ratio of the pivot to its initial value below which a row is postponed until no better row remains."""


@kernel
def factor(A, fixed, reach, most, inverse_size, order):
    """Compute U and D of A in place.

    Parameters
    ----------
    A : (n, n) symmetric, upper triangle; overwritten, D on the diagonal
    fixed : number of rows at the beginning that are eliminated first, in their order (positive definite)
    reach : (n - fixed,) diagonal of each further row without cancellation
    most : maximum rank. If it is below n, the pivots are compared with `reach`: a row with nearly complete cancellation in its initial value
        comes after the other rows, and the last rows are redundant regardless of their pivots
    inverse_size : (n,) overwritten with 1 / |diagonal| of each row after the fixed ones, or 1 / reach; zero if the diagonal is only rounding
    order : (n,) overwritten with the rows in the order of elimination, redundant ones last

    Returns
    -------
    rank of A
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
    """Return the row from k on with the largest ratio of the pivot to its initial value, or -1 if all remaining rows are redundant."""
    pivot, best = -1, DEPENDENT
    for i in range(k, A.shape[0]):
        left = abs(A[i, i]) * inverse_size[order[i]]
        if left > best:
            pivot, best = i, left
    return pivot


@inline
def exchange(A, k, p, order):
    """Exchange the rows and columns k < p."""
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
    """Compute row k of U, and subtract its part from the remaining matrix."""
    inverse = 1.0 / A[k, k]
    for i in range(k + 1, A.shape[0]):
        t = A[k, i] * inverse
        if t != 0.0:
            add_scaled_row(A[i, i:], -t, A[k, i:])
    for i in range(k + 1, A.shape[0]):
        A[k, i] *= inverse


@inline
def add_scaled_row(y, t, x):
    """Compute y += t x for two parts of rows. Indices from zero enable vectorization."""
    for i in range(y.shape[0]):
        y[i] += t * x[i]


@kernel
def solve(A, rank, order, b, work):
    """Replace b (n,) by x with A x = b, zero in redundant rows, after `factor`; `work` (n,) is scratch memory."""
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
