"""Distance of a driver on a route from the vehicles ahead, and from vehicles and persons that are about to cross the way.

Others are taken to go straight on. The driver stops before a place of the way that another vehicle, which drives across it, reaches within
VEHICLE_TIME and has not left when the own vehicle would be there, and before one that a walking person reaches within PERSON_TIME.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import Pose
from simulator.autonomy.lane_way import LaneWay
from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.base.arrays import Array
from simulator.base.records import record
from simulator.driver.gap_keeping import GapKeeping
from simulator.driver.internal_model import InternalModel
from simulator.driver.seen_vehicle import SeenVehicle
from terrain.objects.labels import LABELS
from terrain.objects.object_set import NO_OBJECTS, ObjectSet
from terrain.objects.pose import POSE
from terrain.rays.cast import place_objects

SIGHT = 40.0
"""m. Distance within which others that cross the way count."""
VEHICLE_TIME, PERSON_TIME = 2.5, 2.0
"""s. Times for which vehicles and persons are taken to go straight on."""
STEPS = 6
"""Places looked at in these times, the present one first."""
ACROSS = math.radians(30.0)
"""Another vehicle whose direction differs less from that of the way, or from the opposite one, drives along it."""
OTHER_HALF = 1.1
"""m. Half the width of another vehicle, and a margin. [assumed]"""
PERSON_ROOM = 1.0
"""m to the side of the vehicle that it leaves a person."""
SLOW = 0.5
"""m/s. Slower vehicles wait; slower persons too, below the half of it."""
MARGIN = 1.0
"""s by which another vehicle has to be gone earlier."""
PACE = 3.0
"""m/s. Least speed with which the driver expects to come to a crossing."""
PERIOD = 5
"""Calls between two looks at those that cross."""
DISTANCES = {"acceleration": 2.0, "time_gap": 1.2, "standstill_gap": 2.5}
"""Parameters of the driver `follow` that differ from its defaults. [assumed]"""


class RightOfWay:
    """What limits the acceleration of a driver on a route.

    Parameters
    ----------
    way : of the reference point
    vehicle, traits : the own vehicle, and the internal model of its driver
    """

    def __init__(self, way: LaneWay, vehicle: VehicleTraits, traits: InternalModel) -> None:
        self._way, self._vehicle = way, vehicle
        self.gap = GapKeeping(traits, 0.5 * vehicle.width + OTHER_HALF, DISTANCES)
        self._calls, self._stop = 0, math.inf
        self._persons = np.zeros(0, np.int64)
        self._key: tuple[ObjectSet, int] = (NO_OBJECTS, -1)

    def limit(self, t: float, pose: Pose, speed: float, objects: ObjectSet) -> float | None:
        """Return the acceleration [m/s2] that others allow at time t [s]; None: the way is free."""
        here = float(self._way.station[self._way.at])
        if self._calls % PERIOD == 0:
            self._stop = here + self._vehicle.front + self._distance(t, pose, speed, objects)
        self._calls += 1
        stop = self._stop - here - self._vehicle.front
        return self.gap.limit(self._way, here, pose[:2], speed, stop)

    def _distance(self, t: float, pose: Pose, speed: float, objects: ObjectSet) -> float:
        """Return the distance [m] of the front of the vehicle from the next place to stop before; infinite without one."""
        here = float(self._way.station[self._way.at])
        points, headings, station = self._way.ahead(SIGHT)
        front = station - here - self._vehicle.front
        own = self.gap.own(pose[:2])
        stops = [math.inf]
        for one in self.gap.vehicles:
            if one is not own and abs(one.speed) > SLOW and math.dist((one.x, one.y), pose[:2]) < SIGHT:
                stops.append(self._before_vehicle(one, speed, (points, headings, front)))
        for place, velocity in self._walking(t, pose, objects):
            future = place + velocity * np.linspace(0.0, PERSON_TIME, STEPS)[:, None]
            met = _near(points, future, 0.5 * self._vehicle.width + PERSON_ROOM).any(axis=0) & (front > 0.0)
            if met.any():
                stops.append(float(front[np.argmax(met)]))
        return min(stops)

    def _before_vehicle(self, one: SeenVehicle, speed: float, ahead: tuple[Array, Array, Array]) -> float:
        """Return the distance [m] of the place to stop before for another vehicle."""
        points, headings, front = ahead
        turned = np.abs(np.remainder(headings - one.yaw + 0.5 * np.pi, np.pi) - 0.5 * np.pi)
        times = np.linspace(0.0, VEHICLE_TIME, STEPS)
        course = np.array((math.cos(one.yaw), math.sin(one.yaw)))
        # its foremost point, so that the length of the vehicle follows behind
        future = np.array((one.x, one.y)) + course * (one.front + one.speed * times)[:, None]
        met = _near(points, future, 0.5 * self._vehicle.width + OTHER_HALF) & (turned > ACROSS) & (front > 0.0)
        if not met.any():
            return math.inf
        place = int(np.argmax(met.any(axis=0)))
        gone = float(times[np.argmax(met.any(axis=1))]) + (one.front + one.rear + self._vehicle.width) / abs(one.speed) + MARGIN
        return float(front[place]) if front[place] / max(speed, PACE) < gone else math.inf

    def _walking(self, t: float, pose: Pose, objects: ObjectSet) -> Sequence[tuple[Array, Array]]:
        """Return place and velocity of the persons nearby who walk."""
        if not len(objects):
            return ()
        if objects is not self._key[0] or objects.edits != self._key[1]:
            self._key = objects, objects.edits
            r = objects.records
            self._persons = np.flatnonzero((r["label"] == LABELS["person"]) & (r["present"] == 1))
        if not len(self._persons):
            return ()
        poses = record(POSE, len(self._persons))
        place_objects(objects.world, self._persons, poses, float(t))
        p, v = poses["p_WO"][:, :2], poses["v_WO"][:, :2]
        near = (np.hypot(*(p - pose[:2]).T) < SIGHT) & (np.hypot(*v.T) > 0.5 * SLOW)
        return list(zip(p[near], v[near], strict=True))


def _near(points: Array, future: Array, reach: float) -> NDArray[np.bool_]:
    """Return for each place of another one (m, 2) and each point of the way (n, 2) whether they are closer than a distance [m]."""
    near: NDArray[np.bool_] = np.hypot(future[:, None, 0] - points[None, :, 0], future[:, None, 1] - points[None, :, 1]) < reach
    return near
