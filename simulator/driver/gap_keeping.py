"""Distance from the vehicles ahead on a path: the Intelligent Driver Model of `simulator.traffic.car_following` limits the acceleration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

from simulator.base.field_records import filled, rows
from simulator.base.fields import Number
from simulator.base.records import Record
from simulator.driver.aim_control import AccelerationPedals
from simulator.driver.following_driver import PARAMETERS
from simulator.driver.internal_model import InternalModel
from simulator.driver.seen_vehicle import SeenVehicle
from simulator.traffic.car_following import plain_following_acceleration

SIGHT = 100.0
"""m along the path in which the driver sees others."""
HOLDS_BACK, LETS_GO = 0.2, 0.8
"""1. Fractions of the maximum acceleration: below the first one the driver drives behind the other vehicle, above the second one freely again."""
TO_TARGET = 2.0
"""1/s. Acceleration behind another vehicle per difference from the target speed."""


class Way(Protocol):
    """Line that a vehicle follows, such as `simulator.driver.path.Path`."""

    def nearest(self, x: float, y: float, guess: float) -> float:
        """Return the station of the foot of (x, y) [m] on the line, close to the station `guess`."""

    def offset_of(self, x: float, y: float, station: float) -> float:
        """Return the distance [m] of (x, y) from the line at a station, + = left."""


class GapKeeping:
    """Keeps the distance of one vehicle.

    Parameters
    ----------
    traits : internal model of the vehicle
    lane : lateral distance from the own line up to which another vehicle is in the way [m]
    values : parameters of the driver `follow` that differ from its defaults

    Attributes
    ----------
    vehicles : all vehicles of the session, also the own one
    """

    def __init__(self, traits: InternalModel, lane: float, values: Mapping[str, float]) -> None:
        numbers = tuple(one for one in PARAMETERS if isinstance(one.kind, Number))
        self._p = filled(rows(numbers), {one.name: values.get(one.name, one.default) for one in numbers})
        self._pedals, self._lane = AccelerationPedals(traits), lane
        self.vehicles: Sequence[SeenVehicle] = ()
        self._behind = False

    def limit(self, way: Way, station: float, place: tuple[float, float], speed: float, stop: float = math.inf) -> float | None:
        """Return the acceleration [m/s2] that the vehicle ahead allows; None: the way is free.

        station, place, speed : of the own vehicle on the way [m], x, y [m], m/s; stop : distance to a place to stop at [m]
        """
        gap, other_speed = self._ahead(way, station, place)
        allowed = min(self._following(speed, gap, other_speed), self._following(speed, stop, 0.0))
        self._behind = allowed < (LETS_GO if self._behind else HOLDS_BACK) * float(self._p[0]["acceleration"])
        return allowed if self._behind else None

    def press(self, t: float, readout: Record, command: Record, limit: float, target: float) -> None:
        """Write the pedals for a speed [m/s] with at most the acceleration `limit` [m/s2], and drive forward."""
        self._pedals.press(t, readout, command, min(limit, TO_TARGET * (target - float(readout[0]["v_WB_B"][0]))))
        command[0]["selector"], command[0]["parking_brake"] = 1, 0.0

    def own(self, place: tuple[float, float]) -> SeenVehicle | None:
        """Return the own vehicle, which is at a place."""
        return min(self.vehicles, key=lambda one: math.dist((one.x, one.y), place), default=None)

    def _following(self, speed: float, gap: float, other_speed: float) -> float:
        return float(plain_following_acceleration(self._p[0], speed, gap, other_speed))

    def _ahead(self, way: Way, station: float, place: tuple[float, float]) -> tuple[float, float]:
        """Return gap [m] and speed [m/s] of the next vehicle ahead on the way; an infinite gap without one."""
        own, offset, nearest = self.own(place), way.offset_of(*place, station), (math.inf, 0.0)
        for one in self.vehicles:
            away = math.dist((one.x, one.y), place)
            if own is None or one is own or away > SIGHT:
                continue
            at = way.nearest(one.x, one.y, station + away)
            if at > station and at - station < SIGHT and abs(way.offset_of(one.x, one.y, at) - offset) < self._lane:
                nearest = min(nearest, (at - station - own.front - one.rear, one.speed))
        return nearest
