"""One call of the traffic: who is where, then the decisions and motions of every fifth vehicle and pedestrian."""

from __future__ import annotations

import math

from simulator.base.callbacks import records_at
from simulator.base.jit import kernel
from simulator.traffic.decisions import decide
from simulator.traffic.motion import begin_path, drive, enter_lanes, height_at, place_agent, write_path
from simulator.traffic.on_lanes import find_obstacles, nearest_station, next_of, sort_agents
from simulator.traffic.records import SLOTS, STEP
from simulator.traffic.walking import walk
from terrain.objects.pose import is_loose
from terrain.objects.records import OBJECT_TYPE


@kernel
def advance_traffic(t, ground, bodies):
    """Advance the traffic by one call.

    t : TrafficArrays; ground : GroundArrays, whose objects are the world; bodies : number of bodies in `t.bodies`
    """
    p, w = t.p[0], ground.objects
    _leave_paths(t.agents, w)
    _leave_paths(t.walkers, w)
    sort_agents(t)
    find_obstacles(t, bodies)
    slot, time = p["calls"] % SLOTS, p["time"]
    for k in range(slot, len(t.agents), SLOTS):
        if t.agents[k]["active"] == 1:
            decide(t, k, time)
    for k in range(slot, len(t.agents), SLOTS):  # after all decisions, because a motion changes the order on the lanes
        a = t.agents[k]
        if a["active"] == 0 or a["full"] == 1:
            continue
        before = pose_of(a)
        drive(t, k, time)
        place_agent(t, ground, k, time)
        if a["row"] >= 0:
            write_path(w, a, before, time)
    for k in range(slot, len(t.walkers), SLOTS):
        one = t.walkers[k]
        if one["active"] == 1:
            before = pose_of(one)
            walk(t, ground, k, bodies)
            if one["row"] >= 0:
                write_path(w, one, before, time)
    p["calls"] += 1
    p["time"] = p["start"] + p["calls"] * STEP


@kernel
def pose_of(m):
    """Return x, y, z, yaw and their rates of a row of MOTION."""
    p, v = m["p_WO"], m["v_WO"]
    return p[0], p[1], p[2], m["yaw"], v[0], v[1], v[2], m["yaw_rate"]


@kernel
def _leave_paths(motions, w):
    """Mark those whose objects were hit; they are objects on the road then."""
    for k in range(len(motions)):
        m = motions[k]
        if m["active"] == 1 and m["row"] >= 0 and is_loose(w, records_at(w[0]["objects"], OBJECT_TYPE, w[0]["count"])[m["row"]]):
            m["active"] = 0


@kernel
def begin_traffic(t, ground):
    """Let all vehicles and pedestrians stand at their stations, and the vehicles choose their first lanes."""
    for k in range(len(t.agents)):
        a = t.agents[k]
        place_agent(t, ground, k, t.p[0]["start"])
        a["next"] = next_of(t, a["lane"], k)
        a["after"] = next_of(t, a["next"], k)
        if a["row"] >= 0:
            begin_path(ground.objects, a, t.p[0]["start"])
    for k in range(len(t.walkers)):
        w = t.walkers[k]
        w["p_WO"][2] = height_at(ground, w["p_WO"][0], w["p_WO"][1]) + w["height"]
        if w["row"] >= 0:
            begin_path(ground.objects, w, t.p[0]["start"])


@kernel
def follow_full(t, k, x, y, yaw, speed):
    """Write the place of a vehicle with a model of its own to agent k.

    x, y : m, middle of the rear axle; yaw : rad; speed : m/s
    """
    a = t.agents[k]
    a["p_WO"][0], a["p_WO"][1], a["yaw"], a["speed"] = x, y, yaw, max(speed, 0.0)
    ahead = a["wheelbase"] + a["overhang"]
    a["station"] = nearest_station(t.network, a["lane"], x + ahead * math.cos(yaw), y + ahead * math.sin(yaw))
    enter_lanes(t, k)
