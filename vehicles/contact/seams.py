"""Inner edges: where one object continues another, the vehicle touches their common face and not the end of the second object.

A part that slides along a wall of flush boxes overlaps the next box a little, and its shortest way out of this box is back along the wall.
A wall of triangles has the same edges. Such a contact is not real. A pair takes the normal and the crush of its neighbor, a pair of the
same part with another object or triangle, if

- the part approaches the object faster along the normal of the pair than along that of the neighbor,
- it touches the object within GAP of the neighbor, or at an edge of a triangle beyond which the mesh continues,
- the part is free of the object as soon as it is free of the neighbor: along the normal of the neighbor, or next to it, the object
  protrudes at most STEP from the neighbor,
- and the way over the face of the neighbor is not longer than the way out of the neighbor along the normal of the pair.

A step, a post in front of a wall, the corner of a room and a free end therefore keep their normals. Objects that have broken off are no
neighbors: they move on their own.
"""

from __future__ import annotations

from simulator.base.algebra.spatial import rotated, unrotated
from simulator.base.algebra.vectors import add, add_scaled, cross, dot, scale, sub, vector
from simulator.base.callbacks import records_at
from simulator.base.jit import inline, kernel
from terrain.objects.pose import is_loose, place_object
from terrain.objects.records import NODE_TYPE, OBJECT_TYPE, TRIANGLE_TYPE
from vehicles.contact.bodies import box_gap, take_object, take_part
from vehicles.contact.convex import core_distance, core_overlap, core_radius, track_normal
from vehicles.contact.look_up import place_pair
from vehicles.contact.records import POINTS

GAP = 0.05
"""m. Width of a gap between two objects, into which no part of a vehicle gets."""
STEP = 0.01
"""m. Height of a step between two objects that the body of a vehicle does not feel."""
LOCAL = 0.25
"""m. Distance of two contact points at the same place of the vehicle."""
ON_FACE = 0.9
"""1. Cosine of the angle between the normals of pair and triangle, above which the vehicle touches the face of the triangle."""
SIMILAR = 0.985
"""1. Cosine of the angle between the normals of two faces of a wall that bends by 10 degrees: both are real."""


@kernel
def smooth_seams(p, s, w, h):
    """Give the pairs at inner edges the normals and the crush of their neighbors.

    p, s, w : records of OBJECT_CONTACT, OBJECT_CONTACT_STATE and WORLD; h : time step [s]
    """
    pairs, top = s[0]["pairs"], s[0]["top"]
    for i in range(top):
        c = pairs[i]
        if c["live"] == 0 or c["depth"] <= 0.0:
            continue
        for k in range(top):
            other = pairs[k]
            if k == i or other["live"] == 0 or other["depth"] <= -STEP or other["part"] != c["part"]:
                continue
            n, beside, v = vector(c["n_W"]), vector(other["n_W"]), vector(c["v_W"])
            if dot(n, beside) < SIMILAR and dot(v, n) < dot(v, beside) and _take_over(p, s, w, i, k, h):
                break


@kernel
def pool_energy(s):
    """Share the energy of the springs of a part among pairs with similar normals that touch at the same place, by their weights.

    While a part slides from one object to the next, the force of the first pair moves to the second one, and the energy goes with it.
    """
    pairs, top = s[0]["pairs"], s[0]["top"]
    for i in range(top):
        c = pairs[i]
        if c["live"] == 0 or c["depth"] <= 0.0:
            continue
        for k in range(i):
            other = pairs[k]
            if other["live"] == 0 or other["depth"] <= 0.0 or other["part"] != c["part"]:
                continue
            away = sub(vector(c["r_W"]), vector(other["r_W"]))
            if dot(away, away) < LOCAL * LOCAL and dot(vector(c["n_W"]), vector(other["n_W"])) > SIMILAR:
                ratio = c["weight"] / (c["weight"] + other["weight"])
                energy, rebound = c["energy"] + other["energy"], c["rebound"] + other["rebound"]
                c["energy"], c["rebound"] = ratio * energy, ratio * rebound
                other["energy"], other["rebound"] = energy - c["energy"], rebound - c["rebound"]


@kernel
def _take_over(p, s, w, i, k, h):
    """Give the pair i the normal and the crush of the pair k if it is at an inner edge; return whether it is."""
    q = s[0]
    c, other = q["pairs"][i], q["pairs"][k]
    o, beside = _object(w, c["row"]), _object(w, other["row"])
    if is_loose(w, o) or is_loose(w, beside):
        return False
    _take_bodies(p, s, w, other, beside)
    if _overlap(s, vector(c["n_W"])) < other["depth"]:
        return False
    same_mesh = c["row"] == other["row"]
    if not _is_beside_object(s, w, c, other, beside) and not (same_mesh and _is_inner_edge(s, w, c, o)):
        return False
    _take_bodies(p, s, w, c, o)
    a, b = q["a"], q["b"]
    n = vector(other["n_W"])
    depth = _overlap(s, n)
    v, most = vector(c["v_W"]), max(other["depth"], 0.0) + STEP
    if depth - h * max(-dot(v, n), 0.0) > most:
        depth, n = track_normal(a, b, n, q["simplex"])
        if depth - h * max(-dot(v, n), 0.0) > most or dot(n, vector(c["n_W"])) > SIMILAR:
            return False
    c["origin"], c["dent"] = min(other["origin"], depth), min(other["dent"], depth)
    c["steepness"] = other["steepness"]
    place_pair(s, c, depth, n)
    return True


@inline
def _object(w, row):
    """Return the object in a row of the world, a record of OBJECT."""
    return records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])[row]


@inline
def _take_bodies(p, s, w, c, o):
    """Write the bodies of a pair with the object o to the records `a` and `b` of the state."""
    place_object(w, o, s[0]["time"], s[0]["pose"])
    take_object(s, w, o, c["triangle"])
    take_part(p, s, c["part"])


@inline
def _overlap(s, n):
    """Return the overlap of the bodies `a` and `b` of the state along the unit normal n."""
    a, b = s[0]["a"], s[0]["b"]
    return core_overlap(a, b, n) + core_radius(a) + core_radius(b)


@inline
def _is_beside_object(s, w, c, other, o):
    """Return whether the pair c touches its object next to the object o of another pair."""
    q = s[0]
    place_object(w, o, q["time"], q["pose"])
    near = GAP + (max(other["depth"], 0.0) if other["triangle"] >= 0 else 0.0)  # a triangle has no inside
    if (
        box_gap(_in_object(s, add_scaled(vector(c["r_W"]), 0.5 * c["depth"], vector(c["n_W"]))), vector(o["center_O"]), vector(o["half_O"]))
        > near
    ):
        return False
    take_object(s, w, o, other["triangle"])
    _take_path(q["a"], c, 0.5 * c["depth"], 0.5 * c["depth"])
    length, _, _, _ = core_distance(q["a"], q["b"], 0.0, 0.0, 1.0, 0.0, q["simplex"])
    return length - core_radius(q["b"]) <= near


@kernel
def _is_inner_edge(s, w, c, o):
    """Return whether the pair c touches the edge of a triangle of the mesh o, and the mesh continues beyond this edge."""
    q = s[0]
    place_object(w, o, q["time"], q["pose"])
    k = records_at(w[0]["triangles"], TRIANGLE_TYPE, c["triangle"] + 1)[c["triangle"]]
    face = rotated(q["pose"][0]["R_WO"], cross(vector(k["ab"]), vector(k["ac"])))
    along = dot(face, vector(c["n_W"]))
    if along * along > ON_FACE * ON_FACE * dot(face, face):
        return False
    first, last = 0.5 * c["depth"] + 2.0 * STEP, 0.5 * c["depth"] + GAP
    middle = _in_object(s, add_scaled(vector(c["r_W"]), 0.5 * (first + last), vector(c["n_W"])))
    near = STEP + 0.5 * (last - first)
    _take_path(q["a"], c, first, last)
    nodes = records_at(w[0]["nodes"], NODE_TYPE, o["first"] + o["count"])
    stack, depth = q["stack"], 1
    stack[0] = o["first"]
    while depth > 0:
        depth -= 1
        node = nodes[stack[depth]]
        low, high = vector(node["low"]), vector(node["high"])
        center = scale(0.5, add(low, high))
        if box_gap(middle, center, sub(high, center)) > near:
            continue
        if node["count"] == 0:
            stack[depth], stack[depth + 1] = node["first"], node["first"] + 1
            depth += 2
            continue
        for i in range(node["first"], node["first"] + node["count"]):
            if i != c["triangle"]:
                take_object(s, w, o, i)
                length, _, _, _ = core_distance(q["a"], q["b"], 0.0, 0.0, 1.0, 0.0, q["simplex"])
                if length <= STEP:
                    return True
    return False


@inline
def _in_object(s, r_W):
    """Return the point r_W, relative to the chassis, in the frame of the object at the pose in the state."""
    pose = s[0]["pose"][0]
    return unrotated(pose["R_WO"], sub(add(vector(s[0]["p_WB"]), r_W), vector(pose["p_WO"])))


@inline
def _take_path(body, c, first, last):
    """Write the path between two distances from the contact point of the pair c, along its normal, to a record of CONVEX."""
    b = body[0]
    b["kind"], b["count"] = POINTS, 2
    for i in range(3):
        b["center"][i] = c["r_W"][i]
        b["points"][0, i], b["points"][1, i] = first * c["n_W"][i], last * c["n_W"][i]
        for j in range(3):
            b["R"][i, j] = 1.0 if i == j else 0.0
