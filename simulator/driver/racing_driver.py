"""Driver on a timed course: follows the path of the maneuver at its speeds, and keeps its distance from vehicles ahead on the path.

Behind another vehicle, the Intelligent Driver Model of `simulator.traffic.car_following` limits the acceleration. The driver does not overtake,
and begins when the first vehicle of the session moves off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from simulator.base.records import Record
from simulator.driver.gap_keeping import GapKeeping
from simulator.driver.internal_model import InternalModel
from simulator.driver.path import Path
from simulator.driver.seen_vehicle import FIRST, SeenVehicle

LANE = 2.6
"""m. Lateral distance from the own line up to which another vehicle is in the way."""
MOVED_OFF = 0.5
"""m/s of the first vehicle above which the others begin."""

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
        self._follower, self._gap = follower, GapKeeping(traits, LANE, DISTANCES)
        self._goes = False

    def see_vehicles(self, vehicles: Sequence[SeenVehicle]) -> None:
        """Receive all vehicles of the session."""
        self._gap.vehicles = vehicles

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
        limit = self._gap.limit(self._follower.path, self._follower.station, (x, y), speed)
        if limit is None:
            self._follower.read(t, readout, command)
        elif self._follower.steer(t, readout, command):
            self._gap.press(t, readout, command, limit, self._follower.target_speed(t))

    def _may_go(self, x: float, y: float) -> bool:
        """Return whether the first vehicle of the session has moved off, for which the others wait."""
        first = next((one for one in self._gap.vehicles if one.name == FIRST), None)
        if not self._goes:
            self._goes = first is None or math.dist((first.x, first.y), (x, y)) < 0.01 or first.speed > MOVED_OFF
        return self._goes
