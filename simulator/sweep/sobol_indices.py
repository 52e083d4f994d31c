"""Sobol indices out of the runs of a Saltelli design: which share of the spread of a metric a key has, alone and with all others.

Estimators: first order after Saltelli 2010, Table 2 (b), total order after Jansen, Table 2 (f), as scipy.stats.sobol_indices has them. That
takes whole powers of two of pairs; here any number will do, for a sweep that is half done or of which runs have no result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RESAMPLES = 1000
CONFIDENCE = 0.95
LEAST_PAIRS = 8
"""Of points; with less nothing is told."""
_AT_ONCE = 4_000_000
"""Numbers of resampled runs that are held at a time."""


@dataclass(frozen=True)
class Indices:
    """Of one metric, by key (d,)."""

    keys: Sequence[str]
    first: Array
    total: Array
    first_range: Array
    """(2, d), the bounds of the confidence interval of `first`, by the bootstrap over pairs."""
    total_range: Array
    pairs: int
    """Of points that had results."""
    of: int


def sobol_indices(keys: Sequence[str], found: Array, seed: int = 1) -> Indices | None:
    """First and total order with intervals.

    Parameters
    ----------
    keys : that vary, d of them
    found : (n, d + 2), a metric in the runs of n pairs: of A, of B, of A with one key of B after the other; a pair in which a NaN stands counts not

    Returns
    -------
    None: there are too few pairs, or the metric is the same everywhere
    """
    whole = found[np.isfinite(found).all(axis=1)]
    if len(whole) < LEAST_PAIRS or not np.ptp(whole[:, :2]) > 1e-12 * np.abs(whole[:, :2]).max():
        return None
    whole = whole - whole[:, :2].mean()  # about the mean the estimates spread less [Sobol and Levitan 1999]
    first, total = _estimates(whole[None])
    rng = np.random.default_rng(seed)
    drawn = [_estimates(whole[rng.integers(len(whole), size=(many, len(whole)))]) for many in _portions(whole.size)]
    share = 0.5 * (1.0 - CONFIDENCE)
    ranges = [np.quantile(np.concatenate(one), [share, 1.0 - share], axis=0) for one in zip(*drawn, strict=True)]
    return Indices(tuple(keys), first[0], total[0], ranges[0], ranges[1], len(whole), len(found))


def _portions(size: int) -> list[int]:
    """RESAMPLES in portions that are held at a time."""
    many = max(1, min(RESAMPLES, _AT_ONCE // size))
    return [min(many, RESAMPLES - done) for done in range(0, RESAMPLES, many)]


def _estimates(runs: Array) -> tuple[Array, Array]:
    """Of resamples of pairs (m, n, d + 2): first and total order (m, d)."""
    a, b, crossed = runs[..., :1], runs[..., 1:2], runs[..., 2:]
    variance = runs[..., :2].var(axis=(1, 2))[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return (b * (crossed - a)).mean(axis=1) / variance, 0.5 * ((a - crossed) ** 2).mean(axis=1) / variance
