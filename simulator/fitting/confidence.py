"""How well the numbers of a fit are known.

With the Jacobian J of the weighted residuals r and their covariance S the parameters have the covariance

    (J'J)^-1 J'SJ (J'J)^-1.

S is taken from the residuals themselves, group by group (a channel of a set of data): its variance, and the correlation of neighbouring rows
as far as it is to be told from none. Rows that hang together say less than as many that do not: of n there are n / tau that count, with
tau = 1 + 2 (rho_1 + rho_2 + ...).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LEVEL = 0.95
"""Of all intervals."""
LONGEST = 20
"""Rows over which neighbours are looked at; how far they hang together beyond follows from these."""


@dataclass(frozen=True)
class Known:
    """How well parameters are known, in the numbers u of the search."""

    covariance: Array
    """(p, p); rows and columns of parameters that were not free are NaN."""
    half: Array
    """(p,) half widths of the intervals of each parameter alone; NaN of those that were not free, infinite where the data say nothing."""
    half_together: Array
    """(p,) of intervals that hold all parameters at once (Bonferroni)."""
    effective: tuple[float, ...]
    """Rows of each group that count."""
    deviations: tuple[float, ...]
    """Standard deviation of the weighted residuals of each group."""

    @property
    def correlation(self) -> Array:
        """(p, p)"""
        deviation = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.covariance / np.outer(deviation, deviation)


def known(jacobian: Array, residuals: Array, groups: Sequence[slice], free: NDArray[np.bool_]) -> Known:
    """How well parameters are known at the end of a fit.

    Parameters
    ----------
    jacobian, residuals : (n, p), (n,) there, weighted
    groups : rows that belong together in time, in their order
    free : (p,) whether a parameter could still move: one at its bound could not
    """
    p, n = len(free), len(residuals)
    J, freedom = jacobian[:, free], int(np.count_nonzero(free))
    middle, effective, deviations = np.zeros((freedom, freedom)), [], []
    for rows in groups:
        r = residuals[rows]
        variance = float(r @ r) / max(len(r) * (1.0 - freedom / n), 1.0)
        rho = correlations(r)
        middle += variance * _spread(J[rows], rho)
        effective.append(len(r) / max(1.0, 1.0 + 2.0 * float(rho.sum())))
        deviations.append(float(np.sqrt(variance)))
    inverse = np.linalg.pinv(J.T @ J, hermitian=True)
    covariance = np.full((p, p), np.nan)
    covariance[np.ix_(free, free)] = inverse @ middle @ inverse
    covariance[_silent(J, free)] = np.inf
    count = max(1.0, sum(effective) - freedom)
    deviation = np.sqrt(np.diag(covariance))
    alone, together = (_times(share, count) for share in (1.0 - LEVEL, (1.0 - LEVEL) / max(freedom, 1)))
    return Known(covariance, alone * deviation, together * deviation, tuple(effective), tuple(deviations))


def correlations(residuals: Array) -> Array:
    """Correlation of rows with those 1, 2 ... rows later, as the autoregression has it that describes them best; (0,) where that is none.

    The order is that of the least information criterion of Schwarz, the coefficients are by Yule and Walker (Levinson's recursion). The mean
    is not taken out: residuals that are all on one side hang together. What would make rows count more than they are is taken for chance.
    """
    n = len(residuals)
    most = min(LONGEST, n // 4)
    size = float(residuals @ residuals)
    if most < 1 or size == 0.0:
        return np.empty(0)
    rho = np.array([float(residuals[k:] @ residuals[: n - k]) for k in range(most + 1)]) / size
    best, left, least = np.empty(0), 1.0, 0.0
    a = np.empty(0)
    for order in range(1, most + 1):
        new = (rho[order] - float(a @ rho[order - 1 : 0 : -1])) / left
        a = np.append(a - new * a[::-1], new)
        left *= 1.0 - new * new
        if left <= 0.0:
            break
        score = n * np.log(left) + order * np.log(n)
        if score < least:
            best, least = a, score
    out = _continued(best, rho, n)
    return out if out.sum() > 0.0 else np.empty(0)


def _continued(a: Array, rho: Array, n: int) -> Array:
    """Correlations of an autoregression, from those that it was made of as far as they are to be told from nothing."""
    if not len(a):
        return np.empty(0)
    order = len(a)
    out = np.concatenate([rho[: order + 1], np.zeros(n - 1 - order)])
    for k in range(order + 1, n):
        out[k] = a @ out[k - order : k][::-1]
    return out[1:]


def _spread(J: Array, rho: Array) -> Array:
    """(p, p) J'RJ with the correlation matrix R of the rows, whose k-th diagonal is rho_k."""
    n = len(J)
    length = 2 * n
    kernel = np.zeros(length)
    kernel[0] = 1.0
    kernel[1 : len(rho) + 1] = rho
    kernel[length - len(rho) :] = rho[::-1]
    smoothed = np.fft.irfft(np.fft.rfft(J, length, axis=0) * np.fft.rfft(kernel)[:, None], length, axis=0)[:n]
    product: Array = J.T @ smoothed
    return 0.5 * (product + product.T)


def _silent(J: Array, free: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places of the variances of parameters that change nothing."""
    at = np.flatnonzero(free)[~np.any(J, axis=0)]
    return at, at


def _times(share: float, count: float) -> float:
    """How many standard deviations leave so small a share outside, on both sides together (Student)."""
    from scipy.stats import t

    return float(t.isf(0.5 * share, count))
