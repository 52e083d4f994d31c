"""Driver on a timed course: follows the path of the maneuver at its speeds, and keeps its distance from vehicles ahead on the path.

Behind another vehicle, the Intelligent Driver Model of `simulator.traffic.car_following` limits the acceleration. The driver does not overtake,
and begins when the first vehicle of the session moves off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from simulator.base.field_records import filled, rows
from simulator.base.fields import Number
from simulator.base.records import Record
from simulator.driver.aim_control import AccelerationPedals
from simulator.driver.following_driver import PARAMETERS
from simulator.driver.internal_model import InternalModel
from simulator.driver.path import Path
from simulator.driver.seen_vehicle import FIRST, SeenVehicle
from simulator.traffic.car_following import plain_following_acceleration

SIGHT = 100.0
"""m along the path in which the driver sees others."""
LANE = 2.6
"""m. Lateral distance from the own line up to which another vehicle is in the way."""
HOLDS_BACK, LETS_GO = 0.2, 0.8
"""1. Fractions of the maximum acceleration: below the first one the driver drives behind the other vehicle, above the second one freely again."""
MOVED_OFF = 2.5
"""m/s of the first vehicle above which the others begin. Less: an automatic transmission that creeps starts them."""
TO_TARGET = 2.0
"""1/s. Acceleration behind another vehicle per difference from the speed of the maneuver."""

DISTANCES = {"time_gap": 0.6, "standstill_gap": 3.0, "acceleration": 3.0, "deceleration": 4.0}
"""Parameters of the driver `follow` that differ from its defaults: drivers on a course drive close behind others. [assumed]"""


@runtime_checkable
class FollowsPath(Protocol):
    """Driver of a maneuver with a path."""

    path: Path

    @property
    def station(self) -> float | None:
        """Station of the vehicle on the path [m]."""

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the command."""

    def steer(self, t: float, readout: Record, command: Record) -> bool:
        """Write only the steering; return False if the readout is not finite."""

    def target_speed(self, t: float) -> float:
        """Return the target speed at the station of the vehicle [m/s]."""

    def load_kernels(self, readout: Record, command: Record) -> None:
        """Load the kernels."""


class RacingDriver:
    """Driver on a path with other vehicles; see the module. `follower`, with the internal model `traits`, drives while the way is free."""

    label = "path follower"
    """Name of the driver in messages."""

    def __init__(self, follower: FollowsPath, traits: InternalModel) -> None:
        numbers = tuple(one for one in PARAMETERS if isinstance(one.kind, Number))
        self._follower, self._p = follower, filled(rows(numbers), {one.name: DISTANCES.get(one.name, one.default) for one in numbers})
        self._pedals = AccelerationPedals(traits)
        self._vehicles: Sequence[SeenVehicle] = ()
        self._behind = self._goes = False

    def see_vehicles(self, vehicles: Sequence[SeenVehicle]) -> None:
        """Receive all vehicles of the session."""
        self._vehicles = vehicles

    def load_kernels(self, readout: Record, command: Record) -> None:
        """Load the kernels of the follower in advance."""
        self._follower.load_kernels(readout, command)

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at time t (s). While the readout is not finite, the command stays unchanged."""
        x, y, speed = float(readout[0]["p_WB"][0]), float(readout[0]["p_WB"][1]), float(readout[0]["v_WB_B"][0])
        if not self._may_go(x, y):
            command[0]["brake"], command[0]["throttle"], command[0]["selector"], command[0]["parking_brake"] = 1.0, 0.0, 1, 0.0
            return
        if self._follower.station is None or not math.isfinite(x + y + speed):
            self._follower.read(t, readout, command)
            return
        gap, other_speed = self._ahead(x, y)
        most = float(self._p[0]["acceleration"])
        allowed = float(plain_following_acceleration(self._p[0], speed, gap, other_speed))
        self._behind = allowed < (LETS_GO if self._behind else HOLDS_BACK) * most
        if not self._behind:
            self._follower.read(t, readout, command)
        elif self._follower.steer(t, readout, command):
            self._pedals.press(t, readout, command, min(allowed, TO_TARGET * (self._follower.target_speed(t) - speed)))
            command[0]["selector"], command[0]["parking_brake"] = 1, 0.0

    def _may_go(self, x: float, y: float) -> bool:
        """Return whether the first vehicle of the session has moved off, for which the others wait."""
        first = next((one for one in self._vehicles if one.name == FIRST), None)
        if not self._goes:
            self._goes = first is None or math.dist((first.x, first.y), (x, y)) < 0.01 or first.speed > MOVED_OFF
        return self._goes

    def _ahead(self, x: float, y: float) -> tuple[float, float]:
        """Return gap [m] and speed [m/s] of the next vehicle ahead on the path; an infinite gap without one."""
        path, station = self._follower.path, self._follower.station or 0.0
        own = min(self._vehicles, key=lambda one: math.dist((one.x, one.y), (x, y)), default=None)
        offset, nearest = path.offset_of(x, y, station), (math.inf, 0.0)
        for one in self._vehicles:
            away = math.dist((one.x, one.y), (x, y))
            if own is None or one is own or away > SIGHT:
                continue
            at = path.nearest(one.x, one.y, station + away)
            if at > station and at - station < SIGHT and abs(path.offset_of(one.x, one.y, at) - offset) < LANE:
                nearest = min(nearest, (at - station - own.front - one.rear, one.speed))
        return nearest
