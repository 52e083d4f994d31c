"""Way of a vehicle along a route: the middle between its axles follows the center line, so that the vehicle stays in the lane in turns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.base.arrays import Array
from terrain.roads.route import CenterLine

SIDEWAYS = 2.5
"""m/s2. Lateral acceleration, at most; comfortable in a car [assumed]."""
WINDOW = (10.0, 60.0)
"""m. Distance behind and ahead of the last place within which the vehicle is looked for, on a route that may pass a place twice."""
FAR = 10.0
"""m. Distance from that part of the way above which the vehicle is looked for on the whole of it."""


@dataclass(eq=False)
class LaneWay:
    """Way along a route.

    Attributes
    ----------
    points, headings : (n, 2) m of the reference point B, and (n,) rad of the vehicle
    limits : (n,) m/s, by speed limits and lateral acceleration
    station : (n,) m along the center line
    at : number of the point next to the vehicle
    """

    points: Array
    headings: Array
    limits: Array
    station: Array
    at: int = 0

    @staticmethod
    def of_route(line: CenterLine, vehicle: VehicleTraits) -> LaneWay:
        """Return the way of a vehicle along a center line.

        The rear axle is drawn behind the middle of the wheelbase like a trailer: its direction phi follows that of the line, theta, by
        phi' = sin(theta - phi) / (half the wheelbase).
        """
        steps = np.diff(line.points, axis=0)
        course, length = np.arctan2(steps[:, 1], steps[:, 0]), np.diff(line.station)
        half = 0.5 * vehicle.wheelbase
        headings = np.empty(len(line.points))
        headings[0] = course[0]
        for k in range(len(steps)):  # exact for a straight step: tan(half the angle) decays exponentially
            off = np.remainder(headings[k] - course[k] + np.pi, 2.0 * np.pi) - np.pi
            headings[k + 1] = headings[k] - off + 2.0 * np.arctan(np.tan(0.5 * off) * np.exp(-length[k] / half))
        ahead = vehicle.rear_axle - half
        points = line.points + ahead * np.column_stack((np.cos(headings), np.sin(headings)))
        bend = np.abs(np.gradient(headings, line.station))
        sideways = min(SIDEWAYS, vehicle.lateral_acceleration)
        return LaneWay(points, headings, np.minimum(line.limits, np.sqrt(sideways / np.maximum(bend, 1e-6))), line.station)

    @property
    def left(self) -> float:
        """Distance to the end [m]."""
        return float(self.station[-1] - self.station[self.at])

    def advance(self, x: float, y: float) -> None:
        """Find the point next to the vehicle at a place [m]."""
        first, last = np.searchsorted(self.station, self.station[self.at] + np.array((-WINDOW[0], WINDOW[1]))).tolist()
        away = np.hypot(*(self.points[first:last] - (x, y)).T)
        self.at = first + int(np.argmin(away))
        if away.min() > FAR:
            self.at = int(np.argmin(np.hypot(*(self.points - (x, y)).T)))
