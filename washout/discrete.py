"""Linear systems from tick to tick, exactly, for an input that goes along a straight line within a tick."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

TERMS = 16
"""Of the series of the matrix exponential, for a matrix of norm at most a half: the next one is below 1e-19."""


def exponential(M: NDArray[np.float64]) -> NDArray[np.float64]:
    """exp(M) of a square matrix: the series for M / 2^k, squared k times."""
    norm = float(np.abs(M).sum(axis=1).max())
    halvings = max(0, math.ceil(math.log2(2.0 * norm))) if norm > 0.0 else 0
    A = M / 2.0**halvings
    out = term = np.eye(len(M))
    for k in range(1, TERMS):
        term = term @ A / k
        out = out + term
    for _ in range(halvings):
        out = out @ out
    return out


def along_a_line(A: ArrayLike, b: ArrayLike, h: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """(Ad, b0, b1) with x1 = Ad x0 + b0 u0 + b1 (u1 - u0) for x' = A x + b u, u straight from u0 to u1 within h seconds.

    With time in ticks, u and its rise are two more states: (x, u, u1 - u0)' = M (x, u, u1 - u0).
    """
    A, b = np.asarray(A, dtype=float), np.asarray(b, dtype=float)
    n = len(A)
    M = np.zeros((n + 2, n + 2))
    M[:n, :n], M[:n, n], M[n, n + 1] = h * A, h * b, 1.0
    E = exponential(M)
    return E[:n, :n], E[:n, n], E[:n, n + 1]


def lag(w: float, z: float, h: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(A (2, 2), b (2,)) of x'' = w^2 (u - x) - 2 z w x' from tick to tick, in a form that at rest is still to the last bit:

    e1 = A00 e0 + A01 v0 + b0 (u1 - u0),  v1 = A10 e0 + A11 v0 + b1 (u1 - u0)       e = x - u, v = x'
    """
    A, _, b = along_a_line([[0.0, 1.0], [-w * w, -2.0 * z * w]], [0.0, w * w], h)
    return A, b - np.array([1.0, 0.0])
