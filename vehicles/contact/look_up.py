"""Look-up of the objects close to the vehicle, and update of the tracked pairs."""

from __future__ import annotations

import math

from simulator.base.algebra.spatial import rotated, unrotated
from simulator.base.algebra.vectors import add, cross, dot, sub, vector
from simulator.base.callbacks import records_at
from simulator.base.jit import inline, kernel
from terrain.objects.pose import is_loose, place_object
from terrain.objects.records import MESH, NODE_TYPE, OBJECT_TYPE, ROW_TYPE, STATE_TYPE, TRIANGLE_TYPE
from vehicles.contact.bodies import box_gap, object_gap, object_velocity, part_sphere, take_object, take_part, triangle_gap
from vehicles.contact.convex import core_distance, core_radius, first_normal, track_normal
from vehicles.contact.law import elastic_depth, record_step
from vehicles.contact.patch import contact_point
from vehicles.contact.records import PAIRS, TRIANGLES

SEARCH = 3.0
"""m. Distance around the vehicle, beyond the margin, in which objects are looked up; farther ones count as this far."""


@kernel
def look_up(p, s, w, wheels, margin, h):
    """Update the pairs of all objects closer than `margin` [m]. Return a lower bound of the distance of the nearest object [m].

    Parameters
    ----------
    p, s, w : records of OBJECT_CONTACT, OBJECT_CONTACT_STATE and WORLD
    wheels : records of WHEEL
    """
    q, g = s[0], w[0]
    for i in range(q["top"]):
        q["pairs"][i]["seen"] = 0
    nearest = margin + SEARCH
    if g["items"] > 0:
        nearest = min(nearest, _look_into_bins(p, s, w, wheels, margin, h))
    rows = records_at(g["mover_rows"], ROW_TYPE, g["movers"])
    for k in range(g["movers"]):
        if not is_loose(w, _object(w, rows[k])):
            nearest = min(nearest, _meet_object(p, s, w, wheels, rows[k], margin, h))
    rows = records_at(g["broken_rows"], ROW_TYPE, g["broken"])
    for k in range(g["broken"]):
        nearest = min(nearest, _meet_object(p, s, w, wheels, rows[k], margin, h))
    used, q["live"], q["top"] = q["top"], 0, 0
    for i in range(used):
        c = q["pairs"][i]
        c["live"] = c["live"] if c["seen"] else 0
        if c["live"]:
            q["live"], q["top"] = q["live"] + 1, i + 1
    return nearest


@kernel
def _look_into_bins(p, s, w, wheels, margin, h):
    """Update the pairs of all objects in the bins around the vehicle. Return the distance of the nearest one [m]."""
    q, g = s[0], w[0]
    objects = records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])
    nearest = math.inf
    far = p[0]["reach"] + margin + SEARCH
    x, y = q["p_WB"][0] - g["origin"][0], q["p_WB"][1] - g["origin"][1]
    columns, lines = g["bins"][0], g["bins"][1]
    left, right = max(math.floor((x - far) / g["size"]), 0), min(math.floor((x + far) / g["size"]), columns - 1)
    low, high = max(math.floor((y - far) / g["size"]), 0), min(math.floor((y + far) / g["size"]), lines - 1)
    starts, rows = records_at(g["starts"], ROW_TYPE, columns * lines + 1), records_at(g["item_rows"], ROW_TYPE, g["items"])
    for line in range(low, high + 1):
        for column in range(left, right + 1):
            at = line * columns + column
            for k in range(starts[at], starts[at + 1]):
                o = objects[rows[k]]
                # an object in several bins counts in the first one
                if max(math.floor((o["low"][0] - g["origin"][0]) / g["size"]), left) != column:
                    continue
                if max(math.floor((o["low"][1] - g["origin"][1]) / g["size"]), low) != line:
                    continue
                if is_loose(w, o):
                    continue
                nearest = min(nearest, _meet_object(p, s, w, wheels, rows[k], margin, h))
    return nearest


@inline
def _object(w, row):
    """Return the object in a row of the world, a record of OBJECT."""
    return records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])[row]


@inline
def _vehicle_of(w, o):
    """Return the number of the vehicle of which an object (row of OBJECT) is a part, or 0."""
    return records_at(w[0]["states"], STATE_TYPE, o["state"] + 1)[o["state"]]["vehicle"] if o["mass"] > 0.0 else 0


@inline
def _vehicle_gap(p, s, w, o):
    """Return a lower bound of the distance of a part of another vehicle [m], without its attitude."""
    state = records_at(w[0]["states"], STATE_TYPE, o["state"] + 1)[o["state"]]
    d, c = sub(vector(state["p_WO"]), vector(s[0]["p_WB"])), vector(o["center_O"])
    return math.sqrt(dot(d, d)) - math.sqrt(dot(c, c)) - o["reach"] - p[0]["reach"]


@kernel
def _meet_object(p, s, w, wheels, row, margin, h):
    """Update the pairs of the object in a row of the world. Return a lower bound of its distance [m]."""
    o = _object(w, row)
    vehicle = _vehicle_of(w, o)
    if o["present"] == 0 or o["extinction"] > 0.0 or (0 < vehicle <= s[0]["vehicle"]):
        return math.inf
    if vehicle > 0:
        nearest = _vehicle_gap(p, s, w, o)
        if nearest >= margin + SEARCH:
            return nearest
    place_object(w, o, s[0]["time"], s[0]["pose"])
    nearest = object_gap(s, o, (0.0, 0.0, 0.0), p[0]["reach"])
    if nearest >= margin:
        return nearest
    nearest = math.inf
    if o["shape"] != MESH:
        take_object(s, w, o, -1)
    for part in range(p[0]["count"] + len(wheels)):
        sphere = part_sphere(p, s, part)
        gap = object_gap(s, o, sphere[0], sphere[1])
        if gap < margin:
            take_part(p, s, part)
            if o["shape"] == MESH:
                gap = _meet_mesh(p, s, w, row, part, sphere, margin, h)
            else:
                gap = _meet_pair(s, o, (row, -vehicle if vehicle > 0 else row), part, -1, margin, h)
        nearest = min(nearest, gap)
    return nearest


@kernel
def _meet_mesh(p, s, w, row, part, sphere, margin, h):
    """Update the pairs of one part with the triangles of a mesh. Return a lower bound of the distance [m].

    `sphere` is the bounding sphere of the part, see `part_sphere`.
    """
    q, pose, o = s[0], s[0]["pose"][0], _object(w, row)
    center, radius = sphere
    nodes = records_at(w[0]["nodes"], NODE_TYPE, o["first"] + o["count"])
    c = unrotated(pose["R_WO"], sub(add(vector(q["p_WB"]), center), vector(pose["p_WO"])))
    stack, depth = q["stack"], 1
    stack[0] = o["first"]
    nearest = math.inf
    while depth > 0:
        depth -= 1
        k = nodes[stack[depth]]
        middle = (0.5 * (k["low"][0] + k["high"][0]), 0.5 * (k["low"][1] + k["high"][1]), 0.5 * (k["low"][2] + k["high"][2]))
        gap = box_gap(c, middle, (k["high"][0] - middle[0], k["high"][1] - middle[1], k["high"][2] - middle[2])) - radius
        if gap >= margin:
            nearest = min(nearest, gap)
        elif k["count"] == 0:
            stack[depth], stack[depth + 1] = k["first"], k["first"] + 1
            depth += 2
        else:
            triangles = records_at(w[0]["triangles"], TRIANGLE_TYPE, k["first"] + k["count"])
            for i in range(k["first"], k["first"] + k["count"]):
                gap = triangle_gap(p, s, part, triangles[i], c[0], c[1], c[2], radius)
                if gap < margin:
                    take_object(s, w, o, i)
                    gap = _meet_pair(s, o, (row, row), part, i, margin, h)
                nearest = min(nearest, gap)
    return nearest


@kernel
def _meet_pair(s, o, at_rows, part, triangle, margin, h):
    """Update or create the pair of the bodies `a` and `b` of the state if they are closer than the margin. Return their distance [m].

    at_rows : row of the object, and the number of its body as in PAIR
    """
    q, row, body = s[0], at_rows[0], at_rows[1]
    at = _find_pair(s, row, part, triangle)
    if at >= 0:
        c = q["pairs"][at]
        depth, n = track_normal(q["a"], q["b"], vector(c["n_W"]), q["simplex"])
    else:
        at = _free_pair(s, triangle)
        if at < 0 and triangle >= 0:
            return 0.0
        depth, n, origin, dent = _first_contact(s, row, part)
        if depth <= -margin:
            return -depth
        if at < 0:
            q["lost"] += 1
            return 0.0
        q["top"] = max(q["top"], at + 1)
        c = q["pairs"][at]
        _begin_pair(c, row, part, triangle)
        c["body"] = body
        c["origin"], c["dent"] = origin, dent
    if depth <= -margin:
        return -depth
    c["seen"] = 1
    _move_pair(s, c, o["restitution"], depth, n, h)
    return -depth


@inline
def _first_contact(s, row, part):
    """Return (overlap, normal, origin, dent) of the bodies `a` and `b`, which were not close before.

    Bodies that overlap already feel no force until they move deeper. A triangle takes normal and crush of its deepest neighbor, if any.
    """
    q = s[0]
    a, b = q["a"], q["b"]
    length, x, y, z = core_distance(a, b, 0.0, 0.0, 1.0, 0.0, q["simplex"])
    n = (x, y, z)
    if length > 0.0:
        depth = core_radius(a) + core_radius(b) - length
        return depth, n, max(depth, 0.0), max(depth, 0.0)
    n = first_normal(a, b)
    deepest, origin, dent = 0.0, math.inf, math.inf
    for i in range(q["top"]):
        c = q["pairs"][i]
        if c["live"] and c["row"] == row and c["part"] == part and c["depth"] > deepest:
            deepest, origin, dent, n = c["depth"], c["origin"], c["dent"], vector(c["n_W"])
    depth, n = track_normal(a, b, n, q["simplex"])
    return depth, n, min(origin, depth), min(dent, depth)


@inline
def _find_pair(s, row, part, triangle):
    """Return the index of a pair, or -1."""
    pairs, top = s[0]["pairs"], s[0]["top"]
    for i in range(top):
        c = pairs[i]
        if c["live"] and c["row"] == row and c["part"] == part and c["triangle"] == triangle:
            return i
    return -1


@inline
def _rank(triangle):
    """Return a number that orders triangles as if drawn by lot; an object that is no mesh comes first."""
    return -1 if triangle < 0 else (triangle * 2654435761) % 4294967296


@inline
def _free_pair(s, triangle):
    """Return the index of a free pair, or else of the triangle with the last rank if it is behind that of this triangle; or -1.

    The tracked triangles of a fine mesh are therefore an even sample, which stays the same from step to step.
    """
    pairs, top = s[0]["pairs"], s[0]["top"]
    free = top if top < PAIRS else -1
    last, at, triangles = _rank(triangle), -1, 0
    for i in range(top):
        c = pairs[i]
        if not c["live"]:
            free = i
            continue
        triangles += 1 if c["triangle"] >= 0 else 0
        rank = _rank(c["triangle"])
        if rank > last:
            last, at = rank, i
    return free if free >= 0 and (triangle < 0 or triangles < TRIANGLES) else at


@inline
def _begin_pair(c, row, part, triangle):
    c["live"], c["row"], c["part"], c["triangle"] = 1, row, part, triangle
    c["normal_force"] = c["energy"] = c["rebound"] = c["twist"] = c["drift"] = c["elastic"] = 0.0
    c["steepness"], c["depth"] = 1.0, 0.0
    for j in range(3):
        c["u_W"][j] = c["force_W"][j] = 0.0


@inline
def _velocity(s, r_W):
    """Return the velocity of the vehicle relative to the object of the pose, at r_W."""
    q = s[0]
    r_B = unrotated(q["R_WB"], r_W)
    own = rotated(q["R_WB"], add(vector(q["v_WB_B"]), cross(vector(q["w_WB_B"]), r_B)))
    return sub(own, object_velocity(s, r_W))


@kernel
def _move_pair(s, c, restitution, depth, n, h):
    """Record the work of the last step of a pair, then update its normal, depth, contact point and velocity."""
    if c["depth"] > 0.0:
        old, v = vector(c["n_W"]), _velocity(s, rotated(s[0]["R_WB"], vector(c["r_B"])))
        before = c["v_W"]
        record_step(c, restitution, dot(old, vector(before)), dot(old, v), h)
    c["normal_force"] = 0.0
    place_pair(s, c, depth, n)


@kernel
def place_pair(s, c, depth, n):
    """Write normal and depth of the bodies `a` and `b` of the state to their pair, and the contact point and velocity that follow."""
    q = s[0]
    c["depth"] = depth
    if depth > 0.0:
        elastic = elastic_depth(c)
        w = sub(rotated(q["R_WB"], vector(q["w_WB_B"])), vector(q["pose"][0]["w_WO"]))
        c["spin"] = dot(w, n)
        x, y, z, c["area"] = contact_point(q["a"], q["b"], n, w, elastic, q["corners"], q["patch"])
        r = (x, y, z)
        v, r_B = _velocity(s, r), unrotated(q["R_WB"], r)
        for j in range(3):
            c["r_W"][j], c["r_B"][j], c["v_W"][j] = r[j], r_B[j], v[j]
    else:
        c["origin"] = c["dent"] = c["energy"] = c["rebound"] = c["twist"] = c["drift"] = 0.0
        for j in range(3):
            c["u_W"][j] = 0.0
    for j in range(3):
        c["n_W"][j] = n[j]
