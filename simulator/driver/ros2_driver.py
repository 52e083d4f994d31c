"""Driver `ros2`: follows the commands of a ROS 2 node, and brakes when they stop.

    /cmd_vel         geometry_msgs/Twist: speed [m/s] linear.x, yaw rate [rad/s] angular.z; negative speeds drive backward
    /cmd_vel         geometry_msgs/TwistStamped, with `stamped: true`
    /ackermann_cmd   ackermann_msgs/AckermannDriveStamped: speed, road-wheel angle, acceleration

The newest command counts, of whichever topic. A command that is not finite is no command.
"""

from __future__ import annotations

import math
import time

from simulator.base.errors import JounceError
from simulator.base.fields import Either, Field, Flag, Number
from simulator.base.records import Record
from simulator.driver.contract import CONTRACT, Driver, DriverKind, DriverSettings
from simulator.driver.internal_model import InternalModel
from simulator.driver.speed import SpeedControl, SpeedGains
from simulator.driver.steering.observation import grade_under
from simulator.ros2.dds import Node, Quality
from simulator.ros2.options import INTERFACE, OWN_DOMAIN, TOPIC_NAME, own_domain
from simulator.sensors.messages.definitions import ACKERMANN, TWIST, TWIST_PLAIN

PARAMETERS = (
    OWN_DOMAIN,
    INTERFACE,
    Field("cmd_vel", TOPIC_NAME, "topic of speed and yaw rate", "/cmd_vel"),
    Field("stamped", Flag(), "true: TwistStamped, as Nav2 sends since Kilted; false: Twist", False),
    Field("ackermann", TOPIC_NAME, "topic of speed and road-wheel angle", "/ackermann_cmd"),
    Field("timeout", Number("s", 0.02, 60.0), "simulated time without a command after which the driver brakes", 0.5),
    Field("acceleration", Number("m/s2", 0.1, 15.0), "largest acceleration to the commanded speed", 2.0),
    Field("deceleration", Number("m/s2", 0.1, 15.0), "largest deceleration to it, and after the timeout", 4.0),
    Field(
        "lock_step",
        Either((Number("s", 0.0, 10.0),)),
        "simulated time between two commands for which a run without a clock waits; 0: it does not wait",
        0.0,
    ),
)
SLOWEST = 0.5
"""m/s. Speed below which a yaw rate turns the wheels as at this speed: a standing vehicle cannot turn."""
STANDSTILL = 0.1
"""m/s. Speed below which the direction of driving may change."""
HOLD = 0.4
"""1. Brake at rest."""
PATIENCE = 60.0
"""s. Longest wait for a command in lock step."""


class Ros2Driver:
    """Driver whom a ROS 2 node commands; see the module. Raises JounceError: the domain cannot be joined."""

    label = "ros2"
    """Name of the driver in messages."""

    def __init__(self, settings: DriverSettings) -> None:
        values, numbers = settings.values, settings.parameters[0]
        self._node = Node(own_domain(values), values["interface"])
        twist = TWIST if values["stamped"] else TWIST_PLAIN
        quality = Quality(depth=1)
        self._twists = self._node.subscription(values["cmd_vel"], twist, quality)
        self._ackermanns = self._node.subscription(values["ackermann"], ACKERMANN, quality)
        self._timeout, self._lock_step = float(numbers["timeout"]), 0.0 if settings.paced else float(values["lock_step"])
        self._acceleration, self._deceleration = float(numbers["acceleration"]), float(numbers["deceleration"])
        self._traits: InternalModel = settings.traits
        self._controls = {way: SpeedControl((), SpeedGains(), settings.traits) for way in (1, -1)}
        self._speed, self._angle, self._limit = 0.0, 0.0, math.inf
        self._heard = self._waited = -math.inf
        self._selector = 1

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at simulated time t [s]."""
        v = float(readout[0]["v_WB_B"][0])
        heard = self._take(t, v)
        if self._lock_step and t >= self._waited + self._lock_step - 1e-9:
            began = time.monotonic()
            while not heard:
                if time.monotonic() - began > PATIENCE:
                    raise JounceError(
                        f"no command for {PATIENCE:g} s in lock step at {t:.2f} s; hint: does the node use /clock (use_sim_time)?"
                    )
                time.sleep(1e-3)
                heard = self._take(t, v)
            self._waited = t
        wanted = self._speed if t - self._heard <= self._timeout else 0.0
        self._drive(t, readout, command, wanted, v)

    def _take(self, t: float, v: float) -> bool:
        """Take the newest commands; return whether there was one."""
        found = False
        for message in self._twists.take():
            twist = message.get("twist", message)
            found |= self._command(t, twist["linear"]["x"], self._angle_for(twist["angular"]["z"], v, twist["linear"]["x"]), math.inf)
        for message in self._ackermanns.take():
            drive = message["drive"]
            found |= self._command(t, drive["speed"], drive["steering_angle"], abs(drive["acceleration"]) or math.inf)
        return found

    def _command(self, t: float, speed: float, angle: float, limit: float) -> bool:
        if not all(map(math.isfinite, (speed, angle))) or math.isnan(limit):
            return False
        self._speed, self._angle, self._limit, self._heard = speed, angle, limit, t
        return True

    def _angle_for(self, yaw_rate: float, v: float, wanted: float) -> float:
        """Return the road-wheel angle for a yaw rate [rad/s]."""
        speed = math.copysign(max(abs(v), SLOWEST), wanted if wanted else v if v else 1.0)
        curvature = yaw_rate / speed
        return (self._traits.turning_length + self._traits.understeer * speed * speed) * curvature

    def _drive(self, t: float, readout: Record, command: Record, wanted: float, v: float) -> None:
        c = command[0]
        way = 1 if wanted > 0.0 else -1 if wanted < 0.0 else self._selector
        if way != self._selector and abs(v) < STANDSTILL:
            self._selector = way
        target = abs(wanted) if way == self._selector else 0.0
        forward = self._selector * v
        control = self._controls[self._selector]
        limit = min(self._limit, self._deceleration if target < forward else self._acceleration)
        control.set_target(target, max(limit, 1e-3))
        throttle, brake = control.pedals(t, 0.0, forward, self._selector * float(grade_under(readout[0])))
        rests = target == 0.0 and abs(v) < STANDSTILL
        c["throttle"], c["brake"] = (0.0, max(brake, HOLD)) if rests else (throttle, brake)
        c["selector"], c["parking_brake"] = self._selector, 0.0
        c["steering"] = self._traits.steering_for(self._angle)

    def close(self) -> None:
        """Leave the domain."""
        self._node.close()


def _make(settings: DriverSettings) -> Driver:
    return Ros2Driver(settings)


KIND = DriverKind("ros2", _make, CONTRACT, parameters=PARAMETERS, meaning="follows the commands of a ROS 2 node (/cmd_vel, /ackermann_cmd)")
"""Create a driver from its name."""
