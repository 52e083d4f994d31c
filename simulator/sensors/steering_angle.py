"""Angle sensors of the steering: steering wheel and road wheels.

    measured = round((true + offset + noise g) / resolution) resolution

with a standard normal number g for each angle. The defaults are those of a steering angle sensor of stability control: 0.1 degrees of the
steering wheel (Bosch LWS: resolution of 0.1 degrees). The resolution of the road wheels is assumed.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.fields import Field, Number
from simulator.base.records import Record
from simulator.sensors.contract import SensorInput, SensorKind, SensorSettings
from simulator.sensors.messages.definitions import JOINT_STATE
from simulator.sensors.messages.navigation import joint_state
from simulator.sensors.messages.topic import Recording, Topic
from vehicles.axle_layout import WHEELS

_SMALL = math.radians(0.1)


def _fields(name: str, what: str, most: float) -> tuple[Field, ...]:
    angle = Number("rad", 0.0, most)
    return (
        Field(f"{name}_resolution", angle, f"resolution of the {what}; 0: unlimited", _SMALL, written="deg"),
        Field(f"{name}_noise", angle, f"standard deviation of the white noise of the {what}", 0.0, written="deg"),
        Field(f"{name}_offset", Number("rad", -most, most), f"constant error of the {what}", 0.0, written="deg"),
    )


PARAMETERS = (*_fields("steering_wheel", "steering wheel", 1.0), *_fields("road_wheel", "road wheels", 0.5))
OUTPUT = (
    ("steering_wheel", (), "rad", "angle of the steering wheel, + = left"),
    ("road_wheel", (WHEELS,), "rad", "heading of the wheels relative to the chassis, + = left"),
)


class SteeringAngle:
    """Angle sensors of the steering. Parameters: see PARAMETERS."""

    def __init__(self, settings: SensorSettings) -> None:
        self._p, self._random = settings.parameters[0], settings.random

    def step(self, seen: SensorInput, out: Record) -> None:
        """Measure the angles."""
        r = seen.readout[0]
        for name, true in (("steering_wheel", r["steering_wheel_angle"]), ("road_wheel", r["road_wheel_angle"])):
            angle = true + self._p[f"{name}_offset"] + self._p[f"{name}_noise"] * self._random.standard_normal(np.shape(true))
            step = self._p[f"{name}_resolution"]
            out[0][name] = np.round(angle / step) * step + 0.0 if step > 0.0 else angle


def messages(settings: SensorSettings) -> Recording:
    """Return the topic `joints` of a sensor: angles of the steering wheel and of the road wheels."""
    names = ["steering_wheel", *(f"steering_{corner}" for corner in settings.corners)]
    return Recording(
        (
            Topic(
                "joints",
                JOINT_STATE,
                lambda one: joint_state(one.time, settings.name, names, (one.values[0]["steering_wheel"], *one.values[0]["road_wheel"])),
            ),
        )
    )


KIND = SensorKind(
    "steering_angle",
    PARAMETERS,
    OUTPUT,
    SteeringAngle,
    2,
    rate=100.0,
    meaning="angles of the steering wheel and of the road wheels",
    messages=messages,
)
