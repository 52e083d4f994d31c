"""Convex bodies of the narrow phase: parts and wheels of the vehicle, objects, triangles of meshes, and quick bounds of their distance."""

from __future__ import annotations

import math

from simulator.base.algebra.spatial import rotated, unrotated
from simulator.base.algebra.vectors import add, cross, dot, sub, vector
from simulator.base.callbacks import records_at
from simulator.base.jit import inline, kernel
from terrain.objects.records import BOX, CYLINDER, HULL, MESH, SPHERE, TRIANGLE_TYPE, VERTEX_TYPE
from terrain.objects.rigid_body import tangents
from vehicles.contact.records import BALL, CYLINDER_Z, POINTS, SEGMENT_Z

HELD, FREED = 1.0, 0.05
"""s. Time constants with which the place of a wheel follows the wheel while it touches an object, and afterwards."""


@kernel
def follow_wheels(p, s, wheels, h):
    """Update the places of the wheels in the chassis at which the objects meet them; wheels : records of WHEEL.

    The force on a wheel acts on the chassis. A wheel that moved with its suspension while it touches an object would shift the contact without
    work: the engine then feeds a vibration. The place follows the wheel with HELD while it touches, and from then on with FREED, without a step.
    """
    q = s[0]
    for i in range(len(wheels)):
        kept, lag = q["wheels_B"][i], q["lags_B"][i]
        touches = False
        for k in range(q["top"]):
            c = q["pairs"][k]
            touches = touches or (c["live"] != 0 and c["part"] == p[0]["count"] + i and c["depth"] > 0.0)
        for r in range(2):
            now = sub(vector(wheels[i]["p_WK"]), vector(q["p_WB"])) if r == 0 else vector(wheels[i]["a_W"])
            now = unrotated(q["R_WB"], now)
            for j in range(3):
                if q["live"] == 0:
                    lag[r, j] = 0.0
                elif touches:
                    lag[r, j] = HELD / (HELD + h) * (kept[r, j] - now[j])
                else:
                    lag[r, j] *= FREED / (FREED + h)
                kept[r, j] = now[j] + lag[r, j]
        length = math.sqrt(dot(vector(kept[1]), vector(kept[1])))
        for j in range(3):
            kept[1, j] /= length


@kernel
def take_part(p, s, part):
    """Write a part of the body, or the wheel part - count, to the record `a` of the state."""
    a, q = s[0]["a"][0], s[0]
    for i in range(3):
        a["center"][i] = 0.0
        for j in range(3):
            a["R"][i, j] = q["R_WB"][i, j]
    if part < p[0]["count"]:
        b = p[0]["parts"][part]
        a["kind"], a["count"] = POINTS, b["count"]
        for i in range(b["count"]):
            for j in range(3):
                a["points"][i, j] = b["points"][i, j]
        return
    wheel = part - p[0]["count"]
    center, axle = rotated(q["R_WB"], vector(q["wheels_B"][wheel, 0])), rotated(q["R_WB"], vector(q["wheels_B"][wheel, 1]))
    t, b = tangents(axle)
    a["kind"] = CYLINDER_Z
    a["size"][0], a["size"][1] = p[0]["wheels"][wheel, 0], p[0]["wheels"][wheel, 1]
    for j in range(3):
        a["center"][j] = center[j]
        a["R"][j, 0], a["R"][j, 1], a["R"][j, 2] = t[j], b[j], axle[j]


@kernel
def take_object(s, w, o, triangle):
    """Write an object (row of OBJECT) at the pose in the state, or a triangle of its mesh, to the record `b` of the state."""
    b, q, pose = s[0]["b"][0], s[0], s[0]["pose"][0]
    size, kind = o["size"], o["shape"]
    for i in range(3):
        b["center"][i] = pose["p_WO"][i] - q["p_WB"][i]
        for j in range(3):
            b["R"][i, j] = pose["R_WO"][i, j]
    if kind == MESH:
        k = records_at(w[0]["triangles"], TRIANGLE_TYPE, triangle + 1)[triangle]
        b["kind"], b["count"] = POINTS, 3
        for j in range(3):
            b["points"][0, j], b["points"][1, j], b["points"][2, j] = k["a"][j], k["a"][j] + k["ab"][j], k["a"][j] + k["ac"][j]
    elif kind == BOX:
        b["kind"], b["count"] = POINTS, 8
        for i in range(8):
            b["points"][i, 0] = size[0] if i & 1 else -size[0]
            b["points"][i, 1] = size[1] if i & 2 else -size[1]
            b["points"][i, 2] = size[2] if i & 4 else -size[2]
    elif kind == HULL:
        vertices = records_at(w[0]["vertices"], VERTEX_TYPE, o["first"] + o["count"])
        b["kind"], b["count"] = POINTS, o["count"]
        for i in range(o["count"]):
            for j in range(3):
                b["points"][i, j] = vertices[o["first"] + i]["r_O"][j]
    else:
        b["kind"] = CYLINDER_Z if kind == CYLINDER else BALL if kind == SPHERE else SEGMENT_Z
        b["size"][0], b["size"][1] = size[0], size[1]
        raised = size[1] if kind == CYLINDER else 0.0  # the origin of a cylinder is the center of its base
        for i in range(3):
            b["center"][i] += pose["R_WO"][i, 2] * raised


@inline
def part_sphere(p, s, part):
    """Return (center relative to the chassis, in W; radius) of a bounding sphere of a part."""
    if part < p[0]["count"]:
        b = p[0]["parts"][part]
        return rotated(s[0]["R_WB"], vector(b["center"])), b["radius"]
    wheel = part - p[0]["count"]
    size = p[0]["wheels"][wheel]
    return rotated(s[0]["R_WB"], vector(s[0]["wheels_B"][wheel, 0])), math.hypot(size[0], size[1])


@inline
def box_gap(c, center, half):
    """Return the distance of the point c from a box with this center and these half edges; 0 inside."""
    x = max(abs(c[0] - center[0]) - half[0], 0.0)
    y = max(abs(c[1] - center[1]) - half[1], 0.0)
    z = max(abs(c[2] - center[2]) - half[2], 0.0)
    return math.sqrt(x * x + y * y + z * z)


@inline
def object_gap(s, o, center, radius):
    """Return a lower bound of the distance of an object (row of OBJECT) from a ball around `center` (relative to the chassis, in W)."""
    pose = s[0]["pose"][0]
    c = unrotated(pose["R_WO"], sub(add(vector(s[0]["p_WB"]), center), vector(pose["p_WO"])))
    return box_gap(c, vector(o["center_O"]), vector(o["half_O"])) - radius


@kernel
def triangle_gap(p, s, part, k, cx, cy, cz, radius):
    """Return a lower bound of the distance of a triangle k (row of TRIANGLE) from a part; cx, cy, cz : center of the part, in O.

    The bounds are those of the plane of the triangle and, of a part of the body, its bounding box.
    """
    a, ab, ac = vector(k["a"]), vector(k["ab"]), vector(k["ac"])
    n = cross(ab, ac)
    length = math.sqrt(dot(n, n))
    gap = 0.0
    if length > 0.0:
        gap = abs(dot(sub((cx, cy, cz), a), n)) / length - radius
    if part >= p[0]["count"]:
        return gap
    b, q, pose = p[0]["parts"][part], s[0], s[0]["pose"][0]
    low, high = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
    for i in range(3):
        r = a if i == 0 else add(a, ab) if i == 1 else add(a, ac)
        r = sub(add(rotated(pose["R_WO"], r), vector(pose["p_WO"])), vector(q["p_WB"]))
        r = sub(unrotated(q["R_WB"], r), vector(b["center"]))
        low = (min(low[0], r[0]), min(low[1], r[1]), min(low[2], r[2]))
        high = (max(high[0], r[0]), max(high[1], r[1]), max(high[2], r[2]))
    half = b["half"]
    out = (
        max(low[0] - half[0], -high[0] - half[0], 0.0),
        max(low[1] - half[1], -high[1] - half[1], 0.0),
        max(low[2] - half[2], -high[2] - half[2], 0.0),
    )
    return max(gap, math.sqrt(dot(out, out)))


@inline
def object_velocity(s, r_W):
    """Return the velocity of the object at the pose in the state, at the point r_W relative to the chassis."""
    pose = s[0]["pose"][0]
    arm = sub(add(vector(s[0]["p_WB"]), r_W), vector(pose["p_WO"]))
    return add(vector(pose["v_WO"]), cross(vector(pose["w_WO"]), arm))
