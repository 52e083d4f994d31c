"""Poses of objects on paths at a time, of all of them at once; the same functions of time as `terrain.objects.paths`, without kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def path_poses(segments: Any, path: NDArray[np.int64], t: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the positions (n, 3) [m] and the turns since the beginning of the path (n,) [rad] at time t [s].

    Parameters
    ----------
    segments : records of `terrain.objects.records.SEGMENT`
    path : (n, 3) first row of `segments`, number of segments, 1 = repeats
    """
    first, last = path[:, 0], path[:, 0] + path[:, 1] - 1
    start, end = segments["time"][first, 0], segments["time"][last, 1]
    again = (path[:, 2] > 0) & (t > end)
    now = np.clip(np.where(again, start + (t - start) % (end - start), t), start, end)
    row = _row_at(segments["time"][:, 0], first, last, now)
    k = segments[row]
    span = k["time"][:, 1] - k["time"][:, 0]
    u = (now - k["time"][:, 0]) / span
    a, b = 1.0 - u * u * (3.0 - 2.0 * u), u * u * (3.0 - 2.0 * u)
    c, d = span * u * (1.0 - u) ** 2, -span * u * u * (1.0 - u)
    weights = np.stack((a, b, c, d))
    p = np.concatenate((k["p_WO"], k["v_WO"]), axis=1)
    yaw = np.concatenate((k["yaw"], k["yaw_rate"]), axis=1)
    return np.einsum("kn,nkj->nj", weights, p), np.einsum("kn,nk->n", weights, yaw) - segments["yaw"][first, 0]


def _row_at(starts: NDArray[np.float64], first: NDArray[np.int64], last: NDArray[np.int64], now: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the last row from `first` to `last` that starts at `now` or before, or `first`."""
    low, high = first.copy(), last.copy()
    while (low < high).any():
        middle = (low + high + 1) // 2
        begun = starts[middle] <= now
        low, high = np.where(begun & (low < high), middle, low), np.where(begun | (low >= high), high, middle - 1)
    return low
