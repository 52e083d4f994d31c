"""Hybrid A*: arcs forward and backward over position and heading, to the goal or over a horizon."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import CONTRACT, UNKNOWN, Blocked, ObstacleMap, Plan, PlannerInput, PlannerKind, PlannerSettings
from simulator.autonomy.guidance import NO_WAY, RouteArrays, route_to
from simulator.autonomy.path_check import check_path, clear_part, speeds_along
from simulator.autonomy.planners.hybrid_kernels import HYBRID_SEARCH, NO_STATE, States, empty_states, search_hybrid
from simulator.autonomy.pose_check import MapArrays, arrays_of, outline_of
from simulator.autonomy.tracking import tracked_way
from simulator.base.arrays import Array
from simulator.base.fields import Field, Fields, Flag, Number
from simulator.base.records import record

STEP = 0.5
"""m between two poses of an arc."""
SLOW = 1.0
"""m/s. Speed above which the first arc is forward."""
ATTEMPTS = (
    # margin, traction, ease
    (1.0, 1.0, 1.0),
    (0.5, 1.0, 1.0),
    (0.5, 2.0, 1.0),
    (0.2, 2.0, 1.0),
    (0.2, math.inf, 1.4),
)
"""Searches that are tried one after the other: fraction of the requested margin, and factors of the tractive force and of the limits of roll,
slope and clearance, see `pose_check.OUTLINE`."""
KEPT_MARGIN = 0.5
"""Fraction of the requested margin that a plan must have to be kept."""
BACK_OFF = 5.0
"""m. Straight way backward, in its own ruts, with which a plan begins for a vehicle that does not get on forward."""
REACHED = 0.7
"""Fraction of the radius of the goal in which a path ends."""
KEPT = 0.5
"""Fraction of the horizon: a clear plan of which more is left is kept."""
KNOWN = 0.75
"""Length of a path that is long enough, over the radius of a circle with the area of the known ground."""
OFF, TURNED = 1.0, 0.5
"""m, rad. Distance from the plan and difference of the heading beyond which it is not kept."""
COSTS = {
    "close_cost": 1.5, "hazard_cost": 2.0, "steer_cost": 1.0, "back_cost": 2.0, "shift_cost": 6.0, "comfort": 1.5, "weak": 0.3,
}  # fmt: skip


class HybridAStarPlanner:
    """Planner by hybrid A*."""

    def __init__(self, settings: PlannerSettings) -> None:
        values = settings.values
        self._cell, self._headings, self._most = float(values["cell"]), int(values["headings"]), int(values["states"])
        self._horizon, self._reverse = float(values["horizon"]), bool(values["reverse"])
        self._curvatures = np.linspace(-1.0, 1.0, 2 * (int(values["curvatures"]) // 2) + 1) * settings.vehicle.max_curvature
        self._attempts = tuple((margin, outline_of(settings.vehicle, ease, traction)) for margin, traction, ease in ATTEMPTS)
        """Margins and outlines that are tried one after the other."""
        self._outline = self._attempts[0][1]
        self._p = record(HYBRID_SEARCH)
        self._states: States | None = None
        self._reach = self._horizon
        """m. Length of a path that is long enough on the present map."""
        self._leaves = False
        """Whether the vehicle stands and cannot move forward: it has to try backward."""
        self._back_off = 0.0
        """m. Straight way backward at the start of the next plan."""
        self._narrow = 0
        """Number of the attempt with which the last path was found."""

    def plan(self, seen: PlannerInput) -> Plan | Blocked:
        """Return the cheapest sequence of arcs as a path."""
        m = arrays_of(seen.map)
        kept = self.kept(seen, m)
        if kept is not None:
            return kept
        self._reach = min(self._horizon, KNOWN * known_radius(seen.map))
        route = route_to(seen.goal, seen.map, seen.vehicle, seen.margin)
        if isinstance(route, Blocked):
            return route
        self._leaves = bool(seen.stuck % 2) and abs(seen.speed) < SLOW
        self._back_off = BACK_OFF if self._leaves and self._reverse else 0.0
        found = self._tried(seen, m, route)
        if isinstance(found, Blocked) and self._back_off:
            self._back_off = 0.0
            found = self._tried(seen, m, route)
        return found

    def _tried(self, seen: PlannerInput, m: MapArrays, route: RouteArrays) -> Plan | Blocked:
        """Return the path of the first attempt that finds one; else a part of the way.

        On a map with unknown ground, a path forward with less margin is better than one that drives backward: what blocks the way forward is
        often ground that was not seen well so far.
        """
        best = backward = None
        for n in range(max(self._narrow - 1, 0), len(self._attempts)):
            if backward is not None and n == len(self._attempts) - 1:
                break
            margin, self._outline = self._attempts[n][0] * seen.margin, self._attempts[n][1]
            states = self._search_space(seen, m, margin)
            last, closest = self._search(seen, m, route, states)
            if last != NO_STATE:
                poses, directions = self._poses(states, last)
                if self._reach == self._horizon or self._leaves or (directions > 0).all():
                    self._narrow = n
                    return self._plan(seen, m, poses, directions, margin)
                backward = backward or (n, poses, directions, margin)
            elif best is None and closest != NO_STATE and not self._back_off:  # a part of the way, if no margin leads to the end
                best = *self._poses(states, closest), margin
        if backward is not None:
            self._narrow = n = backward[0]
            self._outline = self._attempts[n][1]
            return self._plan(seen, m, *backward[1:])
        return Blocked(NO_WAY) if best is None else self._plan(seen, m, *best)

    def kept(self, seen: PlannerInput, m: MapArrays | None = None, part: float = KEPT_MARGIN) -> Plan | None:
        """Return the rest of the present plan if it is long enough and still clear, by a part of the requested margin.

        A vehicle beside its plan needs at least that distance as room on the rest; else it would plan to touch what the plan only passes.
        """
        plan, m = seen.previous, m or arrays_of(seen.map)
        if plan is None or seen.stuck or plan.directions is None or plan.directions[-1] < 0:
            return None
        backward = np.flatnonzero(plan.directions < 0)
        first = int(backward[-1]) if len(backward) else 0  # the driver asks for no plan before the last change of the direction
        away = np.hypot(*(plan.points - (seen.pose.x, seen.pose.y)).T)
        near = first + int(np.argmin(away[first:]))
        rest = len(plan.points) - near
        turned = abs(math.remainder(seen.pose.yaw - plan.headings[near], math.tau))
        if away[near] > OFF or turned > TURNED or rest < 4 or (not plan.reaches_goal and rest * STEP < KEPT * self._reach):
            return None
        points, headings, directions = plan.points[near:], plan.headings[near:], np.ones(rest, np.int8)
        if not seen.map.contains(points).all():
            return None
        checked = check_path(m, self._outline, points, headings, directions)
        c, s = math.cos(headings[0]), math.sin(headings[0])
        beside = abs(c * (seen.pose.y - points[0, 1]) - s * (seen.pose.x - points[0, 0]))
        if clear_part(checked, points, max(part * seen.margin, beside)) < len(points):
            return None
        speeds = speeds_along(points, directions, checked, seen.vehicle, limit=seen.speed_limit, margin=seen.margin)
        return Plan(points, headings, speeds, directions, plan.reaches_goal)

    def _search_space(self, seen: PlannerInput, m: MapArrays, margin: float) -> States:
        """Set the inputs of the search; return its work space."""
        q, found, vehicle = self._p[0], seen.map, seen.vehicle
        ny, nx = (math.ceil(n * found.cell / self._cell) for n in found.shape)
        q["x"], q["y"], q["cell"], q["columns"], q["rows"], q["headings"] = *found.origin, self._cell, nx, ny, self._headings
        q["step"], q["steps"] = STEP, max(1, math.ceil(1.5 * self._cell / STEP))
        q["margin"], q["max_curvature"], q["horizon"], q["most"] = margin, vehicle.max_curvature, self._reach, self._most
        q["goal_radius"], q["may_shift"] = REACHED * seen.goal.radius, abs(seen.speed) < SLOW
        q["back_off"] = self._back_off
        q["reverse"], q["explores"] = self._reverse, self._reach < self._horizon
        for name, value in COSTS.items():
            q[name] = value
        q["speed"], q["braking"] = max(seen.speed, 0.0), 0.8 * vehicle.deceleration
        q["lateral"], q["curvature_rate"] = vehicle.lateral_acceleration, vehicle.curvature_rate
        if self._leaves:
            q["back_cost"], q["shift_cost"] = 1.0, 0.0
        now = check_path(m, self._outline, [(seen.pose.x, seen.pose.y)], [seen.pose.yaw], [1])
        q["start_clearance"], q["start_hazard"] = now.clearance[0], now.hazard[0] if math.isfinite(now.hazard[0]) else 1.0
        size = nx * ny * self._headings
        if self._states is None or len(self._states.cost) != size:
            self._states = empty_states(size)
            q["stamp"] = 0
        q["stamp"] += 1
        return self._states

    def _search(self, seen: PlannerInput, m: MapArrays, route: RouteArrays, states: States) -> tuple[int, int]:
        """Return the last state of the cheapest path, and the state closest to the goal; NO_STATE without one."""
        x, y, yaw = seen.pose
        b = seen.vehicle.rear_axle
        start = np.array((x - b * math.cos(yaw), y - b * math.sin(yaw), yaw, seen.curvature))
        last, closest = search_hybrid(self._p, m, self._outline, route, start, self._curvatures, states)
        return int(last), int(closest)

    def _poses(self, states: States, last: int) -> tuple[Array, NDArray[np.int8]]:
        """Return the poses (n, 3) of the point without sideslip and the directions (n,) of the path to a state."""
        chain = [last]
        while states.parent[chain[-1]] != NO_STATE:
            chain.append(int(states.parent[chain[-1]]))
        chain.reverse()
        poses, directions = [states.pose[chain[0]].copy()], [int(states.direction[chain[1]])]
        for one in chain[1:]:
            direction, curvature = int(states.direction[one]), float(states.curvature[one])
            for _ in range(int(self._p[0]["steps"])):
                x, y, yaw = poses[-1]
                turned = direction * STEP * curvature
                middle = yaw + 0.5 * turned
                poses.append(np.array((x + direction * STEP * math.cos(middle), y + direction * STEP * math.sin(middle), yaw + turned)))
                directions.append(direction)
        return np.array(poses), np.array(directions, np.int8)

    def _plan(self, seen: PlannerInput, m: MapArrays, poses: Array, directions: NDArray[np.int8], margin: float) -> Plan:
        """Return the path of B with speeds; a path forward is that of a vehicle that steers at its rate, if it is clear."""
        vehicle, headings = seen.vehicle, poses[:, 2]
        points = poses[:, :2] + vehicle.rear_axle * np.column_stack((np.cos(headings), np.sin(headings)))
        if (directions > 0).all():
            smooth, turned = tracked_way(
                points,
                vehicle,
                yaw=seen.pose.yaw,
                curvature=seen.curvature,
                speed=seen.speed,
                look_ahead=LOOK_AHEAD,
                length=1.5 * self._horizon,
            )
            ahead = np.ones(len(smooth), np.int8)
            if len(smooth) > 3 and clear_part(check_path(m, self._outline, smooth, turned, ahead), smooth, 0.8 * margin) == len(smooth):
                points, headings, directions = smooth, turned, ahead
        checked = check_path(m, self._outline, points, headings, directions)
        speeds = speeds_along(points, directions, checked, vehicle, limit=seen.speed_limit, margin=seen.margin)
        goal = seen.goal
        reaches = bool(math.hypot(points[-1, 0] - goal.x, points[-1, 1] - goal.y) < goal.radius)
        return Plan(points, headings, speeds, directions, reaches)


def known_radius(found: ObstacleMap) -> float:
    """Return the radius [m] of a circle with the area of the known ground of a map; inf for a map without unknown cells."""
    known = int((found.state != UNKNOWN).sum())
    return math.inf if known == found.state.size else found.cell * math.sqrt(known / math.pi)


LOOK_AHEAD = 2.5
"""m. Look-ahead distance of the smoothed path forward."""
PARAMETERS: Fields = (
    Field("cell", Number("m", 0.25, 5.0), "side length of a cell of the search", 1.0, written="m"),
    Field("headings", Number("1", 8, 360, whole=True), "number of headings of the search", 64),
    Field("curvatures", Number("1", 3, 31, whole=True), "number of curvatures of the arcs; an even number counts one more", 5),
    Field(
        "horizon",
        Number("m", 5.0, 500.0),
        "length of a path that is long enough if the goal is farther away; less on a map with unknown cells",
        40.0,
        written="m",
    ),
    Field("reverse", Flag(), "false: paths forward only", True),
    Field("states", Number("1", 100, 5_000_000, whole=True), "maximum number of expanded states", 20_000),
)
KIND = PlannerKind("hybrid_a_star", HybridAStarPlanner, CONTRACT, PARAMETERS, period=0.5, meaning="arcs forward and backward by hybrid A*")
