"""Rays in ruts: wheels have pressed the soil, so that the ground is lower than `terrain.composite_height` by the depth of the rut.

A ray reaches the undisturbed ground first. Below it, the ray goes on in steps to the bottom or a wall of the rut.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from terrain.rays.cast import ray_at
from terrain.rays.march import ground_and_slopes
from terrain.rut_grid import SPACING
from terrain.ruts import depth_at

STEP = 0.2 * SPACING
"""m. Steps in a rut; between its nodes, the depth is bilinear."""
FARTHEST = 20.0
"""m. Maximum length of a ray in a rut; a ray along a straight rut may be that long."""
HALVINGS = 40


@kernel
def lower_in_ruts(ground, rays, rough, hits):
    """Move the hits on the ground (object 0) to the surface in the ruts; arguments as for `terrain.rays.cast.cast_rays`."""
    ranges, normals = hits.range, hits.normal
    for n in range(len(ranges)):
        if hits.object[n] != 0:
            continue
        ray = ray_at(rays, n)
        x, y = ray[0] + ranges[n] * ray[3], ray[1] + ranges[n] * ray[4]
        if ray[5] >= 0.0 or depth_at(ground.ruts, x, y) == 0.0:  # a ray from below the ground stops at it
            continue
        ranges[n] = _bottom(ground, ray, ranges[n], rough)
        x, y = ray[0] + ranges[n] * ray[3], ray[1] + ranges[n] * ray[4]
        _, zx, zy = ground_and_slopes(ground, x, y, rough)
        h = 0.5 * SPACING
        zx -= (depth_at(ground.ruts, x + h, y) - depth_at(ground.ruts, x - h, y)) / (2.0 * h)
        zy -= (depth_at(ground.ruts, x, y + h) - depth_at(ground.ruts, x, y - h)) / (2.0 * h)
        length = math.sqrt(1.0 + zx * zx + zy * zy)
        side = -1.0 if ray[5] - zx * ray[3] - zy * ray[4] > 0.0 else 1.0
        normals[n, 0], normals[n, 1], normals[n, 2] = -side * zx / length, -side * zy / length, side / length


@inline
def _bottom(ground, ray, start, rough):
    """Return t [m] where a ray that enters the undisturbed ground at `start` meets the surface of a rut."""
    low, high = start, start
    while high < start + FARTHEST:
        low, high = high, high + STEP
        if _above(ground, ray, high, rough) <= 0.0:
            break
    for _ in range(HALVINGS):
        t = 0.5 * (low + high)
        if _above(ground, ray, t, rough) > 0.0:
            low = t
        else:
            high = t
    return high


@inline
def _above(ground, ray, t, rough):
    """Return the height [m] of a ray above the surface with ruts."""
    x, y = ray[0] + t * ray[3], ray[1] + t * ray[4]
    z, _, _ = ground_and_slopes(ground, x, y, rough)
    return ray[2] + t * ray[5] - z + depth_at(ground.ruts, x, y)
