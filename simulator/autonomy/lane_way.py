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

    def ahead(self, distance: float) -> tuple[Array, Array, Array]:
        """Return points, headings and stations of the way from the vehicle up to a distance [m]."""
        last = int(np.searchsorted(self.station, self.station[self.at] + distance)) + 1
        part = slice(self.at, last)
        return self.points[part], self.headings[part], self.station[part]

    def nearest(self, x: float, y: float, guess: float) -> float:
        """Return the station of the point next to (x, y) [m] between the vehicle and WINDOW behind the station `guess`."""
        points, _, station = self.ahead(guess + WINDOW[1] - float(self.station[self.at]))
        return float(station[np.argmin(np.hypot(points[:, 0] - x, points[:, 1] - y))])

    def offset_of(self, x: float, y: float, station: float) -> float:
        """Return the distance [m] of (x, y) from the way at a station, + = left; beyond the end of the way that from its last point."""
        k = min(int(np.searchsorted(self.station, station)), len(self.station) - 1)
        dx, dy = x - self.points[k, 0], y - self.points[k, 1]
        side = float(np.cos(self.headings[k]) * dy - np.sin(self.headings[k]) * dx)
        return side if k < len(self.station) - 1 else float(np.copysign(np.hypot(dx, dy), side))
