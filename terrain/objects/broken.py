"""Motion of objects that broke off or left their path: rigid bodies that fly, topple, slide, roll and come to rest on the ground.

A step adds gravity and the impulses of the vehicle, then the impulses of the ground (`ground_impulses`), then moves and turns the object.
Semi-implicit Euler steps take a little energy and add none. An object that has been at rest for REST costs nothing until a vehicle touches it.
"""

from __future__ import annotations

import math

from simulator.base.algebra.spatial import rotated, unrotated
from simulator.base.algebra.vectors import add, add_scaled, cross, dot, scale, sub, symmetric_times, vector
from simulator.base.callbacks import records_at
from simulator.base.jit import inline, kernel
from terrain.composite_height import composed_height_and_normal
from terrain.objects.ground_impulses import ground_impulses
from terrain.objects.records import (
    CYLINDER,
    GROUND_POINT_TYPE,
    MAX_GROUND_POINTS,
    OBJECT_TYPE,
    RIGID_BODY_TYPE,
    ROW_TYPE,
    STATE_TYPE,
    VERTEX_TYPE,
)
from terrain.objects.rigid_body import answer_across, answer_along, center_of_mass, in_world, symmetric, turn_freely

BOUNCE_SPEED = 0.3
"""m/s. Slower points do not bounce. Smaller: objects chatter for longer before they come to rest."""
RISE_SPEED = 0.5
"""m/s. Speed at which an object leaves the ground if a part of it is below, such as the foot of a post that stood in the ground."""
SLOP = 1e-6
"""m. Depth of a point that counts as touching."""
REST_SPEED = 2e-3
"""m/s. Speed of the fastest point below which an object counts as at rest."""
REST = 0.25
"""s. Time at rest after which an object stays there. Smaller: a post that is about to fall may stop on the way."""
UPRIGHT = 1e-9
"""1. Sine of the tilt below which all points of the rim of a cylinder are equally low."""


@kernel
def move_broken(ground, n, h):
    """Advance all broken objects by h seconds.

    ground : GroundArrays; n : (3,) scratch for the ground normal
    """
    w, gravity = ground.objects, ground.p[0]["gravity"]
    g = w[0]
    objects, rows = records_at(g["objects"], OBJECT_TYPE, g["count"]), records_at(g["broken_rows"], ROW_TYPE, g["broken"])
    points = records_at(g["ground_points"], GROUND_POINT_TYPE, MAX_GROUND_POINTS)
    for k in range(g["vehicle_parts"], g["broken"]):
        o = objects[rows[k]]
        s = records_at(g["states"], STATE_TYPE, o["state"] + 1)[o["state"]]
        b = records_at(g["bodies"], RIGID_BODY_TYPE, o["state"] + 1)[o["state"]]
        J, L = vector(s["impulse_W"]), vector(s["angular_impulse_W"])
        pushed = dot(J, J) > 0.0 or dot(L, L) > 0.0
        if o["present"] == 0 or (s["rest"] >= REST and not pushed):
            continue
        inverse = in_world(s["R_WO"], symmetric(b["inverse_inertia"]))
        _, x, v = center_of_mass(b, s)
        v = add_scaled(v, 1.0 / o["mass"], J)
        turn = add(vector(s["w_WO"]), symmetric_times(inverse, L))
        before = _energy(o, b, s, v, turn)
        v = (v[0], v[1], v[2] - h * gravity)
        count, deepest, out = _find_points(ground, (o, b, s), points, (x, v, turn), n, h)
        if count > 0:
            for i in range(count):
                _prepare_point(points[i], o, inverse, v, turn, gravity, h)
            v, turn = _meet_ground(points, count, (o, b, s), inverse, (v, turn), (before, gravity * h))
        shift = scale(min(deepest, RISE_SPEED * h), out)
        slower = _pay(_energy(o, b, s, v, turn), o["mass"] * gravity * shift[2])
        v, turn = scale(slower, v), scale(slower, turn)
        slow = _fastest_point(v, turn, b["reach"]) < REST_SPEED and not pushed  # one that leans on a vehicle may fall later
        s["rest"] = s["rest"] + h if slow and count > 0 and deepest <= SLOP else 0.0
        if s["rest"] >= REST:
            v, turn = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        _finish(b, s, add(add_scaled(x, h, v), shift), v, turn, h)


@inline
def _find_points(ground, one, points, motion, n, h):
    """Write the points that may reach the ground in this step to the first records; return their number, and depth and normal of the deepest one.

    one : records of OBJECT, RIGID_BODY and STATE; motion : center of mass, its velocity, angular velocity
    """
    o, b, s = one
    x, v, turn = motion
    p = ground.p[0]
    rise = p["steepest"] + abs(p["slope"][0]) + abs(p["slope"][1])
    far = h * _fastest_point(v, turn, b["reach"])
    count, total, deepest, out = 0, 1, 0.0, (0.0, 0.0, 1.0)
    for i in range(MAX_GROUND_POINTS + 1):  # first the center, then the points: the ground is inlined once
        if i >= total:
            break
        r = (0.0, 0.0, 0.0)
        if i > 0:
            r = vector(points[i - 1]["r_W"])
        gap = x[2] + r[2] - composed_height_and_normal(ground, x[0] + r[0], x[1] + r[1], n)
        if i == 0:
            if gap < (b["reach"] + far) * math.sqrt(1.0 + rise * rise):
                total += _write_points(ground.objects, o, b, s, vector(n), points)
        elif gap * n[2] <= far:
            c = points[count]
            c["gap"] = gap * n[2]
            for j in range(3):
                c["r_W"][j], c["n_W"][j] = r[j], n[j]
            count += 1
            if -gap * n[2] > deepest:
                deepest, out = -gap * n[2], vector(n)
    return count, deepest, out


@inline
def _put(points, i, r):
    for j in range(3):
        points[i]["r_W"][j] = r[j]


@kernel
def _write_points(w, o, b, s, n, points):
    """Write the points of an object from its center of mass, in W, to records of GROUND_POINT; return their number.

    Parameters
    ----------
    w, o, b, s : records of WORLD, OBJECT, RIGID_BODY and STATE
    n : ground normal below the object
    """
    R, com, first = s["R_WO"], vector(b["com_O"]), b["first"]
    if o["shape"] == CYLINDER:
        return _write_rims(R, o["size"], (R[0, 2], R[1, 2], R[2, 2]), n, points)
    vertices = records_at(w[0]["vertices"], VERTEX_TYPE, first + b["count"])
    for i in range(b["count"]):
        r = rotated(R, sub(vector(vertices[first + i]["r_O"]), com))
        _put(points, i, add_scaled(r, -b["margin"], n))
    return b["count"]


@inline
def _write_rims(R, size, axis, n, points):
    """Write four points of each rim of a cylinder: the lowest one, and those a quarter of the rim on; return their number."""
    low = add_scaled(scale(-1.0, n), dot(axis, n), axis)
    length = math.sqrt(dot(low, low))
    low = scale(1.0 / length, low) if length > UPRIGHT else (R[0, 0], R[1, 0], R[2, 0])
    side = cross(axis, low)
    for i in range(8):
        along = low if i < 4 else side
        middle = scale(size[1] if i & 1 else -size[1], axis)
        _put(points, i, add(middle, scale(size[0] if i & 2 else -size[0], along)))
    return 8


@inline
def _prepare_point(c, o, inverse, v, turn, gravity, h):
    """Write the answers and the separation speeds of a point (record of GROUND_POINT) that `_find_points` has found."""
    r, n = vector(c["r_W"]), vector(c["n_W"])
    c["normal_answer"] = answer_along(o["mass"], inverse, r, n)
    c["slide_answer"] = answer_across(o["mass"], inverse, r, n)
    lowest, speed = -max(c["gap"], 0.0) / h, -dot(add(v, cross(turn, r)), n)
    c["lowest"] = c["bounce"] = lowest
    if speed > BOUNCE_SPEED and -speed < lowest:
        c["bounce"] = max(min(o["restitution"] * speed, speed - 2.0 * h * gravity), lowest)  # it moves up during the complete step


@inline
def _meet_ground(points, count, one, inverse, motion, energy):
    """Return (velocity, angular velocity) after the impulses of the ground; see `move_broken`.

    energy : kinetic energy before the step [J]; loss of speed by gravity in the step [m/s]
    """
    o, b, s = one
    v, turn = motion
    every = 1.0 if b["count"] == 1 else 0.0  # a body on one point, a sphere, rolls about every axis
    R = s["R_WO"]
    rolling = b["rolling_arm"], (R[0, 2], R[1, 2], R[2, 2]), every
    body = o["mass"], inverse, o["friction"]
    new_v, new_turn = ground_impulses(points, count, body, rolling, v, turn, True)
    if _energy(o, b, s, new_v, new_turn) + o["mass"] * energy[1] * new_v[2] > energy[0]:
        new_v, new_turn = ground_impulses(points, count, body, rolling, v, turn, False)
    return new_v, new_turn


@inline
def _energy(o, b, s, v, turn):
    """Return the kinetic energy [J] of an object with the velocity v of its center of mass."""
    w_O = unrotated(s["R_WO"], turn)
    return 0.5 * (o["mass"] * dot(v, v) + dot(w_O, symmetric_times(symmetric(b["inertia"]), w_O)))


@inline
def _pay(kinetic, work):
    """Return the factor of the velocities that takes a work [J] from the kinetic energy [J]."""
    return math.sqrt(max(1.0 - work / kinetic, 0.0)) if work > 0.0 and kinetic > 0.0 else 1.0


@inline
def _fastest_point(v, turn, reach):
    """Return a bound on the speed of all points of an object [m/s]."""
    return math.sqrt(dot(v, v)) + reach * math.sqrt(dot(turn, turn))


@inline
def _finish(b, s, x, v, turn, h):
    """Write the state after a step: center of mass x, its velocity v, angular velocity before the free rotation."""
    turn = turn_freely(b, s, turn, h)
    c = rotated(s["R_WO"], vector(b["com_O"]))
    origin, speed = sub(x, c), sub(v, cross(turn, c))
    for j in range(3):
        s["p_WO"][j], s["v_WO"][j], s["w_WO"][j] = origin[j], speed[j], turn[j]
        s["impulse_W"][j] = s["angular_impulse_W"][j] = 0.0
