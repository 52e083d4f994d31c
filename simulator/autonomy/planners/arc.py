"""Arc planner of [Cameron 2013]: arcs from the present pose, of which the clear one that brings the vehicle closest to its goal is driven.

    arcs      pairs of two arcs within the steering limits; the curvature changes at the rate at which a driver steers
    clear     no obstacle within the margin, no ground beyond the limits of the vehicle, in known ground; an arc may end early
    cost      length, nearness to obstacles, closeness to the limits of the vehicle, steering, and the remaining way from its end

The remaining way is that of the cheapest route on the map, or, as in the paper, the distance to the goal. If no arc forward is better than
standing still, arcs backward are tried. If no pair of arcs leads into a goal within the turning circle, the planner drives around it or backward
first, by another search.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.autonomy.contract import CONTRACT, Blocked, Plan, PlannerInput, PlannerKind, PlannerSettings
from simulator.autonomy.guidance import NO_WAY, RouteArrays, route_to, straight_to, togo_with_heading
from simulator.autonomy.path_check import check_path, speeds_along
from simulator.autonomy.planners.approach import Approach
from simulator.autonomy.planners.arc_kernels import ARC_SEARCH, arc_points, search_arcs
from simulator.autonomy.pose_check import MapArrays, arrays_of, outline_of
from simulator.base.arrays import Array
from simulator.base.fields import Choice, Field, Fields, Number
from simulator.base.jit import kernel
from simulator.base.records import record

ROUTE, STRAIGHT = "route", "goal"
STEP = 0.5
"""m between two points of an arc."""
REACTION = 0.8
"""s between two plans and until the brakes respond, for the distance in which a path ends at the earliest."""
SHORTEST = 1.0
"""m. Least length of a path."""
AHEAD = 3.0
"""m over which the remaining way ahead of the end of an arc is evaluated."""
PROGRESS = 0.3
"""Progress of a path per meter below which arcs backward are compared with it."""
SLOW = 1.0
"""m/s. Speed above which arcs backward are not considered."""
BACKWARD = (3.0, 6.0, 10.0)
"""m, lengths of arcs backward."""
SHIFT_COST = 6.0
"""m, cost of a change of the direction."""
MARGINS = (1.0, 0.5, 0.2)
"""Fractions of the requested margin that are tried one after the other, until an arc is clear."""
REACHED = 0.7
"""Fraction of the radius of the goal in which a path ends."""
COSTS = {"close_cost": 1.5, "hazard_cost": 2.0, "steer_cost": 1.5, "short_cost": 6.0, "back_cost": 1.5, "comfort": 1.5}


class ArcPlanner:
    """Planner of two consecutive arcs."""

    def __init__(self, settings: PlannerSettings) -> None:
        values, vehicle = settings.values, settings.vehicle
        self._guidance, self._horizon = values["guidance"], values.get("horizon")
        self._firsts = _spread(int(values["arcs"]), vehicle.max_curvature)
        self._seconds = _spread(int(values["second_arcs"]), vehicle.max_curvature)
        self._outline = outline_of(vehicle)
        self._p = record(ARC_SEARCH)
        self._approach = Approach(settings)

    def plan(self, seen: PlannerInput) -> Plan | Blocked:
        """Return the best arcs as a path."""
        begun = self._approach.begun(seen)
        if begun is not None:
            return begun
        found = self._best_plan(seen)
        return found if isinstance(found, Plan) and found.reaches_goal else self._approach.plan(seen) or found

    def _best_plan(self, seen: PlannerInput) -> Plan | Blocked:
        """Return the best arcs as a path."""
        route = straight_to(seen.goal) if self._guidance == STRAIGHT else route_to(seen.goal, seen.map, seen.vehicle, seen.margin)
        if isinstance(route, Blocked):
            return route
        m = arrays_of(seen.map)
        for part in MARGINS:
            self._start(seen, m, part * seen.margin)
            best, points = self._best(seen, m, route)
            if best is not None:
                return self._plan(seen, m, best, points)
        return Blocked("no arc without obstacles" if math.isfinite(self._standing(seen, route)) else NO_WAY)

    def _best(self, seen: PlannerInput, m: MapArrays, route: RouteArrays) -> tuple[Array | None, tuple[Array, ...]]:
        """Return the poses of the best arcs, forward or backward, and the points of all first arcs."""
        value, best, points = (math.inf, None, ()) if seen.stuck % 2 else self._forward(seen, m, route)
        if seen.speed < SLOW and (best is None or value > self._standing(seen, route) + (1.0 - PROGRESS) * len(best) * STEP):
            back_value, back = self._backward(seen, m, route)
            if back is not None and (best is None or back_value + SHIFT_COST < value):
                best = back
        if best is None and seen.stuck % 2:
            best = self._forward(seen, m, route)[1]
        return best, points

    def _start(self, seen: PlannerInput, m: MapArrays, margin: float) -> None:
        """Set the inputs of the search that depend on the pose."""
        q, vehicle, pose = self._p[0], seen.vehicle, seen.pose
        back = vehicle.rear_axle
        q["x"], q["y"], q["yaw"] = pose.x - back * math.cos(pose.yaw), pose.y - back * math.sin(pose.yaw), pose.yaw
        q["max_curvature"], q["step"], q["margin"] = vehicle.max_curvature, STEP, margin
        q["curvature"] = min(max(seen.curvature, -vehicle.max_curvature), vehicle.max_curvature)
        q["change"] = vehicle.curvature_rate / max(abs(seen.speed), 1.0)
        q["goal_radius"], q["ahead"] = REACHED * seen.goal.radius, AHEAD
        q["stop"] = max(SHORTEST, seen.speed**2 / (2.0 * vehicle.deceleration) + REACTION * abs(seen.speed))
        for name, value in COSTS.items():
            q[name] = value
        now = check_path(m, self._outline, [(pose.x, pose.y)], [pose.yaw], [1])
        q["start_clearance"], q["start_hazard"] = now.clearance[0], now.hazard[0] if math.isfinite(now.hazard[0]) else 1.0

    def _forward(self, seen: PlannerInput, m: MapArrays, route: RouteArrays) -> tuple[float, Array | None, tuple[Array, ...]]:
        """Return cost and poses of the best arcs forward, and all first arcs."""
        q, vehicle = self._p[0], seen.vehicle
        braking = seen.speed_limit**2 / (2.0 * vehicle.deceleration) + 1.5 * seen.speed_limit + 4.0
        horizon = max(15.0, braking) if self._horizon is None else self._horizon
        first = min(max(2.0 + 1.2 * abs(seen.speed), 4.0), 0.6 * horizon)
        q["first"], q["second"] = round(first / STEP), max(1, round((horizon - first) / STEP))
        q["first_direction"] = q["second_direction"] = 1.0
        # a fast vehicle can brake before it turns
        slower = max(seen.speed**2 - vehicle.deceleration * first, 1.0)
        most = min(vehicle.max_curvature, vehicle.lateral_acceleration / slower)
        firsts = self._firsts * (most / vehicle.max_curvature)
        value, best = self._search(m, route, firsts, self._seconds)
        return value, best, tuple(_reference(self._poses(one, 0.0, int(q["first"]), 0), vehicle.rear_axle) for one in firsts)

    def _backward(self, seen: PlannerInput, m: MapArrays, route: RouteArrays) -> tuple[float, Array | None]:
        """Return cost and poses of the best arcs backward, each followed by one forward."""
        q = self._p[0]
        q["first_direction"], q["second_direction"], q["second"] = -1.0, 1.0, round(12.0 / STEP)
        # at a standstill the wheels can be turned first
        kept, q["change"] = float(q["change"]), 1.0
        best: Array | None = None
        least = math.inf
        for length in BACKWARD:
            q["first"] = round(length / STEP)
            value, poses = self._search(m, route, self._firsts[::2], self._firsts)
            if value < least:
                least, best = value, poses
        q["change"] = kept
        return least, best

    def _search(self, m: MapArrays, route: RouteArrays, firsts: Array, seconds: Array) -> tuple[float, Array | None]:
        """Return cost and poses (n, 4) of the best pair of arcs."""
        values = np.empty((len(firsts), len(seconds)))
        clear = np.empty((len(firsts), len(seconds), 2), np.int64)
        search_arcs(self._p, m, self._outline, route, firsts, seconds, values, clear)
        i, j = np.unravel_index(int(np.argmin(values)), values.shape)
        if not math.isfinite(values[i, j]) or clear[i, j].sum() < 2:
            return math.inf, None
        return float(values[i, j]), self._poses(float(firsts[i]), float(seconds[j]), int(clear[i, j, 0]), int(clear[i, j, 1]))

    def _poses(self, first: float, second: float, n: int, n2: int) -> Array:
        out = np.empty((1 + n + n2, 4))
        arc_points(self._p, first, second, n, n2, out)
        return out

    def _standing(self, seen: PlannerInput, route: RouteArrays) -> float:
        """Return the remaining way from the present pose."""
        return remaining_way(route, seen.pose.x, seen.pose.y, seen.pose.yaw, seen.vehicle.min_turning_radius)

    def _plan(self, seen: PlannerInput, m: MapArrays, poses: Array, candidates: tuple[Array, ...]) -> Plan:
        """Return the path of B of the arcs, with speeds."""
        headings, directions = poses[:, 2], poses[:, 3].astype(np.int8)
        points = _reference(poses, seen.vehicle.rear_axle)
        checked = check_path(m, self._outline, points, headings, directions)
        speeds = speeds_along(points, directions, checked, seen.vehicle, limit=seen.speed_limit, margin=seen.margin)
        goal = seen.goal
        reaches = bool(math.hypot(points[-1, 0] - goal.x, points[-1, 1] - goal.y) < goal.radius)
        return Plan(points, headings, speeds, directions, reaches, candidates)


def _reference(poses: Array, rear_axle: float) -> Array:
    """Return the points (n, 2) of B of poses (n, 4) of the rear axle."""
    headings = poses[:, 2]
    return poses[:, :2] + rear_axle * np.column_stack((np.cos(headings), np.sin(headings)))


def _spread(count: int, most: float) -> Array:
    """Return an odd number of curvatures from -most to most, denser near zero."""
    u = np.linspace(-1.0, 1.0, 2 * (count // 2) + 1)
    return most * np.sign(u) * np.abs(u) ** 1.5


def remaining_way(route: RouteArrays, x: float, y: float, yaw: float, radius: float) -> float:
    """Return the remaining way [m] from a pose, with a turn of a radius [m]."""
    return float(_remaining(route, float(x), float(y), math.cos(yaw), math.sin(yaw), AHEAD, float(radius)))


@kernel
def _remaining(route, x, y, c, s, ahead, radius):
    return togo_with_heading(route, x, y, c, s, ahead, radius)


PARAMETERS: Fields = (
    Field("arcs", Number("1", 3, 201, whole=True), "number of first arcs; an even number counts one more", 25),
    Field("second_arcs", Number("1", 1, 201, whole=True), "number of second arcs", 13),
    Field(
        "horizon", Number("m", 2.0, 200.0), "length of two arcs (default: by the speed and the brakes, at least 15 m)", None, written="m"
    ),
    Field(
        "guidance",
        Choice((ROUTE, STRAIGHT)),
        "remaining way from the end of an arc: cheapest `route` on the map, or distance to the `goal` as in [Cameron 2013]",
        ROUTE,
    ),
)
KIND = PlannerKind("arc", ArcPlanner, CONTRACT, PARAMETERS, meaning="clear arc that brings the vehicle closest to its goal")
