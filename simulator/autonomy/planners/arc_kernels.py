"""Kernels of the arc planner: all pairs of two arcs from the present pose, their check on the map, and their cost."""

from __future__ import annotations

import math
from typing import NamedTuple

from simulator.autonomy.guidance import togo_with_heading
from simulator.autonomy.path_check import CONTACT, EASING, TOLERATED
from simulator.autonomy.pose_check import TOUCHES, clearance_at, hazard_at
from simulator.base.jit import inline, kernel

ARC_SEARCH = (
    # name              shape unit   description
    ("x", (), "m", "position of the point without sideslip"),
    ("y", (), "m", "position of the point without sideslip"),
    ("yaw", (), "rad", "heading"),
    ("curvature", (), "1/m", "present curvature"),
    ("change", (), "1/m2", "largest change of the curvature per distance"),
    ("max_curvature", (), "1/m", "largest curvature"),
    ("step", (), "m", "distance between two points"),
    ("first", (), "1", "number of steps of the first arc", "i8"),
    ("second", (), "1", "number of steps of the second arc; 0 = none", "i8"),
    ("first_direction", (), "1", "1 = forward, -1 = backward"),
    ("second_direction", (), "1", "1 = forward, -1 = backward"),
    ("stop", (), "m", "distance in which the vehicle can stop: a shorter path is not allowed"),
    ("margin", (), "m", "requested distance to obstacles"),
    ("start_clearance", (), "m", "distance to obstacles at the start"),
    ("start_hazard", (), "1", "closeness to the limits of the vehicle at the start"),
    ("comfort", (), "m", "distance to obstacles beyond the margin from which on they cost nothing"),
    ("close_cost", (), "1", "additional cost of a meter at the margin"),
    ("hazard_cost", (), "1", "additional cost of a meter at a limit of the vehicle"),
    ("steer_cost", (), "m", "cost of a change of the curvature by the largest curvature"),
    ("short_cost", (), "m", "cost of a path that ends at an obstacle"),
    ("back_cost", (), "1", "cost of a meter backward"),
    ("goal_radius", (), "m", "distance from the goal at which a path ends"),
    ("ahead", (), "m", "distance over which the remaining way decreases ahead of the end of a path"),
)
"""Inputs of the search. Paths are those of the point without sideslip; the curvature changes at a limited rate."""

CLEAR, SHORT, REACHED = range(3)
"""Ends of an arc: its full length, before an obstacle, in the goal."""


class Arc(NamedTuple):
    """Arc to roll out."""

    curvature: float
    """1/m, at its end: the curvature changes at a limited rate"""
    steps: int
    direction: float
    """1 = forward, -1 = backward"""


@inline
def bend(curvature, wanted, most):
    """Return the curvature after a step, at most `most` closer to the wanted one."""
    return curvature + min(max(wanted - curvature, -most), most)


@inline
def move(x, y, yaw, before, after, way):
    """Return the pose after a signed way with curvatures before and after it (midpoint rule)."""
    turned = 0.5 * way * (before + after)
    middle = yaw + 0.5 * turned
    return x + way * math.cos(middle), y + way * math.sin(middle), yaw + turned


@inline
def follow_arc(q, m, v, r, start, arc, travelled):
    """Roll an arc out from a pose after a way of `travelled` [m]; return (pose, number of clear steps, cost of the clear steps [m], end).

    Poses are x, y, heading and curvature.
    """
    x, y, yaw, curvature = start
    cost, k, end = 0.0, 0, CLEAR
    while k < arc.steps:
        new = bend(curvature, arc.curvature, q["change"] * q["step"])
        nx, ny, nyaw = move(x, y, yaw, curvature, new, arc.direction * q["step"])
        c, s = math.cos(nyaw), math.sin(nyaw)
        clearance = clearance_at(m, v, nx, ny, c, s)
        way = travelled + (k + 1) * q["step"]
        need = q["margin"]
        if q["start_clearance"] < need:
            need = min(need, q["start_clearance"] - CONTACT + EASING * way)
        if clearance == TOUCHES or clearance < need:
            end = SHORT
            break
        hazard, _, _ = hazard_at(m, v, nx, ny, c, s, arc.direction)
        if not hazard <= max(1.0, TOLERATED * q["start_hazard"]):
            end = SHORT
            break
        near = min(max(1.0 - (clearance - q["margin"]) / q["comfort"], 0.0), 1.0)
        cost += q["step"] * (
            (1.0 if arc.direction > 0.0 else q["back_cost"]) + q["close_cost"] * near * near + q["hazard_cost"] * hazard * hazard
        )
        x, y, yaw, curvature = nx, ny, nyaw, new
        k += 1
        bx, by = x + v[0]["to_reference"] * c, y + v[0]["to_reference"] * s
        if math.hypot(bx - r.goal_x, by - r.goal_y) < q["goal_radius"]:
            end = REACHED
            break
    return (x, y, yaw, curvature), k, cost, end


@inline
def value_of(q, v, r, pose, length, cost, end):
    """Return the cost [m] of a path with its remaining way from its last pose; inf if it is too short to stop in."""
    if end == REACHED:
        return cost
    if length < q["stop"]:
        return math.inf
    x, y, yaw, _ = pose
    c, s = math.cos(yaw), math.sin(yaw)
    b = v[0]["to_reference"]
    rest = togo_with_heading(r, x + b * c, y + b * s, c, s, q["ahead"], 1.0 / q["max_curvature"])
    return cost + rest + (q["short_cost"] if end == SHORT else 0.0)


@kernel
def search_arcs(p, m, v, r, firsts, seconds, values, clear):
    """Write the costs of all pairs of arcs (n, k) [m] and their numbers of clear steps (n, k, 2).

    p : ARC_SEARCH, m : MapArrays, v : OUTLINE, r : RouteArrays, firsts (n,), seconds (k,) : curvatures [1/m]. A pair whose first arc ends early is
    in the first column, the others of its row are inf.
    """
    q = p[0]
    start = q["x"], q["y"], q["yaw"], q["curvature"]
    for i in range(len(firsts)):
        steer = q["steer_cost"] * abs(firsts[i] - q["curvature"]) / q["max_curvature"]
        pose, n, cost, end = follow_arc(q, m, v, r, start, Arc(firsts[i], q["first"], q["first_direction"]), 0.0)
        for j in range(len(seconds)):
            values[i, j], clear[i, j, 0], clear[i, j, 1] = math.inf, n, 0
        if end != CLEAR or q["second"] == 0:
            values[i, 0] = value_of(q, v, r, pose, n * q["step"], cost, end) + steer
            continue
        x, y, yaw, curvature = pose
        for j in range(len(seconds)):
            before = curvature if q["second_direction"] == q["first_direction"] else seconds[j]
            more = 0.5 * q["steer_cost"] * abs(seconds[j] - firsts[i]) / q["max_curvature"]
            arc = Arc(seconds[j], q["second"], q["second_direction"])
            last, n2, cost2, end2 = follow_arc(q, m, v, r, (x, y, yaw, before), arc, n * q["step"])
            clear[i, j, 1] = n2
            values[i, j] = value_of(q, v, r, last, (n + n2) * q["step"], cost + cost2, end2) + steer + more


@kernel
def arc_points(p, first, second, n, n2, out):
    """Write the poses (1 + n + n2, 4) of two arcs: x, y [m] of the point without sideslip, heading [rad], direction."""
    q = p[0]
    x, y, yaw, curvature = q["x"], q["y"], q["yaw"], q["curvature"]
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = x, y, yaw, q["first_direction"]
    for k in range(n + n2):
        wanted, direction = (first, q["first_direction"]) if k < n else (second, q["second_direction"])
        if k == n and q["second_direction"] != q["first_direction"]:
            curvature = second
        new = bend(curvature, wanted, q["change"] * q["step"])
        x, y, yaw = move(x, y, yaw, curvature, new, direction * q["step"])
        curvature = new
        out[k + 1, 0], out[k + 1, 1], out[k + 1, 2], out[k + 1, 3] = x, y, yaw, direction
