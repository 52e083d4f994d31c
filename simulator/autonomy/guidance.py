"""Guidance to the goal: cost of the remaining way from any point of a map, by the cheapest route or as the crow flies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import UNKNOWN, Blocked, Goal, ObstacleMap
from simulator.autonomy.route_field import cheapest_way, route_field
from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.base.jit import inline

ROUTE_CELL = 0.5
"""m. Least side length of a cell of the route."""
COMFORT = 1.5
"""m. Distance to obstacles beyond the half width and the margin from which on a route does not go around them."""
CLOSE, ROUGH, BLIND = 2.0, 3.0, 0.5
"""Additional cost of a meter at the least distance to obstacles, on ground of cost 1, and in unknown cells."""
NARROWEST = 0.1
"""m. Margin beside the half width below which a route is blocked; the check of poses is stricter."""


OUTSIDE = 15.0
"""m. Additional cost of a way to a goal on the map that leads over ground outside the map."""
NEAREST = 4.0
"""m. Distance from the vehicle of the free cell at which its way begins."""
NO_WAY = "no way to the goal on the map"


class RouteArrays(NamedTuple):
    """Remaining way as arrays for kernels."""

    x: float
    """m, of the corner of cell (0, 0)"""
    y: float
    cell: float
    togo: NDArray[np.float64]
    """(ny, nx) cost of the remaining way [m]; inf = no way"""
    goal_x: float
    goal_y: float
    straight: bool
    """True: the remaining way is the distance to the goal"""


@dataclass(frozen=True, eq=False)
class RouteGrid:
    """Grid of the search for a way."""

    origin: tuple[float, float]
    """m, corner of cell (0, 0)"""
    cell: float
    """m"""
    weight: NDArray[np.float64]
    """(ny, nx) cost of a meter, at least 1; inf = blocked"""
    seeds: NDArray[np.float64]
    """(ny, nx) cost from a cell of the goal or of the border onward [m]; inf elsewhere"""

    def free_cell(self, x: float, y: float) -> tuple[int, int] | None:
        """Return (row, column) of the free cell nearest to a point [m], at most 4 m away; None if there is none."""
        ny, nx = self.weight.shape
        cx, cy = self.origin[0] + (np.arange(nx) + 0.5) * self.cell, self.origin[1] + (np.arange(ny) + 0.5) * self.cell
        away = np.hypot(cx[None, :] - x, cy[:, None] - y)
        away[~np.isfinite(self.weight)] = np.inf
        row, column = np.unravel_index(int(np.argmin(away)), away.shape)
        return (int(row), int(column)) if away[row, column] <= NEAREST else None

    def way_from(self, x: float, y: float) -> NDArray[np.float64] | None:
        """Return the centers (n, 2) [m] of the cells of the cheapest way from a point [m]; None if there is no way."""
        start = self.free_cell(x, y)
        found = None if start is None else cheapest_way(self.weight, self.seeds, self.cell, start)
        return None if found is None else self.centers(found[0])

    def centers(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the centers (n, 2) [m] of cells (n, 2), row and column."""
        return np.array(self.origin) + (cells[:, ::-1] + 0.5) * self.cell


def route_to(goal: Goal, found: ObstacleMap, vehicle: VehicleTraits, margin: float) -> RouteArrays | Blocked:
    """Return the remaining way on a map. A goal outside the map is approached over the border of the map."""
    grid = route_grid(goal, found, vehicle, margin)
    if isinstance(grid, Blocked):
        return grid
    return RouteArrays(*grid.origin, grid.cell, route_field(grid.weight, grid.seeds, grid.cell), goal.x, goal.y, False)


def route_grid(goal: Goal, found: ObstacleMap, vehicle: VehicleTraits, margin: float, *, sees_ground: bool = True) -> RouteGrid | Blocked:
    """Return the grid of the search for a way to a goal; `sees_ground`: rough and steep ground costs more."""
    every = max(1, round(ROUTE_CELL / found.cell))
    first = every // 2
    part = np.s_[first::every, first::every]
    distance, state, cost = found.distance[part], found.state[part], found.cost[part]
    cell = every * found.cell
    origin = found.origin[0] + (first + 0.5) * found.cell - 0.5 * cell, found.origin[1] + (first + 0.5) * found.cell - 0.5 * cell
    weight = _weights(distance, state, cost if sees_ground else np.zeros_like(cost), vehicle, margin)
    seeds = _seeds(goal, found, weight, origin, cell)
    return seeds if isinstance(seeds, Blocked) else RouteGrid(origin, cell, weight, seeds)


def straight_to(goal: Goal) -> RouteArrays:
    """Return the distance to the goal as remaining way, as in [Cameron 2013]."""
    return RouteArrays(0.0, 0.0, 1.0, np.zeros((1, 1)), goal.x, goal.y, True)


def _weights(
    distance: NDArray[np.float64], state: NDArray[np.uint8], cost: NDArray[np.float64], vehicle: VehicleTraits, margin: float
) -> NDArray[np.float64]:
    """Return the cost of a meter in each cell; inf = blocked."""
    room = distance - 0.5 * vehicle.width
    near = np.clip((margin + COMFORT - room) / (COMFORT + margin), 0.0, 1.0)
    weight = 1.0 + CLOSE * near * near + ROUGH * np.nan_to_num(cost) ** 2
    weight[state == UNKNOWN] += BLIND
    weight[room < min(NARROWEST, margin)] = np.inf
    return weight


def _seeds(
    goal: Goal, found: ObstacleMap, weight: NDArray[np.float64], origin: tuple[float, float], cell: float
) -> NDArray[np.float64] | Blocked:
    """Return the cost from the cells of the goal and of the border onward: the way may lead out of the map, and back."""
    ny, nx = weight.shape
    x, y = origin[0] + (np.arange(nx) + 0.5) * cell, origin[1] + (np.arange(ny) + 0.5) * cell
    away = np.hypot(x[None, :] - goal.x, y[:, None] - goal.y)
    border = np.ones(weight.shape, bool)
    border[1:-1, 1:-1] = False
    if found.cell_of(goal.x, goal.y) is None:
        return np.where(border, away, np.inf)
    inside = away <= max(goal.radius, cell)
    if not np.isfinite(weight[inside]).any():
        return Blocked("the goal is inside an obstacle, or closer to one than the vehicle can come")
    return np.where(inside, 0.0, np.where(border, away + OUTSIDE, np.inf))


@inline
def togo_at(r, x, y):
    """Return the remaining way [m] at a point; inf where there is none. Beside the cells of the route, the nearest ones within four cells count."""
    if r.straight:
        return math.hypot(x - r.goal_x, y - r.goal_y)
    ny, nx = r.togo.shape
    i, j = math.floor((x - r.x) / r.cell), math.floor((y - r.y) / r.cell)
    least = math.inf
    for ring in range(5):
        for dj in range(-ring, ring + 1):
            for di in range(-ring, ring + 1):
                row, column = j + dj, i + di
                if 0 <= row < ny and 0 <= column < nx and r.togo[row, column] < math.inf:
                    cx, cy = r.x + (column + 0.5) * r.cell, r.y + (row + 0.5) * r.cell
                    least = min(least, r.togo[row, column] + math.hypot(x - cx, y - cy))
        if least < math.inf and ring > 0:
            break
    return least


@inline
def togo_with_heading(r, x, y, c, s, ahead, turning_radius):
    """Return the remaining way [m] with a turn into its direction, from a point and the direction (c, s) of the heading."""
    here, there = togo_at(r, x, y), togo_at(r, x + ahead * c, y + ahead * s)
    if not (here < math.inf and there < math.inf):
        return here + math.pi * turning_radius
    along = min(max((here - there) / ahead, -1.0), 1.0)
    return here + 0.5 * math.pi * turning_radius * (1.0 - along)
