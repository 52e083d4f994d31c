"""Selection of terrain tiles to draw: a quadtree of equal tiles around the viewer. No OpenGL here.

Tiles of level l have T x T cells of size s 2^l. A tile is split if it is nearer to the focus than twice its side, so that neighbors
differ by at most one level. The vertex shader moves odd nodes onto even ones between 3.45 and 4 sides away [Strugar 2009, CDLOD].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def tile_triangles(cells: int) -> NDArray[np.uint32]:
    """Return two triangles per cell; the diagonals alternate, so that the mesh has no preferred direction."""
    i, j = (axis.ravel() for axis in np.meshgrid(np.arange(cells), np.arange(cells)))
    a = j * (cells + 1) + i
    b, c, d = a + 1, a + cells + 1, a + cells + 2
    odd = ((i + j) % 2 == 1)[:, None]
    return np.where(odd, np.column_stack((a, b, c, b, d, c)), np.column_stack((a, b, d, a, d, c))).astype(np.uint32)


def visible_tiles(
    focus: tuple[float, float], cell: float, cells: int, levels: int, clip_of_world: NDArray, bounds: object = None
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return tiles (n, 4) [corner x, y, cell, side] in m and their levels: the leaves of the quadtree that may be visible.

    bounds: function of centers x, y and half side that returns the lowest and the highest possible ground there.
    """
    chosen, chosen_level = [], []
    side = cell * cells * 2.0 ** (levels - 1)
    start = np.floor(np.array(focus) / side)
    span = np.arange(-4, 5)
    corners = ((np.dstack(np.meshgrid(span, span)).reshape(-1, 2)) + start) * side
    corners = corners[distance(corners, side, focus) < 4.0 * side]
    for level in range(levels - 1, -1, -1):
        corners = corners[_on_screen(corners, side, clip_of_world, bounds)]
        split = distance(corners, side, focus) < 2.0 * side if level else np.zeros(len(corners), bool)
        leaves = corners[~split]
        chosen.append(np.column_stack((leaves, np.full(len(leaves), side / cells), np.full(len(leaves), side))))
        chosen_level.append(np.full(len(leaves), level))
        side *= 0.5
        corners = (corners[split][:, None, :] + np.array([[0, 0], [side, 0], [0, side], [side, side]])).reshape(-1, 2)
    return np.vstack(chosen).astype(np.float32), np.concatenate(chosen_level)


def distance(corners: NDArray, side: Any, focus: tuple[float, float]) -> NDArray:
    """Return the distance of squares from the focus."""
    offset = np.maximum(np.maximum(corners - focus, np.asarray(focus) - corners - np.reshape(side, (-1, 1))), 0.0)
    return np.hypot(offset[:, 0], offset[:, 1])


def _on_screen(corners: NDArray, side: float, clip_of_world: NDArray, bounds: object) -> NDArray[np.bool_]:
    """Return for each box above a square whether it intersects the view: not all eight corners are outside the same face."""
    if not callable(bounds) or not len(corners):
        return np.ones(len(corners), bool)
    x, y = corners[:, 0] + 0.5 * side, corners[:, 1] + 0.5 * side
    low, high = bounds(x, y, 0.5 * side)
    points = np.ones((len(corners), 8, 4))
    for k in range(8):
        points[:, k, 0] = corners[:, 0] + side * (k & 1)
        points[:, k, 1] = corners[:, 1] + side * (k >> 1 & 1)
        points[:, k, 2] = high if k & 4 else low
    clip = points @ np.asarray(clip_of_world, float).T
    w = clip[..., 3]
    outside = [(clip[..., axis] * sign > w).all(axis=1) for axis in (0, 1) for sign in (1.0, -1.0)]
    return ~np.logical_or.reduce([*outside, (w < 0.0).all(axis=1)])


class Counter:
    """Counter of marked nodes of a grid inside rectangles; a summed-area table evaluates many rectangles at once [Crow 1984]."""

    def __init__(self, marked: NDArray[np.bool_], origin: tuple[float, float], spacing: tuple[float, float]) -> None:
        self._sum = np.zeros((marked.shape[0] + 1, marked.shape[1] + 1), np.int32)
        np.cumsum(np.cumsum(marked, axis=0, dtype=np.int32), axis=1, out=self._sum[1:, 1:])
        self._origin, self._spacing = np.asarray(origin), np.asarray(spacing)

    def any(self, low: NDArray, high: NDArray) -> NDArray[np.bool_]:
        """Return for rectangles from low to high (n, 2) whether they contain or touch a marked node; outside the grid the border counts."""
        count = np.array(self._sum.shape)[::-1] - 1
        first = np.clip(np.floor((low - self._origin) / self._spacing).astype(int) - 1, 0, count - 1)
        last = np.clip(np.ceil((high - self._origin) / self._spacing).astype(int) + 1, first, count - 1) + 1
        (i0, j0), (i1, j1) = first.T, last.T
        return (self._sum[j1, i1] - self._sum[j0, i1] - self._sum[j1, i0] + self._sum[j0, i0]) > 0
