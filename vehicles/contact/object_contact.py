"""Contact of the vehicle with objects: one kernel, which the vehicle step calls by its address if the ground has objects.

The body is a few convex parts, and the wheels are cylinders at their present places. A step looks up the objects close to the vehicle
(`look_up`), follows the contact normal of each pair of a part and an object (`convex`), and computes its force (`law`). The force of a wheel
acts on the chassis at the place of the wheel.

While nothing is near, a step only reduces the distance `away` by the path of the fastest point of the vehicle and of all moving objects.
"""

from __future__ import annotations

import math

from simulator.base.algebra.spatial import unrotated
from simulator.base.algebra.vectors import add_scaled, cross, dot, vector
from simulator.base.callbacks import callback, record_at, records_at
from simulator.base.jit import inline, kernel
from simulator.base.records import dtype_of
from terrain.objects.records import BREAKAWAY, OBJECT_TYPE, ROW_TYPE, STATE_TYPE, WORLD_TYPE
from vehicles.contact.collisions import add_impulse, collision_row
from vehicles.contact.law import effective_mass, friction_force, friction_moment, lowest_mass, normal_force
from vehicles.contact.look_up import look_up
from vehicles.contact.records import OBJECT_CONTACT_STATE_TYPE, OBJECT_CONTACT_TYPE, PAIRS
from vehicles.tires.parameters import WHEEL

WHEEL_TYPE = dtype_of(WHEEL)
NEAR = 0.05
"""m. Distance at which a pair is tracked, in addition to the path of two steps: the normal is known before the first touch."""
POINT_AREA = 0.01
"""m2. Area added to that of a patch, so that a line or a point gets its share of a force."""
SIMILAR = 0.8
"""1. Cosine of the angle between two normals, above which two pairs share the stiffness and strength of the vehicle."""


@callback
def touch_objects(parameters, state, seen, result, first, count, h):
    """Write force and moment of the objects on the vehicle over a step of h seconds into the record at `state`.

    parameters : OBJECT_CONTACT, state : OBJECT_CONTACT_STATE with its input, seen : WORLD, result : `count` records of WHEEL
    """
    p, s = record_at(parameters, OBJECT_CONTACT_TYPE), record_at(state, OBJECT_CONTACT_STATE_TYPE)
    meet_objects(p, s, record_at(seen, WORLD_TYPE), records_at(result, WHEEL_TYPE, count), h)


@kernel
def meet_objects(p, s, w, wheels, h):
    """Compute the contact of one step; see `touch_objects`."""
    q = s[0]
    for j in range(3):
        q["force_B"][j] = q["couple_B"][j] = 0.0
    v, turn = vector(q["v_WB_B"]), vector(q["w_WB_B"])
    path = h * (math.sqrt(dot(v, v)) + p[0]["reach"] * math.sqrt(dot(turn, turn)) + _fastest_object(w))
    q["away"] -= path
    margin = NEAR + 2.0 * path
    if q["away"] > margin and q["live"] == 0:
        return
    q["away"] = look_up(p, s, w, wheels, margin, h)
    if q["live"] > 0:
        _share_forces(p, q["pairs"])
        for i in range(PAIRS):
            c = q["pairs"][i]
            if c["live"] and c["depth"] > 0.0:
                _press(p, s, w, c, h)


@inline
def _fastest_object(w):
    """Return a bound on the speed of all moving objects."""
    g = w[0]
    fastest = 0.0
    if g["broken"] > 0:
        objects, rows = records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"]), records_at(g["broken_rows"], ROW_TYPE, g["broken"])
        for k in range(g["broken"]):
            at = objects[rows[k]]["state"]
            v = vector(records_at(g["states"], STATE_TYPE, at + 1)[at]["v_WO"])
            fastest = max(fastest, dot(v, v))
    return max(math.sqrt(fastest), g["fastest"])


@inline
def _share_forces(p, pairs):
    """Share the stiffness and strength of the vehicle among pairs with similar normals, by elastic deflection and area of their patches.

    A wall of many triangles, or a front of two parts, is as stiff as one pair.
    """
    limit = p[0]["strength"] / p[0]["stiffness"]
    for i in range(PAIRS):
        c = pairs[i]
        if c["live"]:
            c["weight"] = min(max(c["depth"] - c["dent"], 0.0), limit) * (c["area"] + POINT_AREA)
    for i in range(PAIRS):
        c = pairs[i]
        if not (c["live"] and c["depth"] > 0.0):
            continue
        total = 0.0
        for k in range(PAIRS):
            other = pairs[k]
            if other["live"] and other["depth"] > 0.0 and dot(vector(other["n_W"]), vector(c["n_W"])) > SIMILAR:
                total += other["weight"]
        c["share"] = c["weight"] / total if total > 0.0 else 1.0


@kernel
def _press(p, s, w, c, h):
    """Compute the force of a pair, add it to the sums, log it, and break a breakaway object."""
    q = s[0]
    o = records_at(w[0]["objects"], OBJECT_TYPE, c["row"] + 1)[c["row"]]
    n, v, r_B = vector(c["n_W"]), vector(c["v_W"]), vector(c["r_B"])
    mass = effective_mass(p, r_B, unrotated(q["R_WB"], n))
    least = lowest_mass(p, r_B)
    stiffness = p[0]["stiffness"] * o["stiffness"] / (p[0]["stiffness"] + o["stiffness"])
    speed, dent = dot(v, n), c["dent"]
    state = records_at(w[0]["states"], STATE_TYPE, o["state"] + 1)[o["state"]]
    can_break = o["motion"] == BREAKAWAY
    normal = 0.0
    if not (can_break and state["broken"] > 0):
        normal = normal_force(c, stiffness, p[0]["strength"], o["restitution"], mass, speed, h)
        if can_break and normal > o["break_force"]:
            c["dent"] = dent
            _break(w, state, c["row"])
    if can_break and state["broken"] > 0:
        mass, least = mass * o["mass"] / (mass + o["mass"]), least * o["mass"] / (least + o["mass"])
        normal = normal_force(c, stiffness, p[0]["strength"], o["restitution"], mass, speed, h)
    c["normal_force"] = normal
    if normal <= 0.0:
        for j in range(3):
            c["u_W"][j] = 0.0
        return
    F = add_scaled(friction_force(c, n, v, normal, o["friction"], stiffness, least, h), normal, n)
    at = collision_row(s, o, vector(c["r_W"]), n, -speed)
    add_impulse(s, at, F, h)
    F_B = unrotated(q["R_WB"], F)
    moment = friction_moment(c, normal, o["friction"], stiffness, 1.0 / p[0]["slowest_turn"], h)
    couple = add_scaled(cross(r_B, F_B), moment, unrotated(q["R_WB"], n))
    for j in range(3):
        q["force_B"][j] += F_B[j]
        q["couple_B"][j] += couple[j]
        if can_break:
            state["impulse_W"][j] -= h * F[j]


@inline
def _break(w, state, row):
    """Break an object off."""
    g = w[0]
    state["broken"] = 1
    records_at(g["broken_rows"], ROW_TYPE, g["broken"] + 1)[g["broken"]] = row
    g["broken"] += 1
    for j in range(3):
        state["v_WO"][j] = state["impulse_W"][j] = 0.0
