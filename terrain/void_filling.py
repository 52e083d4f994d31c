"""Voids of elevation data, filled: a membrane is stretched over each from its rim.

So every height lies between the lowest and the highest of the rim, and no slope inside is steeper than there: what one would draw by hand. It
is no measurement, and whoever fills says how much of it there is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terrain.readers.contract import Values

CLOSE = 1e-4
"""m. As near to its neighbors' mean as that every height is."""
MOST_ROUNDS = 3000
"""Of the search for the membrane; about twice the width of the widest void in samples is needed."""


def filled(heights: Values) -> Values:
    """Heights (rows, columns) with a value at every NaN: the mean of its neighbors (Laplace's equation, nothing flows through the border of
    the grid). At least one height is none."""
    void = np.isnan(heights)
    if not void.any():
        return heights
    out = _guessed(heights)
    cells = np.flatnonzero(void)
    neighbors, there = _neighbors(cells, heights.shape)
    number = np.full(heights.size, -1)
    number[cells] = np.arange(len(cells))
    inner = np.where(there, number[neighbors], -1)
    known = np.where(there & (inner < 0), out.ravel()[neighbors], 0.0).sum(axis=1)
    out.ravel()[cells] = _membrane(out.ravel()[cells], inner, there.sum(axis=1).astype(np.float64), known)
    return out


def _guessed(heights: Values) -> Values:
    """NaN filled with the membrane over blocks of four samples."""
    if not np.isnan(heights).any():
        return heights.copy()
    rows, columns = (n + n % 2 for n in heights.shape)
    even = np.full((rows, columns), np.nan)
    even[: heights.shape[0], : heights.shape[1]] = heights
    blocks = even.reshape(rows // 2, 2, columns // 2, 2)
    counts = (~np.isnan(blocks)).sum(axis=(1, 3))
    means = np.where(counts > 0, np.nansum(blocks, axis=(1, 3)) / np.maximum(counts, 1), np.nan)
    coarse = filled(means).repeat(2, axis=0).repeat(2, axis=1)[: heights.shape[0], : heights.shape[1]]
    return np.where(np.isnan(heights), coarse, heights)


def _neighbors(cells: NDArray[np.intp], shape: tuple[int, ...]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Flat numbers (n, 4) of the samples around cells, and whether there are any."""
    rows, columns = shape
    j, i = np.divmod(cells, columns)
    around = np.column_stack((cells - columns, cells + columns, cells - 1, cells + 1))
    there = np.column_stack((j > 0, j < rows - 1, i > 0, i < columns - 1))
    return np.where(there, around, 0), there


def _membrane(start: Values, inner: NDArray[np.intp], degree: Values, known: Values) -> Values:
    """Heights of which each is the mean of its neighbors, by conjugate gradients [Hestenes and Stiefel 1952].

    inner : (n, 4) numbers of neighbors that are sought too, -1 for others; known : sums of the others; degree : number of neighbors
    """

    def pull(z: Values) -> Values:
        padded = np.append(z, 0.0)
        return np.asarray(degree * z - padded[inner].sum(axis=1), np.float64)

    z = start.copy()
    rest = known - pull(z)
    direction, size = rest / degree, float(rest @ (rest / degree))
    for _ in range(MOST_ROUNDS):
        if np.abs(rest).max() < CLOSE:
            break
        pulled = pull(direction)
        step = size / float(direction @ pulled)
        z += step * direction
        rest -= step * pulled
        scaled = rest / degree
        before, size = size, float(rest @ scaled)
        direction = scaled + (size / before) * direction
    return z
