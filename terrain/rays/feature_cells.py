"""Cells of features for rays, finer than the bins: where all features are level in a cell, a ray meets the base grid moved by their height.

The number of a cell is 0 without features, the row of a table of heights where they are level, FIRST_CURB - row where one straight curb makes the height,
or MIXED.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel
from terrain.features.kernels import Features, features_and_slopes
from terrain.features.level_reach import level_reach
from terrain.rays.curb_hit import single_curb

PER_BIN = 4
"""Cells along a side of a bin."""
MIXED, FIRST_CURB = -1, -2
MAX_CURBS = 32_000
"""Rows of elements that a number can tell."""
NOTHING = 32_767
"""No number."""
MAX_LEVELS = 256
"""Maximum number of different heights; cells with further heights are MIXED."""
SLACK = 1e-6
"""m. Widening of cells for rounding."""
MARGIN = 2e-7
"""Relative widening of bounds for their single precision."""


class FeatureCells(NamedTuple):
    """Arrays of the cells of features, row by row from the south-west corner of their bins."""

    numbers: NDArray[np.int16]
    """(rows, columns) number of each cell"""
    levels: NDArray[np.float64]
    """(n,) heights of level cells [m]"""
    bounds: NDArray[np.float32]
    """(rows, columns, 2) lowest and highest height of the features in each cell [m], rounded outward"""


def feature_cells(features: Features, of_bins: NDArray[np.float64]) -> FeatureCells:
    """Return the cells of features; of_bins: bounds as in `terrain.rays.surface.RaySurface`."""
    columns, rows = (int(count) * PER_BIN for count in features.bins[0]["count"])
    numbers, bounds, levels = np.zeros((rows, columns), np.int16), np.zeros((rows, columns, 2), np.float32), np.zeros(MAX_LEVELS)
    if columns:
        used = _classify(features, of_bins, numbers, levels, bounds)
        levels = levels[:used].copy()
    return FeatureCells(numbers, levels, bounds)


@kernel
def _classify(features, of_bins, numbers, levels, bounds):
    """Write the members of `FeatureCells`; return the number of heights."""
    b, starts = features.bins[0], features.starts
    size, used = b["size"] / PER_BIN, 1
    radius = math.sqrt(0.5) * size + SLACK
    for row in range(numbers.shape[0]):
        for column in range(numbers.shape[1]):
            bin_ = row // PER_BIN * b["count"][0] + column // PER_BIN
            if starts[bin_] == starts[bin_ + 1]:
                continue
            x, y = b["origin"][0] + (column + 0.5) * size, b["origin"][1] + (row + 0.5) * size
            z, _, _ = features_and_slopes(features.bins, starts, features.items, features.pieces, x, y)
            low, high, number = -of_bins[bin_, 1], of_bins[bin_, 0], MIXED
            if level_reach(starts, features.items, features.pieces, bin_, x, y) >= radius:
                low, high = z, z
                number = _row_of(z, levels, used)
                used = max(used, number + 1)
            elif 0 <= single_curb(features, bin_, x, y, radius) < MAX_CURBS:
                number = FIRST_CURB - single_curb(features, bin_, x, y, radius)
            elif starts[bin_ + 1] == starts[bin_] + 1:  # between several elements, the height may jump
                low, high = max(low, z - of_bins[bin_, 2] * radius), min(high, z + of_bins[bin_, 2] * radius)
            numbers[row, column] = number
            bounds[row, column, 0], bounds[row, column, 1] = low - MARGIN * abs(low), high + MARGIN * abs(high)
    return used


@inline
def _row_of(z, levels, used):
    """Return the row of the height z, after `used` rows a new one, or MIXED if there is no room."""
    for k in range(used):
        if levels[k] == z:
            return k
    if used == len(levels):
        return MIXED
    levels[used] = z
    return used


@kernel
def cells_of_grid(p, heights, features, cells, border, relief, numbers):
    """Write the bounds of features in the cells of a base grid, also in those of which these cells are mirror images, and the numbers of its cells.

    Parameters
    ----------
    p, heights, features : of `terrain.ground.GroundArrays`
    cells : `FeatureCells`
    border : cells beyond the first node, see `image_of`
    relief : (ny + 2 border - 1, nx + 2 border - 1, 2), 0 before
    numbers : (ny + 2 border - 1, nx + 2 border - 1), 0 before; MIXED where a cell overlaps cells with different numbers, or stands for places with features
    """
    g, b = p[0], features.bins[0]
    ny, nx = heights.shape
    dx, dy, size = g["spacing"][0], g["spacing"][1], b["size"] / PER_BIN
    rows, columns = cells.numbers.shape
    x, y = b["origin"][0] - g["origin"][0], b["origin"][1] - g["origin"][1]
    for j in range(math.floor((y - SLACK) / dy), math.floor((y + rows * size + SLACK) / dy) + 1):
        along_y = math.floor((j * dy - y - SLACK) / size), math.floor(((j + 1) * dy - y + SLACK) / size)
        for i in range(math.floor((x - SLACK) / dx), math.floor((x + columns * size + SLACK) / dx) + 1):
            along_x = math.floor((i * dx - x - SLACK) / size), math.floor(((i + 1) * dx - x + SLACK) / size)
            number, low, high = _merged(cells, along_x, along_y)
            if number == 0:
                continue
            row, column = image_of(j, ny, g["mirrored"], border) + border, image_of(i, nx, g["mirrored"], border) + border
            if not (0 <= i < nx - 1 and 0 <= j < ny - 1):
                number, low, high = MIXED, min(low, 0.0), max(high, 0.0)
            if numbers[row, column] != 0:
                number, low, high = MIXED, min(low, relief[row, column, 0]), max(high, relief[row, column, 1])
            numbers[row, column], relief[row, column, 0], relief[row, column, 1] = number, low, high


@inline
def _merged(cells, along_x, along_y):
    """Return (number, lowest and highest height) of all cells between two columns and two rows; outside of the cells, there are no features."""
    rows, columns = cells.numbers.shape
    number, low, high = NOTHING, math.inf, -math.inf
    for row in range(along_y[0], along_y[1] + 1):
        for column in range(along_x[0], along_x[1] + 1):
            own, own_low, own_high = 0, 0.0, 0.0
            if 0 <= row < rows and 0 <= column < columns:
                own, own_low, own_high = cells.numbers[row, column], cells.bounds[row, column, 0], cells.bounds[row, column, 1]
            number = own if number in (NOTHING, own) else MIXED
            low, high = min(low, own_low), max(high, own_high)
    return number, low, high


@inline
def image_of(i, count, mirrored, border):
    """Return the cell from -border to count + border - 2 that cell i is or whose heights it has."""
    if not mirrored:
        return min(max(i, -border), count + border - 2)
    i %= 2 * count
    return 2 * count - 2 - i if i > count - 1 else i
