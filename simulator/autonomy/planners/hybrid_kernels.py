"""Kernel of hybrid A*: search over position and heading with arcs forward and backward. [Dolgov, Thrun, Montemerlo and Diebel 2010]

A state is a cell of a grid over x, y and heading; it holds the exact pose with which it was reached. The estimate of the remaining cost is the
remaining way on the map with a turn into its direction. All work space is allocated once; a state belongs to the present search if its stamp
is that of the search.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.guidance import togo_at
from simulator.autonomy.heap import REMOVED, Heap, empty_heap, pop, push, rise
from simulator.autonomy.path_check import CONTACT, EASING, TOLERATED
from simulator.autonomy.pose_check import TOUCHES, clearance_at, hazard_at, layer_at
from simulator.base.jit import inline, kernel

HYBRID_SEARCH = (
    # name              shape unit   description
    ("x", (), "m", "corner of the grid"),
    ("y", (), "m", "corner of the grid"),
    ("cell", (), "m", "side length of a cell of the grid"),
    ("columns", (), "1", "number of cells along x", "i8"),
    ("rows", (), "1", "number of cells along y", "i8"),
    ("headings", (), "1", "number of headings", "i8"),
    ("step", (), "m", "distance between two checked poses"),
    ("steps", (), "1", "number of checked poses of an arc", "i8"),
    ("margin", (), "m", "requested distance to obstacles"),
    ("start_clearance", (), "m", "distance to obstacles at the start"),
    ("start_hazard", (), "1", "closeness to the limits of the vehicle at the start"),
    ("comfort", (), "m", "distance to obstacles beyond the margin from which on they cost nothing"),
    ("close_cost", (), "1", "additional cost of a meter at the margin"),
    ("hazard_cost", (), "1", "additional cost of a meter at a limit of the vehicle"),
    ("back_cost", (), "1", "cost of a meter backward"),
    ("shift_cost", (), "m", "cost of a change of the direction"),
    ("steer_cost", (), "m", "cost of a change of the curvature by the largest curvature"),
    ("max_curvature", (), "1/m", "largest curvature"),
    ("horizon", (), "m", "length of a path that is long enough"),
    ("speed", (), "m/s", "speed at the start"),
    ("lateral", (), "m/s2", "largest lateral acceleration"),
    ("braking", (), "m/s2", "deceleration by braking"),
    ("curvature_rate", (), "1/m/s", "largest rate of the curvature"),
    ("goal_radius", (), "m", "distance from the goal at which a path ends"),
    ("may_shift", (), "1", "1 = the first arc may have any direction; 0 = forward only, because the vehicle is fast", "i8"),
    ("back_off", (), "m", "length of the straight way backward with which a path begins"),
    ("weak", (), "1", "strength of the ground below which a change of the direction costs more, in proportion"),
    ("reverse", (), "1", "1 = arcs forward and backward; 0 = forward only", "i8"),
    ("explores", (), "1", "1 = a path may also end before unknown ground, if that is better than to turn away from it", "i8"),
    ("most", (), "1", "maximum number of expanded states", "i8"),
    ("stamp", (), "1", "number of this search", "i8"),
)
"""Inputs of the search."""

NO_STATE = -1
SLOW, JUMP = 2.0, 2.0
"""m/s. Speed below which the vehicle turns as it likes; change of the curvature between two arcs over that along an arc, at most."""
SHORTEST = 2.0
"""m. Least decrease of the remaining way on a path that does not reach an end, less EFFORT times its cost."""
EFFORT = 0.25
"""Meters of the remaining way for which a path that does not reach an end may cost one more: it does not turn back for one that is a bit closer."""
PROGRESS = 0.5
"""Decrease of the remaining way over the length of a path that ends before the goal, at least."""


class States(NamedTuple):
    """States of the search, each (n,), by their cells."""

    stamp: NDArray[np.int64]
    cost: NDArray[np.float64]
    length: NDArray[np.float64]
    """m, length of the path"""
    pose: NDArray[np.float64]
    """(n, 3) x, y [m] of the point without sideslip, heading [rad]"""
    curvature: NDArray[np.float64]
    """1/m, of the arc that leads to the state"""
    direction: NDArray[np.int8]
    parent: NDArray[np.int64]
    heap: Heap
    """States to expand, by their cost with the estimate of the remaining cost [m]; REMOVED = expanded"""


class Reached(NamedTuple):
    """Cheapest path to a state."""

    cost: float
    rest: float
    """m, estimate of the remaining cost"""
    length: float
    """m, length of the path"""
    pose: tuple[float, float, float]
    """x, y [m] of the point without sideslip, heading [rad]"""
    curvature: float
    """1/m, of the arc that leads to the state"""
    direction: int
    """1 = forward, -1 = backward"""
    parent: int


def empty_states(n: int) -> States:
    """Return the work space of a search in n states; the stamps of all searches are above 0."""
    stamp, parent = np.zeros(n, np.int64), np.full(n, NO_STATE, np.int64)
    return States(stamp, np.zeros(n), np.zeros(n), np.zeros((n, 3)), np.zeros(n), np.zeros(n, np.int8), parent, empty_heap(n))


@inline
def state_of(q, x, y, yaw):
    """Return the number of the state of a pose; NO_STATE outside the grid."""
    i, j = math.floor((x - q["x"]) / q["cell"]), math.floor((y - q["y"]) / q["cell"])
    if i < 0 or j < 0 or i >= q["columns"] or j >= q["rows"]:
        return NO_STATE
    turn = yaw / (2.0 * math.pi)
    k = math.floor((turn - math.floor(turn)) * q["headings"] + 0.5) % q["headings"]
    return (k * q["rows"] + j) * q["columns"] + i


@kernel
def search_hybrid(p, m, v, r, start, curvatures, states):
    """Search from a pose `start` (4,), its heading last but one and its curvature last; return the last state and the closest one to the goal.

    p : HYBRID_SEARCH, m : MapArrays, v : OUTLINE, r : RouteArrays, curvatures (k,) of the arcs [1/m], states : States. The last state is in the
    goal or beyond the horizon and closer to the goal; NO_STATE if there is none. The closest state has, of all expanded ones, the least remaining
    way with EFFORT times its cost, at least SHORTEST less than the start; else NO_STATE.
    """
    q = p[0]
    first = state_of(q, start[0], start[1], start[2])
    if first == NO_STATE:
        return NO_STATE, NO_STATE
    pose = start[0], start[1], start[2]
    _put(states, q, first, Reached(0.0, _estimate(q, v, r, start[0], start[1], start[2]), 0.0, pose, start[3], 1, NO_STATE))
    size = push(states.heap, 0, first)
    expanded, closest, least = 0, NO_STATE, states.heap.key[first] - SHORTEST
    while size > 0 and expanded < q["most"]:
        here = states.heap.items[0]
        size = pop(states.heap, size)
        expanded += 1
        value = states.heap.key[here] - (1.0 - EFFORT) * states.cost[here]
        if here != first and _is_end(q, v, r, states, here, states.heap.key[first]):
            return closest if q["explores"] != 0 and least < value and not _in_goal(q, v, r, states.pose[here]) else here, closest
        if value < least:
            closest, least = here, value
        for direction in (1, -1):
            if direction < 0 and (q["reverse"] == 0 or (here == first and q["may_shift"] == 0)):
                continue
            if direction > 0 and states.length[here] < q["back_off"]:
                continue
            for k in range(len(curvatures)):
                if curvatures[k] != 0.0 and states.length[here] < q["back_off"]:
                    continue
                size = _expand(q, m, v, r, states, here, (curvatures[k], direction), size)
    return NO_STATE, closest


@inline
def _is_end(q, v, r, states, here, rest):
    """Return whether a path may end: in the goal, or beyond the horizon and closer to the goal; `rest` is the remaining way at its start [m]."""
    if _in_goal(q, v, r, states.pose[here]):
        return True
    way = states.length[here]
    return way >= q["horizon"] and rest - (states.heap.key[here] - states.cost[here]) >= PROGRESS * way


@inline
def _expand(q, m, v, r, states, here, arc, size):
    """Add the state at the end of an arc (curvature [1/m], direction); return the size of the heap."""
    curvature, direction = arc
    x, y, yaw = states.pose[here, 0], states.pose[here, 1], states.pose[here, 2]
    cost, way = states.cost[here], states.length[here]
    rate = 1.0 if direction > 0 else q["back_cost"]
    # until the vehicle has braked, it turns neither sharply nor quickly
    slowed = q["speed"] * q["speed"] - 2.0 * q["braking"] * way
    if slowed > SLOW * SLOW:
        turned = abs(curvature - states.curvature[here])
        if abs(curvature) * slowed > q["lateral"] or turned > JUMP * q["curvature_rate"] / math.sqrt(slowed) * q["step"] * q["steps"]:
            return size
    for _ in range(q["steps"]):
        turned = direction * q["step"] * curvature
        x += direction * q["step"] * math.cos(yaw + 0.5 * turned)
        y += direction * q["step"] * math.sin(yaw + 0.5 * turned)
        yaw += turned
        way += q["step"]
        c, s = math.cos(yaw), math.sin(yaw)
        clearance = clearance_at(m, v, x, y, c, s)
        need = min(q["margin"], q["start_clearance"] - CONTACT + EASING * way)
        if clearance == TOUCHES or clearance < need:
            return size
        hazard, _, _ = hazard_at(m, v, x, y, c, s, float(direction))
        if not hazard <= max(1.0, TOLERATED * q["start_hazard"]):
            return size
        near = min(max(1.0 - (clearance - q["margin"]) / q["comfort"], 0.0), 1.0)
        cost += q["step"] * (rate + q["close_cost"] * near * near + q["hazard_cost"] * hazard * hazard)
    if direction != states.direction[here]:
        strength = layer_at(m, m.strength, x, y)
        cost += q["shift_cost"] * (q["weak"] / max(strength, 0.01) if strength < q["weak"] else 1.0)
    else:
        cost += q["steer_cost"] * abs(curvature - states.curvature[here]) / q["max_curvature"]
    there = state_of(q, x, y, yaw)
    if there in (NO_STATE, here):
        return size
    known = states.stamp[there] == q["stamp"]
    if known and (states.heap.place[there] == REMOVED or states.cost[there] <= cost):
        return size
    rest = _estimate(q, v, r, x, y, yaw)
    if not rest < math.inf:
        return size
    _put(states, q, there, Reached(cost, rest, way, (x, y, yaw), curvature, direction, here))
    if not known:
        return push(states.heap, size, there)
    rise(states.heap, there)
    return size


@inline
def _put(states, q, index, new):
    """Write the path to a state."""
    states.stamp[index], states.cost[index], states.heap.key[index] = q["stamp"], new.cost, new.cost + new.rest
    states.pose[index, 0], states.pose[index, 1], states.pose[index, 2] = new.pose
    states.length[index], states.curvature[index], states.direction[index] = new.length, new.curvature, new.direction
    states.parent[index] = new.parent


@inline
def _estimate(q, v, r, x, y, yaw):
    """Return the estimate of the remaining cost [m] from a pose."""
    b = v[0]["to_reference"]
    return togo_at(r, x + b * math.cos(yaw), y + b * math.sin(yaw))


@inline
def _in_goal(q, v, r, pose):
    b = v[0]["to_reference"]
    return math.hypot(pose[0] + b * math.cos(pose[2]) - r.goal_x, pose[1] + b * math.sin(pose[2]) - r.goal_y) < q["goal_radius"]
