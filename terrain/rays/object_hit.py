"""First hit of a ray and the objects."""

from __future__ import annotations

import math

from simulator.base.callbacks import records_at
from simulator.base.jit import inline, kernel
from terrain.objects.pose import is_loose, place_object
from terrain.objects.records import BREAKAWAY, OBJECT_TYPE, PATH, STATE_TYPE
from terrain.rays.shapes import shape_hit
from terrain.rays.tree import build_tree, inverses, next_item, start_way


@kernel
def place_movers(w, movers, times):
    """Write the poses of the moving objects in the middle of the times (n,) of rays, and the tree of the places where they are at all these times."""
    objects = records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])
    first, last = math.inf, -math.inf
    for n in range(len(times)):
        first, last = min(first, times[n]), max(last, times[n])
    for k in range(len(movers.rows)):
        o, low, high = objects[movers.rows[k]], movers.low[k], movers.high[k]
        loose, c = is_loose(w, o), o["center_O"]
        place_object(w, o, 0.5 * (first + last), movers.poses[k : k + 1])
        p, r = movers.poses[k]["p_WO"], movers.poses[k]["R_WO"]
        reach = 1.000001 * o["reach"] + (0.0 if loose else 0.5 * (last - first) * w[0]["fastest"])
        for i in range(3):
            center = p[i] + r[i, 0] * c[0] + r[i, 1] * c[1] + r[i, 2] * c[2]
            low[i], high[i] = center - reach, center + reach
            if o["repeats"] and not loose:  # it may begin again between the times
                low[i], high[i] = movers.range_low[k, i], movers.range_high[k, i]
    build_tree(movers.low, movers.high, movers.builder, movers.tree)


@inline
def object_hit(w, space, movers, time, ray, end, porous, normal):
    """Return (t [m], row) of the first hit of an object at 0 < t <= end, (end, -1) if there is none; `normal` (3,), in W, is written for a hit.

    Of objects at the same place, the one in the first row is hit.

    Parameters
    ----------
    w : record of WORLD
    space, movers : `terrain.rays.space.RayObjects` and `Movers`, which `place_movers` has placed
    time : of the ray [s]
    porous : True = porous objects are solid
    """
    objects = records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])
    per, found, n = inverses(ray), -1, space.normal
    for moves in range(2):
        if moves and len(movers.rows) == 0:
            break
        tree = movers.tree if moves else space.tree
        item, used = next_item(tree, ray, per, end, space.way, start_way(space.way))
        while item >= 0:
            row = movers.rows[item] if moves else space.standing[item]
            o = objects[row]
            if o["present"] and (porous or not o["extinction"] > 0.0) and (moves or o["motion"] != BREAKAWAY or not is_broken(w, o)):
                p, r = o["p_WO"], o["R_WO"]
                if moves:
                    p, r = _pose_of_mover(w, space, movers, item, o, time)
                t = shape_hit(w, o, space.planes, space.rows[row], to_object((p, r), ray), end, n, space.stack)
                if t < end or (t == end and (found < 0 or row < found)):
                    end, found = t, row
                    for k in range(3):
                        normal[k] = r[k, 0] * n[0] + r[k, 1] * n[1] + r[k, 2] * n[2]
            item, used = next_item(tree, ray, per, end, space.way, used)
    return end, found


@inline
def _pose_of_mover(w, space, movers, k, o, time):
    """Return position and axes of a moving object at a time [s]."""
    if o["motion"] == PATH and not is_loose(w, o):
        place_object(w, o, time, space.pose)
        return space.pose[0]["p_WO"], space.pose[0]["R_WO"]
    return movers.poses[k]["p_WO"], movers.poses[k]["R_WO"]


@inline
def is_broken(w, o):
    """Return True if a breakaway object has broken off."""
    return records_at(w[0]["states"], STATE_TYPE, o["state"] + 1)[o["state"]]["broken"] != 0


@inline
def to_object(pose, ray):
    """Return a ray in the axes O of an object; pose: p_WO (3,), R_WO (3, 3)."""
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
