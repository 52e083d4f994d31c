"""Registry of sensors, by the `type` in a session file: built-in sensors and plugin sensors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.base.fields import Field, Fields, Flag, Group, Number, Text, Variants
from simulator.base.rates import RATE
from simulator.base.registry import Registry

if TYPE_CHECKING:
    from simulator.sensors.contract import SensorKind

MAX_MOUNT_DISTANCE = 100.0
"""m. Maximum distance of a sensor from the chassis reference point."""
MAX_LATENCY = 10.0
"""s. Maximum latency."""
_ANGLE = Number("rad", -math.tau, math.tau)
MOUNT = (
    Field("position", Number("m", -MAX_MOUNT_DISTANCE, MAX_MOUNT_DISTANCE, shape=(3,)), "position on the chassis", (0.0, 0.0, 0.0), "B"),
    Field("roll", _ANGLE, "rotation about x", 0.0, written="deg"),
    Field("pitch", _ANGLE, "rotation about y", 0.0, written="deg"),
    Field("yaw", _ANGLE, "rotation about z, the first of the three", 0.0, written="deg"),
)
_COMMON = (
    Field("name", Text("a name of letters, digits and underscores"), "prefix of its columns in the log; default: its type", None),
    Field("rate", RATE, "measurements per second; default: that of the type", None),
    Field("latency", Number("s", 0.0, MAX_LATENCY), "time from a measurement to its delivery; default: that of the type", None),
    Field("mount", Group(MOUNT), "position and orientation; default: at the reference point, axes parallel to the chassis", None),
    Field("record", Flag(), "write the measurements to sensors.mcap", True),
)

SENSOR_KINDS: Registry[SensorKind] = Registry(
    "sensor",
    "jounce.sensors",
    {
        "camera": "simulator.sensors.camera.camera:KIND",
        "imu": "simulator.sensors.imu:KIND",
        "lidar": "simulator.sensors.lidar.sensor:KIND",
        "gnss": "simulator.sensors.gnss:KIND",
        "wheel_encoder": "simulator.sensors.wheel_encoder:KIND",
        "steering_angle": "simulator.sensors.steering_angle:KIND",
    },
    contract="simulator.sensors.contract",
)


def sensor_fields(name: str) -> Fields:
    """Return the keys of the parameters of a sensor. Raises JounceError when it cannot be loaded."""
    return SENSOR_KINDS.need(name).parameters


SENSOR_FILE = Variants("type", sensor_fields, SENSOR_KINDS.names, "kind of sensor", _COMMON, noun="a sensor:")
"""Fields of an item of the list `sensors` of a session file."""
register = SENSOR_KINDS.add
"""Register a kind of sensor."""
