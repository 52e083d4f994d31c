"""Share of the time of the reference in which both records have values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array

Mask = NDArray[np.bool_]

GAP = 2.0
"""Median row intervals up to which a row stands for the time around it. Smaller: jitter of a logger counts as missing values."""


def compared_share(reference: tuple[Array, Mask], other: tuple[Array, Mask]) -> float:
    """Return the share of the span of the reference, from 0 to 1, in which both records have values.

    Parameters
    ----------
    reference, other : increasing times (or other places) of the rows, and whether each row has a value

    A row stands for the time to the middle between it and its neighbors, but not for more than GAP intervals.
    """
    start, end = float(reference[0][0]), float(reference[0][-1])
    edges = [_edges(*record) for record in (reference, other)]
    cuts = np.unique(np.clip(np.concatenate([reference[0][[0, -1]], *(one[0].ravel() for one in edges)]), start, end))
    middle, width = 0.5 * (cuts[1:] + cuts[:-1]), np.diff(cuts)
    first, second = (_covered(middle, *one) for one in edges)
    return float(width[first & second].sum()) / (end - start)


def share_text(share: float) -> str:
    """Return a share in percent, rounded down, so that 100 % means all."""
    return f"{np.floor(1000.0 * share + 1e-6) / 10.0:g} %"


def _edges(time: Array, valid: Mask) -> tuple[Array, Mask]:
    """Return the span (n, 2) of each row, and whether it has a value."""
    steps = np.diff(time)
    half = np.minimum(0.5 * steps, GAP * float(np.median(steps)) if len(steps) else 0.0)
    return np.column_stack((time - np.append(0.0, half), time + np.append(half, 0.0))), valid


def _covered(at: Array, spans: Array, valid: Mask) -> Mask:
    """Return whether each point lies in the span of a row with a value."""
    row = np.searchsorted(spans[:, 0], at, side="right") - 1
    return np.asarray((row >= 0) & (at <= spans[row, 1]) & valid[row], np.bool_)
