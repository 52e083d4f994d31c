"""Check of a goal before the drive: on the ground of the map, and not inside an object."""

from __future__ import annotations

import math

import numpy as np

from simulator.autonomy.contract import Goal
from simulator.autonomy.distance_map import distances
from simulator.autonomy.guidance import NARROWEST
from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.base.errors import ConfigError
from terrain.ground import Ground
from terrain.objects.records import PATH
from terrain.outlines import Outline, outlines

CELL, MAX_CELLS = 0.25, 400
"""m, 1. Side length of a cell, and cells along a side of the checked area, at most."""


def check_on_map(goal: Goal, ground: Ground) -> None:
    """Raise ConfigError for a goal beyond the edge of a height map, where the ground is a mirror image of the map."""
    x0, x1, y0, y1 = ground.bounds
    if ground.p[0]["mirrored"] and not (x0 <= goal.x <= x1 and y0 <= goal.y <= y1):
        place = f"x {goal.x:.6g}, y {goal.y:.6g} m"
        expected = f"a place on the height map: x {x0:g} to {x1:g}, y {y0:g} to {y1:g} m"
        raise ConfigError("maneuver", "goal.position", place, expected)


def obstructed_by(goal: Goal, ground: Ground, vehicle: VehicleTraits) -> str:
    """Return why no place of the goal can be reached because of objects at rest; empty if there is one, or no object."""
    objects = ground.objects
    rows = np.flatnonzero(objects.records["motion"] != PATH) if len(objects) else np.zeros(0, np.int64)
    rows = rows[objects.records["present"][rows] != 0] if len(rows) else rows
    reach = goal.radius + 0.5 * vehicle.width + NARROWEST
    limits, near = vehicle.limits(CELL), []
    for row, one in zip(rows, outlines(objects, rows=rows) if len(rows) else (), strict=True):
        low, high = one.reach()
        meets = (low < np.array((goal.x, goal.y)) + reach).all() and (high > np.array((goal.x, goal.y)) - reach).all()
        base = ground.height(*one.points.mean(axis=0)) if meets else 0.0
        if meets and one.bottom - base < limits.vehicle_height and one.top - base > limits.object_height:
            near.append((int(row), one))
    return _reason(goal, near, [objects.objects[row].name for row, _ in near], vehicle, reach) if near else ""


def _reason(goal: Goal, near: list[tuple[int, Outline]], names: list[str], vehicle: VehicleTraits, reach: float) -> str:
    """Return why no place of the goal is free of these objects; empty if one is."""
    cell = max(CELL, 2.0 * reach / MAX_CELLS)
    count = 2 * math.ceil(reach / cell) + 1
    along = (np.arange(count) - count // 2) * cell
    x, y = np.meshgrid(goal.x + along, goal.y + along)
    solid = np.any([one.covers(x, y, cell) for _, one in near], axis=0)
    free = (distances(solid, cell) >= 0.5 * vehicle.width + NARROWEST) & (np.hypot(x - goal.x, y - goal.y) <= goal.radius)
    if free.any():
        return ""
    inside = [name for name, (_, one) in zip(names, near, strict=True) if one.covers(np.array(goal.x), np.array(goal.y), 1e-6)]
    return f"the goal is inside object {inside[0]}" if inside else f"the goal is closer to object {names[0]} than the vehicle can come"
