"""Pyramid of bounds over a grid of cells: a ray skips every block of cells whose bounds it does not enter.

Level 0 has the bounds of single cells. A block of level k is 2^k x 2^k cells, between two parallel planes, which may be inclined. A ray is followed in
units of cells: u = column, v = row; w is the quantity with bounds, which is linear along the ray (a height). The outermost cells extend to infinity.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel

FIRST_LEVEL = 4
"""Level of a pyramid at which a ray begins: the ground near a sensor is near the ray."""
MARGIN = 2e-7
"""Relative widening of bounds for their single precision."""
ROUNDING = 1e-9
"""m. Widening of slabs for rounding."""


ONE = np.uint64(1)


class Pyramid(NamedTuple):
    """Arrays of a pyramid, for kernels."""

    levels: NDArray[np.int64]
    """(3 levels,) of each level: index of its first block, number of blocks along u and along v; the index of levels 0 and 1 is 0"""
    low: NDArray[np.float32]
    """(cells,) lower bound of w"""
    high: NDArray[np.float32]
    """(cells,) upper bound of w"""
    slabs: NDArray[np.float32]
    """(4 blocks,) of each block: a, b, lowest and highest w - a u - b v, with u and v from the first cell of the block"""


def pyramid_over(cells: NDArray[np.float32], slabs: NDArray[np.float32] | None = None) -> Pyramid:
    """Return the pyramid over cells (rows, columns, 2) with their lower and upper bounds; slabs (rows, columns, 4) as in `Pyramid`, by default level."""
    if slabs is None:
        slabs = np.concatenate((np.zeros_like(cells), cells), axis=2)
    ny, nx = cells.shape[:2]
    count, parts, start, size, level = [(0, nx, ny)], [], 0, 1, slabs
    while nx > 1 or ny > 1:
        nx, ny = (nx + 1) // 2, (ny + 1) // 2
        above = np.empty((ny, nx, 4), np.float32)
        _pool(level, size, above)
        parts.append(above.ravel())
        count.append((start, nx, ny))
        start, size, level = start + nx * ny, 2 * size, above
    low, high = (np.ascontiguousarray(cells[..., k]).ravel() for k in range(2))
    return Pyramid(np.array(count, np.int64).ravel(), low, high, np.concatenate((*parts, np.zeros(0, np.float32))))


@kernel
def _pool(level, size, above):
    """Write the slabs of blocks of 2 x 2 blocks of a level, which have `size` cells along a side."""
    rows, columns = level.shape[0], level.shape[1]
    for j in range(above.shape[0]):
        for i in range(above.shape[1]):
            a = b = 0.0
            if 0 < i < above.shape[1] - 1 and 0 < j < above.shape[0] - 1:  # the others extend to infinity
                m00, m01 = _middle(level[2 * j, 2 * i], size), _middle(level[2 * j, 2 * i + 1], size)
                m10, m11 = _middle(level[2 * j + 1, 2 * i], size), _middle(level[2 * j + 1, 2 * i + 1], size)
                a, b = (m01 + m11 - m00 - m10) / (2.0 * size), (m10 + m11 - m00 - m01) / (2.0 * size)
            slab = above[j, i]
            slab[0], slab[1] = a, b
            a, b, low, high = float(slab[0]), float(slab[1]), math.inf, -math.inf
            for row in range(2 * j, min(2 * j + 2, rows)):
                for column in range(2 * i, min(2 * i + 2, columns)):
                    of = level[row, column]
                    shift = size * (a * (column - 2 * i) + b * (row - 2 * j))
                    along, across = size * (of[0] - a), size * (of[1] - b)
                    low = min(low, of[2] - shift + min(along, 0.0) + min(across, 0.0))
                    high = max(high, of[3] - shift + max(along, 0.0) + max(across, 0.0))
            slab[2], slab[3] = low - MARGIN * abs(low) - 1e-30, high + MARGIN * abs(high) + 1e-30


@inline
def _middle(slab, size):
    """Return w in the middle of a block."""
    return 0.5 * (slab[2] + slab[3] + size * (slab[0] + slab[1]))


@inline
def next_cell(pyramid, ray, t, cell, part, begins, surface):
    """Return (t at the entry, t at the exit, cell) of the next cell in which a ray may meet a surface; the entry is at the end if there is none.

    Entry and exit depend on ray, part and cell only, not on the place where the search began.

    Parameters
    ----------
    pyramid : `Pyramid`
    ray : u, v, w at t = 0, their rates, 1 / rate of u and of v
    t, cell : present place on the ray, and its cell (column, row)
    part : start and end of the ray
    begins : True = the ray begins in the present cell, False = search after this cell
    surface : side on which the ray is, 1 = above the surface, -1 = below, and a widening of the bounds
    """
    levels = pyramid.levels
    side, slack = surface
    bounds = pyramid.high if side > 0.0 else pyramid.low
    u, v, w, du, dv, dw, per_u, per_v = ray
    i, j = cell
    start, end = part
    nx, ny, top = levels[1], levels[2], len(levels) // 3 - 1
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
            k = levels[np.uint64(3 * level)] + bj * levels[np.uint64(3 * level + 1)] + bi
            if level == 0:
                if min(side * (w + dw * t), side * (w + dw * min(out, end))) <= side * bounds[np.uint64(k)] + slack:
                    entry = max(_entry(i, u, du, per_u, nx), _entry(j, v, dv, per_v, ny), start)
                    if entry < end:
                        return entry, min(out_u, out_v, end), (i, j)
                    return end, end, (i, j)
            else:
                along = u - low_i, v - low_j, w, du, dv, dw
                over, rate = _over_slab(pyramid.slabs, np.uint64(4 * k), along, t, side, slack + ROUNDING)
                if min(over, over + rate * (min(out, end) - t)) <= 0.0:
                    level -= 1
                    if over > 0.0:  # the ray enters the slab later
                        t -= over / rate
                        i = _onward(i, math.floor(u + du * t), low_i, min(next_i, nx) - 1, du)
                        j = _onward(j, math.floor(v + dv * t), low_j, min(next_j, ny) - 1, dv)
                    continue
        leave = False
        if out >= end:
            return end, end, (i, j)
        t = out
        if out_u <= out_v:
            i = next_i if du > 0.0 else low_i - 1
            j = _onward(j, math.floor(v + dv * t), low_j, min(next_j, ny) - 1, dv)
            level = _coarser(i, level, top, du)
        else:
            j = next_j if dv > 0.0 else low_j - 1
            i = _onward(i, math.floor(u + du * t), low_i, min(next_i, nx) - 1, du)
            level = _coarser(j, level, top, dv)


@inline
def _over_slab(slabs, k, along, t, side, slack):
    """Return (distance of w from the near plane of a slab at t, its rate); k: index of its four numbers; along: u, v from its first cell, w, their rates."""
    u, v, w, du, dv, dw = along
    a, b, bound = float(slabs[k]), float(slabs[k + ONE]), float(slabs[k + ONE + ONE + ONE] if side > 0.0 else slabs[k + ONE + ONE])
    rate = side * (dw - a * du - b * dv)
    return side * (w - a * u - b * v - bound) - slack + rate * t, rate


@inline
def _onward(i, found, first, last, rate):
    """Return the cell `found` from first to last, or cell i if that lies behind."""
    return max(min(found, last), i) if rate >= 0.0 else min(max(found, first), i)


@inline
def _entry(i, u, du, per_u, count):
    """Return t where a ray enters column i of `count`, -inf if it does not enter it."""
    if du > 0.0 and i > 0:
        return (i - u) * per_u
    if du < 0.0 and i + 1 < count:
        return (i + 1 - u) * per_u
    return -math.inf


@inline
def _coarser(i, level, top, rate):
    """Return the next level if a ray enters a larger block at index i, else the same."""
    enters = (i >> level) & 1 == (0 if rate > 0.0 else 1)
    return level + 1 if enters and level < top else level


@inline
def cell_at(u, count):
    """Return the index of the cell at u, of `count` cells whose outermost extend to infinity."""
    return math.floor(min(max(u, 0.0), count - 1.0))
