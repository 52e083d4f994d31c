"""Ground for wheels and bodies: the sum of base grid, roughness and sharp features.

    z(x, y) = base(x, y) + gain(x, y) roughness(x, y) + features(x, y)

All terms are C1. A term that a ground does not have costs only a comparison. Beyond the map, the base (`terrain.base_grid`) and the roughness
continue; features exist once. Ruts are not included: they are part of the soil memory.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from terrain.base_grid import base_and_slopes, base_height, height_and_normal, nodes_around, plane_and_normal, within_reach
from terrain.features.kernels import features_and_slopes
from terrain.roughness import GAIN_STEPS, spline_weights, tiles_and_slopes


@inline
def composed_height(ground, x, y):
    """Return the height z in m of the ground at x, y (m, in W); `ground` is `terrain.ground.GroundArrays`."""
    z = base_height(ground.p, ground.heights, x, y)
    r, f = ground.roughness, ground.features
    if r.p[0]["gain"] > 0.0:
        more, _, _ = rough_and_slopes(ground.p, r.p, r.fine, r.p[0]["fine_spacing"], r.coarse, r.gain, x, y)
        z += more
    if f.bins[0]["count"][0] > 0:
        more, _, _ = features_and_slopes(f.bins, f.starts, f.items, f.pieces, within_reach(x), within_reach(y))
        z += more
    return z


@inline
def composed_height_and_normal(ground, x, y, n):
    """Return the height z in m of the ground at x, y (m, in W); n (3,) receives its unit normal, in W, pointing up.

    All x, y except NaN give finite results. `ground` is `terrain.ground.GroundArrays`. The function is inlined, because passing a ground to another
    kernel takes longer than evaluating it.
    """
    r = ground.roughness
    return _height_and_normal(ground, r.fine, r.p[0]["fine_spacing"], x, y, n)


@inline
def parts_and_slopes(ground, x, y):
    """Return (z [m], dz/dx, dz/dy) of base grid, roughness and features separately, as three tuples."""
    r, f = ground.roughness, ground.features
    base, rough, sharp = base_and_slopes(ground.p, ground.heights, x, y), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if r.p[0]["gain"] > 0.0:
        rough = rough_and_slopes(ground.p, r.p, r.fine, r.p[0]["fine_spacing"], r.coarse, r.gain, x, y)
    if f.bins[0]["count"][0] > 0:
        sharp = features_and_slopes(f.bins, f.starts, f.items, f.pieces, within_reach(x), within_reach(y))
    return base, rough, sharp


@inline
def footprint_height_and_normal(ground, x, y, n):
    """Return height and unit normal as `composed_height_and_normal`, with the shortest waves of roughness averaged over a footprint.

    This is for a wheel with one contact point. A tread bridges waves of a decimeter, but a point of the rim would fall into them. Where the ground is
    more curved than the wheel, several points of the rim touch, and the contact point would jump between them. The average is Gaussian, as wide as a
    box of `rough_tiles.FOOTPRINT`.
    """
    r = ground.roughness
    return _height_and_normal(ground, r.footprint, r.p[0]["footprint_spacing"], x, y, n)


@inline
def _height_and_normal(ground, fine, spacing, x, y, n):
    """Return height and unit normal with the given fine tile."""
    if not ground.p[0]["steepest"] > 0.0:
        return plane_and_normal(ground.p, ground.heights, x, y, n)
    z = height_and_normal(ground.p, ground.heights, x, y, n)
    r, f = ground.roughness, ground.features
    if r.p[0]["gain"] > 0.0:
        more, zx, zy = rough_and_slopes(ground.p, r.p, fine, spacing, r.coarse, r.gain, x, y)
        z += more
        _add_slopes(zx, zy, n)
    if f.bins[0]["count"][0] > 0:
        more, zx, zy = features_and_slopes(f.bins, f.starts, f.items, f.pieces, within_reach(x), within_reach(y))
        z += more
        if zx != 0.0 or zy != 0.0:
            _add_slopes(zx, zy, n)
    return z


@inline
def _add_slopes(zx, zy, n):
    """Update a unit normal for additional slopes zx, zy of the surface."""
    zx, zy = zx - n[0] / n[2], zy - n[1] / n[2]
    length = math.sqrt(1.0 + zx * zx + zy * zy)
    n[0], n[1], n[2] = -zx / length, -zy / length, 1.0 / length


@inline
def rough_and_slopes(p, r, fine, spacing, coarse, gain, x, y):
    """Return (z [m], dz/dx, dz/dy) of the roughness at x, y (m, in W); `p`, `r` are records of `terrain.ground.GROUND` and of `ROUGHNESS`."""
    x, y = within_reach(x), within_reach(y)
    z, zx, zy = tiles_and_slopes(r, fine, spacing, coarse, x, y)
    if gain.shape[0] > 0:
        g, gx, gy = gain_and_slopes(p, gain, x, y)
        z, zx, zy = g * z, g * zx + gx * z, g * zy + gy * z
    return z, zx, zy


@inline
def gain_and_slopes(p, gain, x, y):
    """Return (gain, d gain/dx, d gain/dy) of the roughness at x, y: the quadratic B-spline of 3 x 3 nodes of the gain grid, as for hardness.

    `p` is a record of `terrain.ground.GROUND`; gain (ny, nx) continues outside the grid like the heights.
    """
    g = p[0]
    ny, nx = gain.shape
    dx, dy = g["spacing"][0], g["spacing"][1]
    i0, i1, i2, _, u = nodes_around(x + 0.5 * dx, g["origin"][0], dx, nx, g["mirrored"])
    j0, j1, j2, _, v = nodes_around(y + 0.5 * dy, g["origin"][1], dy, ny, g["mirrored"])
    first = gain[j1, i1]
    if (
        gain[j0, i0] == first and gain[j0, i1] == first and gain[j0, i2] == first and gain[j1, i0] == first
        and gain[j1, i2] == first and gain[j2, i0] == first and gain[j2, i1] == first and gain[j2, i2] == first
    ):  # fmt: skip
        return first * (1.0 / GAIN_STEPS), 0.0, 0.0  # the usual case, except at the edges of roads
    a0, a1, a2 = spline_weights(u - 0.5)
    b0, b1, b2 = spline_weights(v - 0.5)
    h00, h01, h02 = float(gain[j0, i0]), float(gain[j0, i1]), float(gain[j0, i2])
    h10, h11, h12 = float(gain[j1, i0]), float(gain[j1, i1]), float(gain[j1, i2])
    h20, h21, h22 = float(gain[j2, i0]), float(gain[j2, i1]), float(gain[j2, i2])
    r0, r1, r2 = a0 * h00 + a1 * h01 + a2 * h02, a0 * h10 + a1 * h11 + a2 * h12, a0 * h20 + a1 * h21 + a2 * h22
    along = b0 * ((u - 1.0) * h00 + (1.0 - 2.0 * u) * h01 + u * h02)
    along += b1 * ((u - 1.0) * h10 + (1.0 - 2.0 * u) * h11 + u * h12)
    along += b2 * ((u - 1.0) * h20 + (1.0 - 2.0 * u) * h21 + u * h22)
    across = (v - 1.0) * r0 + (1.0 - 2.0 * v) * r1 + v * r2
    value = b0 * r0 + b1 * r1 + b2 * r2
    return value / GAIN_STEPS, along / (dx * GAIN_STEPS), across / (dy * GAIN_STEPS)


@kernel
def composed_heights(ground, x, y, out):
    """Write heights in m at points x, y (n,) (m, in W) to out (n,)."""
    for i in range(len(x)):
        out[i] = composed_height(ground, x[i], y[i])
