"""Distance of each cell of a map to the nearest obstacle: exact Euclidean distance transform by parabolas, in two passes.

[Felzenszwalb and Huttenlocher 2012, Distance transforms of sampled functions]
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel

FAR = 1e12
"""Squared distance, in cells, of a column without obstacles."""


def distances(blocked: NDArray[np.bool_], cell: float) -> NDArray[np.float64]:
    """Return the distance (ny, nx) [m] from the center of each cell to the center of the nearest blocked cell; inf without any."""
    ny, nx = blocked.shape
    out = np.where(blocked, 0.0, FAR)
    longest = max(ny, nx)
    squared_distances(out, np.empty(longest), np.empty(longest, np.int64), np.empty(longest + 1))
    np.sqrt(out, out=out)
    out *= cell
    out[out > 0.5 * cell * math.sqrt(FAR)] = np.inf
    return out


@kernel
def squared_distances(values, line, parents, borders):
    """Replace the values (ny, nx), 0 at obstacles and FAR elsewhere, by squared distances in cells; the other arrays are work space."""
    ny, nx = values.shape
    for i in range(nx):
        for j in range(ny):
            line[j] = values[j, i]
        _lower_envelope(line, parents, borders, ny)
        k = 0
        for j in range(ny):
            while borders[k + 1] < j:
                k += 1
            values[j, i] = line[parents[k]] + (j - parents[k]) ** 2
    for j in range(ny):
        for i in range(nx):
            line[i] = values[j, i]
        _lower_envelope(line, parents, borders, nx)
        k = 0
        for i in range(nx):
            while borders[k + 1] < i:
                k += 1
            values[j, i] = line[parents[k]] + (i - parents[k]) ** 2


@inline
def _lower_envelope(line, parents, borders, n):
    """Write the parabolas of the lower envelope of line[q] + (x - q)^2 to `parents`, and the borders between them to `borders`."""
    k = 0
    parents[0], borders[0], borders[1] = 0, -FAR, FAR
    for q in range(1, n):
        s = ((line[q] + q * q) - (line[parents[k]] + parents[k] ** 2)) / (2.0 * (q - parents[k]))
        while s <= borders[k]:
            k -= 1
            s = ((line[q] + q * q) - (line[parents[k]] + parents[k] ** 2)) / (2.0 * (q - parents[k]))
        k += 1
        parents[k], borders[k], borders[k + 1] = q, s, FAR
