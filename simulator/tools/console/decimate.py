"""Reduction of a column to what a plot can show: smallest and largest value of each interval, so that no peak is lost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def window(axis: NDArray[np.float64], first: float, last: float) -> slice:
    """Return the rows of a time window, with one row more at each end, so that lines cross the edges of a plot."""
    begin = max(0, int(np.searchsorted(axis, first, "left")) - 1)
    end = min(len(axis), int(np.searchsorted(axis, last, "right")) + 1)
    return slice(begin, max(begin, end))


def intervals(count: int, most: int) -> NDArray[np.intp] | None:
    """Return the first rows (k,) of k <= `most` intervals of `count` rows; None if every row is shown."""
    if count <= 2 * most:
        return None
    return np.linspace(0, count, most, endpoint=False).astype(np.intp)


def times(axis: NDArray[np.float64], firsts: NDArray[np.intp] | None) -> NDArray[np.float64]:
    """Return the times (n,) or (2 k,) of `extremes`: beginning and middle of each interval."""
    if firsts is None:
        return axis
    ends = np.append(firsts[1:], len(axis))
    return np.stack([axis[firsts], axis[(firsts + ends) // 2]], axis=1).ravel()


def extremes(values: NDArray[np.float64], firsts: NDArray[np.intp] | None) -> NDArray[np.float64]:
    """Return all values (n,), or (2 k,) minimum and maximum of each interval, the one that comes first in front; NaN if all values are."""
    if firsts is None:
        return values
    low, high = np.fmin.reduceat(values, firsts), np.fmax.reduceat(values, firsts)
    # a column that falls within an interval begins with the maximum
    falls = values[firsts] > values[np.append(firsts[1:], len(values)) - 1]
    return np.stack([np.where(falls, high, low), np.where(falls, low, high)], axis=1).ravel()
