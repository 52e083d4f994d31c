"""Motion of the vehicles of the traffic, and the paths of the objects that show them.

A vehicle is a single track: its front axle follows the lane, its rear axle follows the front axle. It stands on the surface with both axles.
The path of its object is written for one period after the other; value and velocity are continuous.
"""

from __future__ import annotations

import math

from simulator.base.callbacks import records_at
from simulator.base.jit import inline, kernel
from simulator.traffic.decisions import CHANGE_TIME
from simulator.traffic.on_lanes import next_of, way_pose, wrapped
from simulator.traffic.records import PARTS, PERIOD
from terrain.composite_height import composed_height
from terrain.objects.records import OBJECT_TYPE, SEGMENT_TYPE

CONTINUATION = 1.0
"""s. A path goes on for this time beyond the present period."""


@kernel
def height_at(ground, x, y):
    """Return the height of the ground [m]."""
    return composed_height(ground, x, y)


@kernel
def drive(t, k, time):
    """Advance agent k along its lane for a period from a time [s] on."""
    a = t.agents[k]
    speed = max(a["speed"] + PERIOD * a["demand"], 0.0)
    step = 0.5 * PERIOD * (a["speed"] + speed)
    if a["demand"] < 0.0 and speed == 0.0:
        step = min(step, -0.5 * a["speed"] * a["speed"] / a["demand"])
    a["speed"] = speed
    a["station"] += step
    enter_lanes(t, k)


@kernel
def enter_lanes(t, k):
    """Put agent k on the lane that its station has reached, and give back a lane of a crossing that it has left."""
    a = t.agents[k]
    while a["next"] >= 0 and a["station"] > t.network.lanes[a["lane"]]["length"]:
        a["station"] -= t.network.lanes[a["lane"]]["length"]
        a["previous"], a["lane"], a["next"] = a["lane"], a["next"], a["after"]
        a["after"] = next_of(t, a["next"], k)
    held = a["held"]
    if held >= 0 and held != a["lane"] and held != a["next"] and (held != a["previous"] or a["station"] > a["length"] + 0.5):
        a["held"] = -1


@kernel
def place_agent(t, ground, k, time):
    """Write pose and velocity of agent k at a time [s]: the rear axle follows the front axle. At the first call it stands along its lane."""
    a = t.agents[k]
    front = a["station"] - a["overhang"]
    x, y, along = way_pose(t.network, a["previous"], a["lane"], a["next"], front)
    part = min(max((time - a["changed"]) / CHANGE_TIME, 0.0), 1.0)
    aside = a["offset"] * (1.0 - part * part * part * (10.0 + part * (6.0 * part - 15.0)))
    x, y = x - aside * math.sin(along), y + aside * math.cos(along)
    if a["draws"] < 0:
        u, v, _ = way_pose(t.network, a["previous"], a["lane"], a["next"], front - a["wheelbase"])
        a["p_WO"][0], a["p_WO"][1], a["draws"] = u, v, 0
    dx, dy = x - a["p_WO"][0], y - a["p_WO"][1]
    far = max(math.sqrt(dx * dx + dy * dy), 1e-6)
    c, s = dx / far, dy / far
    rear = x - a["wheelbase"] * c, y - a["wheelbase"] * s
    low, high = height_at(ground, rear[0], rear[1]), height_at(ground, x, y)
    yaw = a["yaw"] + wrapped(math.atan2(s, c) - a["yaw"])
    bend = wrapped(along - yaw)
    roll_on = a["speed"] * math.cos(bend)
    a["p_WO"][0], a["p_WO"][1], a["p_WO"][2] = rear[0], rear[1], low
    a["v_WO"][0], a["v_WO"][1], a["v_WO"][2] = roll_on * c, roll_on * s, roll_on * (high - low) / a["wheelbase"]
    a["yaw_rate"] = a["speed"] * math.sin(bend) / a["wheelbase"]
    a["yaw"], a["pitch"] = yaw, math.atan2(low - high, a["wheelbase"])


@inline
def write_path(world, m, before, begin):
    """Write the path of an object for the period that begins at a time [s].

    world : record of WORLD; m : row of MOTION at the end of the period; before : x, y, z, yaw and their rates at its begin
    """
    first = m["first_segment"]
    segments = records_at(world[0]["segments"], SEGMENT_TYPE, first + PARTS)
    for k in range(first, first + PARTS - 2):
        segments[k] = segments[k + 1]
    end = begin + PERIOD
    c = segments[first + PARTS - 2]
    c["time"][0], c["time"][1] = begin, end
    last = segments[first + PARTS - 1]
    last["time"][0], last["time"][1] = end, end + CONTINUATION
    for j in range(3):
        c["p_WO"][0, j], c["v_WO"][0, j], c["p_WO"][1, j], c["v_WO"][1, j] = before[j], before[4 + j], m["p_WO"][j], m["v_WO"][j]
        last["p_WO"][0, j], last["p_WO"][1, j] = m["p_WO"][j], m["p_WO"][j] + CONTINUATION * m["v_WO"][j]
        last["v_WO"][0, j] = last["v_WO"][1, j] = m["v_WO"][j]
    c["yaw"][0], c["yaw_rate"][0], c["yaw"][1], c["yaw_rate"][1] = before[3], before[7], m["yaw"], m["yaw_rate"]
    last["yaw"][0], last["yaw"][1] = m["yaw"], m["yaw"] + CONTINUATION * m["yaw_rate"]
    last["yaw_rate"][0] = last["yaw_rate"][1] = m["yaw_rate"]
    set_axes(world, m)


@inline
def set_axes(world, m):
    """Write the axes of an object at the begin of its path, to which the path adds the change of the yaw."""
    o = records_at(world[0]["objects"], OBJECT_TYPE, world[0]["count"])[m["row"]]
    yaw = records_at(world[0]["segments"], SEGMENT_TYPE, m["first_segment"] + 1)[m["first_segment"]]["yaw"][0]
    c, s, cp, sp = math.cos(yaw), math.sin(yaw), math.cos(m["pitch"]), math.sin(m["pitch"])
    R = o["R_WO"]
    R[0, 0], R[0, 1], R[0, 2] = c * cp, -s, c * sp
    R[1, 0], R[1, 1], R[1, 2] = s * cp, c, s * sp
    R[2, 0], R[2, 1], R[2, 2] = -sp, 0.0, cp


@inline
def begin_path(world, m, time):
    """Write a path that stands at the pose of a row of MOTION at a time [s]."""
    first = m["first_segment"]
    segments = records_at(world[0]["segments"], SEGMENT_TYPE, first + PARTS)
    for k in range(PARTS):
        c = segments[first + k]
        c["time"][0], c["time"][1] = time + (k - PARTS) * PERIOD, time + (k - PARTS + 1) * PERIOD
        for i in range(2):
            c["yaw"][i], c["yaw_rate"][i] = m["yaw"], 0.0
            for j in range(3):
                c["p_WO"][i, j], c["v_WO"][i, j] = m["p_WO"][j], 0.0
    o = records_at(world[0]["objects"], OBJECT_TYPE, world[0]["count"])[m["row"]]
    for j in range(3):
        o["p_WO"][j] = m["p_WO"][j]
    set_axes(world, m)
