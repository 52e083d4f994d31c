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
from terrain.objects.records import BREAKAWAY, OBJECT_TYPE
from terrain.rays.cast import ray_at
from terrain.rays.object_hit import is_broken, to_object
from terrain.rays.shapes import shape_hit
from terrain.rays.tree import inverses, next_item, start_way

SPAN = (
    # name        shape unit   description
    ("row", (), "1", "row of the object", "i8"),
    ("first", (), "m", "start of the part of a ray inside the object"),
    ("last", (), "m", "its end"),
    ("extinction", (), "1/m", "weakening inside"),
)
"""Part of a ray inside a porous object."""
SPAN_TYPE = dtype_of(SPAN)
MAX_SPANS = 256
"""Maximum number of porous objects that weaken one ray; farther ones are left out."""
SHORTEST = 1e-9
"""m. A ray is not reflected at its origin."""


@kernel
def scatter_rays(ground, space, movers, spans, rays, depths, hits):
    """Shorten rays that `terrain.rays.cast.cast_rays` has cast to where porous objects reflect them.

    Parameters
    ----------
    ground, space, movers, rays, hits : as for `cast_rays`
    spans : (MAX_SPANS,) of SPAN, scratch
    depths : (n,) optical depth at which a ray is reflected, inf = never; replaced by that at the end of the ray: at the hit, or at its limit
    """
    w, normals = ground.objects, hits.normal
    for n in range(len(rays.line)):
        ray = ray_at(rays, n)
        end = min(hits.range[n], rays.limit[n])
        count = _moving_spans(w, space, movers, rays.time[n], ray, end, spans, 0)
        count = _standing_spans(w, space, ray, end, spans, count)
        if count == 0:
            depths[n] = 0.0
            continue
        t, depth, row = _place_of_depth(spans, count, depths[n], end)
        depths[n] = depth
        if row >= 0:
            hits.range[n] = t
            hits.object[n] = records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])[row]["number"]
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
def _moving_spans(w, space, movers, time, ray, end, spans, count):
    """Append the spans of the porous objects among the moving ones at a time [s]; return the number of all spans."""
    objects = records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])
    for k in range(len(movers.rows)):
        row = movers.rows[k]
        o = objects[row]
        if o["present"] and o["extinction"] > 0.0:
            place_object(w, o, time, movers.poses[k : k + 1])
            count = _add_span(w, space, o, row, to_object((movers.poses[k]["p_WO"], movers.poses[k]["R_WO"]), ray), end, spans, count)
    return count


@inline
def _standing_spans(w, space, ray, end, spans, count):
    """Append the spans of the porous objects without a path; return the number of all spans."""
    objects = records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])
    per = inverses(ray)
    item, used = next_item(space.tree, ray, per, end, space.way, start_way(space.way))
    while item >= 0:
        row = space.standing[item]
        o = objects[row]
        if o["present"] and o["extinction"] > 0.0 and not (o["motion"] == BREAKAWAY and is_broken(w, o)):
            count = _add_span(w, space, o, row, to_object((o["p_WO"], o["R_WO"]), ray), end, spans, count)
        item, used = next_item(space.tree, ray, per, end, space.way, used)
    return count


@kernel
def _add_span(w, space, o, row, ray, end, spans, count):
    """Append the span of an object if a ray, given in O, meets the object before `end`; return the number of all spans.

    The span is found from both sides, so that it is the same for a ray that starts inside.
    """
    if count == len(spans):
        return count
    x, y, z, dx, dy, dz = ray
    c, far = o["center_O"], 2.0 * o["reach"] + 1e-3
    near = (c[0] - x) * dx + (c[1] - y) * dy + (c[2] - z) * dz
    a, b = near - far, near + far
    n, stack, planes, rows = space.normal, space.stack, space.planes, space.rows[row]
    forward = x + a * dx, y + a * dy, z + a * dz, dx, dy, dz
    backward = x + b * dx, y + b * dy, z + b * dz, -dx, -dy, -dz
    first = a + shape_hit(w, o, planes, rows, forward, 2.0 * far, n, stack)
    last = b - shape_hit(w, o, planes, rows, backward, 2.0 * far, n, stack)
    first, last = max(first, 0.0), min(last, end)
    if not first < last:
        return count
    s = spans[count]
    s["row"], s["first"], s["last"], s["extinction"] = row, first, last, o["extinction"]
    return count + 1
