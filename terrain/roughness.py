"""Roughness of a ground down to a decimeter, on top of its grid: ISO 8608 random fields in periodic tiles; the same seed gives identical bits.

One tile cannot represent waves from 0.1 to 100 m. There are two: a fine tile, rotated so that no line along the axes meets the same waves again, and a
coarse tile. Between the nodes, tiles are quadratic B-splines: C1, nine nodes per evaluation. The short waves of the nodes are larger to compensate for the
attenuation of the spline.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline
from simulator.base.records import Record, record

ROUGHNESS = (
    # name         shape unit  description
    ("gain", (), "1", "factor of the heights of both tiles"),
    ("fine_spacing", (), "m", "distance of the nodes of the fine tile"),
    ("footprint_spacing", (), "m", "distance of the nodes of the fine tile averaged over a footprint"),
    ("coarse_spacing", (), "m", "distance of the nodes of the coarse tile"),
    ("axis", (2,), "1", "direction of the rows of the fine tile in W"),
    ("steepest", (), "1", "bound on the slope of the roughness"),
)
GAIN_STEPS = 255
"""Number in the gain grid that represents the gain 1."""


class Roughness(NamedTuple):
    """Arrays of the roughness of a ground, for kernels."""

    p: Record
    """length-1 record of `ROUGHNESS`"""
    fine: NDArray[np.float32]
    """(n, n) m, n a power of two; (0, 0): none"""
    footprint: NDArray[np.float32]
    """(k, k) m, k a power of two: the fine tile averaged over a footprint, for contact in one point"""
    coarse: NDArray[np.float32]
    """(m, m) m, m a power of two; (0, 0): none"""
    gain: NDArray[np.uint8]
    """(ny, nx) additional factor at the nodes of the grid of the ground, in units of 1 / GAIN_STEPS; (0, 0): 1 everywhere"""


def no_roughness() -> Roughness:
    """Return the roughness of a ground that has none."""
    empty = np.zeros((0, 0), np.float32)
    return Roughness(record(ROUGHNESS), empty, empty, empty, np.zeros((0, 0), np.uint8))


@inline
def spline_weights(t):
    """Return the quadratic B-spline weights of the three nodes around position t in [-0.5, 0.5], relative to the middle node."""
    return 0.5 * (0.5 - t) * (0.5 - t), 0.75 - t * t, 0.5 * (0.5 + t) * (0.5 + t)


@inline
def tile_and_slopes(tile, u, v):
    """Return (z, dz/du, dz/dv) of a periodic tile (n, n), n a power of two, at column u and row v, in nodes."""
    i, j = math.floor(u + 0.5), math.floor(v + 0.5)
    s, t = u - i, v - j
    last = tile.shape[0] - 1
    i1, j1 = int(i) & last, int(j) & last
    i0, i2, j0, j2 = (i1 - 1) & last, (i1 + 1) & last, (j1 - 1) & last, (j1 + 1) & last
    a0, a1, a2 = spline_weights(s)
    d0, d1, d2 = s - 0.5, -2.0 * s, s + 0.5
    h00, h01, h02 = float(tile[j0, i0]), float(tile[j0, i1]), float(tile[j0, i2])
    h10, h11, h12 = float(tile[j1, i0]), float(tile[j1, i1]), float(tile[j1, i2])
    h20, h21, h22 = float(tile[j2, i0]), float(tile[j2, i1]), float(tile[j2, i2])
    r0, r1, r2 = a0 * h00 + a1 * h01 + a2 * h02, a0 * h10 + a1 * h11 + a2 * h12, a0 * h20 + a1 * h21 + a2 * h22
    q0, q1, q2 = d0 * h00 + d1 * h01 + d2 * h02, d0 * h10 + d1 * h11 + d2 * h12, d0 * h20 + d1 * h21 + d2 * h22
    b0, b1, b2 = spline_weights(t)
    z = b0 * r0 + b1 * r1 + b2 * r2
    return z, b0 * q0 + b1 * q1 + b2 * q2, (t - 0.5) * r0 - 2.0 * t * r1 + (t + 0.5) * r2


@inline
def tiles_and_slopes(p, fine, spacing, coarse, x, y):
    """Return (z [m], dz/dx, dz/dy) of a fine tile with nodes `spacing` m apart plus the coarse tile at x, y (m, in W), without the gain grid.

    `p` is a record of `ROUGHNESS`.
    """
    r = p[0]
    z = zx = zy = 0.0
    if fine.shape[0] > 0:
        c, s, per = r["axis"][0], r["axis"][1], 1.0 / spacing
        z, zu, zv = tile_and_slopes(fine, (c * x + s * y) * per, (c * y - s * x) * per)
        zx, zy = (c * zu - s * zv) * per, (s * zu + c * zv) * per
    if coarse.shape[0] > 0:
        per = 1.0 / r["coarse_spacing"]
        long, zu, zv = tile_and_slopes(coarse, x * per, y * per)
        z, zx, zy = z + long, zx + zu * per, zy + zv * per
    return r["gain"] * z, r["gain"] * zx, r["gain"] * zy


def steepest_of_tile(tile: NDArray[np.float32], spacing: float) -> float:
    """Return a bound on the slope of a tile: its slope is a mean of differences of neighbors with positive weights."""
    across = [float(np.abs(tile - np.roll(tile, 1, axis=axis)).max(initial=0.0)) for axis in (0, 1)]
    return math.hypot(*across) / spacing
