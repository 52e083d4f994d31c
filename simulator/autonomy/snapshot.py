"""What a driver to a goal knows and intends at a time, for pictures: the last map, the plan and the goal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import OBSTACLE, UNKNOWN, Goal, ObstacleMap, Plan, Pose
from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.view.map_view import MapView, codes_of


class Snapshot(NamedTuple):
    """State of a drive to a goal."""

    time: float
    """s, simulated."""
    pose: Pose
    map: ObstacleMap
    plan: Plan | None
    """None without a plan, or if the way is blocked."""
    goal: Goal
    vehicle: VehicleTraits
    reason: str
    """Reason why the vehicle waits or has stopped; empty while it drives."""

    def view(self) -> MapView:
        """Return the data of a picture."""
        outline, (x, y, yaw), (gx, gy, radius) = (self.vehicle.front, self.vehicle.rear, self.vehicle.width), self.pose, self.goal
        points, candidates = (np.empty((0, 2)), ()) if self.plan is None else (self.plan.points, self.plan.candidates)
        return MapView(codes(self.map), self.map.origin, self.map.cell, (x, y, yaw), outline, (gx, gy, radius), points, candidates)


def codes(one: ObstacleMap) -> NDArray[np.uint8]:
    """Return the codes of the cells of a map, see `simulator.view.map_view`."""
    return codes_of(one.cost, one.state == OBSTACLE, one.state == UNKNOWN)
