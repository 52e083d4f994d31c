"""The ground as wheels and bodies find it: the base grid, roughness and sharp features in one height.

    z(x, y) = base(x, y) + gain(x, y) roughness(x, y) + features(x, y)

Each part is C1, and one that a ground has not costs nothing but the look whether it is there. Beyond the map the base goes on (`terrain.surface`), and so
does roughness; features lie once where the file says. Ruts are not in it: they are the soil's memory.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from terrain.features import features_and_slopes
from terrain.roughness import GAIN_STEPS, roughness_and_slopes, spline_weights
from terrain.surface import base_and_slopes, base_height, nodes_around, within_reach


@kernel
def composed_height(ground, x, y):
    """Height z in m of the ground at x, y (m, in W); `ground` is `terrain.surface.GroundArrays`."""
    z = base_height(ground.p, ground.heights, x, y)
    if _is_bare(ground):
        return z
    more, _, _ = _on_top(ground, x, y)
    return z + more


@kernel
def composed_height_and_normal(ground, x, y, n):
    """Height z in m of the ground at x, y (m, in W); n (3,) receives its unit normal, in W, pointing up.

    Every x, y that is a number gives finite numbers. `ground` is `terrain.surface.GroundArrays`.
    """
    z, zx, zy = base_and_slopes(ground.p, ground.heights, x, y)
    if not _is_bare(ground):
        more, more_x, more_y = _on_top(ground, x, y)
        z, zx, zy = z + more, zx + more_x, zy + more_y
    length = math.sqrt(1.0 + zx * zx + zy * zy)
    n[0], n[1], n[2] = -zx / length, -zy / length, 1.0 / length
    return z


@inline
def _is_bare(ground):
    """Whether there is nothing but the base grid."""
    return len(ground.features.pieces) == 0 and ground.roughness.fine.shape[0] == 0 and ground.roughness.coarse.shape[0] == 0


@kernel
def _on_top(ground, x, y):
    """(z, dz/dx, dz/dy) of roughness and features."""
    x, y = within_reach(x), within_reach(y)
    z = zx = zy = 0.0
    r = ground.roughness
    if r.fine.shape[0] > 0 or r.coarse.shape[0] > 0:
        z, zx, zy = roughness_and_slopes(r.p, r.fine, r.coarse, x, y)
        if r.gain.shape[0] > 0:
            g, gx, gy = gain_and_slopes(ground.p, r.gain, x, y)
            z, zx, zy = g * z, g * zx + gx * z, g * zy + gy * z
    if len(ground.features.pieces) > 0:
        more, more_x, more_y = features_and_slopes(ground.features, x, y)
        z, zx, zy = z + more, zx + more_x, zy + more_y
    return z, zx, zy


@inline
def gain_and_slopes(p, gain, x, y):
    """(gain, d gain/dx, d gain/dy) of the roughness at x, y: the quadratic B-spline of 3 x 3 nodes of the gain grid, as hardness is.

    `p` is a record of `terrain.surface.GROUND`; gain (ny, nx) goes on outside the grid as the heights do.
    """
    g = p[0]
    ny, nx = gain.shape
    dx, dy = g["spacing"][0], g["spacing"][1]
    i0, i1, i2, _, u = nodes_around(x + 0.5 * dx, g["origin"][0], dx, nx, g["mirrored"])
    j0, j1, j2, _, v = nodes_around(y + 0.5 * dy, g["origin"][1], dy, ny, g["mirrored"])
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
    """Heights in m at points x, y (n,) (m, in W) into out (n,)."""
    for i in range(len(x)):
        out[i] = composed_height(ground, x[i], y[i])
