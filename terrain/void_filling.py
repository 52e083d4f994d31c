"""Fill voids of elevation data with a membrane (solution of Laplace's equation) that is attached to the rim of each void.

All filled heights are between the minimum and the maximum of the rim, and no slope inside is steeper than at the rim. Filled heights are not
measurements; callers must report how many there are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array

RESIDUAL_TOLERANCE = 1e-4
"""m. Tolerance of the residual: difference of each height from the mean of its neighbors."""
MAX_ITERATIONS = 3000
"""Maximum number of iterations; about twice the width of the widest void in samples is needed."""


def filled(heights: Array) -> Array:
    """Return heights (rows, columns) with a value at every NaN: the mean of its neighbors.

    This solves Laplace's equation without flux through the border of the grid. At least one height must not be NaN.
    """
    void = np.isnan(heights)
    if not void.any():
        return heights
    out = _initial_guess(heights)
    cells = np.flatnonzero(void)
    neighbors, there = _neighbors(cells, heights.shape)
    number = np.full(heights.size, -1)
    number[cells] = np.arange(len(cells))
    inner = np.where(there, number[neighbors], -1)
    known = np.where(there & (inner < 0), out.ravel()[neighbors], 0.0).sum(axis=1)
    out.ravel()[cells] = _membrane(out.ravel()[cells], inner, there.sum(axis=1).astype(np.float64), known)
    return out


def _initial_guess(heights: Array) -> Array:
    """Return heights in which NaN are replaced by the membrane over blocks of four samples, as initial guess."""
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
    """Return flat indices (n, 4) of the neighbors of cells, and a mask of the neighbors inside the grid."""
    rows, columns = shape
    j, i = np.divmod(cells, columns)
    around = np.column_stack((cells - columns, cells + columns, cells - 1, cells + 1))
    there = np.column_stack((j > 0, j < rows - 1, i > 0, i < columns - 1))
    return np.where(there, around, 0), there


def _membrane(start: Array, inner: NDArray[np.intp], degree: Array, known: Array) -> Array:
    """Compute heights that equal the mean of their neighbors, by conjugate gradients [Hestenes and Stiefel 1952].

    Parameters
    ----------
    inner : (n, 4) indices of unknown neighbors, -1 for others
    degree : number of neighbors
    known : sums of the known neighbors
    """

    def pull(z: Array) -> Array:
        padded = np.append(z, 0.0)
        return np.asarray(degree * z - padded[inner].sum(axis=1), np.float64)

    z = start.copy()
    residual = known - pull(z)
    direction, size = residual / degree, float(residual @ (residual / degree))
    for _ in range(MAX_ITERATIONS):
        if np.abs(residual).max() < RESIDUAL_TOLERANCE:
            break
        pulled = pull(direction)
        step = size / float(direction @ pulled)
        z += step * direction
        residual -= step * pulled
        scaled = residual / degree
        before, size = size, float(residual @ scaled)
        direction = scaled + (size / before) * direction
    return z
