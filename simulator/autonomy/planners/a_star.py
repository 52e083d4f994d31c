"""A* with look-ahead: the cheapest way on the map, and the way of a vehicle that follows it with a look-ahead point.

It knows no steering limits while it searches: it suits open ground. A way that is not clear for the vehicle ends before the obstacle. Into a
goal within the turning circle, to which such a way does not lead, it drives by another search, also backward.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import CONTRACT, Blocked, Plan, PlannerInput, PlannerKind, PlannerSettings
from simulator.autonomy.guidance import NO_WAY, route_grid
from simulator.autonomy.path_check import check_path, clear_part, speeds_along
from simulator.autonomy.planners.approach import Approach
from simulator.autonomy.pose_check import arrays_of, outline_of
from simulator.autonomy.tracking import tracked_way
from simulator.base.fields import Field, Fields, Flag, Number

FEWEST_POINTS = 4
"""Points of a way that is worth driving."""
SMOOTHING = 3
"""Cells on each side over which the way is averaged."""


class AStarPlanner:
    """Planner by A* on the cells of the map."""

    def __init__(self, settings: PlannerSettings) -> None:
        values = settings.values
        self._look_ahead, self._length, self._sees_ground = values["look_ahead"], values["length"], values["sees_ground"]
        self._outline = outline_of(settings.vehicle)
        self._approach = Approach(settings)

    def plan(self, seen: PlannerInput) -> Plan | Blocked:
        """Return the cheapest way as a path."""
        begun = self._approach.begun(seen)
        if begun is not None:
            return begun
        route = self._cheapest(seen)
        return route if isinstance(route, Plan) and route.reaches_goal else self._approach.plan(seen) or route

    def _cheapest(self, seen: PlannerInput) -> Plan | Blocked:
        """Return the cheapest way, followed with a look-ahead point."""
        grid = route_grid(seen.goal, seen.map, seen.vehicle, seen.margin, sees_ground=self._sees_ground)
        if isinstance(grid, Blocked):
            return grid
        way = grid.way_from(seen.pose.x, seen.pose.y)
        if way is None:
            return Blocked(NO_WAY)
        line = self._line(way, seen)
        look = self._look_ahead + 0.5 * abs(seen.speed)
        points, headings = tracked_way(
            line, seen.vehicle, yaw=seen.pose.yaw, curvature=seen.curvature, speed=seen.speed, look_ahead=look, length=self._length
        )
        return self._plan(seen, points, headings)

    def _line(self, way: NDArray[np.float64], seen: PlannerInput) -> NDArray[np.float64]:
        """Return the smoothed way from the vehicle on."""
        inside = np.hypot(way[:, 0] - seen.goal.x, way[:, 1] - seen.goal.y) < seen.goal.radius
        ends = [(seen.goal.x, seen.goal.y)] if inside.any() else []
        line = np.vstack(((seen.pose.x, seen.pose.y), *way[1:], *ends))
        return smoothed(line, SMOOTHING)

    def _plan(self, seen: PlannerInput, points: NDArray[np.float64], headings: NDArray[np.float64]) -> Plan | Blocked:
        """Return the clear part of a way as a plan."""
        directions = np.ones(len(points), np.int8)
        m = arrays_of(seen.map)
        checked = check_path(m, self._outline, points, headings, directions)
        count = clear_part(checked, points, 0.5 * seen.margin)
        away = np.hypot(points[:count, 0] - seen.goal.x, points[:count, 1] - seen.goal.y)
        reached = np.flatnonzero(away < 0.7 * seen.goal.radius)
        if len(reached):
            count = int(reached[0]) + 1
        if count < FEWEST_POINTS and not len(reached):
            return Blocked("the way is not clear for the vehicle")
        count = max(count, 2)
        kept = type(checked)(*(one[:count] for one in checked))
        speeds = speeds_along(points[:count], directions[:count], kept, seen.vehicle, limit=seen.speed_limit, margin=seen.margin)
        reaches = bool(math.hypot(points[count - 1, 0] - seen.goal.x, points[count - 1, 1] - seen.goal.y) < seen.goal.radius)
        return Plan(points[:count], headings[:count], speeds, directions[:count], reaches)


def smoothed(line: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """Return a polyline (n, 2) averaged over `width` points on each side; its ends stay."""
    padded = np.pad(line, ((width, width), (0, 0)), mode="edge")
    kernel = np.full(2 * width + 1, 1.0 / (2 * width + 1))
    out = np.column_stack([np.convolve(one, kernel, "valid") for one in padded.T])
    out[0], out[-1] = line[0], line[-1]
    return out


PARAMETERS: Fields = (
    Field(
        "look_ahead",
        Number("m", 0.5, 50.0),
        "distance to the look-ahead point at rest; half a second of driving is added",
        4.0,
        written="m",
    ),
    Field("length", Number("m", 5.0, 200.0), "length of the path", 30.0, written="m"),
    Field("sees_ground", Flag(), "false: the way avoids only obstacles, not slopes and rough ground", True),
)
KIND = PlannerKind("a_star", AStarPlanner, CONTRACT, PARAMETERS, period=0.5, meaning="cheapest way on the map by A*, with look-ahead")
