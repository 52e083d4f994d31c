"""Kernel that casts rays against a ground and the objects on it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.callbacks import records_at
from simulator.base.jit import inline, kernel
from terrain.objects.pose import place_object
from terrain.objects.records import BREAKAWAY, OBJECT_TYPE, PATH, ROW_TYPE, STATE_TYPE
from terrain.rays.bernstein import first_zero, patch_along
from terrain.rays.march import Gap, feature_span, ground_and_slopes, march, march_rough, span
from terrain.rays.pyramid import cell_at, next_cell
from terrain.rays.shapes import shape_hit, slab
from terrain.rays.surface import BORDER, node_at

ON_SURFACE = 1e-12
"""m. A ray that starts closer to the ground starts on it, and the start is no hit."""
BOX_SLACK = 1e-9
"""m. Widening of bounding boxes for rounding."""
STALE = 2e-3
"""s. Poses of moving objects of that age tell which objects may be near a ray; older ones tell less, newer ones take longer."""


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
    now = math.nan
    start = math.nan, math.nan, math.nan
    gap = rate_x = rate_y = 0.0
    w, normals = ground.objects, hits.normal
    steepest = ground.p[0]["steepest"] + math.hypot(ground.p[0]["slope"][0], ground.p[0]["slope"][1])
    for n in range(len(rays.line)):
        ray = ray_at(rays, n)
        end, number, row = rays.limit[n], -1, -1
        if w[0]["count"] > 0:
            if len(movers.rows) > 0:
                if not abs(rays.time[n] - now) <= STALE:
                    now = rays.time[n]
                    place_objects(w, movers.rows, movers.poses, now)
                end, row = _moving_hit(w, space, movers, (now, rays.time[n]), ray, end, options.porous, normals[n])
            end, row = _standing_hit(w, space, ray, end, row, options.porous, normals[n])
        if row >= 0:
            objects = records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])
            number = objects[row]["number"]
        if options.ground:  # after the objects, which shorten the ray
            moved = math.hypot(ray[0] - start[0], ray[1] - start[1]) * steepest + abs(ray[2] - start[2])
            if not (moved == 0.0 or moved < abs(gap) - ON_SURFACE):  # the rays of a scan are on one side of the ground
                start = ray[0], ray[1], ray[2]
                height, rate_x, rate_y = ground_and_slopes(ground, ray[0], ray[1], options.roughness)
                gap = ray[2] - height
            rate = ray[5] - rate_x * ray[3] - rate_y * ray[4]
            side = 1.0 if (gap if abs(gap) > ON_SURFACE else rate) >= 0.0 else -1.0
            t = _ground_hit(ground, surface, ray, side, end, options.roughness)
            if t <= end:
                end, number = t, 0
        hits.range[n], hits.object[n] = end, number
        if number < 0:
            hits.range[n], normals[n, 0], normals[n, 1], normals[n, 2] = math.inf, math.nan, math.nan, math.nan
        elif number == 0:
            _, zx, zy = ground_and_slopes(ground, ray[0] + end * ray[3], ray[1] + end * ray[4], options.roughness)
            normals[n, 0], normals[n, 1], normals[n, 2] = -zx, -zy, 1.0
        if number >= 0:
            _face_origin(ray, normals[n])


@inline
def _face_origin(ray, n):
    """Make n (3,) a unit vector that points to the side of the origin."""
    length = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    if ray[3] * n[0] + ray[4] * n[1] + ray[5] * n[2] > 0.0:
        length = -length
    n[0], n[1], n[2] = n[0] / length, n[1] / length, n[2] / length


@inline
def _ground_hit(ground, surface, ray, side, end, rough):
    """Return t [m] of the first crossing of a ray and the ground at 0 < t <= end, inf if there is none; side 1 = it starts above the ground, -1 = below."""
    g, s = ground.p[0], surface.p[0]
    x, y, z, dx, dy, dz = ray
    w = z - g["height"] - g["slope"][0] * x - g["slope"][1] * y
    dw = dz - g["slope"][0] * dx - g["slope"][1] * dy
    if s["level"]:
        return _plane_hit(ground, surface, ray, w - s["deviation"], dw, end, side, rough)
    u, v = (x - g["origin"][0]) / g["spacing"][0], (y - g["origin"][1]) / g["spacing"][1]
    du, dv = dx / g["spacing"][0], dy / g["spacing"][1]
    ny, nx = ground.heights.shape
    column, row = 0, 0
    if g["mirrored"]:
        column, row = math.floor((u + 0.5) / nx), math.floor((v + 0.5) / ny)
    t = 0.0
    while t < end:
        out_u = out_v = math.inf
        if g["mirrored"]:
            out_u, out_v = _exit(u, du, column, nx), _exit(v, dv, row, ny)
        out = max(min(out_u, out_v, end), t)
        image = (*_image(u, du, column, nx), *_image(v, dv, row, ny))
        hit = _grid_hit(ground, surface, ray, (image[0], image[2], w, image[1], image[3], dw), t, out, side, rough)
        if hit < math.inf:
            return hit
        t = out
        if out_u <= out_v:
            column += 1 if du > 0.0 else -1
        else:
            row += 1 if dv > 0.0 else -1
    return math.inf


@inline
def _exit(u, du, k, count):
    """Return t where a ray leaves the mirror image k of a map along one axis."""
    if du == 0.0:
        return math.inf
    return ((k + 1.0 if du > 0.0 else k) * count - 0.5 - u) / du


@inline
def _image(u, du, k, count):
    """Return (u, du) of the mirror image of a ray in the map, along one axis."""
    return (u - k * count, du) if k % 2 == 0 else ((k + 1) * count - 1 - u, -du)


@inline
def _plane_hit(ground, surface, ray, w, dw, end, side, rough):
    """Return t of the first crossing with a ground whose base is a plane; w is the height above the plane at the start, dw its rate."""
    if (rough and surface.p[0]["rough_height"] > 0.0) or len(surface.bins) > 0:
        b = _gap((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), w, dw * end, side)
        return march(ground, surface, ray, Gap(0.0, end, side, b), rough)
    if abs(w) < ON_SURFACE or dw == 0.0:
        return math.inf
    t = -w / dw
    return t if 0.0 < t <= end else math.inf


@inline
def _grid_hit(ground, surface, ray, along, start, end, side, rough):
    """Return t of the first crossing between start and end; `along` are u, v, w and their rates: in nodes of the map, and height above the base plane."""
    heights, mirrored = ground.heights, ground.p[0]["mirrored"]
    ny, nx = heights.shape
    u, v, w, du, dv, dw = along
    slack = surface.p[0]["rough_height"] if rough else 0.0
    near, far = feature_span(ground.features.bins, ray, start, end)
    cells = u + BORDER, v + BORDER, w, du, dv, dw, 1.0 / du, 1.0 / dv
    t = start
    levels = surface.pyramid.levels
    cell, begins = (cell_at(cells[0] + du * t, levels[0, 1]), cell_at(cells[1] + dv * t, levels[0, 2])), True
    while True:
        t, out, cell = next_cell(surface.pyramid, cells, t, cell, end, begins, slack)
        if t >= end:
            return math.inf
        begins = False
        if out <= t:
            continue
        k, m = cell[0] - BORDER, cell[1] - BORDER
        columns = node_at(k - 1, nx, mirrored), node_at(k, nx, mirrored), node_at(k + 1, nx, mirrored), node_at(k + 2, nx, mirrored)
        rows = node_at(m - 1, ny, mirrored), node_at(m, ny, mirrored), node_at(m + 1, ny, mirrored), node_at(m + 2, ny, mirrored)
        b = patch_along(heights, columns, rows, u + du * t - k, v + dv * t - m, u + du * out - k, v + dv * out - m)
        b = _gap(b, w + dw * t, dw * (out - t), side)
        if slack > 0.0 or (t < far and out > near):
            if t < far and out > near:
                hit = march(ground, surface, ray, Gap(t, out, side, b), rough)
            else:
                hit = march_rough(ground, surface, ray, Gap(t, out, side, b))
            if hit < math.inf:
                return hit
            continue
        if b[0] < 0.0:
            if t > 0.0:
                return t
            b = 0.0, b[1], b[2], b[3], b[4], b[5], b[6]
        s = first_zero(b)
        if s < math.inf:
            return t + s * (out - t)


@inline
def _gap(b, w, dw, side):
    """Return the Bernstein coefficients of the height above a patch (coefficients b) of a ray, w at its start and w + dw at its end, times side."""
    step = dw / 6.0
    return (
        side * (w - b[0]),
        side * (w + step - b[1]),
        side * (w + 2.0 * step - b[2]),
        side * (w + 3.0 * step - b[3]),
        side * (w + 4.0 * step - b[4]),
        side * (w + 5.0 * step - b[5]),
        side * (w + dw - b[6]),
    )


@kernel
def place_objects(w, moving, poses, t):
    """Write the poses of the moving objects at time t [s]."""
    objects = records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])
    for k in range(len(moving)):
        place_object(w, objects[moving[k]], t, poses[k : k + 1])


@inline
def _moving_hit(w, space, movers, time, ray, end, porous, normal):
    """Return (t [m], row of the object) of the first moving object at 0 < t <= end, (end, -1) if there is none; `normal` (3,) is written for a hit.

    time : (of the poses, of the ray) [s]; an object is placed at the time of the ray only if it may be near the ray
    """
    objects = records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])
    x, y, z, dx, dy, dz = ray
    found = -1
    for k in range(len(movers.rows)):
        row = movers.rows[k]
        o, p, r = objects[row], movers.poses[k]["p_WO"], movers.poses[k]["R_WO"]
        if not o["present"] or (o["extinction"] > 0.0 and not porous):
            continue
        late = abs(time[1] - time[0])
        if late > 0.0 and o["repeats"]:  # it may have begun again between the two times
            place_object(w, o, time[1], space.pose)
            p, r, late = space.pose[0]["p_WO"], space.pose[0]["R_WO"], 0.0
        c = o["center_O"]
        cx = p[0] + r[0, 0] * c[0] + r[0, 1] * c[1] + r[0, 2] * c[2] - x
        cy = p[1] + r[1, 0] * c[0] + r[1, 1] * c[1] + r[1, 2] * c[2] - y
        cz = p[2] + r[2, 0] * c[0] + r[2, 1] * c[1] + r[2, 2] * c[2] - z
        near, reach = cx * dx + cy * dy + cz * dz, 1.000001 * o["reach"] + w[0]["fastest"] * late
        if near < -reach or near > end + reach or cx * cx + cy * cy + cz * cz - near * near > reach * reach:
            continue
        if late > 0.0 and o["motion"] == PATH:
            place_object(w, o, time[1], space.pose)
            p, r = space.pose[0]["p_WO"], space.pose[0]["R_WO"]
        t = _object_hit(w, space, o, row, (p, r), ray, end, normal)
        if t < math.inf:
            end, found = t, row
    return end, found


@inline
def _standing_hit(w, space, ray, end, found, porous, normal):
    """Return (t [m], row) as `_moving_hit` does, of the objects in the bins; `found` is the row if none of these is nearer."""
    g = w[0]
    objects = records_at(g["objects"], OBJECT_TYPE, g["count"])
    starts = records_at(g["starts"], ROW_TYPE, g["bins"][0] * g["bins"][1] + 1)
    items = records_at(g["item_rows"], ROW_TYPE, g["items"])
    if g["items"] == 0:
        return end, found
    x, y, z, dx, dy, dz = ray
    size = g["size"]
    along = (x - g["origin"][0]) / size, (y - g["origin"][1]) / size, z, dx / size, dy / size, dz, size / dx, size / dy
    t, last = span(along[0], along[3], g["bins"][0], 0.0, end + BOX_SLACK)
    t, last = span(along[1], along[4], g["bins"][1], t, last)
    if not t < last:
        return end, found
    cell, begins = (cell_at(along[0] + along[3] * t, g["bins"][0]), cell_at(along[1] + along[4] * t, g["bins"][1])), True
    while True:
        t, _, cell = next_cell(space.pyramid, along, t, cell, min(last, end + BOX_SLACK), begins, 0.0)
        if t >= min(last, end + BOX_SLACK):
            return end, found
        begins, bin_ = False, cell[1] * g["bins"][0] + cell[0]
        for k in range(starts[bin_], starts[bin_ + 1]):
            row = items[k]
            o = objects[row]
            if row == found or not o["present"] or (o["extinction"] > 0.0 and not porous) or not meets(o, ray, end):
                continue
            if o["motion"] == BREAKAWAY and is_broken(w, o):
                continue
            hit = _object_hit(w, space, o, row, (o["p_WO"], o["R_WO"]), ray, end, normal)
            if hit < math.inf:
                end, found = hit, row


@inline
def meets(o, ray, end):
    """Return True if a ray may meet the bounding box of an object."""
    x, y, z, dx, dy, dz = ray
    x0, x1 = slab(x, dx, o["low"][0] - BOX_SLACK, o["high"][0] + BOX_SLACK)
    y0, y1 = slab(y, dy, o["low"][1] - BOX_SLACK, o["high"][1] + BOX_SLACK)
    z0, z1 = slab(z, dz, o["low"][2] - BOX_SLACK, o["high"][2] + BOX_SLACK)
    return max(x0, y0, z0, 0.0) <= min(x1, y1, z1, end)


@inline
def is_broken(w, o):
    """Return True if a breakaway object has broken off."""
    return records_at(w[0]["states"], STATE_TYPE, o["state"] + 1)[o["state"]]["broken"] != 0


@kernel
def _object_hit(w, space, o, row, pose, ray, end, normal):
    """Return t [m] of the hit of one object, inf if there is none; `normal` (3,), in W, is written for a hit.

    pose : (p_WO (3,), R_WO (3, 3))
    """
    n = space.normal
    t = shape_hit(w, o, space.planes, space.rows[row], to_object(pose, ray), end, n, space.stack)
    if t < math.inf:
        _, r = pose
        for k in range(3):
            normal[k] = r[k, 0] * n[0] + r[k, 1] * n[1] + r[k, 2] * n[2]
    return t


@inline
def to_object(pose, ray):
    """Return a ray in the axes O of an object; pose as for `_object_hit`."""
    x, y, z, dx, dy, dz = ray
    p, r = pose
    return (*_to_axes(r, x - p[0], y - p[1], z - p[2]), *_to_axes(r, dx, dy, dz))


@inline
def _to_axes(r, x, y, z):
    """Return the components in O of a vector in W; r (3, 3) are the axes of O."""
    return (
        r[0, 0] * x + r[1, 0] * y + r[2, 0] * z,
        r[0, 1] * x + r[1, 1] * y + r[2, 1] * z,
        r[0, 2] * x + r[1, 2] * y + r[2, 2] * z,
    )
