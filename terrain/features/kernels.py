"""Kernels that evaluate sharp features: height and slopes of analytic shapes on top of the ground.

A shape (`terrain.features.shapes`) is exact, independent of the spacing of the grid below. Solid features (half-round, step, curb, wall) stand on the
ground: where two overlap, the higher one applies. Features that deform the ground (ditch, washboard, bump, setts) add up. Of the segments of a line, the
nearest applies. A grid of bins lists the elements near a point, so that a point far from all features costs a few ns.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel
from simulator.base.records import Record, dtype_of, record
from terrain.features.shapes import CURB, DITCH, PIECE, SETTS, WASHBOARD, line_at, shape_at, smooth_step

BINS = (
    ("origin", (2,), "m", "x, y of the south-west corner"),
    ("size", (), "m", "side length of a bin"),
    ("count", (2,), "1", "number of bins along x and y; 0 = no features", "i8"),
    ("steepest", (), "1", "bound on the slope of the sum of all features"),
)


class Features(NamedTuple):
    """Arrays of the features of a ground, for kernels."""

    bins: Record
    """length-1 record of `BINS`"""
    starts: NDArray[np.int32]
    """(bins + 1,) index in `items` of the start of each bin, row by row from the south-west"""
    items: NDArray[np.int32]
    """rows of `pieces`, in the order of the file"""
    pieces: Record
    """(n,) records of `PIECE`"""
    bounds: NDArray[np.float64]
    """(bins, 2) bounds on the height [m] and the slope of the sum of all features in each bin"""


def no_features() -> Features:
    """Return the features of a ground that has none."""
    return Features(record(BINS), np.zeros(1, np.int32), np.zeros(0, np.int32), np.zeros(0, dtype_of(PIECE)), np.zeros((0, 2)))


@kernel
def features_beside(bins, starts, x, y):
    """Return a C1 weight from 0 to 1 that shows if features are near x, y (m, in W): 1 if one may be in an adjacent bin, 0 three bins away from any.

    A corner of a bin has the weight 1 if a feature may be less than two bins away. Between corners the weight is blended.
    """
    b = bins[0]
    if b["count"][0] == 0:
        return 0.0
    u, v = (x - b["origin"][0]) / b["size"], (y - b["origin"][1]) / b["size"]
    if not (-3.0 < u < b["count"][0] + 3.0 and -3.0 < v < b["count"][1] + 3.0):
        return 0.0
    low_u, low_v = math.floor(u), math.floor(v)
    i, j = int(low_u), int(low_v)
    near = smooth_step(v - low_v)[0]
    left = _around(bins, starts, i, j) * (1.0 - near) + _around(bins, starts, i, j + 1) * near
    right = _around(bins, starts, i + 1, j) * (1.0 - near) + _around(bins, starts, i + 1, j + 1) * near
    return left + (right - left) * smooth_step(u - low_u)[0]


@inline
def _around(bins, starts, i, j):
    """Return 1 if the 4 x 4 bins around the corner (i, j) contain any element, else 0."""
    columns, rows = bins[0]["count"][0], bins[0]["count"][1]
    first, last = max(i - 2, 0), min(i + 2, columns)
    if first < last:
        for row in range(max(j - 2, 0), min(j + 2, rows)):
            if starts[row * columns + last] > starts[row * columns + first]:
                return 1.0
    return 0.0


@kernel
def bounds_around(bins, bounds, x, y, reach):
    """Return bounds (height [m], slope) of the sum of all features within `reach` m of x, y (m, in W) along x and y; `bounds` as in `Features`."""
    b = bins[0]
    columns, rows, size = b["count"][0], b["count"][1], b["size"]
    i, j = (x - b["origin"][0]) / size, (y - b["origin"][1]) / size
    i, j, far = min(max(i, -1e6), 1e6), min(max(j, -1e6), 1e6), reach / size
    height = slope = 0.0
    for row in range(max(math.floor(j - far), 0), min(math.floor(j + far) + 1, rows)):
        for column in range(max(math.floor(i - far), 0), min(math.floor(i + far) + 1, columns)):
            height = max(height, bounds[row * columns + column, 0])
            slope = max(slope, bounds[row * columns + column, 1])
    return height, slope


@kernel
def features_and_slopes(bins, starts, items, pieces, x, y):
    """Return (z [m], dz/dx, dz/dy) that features add to the ground at x, y (m, in W); the first four arguments are members of `Features`."""
    b = bins[0]
    i, j = (x - b["origin"][0]) / b["size"], (y - b["origin"][1]) / b["size"]
    if not (i >= 0.0 and j >= 0.0 and i < b["count"][0] and j < b["count"][1]):
        return 0.0, 0.0, 0.0
    bin_ = int(j) * b["count"][0] + int(i)
    z = zx = zy = 0.0  # sum of the features that deform the ground
    top = top_x = top_y = 0.0  # highest solid feature at this point
    feature, nearest = -1, math.inf
    line = line_x = line_y = 0.0  # nearest segment of the current line
    added = False
    for n in range(starts[bin_], starts[bin_ + 1]):
        k = pieces[items[n]]
        if k["feature"] != feature:
            if added:
                z, zx, zy = z + line, zx + line_x, zy + line_y
            elif line > top:
                top, top_x, top_y = line, line_x, line_y
            feature, nearest = k["feature"], math.inf
            line = line_x = line_y = 0.0
            added = k["kind"] >= DITCH or (k["kind"] >= WASHBOARD and k["kind"] <= SETTS)
        if k["kind"] >= CURB:
            distance, height, height_x, height_y = line_at(k, x, y)
            if distance < nearest:
                nearest, line, line_x, line_y = distance, height, height_x, height_y
        else:
            line, line_x, line_y = shape_at(k, x, y)
    if added:
        z, zx, zy = z + line, zx + line_x, zy + line_y
    elif line > top:
        top, top_x, top_y = line, line_x, line_y
    return z + top, zx + top_x, zy + top_y
