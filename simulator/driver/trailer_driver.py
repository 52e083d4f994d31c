"""Driver `back_up`: backs a vehicle with one trailer along the path of its maneuver, which begins at the trailer and leads backwards.

Plane kinematics without slip: the towing vehicle turns about its rear axle with the curvature K, the coupling is M behind this axle, the axle
of the trailer D behind the coupling, phi is the yaw of the joint. With the speed v of the towing vehicle

    phi' = -v (sin(phi) / D + K (1 + M cos(phi) / D)),      trailer on a circle of radius R:  phi = -(atan(D / R) + atan(M / R_1)),
    R_1^2 = R^2 + D^2 - M^2

Backwards, phi is unstable: it grows over the distance D. The driver therefore commands it, in three loops over the distance, each slower than
the one inside it:

    path     curvature of the trailer  k = k_path - e / l^2 - 2 t / l                e, t: offset and heading error of its axle
    joint    phi_d for this curvature, limited;  K = -(sin(phi) / D + (phi - phi_d) / m) / (1 + M cos(phi) / D)
    hands    road-wheel angle atan(L K), at a limited rate

Beyond the angle of the tightest circle no steering brings the trailer back while it backs: the driver stops before it, pulls forward until
the trailer is behind the vehicle again, and backs once more.
"""

from __future__ import annotations

import math
from typing import Any

from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Number
from simulator.base.records import Record, Table, record
from simulator.driver.contract import CONTRACT, DriverKind, DriverSettings
from simulator.driver.path import Path, Spawn
from simulator.driver.seen_vehicle import heading
from vehicles.vehicle import Vehicle

PARAMETERS = (Field("speed", Number("m/s", 0.1, 3.0), "speed", 1.2, written="kph"),)
LOOK_AHEAD = 0.3
"""Distance ahead of the axle at which the driver reads the curvature of the path, as a part of l."""
JOINT_LENGTH, PATH_LENGTH = (0.45, 1.0), (1.4, 3.0)
"""m over D, and least [m]: lengths m and l of the loops."""
HELD, SAFE, BACK_IN_LINE = 0.75, 0.92, 0.10
"""Part of the critical angle to which phi_d is limited, and at which the driver pulls forward; rad, angle at which he backs again."""
LARGEST_HEADING = 1.2
"""rad. Heading error of the trailer at which the driver pulls forward."""
HAND_RATE = 1.2
"""1/s. Largest rate of the steering input."""
GAIN, INTEGRAL = 0.35, 0.25
"""1/(m/s), 1/m. Gains of the pedals."""
STOPPED = 0.08
"""m/s."""
PERIOD = 0.1
"""s. Longest time between two calls that counts."""
BACKING = (
    # name      shape  unit   what it is
    ("offset", (), "m", "offset of the axle of the trailer from its path, + = left of who looks backwards"),
    ("heading", (), "rad", "heading error of the trailer, + = its rear has turned too far to the left of who looks backwards"),
    ("pulls", (), "1", "number of times the driver has pulled forward"),
)
"""Logged record of the driver, with the prefix `back_up_`."""


class TrailerDriver:
    """Driver that backs a trailer; see the module.

    Parameters
    ----------
    settings : parameters of PARAMETERS, the vehicle with one trailer, the maneuver with the path
    """

    label = "back_up"
    """Name of the driver in messages."""

    def __init__(self, settings: DriverSettings) -> None:
        vehicle = settings.vehicle
        if vehicle is None or vehicle.train is None or len(vehicle.train.trailers) != 1:
            name = "no vehicle" if vehicle is None else vehicle.description.name
            raise ConfigError("driver back_up", "vehicle", name, "a vehicle with one trailer")
        self._vehicle, self._traits = vehicle, settings.traits
        self._trailer: Vehicle = vehicle.train.trailers[0].vehicle
        c = vehicle.train.towed[0]
        self._axle = float(self._trailer.wheel_centers[:, 0].mean())
        self.D = float(c["p_TH"][0]) - self._axle
        self.M = settings.traits.front_axle - settings.traits.rear_point - float(c["p_BH"][0])
        self._lock = min(abs(float(a)) for a in (settings.traits.road_wheel_angles[0], settings.traits.road_wheel_angles[-1]))
        self.critical = critical_angle(self.D, self.M, settings.traits.rear_point, self._lock)
        self._m, self._l = (max(part * self.D, least) for part, least in (JOINT_LENGTH, PATH_LENGTH))
        maneuver = settings.maneuver
        self._shape = Path.straight() if maneuver is None or maneuver.path is None else maneuver.path
        self.path: Path | None = None
        self._speed = float(settings.parameters[0]["speed"])
        self.phase = "back"
        self.pulls = 0
        """Number of times the driver has pulled forward."""
        self._station = self._integral = self._steering = self._heading = 0.0
        self._time = math.nan
        self._logged = record(BACKING)

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """(prefix, table, record) of its columns."""
        return [("back_up_", BACKING, self._logged)]

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at time t [s]."""
        step = min(max(t - self._time, 0.0), PERIOD) if math.isfinite(self._time) else 0.0
        self._time = t
        o, out = readout[0], command[0]
        x, y, yaw = self._place()
        if self.path is None:
            self.path = self._shape.placed(Spawn(x, y, yaw + math.pi))
            self._heading = float(o["yaw"])
        phi, speed = float(self._vehicle.train.towing[0]["yaw"]), float(o["v_WB_B"][0])  # type: ignore[union-attr]
        self._station = self.path.nearest(x, y, self._station)
        turned = _wrapped(yaw + math.pi - self.path.at(self._station).heading)
        self._choose(phi, speed, turned)
        own = self._logged[0]
        own["offset"], own["heading"], own["pulls"] = self.path.offset_of(x, y, self._station), turned, self.pulls
        if self.phase == "back":
            K = self._curvature(x, y, phi, turned)
        else:
            K = -_wrapped(float(o["yaw"]) - (self.path.at(self._station).heading - math.pi)) / self._l
        wanted = self._traits.steering_for(math.atan(self._traits.rear_point * K))
        self._steering += min(max(wanted - self._steering, -HAND_RATE * step), HAND_RATE * step)
        out["steering"] = self._steering
        self._press(out, speed, step)

    def _place(self) -> tuple[float, float, float]:
        """Return x, y [m] of the axle of the trailer, and its heading [rad]."""
        s = self._trailer.space.state[0]
        yaw = heading(s["q_WB"])
        return float(s["p_WB"][0]) + self._axle * math.cos(yaw), float(s["p_WB"][1]) + self._axle * math.sin(yaw), yaw

    def _choose(self, phi: float, speed: float, turned: float) -> None:
        """Choose the phase: back, pull forward, or stop at the end of the path."""
        assert self.path is not None
        if self.phase == "back" and self._station >= self.path.length:
            self.phase = "end"
        elif self.phase == "back" and (abs(phi) > SAFE * self.critical or abs(turned) > LARGEST_HEADING):
            self.phase, self._integral = "forward", 0.0
            self.pulls += 1
        elif self.phase == "forward" and abs(phi) < BACK_IN_LINE and abs(turned) < 0.5 * LARGEST_HEADING:
            self.phase, self._integral = "back", 0.0

    def _curvature(self, x: float, y: float, phi: float, turned: float) -> float:
        """Return the curvature of the towing vehicle [1/m, + = left] while it backs."""
        assert self.path is not None
        ahead = self.path.at(self._station + LOOK_AHEAD * self._l)
        offset = self.path.offset_of(x, y, self._station)
        k = ahead.curvature - offset / self._l**2 - 2.0 * turned / self._l
        most = HELD * self.critical
        wanted = min(max(steady_angle(-k, self.D, self.M), -most), most)
        return -(math.sin(phi) / self.D + (phi - wanted) / self._m) / (1.0 + self.M * math.cos(phi) / self.D)

    def _press(self, out: Any, speed: float, step: float) -> None:
        """Write pedals and selector."""
        direction = {"back": -1, "forward": 1, "end": 0}[self.phase]
        if direction == 0 or (direction * speed < -STOPPED):
            out["throttle"], out["brake"] = 0.0, 0.5
            out["parking_brake"] = float(direction == 0 and abs(speed) < STOPPED)
            self._integral = 0.0
            return
        out["selector"], out["parking_brake"] = direction, 0.0
        lack = self._speed - direction * speed
        self._integral = min(max(self._integral + INTEGRAL * lack * step, -0.3), 0.8)
        pedal = GAIN * lack + self._integral
        out["throttle"], out["brake"] = min(max(pedal, 0.0), 1.0), min(max(-pedal, 0.0), 1.0)


def steady_angle(curvature: float, D: float, M: float) -> float:
    """Return the yaw of the joint [rad] at which the axle of the trailer runs on a circle of a curvature [1/m, + = left, forwards]; D, M : m."""
    if abs(curvature) < 1e-9:
        return 0.0
    R = 1.0 / abs(curvature)
    ahead = math.sqrt(max(R * R + D * D - M * M, 1e-6))
    return -math.copysign(math.atan2(D, R) + math.atan2(M, ahead), curvature)


def critical_angle(D: float, M: float, wheelbase: float, lock: float) -> float:
    """Return the largest yaw of the joint [rad] that steering can hold: that of the circle at full lock [rad]; pi/2 where the trailer can turn on
    the spot. D, M, wheelbase : m."""
    own = wheelbase / math.tan(lock)
    square = own * own + M * M - D * D
    if square <= 0.0:
        return 0.5 * math.pi
    return math.atan2(D, math.sqrt(square)) + math.atan2(M, own)


def _wrapped(angle: float) -> float:
    return math.remainder(angle, math.tau)


KIND = DriverKind(
    "back_up",
    TrailerDriver,
    CONTRACT,
    parameters=PARAMETERS,
    meaning="backs a trailer along a path, and pulls forward before it jackknifes",
)
