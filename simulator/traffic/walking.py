"""Pedestrians: they walk along their lanes in both directions, wait at the curb, and cross when the vehicles can stop or are far away."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from simulator.traffic.motion import height_at
from simulator.traffic.on_lanes import random_number, wrapped
from simulator.traffic.records import PERIOD
from simulator.traffic.right_of_way import STANDS, station_on
from terrain.roads.network import lane_pose

AHEAD = 0.6
"""m. A pedestrian walks to the point this far ahead on the lane."""
GENTLE = 1.5
"""m/s2. A pedestrian goes if the vehicles of the traffic stop with at most this deceleration."""
ROOM = 3.0
"""m. Distance from the crossing at which the vehicles stop."""
MARGIN = 1.0
"""s. Other vehicles are this much later than the pedestrian."""
SIDE = 2.0
"""m. Vehicles of others within this distance of the line of a crossing block it."""
ACCELERATION = 1.5
"""m/s2. Acceleration and deceleration of a pedestrian. [assumed]"""


@kernel
def walk(t, ground, k, bodies):
    """Advance walker k for a period; `bodies`: number of bodies that are not part of the traffic."""
    w = t.walkers[k]
    row = t.network.lanes[w["lane"]]
    goes = True
    if w["station"] >= row["length"]:
        goes = _next_lane(t, k, bodies)
        row = t.network.lanes[w["lane"]]
    station = row["length"] - w["station"] if w["back"] == 1 else w["station"]
    x, y, along = lane_pose(t.network, w["lane"], station)
    along += math.pi if w["back"] == 1 else 0.0
    dx = x + w["offset"] * math.sin(along) - w["p_WO"][0]
    dy = y - w["offset"] * math.cos(along) - w["p_WO"][1]
    far = math.sqrt(dx * dx + dy * dy)
    wanted = w["pace"] if goes and far > 1e-3 else 0.0
    w["speed"] += min(max(wanted - w["speed"], -2.0 * PERIOD * ACCELERATION), PERIOD * ACCELERATION)
    w["wait"] = 0.0 if goes else w["wait"] + PERIOD
    step = min(PERIOD * w["speed"], far)
    if far > 1e-3:
        _turn(w, math.atan2(dy, dx))
        w["p_WO"][0] += step * dx / far
        w["p_WO"][1] += step * dy / far
    if far < AHEAD:
        w["station"] = min(w["station"] + PERIOD * w["pace"], row["length"])
    v = step / PERIOD / max(far, 1e-3)
    w["v_WO"][0], w["v_WO"][1] = v * dx, v * dy
    z = height_at(ground, w["p_WO"][0], w["p_WO"][1]) + w["height"]
    w["v_WO"][2] = 0.0
    w["p_WO"][2] = z


@inline
def _turn(w, yaw):
    """Turn a walker to a heading [rad] by at most half a turn in a second."""
    turn = min(max(wrapped(yaw - w["yaw"]), -math.pi * PERIOD), math.pi * PERIOD)
    w["yaw"] += turn
    w["yaw_rate"] = 0.0


@inline
def _next_lane(t, k, bodies):
    """Put a walker at the end of a lane on another one, or turn around where no other one begins; return False while traffic is in the way."""
    w = t.walkers[k]
    end = 2 * w["lane"] + (0 if w["back"] == 1 else 1)
    first, count = t.first_joints[end], t.first_joints[end + 1] - t.first_joints[end]
    lane, back = w["lane"], 1 - w["back"]
    if count > 0:
        choice = t.joints[first + (w["draws"] * 7919 + k) % count]
        lane, back = choice[0], choice[1]
    crosses = t.network.lanes[lane]["conflicts"] > 0  # lanes for persons meet only lanes for vehicles
    if crosses and not _is_free(t, lane, t.network.lanes[lane]["length"] / w["pace"], bodies):
        if w["wait"] > 30.0:
            random_number(t, w, k)
        return False
    random_number(t, w, k)
    w["lane"], w["back"], w["station"], w["crosses"] = lane, back, 0.0, 1 if crosses else 0
    return True


@kernel
def _is_free(t, lane, duration, bodies):
    """Return whether a pedestrian may cross on a lane, which takes a duration [s]."""
    row = t.network.lanes[lane]
    for c in range(row["first_conflict"], row["first_conflict"] + row["conflicts"]):
        conflict = t.network.conflicts[c]
        other = conflict["lane"]
        for j in range(len(t.agents)):
            a = t.agents[j]
            if a["active"] == 0:
                continue
            station = _station_towards(t, a, other)
            if station == -math.inf:
                continue
            away = conflict["other_begin"] - ROOM - station
            if away < 0.0:
                if station - a["length"] < conflict["other_end"]:
                    return False
            elif a["speed"] * a["speed"] > 2.0 * GENTLE * away and away < (duration + MARGIN) * a["speed"]:
                return False
    return _is_clear_of_others(t, row, duration, bodies)


@inline
def _station_towards(t, a, lane):
    """Return the station [m] of an agent (row of AGENT) on a lane that it is on, has left or comes to; -inf: it does not come there."""
    if a["lane"] == lane or a["previous"] == lane or a["next"] == lane:
        return station_on(t, a, lane)
    if a["after"] == lane and a["held"] >= 0 and a["held"] == a["next"]:
        return a["station"] - t.network.lanes[a["lane"]]["length"] - t.network.lanes[a["next"]]["length"]
    return -math.inf


@inline
def _is_clear_of_others(t, row, duration, bodies):
    """Return whether no vehicle of others will be on the way of a pedestrian, who crosses on a lane in a duration [s]."""
    a, b = t.network.points[row["first"]]["p_W"], t.network.points[row["first"] + row["count"] - 1]["p_W"]
    for k in range(bodies):
        one = t.bodies[k]
        reach = (
            one["front"] + one["rear"] + abs(one["speed"]) * (duration + MARGIN)
            if abs(one["speed"]) > STANDS
            else one["front"] + one["rear"]
        )
        c, s = math.cos(one["yaw"]), math.sin(one["yaw"])
        side = 1.0 if one["speed"] >= 0.0 else -1.0
        for n in range(9):
            dx = a[0] + 0.125 * n * (b[0] - a[0]) - one["p_W"][0]
            dy = a[1] + 0.125 * n * (b[1] - a[1]) - one["p_W"][1]
            along, across = side * (c * dx + s * dy), abs(c * dy - s * dx)
            if across < one["half_width"] + SIDE and -one["rear"] - SIDE < along < reach and one["half_width"] > 0.5:
                return False
    return True
