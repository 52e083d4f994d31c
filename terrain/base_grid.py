"""Base grid of a ground: kernels for the Catmull-Rom surface through the nodes of the height map."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel

FARTHEST = 1e15
"""m. Limit of coordinates: beyond it, also for infinite ones, the ground is evaluated here, where all results are finite."""


@inline
def grid_place(x, origin, spacing, count):
    """Return cell index i and position t in [0, 1) of coordinate x along one axis of a grid of `count` nodes with constant borders.

    Two cells beyond the border all nodes of the interpolation have the border value, and the position is clamped there. The
    result is constant and C1 outside, and no number, not even NaN, leads to an index out of range.
    """
    u = (x - origin) / spacing
    if not u > -2.0:
        u = -2.0
    elif not u < count + 1.0:
        u = count + 1.0
    low = math.floor(u)
    return int(low), u - low


@inline
def nodes_around(x, origin, spacing, count, mirrored):
    """Return the nodes i - 1, i, i + 1, i + 2 around coordinate x along one axis of a grid of `count` nodes, and the position t in [0, 1) after i."""
    u = (x - origin) / spacing
    if not (1.0 <= u < count - 2.0):
        return _nodes_at_the_border(u, count, mirrored)
    low = math.floor(u)
    i = int(low)
    return i - 1, i, i + 1, i + 2, u - low


@kernel
def _nodes_at_the_border(u, count, mirrored):
    """Return the result of `nodes_around` near the border and outside, u in nodes; no number, not even NaN, leads to an index out of range.

    Constant border: see `grid_place`. Mirror images: node -1 - k is node k and node count + k is node count - 1 - k, so the axes of symmetry are half
    a cell outside the outermost nodes, and the inside is the same for both. The map repeats after 2 count nodes.
    """
    if not mirrored:
        i, t = grid_place(u, 0.0, 1.0, count)
        last = count - 1
        return min(max(i - 1, 0), last), min(max(i, 0), last), min(max(i + 1, 0), last), min(max(i + 2, 0), last), t
    period = 2.0 * count
    u -= period * math.floor(u / period)
    if not u >= 0.0:
        u = 0.0
    elif not u <= period:
        u = period
    low = math.floor(u)
    i = int(low)
    return _folded(i - 1, count), _folded(i, count), _folded(i + 1, count), _folded(i + 2, count), u - low


@inline
def _folded(k, count):
    """Return the node of the grid whose mirror image is node k, -count <= k <= 3 count - 1."""
    if k >= count:
        k = 2 * count - 1 - k
    return k if k >= 0 else -1 - k


@inline
def within_reach(x):
    """Return a coordinate clamped to +-FARTHEST."""
    return min(max(x, -FARTHEST), FARTHEST)


@inline
def cubic_weights(t):
    """Return the Catmull-Rom weights of the four nodes around position t in [0, 1] between the middle two (Catmull and Rom 1974)."""
    a = 0.5 * t
    b = a * t
    c = b * t
    return 2.0 * b - a - c, 1.0 - 5.0 * b + 3.0 * c, a + 4.0 * b - 3.0 * c, c - b


@inline
def cubic_slopes(t):
    """Return the derivatives of `cubic_weights` with respect to t."""
    c = 1.5 * t * t
    return 2.0 * t - 0.5 - c, 3.0 * c - 5.0 * t, 0.5 + 4.0 * t - 3.0 * c, c - t


@inline
def base_and_slopes(p, heights, x, y):
    """Return (z [m], dz/dx, dz/dy) of the base grid at x, y (m, in W).

        z = height + slope . (x, y) + sum_j sum_i b_j(v) a_i(u) h[j, i]

    with Catmull-Rom weights a, b of 4 x 4 nodes. The surface has continuous first derivatives (C1), passes through all nodes and is exact
    for planes. Computation is in double precision, heights are stored in single precision. Outside the grid, h continues as its mirror image or
    with constant border values (`mirrored` in `GROUND`), C1 there, too, and the plane continues. All x, y except NaN give finite results.
    `p` is a record of `GROUND`.
    """
    g = p[0]
    ny, nx = heights.shape
    x, y = within_reach(x), within_reach(y)
    i0, i1, i2, i3, u = nodes_around(x, g["origin"][0], g["spacing"][0], nx, g["mirrored"])
    j0, j1, j2, j3, v = nodes_around(y, g["origin"][1], g["spacing"][1], ny, g["mirrored"])
    a0, a1, a2, a3 = cubic_weights(u)
    d0, d1, d2, d3 = cubic_slopes(u)
    b0, b1, b2, b3 = cubic_weights(v)
    e0, e1, e2, e3 = cubic_slopes(v)
    z = zx = zy = 0.0
    for row, b, e in ((j0, b0, e0), (j1, b1, e1), (j2, b2, e2), (j3, b3, e3)):
        h0, h1, h2, h3 = float(heights[row, i0]), float(heights[row, i1]), float(heights[row, i2]), float(heights[row, i3])
        across = a0 * h0 + a1 * h1 + a2 * h2 + a3 * h3
        z += b * across
        zy += e * across
        zx += b * (d0 * h0 + d1 * h1 + d2 * h2 + d3 * h3)
    zx = g["slope"][0] + zx / g["spacing"][0]
    zy = g["slope"][1] + zy / g["spacing"][1]
    return g["height"] + g["slope"][0] * x + g["slope"][1] * y + z, zx, zy


@kernel
def base_height(p, heights, x, y):
    """Return the height z in m of the base grid at x, y (m, in W), see `base_and_slopes`."""
    z, _, _ = base_and_slopes(p, heights, x, y)
    return z


@inline
def plane_and_normal(p, heights, x, y, n):
    """Return height and normal as `height_and_normal` of a grid with equal heights, a plane."""
    g = p[0]
    zx, zy = g["slope"][0], g["slope"][1]
    length = math.sqrt(1.0 + zx * zx + zy * zy)
    n[0], n[1], n[2] = -zx / length, -zy / length, 1.0 / length
    return g["height"] + zx * within_reach(x) + zy * within_reach(y) + float(heights[0, 0])


@kernel
def height_and_normal(p, heights, x, y, n):
    """Return the height z in m of the base grid at x, y (m, in W); n (3,) receives its unit normal, in W, pointing up; see `base_and_slopes`.

    The surface for wheels is in `terrain.composite_height`.
    """
    z, zx, zy = base_and_slopes(p, heights, x, y)
    length = math.sqrt(1.0 + zx * zx + zy * zy)
    n[0], n[1], n[2] = -zx / length, -zy / length, 1.0 / length
    return z
