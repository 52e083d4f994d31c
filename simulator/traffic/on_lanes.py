"""Who is where on the lanes: agents in the order of their stations, what bodies cover of the lanes, random choices."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from terrain.roads.network import DRIVE, lane_pose

PREDICTION = 1.0
"""s. A body covers what it will cover within this time if it goes straight on."""
SLIM = 0.3
"""m. Half the width of a person. One who crosses a road covers the lanes up to its other side."""
ALONG = 0.7
"""1. Cosine of the angle to the lane above which a body drives along the lane, and not across it."""


@inline
def wrapped(angle):
    """Return an angle [rad] from -pi to pi."""
    return (angle + math.pi) % math.tau - math.pi


@inline
def random_number(t, one, k):
    """Return a number, 0 or larger, below 2^53, of agent or walker k (row `one`), the next one of its sequence [SplitMix64]."""
    one["draws"] += 1
    z = (t.p[0]["seed"] * 1000003 + k * 8191 + one["draws"]) * -7046029254386353131
    z = (z ^ ((z >> 30) & 0x3FFFFFFFF)) * -4658895280553007687
    z = (z ^ ((z >> 27) & 0x1FFFFFFFFF)) * -7723592293110705685
    z = z ^ ((z >> 31) & 0x1FFFFFFFF)
    return (z >> 11) & 0x1FFFFFFFFFFFFF


@kernel
def next_of(t, lane, k):
    """Return a successor of a lane that agent k chooses: of two at random the one that leads to the emptier lane; -1 at the end of the network."""
    if lane < 0 or t.network.lanes[lane]["nexts"] == 0:
        return -1
    row, a = t.network.lanes[lane], t.agents[k]
    one = t.network.next_lanes[row["first_next"] + random_number(t, a, k) % row["nexts"]]
    other = t.network.next_lanes[row["first_next"] + random_number(t, a, k) % row["nexts"]]
    return one if _crowd(t, one) <= _crowd(t, other) else other


@inline
def _crowd(t, lane):
    """Return the vehicles per meter [1/m] on a lane, or on the lane behind a lane of a crossing."""
    row = t.network.lanes[lane]
    if row["crossing"] >= 0 and row["nexts"] > 0:
        lane = t.network.next_lanes[row["first_next"]]
    return (t.firsts[lane + 1] - t.firsts[lane]) / t.network.lanes[lane]["length"]


@kernel
def sort_agents(t):
    """Write `order` and `firsts`, and `leads` of each agent."""
    agents, order = t.agents, t.order
    count = 0
    for lane in range(len(t.firsts)):
        t.firsts[lane] = 0
    for k in range(len(agents)):
        if agents[k]["active"] == 1:
            t.firsts[agents[k]["lane"] + 1] += 1
            n, count = count, count + 1
            while n > 0 and _behind(agents, k, order[n - 1]):
                order[n] = order[n - 1]
                n -= 1
            order[n] = k
    for lane in range(1, len(t.firsts)):
        t.firsts[lane] += t.firsts[lane - 1]
    for lane in range(len(t.firsts) - 1):
        leads = 1
        for n in range(t.firsts[lane + 1] - 1, t.firsts[lane] - 1, -1):
            a = agents[order[n]]
            a["leads"] = leads
            if a["held"] < 0 or a["held"] != a["next"]:
                leads = 0


@inline
def _behind(agents, k, j):
    """Return whether agent k comes before agent j in the order."""
    a, b = agents[k], agents[j]
    if a["lane"] != b["lane"]:
        return a["lane"] < b["lane"]
    return a["station"] < b["station"]


@kernel
def find_obstacles(t, count):
    """Write what the first `count` bodies, and the walkers who cross, cover of the lanes."""
    t.p[0]["obstacles"] = t.p[0]["fixed"]
    cover_bodies(t, count)
    for k in range(len(t.walkers)):
        w = t.walkers[k]
        if w["active"] == 1 and w["crosses"] == 1:
            length = t.network.lanes[w["lane"]]["length"]
            x, y, _ = lane_pose(t.network, w["lane"], 0.0 if w["back"] == 1 else length)
            dx, dy = x - w["p_WO"][0], y - w["p_WO"][1]
            far = math.sqrt(dx * dx + dy * dy)
            cover_lanes(t, (w["p_WO"][0], w["p_WO"][1], math.atan2(dy, dx), 0.0), (far + SLIM, SLIM, SLIM))


@kernel
def cover_bodies(t, count):
    """Add obstacles for the first `count` bodies."""
    for k in range(count):
        b = t.bodies[k]
        cover_lanes(t, (b["p_W"][0], b["p_W"][1], b["yaw"], b["speed"]), (b["front"], b["rear"], b["half_width"]))


@kernel
def cover_lanes(t, place, size):
    """Add an obstacle for each lane that a body covers.

    place : x, y [m], yaw [rad], speed [m/s]; size : extent ahead and behind, half the width [m]
    """
    x, y, yaw, speed = place
    front, rear, half = size
    side = half + t.p[0]["clearance"]
    far = max(front + abs(speed) * PREDICTION, rear + abs(speed) * PREDICTION) + side
    c, s = math.cos(yaw), math.sin(yaw)
    ahead, behind = front + max(speed, 0.0) * PREDICTION, rear + max(-speed, 0.0) * PREDICTION
    ahead, behind = ahead + t.p[0]["clearance"], behind + t.p[0]["clearance"]
    for lane in range(len(t.network.lanes)):
        box = t.boxes[lane]
        if t.network.lanes[lane]["kind"] != DRIVE or x < box[0] - far or y < box[1] - far or x > box[2] + far or y > box[3] + far:
            continue
        begin, end, along = _covered(t.network, lane, (x, y, c, s), (ahead, behind, side))
        n = t.p[0]["obstacles"]
        if begin > end:
            continue
        if n >= len(t.obstacles):
            t.p[0]["lost"] += 1
            continue
        o = t.obstacles[n]
        o["lane"], o["begin"], o["end"] = lane, begin, end
        o["center"] = nearest_station(t.network, lane, x + 0.5 * (front - rear) * c, y + 0.5 * (front - rear) * s)
        o["speed"] = max(speed * along, 0.0) if abs(along) > ALONG else 0.0
        t.p[0]["obstacles"] = n + 1


@inline
def _covered(network, lane, place, reach):
    """Return the first and the last station inside a rectangle, and the cosine of the angle of the lane to it there; inf, -inf: none.

    place : x, y [m], cosine and sine of the yaw; reach : ahead, behind, to each side [m]
    """
    x, y, c, s = place
    ahead, behind, side = reach
    row = network.lanes[lane]
    begin, end, along = math.inf, -math.inf, 0.0
    for k in range(row["first"], row["first"] + row["count"] - 1):
        a, b = network.points[k], network.points[k + 1]
        dx, dy = a["p_W"][0] - x, a["p_W"][1] - y
        u, v = c * dx + s * dy, c * dy - s * dx
        dx, dy = b["p_W"][0] - a["p_W"][0], b["p_W"][1] - a["p_W"][1]
        du, dv = c * dx + s * dy, c * dy - s * dx
        low, high = _clip(u, du, -behind, ahead, 0.0, 1.0)
        low, high = _clip(v, dv, -side, side, low, high)
        if low <= high:
            span = b["station"] - a["station"]
            begin, end = min(begin, a["station"] + low * span), max(end, a["station"] + high * span)
            along = du / max(span, 1e-9)
    return begin, end, along


@inline
def _clip(u, du, least, most, low, high):
    """Return the part of low to high for which u + du times the part is between two limits; empty: inf, -inf."""
    if abs(du) < 1e-12:
        return (low, high) if least <= u <= most else (math.inf, -math.inf)
    first, last = (least - u) / du, (most - u) / du
    return max(low, min(first, last)), min(high, max(first, last))


@kernel
def nearest_station(network, lane, x, y):
    """Return the station [m] of the point of a lane nearest to a place [m]; below 0 and beyond the length on its straight continuations."""
    row = network.lanes[lane]
    best, station = math.inf, 0.0
    last = row["first"] + row["count"] - 2
    for k in range(row["first"], last + 1):
        a, b = network.points[k], network.points[k + 1]
        dx, dy, span = b["p_W"][0] - a["p_W"][0], b["p_W"][1] - a["p_W"][1], max(b["station"] - a["station"], 1e-9)
        along = ((x - a["p_W"][0]) * dx + (y - a["p_W"][1]) * dy) / span
        if k > row["first"]:
            along = max(along, 0.0)
        if k < last:
            along = min(along, span)
        ex, ey = x - a["p_W"][0] - dx * along / span, y - a["p_W"][1] - dy * along / span
        if ex * ex + ey * ey < best:
            best, station = ex * ex + ey * ey, a["station"] + along
    return station


@inline
def way_pose(network, before, lane, after, station):
    """Return x, y [m] and direction [rad] at a station [m] of a lane, also behind its begin and beyond its end, where other lanes join it."""
    length = network.lanes[lane]["length"]
    if station < 0.0 and before >= 0:
        return lane_pose(network, before, network.lanes[before]["length"] + station)
    if station > length and after >= 0:
        return lane_pose(network, after, station - length)
    return lane_pose(network, lane, station)


@inline
def speed_at(t, lane, station):
    """Return the speed [m/s] that limit and curvature allow at a station [m] of a lane."""
    first, last = t.first_speeds[lane], t.first_speeds[lane + 1] - 1
    return t.speeds[min(max(first + int(station), first), last)]
