"""Bounds of a ground for rays: a pyramid over the cells of the grid, and bounds of roughness and features on top of it.

The bounds of a cell are those of the Bezier coefficients of its Catmull-Rom patch, which contain the patch.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from terrain.features.bins import bounds_per_bin
from terrain.features.curvature import curvature
from terrain.features.kernels import Features
from terrain.ground import Ground
from terrain.rays.feature_cells import MARGIN, FeatureCells, cells_of_grid, feature_cells
from terrain.rays.march import BLOCK
from terrain.rays.pyramid import Pyramid, pyramid_over
from terrain.roughness import GAIN_STEPS, Roughness, steepest_of_tile

SURFACE = (
    # name              shape unit   description
    ("level", (), "1", "1 = all nodes have the height `deviation`: the base is a plane", "i8"),
    ("deviation", (), "m", "height of the first node above the base plane"),
    ("rough_height", (), "m", "bound on the magnitude of the roughness"),
    ("coarse_height", (), "m", "bound on the magnitude of its coarse tile alone"),
    ("rough_slope", (), "1", "bound on its slope"),
    ("rough_curvature", (), "1/m", "bound on its second derivative in any direction"),
    ("feature_height", (), "m", "bound on the height of all features above the ground"),
    ("feature_depth", (), "m", "bound on their depth below it"),
    ("relief", (), "m", "bound on the difference of two heights of features and roughness"),
    ("base_slope", (), "1", "bound on the slope of the ground without features and roughness"),
)
BORDER = 2
"""Cells beyond the first node that have an own row or column in the pyramid; farther outside, a constant border has no relief."""


class RaySurface(NamedTuple):
    """Bounds of a ground for kernels that cast rays."""

    p: Record
    """(1,) of SURFACE"""
    pyramid: Pyramid
    """
    Cell [j, i] is between the nodes j - BORDER and i - BORDER and the next ones; bounds [m] above the base plane, with features, without roughness.
    A base that is a plane has no cells: then the cells are those of the features.
    """
    nodes: NDArray[np.float32]
    """heights of the nodes, row by row: one index takes less time than two"""
    bins: NDArray[np.float64]
    """(bins, 4) of the features of each bin: bounds on the height above the ground, the depth below it [m], the slope, the curvature [1/m]"""
    blocks: NDArray[np.float32]
    """(n, n, 2) lowest and highest height of the fine tile of roughness [m], with the gain 1, in each block of BLOCK x BLOCK nodes [along its rows, across]"""
    features: FeatureCells
    numbers: NDArray[np.int16]
    """(ny + 3, nx + 3) number of the features in each cell, see `terrain.rays.feature_cells`; (0, 0) without features"""


def ray_surface(ground: Ground) -> RaySurface:
    """Return the bounds of a ground."""
    p = record(SURFACE)
    s, mirrored = p[0], int(ground.p[0]["mirrored"])
    s["deviation"] = ground.heights[0, 0]
    s["level"] = float(ground.heights.min()) == float(ground.heights.max())
    s["rough_height"], s["rough_slope"], s["rough_curvature"] = _roughness_bounds(ground.roughness, ground.p[0]["spacing"])
    bins = _feature_bounds(ground.features)
    s["feature_height"], s["feature_depth"] = bins[:, :2].max(axis=0) if len(bins) else (0.0, 0.0)
    s["relief"] = s["feature_height"] + s["feature_depth"] + 2.0 * s["rough_height"]
    on_top = float(ground.roughness.p[0]["steepest"]) + float(ground.features.bins[0]["steepest"])
    s["base_slope"] = ground.p[0]["steepest"] - on_top + math.hypot(*ground.p[0]["slope"]) + 1e-9
    blocks = _blocks_of_tile(ground.roughness.fine, float(ground.roughness.p[0]["gain"]))
    s["coarse_height"] = ground.roughness.p[0]["gain"] * np.abs(ground.roughness.coarse).max(initial=0.0)
    fine, numbers = feature_cells(ground.features, bins), np.zeros((0, 0), np.int16)
    if s["level"]:
        return RaySurface(
            p,
            pyramid_over(fine.bounds if len(bins) else np.zeros((1, 1, 2), np.float32)),
            ground.heights.reshape(-1),
            bins,
            blocks,
            fine,
            numbers,
        )
    ny, nx = ground.heights.shape
    cells = np.empty((ny + 2 * BORDER - 1, nx + 2 * BORDER - 1, 2), np.float32)
    slabs = np.empty((*cells.shape[:2], 4), np.float32)
    bound_cells(ground.heights, mirrored, cells, slabs)
    if len(bins):
        relief, numbers = np.zeros_like(cells), np.zeros(cells.shape[:2], np.int16)
        cells_of_grid(ground.p, ground.heights, ground.features, fine, BORDER, relief, numbers)
        for bounds in (cells, slabs[..., 2:]):
            bounds[..., 0] += relief[..., 0] - MARGIN * (np.abs(relief[..., 0]) + np.abs(bounds[..., 0]))
            bounds[..., 1] += relief[..., 1] + MARGIN * (np.abs(relief[..., 1]) + np.abs(bounds[..., 1]))
    return RaySurface(p, pyramid_over(cells, slabs), ground.heights.reshape(-1), bins, blocks, fine, numbers)


def _roughness_bounds(roughness: Roughness, spacing: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return bounds on height [m], slope and curvature [1/m] of the roughness; all parts are quadratic splines."""
    r = roughness.p[0]
    if not r["gain"] > 0.0:
        return 0.0, 0.0, 0.0
    height = slope = bend = 0.0
    for tile, distance in ((roughness.fine, r["fine_spacing"]), (roughness.coarse, r["coarse_spacing"])):
        if len(tile):
            height += float(np.abs(tile).max())
            slope += steepest_of_tile(tile, float(distance))
            bend += _bend_of_tile(tile, float(distance), float(distance))
    if roughness.gain.size:
        g = np.pad(roughness.gain.astype(float) / GAIN_STEPS, 1, mode="edge")
        rise = math.hypot(*(float(np.abs(np.diff(g, axis=axis)).max()) / step for axis, step in ((1, spacing[0]), (0, spacing[1]))))
        bend += 2.0 * rise * slope + _bend_of_tile(g, float(spacing[0]), float(spacing[1])) * height
        slope += rise * height
    gain = float(r["gain"])
    return gain * height, gain * slope, gain * bend


def _blocks_of_tile(tile: NDArray[np.float32], gain: float) -> NDArray[np.float32]:
    """Return the lowest and highest height in each block of a tile, times the gain: those of all nodes that a quadratic spline weights there."""
    n = tile.shape[0] // BLOCK
    if n == 0:
        return np.zeros((0, 0, 2), np.float32)
    at = (np.arange(n)[:, None] * BLOCK + np.arange(-1, BLOCK + 2)) % tile.shape[0]
    low, high = (of(of(tile[:, at], axis=2)[at], axis=1).T.astype(float) for of in (np.min, np.max))
    out = gain * np.stack((low - MARGIN * np.abs(low), high + MARGIN * np.abs(high)), axis=2)
    return np.ascontiguousarray(out, np.float32) + np.float32(1e-9) * np.array((-1, 1), np.float32)


def _bend_of_tile(tile: NDArray[np.floating], dx: float, dy: float) -> float:
    """Return a bound on the second derivative of a quadratic spline: the second differences of its nodes bound it along the axes and across."""
    tile = np.pad(tile.astype(float), 1, mode="wrap")
    along_x = float(np.abs(np.diff(tile, 2, axis=1)).max()) / dx**2
    along_y = float(np.abs(np.diff(tile, 2, axis=0)).max()) / dy**2
    across = float(np.abs(np.diff(np.diff(tile, axis=0), axis=1)).max()) / (dx * dy)
    return math.sqrt(along_x**2 + along_y**2 + 2.0 * across**2)


def _feature_bounds(features: Features) -> NDArray[np.float64]:
    """Return the bounds (bins, 4) as in `RaySurface`. The curvature is finite only in bins with one element."""
    if not features.bins[0]["count"][0]:
        return np.zeros((0, 4))
    starts, items, pieces = features.starts, features.items, features.pieces
    depth = bounds_per_bin(np.maximum(-pieces["height"], 0.0), pieces, starts, items)
    count = np.diff(starts)
    bend = np.where(count == 0, 0.0, np.inf)
    single = np.flatnonzero(count == 1)
    of_pieces = np.array([curvature(k) for k in pieces])
    bend[single] = of_pieces[items[starts[single]]]
    return np.stack((features.bounds[:, 0], depth, features.bounds[:, 1], bend), axis=1)


@inline
def node_at(k, count, mirrored):
    """Return the node of the grid that stands for node k, -BORDER - 1 <= k <= count + BORDER."""
    if 0 <= k < count:
        return k
    if mirrored:
        return -1 - k if k < 0 else 2 * count - 1 - k
    return 0 if k < 0 else count - 1


@kernel
def bound_cells(heights, mirrored, cells, slabs):
    """Write the bounds of the patches of all cells to cells (ny + 3, nx + 3, 2), without features, and slabs (ny + 3, nx + 3, 4) that contain them.

    See `RaySurface` and `terrain.rays.pyramid.Pyramid`.
    """
    ny, nx = heights.shape
    for row in range(cells.shape[0]):
        for column in range(cells.shape[1]):
            i, j = column - BORDER, row - BORDER
            low, high, under, over = math.inf, -math.inf, math.inf, -math.inf
            h00, h01 = (
                _control(heights, j, node_at(i, nx, mirrored), 0, ny, mirrored),
                _control(heights, j, node_at(i + 1, nx, mirrored), 0, ny, mirrored),
            )
            h10, h11 = (
                _control(heights, j, node_at(i, nx, mirrored), 3, ny, mirrored),
                _control(heights, j, node_at(i + 1, nx, mirrored), 3, ny, mirrored),
            )
            slab = slabs[row, column]
            slab[0], slab[1] = 0.5 * (h01 + h11 - h00 - h10), 0.5 * (h10 + h11 - h00 - h01)
            if row in (0, cells.shape[0] - 1) or column in (0, cells.shape[1] - 1):  # these cells extend to infinity
                slab[0] = slab[1] = 0.0
            a, b = slab[0] / 3.0, slab[1] / 3.0
            for k in range(4):
                c0 = _control(heights, j, node_at(i - 1, nx, mirrored), k, ny, mirrored)
                c1 = _control(heights, j, node_at(i, nx, mirrored), k, ny, mirrored)
                c2 = _control(heights, j, node_at(i + 1, nx, mirrored), k, ny, mirrored)
                c3 = _control(heights, j, node_at(i + 2, nx, mirrored), k, ny, mirrored)
                second, third = c1 + (c2 - c0) / 6.0, c2 - (c3 - c1) / 6.0
                low, high = min(low, c1, second, third, c2), max(high, c1, second, third, c2)
                flat = c1 - b * k, second - a - b * k, third - 2.0 * a - b * k, c2 - 3.0 * a - b * k
                under, over = min(under, flat[0], flat[1], flat[2], flat[3]), max(over, flat[0], flat[1], flat[2], flat[3])
            cells[row, column, 0] = low - MARGIN * abs(low) - 1e-30
            cells[row, column, 1] = high + MARGIN * abs(high) + 1e-30
            slab[2], slab[3] = under - MARGIN * abs(under) - 1e-30, over + MARGIN * abs(over) + 1e-30


@inline
def _control(heights, j, i, k, ny, mirrored):
    """Return the Bezier coefficient k along y of column i, in the cell after row j."""
    h1, h2 = float(heights[node_at(j, ny, mirrored), i]), float(heights[node_at(j + 1, ny, mirrored), i])
    if k == 0:
        return h1
    if k == 1:
        return h1 + (h2 - float(heights[node_at(j - 1, ny, mirrored), i])) / 6.0
    if k == 2:
        return h2 - (float(heights[node_at(j + 2, ny, mirrored), i]) - h1) / 6.0
    return h2
