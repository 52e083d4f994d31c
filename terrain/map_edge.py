"""Margin of a map: a strip in which the heights level out, so that the mirror image can follow without a crease.

Beyond its grid, a height map continues with its mirror images (`terrain.base_grid.nodes_around`). A slope towards the edge would meet its own image in a
sharp crest or ditch. Therefore a margin is added in which the slope normal to the edge decreases to zero.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Index = TypeVar("Index", bound=np.integer)
INNER = 8
"""Number of cells inside the edge from which the slope normal to the edge is computed."""


def mirrored_margin(nodes: NDArray[Index], margin: tuple[int, int]) -> NDArray[Index]:
    """Return nodes (ny, nx) with `margin` more rows and columns on each side, mirror images of those inside."""
    return np.pad(nodes, tuple((n, n) for n in margin), mode="symmetric")


def faded_margin(shape: tuple[int, int], margin: tuple[int, int]) -> NDArray[np.float32]:
    """Return a factor (ny, nx) for bumps: 1 inside; a C1 step to 0 at the outer border of the margin, for waves longer than a few cells."""
    factors = []
    for count, width in zip(shape, margin, strict=True):
        k = np.arange(count)
        t = np.clip(np.minimum(k, count - 1 - k) / max(width, 1), 0.0, 1.0)
        factors.append((t * t * (3.0 - 2.0 * t)).astype(np.float32))
    return np.outer(*factors)


def rolled_off(heights: NDArray[np.float32], margin: tuple[int, int], spacing: float) -> NDArray[np.float32]:
    """Return heights (ny, nx) in m with `margin` more rows and columns on each side; the given heights are unchanged to the last bit.

    At a distance d outside an edge of height h and outward slope s, with D the width of the margin:

        z = h + s d (1 - d / 2 D)

    This starts with the slope s and levels out at D, and is not steeper than s. s is computed over INNER cells and smoothed along the edge over
    a quarter of D, so that small bumps at the edge do not grow into furrows. Corners: first along x, then along y.
    """
    wide = _rolled_off_along_rows(heights.T, margin[1], spacing).T
    return np.ascontiguousarray(_rolled_off_along_rows(wide, margin[0], spacing), np.float32)


def _rolled_off_along_rows(heights: NDArray[np.float32], margin: int, spacing: float) -> NDArray[np.float32]:
    """Return heights with `margin` more rows before the first and after the last."""
    before = _strip(heights, margin, spacing)[::-1]
    after = _strip(heights[::-1], margin, spacing)
    return np.concatenate((before, heights, after))


def _strip(heights: NDArray[np.float32], margin: int, spacing: float) -> NDArray[np.float32]:
    """Return the (margin, n) rows outside row 0, the nearest first."""
    inner = min(INNER, len(heights) - 1)
    slope = _smoothed((heights[0].astype(np.float64) - heights[inner]) / (inner * spacing), 0.25 * margin)
    d = spacing * np.arange(1, margin + 1)[:, None]
    return (heights[0] + slope * d * (1.0 - d / (2.0 * spacing * margin))).astype(np.float32)


def _smoothed(values: NDArray[np.float64], deviation: float) -> NDArray[np.float64]:
    """Return values (n,) smoothed by a Gaussian window with that standard deviation in samples; mirrored at the ends."""
    half = min(round(3.0 * deviation), len(values) - 1)
    window = np.exp(-0.5 * (np.arange(-half, half + 1) / max(deviation, 1e-9)) ** 2)
    return np.convolve(np.pad(values, half, mode="symmetric"), window / window.sum(), mode="valid")
