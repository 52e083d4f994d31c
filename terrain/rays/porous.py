"""Rays through porous objects, such as bushes: an object with the extinction k [1/m] weakens a ray by exp(-k s) along s meters [Beer-Lambert].

The optical depth of a part of a ray is the integral of the extinction along it, the sum of those of all objects. A thin beam meets a leaf
at an optical depth that is exponentially distributed with the mean 1: so the caller draws -ln(u), and the ray ends where it has this optical depth.
A porous mesh is filled from the first to the last triangle that the straight line meets.
"""

from __future__ import annotations

from simulator.base.callbacks import records_at
from simulator.base.jit import inline, kernel
from simulator.base.records import dtype_of
from terrain.objects.pose import place_object
from terrain.objects.records import BREAKAWAY, OBJECT_TYPE, ROW_TYPE
from terrain.rays.cast import BOX_SLACK, FIRST_LEVEL, is_broken, meets, to_axes
from terrain.rays.march import span
from terrain.rays.pyramid import cell_at, next_cell
from terrain.rays.shapes import shape_hit

SPAN = (
    # name        shape unit   description
    ("row", (), "1", "row of the object", "i8"),
    ("first", (), "m", "start of the part of a ray inside the object"),
    ("last", (), "m", "its end"),
    ("extinction", (), "1/m", "weakening inside"),
)
"""Part of a ray inside a porous object."""
SPAN_TYPE = dtype_of(SPAN)
MOST_SPANS = 256
"""Maximum number of porous objects that weaken one ray; farther ones are left out."""
SHORTEST = 1e-9
"""m. A ray is not reflected at its origin."""


@kernel
def scatter_rays(ground, space, moving, poses, spans, rays, limits, times, depths, ranges, numbers, normals):
    """Shorten rays that `terrain.rays.cast.cast_rays` has cast (rays, limits, times, ranges, numbers, normals) to where porous objects reflect them.

    Parameters
    ----------
    ground, space, moving, poses : as for `cast_rays`
    spans : (MOST_SPANS,) of SPAN, scratch
    depths : (n,) optical depth at which a ray is reflected, inf = never; replaced by that at the end of the ray: at the hit, or at its limit
    """
    w = ground.objects
    for n in range(len(rays)):
        ray = rays[n, 0], rays[n, 1], rays[n, 2], rays[n, 3], rays[n, 4], rays[n, 5]
        end = min(ranges[n], limits[n])
        count = _moving_spans(w, space, moving, poses, times[n], ray, end, spans, 0)
        count = _standing_spans(w, space, ray, end, spans, count)
        if count == 0:
            depths[n] = 0.0
            continue
        t, depth, row = _place_of_depth(spans, count, depths[n], end)
        depths[n] = depth
        if row >= 0:
            ranges[n] = t
            numbers[n] = records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])[row]["number"]
            normals[n, 0], normals[n, 1], normals[n, 2] = -ray[3], -ray[4], -ray[5]


@inline
def _place_of_depth(spans, count, wanted, end):
    """Return (t [m], optical depth, row) where a ray has the optical depth `wanted`, or (end, optical depth there, -1) if it ends before."""
    t, depth = 0.0, 0.0
    while True:
        rate, densest, row, next_ = 0.0, 0.0, -1, end
        for k in range(count):
            s = spans[k]
            if s["first"] > t:
                next_ = min(next_, s["first"])
            elif s["last"] > t:
                next_ = min(next_, s["last"])
                rate += s["extinction"]
                if s["extinction"] > densest:
                    densest, row = s["extinction"], s["row"]
        if depth + rate * (next_ - t) >= wanted and rate > 0.0:
            return max(t + (wanted - depth) / rate, SHORTEST), wanted, row
        depth += rate * (next_ - t)
        t = next_
        if t >= end:
            return end, depth, -1


@inline
def _moving_spans(w, space, moving, poses, time, ray, end, spans, count):
    """Append the spans of the porous objects among the moving ones at a time [s]; return the number of all spans."""
    objects = records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])
    for k in range(len(moving)):
        o = objects[moving[k]]
        if o["present"] and o["extinction"] > 0.0:
            place_object(w, o, time, poses[k : k + 1])
            count = _add_span(w, space, o, moving[k], poses[k]["p_WO"], poses[k]["R_WO"], ray, end, spans, count)
    return count


@inline
def _standing_spans(w, space, ray, end, spans, count):
    """Append the spans of the porous objects in the bins; return the number of all spans."""
    g = w[0]
    if g["items"] == 0:
        return count
    objects = records_at(g["objects"], OBJECT_TYPE, g["count"])
    starts = records_at(g["starts"], ROW_TYPE, g["bins"][0] * g["bins"][1] + 1)
    items = records_at(g["item_rows"], ROW_TYPE, g["items"])
    x, y, z, dx, dy, dz = ray
    size = g["size"]
    along = (x - g["origin"][0]) / size, (y - g["origin"][1]) / size, z, dx / size, dy / size, dz, size / dx, size / dy
    t, last = span(along[0], along[3], g["bins"][0], 0.0, end + BOX_SLACK)
    t, last = span(along[1], along[4], g["bins"][1], t, last)
    if not t < last:
        return count
    i, j = cell_at(along[0] + along[3] * t, g["bins"][0]), cell_at(along[1] + along[4] * t, g["bins"][1])
    level, leave = min(FIRST_LEVEL, len(space.levels) - 1), False
    while True:
        t, _, i, j = next_cell(space.levels, space.bounds, along, t, i, j, level, last, leave, 0.0)
        if t >= last:
            return count
        level, leave = 0, True
        for k in range(starts[j * g["bins"][0] + i], starts[j * g["bins"][0] + i + 1]):
            row = items[k]
            o = objects[row]
            if not o["present"] or o["extinction"] == 0.0 or not meets(o, x, y, z, dx, dy, dz, end) or _has(spans, count, row):
                continue
            if o["motion"] == BREAKAWAY and is_broken(w, o):
                continue
            count = _add_span(w, space, o, row, o["p_WO"], o["R_WO"], ray, end, spans, count)


@inline
def _has(spans, count, row):
    """Return True if an object is among the spans: it is in several bins."""
    k = count - 1
    while k >= 0 and spans[k]["row"] != row:
        k -= 1
    return k >= 0


@kernel
def _add_span(w, space, o, row, p, r, ray, end, spans, count):
    """Append the span of an object with the pose p (3,), r (3, 3) in W if the ray meets it before `end`; return the number of all spans.

    The span is found from both sides, so that it is the same for a ray that starts inside.
    """
    if count == len(spans):
        return count
    x, y, z, dx, dy, dz = ray
    px, py, pz = to_axes(r, x - p[0], y - p[1], z - p[2])
    ex, ey, ez = to_axes(r, dx, dy, dz)
    c, far = o["center_O"], 2.0 * o["reach"] + 1e-3
    near = (c[0] - px) * ex + (c[1] - py) * ey + (c[2] - pz) * ez
    a, b = near - far, near + far
    n, stack, planes, rows = space.normal, space.stack, space.planes, space.rows[row]
    first = a + shape_hit(w, o, planes, rows, px + a * ex, py + a * ey, pz + a * ez, ex, ey, ez, 2.0 * far, n, stack)
    last = b - shape_hit(w, o, planes, rows, px + b * ex, py + b * ey, pz + b * ez, -ex, -ey, -ez, 2.0 * far, n, stack)
    first, last = max(first, 0.0), min(last, end)
    if not first < last:
        return count
    s = spans[count]
    s["row"], s["first"], s["last"], s["extinction"] = row, first, last, o["extinction"]
    return count + 1
