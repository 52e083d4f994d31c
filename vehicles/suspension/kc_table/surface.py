"""Surfaces over two variables through the points of a table: piecewise bicubic, C1, without swings between the points.

The slope at a point is that of the quartic through the nearest five points. Where the curvatures at these points are not
alike (steps, kinks, noise), it is limited so that rising data give a rising curve: at most three times the smaller of the two slopes beside
the point, zero at the end of a level piece. At a turning point it is at most the smaller one, so that the curve exceeds the data by at most
4/27 of the smaller step. Beyond the table the surface continues straight along the first variable.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array, Vector

NEAR = 5
"""Number of points for a slope."""
ALIKE = 4.0
"""Largest ratio of the curvatures at three neighboring points of a smooth curve. Larger: noise counts as curvature. Smaller: a smooth curve
with few points is flattened at its turning points."""


class Derivatives(NamedTuple):
    """Values (S, quantities) of a surface and their derivatives by the first (x) and the second variable (y)."""

    value: Array
    x: Array
    y: Array
    xx: Array
    xy: Array
    yy: Array


class Surface:
    """Surface through values (n, m, quantities) at x (n,) and y (m,), both rising."""

    def __init__(self, x: Vector, y: Vector, values: Array) -> None:
        self.x, self.y, self.values = x, y, values
        by_x, by_y = slopes(x, values), np.swapaxes(slopes(y, np.swapaxes(values, 0, 1)), 0, 1)
        cross = np.swapaxes(_derivative(y, np.swapaxes(by_x, 0, 1)), 0, 1)
        self._nodes = np.stack([np.stack([values, by_y]), np.stack([by_x, cross])])
        """(order by x, order by y, n, m, quantities)"""

    def at(self, x: Vector, y: Vector) -> Derivatives:
        """Return the surface at S positions; y beyond the table counts as its end."""
        inside = np.clip(x, self.x[0], self.x[-1])
        a, x_weights = _weights(self.x, inside)
        b, y_weights = _weights(self.y, np.clip(y, self.y[0], self.y[-1]))

        def of(p: int, q: int) -> Array:
            total = 0.0
            for i in range(min(2, len(self.x))):
                for j in range(min(2, len(self.y))):
                    for k in range(2):
                        for n in range(2):
                            weight = x_weights[p][i][k] * y_weights[q][j][n]
                            total = total + weight[:, None] * self._nodes[k, n, a + i, b + j]
            return np.asarray(total)

        found = Derivatives(of(0, 0), of(1, 0), of(0, 1), of(2, 0), of(1, 1), of(0, 2))
        beyond, is_inside = (x - inside)[:, None], (x == inside)[:, None]
        return found._replace(value=found.value + beyond * found.x, y=found.y + beyond * found.xy, xx=np.where(is_inside, found.xx, 0.0))


def slopes(x: Vector, values: Array) -> Array:
    """Return the limited slopes along the first axis of values (n, ...) at x (n,)."""
    if len(x) < 2:
        return np.zeros_like(values)
    slope = _derivative(x, values)
    h = np.diff(x).reshape(-1, *(1,) * (values.ndim - 1))
    steps = np.diff(values, axis=0) / h
    before, after = np.concatenate([steps[:1], steps]), np.concatenate([steps, steps[-1:]])
    most = np.minimum(np.abs(before), np.abs(after))
    one_way = np.clip(np.sign(before) * slope, 0.0, 3.0 * most) * np.sign(before)
    limited = np.where(before * after > 0.0, one_way, np.clip(slope, -most, most))
    if len(x) < NEAR:
        return np.asarray(limited)
    bend = 2.0 * np.diff(steps, axis=0) / (h[1:] + h[:-1])
    middle = np.clip(np.arange(len(x)), 2, len(x) - 3) - 1
    beside = np.stack([bend[middle - 1], bend[middle], bend[middle + 1]])
    low, high = np.abs(beside).min(axis=0), np.abs(beside).max(axis=0)
    is_smooth = (np.abs(np.sign(beside).sum(axis=0)) == len(beside)) & (high < ALIKE * low)
    return np.where(is_smooth, slope, limited)


def _derivative(x: Vector, values: Array) -> Array:
    """Return the derivative along the first axis of the polynomial through the nearest NEAR points."""
    out, count = np.zeros_like(values), min(NEAR, len(x))
    for k in range(len(x)) if len(x) > 1 else ():
        first = min(max(k - count // 2, 0), len(x) - count)
        size = x[first + count - 1] - x[first]
        powers = ((x[first : first + count] - x[k]) / size)[None, :] ** np.arange(count)[:, None]
        weights = np.linalg.solve(powers, np.eye(count)[1]) / size
        out[k] = np.tensordot(weights, values[first : first + count], 1)
    return out


def _weights(x: Vector, at: Vector) -> tuple[NDArray[np.int_], Array]:
    """Return the interval of each position, and the weights (derivative 0 to 2, end, value or slope, S) of the cubic in it."""
    if len(x) == 1:
        one, none = np.ones(len(at)), np.zeros(len(at))
        return np.zeros(len(at), int), np.array([[[one, none]], [[none, one]], [[none, none]]])
    n = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
    h = x[n + 1] - x[n]
    t = (at - x[n]) / h
    value = [[2 * t**3 - 3 * t**2 + 1, h * (t**3 - 2 * t**2 + t)], [3 * t**2 - 2 * t**3, h * (t**3 - t**2)]]
    first = [[(6 * t**2 - 6 * t) / h, 3 * t**2 - 4 * t + 1], [(6 * t - 6 * t**2) / h, 3 * t**2 - 2 * t]]
    second = [[(12 * t - 6) / h**2, (6 * t - 4) / h], [(6 - 12 * t) / h**2, (6 * t - 2) / h]]
    return n, np.array([value, first, second])
