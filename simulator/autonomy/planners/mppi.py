"""Model predictive path integral control (MPPI): the average of many sampled drives of a model, by their costs.

[Williams, Aldrich and Theodorou 2017, Model predictive path integral control: from theory to parallel computation]

Each call varies the controls of the last call, shifted by the time since then, with noise that changes slowly, and those of a vehicle that
follows the cheapest route. The noise is drawn once, from the seed of the session; each call uses it from another row on. The samples drive
forward. Where none of them gets on, hybrid A* finds a way, also backward, which the vehicle follows first.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import CONTRACT, Blocked, Goal, ObstacleMap, Plan, PlannerInput, PlannerKind, PlannerSettings
from simulator.autonomy.guidance import NO_WAY, RouteArrays, route_to
from simulator.autonomy.path_check import check_path, clear_part, speeds_along
from simulator.autonomy.planners.approach import Approach
from simulator.autonomy.planners.mppi_kernels import (
    MPPI_SEARCH,
    WANTED,
    YAW,
    Problem,
    Samples,
    guide_along,
    improve,
    remaining,
    show_samples,
)
from simulator.autonomy.pose_check import MapArrays, arrays_of, outline_of
from simulator.autonomy.vehicle_traits import STABLE
from simulator.base.arrays import Array
from simulator.base.fields import Field, Fields, Number
from simulator.base.records import record

SPACING = 0.5
"""m between two points of a path."""
SLOW = 1.0
"""m/s. Speed below which the vehicle may first drive backward."""
REACTION = 0.8
"""s between two plans and until the brakes respond, for the distance in which a path ends at the earliest."""
SHORTEST = 1.0
"""m. Least length of a path."""
PROGRESS = 2.0
"""m. Decrease of the remaining way on a path, less its costs, below which a slow vehicle looks for another way."""
MARGINS = (1.0, 0.5, 0.2)
"""Fractions of the requested margin. The first one is tried before a way backward, the others after it, until a sample is clear."""
TOLERANCE = 0.8
"""Margin of the points of the path over that of the poses of the roll-out, which are elsewhere."""
REACHED = 0.7
"""Fraction of the radius of the goal in which a path ends."""
ROWS = 4096
"""Rows of noise."""
CORRELATION = (0.4, 2.5)
"""s. Shortest and longest time over which the noise of a row changes."""
LONGEST = 500.0
"""m. Largest length of a path."""
SHOWN = 24
"""Number of samples in pictures."""
COSTS = {
    "close_cost": 1.5, "hazard_cost": 3.0, "roll_cost": 4.0, "steer_cost": 0.15, "short_cost": 6.0, "comfort": 1.5, "ahead": 3.0,
    "bend_noise": 0.5, "speed_noise": 0.3,
}  # fmt: skip


class MppiPlanner:
    """Planner by sampled roll-outs."""

    def __init__(self, settings: PlannerSettings) -> None:
        values = settings.values
        steps, self._step = int(values["steps"]), float(values["step"])
        self._p, self._outline = record(MPPI_SEARCH), outline_of(settings.vehicle)
        self._noise = slow_noise(settings.random, steps, self._step)
        self._random, self._temperature = settings.random, float(values["temperature"])
        self._plan, self._guide, self._controls = (np.empty((steps, 2)) for _ in range(3))
        self._out, self._costs = np.empty((steps + 1, 7)), np.empty(int(values["samples"]))
        self._time: float | None = None
        """Time of the last plan [s]; None: it is not continued."""
        self._escape = Approach(settings)
        self._route: tuple[ObstacleMap, Goal, float, RouteArrays | Blocked] | None = None

    def plan(self, seen: PlannerInput) -> Plan | Blocked:
        """Return the average of the samples as a path."""
        begun = self._escape.begun(seen)
        if begun is not None:
            self._time = None
            return begun
        route = self._route_to(seen)
        if isinstance(route, Blocked):
            return route
        slow, m = abs(seen.speed) < SLOW, arrays_of(seen.map)
        self._shift(seen.time)
        found = None if seen.stuck % 2 else self._forward(seen, m, route, MARGINS[0])
        if found is None or not found.reaches_goal:
            other = self._escape.plan(seen, anywhere=slow and found is None)
            if other is not None:
                self._time = None
                return other
        for part in MARGINS if seen.stuck % 2 else MARGINS[1:]:
            found = found or self._forward(seen, m, route, part)
        if found is None:
            self._time = None
            return Blocked("no drive without obstacles" if math.isfinite(remaining(self._p, self._outline, route)) else NO_WAY)
        return found

    def _route_to(self, seen: PlannerInput) -> RouteArrays | Blocked:
        """Return the remaining way on the map, computed once for each map."""
        last = self._route
        if last is None or last[0] is not seen.map or last[1:3] != (seen.goal, seen.margin):
            last = self._route = seen.map, seen.goal, seen.margin, route_to(seen.goal, seen.map, seen.vehicle, seen.margin)
        return last[3]

    def _forward(self, seen: PlannerInput, m: MapArrays, route: RouteArrays, part: float) -> Plan | None:
        """Return a path forward, clear by a part of the requested margin; None if there is none that leads toward the goal."""
        self._start(seen, m, part * seen.margin)
        standing = remaining(self._p, self._outline, route)
        guide_along(self._p, self._outline, route, self._guide)
        problem = Problem(self._p, m, self._outline, route)
        samples = Samples(self._plan, self._guide, self._noise, int(self._random.integers(ROWS)))
        cost, count = improve(problem, samples, self._costs, self._controls, self._out)
        path = self._path(seen, m, count, part * seen.margin) if math.isfinite(cost) else None
        gets_on = path is not None and (abs(seen.speed) >= SLOW or path.reaches_goal or cost < standing - PROGRESS)
        if path is None or not gets_on:
            return None
        paths = np.empty((SHOWN, len(self._out), 2))
        show_samples(problem, samples, self._controls, self._out, paths)
        return replace(path, candidates=tuple(paths))

    def _shift(self, time: float) -> None:
        """Shift the last controls by the time [s] since then; without them, begin straight ahead at the requested speed."""
        steps = len(self._plan)
        passed = math.inf if self._time is None else (time - self._time) / self._step
        if 0.0 <= passed < 0.5 * steps:
            at = np.arange(steps) + passed
            for column in self._plan.T:
                column[:] = np.interp(at, np.arange(steps), column)
        else:
            self._plan[:] = 0.0, 1.0
        self._time = time

    def _start(self, seen: PlannerInput, m: MapArrays, margin: float) -> None:
        """Set the inputs of the search."""
        q, vehicle, pose = self._p[0], seen.vehicle, seen.pose
        back, speed = vehicle.rear_axle, max(seen.speed, 0.0)
        q["x"], q["y"], q["yaw"] = pose.x - back * math.cos(pose.yaw), pose.y - back * math.sin(pose.yaw), pose.yaw
        q["curvature"], q["speed"] = min(max(seen.curvature, -vehicle.max_curvature), vehicle.max_curvature), speed
        q["step"], q["limit"], q["margin"], q["temperature"] = self._step, seen.speed_limit, margin, self._temperature
        q["max_curvature"], q["curvature_rate"], q["acceleration"] = vehicle.max_curvature, vehicle.curvature_rate, vehicle.acceleration
        q["deceleration"], q["lateral"], q["pull"] = vehicle.deceleration, vehicle.lateral_acceleration, math.sin(vehicle.max_climb)
        q["stability"], q["goal_radius"] = math.tan(vehicle.max_roll / STABLE), REACHED * seen.goal.radius
        q["stop"] = max(SHORTEST, speed**2 / (2.0 * vehicle.deceleration) + REACTION * speed)
        for name, value in COSTS.items():
            q[name] = value
        now = check_path(m, self._outline, [(pose.x, pose.y)], [pose.yaw], [1])
        q["start_clearance"], q["start_hazard"] = now.clearance[0], now.hazard[0] if math.isfinite(now.hazard[0]) else 1.0

    def _path(self, seen: PlannerInput, m: MapArrays, count: int, margin: float) -> Plan | None:
        """Return the clear part of the last roll-out as a path with speeds; None if it is too short."""
        points, headings, wanted = _resampled(self._out[:count], seen.vehicle.rear_axle)
        if len(points) < 3:
            return None
        forward = np.ones(len(points), np.int8)
        checked = check_path(m, self._outline, points, headings, forward)
        clear = clear_part(checked, points, TOLERANCE * margin)
        if (clear - 1) * SPACING < min(float(self._p[0]["stop"]), (len(points) - 1) * SPACING):
            return None
        points, headings, forward = points[:clear], headings[:clear], forward[:clear]
        checked = check_path(m, self._outline, points, headings, forward)
        speeds = speeds_along(points, forward, checked, seen.vehicle, limit=seen.speed_limit, margin=seen.margin)
        goal = seen.goal
        reaches = bool(math.hypot(points[-1, 0] - goal.x, points[-1, 1] - goal.y) < goal.radius)
        return Plan(points, headings, np.minimum(speeds, wanted[:clear]), forward, reaches)


def _resampled(out: Array, rear_axle: float) -> tuple[Array, Array, Array]:
    """Return points (n, 2) of B, headings (n,) and wanted speeds (n,) of a roll-out (m, 7), SPACING apart."""
    way = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(out[:, :2], axis=0).T))))
    at = np.arange(math.floor(min(way[-1], LONGEST) / SPACING) + 1) * SPACING
    headings, wanted = np.interp(at, way, out[:, YAW]), np.interp(at, way, out[:, WANTED])
    middle = 0.5 * (headings[1:] + headings[:-1])
    steps = SPACING * np.column_stack((np.cos(middle), np.sin(middle)))
    rear = out[0, :2] + np.concatenate((np.zeros((1, 2)), np.cumsum(steps, axis=0)))
    return rear + rear_axle * np.column_stack((np.cos(headings), np.sin(headings))), headings, wanted


def slow_noise(random: np.random.Generator, steps: int, step: float) -> NDArray[np.float32]:
    """Return rows of noise (ROWS, steps, 2) with standard deviation 1, each of an own correlation time: autoregressive processes."""
    white = random.standard_normal((ROWS, steps, 2))
    shortest, longest = CORRELATION
    kept = np.exp(-step / np.geomspace(shortest, longest, ROWS))[random.permutation(ROWS), None]
    for k in range(1, steps):
        white[:, k] = kept * white[:, k - 1] + np.sqrt(1.0 - kept**2) * white[:, k]
    return white.astype(np.float32)


PARAMETERS: Fields = (
    Field("samples", Number("1", 10, 100_000, whole=True), "number of samples", 2000),
    Field("steps", Number("1", 5, 500, whole=True), "number of steps of a sample", 56),
    Field("step", Number("s", 0.02, 0.5), "time of a step", 0.125, written="s"),
    Field(
        "temperature",
        Number("m", 1e-3, 1e3),
        "difference of the cost over which the weight of a sample decreases to 1/e",
        0.3,
        written="m",
    ),
)
KIND = PlannerKind(
    "mppi", MppiPlanner, CONTRACT, PARAMETERS, period=0.2, meaning="average of sampled drives of a model, by their costs (MPPI)"
)
