"""Planner along the lanes of a route: the center line at the speed limit. It does not leave the lane; the driver stops before an obstacle on it."""

from __future__ import annotations

import numpy as np

from simulator.autonomy.contract import CONTRACT, Blocked, Plan, PlannerInput, PlannerKind, PlannerSettings
from simulator.autonomy.lane_way import LaneWay
from simulator.base.arrays import Array

BEHIND = 3.0
"""m. Part of the plan behind the vehicle, so that the follower finds the point next to it."""
BRAKING = 2.0
"""m/s2. Deceleration toward turns and the end; comfortable [assumed]."""
NEXT_PLAN = 0.8
"""s. Age of the map, time until the next plan and response of the pedals, for which the speed before the edge of the map stays the same."""


class LanesPlanner:
    """Planner along the lanes of a route."""

    def __init__(self, settings: PlannerSettings) -> None:
        """There are no settings."""

    def plan(self, seen: PlannerInput) -> Plan | Blocked:
        """Return the part of the way that is on the map."""
        way = seen.way
        if way is None:
            return Blocked("the goal has no route")
        first = int(np.searchsorted(way.station, way.station[way.at] - BEHIND))
        first += int(np.argmax(seen.map.contains(way.points[first : way.at + 1])))
        outside = np.flatnonzero(~seen.map.contains(way.points[first:]))
        last = first + int(outside[0]) if len(outside) else len(way.points)
        if last - first < 2:
            return Blocked("the vehicle has left the map or its route")
        part = slice(first, last)
        speeds = _speeds(way, part, seen)
        ends = last == len(way.points)
        if not ends:  # the next plan goes on, but a stop before the edge of the map must be possible until it is there
            left, hardest = way.station[last - 1] - way.station[part], seen.vehicle.deceleration
            reserve = hardest * NEXT_PLAN
            middle = np.array(seen.map.origin) + 0.5 * seen.map.cell * np.array(seen.map.shape[::-1])
            mapped_from = int(np.argmin(np.hypot(*(way.points[first : way.at + 1] - middle).T)))
            now = np.sqrt(reserve**2 + 2.0 * hardest * left[mapped_from]) - reserve
            speeds = np.minimum(speeds, np.minimum(np.sqrt(2.0 * hardest * left), now))
        return Plan(way.points[part], way.headings[part], speeds, reaches_goal=ends)


def _speeds(way: LaneWay, part: slice, seen: PlannerInput) -> Array:
    """Return the speeds [m/s] along a part of the way, also for what follows it: a turn beyond the map is known, unlike an obstacle there."""
    braking = min(BRAKING, seen.vehicle.deceleration)
    farthest = way.station[part.stop - 1] + way.limits[part].max() ** 2 / (2.0 * braking)
    known = slice(part.start, int(np.searchsorted(way.station, farthest)) + 1)
    speeds = np.minimum(way.limits[known], seen.speed_limit)
    steps = np.diff(way.station[known])
    speeds[-1] *= known.stop < len(way.points)
    for k in range(len(speeds) - 2, -1, -1):
        speeds[k] = min(speeds[k], np.sqrt(speeds[k + 1] ** 2 + 2.0 * braking * steps[k]))
    return speeds[: part.stop - part.start]


KIND = PlannerKind(
    "lanes",
    LanesPlanner,
    CONTRACT,
    speed=60.0,
    meaning="follows the lanes of `goal.route` at their speed limits; stops before obstacles",
)
