"""Nodes of a table of C2 polynomials from rows and first derivatives on a grid.

A node of a table stores a row and its derivatives up to the second by each of two variables, including mixed ones. Values and first
derivatives are exact (`vehicles.suspension.mechanism.reduced_rows`). The other derivatives are computed on the grid from NEAR nodes in
each direction, with weights that are exact for all polynomials determined by these data. Their error falls faster with the distance of
the nodes than that of the quintic polynomials between the nodes.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

NEAR = 5
"""Number of nodes for a derivative if values and slopes are known."""
NEAR_VALUES = 7
"""Number of nodes for a derivative if only values are known."""


@cache
def _weights(order: int, at: int, count: int, slopes: bool) -> tuple[Array, Array]:
    """Return weights (count,) of values and of slopes at the nodes 0 to count - 1 for the derivative of an order at node `at`.

    The distance of the nodes is 1. The weights are exact for polynomials of a degree below the number of data.
    """
    size = max(at, count - 1 - at)
    x = (np.arange(count) - at) / size
    n = np.arange(count * (1 + slopes))
    data = [x[:, None] ** n]
    if slopes:
        data.append(n * x[:, None] ** np.maximum(n - 1, 0) / size)
    target = np.where(n == order, math.factorial(order) / float(size) ** order, 0.0)
    weights = np.linalg.solve(np.concatenate(data).T, target)
    return weights[:count], weights[count:]


def derivative(values: Array, slopes: Array | None, order: int, axis: int) -> Array:
    """Return the derivative per interval along an axis of nodes, from values and, if given, slopes per interval."""
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
    """Return (n, m, 3, 3, C): derivatives of orders 0 to 2 by theta and by the angle, from rows (n, m, 3, C) and their first derivatives.

    All derivatives are per interval. With one angle (m = 1) the derivatives by the angle are zero.
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
    """Return the nodes (n + 4, ...) of a table extrapolated beyond both ends of (n, m, 3, 3, C).

    Within one interval every curve changes, C2, into a straight line. Quantities with `straight` (C,) True continue with their slope,
    the others become constant. The second interval is the straight line, which also applies beyond the table.
    """
    low, high = _beyond(nodes[0], -1.0, straight), _beyond(nodes[-1], 1.0, straight)
    return np.concatenate([np.stack(low[::-1]), nodes, np.stack(high)])


def _beyond(end: Array, side: float, straight: NDArray[np.bool_]) -> list[Array]:
    """Return two nodes (m, 3, 3, C) beyond the end."""
    value, slope, curvature = end[:, 0], side * end[:, 1], end[:, 2]
    # the curvature fades to zero over the interval: linearly for a continued slope; a smooth stop covers half the distance of the slope
    last = np.where(straight, slope + 0.5 * curvature, 0.0)
    near = value + np.where(straight, slope + curvature / 3.0, 0.5 * slope)
    still = np.zeros_like(value)
    return [np.stack([near + k * last, side * last, still], axis=1) for k in (0.0, 1.0)]
