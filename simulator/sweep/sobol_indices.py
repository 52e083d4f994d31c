"""Sobol indices from the runs of a Saltelli design: the fraction of the variance of a metric that a key causes, alone and with all other
keys.

Estimators: first order from Saltelli 2010, Table 2 (b), total order from Jansen, Table 2 (f), as in scipy.stats.sobol_indices. Scipy
needs a power of two of pairs. This module accepts any number, for incomplete sweeps and failed runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RESAMPLES = 1000
CONFIDENCE = 0.95
MIN_PAIRS = 8
"""Minimum number of pairs of points."""
_AT_ONCE = 4_000_000
"""Number of resampled values in memory at a time."""


@dataclass(frozen=True)
class Indices:
    """Sobol indices of one metric, by key (d,)."""

    keys: Sequence[str]
    first: Array
    total: Array
    first_range: Array
    """(2, d), confidence interval of `first` by bootstrap over pairs."""
    total_range: Array
    pairs: int
    """Number of pairs of points with results."""
    of: int


def sobol_indices(keys: Sequence[str], found: Array, seed: int = 1) -> Indices | None:
    """Return the first- and total-order indices with confidence intervals.

    Parameters
    ----------
    keys : varied keys, d of them
    found : (n, d + 2), metric in the runs of n pairs: A, B, and A with one key of B in turn; pairs with a NaN are ignored

    Returns
    -------
    None : too few pairs, or the metric is constant
    """
    complete = found[np.isfinite(found).all(axis=1)]
    if len(complete) < MIN_PAIRS or not np.ptp(complete[:, :2]) > 1e-12 * np.abs(complete[:, :2]).max():
        return None
    complete = complete - complete[:, :2].mean()  # centered values reduce the variance of the estimates [Sobol and Levitan 1999]
    first, total = _estimates(complete[None])
    rng = np.random.default_rng(seed)
    drawn = [_estimates(complete[rng.integers(len(complete), size=(many, len(complete)))]) for many in _portions(complete.size)]
    share = 0.5 * (1.0 - CONFIDENCE)
    ranges = [np.quantile(np.concatenate(one), [share, 1.0 - share], axis=0) for one in zip(*drawn, strict=True)]
    return Indices(tuple(keys), first[0], total[0], ranges[0], ranges[1], len(complete), len(found))


def _portions(size: int) -> list[int]:
    """Return RESAMPLES split into portions that fit in memory."""
    many = max(1, min(RESAMPLES, _AT_ONCE // size))
    return [min(many, RESAMPLES - done) for done in range(0, RESAMPLES, many)]


def _estimates(runs: Array) -> tuple[Array, Array]:
    """Return the first and total order (m, d) of resamples of pairs (m, n, d + 2)."""
    a, b, crossed = runs[..., :1], runs[..., 1:2], runs[..., 2:]
    variance = runs[..., :2].var(axis=(1, 2))[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return (b * (crossed - a)).mean(axis=1) / variance, 0.5 * ((a - crossed) ** 2).mean(axis=1) / variance
