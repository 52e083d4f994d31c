"""Decisions of the drivers of the traffic: acceleration by what is ahead, speed, lane changes by MOBIL [Kesting, Treiber and Helbing 2007,
Transportation Research Record 1999, 86]."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from simulator.traffic.car_following import following_acceleration
from simulator.traffic.on_lanes import next_of, speed_at, way_pose
from simulator.traffic.records import PERIOD
from simulator.traffic.right_of_way import STANDS, may_enter

SIGHT = 120.0
"""m. Distance in which a driver looks ahead."""
STOP_LINE = 1.5
"""m. The gap that a driver leaves at rest ends this far behind the stop line."""
NEAR = 6.0
"""m. A driver at rest within this distance of a stop line waits there."""
BRAKING, STOPPING = 1.5, 2.0
"""m/s2. Decelerations towards slower parts of the road, and towards a stop line; smaller: drivers look at a crossing earlier."""
DETOUR = 5.0
"""s. A driver who has waited for this time chooses the way again: that of the present choice may be full."""
HARDEST = 9.0
"""m/s2. Limit of the deceleration that a driver demands."""
SAFE, POLITENESS, THRESHOLD = 4.0, 0.3, 0.2
"""m/s2, 1, m/s2. Deceleration that a lane change may demand of the vehicle behind, weight of its disadvantage, advantage needed [Kesting et al.]."""
CHANGE_TIME = 3.0
"""s. Duration of a lane change."""
CHANGE_CLEAR = 15.0
"""m. No lane change this close to either end of a lane."""
LOOK_TIME, MIN_LOOK = 0.8, 5.0
"""s, m. A vehicle with a model of its own steers to a point this far ahead of its rear axle, and at least MIN_LOOK."""


@kernel
def decide(t, k, time):
    """Write the demand of agent k, its desired speed, aim and lane at a time [s]."""
    a = t.agents[k]
    row = t.network.lanes[a["lane"]]
    rest = row["length"] - a["station"]
    speed = speed_at(t, a["lane"], a["station"])
    if a["next"] >= 0:
        speed = min(speed, _braked(speed_at(t, a["next"], 0.0), rest))
        if a["after"] >= 0:
            speed = min(speed, _braked(speed_at(t, a["after"], 0.0), rest + t.network.lanes[a["next"]]["length"]))
    a["max_speed"] = max(a["haste"] * speed, 0.5)
    has_neighbor = (row["left"] >= 0 or row["right"] >= 0) and row["crossing"] < 0
    if has_neighbor and time - a["changed"] > CHANGE_TIME and a["station"] > CHANGE_CLEAR and rest > CHANGE_CLEAR + 2.0 * a["speed"]:
        _change_lane(t, k, time)
    if a["wait"] > DETOUR and math.floor(a["wait"] / DETOUR) > math.floor((a["wait"] - PERIOD) / DETOUR):
        a["next"] = next_of(t, a["lane"], k)
        a["after"] = next_of(t, a["next"], k)
    a["demand"] = max(_demand(t, k), -HARDEST)
    ahead = max(MIN_LOOK, LOOK_TIME * a["speed"])
    x, y, _ = way_pose(t.network, a["previous"], a["lane"], a["next"], a["station"] - a["overhang"] - a["wheelbase"] + ahead)
    a["aim"][0], a["aim"][1] = x, y


@inline
def _braked(speed, distance):
    """Return the speed [m/s] from which a vehicle brakes to another one within a distance [m]."""
    return math.sqrt(speed * speed + 2.0 * BRAKING * max(distance, 0.0))


@inline
def _demand(t, k):
    """Return the smallest acceleration [m/s2] that something on the way ahead demands of agent k, which it may have to stop for."""
    a, agents = t.agents[k], t.agents
    demand = following_acceleration(a, a["speed"], math.inf, 0.0)
    stops = False
    lane, base = a["lane"], -a["station"]
    if a["previous"] >= 0 and a["station"] < t.shared[lane]:
        demand = min(demand, _beside(t, k, a["previous"], lane, base))
    for step in range(3):
        for n in range(t.firsts[lane], t.firsts[lane + 1]):
            b = agents[t.order[n]]
            if b["lane"] == lane and (step > 0 or b["station"] > a["station"]):
                demand = min(demand, following_acceleration(a, a["speed"], base + b["station"] - b["length"], b["speed"]))
                break
        demand = min(demand, _obstacles(t, a, lane, base, step == 0))
        base += t.network.lanes[lane]["length"]
        after = a["next"] if step == 0 else a["after"] if step == 1 else -1
        if after < 0 and step < 2:
            demand = min(demand, following_acceleration(a, a["speed"], base, 0.0))
        if after < 0 or base > SIGHT:
            break
        if t.network.lanes[after]["crossing"] >= 0 and a["held"] != after:
            near = base < a["speed"] * a["speed"] / (2.0 * STOPPING) + NEAR
            if near and step == 0 and may_enter(t, k, after, base):
                a["held"] = after
            elif near or step > 0:
                demand = min(demand, following_acceleration(a, a["speed"], base + STOP_LINE, 0.0))
                stops = step == 0 and base < NEAR
        demand = min(demand, _beside(t, k, lane, after, base))
        lane = after
    a["wait"] = a["wait"] + PERIOD if stops and a["speed"] < STANDS else 0.0
    return demand


@inline
def _obstacles(t, a, lane, base, first):
    """Return the smallest acceleration that the obstacles on a lane demand, whose begin is at `base` [m] from the front of the agent."""
    demand = math.inf
    for n in range(t.p[0]["obstacles"]):
        o = t.obstacles[n]
        if o["lane"] == lane and not (first and (o["center"] < a["station"] - 0.5 * a["length"] or o["end"] < a["station"])):
            demand = min(demand, following_acceleration(a, a["speed"], base + o["begin"], o["speed"]))
    return demand


@inline
def _beside(t, k, lane, chosen, base):
    """Return the smallest acceleration that vehicles demand who go from a lane to another successor than the chosen one.

    base : distance of the begin of the successors from the front of agent k [m]
    """
    a, row, demand = t.agents[k], t.network.lanes[lane], math.inf
    if row["nexts"] < 2:
        return demand
    for m in range(row["first_next"], row["first_next"] + row["nexts"]):
        other = t.network.next_lanes[m]
        if other == chosen:
            continue
        for n in range(t.firsts[other], t.firsts[other + 1]):
            b = t.agents[t.order[n]]
            if b["lane"] == other and base + b["station"] > 0.0 and b["station"] - b["length"] < t.shared[other]:
                demand = min(demand, following_acceleration(a, a["speed"], base + b["station"] - b["length"], b["speed"]))
                break
    return demand


@inline
def _change_lane(t, k, time):
    """Let agent k change to a neighbor lane if the change is safe and has an advantage."""
    a = t.agents[k]
    row = t.network.lanes[a["lane"]]
    now = _on_lane(t, k, a["lane"], a["station"])
    best, to = THRESHOLD, -1
    for side in range(2):
        other = row["left"] if side == 0 else row["right"]
        if other >= 0:
            station = a["station"] * t.network.lanes[other]["length"] / row["length"]
            then = _on_lane(t, k, other, station)
            behind, before = _behind(t, k, other, station)
            if behind >= -SAFE and then >= -SAFE:
                gain = then - now + POLITENESS * (behind - before)
                if gain > best:
                    best, to = gain, other
    if to >= 0:
        a["station"] *= t.network.lanes[to]["length"] / row["length"]
        a["offset"] = -row["width"] if to == row["left"] else row["width"]
        a["lane"], a["changed"], a["previous"] = to, time, -1
        a["next"] = next_of(t, to, k)
        a["after"] = next_of(t, a["next"], k)


@inline
def _on_lane(t, k, lane, station):
    """Return the acceleration of agent k behind those ahead on a lane; -inf: there is one next to it."""
    a = t.agents[k]
    base = -station
    demand = following_acceleration(a, a["speed"], math.inf, 0.0)
    for n in range(t.firsts[lane], t.firsts[lane + 1]):
        j = t.order[n]
        b = t.agents[j]
        if j != k and b["lane"] == lane and b["station"] > station:
            gap = base + b["station"] - b["length"]
            demand = -math.inf if gap < a["standstill_gap"] else min(demand, following_acceleration(a, a["speed"], gap, b["speed"]))
            break
    for n in range(t.p[0]["obstacles"]):
        o = t.obstacles[n]
        if o["lane"] == lane and o["end"] > station - a["length"]:
            gap = base + o["begin"]
            demand = -math.inf if gap < a["standstill_gap"] else min(demand, following_acceleration(a, a["speed"], gap, o["speed"]))
    return demand


@inline
def _behind(t, k, lane, station):
    """Return the acceleration of the vehicle behind agent k on another lane if agent k were there, and the present one."""
    a = t.agents[k]
    behind = before = 0.0
    for n in range(t.firsts[lane + 1] - 1, t.firsts[lane] - 1, -1):
        b = t.agents[t.order[n]]
        if b["lane"] == lane and b["station"] <= station:
            gap = station - a["length"] - b["station"]
            behind = -math.inf if gap < b["standstill_gap"] else following_acceleration(b, b["speed"], gap, a["speed"])
            before = b["demand"]
            break
    return behind, before
