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


def sobol_indices(keys: Sequence[str], values: Array, seed: int = 1) -> Indices | None:
    """Return the first- and total-order indices with confidence intervals.

    Parameters
    ----------
    keys : varied keys, d of them
    values : (n, d + 2), metric in the runs of n pairs: A, B, and A with one key of B in turn; pairs with a NaN are ignored

    Returns
    -------
    None : too few pairs, or the metric is constant
    """
    from scipy.stats import bootstrap

    complete = values[np.isfinite(values).all(axis=1)]
    if len(complete) < MIN_PAIRS or not np.ptp(complete[:, :2]) > 1e-12 * np.abs(complete[:, :2]).max():
        return None
    complete = complete - complete[:, :2].mean()  # centered values reduce the variance of the estimates [Sobol and Levitan 1999]
    drawn = bootstrap(
        (np.arange(len(complete)),),
        lambda pairs, axis: np.moveaxis(_estimates(complete[pairs]), -2, -1),
        n_resamples=RESAMPLES,
        batch=max(1, _AT_ONCE // complete.size),
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    first, total = _estimates(complete)
    first_range, total_range = np.stack(drawn.confidence_interval, axis=1)
    return Indices(tuple(keys), first, total, first_range, total_range, len(complete), len(values))


def _estimates(runs: Array) -> Array:
    """Return the first and total order (2, ..., d) of resamples of pairs (..., n, d + 2)."""
    a, b, crossed = runs[..., :1], runs[..., 1:2], runs[..., 2:]
    variance = runs[..., :2].var(axis=(-2, -1))[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.stack(((b * (crossed - a)).mean(axis=-2) / variance, 0.5 * ((a - crossed) ** 2).mean(axis=-2) / variance))
