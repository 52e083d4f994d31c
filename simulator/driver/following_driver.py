"""Driver `follow`: drives behind another vehicle, in its track and at a distance that grows with the speed.

The Intelligent Driver Model sets the acceleration (`simulator.traffic.car_following`). The steering aims at a point of the track of the leader
(pure pursuit).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

from simulator.base.fields import Field, Number, Text
from simulator.base.records import Record
from simulator.driver.aim_control import MAX_BRAKING, AimControl
from simulator.driver.contract import CONTRACT, Driver, DriverKind, DriverSettings
from simulator.driver.seen_vehicle import SeenVehicle
from simulator.traffic.car_following import plain_following_acceleration

SPACING = 0.5
"""m between two stored points of the track of the leader."""
MAX_POINTS = 4000
LOOK_TIME = 0.8
"""s. The driver looks this time ahead along the track, and at least MIN_LOOK."""
MIN_LOOK = 4.0
"""m."""
SIGHT = 200.0
"""m. Distance in which a driver without a named leader looks for one, within SECTOR of straight ahead."""
SECTOR = math.radians(30.0)

PARAMETERS = (
    Field("vehicle", Text("a name"), "name of the leader, `first` for the first vehicle (default: the nearest vehicle ahead)", None),
    Field("time_gap", Number("s", 0.1, 10.0), "time gap T at a steady speed", 1.5),
    Field("standstill_gap", Number("m", 0.5, 100.0), "gap s_0 at rest, from bumper to bumper", 2.0),
    Field("max_speed", Number("m/s", 0.5, 60.0), "speed v_max without a leader ahead", 30.0),
    Field("acceleration", Number("m/s2", 0.1, 5.0), "maximum acceleration a_max", 1.5),
    Field("deceleration", Number("m/s2", 0.1, 9.0), "comfortable deceleration b", 2.0),
)


class Track:
    """Places where a leader has been, with the length of the way between them."""

    def __init__(self) -> None:
        self._points: deque[tuple[float, float]] = deque(maxlen=MAX_POINTS)

    def extend(self, x: float, y: float) -> None:
        """Add a place (m) if it is far enough from the last one."""
        if not self._points or math.dist(self._points[-1], (x, y)) >= SPACING:
            self._points.append((x, y))

    def ahead(self, x: float, y: float, distance: float) -> tuple[float, float] | None:
        """Return the first place that is at least `distance` (m) from x, y (m) and follows the nearest place; None: there is none. Places
        are forgotten as long as the next one is nearer."""
        points, here = self._points, (x, y)
        while len(points) > 1 and math.dist(points[1], here) <= math.dist(points[0], here):
            points.popleft()
        return next((point for point in points if math.dist(point, here) >= distance), None)


class FollowingDriver:
    """Driver behind a leader; see the module.

    Parameters
    ----------
    settings : parameters of PARAMETERS and the internal model
    """

    label = "follow"
    """Name of the driver in messages."""
    overrides_assistance = False
    """Its throttle keeps a speed, and overrides no driver assistance."""

    def __init__(self, settings: DriverSettings) -> None:
        self._p = settings.parameters
        self._leader_name = str(settings.values.get("vehicle") or "")
        self._named, self._own_name = bool(self._leader_name), ""
        self._control = AimControl(settings.traits)
        self._vehicles: Sequence[SeenVehicle] = ()
        self._track = Track()

    def see_vehicles(self, vehicles: Sequence[SeenVehicle]) -> None:
        """Receive all vehicles of the session."""
        self._vehicles = vehicles

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at time t (s). While the readout is not finite, the command stays unchanged."""
        x, y, yaw = float(readout[0]["p_WB"][0]), float(readout[0]["p_WB"][1]), float(readout[0]["yaw"])
        speed = float(readout[0]["v_WB_B"][0])
        if not math.isfinite(x + y + yaw + speed):
            return
        own = self._own(x, y)
        leader = self._leader(own, x, y, yaw)
        gap, leader_speed = math.inf, 0.0
        if own is not None and leader is not None:
            gap = math.dist((leader.x, leader.y), (x, y)) - own.front - leader.rear
            leader_speed = leader.speed
            self._track.extend(leader.x, leader.y)
            point = self._track.ahead(x, y, max(MIN_LOOK, LOOK_TIME * speed)) or (leader.x, leader.y)
            self._control.steer((x, y, yaw), speed, point)
        demand = -MAX_BRAKING if leader is None else float(plain_following_acceleration(self._p[0], speed, gap, leader_speed))
        self._control.write(t, readout, command, demand)

    def _own(self, x: float, y: float) -> SeenVehicle | None:
        """Return the vehicle of this driver: at first the one at x, y (m), then the one with its name."""
        own = next((one for one in self._vehicles if one.name == self._own_name), None)
        if own is None and self._vehicles:
            own = min(self._vehicles, key=lambda one: math.dist((one.x, one.y), (x, y)))
            self._own_name = own.name
        return own

    def _leader(self, own: SeenVehicle | None, x: float, y: float, yaw: float) -> SeenVehicle | None:
        """Return the leader; a driver without a named one takes the nearest vehicle ahead, and keeps it as long as it is in the world."""
        if not self._named and not any(one.name == self._leader_name for one in self._vehicles):
            ahead = [one for one in self._vehicles if one is not own and _is_ahead(one, x, y, yaw)]
            nearest = min(ahead, key=lambda one: math.dist((one.x, one.y), (x, y)), default=None)
            self._leader_name = "" if nearest is None else nearest.name
        return next((one for one in self._vehicles if one.name == self._leader_name and one is not own), None)


def _is_ahead(one: SeenVehicle, x: float, y: float, yaw: float) -> bool:
    """Return whether a vehicle is in sight and ahead of a place and heading, and does not come toward it."""
    bearing = math.remainder(math.atan2(one.y - y, one.x - x) - yaw, math.tau)
    comes = one.speed > 0.0 and math.cos(one.yaw - yaw) < 0.0
    return math.dist((one.x, one.y), (x, y)) < SIGHT and abs(bearing) < SECTOR and not comes


def _make(settings: DriverSettings) -> Driver:
    return FollowingDriver(settings)


KIND = DriverKind("follow", _make, CONTRACT, parameters=PARAMETERS, meaning="drives behind another vehicle (Intelligent Driver Model)")
