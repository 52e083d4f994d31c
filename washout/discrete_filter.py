"""Discrete linear filters for ticks of any length: exact for an input that is linear between the ticks.

    x' = A x + b u    ->    x1 = Ad x0 + b0 u0 + b1 u1,    u linear from u0 to u1 in h

With M = [[A h, b h, 0], [0, 0, 1], [0, 0, 0]] the first rows of exp(M) are Ad, G1, G2, and b0 = G1 - G2, b1 = G2 (first-order hold; Van Loan,
Computing integrals involving the matrix exponential, 1978). An input that is constant over the tick has the weight b0 + b1 = G1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

TERMS = 18
"""Number of terms of the series of exp: the remainder for a matrix of norm 1/2 is 0.5^19 / 19! = 2e-23."""


def exponential(M: Any) -> np.ndarray:
    """Return exp(M) of a square matrix: halve M until its norm is at most 1/2, evaluate the series, square as often."""
    M = np.asarray(M, dtype=float)
    halvings = max(0, int(np.ceil(np.log2(max(float(np.linalg.norm(M, 1)), 1e-300)))) + 1)
    reduced = M / 2.0**halvings
    term = out = np.eye(len(M))
    for k in range(1, TERMS + 1):
        term = term @ reduced / k
        out = out + term
    for _ in range(halvings):
        out = out @ out
    return out


def discrete(A: Any, b: Any, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Return (Ad (n, n), bd (n, 2)) of x' = A x + b u for ticks of h [s]; the columns of bd belong to the inputs before and after the tick."""
    A, b = np.asarray(A, dtype=float), np.asarray(b, dtype=float)
    n = len(A)
    M = np.zeros((n + 2, n + 2))
    M[:n, :n], M[:n, n] = A * h, b * h
    M[n, n + 1] = 1.0
    E = exponential(M)
    return E[:n, :n], np.stack([E[:n, n] - E[:n, n + 1], E[:n, n + 1]], axis=1)


def high_pass(order: int, w: float, z: float, w_return: float, h: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (Ad (3, 3), bd (3, 2), c (3,)) of the high-pass of an acceleration, with the states integral of the position, position, velocity.

        q0' = q1,  q1' = q2,  q2' = a - c.q        first order  c = (0, 0, w)
                                                   second       c = (0, w^2, 2 z w)
                                                   third        c = (w^2 wr, w^2 + 2 z w wr, 2 z w + wr)      [(s^2 + 2 z w s + w^2)(s + wr)]

    Below third order, the integral of the position has no effect; it stays zero so that it cannot grow.
    """
    if order == 3:
        c = np.array([w * w * w_return, w * w + 2.0 * z * w * w_return, 2.0 * z * w + w_return])
    elif order == 2:
        c = np.array([0.0, w * w, 2.0 * z * w])
    else:
        c = np.array([0.0, 0.0, w])
    Ad, bd = discrete([[0, 1, 0], [0, 0, 1], -c], [0, 0, 1], h)
    if order < 3:
        Ad[0], bd[0] = 0.0, 0.0
    return Ad, bd, c


def low_pass(w: float, z: float, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Return (Ad (2, 2), bd (2, 2)) of w^2 / (s^2 + 2 z w s + w^2), with the states output and its rate."""
    return discrete([[0, 1], [-w * w, -2 * z * w]], [0, w * w], h)


def rotation(order: int, w: float, z: float, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Return (Ad (2, 2), bd (2, 2)) of the high-passed integral of a rate; states: integral of the angle (zero below second order), angle.

    angle / rate = 1 / (s + w) in first, s / (s^2 + 2 z w s + w^2) in second order.
    """
    if order == 2:
        return discrete([[0, 1], [-w * w, -2 * z * w]], [0, 1], h)
    Ad, bd = np.zeros((2, 2)), np.zeros((2, 2))
    Ad[1:, 1:], bd[1:] = discrete([[-w]], [1], h)
    return Ad, bd
