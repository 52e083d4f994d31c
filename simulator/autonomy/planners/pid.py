"""Simple planner of Verti-Bench: A* around the obstacles of the map, blind to slopes and soil, and a look-ahead point at a constant speed.

The obstacles grow by the footprint, the way is smoothed, and the vehicle follows it with a look-ahead point, whatever the ground is. It knows no
other answer to a place where the vehicle does not get on.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import CONTRACT, OBSTACLE, Blocked, Plan, PlannerInput, PlannerKind, PlannerSettings
from simulator.autonomy.guidance import NO_WAY, RouteGrid
from simulator.autonomy.path_check import check_path, clear_part
from simulator.autonomy.planners.a_star import PARAMETERS as A_STAR_PARAMETERS
from simulator.autonomy.planners.a_star import smoothed
from simulator.autonomy.pose_check import outline_of
from simulator.autonomy.tracking import tracked_way
from simulator.base.fields import Field, Fields, Number

FEWEST_POINTS = 2


class PidPlanner:
    """Planner by A* on cells with objects."""

    def __init__(self, settings: PlannerSettings) -> None:
        values = settings.values
        self._look_ahead, self._length = float(values["look_ahead"]), float(values["length"])
        self._outline = outline_of(settings.vehicle)
        self._cell, self._footprint, self._smoothing = float(values["cell"]), float(values["footprint"]), int(values["smoothing"])

    def plan(self, seen: PlannerInput) -> Plan | Blocked:
        """Return the shortest way around the objects as a path with a constant speed."""
        grid = self._grid(seen)
        if isinstance(grid, Blocked):
            return grid
        way = grid.way_from(seen.pose.x, seen.pose.y)
        if way is None:
            return Blocked(NO_WAY)
        line = np.vstack(((seen.pose.x, seen.pose.y), *way[1:], (seen.goal.x, seen.goal.y)))
        points, headings = tracked_way(
            smoothed(line, self._smoothing),
            seen.vehicle,
            yaw=seen.pose.yaw,
            curvature=seen.curvature,
            speed=seen.speed,
            look_ahead=self._look_ahead,
            length=self._length,
        )
        forward = np.ones(len(points), np.int8)
        checked = check_path(seen.map, self._outline, points, headings, forward)
        count = clear_part(checked._replace(hazard=np.zeros(len(points))), points, 0.5 * seen.margin)
        if count < FEWEST_POINTS:
            return Blocked("the way is not clear for the vehicle")
        left = np.concatenate((np.cumsum(np.hypot(*np.diff(points[:count], axis=0).T)[::-1])[::-1], [0.0]))
        speeds = np.minimum(seen.speed_limit, np.sqrt(2.0 * seen.vehicle.deceleration * left))
        reaches = math.hypot(points[count - 1, 0] - seen.goal.x, points[count - 1, 1] - seen.goal.y) < seen.goal.radius
        return Plan(points[:count], headings[:count], speeds, reaches_goal=reaches)

    def _grid(self, seen: PlannerInput) -> RouteGrid | Blocked:
        """Return the grid of the search: cells near obstacles are blocked, all others cost the same."""
        obstacle_map = seen.map
        every = max(1, round(self._cell / obstacle_map.cell))
        blocked = _grown(obstacle_map.state == OBSTACLE, every, max(0, round(self._footprint / (every * obstacle_map.cell))))
        ny, nx = blocked.shape
        cell = every * obstacle_map.cell
        x, y = obstacle_map.origin[0] + (np.arange(nx) + 0.5) * cell, obstacle_map.origin[1] + (np.arange(ny) + 0.5) * cell
        away = np.hypot(x[None, :] - seen.goal.x, y[:, None] - seen.goal.y)
        away[blocked] = np.inf
        if not away.min() <= max(seen.goal.radius, cell) and obstacle_map.cell_of(seen.goal.x, seen.goal.y) is not None:
            return Blocked("the goal is inside an obstacle, or closer to one than the footprint")
        return RouteGrid(obstacle_map.origin, cell, np.where(blocked, np.inf, 1.0), np.where(away == away.min(), away, np.inf))


def _grown(cells: NDArray[np.bool_], every: int, by: int) -> NDArray[np.bool_]:
    """Return the blocks of `every` cells with one of the cells within `by` blocks."""
    from scipy.ndimage import maximum_filter

    ny, nx = (n // every for n in cells.shape)
    blocks = cells[: ny * every, : nx * every].reshape(ny, every, nx, every).any(axis=(1, 3))
    return np.asarray(maximum_filter(blocks, size=2 * by + 1, mode="constant", cval=False))


PARAMETERS: Fields = (
    Field("look_ahead", Number("m", 0.5, 50.0), "distance to the look-ahead point", 10.0, written="m"),
    next(field for field in A_STAR_PARAMETERS if field.name == "length"),
    Field("cell", Number("m", 0.1, 5.0), "side length of a cell of the search", 1.0, written="m"),
    Field("footprint", Number("m", 0.0, 20.0), "distance by which obstacles grow", 4.0, written="m"),
    Field("smoothing", Number("1", 0, 50, whole=True), "cells on each side over which the way is averaged", 5),
)
KIND = PlannerKind(
    "pid",
    PidPlanner,
    CONTRACT,
    PARAMETERS,
    period=0.2,
    meaning="simple planner of Verti-Bench: A* around obstacles, blind to the ground, constant speed",
)
