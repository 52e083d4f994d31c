"""Nodes of a table of C2 polynomials from rows and first derivatives on a grid.

A node of a table holds a row and its derivatives up to the second by each of two variables, mixed ones too. Values and first derivatives
are given exactly (`vehicles.suspension.mechanism.reduced_rows`); the others follow from them on the grid itself, from NEAR nodes in each direction, by the
weights that are exact for all polynomials those data determine. Their error falls faster with the distance of the nodes than that of the quintic
polynomials between them.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

NEAR = 5
"""Nodes from which a derivative is taken where values and slopes are known."""
NEAR_VALUES = 7
"""The same where only values are."""


@cache
def _weights(order: int, at: int, count: int, slopes: bool) -> tuple[Array, Array]:
    """Weights (count,) of values and of slopes at the nodes 0 to count - 1 that give the derivative of that order at node `at`, for a
    distance of 1: exact for polynomials of a degree below the number of data."""
    size = max(at, count - 1 - at)
    x = (np.arange(count) - at) / size
    n = np.arange(count * (1 + slopes))
    data = [x[:, None] ** n]
    if slopes:
        data.append(n * x[:, None] ** np.maximum(n - 1, 0) / size)
    wanted = np.where(n == order, math.factorial(order) / float(size) ** order, 0.0)
    found = np.linalg.solve(np.concatenate(data).T, wanted)
    return found[:count], found[count:]


def derivative(values: Array, slopes: Array | None, order: int, axis: int) -> Array:
    """Derivative per interval along an axis of nodes, from values and, if given, slopes per interval."""
    f = np.moveaxis(values, axis, 0)
    g = None if slopes is None else np.moveaxis(slopes, axis, 0)
    count = min(NEAR if slopes is not None else NEAR_VALUES, len(f))
    out = np.empty_like(f)
    for k in range(len(f)):
        first = min(max(k - count // 2, 0), len(f) - count)
        a, b = _weights(order, k - first, count, g is not None)
        out[k] = np.tensordot(a, f[first : first + count], 1)
        if g is not None:
            out[k] += np.tensordot(b, g[first : first + count], 1)
    return np.moveaxis(out, 0, axis)


def nodes_of(rows: Array) -> Array:
    """(n, m, 3, 3, C): derivatives of orders 0 to 2 by theta and by the angle, from rows (n, m, 3, C) and their first derivatives by both.

    Everything is per interval. With one angle only (m = 1) those by the angle are zero.
    """
    f, by_theta, by_angle = rows[:, :, 0], rows[:, :, 1], rows[:, :, 2]
    out = np.zeros((*rows.shape[:2], 3, 3, rows.shape[3]))
    along_theta = (f, by_theta, derivative(f, by_theta, 2, 0))
    for k, value in enumerate(along_theta):
        out[:, :, k, 0] = value
    if rows.shape[1] == 1:
        return out
    out[:, :, 0, 1], out[:, :, 0, 2] = by_angle, derivative(f, by_angle, 2, 1)
    for k in (1, 2):
        out[:, :, k, 1] = derivative(along_theta[k], None, 1, 1)
        out[:, :, k, 2] = derivative(along_theta[k], None, 2, 1)
    return out


def continued(nodes: Array, straight: NDArray[np.bool_]) -> Array:
    """Nodes (n + 4, ...) of a table that goes on beyond both ends of (n, m, 3, 3, C).

    Within one interval every curve passes, C2, into a straight line: of the quantities of which `straight` (C,) is true its slope goes
    on, the others become constant. The second interval is that line, and whatever is read beyond it lies on it too.
    """
    low, high = _beyond(nodes[0], -1.0, straight), _beyond(nodes[-1], 1.0, straight)
    return np.concatenate([np.stack(low[::-1]), nodes, np.stack(high)])


def _beyond(end: Array, side: float, straight: NDArray[np.bool_]) -> list[Array]:
    """Two nodes (m, 3, 3, C) beyond the end."""
    value, slope, curvature = end[:, 0], side * end[:, 1], end[:, 2]
    # the curvature fades to zero over the interval: linearly where the slope goes on; a smooth stop has half the way of the slope
    last = np.where(straight, slope + 0.5 * curvature, 0.0)
    near = value + np.where(straight, slope + curvature / 3.0, 0.5 * slope)
    still = np.zeros_like(value)
    return [np.stack([near + k * last, side * last, still], axis=1) for k in (0.0, 1.0)]
