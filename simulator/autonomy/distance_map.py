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
        _transform(values[:, i], line, parents, borders)
    for j in range(ny):
        _transform(values[j], line, parents, borders)


@inline
def _transform(values, line, parents, borders):
    """Replace the values (n,) of one column or row by the lower envelope of the parabolas values[q] + (x - q)^2."""
    n = len(values)
    for q in range(n):
        line[q] = values[q]
    _lower_envelope(line, parents, borders, n)
    k = 0
    for x in range(n):
        while borders[k + 1] < x:
            k += 1
        values[x] = line[parents[k]] + (x - parents[k]) ** 2


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
