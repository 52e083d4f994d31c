"""Kernel that casts rays against a ground and the objects on it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.callbacks import records_at
from simulator.base.jit import inline, kernel
from terrain.objects.pose import place_object
from terrain.objects.records import OBJECT_TYPE
from terrain.rays.ground_hit import ON_SURFACE, ground_hit
from terrain.rays.lower_neighbor import free_until, order_of
from terrain.rays.march import ground_and_slopes
from terrain.rays.object_hit import object_hit, place_movers


class Rays(NamedTuple):
    """n rays."""

    line: NDArray[np.float64]
    """(n, 6) origin [m], direction (unit vector), in W"""
    limit: NDArray[np.float64]
    """(n,) maximum range [m]"""
    time: NDArray[np.float64]
    """(n,) time [s] at which moving objects are placed"""


class CastOptions(NamedTuple):
    """Surfaces that stop rays."""

    ground: bool
    roughness: bool
    porous: bool
    """True = porous objects are solid"""
    ruts: bool


@kernel
def unit_rays(origins, directions, rays):
    """Write origins and unit directions to rays (n, 6); return the first row with a number that is not finite or a direction of length zero, else -1.

    One of origins and directions (n, 3) may have a single row, which counts for all rays.
    """
    for n in range(len(rays)):
        o, d = origins[n if len(origins) > 1 else 0], directions[n if len(directions) > 1 else 0]
        scale = max(abs(d[0]), abs(d[1]), abs(d[2]))
        if not (abs(o[0]) + abs(o[1]) + abs(o[2]) < math.inf and 0.0 < scale < math.inf and d[0] == d[0] and d[1] == d[1] and d[2] == d[2]):
            return n
        x, y, z = d[0] / scale, d[1] / scale, d[2] / scale
        length = math.sqrt(x * x + y * y + z * z)
        rays[n, 0], rays[n, 1], rays[n, 2] = o[0], o[1], o[2]
        rays[n, 3], rays[n, 4], rays[n, 5] = x / length, y / length, z / length
    return -1


@inline
def ray_at(rays, n):
    """Return ray n of `Rays` as (x, y, z of the origin, x, y, z of the direction)."""
    line = rays.line[n]
    return line[0], line[1], line[2], line[3], line[4], line[5]


@kernel
def cast_rays(ground, surface, space, movers, options, rays, hits):
    """Cast n rays.

    Parameters
    ----------
    ground : `terrain.ground.GroundArrays`
    surface : `terrain.rays.surface.RaySurface`
    space, movers : `terrain.rays.space.RayObjects`, `terrain.rays.space.Movers`
    options : `CastOptions`
    rays : `Rays`
    hits : `terrain.rays.caster.Hits`, results
    """
    w, g, s = ground.objects, ground.p[0], surface.p[0]
    if w[0]["count"] > 0 and len(movers.rows) > 0:
        place_movers(w, movers, rays.time)
    stride, order = order_of(rays.line) if options.ground and not s["level"] else (0, 1)
    slopes = g["steepest"] + math.hypot(g["slope"][0], g["slope"][1]), s["base_slope"], s["relief"]
    start = math.nan, math.nan, math.nan
    gap = rate_x = rate_y = 0.0
    count = len(rays.line)
    for k in range(count):
        n = k if order > 0 else count - 1 - k
        ray = ray_at(rays, n)
        end, number = _cast_to_objects(w, space, movers, options, rays, n, hits.normal[n])
        if options.ground:  # after the objects, which shorten the ray
            moved = (abs(ray[0] - start[0]) + abs(ray[1] - start[1])) * slopes[0] + abs(ray[2] - start[2])
            if not (moved == 0.0 or moved < abs(gap) - ON_SURFACE):  # the rays of a scan are on one side of the ground
                start, moved = (ray[0], ray[1], ray[2]), 0.0
                height, rate_x, rate_y = ground_and_slopes(ground, ray[0], ray[1], options.roughness)
                gap = ray[2] - height
            rate = ray[5] - rate_x * ray[3] - rate_y * ray[4]
            side = 1.0 if (gap if abs(gap) > ON_SURFACE else rate) >= 0.0 else -1.0
            free = 0.0
            for back in range(1, 3):
                if stride > 0 and k >= back * stride and free == 0.0 and gap > moved:
                    below = n - back * stride * order
                    free = free_until(ray_at(rays, below), min(hits.range[below], rays.limit[below]), ray, gap - moved, slopes)
            t = ground_hit(ground, surface, ray, side, free, end, options.roughness) if free < end else math.inf
            if t <= end:
                end, number = t, 0
        _write_hit(ground, ray, end, number, options.roughness, hits, n)


@inline
def _cast_to_objects(w, space, movers, options, rays, n, normal):
    """Return (t [m], number) of the first object that ray n meets, or (its limit, -1)."""
    end, row = rays.limit[n], -1
    if w[0]["count"] > 0:
        end, row = object_hit(w, space, movers, rays.time[n], ray_at(rays, n), end, options.porous, normal)
    return end, records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])[row]["number"] if row >= 0 else -1


@inline
def _write_hit(ground, ray, end, number, rough, hits, n):
    """Write the hit of ray n: number of the object, 0 = the ground, -1 = a miss; its normal is there already if it is an object."""
    normal = hits.normal[n]
    hits.range[n], hits.object[n] = end, number
    if number < 0:
        hits.range[n], normal[0], normal[1], normal[2] = math.inf, math.nan, math.nan, math.nan
        return
    if number == 0:
        _, zx, zy = ground_and_slopes(ground, ray[0] + end * ray[3], ray[1] + end * ray[4], rough)
        normal[0], normal[1], normal[2] = -zx, -zy, 1.0
    _face_origin(ray, normal)


@inline
def _face_origin(ray, n):
    """Make n (3,) a unit vector that points to the side of the origin."""
    length = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    if ray[3] * n[0] + ray[4] * n[1] + ray[5] * n[2] > 0.0:
        length = -length
    n[0], n[1], n[2] = n[0] / length, n[1] / length, n[2] / length


@kernel
def place_objects(w, moving, poses, t):
    """Write the poses of the moving objects at time t [s]."""
    objects = records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])
    for k in range(len(moving)):
        place_object(w, objects[moving[k]], t, poses[k : k + 1])
