"""Covariance and confidence intervals of fitted parameters.

With the Jacobian J of the weighted residuals r and the covariance S of the residuals, the covariance of the parameters is

    (J'J)^-1 J'SJ (J'J)^-1.

S is estimated from the residuals of each group (a channel of a data set): the variance, and the correlation of neighboring rows where it
is significant. Correlated rows contain less information than independent rows. Of n rows, n / tau are effective, with tau = 1 + 2 (rho_1
+ rho_2 + ...).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array

LEVEL = 0.95
"""Confidence level of all intervals."""
LONGEST = 20
"""Maximum order of the autoregression in rows. Correlations at longer distances follow from the autoregression."""


@dataclass(frozen=True)
class Confidence:
    """Covariance and confidence intervals of parameters, in units of u."""

    covariance: Array
    """(p, p); NaN in rows and columns of parameters that were not free."""
    half: Array
    """(p,) half widths of the intervals of single parameters; NaN for parameters that were not free, infinite without information."""
    half_together: Array
    """(p,) half widths of intervals that contain all parameters simultaneously (Bonferroni)."""
    effective: tuple[float, ...]
    """Number of effective rows of each group."""
    deviations: tuple[float, ...]
    """Standard deviation of the weighted residuals of each group."""

    @property
    def correlation(self) -> Array:
        """Correlation matrix (p, p)."""
        deviation = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.covariance / np.outer(deviation, deviation)


def confidence_of_fit(jacobian: Array, residuals: Array, groups: Sequence[slice], free: NDArray[np.bool_]) -> Confidence:
    """Return the covariance and the confidence intervals of the parameters at the end of a fit.

    Parameters
    ----------
    jacobian, residuals : (n, p), (n,) weighted, at the solution
    groups : rows of each time series, in order
    free : (p,) whether a parameter can move; a parameter at its bound cannot
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
    covariance[_without_effect(J, free)] = np.inf
    count = max(1.0, sum(effective) - freedom)
    deviation = np.sqrt(np.diag(covariance))
    alone, together = (_times(probability, count) for probability in (1.0 - LEVEL, (1.0 - LEVEL) / max(freedom, 1)))
    return Confidence(covariance, alone * deviation, together * deviation, tuple(effective), tuple(deviations))


def correlations(residuals: Array) -> Array:
    """Return the correlation of rows with the rows 1, 2 ... later, from the best autoregression; (0,) without correlation.

    The order minimizes Schwarz's information criterion, the coefficients follow from Yule and Walker. The mean is
    not subtracted, since residuals of one sign are correlated. A negative sum, which would increase the number of effective rows, is
    treated as chance.
    """
    from scipy.linalg import solve_toeplitz

    n = len(residuals)
    max_order = min(LONGEST, n // 4)
    size = float(residuals @ residuals)
    if max_order < 1 or size == 0.0:
        return np.empty(0)
    rho = np.array([float(residuals[k:] @ residuals[: n - k]) for k in range(max_order + 1)]) / size
    best, best_score = np.empty(0), 0.0
    for order in range(1, max_order + 1):
        a = solve_toeplitz(rho[:order], rho[1 : order + 1])
        left = 1.0 - float(a @ rho[1 : order + 1])
        if left <= 0.0:
            break
        score = n * np.log(left) + order * np.log(n)
        if score < best_score:
            best, best_score = a, score
    out = _continued(best, rho, n)
    return out if out.sum() > 0.0 else np.empty(0)


def _continued(a: Array, rho: Array, n: int) -> Array:
    """Return the correlations of an autoregression, starting from the measured ones up to its order."""
    if not len(a):
        return np.empty(0)
    order = len(a)
    out = np.concatenate([rho[: order + 1], np.zeros(n - 1 - order)])
    for k in range(order + 1, n):
        out[k] = a @ out[k - order : k][::-1]
    return out[1:]


def _spread(J: Array, rho: Array) -> Array:
    """Return J'RJ (p, p) with the correlation matrix R of the rows, whose k-th diagonal is rho_k."""
    from scipy.linalg import matmul_toeplitz

    product: Array = J.T @ matmul_toeplitz(np.concatenate(([1.0], rho, np.zeros(len(J) - 1 - len(rho)))), J)
    return 0.5 * (product + product.T)


def _without_effect(J: Array, free: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the indices of the variances of parameters without effect."""
    at = np.flatnonzero(free)[~np.any(J, axis=0)]
    return at, at


def _times(probability: float, count: float) -> float:
    """Return the number of standard deviations that leave this probability outside, on both sides together (Student)."""
    from scipy.stats import t

    return float(t.isf(0.5 * probability, count))
