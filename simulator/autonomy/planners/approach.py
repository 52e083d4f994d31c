"""Way into a goal next to the vehicle, within its turning circle: around it, or backward first, by hybrid A*.

A planner whose own paths turn toward the goal at all times drives round such a goal for ever.
"""

from __future__ import annotations

import math
from dataclasses import replace

from simulator.autonomy.contract import Goal, Plan, PlannerInput, PlannerSettings, Pose
from simulator.autonomy.planners.hybrid_a_star import KIND, HybridAStarPlanner
from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.base.fields import read

WIDER = 1.3
"""Radius of the circles in which a goal is next to the vehicle, over that of the tightest turn: the steering takes time to turn."""
BEGUN = 0.1
"""Fraction of the requested margin by which the rest of a way has to be clear: half of that of the narrowest search."""
STATES = 8000
"""Maximum number of expanded states of a search, for a way of about two turns."""


class Approach:
    """Way into a goal next to the vehicle, for planners that turn toward the goal."""

    def __init__(self, settings: PlannerSettings) -> None:
        values = {**read(KIND.parameters, {}, ""), "states": STATES}
        self._search = HybridAStarPlanner(replace(settings, values=values))
        self._plan: Plan | None = None
        """Last way into the goal; the planner follows it to its end."""

    def begun(self, seen: PlannerInput) -> Plan | None:
        """Return the rest of the way that the vehicle follows; None if there is none, or if it is not clear any more."""
        if self._plan is None or seen.previous is None or seen.stuck:
            return None
        self._plan = self._search.kept(seen, part=BEGUN)
        return self._plan

    def plan(self, seen: PlannerInput, anywhere: bool = False) -> Plan | None:
        """Return a way into a goal next to the vehicle, or `anywhere` a way toward the goal; None if the goal is elsewhere, or without a way."""
        found = self._search.plan(seen) if anywhere or is_beside(seen.goal, seen.pose, seen.vehicle) else None
        self._plan = found if isinstance(found, Plan) and (anywhere or found.reaches_goal) else None
        return self._plan


def is_beside(goal: Goal, pose: Pose, vehicle: VehicleTraits) -> bool:
    """Return whether a goal is within the circles of the tightest turns to the left and to the right."""
    c, s, b = math.cos(pose.yaw), math.sin(pose.yaw), vehicle.rear_axle
    ahead, left = c * (goal.x - pose.x) + s * (goal.y - pose.y) + b, c * (goal.y - pose.y) - s * (goal.x - pose.x)
    radius = vehicle.min_turning_radius
    return math.hypot(ahead, abs(left) - radius) < WIDER * math.hypot(radius, b)
