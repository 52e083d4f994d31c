"""Contact of the vehicle with objects: one kernel, which the vehicle step calls by its address if the ground has objects.

The body is a few convex parts, and the wheels are cylinders at their present places. A step looks up the objects close to the vehicle
(`look_up`), follows the contact normal of each pair of a part and an object (`convex`), and computes its force (`law`). The force of a wheel
acts on the chassis at the place of the wheel (`follow_wheels`).

While nothing is near, a step only reduces the distance `away` by the path of the fastest point of the vehicle and of all moving objects.
"""

from __future__ import annotations

import math

from simulator.base.algebra.spatial import rotated, unrotated
from simulator.base.algebra.vectors import add, add_scaled, cross, dot, sub, symmetric_times, vector
from simulator.base.callbacks import callback, record_at, records_at
from simulator.base.jit import inline, kernel
from simulator.base.records import dtype_of
from simulator.base.rotations import quaternion_of_rotation
from terrain.objects.pose import place_object
from terrain.objects.records import OBJECT_TYPE, RIGID_BODY_TYPE, ROW_TYPE, STATE_TYPE, WORLD_TYPE
from terrain.objects.rigid_body import answer_across, answer_along, center_of_mass, in_world, symmetric
from vehicles.contact.bodies import follow_wheels
from vehicles.contact.collisions import add_force, close_step, collision_row
from vehicles.contact.law import ELASTIC, effective_mass, elastic_depth, friction_force, friction_moment, lowest_mass, normal_force
from vehicles.contact.look_up import look_up
from vehicles.contact.records import OBJECT_CONTACT_STATE_TYPE, OBJECT_CONTACT_TYPE
from vehicles.contact.seams import pool_energy, smooth_seams
from vehicles.tires.parameters import WHEEL

WHEEL_TYPE = dtype_of(WHEEL)
NEAR = 0.05
"""m. Distance at which a pair is tracked, in addition to the path of two steps: the normal is known before the first touch."""
POINT_AREA = 0.01
"""m2. Area added to that of a patch, so that a line or a point gets its share of a force."""
SHALLOWEST = 1e-6
"""m. Depth that counts at least in a share."""
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
    follow_wheels(p, s, wheels, h)
    q["away"] = look_up(p, s, w, wheels, margin, h)
    if q["live"] > 0:
        smooth_seams(p, s, w, h)
        _share_forces(p, s)
        pool_energy(s)
        for k in range(2):
            for j in range(3):
                q["ahead_B"][k, j] = 0.0
        for i in range(q["top"]):
            c = q["pairs"][i]
            if c["live"]:
                F = _press(p, s, w, c, h) if c["depth"] > 0.0 else (0.0, 0.0, 0.0)
                _predict_velocity(p, s, c, F, h)
        close_step(s, h)


@inline
def _fastest_object(w):
    """Return a bound on the speed of all moving objects."""
    g = w[0]
    fastest = g["fastest_vehicle"]
    if g["broken"] > g["vehicle_parts"]:
        objects, rows = records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"]), records_at(g["broken_rows"], ROW_TYPE, g["broken"])
        for k in range(g["vehicle_parts"], g["broken"]):
            o = objects[rows[k]]
            s, c = records_at(g["states"], STATE_TYPE, o["state"] + 1)[o["state"]], vector(o["center_O"])
            v, turn = vector(s["v_WO"]), vector(s["w_WO"])
            fastest = max(fastest, math.sqrt(dot(v, v)) + (o["reach"] + math.sqrt(dot(c, c))) * math.sqrt(dot(turn, turn)))
    return max(fastest, g["fastest"])


@inline
def _share_forces(p, s):
    """Share the stiffness and strength of the vehicle among pairs with similar normals, by deflection and area of their patches.

    A wall of many triangles, or a front of two parts, is as stiff as one pair. Several objects share the mass of the vehicle; each has its own.
    """
    pairs, top, limit = s[0]["pairs"], s[0]["top"], p[0]["strength"] / p[0]["stiffness"]
    for i in range(top):
        c = pairs[i]
        if c["live"]:
            c["weight"] = min(max(elastic_depth(c), SHALLOWEST), limit) * (c["area"] + POINT_AREA)
    for i in range(top):
        c = pairs[i]
        if not (c["live"] and c["depth"] > 0.0):
            continue
        total = own = 0.0
        for k in range(top):
            other = pairs[k]
            if other["live"] and other["depth"] > 0.0 and dot(vector(other["n_W"]), vector(c["n_W"])) > SIMILAR:
                total += other["weight"]
                own += other["weight"] if other["body"] == c["body"] else 0.0
        c["share"], c["own_share"] = c["weight"] / total, c["weight"] / own


@inline
def _predict_velocity(p, s, c, F, h):
    """Add the change of the force of a pair since the last step to the velocity that the next pairs expect.

    The drift of a pair contains the forces of the others in the last step. Two pairs that press against each other would chatter.
    """
    q = s[0]
    change = unrotated(q["R_WB"], sub(F, vector(c["force_W"])))
    moment = cross(sub(vector(c["r_B"]), vector(p[0]["com"])), change)
    turn = rotated(p[0]["inverse_inertia"], moment)
    for j in range(3):
        q["ahead_B"][0, j] += h * change[j] / p[0]["mass"]
        q["ahead_B"][1, j] += h * turn[j]
        c["force_W"][j] = F[j]


@kernel
def _press(p, s, w, c, h):
    """Return the force of a pair on the vehicle, in W; add it to the sums, log it, and break a breakaway object."""
    q = s[0]
    o = records_at(w[0]["objects"], OBJECT_TYPE, c["row"] + 1)[c["row"]]
    n, v, r_B = vector(c["n_W"]), vector(c["v_W"]), vector(c["r_B"])
    n_B = unrotated(q["R_WB"], n)
    mass = c["share"] * effective_mass(p, r_B, n_B)
    least = c["share"] * lowest_mass(p, r_B)
    stiffness = c["share"] * p[0]["stiffness"] * o["stiffness"] / (p[0]["stiffness"] + o["stiffness"])
    strength = c["share"] * p[0]["strength"]
    speed, dent = dot(v, n), c["dent"]
    ahead = add(vector(q["ahead_B"][0]), cross(vector(q["ahead_B"][1]), sub(r_B, vector(p[0]["com"]))))
    drift = c["drift"] + dot(ahead, n_B)
    state = records_at(w[0]["states"], STATE_TYPE, o["state"] + 1)[o["state"]]
    can_break = o["mass"] > 0.0
    free = can_break and c["body"] >= 0  # neither a vehicle nor fixed
    c["elastic"] = 0.0 if free else ELASTIC * 0.5 * strength * strength / stiffness
    normal, inertia, arm = 0.0, c["share"] / p[0]["slowest_turn"], (0.0, 0.0, 0.0)
    if not (can_break and state["broken"] > 0):
        normal = normal_force(c, stiffness, strength, o["restitution"], mass, speed, drift, h)
        if can_break and normal > o["break_force"]:
            c["dent"] = dent
            _break(s, w, o, state, c["row"])
    loose = can_break and state["broken"] > 0
    if loose:
        arm, own = _answer_of_object(s, w, o, state, c, n)
        mass, least, inertia = 1.0 / (1.0 / mass + own[0]), 1.0 / (1.0 / least + own[1]), 1.0 / (1.0 / inertia + own[2])
        normal = normal_force(c, stiffness, strength, o["restitution"], mass, speed, drift, h)
    c["normal_force"] = normal
    if normal <= 0.0:
        for j in range(3):
            c["u_W"][j] = 0.0
        return 0.0, 0.0, 0.0
    stiffness *= c["steepness"]
    F = add_scaled(friction_force(c, n, v, normal, o["friction"], stiffness, least, h), normal, n)
    at = collision_row(s, o, c, -speed)
    add_force(s, at, F, normal, -speed)
    F_B = unrotated(q["R_WB"], F)
    moment = friction_moment(c, normal, o["friction"], stiffness, inertia, h)
    couple = add_scaled(cross(r_B, F_B), moment, n_B)
    for j in range(3):
        q["force_B"][j] += F_B[j]
        q["couple_B"][j] += couple[j]
    if loose:
        turn = add_scaled(cross(arm, F), moment, n)
        for j in range(3):
            state["impulse_W"][j] -= h * F[j]
            state["angular_impulse_W"][j] -= h * turn[j]
    return F


@inline
def _answer_of_object(s, w, o, state, c, n):
    """Return the arm of a pair about the center of mass of a broken object, in W, and the answer of the object to a unit impulse.

    The answer of the share of the pair is that along the normal, the largest one across it [1/kg], and that of the rotation about the
    normal to an angular impulse [1/(kg m2)].
    """
    b = records_at(w[0]["bodies"], RIGID_BODY_TYPE, o["state"] + 1)[o["state"]]
    _, com, _ = center_of_mass(b, state)
    arm = sub(add(vector(s[0]["p_WB"]), vector(c["r_W"])), com)
    inverse, per = in_world(state["R_WO"], symmetric(b["inverse_inertia"])), 1.0 / c["own_share"]
    turn = dot(n, symmetric_times(inverse, n))
    return arm, (per * answer_along(o["mass"], inverse, arm, n), per * answer_across(o["mass"], inverse, arm, n), per * turn)


@inline
def _break(s, w, o, state, row):
    """Break an object off; it begins with its present pose and velocity."""
    g, pose = w[0], s[0]["pose"]
    place_object(w, o, s[0]["time"], pose)
    state["broken"] = 1
    state["rest"] = 0.0
    records_at(g["broken_rows"], ROW_TYPE, g["broken"] + 1)[g["broken"]] = row
    g["broken"] += 1
    for i in range(3):
        state["p_WO"][i], state["v_WO"][i], state["w_WO"][i] = pose[0]["p_WO"][i], pose[0]["v_WO"][i], pose[0]["w_WO"][i]
        state["impulse_W"][i] = state["angular_impulse_W"][i] = 0.0
        for j in range(3):
            state["R_WO"][i, j] = pose[0]["R_WO"][i, j]
    quaternion_of_rotation(state["R_WO"], state["q_WO"])
