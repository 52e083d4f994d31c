"""Planner along the lanes of a route: the center line at the speed limit. It does not leave the lane; the driver stops before an obstacle on it."""

from __future__ import annotations

import numpy as np

from simulator.autonomy.contract import CONTRACT, Blocked, Plan, PlannerInput, PlannerKind, PlannerSettings

BEHIND = 3.0
"""m. Part of the plan behind the vehicle, so that the follower finds the point next to it."""
BRAKING = 2.0
"""m/s2. Deceleration toward turns and the end; comfortable [assumed]."""


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
        speeds = np.minimum(way.limits[part], seen.speed_limit)
        steps, braking = np.diff(way.station[part]), min(BRAKING, seen.vehicle.deceleration)
        ends = last == len(way.points)
        speeds[-1] *= not ends
        for k in range(len(speeds) - 2, -1, -1):
            speeds[k] = min(speeds[k], np.sqrt(speeds[k + 1] ** 2 + 2.0 * braking * steps[k]))
        if not ends:  # the next plan goes on, but a stop before the edge of the map must be possible
            speeds = np.minimum(speeds, np.sqrt(2.0 * seen.vehicle.deceleration * (way.station[last - 1] - way.station[part])))
        return Plan(way.points[part], way.headings[part], speeds, reaches_goal=ends)


KIND = PlannerKind(
    "lanes",
    LanesPlanner,
    CONTRACT,
    speed=60.0,
    meaning="follows the lanes of `goal.route` at their speed limits; stops before obstacles",
)
