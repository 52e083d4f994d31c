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
from terrain.rays.pyramid import Pyramid, pyramid_over
from terrain.roughness import GAIN_STEPS, Roughness, steepest_of_tile

SURFACE = (
    # name              shape unit   description
    ("level", (), "1", "1 = all nodes have the height `deviation`: the base is a plane", "i8"),
    ("deviation", (), "m", "height of the first node above the base plane"),
    ("rough_height", (), "m", "bound on the magnitude of the roughness"),
    ("rough_slope", (), "1", "bound on its slope"),
    ("rough_curvature", (), "1/m", "bound on its second derivative in any direction"),
    ("feature_height", (), "m", "bound on the height of all features above the ground"),
    ("feature_depth", (), "m", "bound on their depth below it"),
)
BORDER = 2
"""Cells beyond the first node that have an own row or column in the pyramid; farther outside, a constant border has no relief."""
MARGIN = 2e-7
"""Relative widening of bounds for their single precision."""


class RaySurface(NamedTuple):
    """Bounds of a ground for kernels that cast rays."""

    p: Record
    """(1,) of SURFACE"""
    pyramid: Pyramid
    """Cell [j, i] is between the nodes j - BORDER and i - BORDER and the next ones; bounds [m] above the base plane, with features, without roughness"""
    bins: NDArray[np.float64]
    """(bins, 4) of the features of each bin: bounds on the height above the ground, the depth below it [m], the slope, the curvature [1/m]"""


def ray_surface(ground: Ground) -> RaySurface:
    """Return the bounds of a ground."""
    p = record(SURFACE)
    s, mirrored = p[0], int(ground.p[0]["mirrored"])
    s["deviation"] = ground.heights[0, 0]
    s["level"] = float(ground.heights.min()) == float(ground.heights.max())
    s["rough_height"], s["rough_slope"], s["rough_curvature"] = _roughness_bounds(ground.roughness, ground.p[0]["spacing"])
    bins = _feature_bounds(ground.features)
    s["feature_height"], s["feature_depth"] = bins[:, :2].max(axis=0) if len(bins) else (0.0, 0.0)
    if s["level"]:
        return RaySurface(p, pyramid_over(np.zeros((1, 1, 2), np.float32)), bins)
    ny, nx = ground.heights.shape
    cells = np.empty((ny + 2 * BORDER - 1, nx + 2 * BORDER - 1, 2), np.float32)
    bound_cells(ground.heights, mirrored, cells)
    if len(bins):
        more = np.zeros_like(cells)
        _feature_cells(ground.p, ground.heights, ground.features.bins, bins, more)
        cells[..., 0] -= (1.0 + MARGIN) * more[..., 0] + MARGIN * np.abs(cells[..., 0])
        cells[..., 1] += (1.0 + MARGIN) * more[..., 1] + MARGIN * np.abs(cells[..., 1])
    return RaySurface(p, pyramid_over(cells), bins)


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
def bound_cells(heights, mirrored, cells):
    """Write the bounds of the patches of all cells to cells (ny + 3, nx + 3, 2), as in `RaySurface`, without features."""
    ny, nx = heights.shape
    for row in range(cells.shape[0]):
        for column in range(cells.shape[1]):
            i, j = column - BORDER, row - BORDER
            low, high = math.inf, -math.inf
            for k in range(4):
                c0 = _control(heights, j, node_at(i - 1, nx, mirrored), k, ny, mirrored)
                c1 = _control(heights, j, node_at(i, nx, mirrored), k, ny, mirrored)
                c2 = _control(heights, j, node_at(i + 1, nx, mirrored), k, ny, mirrored)
                c3 = _control(heights, j, node_at(i + 2, nx, mirrored), k, ny, mirrored)
                second, third = c1 + (c2 - c0) / 6.0, c2 - (c3 - c1) / 6.0
                low, high = min(low, c1, second, third, c2), max(high, c1, second, third, c2)
            cells[row, column, 0] = low - MARGIN * abs(low) - 1e-30
            cells[row, column, 1] = high + MARGIN * abs(high) + 1e-30


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


@kernel
def _feature_cells(p, heights, bins, of_bins, cells):
    """Write depth and height of features to the cells that they meet, also to those of which these cells are mirror images."""
    g, b = p[0], bins[0]
    ny, nx = heights.shape
    dx, dy = g["spacing"][0], g["spacing"][1]
    for row in range(b["count"][1]):
        for column in range(b["count"][0]):
            up, down = of_bins[row * b["count"][0] + column, 0], of_bins[row * b["count"][0] + column, 1]
            if up == 0.0 and down == 0.0:
                continue
            x, y = b["origin"][0] + column * b["size"] - g["origin"][0], b["origin"][1] + row * b["size"] - g["origin"][1]
            for j in range(math.floor(y / dy), math.floor((y + b["size"]) / dy) + 1):
                for i in range(math.floor(x / dx), math.floor((x + b["size"]) / dx) + 1):
                    cell = cells[image_of(j, ny, g["mirrored"]) + BORDER, image_of(i, nx, g["mirrored"]) + BORDER]
                    cell[0], cell[1] = max(cell[0], down), max(cell[1], up)


@inline
def image_of(i, count, mirrored):
    """Return the cell from -BORDER to count + BORDER - 2 that cell i is or whose heights it has."""
    if not mirrored:
        return min(max(i, -BORDER), count)
    i %= 2 * count
    return 2 * count - 2 - i if i > count - 1 else i
