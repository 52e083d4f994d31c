"""In-place solution of small dense systems of linear equations."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel


@inline
def factor(A, exchanges):
    """Compute L and U of A (n, n) in place, by Gaussian elimination with partial pivoting.

    The unit diagonal of L is not stored; the diagonal contains the reciprocals of the diagonal of U. `exchanges` (n,) is overwritten with
    the row exchanged with each row. Returns False if A is singular.
    """
    n = A.shape[0]
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        exchanges[k] = pivot
        if not abs(A[pivot, k]) > 0.0:
            return False
        if pivot != k:
            for j in range(n):
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
        per = 1.0 / A[k, k]
        A[k, k] = per
        for i in range(k + 1, n):
            ratio = A[i, k] * per
            A[i, k] = ratio
            for j in range(k + 1, n):
                A[i, j] -= ratio * A[k, j]
    return True


@inline
def solve(LU, exchanges, b):
    """Replace b (n,) by the solution of A x = b, after `factor`."""
    n = LU.shape[0]
    for k in range(n):
        pivot = exchanges[k]
        b[k], b[pivot] = b[pivot], b[k]
    for k in range(n):
        for j in range(k):
            b[k] -= LU[k, j] * b[j]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            b[k] -= LU[k, j] * b[j]
        b[k] *= LU[k, k]


@inline
def solve_both(LU, exchanges, b, c):
    """Solve for two right-hand sides at once. The processor overlaps the two computations, so that both take little longer than one."""
    n = LU.shape[0]
    for k in range(n):
        pivot = exchanges[k]
        b[k], b[pivot] = b[pivot], b[k]
        c[k], c[pivot] = c[pivot], c[k]
    for k in range(n):
        for j in range(k):
            b[k] -= LU[k, j] * b[j]
            c[k] -= LU[k, j] * c[j]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            b[k] -= LU[k, j] * b[j]
            c[k] -= LU[k, j] * c[j]
        b[k] *= LU[k, k]
        c[k] *= LU[k, k]


@kernel
def solve_positive(A, b):
    """Replace b (n,) by the solution of A x = b, by Cholesky factorization of the symmetric A (n, n).

    The lower triangle of A is read and overwritten. Returns False if A is not positive definite.
    """
    n = A.shape[0]
    for j in range(n):
        d = A[j, j]
        for k in range(j):
            d -= A[j, k] * A[j, k]
        if not d > 0.0:
            return False
        per = 1.0 / math.sqrt(d)
        A[j, j] = per
        for i in range(j + 1, n):
            s = A[i, j]
            for k in range(j):
                s -= A[i, k] * A[j, k]
            A[i, j] = s * per
    for i in range(n):
        for k in range(i):
            b[i] -= A[i, k] * b[k]
        b[i] *= A[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            b[i] -= A[k, i] * b[k]
        b[i] *= A[i, i]
    return True
