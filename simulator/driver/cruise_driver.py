"""Driver `cruise`: keeps a speed along a straight line or the path of its maneuver, and takes the actions of triggers."""

from __future__ import annotations

import math

from simulator.base.fields import Either, Field, Number
from simulator.base.records import Record
from simulator.driver.contract import CONTRACT, Driver, DriverKind, DriverSettings
from simulator.driver.path import Path, Spawn
from simulator.driver.speed import SpeedControl, SpeedGains
from simulator.driver.steering.path_follower import PathFollower

PARAMETERS = (
    Field("speed", Either((Number("m/s", 0.0, 60.0),)), "speed to keep (default: that at the start)", None, written="kph"),
    Field("acceleration", Number("m/s2", 0.01, 15.0), "largest acceleration or deceleration to it", 2.0),
)


class CruiseDriver(PathFollower):
    """Driver at a speed; see the module.

    Parameters
    ----------
    settings : parameters of PARAMETERS, the start, and the maneuver whose path is followed
    """

    label = "cruise"
    """Name of the driver in messages."""

    def __init__(self, settings: DriverSettings) -> None:
        path = Path.straight() if settings.maneuver is None else settings.maneuver.path or Path.straight()
        start = settings.ground.spawn if settings.here is None else settings.here
        control = SpeedControl((), SpeedGains(), settings.traits)
        super().__init__(path.placed(Spawn(*start)), control, settings.traits, seed=settings.seed)
        self._begins = True
        self._wanted, self._most = settings.values.get("speed"), float(settings.parameters[0]["acceleration"])

    def set_speed(self, speed: float, acceleration: float) -> None:
        """Keep another speed [m/s] from now on, approached with at most an acceleration [m/s2]."""
        self._begins = False
        super().set_speed(speed, acceleration)

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record; see `PathFollower.read`."""
        speed = float(readout[0]["v_WB_B"][0])
        if self._begins and math.isfinite(speed):
            self.set_speed(max(speed, 0.0) if self._wanted is None else self._wanted, self._most)
        super().read(t, readout, command)


def _make(settings: DriverSettings) -> Driver:
    return CruiseDriver(settings)


KIND = DriverKind("cruise", _make, CONTRACT, parameters=PARAMETERS, meaning="keeps a speed along a line, and takes the actions of triggers")
