"""Pyramid of bounds over a grid of cells: a ray skips every block of cells whose bounds it does not enter.

Level 0 has the bounds of single cells. A block of level k is 2^k x 2^k cells. A ray is followed in units of cells: u = column, v = row; w is the
quantity with bounds, which is linear along the ray (a height). The outermost cells extend to infinity.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline

FIRST_LEVEL = 3
"""Level of a pyramid at which a ray begins: the ground near a sensor is near the ray."""


class Pyramid(NamedTuple):
    """Arrays of a pyramid, for kernels."""

    levels: NDArray[np.int64]
    """(levels, 3) first row in `bounds`, number of blocks along u and along v"""
    bounds: NDArray[np.float32]
    """(blocks, 2) lower and upper bound of w; inf, -inf = empty"""


def pyramid_over(cells: NDArray[np.float32]) -> Pyramid:
    """Return the pyramid over cells (rows, columns, 2) with their lower and upper bounds."""
    rows, count, start, level = [], [], 0, cells
    while True:
        ny, nx = level.shape[:2]
        rows.append(level.reshape(-1, 2))
        count.append((start, nx, ny))
        start += nx * ny
        if nx == ny == 1:
            return Pyramid(np.array(count, np.int64), np.concatenate(rows))
        level = np.stack((_pooled(level[..., 0], np.minimum), _pooled(level[..., 1], np.maximum)), axis=-1)


def _pooled(values: NDArray[np.float32], least: np.ufunc) -> NDArray[np.float32]:
    """Return the minimum or maximum (ufunc `least`) of blocks of 2 x 2 values."""
    values = least(values[::2], np.concatenate((values[1::2], values[-1:]))[: len(values[::2])])
    across = np.concatenate((values[:, 1::2], values[:, -1:]), axis=1)[:, : values[:, ::2].shape[1]]
    return np.asarray(least(values[:, ::2], across))


@inline
def next_cell(pyramid, ray, t, cell, end, begins, slack):
    """Return (t at the entry, t at the exit, cell) of the next cell whose bounds a ray enters; the entry is at `end` if there is none.

    Parameters
    ----------
    pyramid : `Pyramid`
    ray : u, v, w at t = 0, their rates, 1 / rate of u and of v
    t, cell : present place on the ray, and its cell (column, row)
    end : end of the ray
    begins : True = the ray begins in the present cell, False = search after this cell
    slack : widens the bounds
    """
    levels, bounds = pyramid
    u, v, w, du, dv, dw, per_u, per_v = ray
    i, j = cell
    nx, ny, top = levels[0, 1], levels[0, 2], len(levels) - 1
    level, leave = min(FIRST_LEVEL, top) if begins else 0, not begins
    while True:
        bi, bj = i >> level, j >> level
        out_u = out_v = math.inf
        low_i, low_j = bi << level, bj << level
        next_i, next_j = low_i + (1 << level), low_j + (1 << level)
        if du > 0.0:
            if next_i < nx:
                out_u = (next_i - u) * per_u
        elif du < 0.0 and low_i > 0:
            out_u = (low_i - u) * per_u
        if dv > 0.0:
            if next_j < ny:
                out_v = (next_j - v) * per_v
        elif dv < 0.0 and low_j > 0:
            out_v = (low_j - v) * per_v
        out = max(min(out_u, out_v), t)
        if not leave:
            wa, wb = w + dw * t, w + dw * min(out, end)
            k = levels[level, 0] + bj * levels[level, 1] + bi
            if min(wa, wb) <= bounds[k, 1] + slack and max(wa, wb) >= bounds[k, 0] - slack:
                if level == 0:
                    return t, min(out, end), (i, j)
                level -= 1
                continue
        leave = False
        if out >= end:
            return end, end, (i, j)
        t = out
        if out_u <= out_v:
            i = next_i if du > 0.0 else low_i - 1
            row = math.floor(v + dv * t)
            j = max(min(row, next_j - 1, ny - 1), j) if dv >= 0.0 else min(max(row, low_j), j)
            level = _coarser(i, level, top, du)
        else:
            j = next_j if dv > 0.0 else low_j - 1
            column = math.floor(u + du * t)
            i = max(min(column, next_i - 1, nx - 1), i) if du >= 0.0 else min(max(column, low_i), i)
            level = _coarser(j, level, top, dv)


@inline
def _coarser(i, level, top, rate):
    """Return the next level if a ray enters a larger block at index i, else the same."""
    enters = (i >> level) & 1 == (0 if rate > 0.0 else 1)
    return level + 1 if enters and level < top else level


@inline
def cell_at(u, count):
    """Return the index of the cell at u, of `count` cells whose outermost extend to infinity."""
    return math.floor(min(max(u, 0.0), count - 1.0))
