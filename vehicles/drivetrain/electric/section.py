"""Section `drivetrain` of a drivetrain file with electric motors."""

from __future__ import annotations

import numpy as np

from simulator.base.fields import Field, Fields, Group, Named, Number
from simulator.base.records import Record
from simulator.base.values import Values
from vehicles.axle_layout import Axles
from vehicles.drivetrain.contract import ELECTRIC, DrivetrainKind
from vehicles.drivetrain.drivetrain import direct_drive
from vehicles.drivetrain.electric.motors import BATTERY_FILE, MOTOR_FILE, MOTOR_STATE, set_motors

ELECTRIC_FILE: Fields = (
    Field("motors", Named(Group(MOTOR_FILE), "at least one motor, by the name of its axle", least=1), "electric motors by axle"),
    Field("battery", Group(BATTERY_FILE), "battery of the motors"),
    Field("response_time", Number("s", 0.0, 10.0), "time constant of the motor torques"),
)
"""Keys of an electric drivetrain."""


def read_electric(values: Values, axles: Axles) -> Record:
    """Return the record DRIVETRAIN of a vehicle with electric motors only. Raises ConfigError."""
    driven = [name in values["motors"] for name in axles.names]
    out = direct_drive(ELECTRIC, axles, driven)
    set_motors(values, out, axles)
    p = out[0]
    p["box_inertia"] = np.where(p["motors_on"] == 1, p["rotor_inertia"] * p["motor_ratio"] ** 2, 0.0)
    return out


def governed_speed(out: Record) -> float:
    """Return the largest speed [rad/s] of the motors of a record DRIVETRAIN."""
    return float(out[0]["motor_speed_most"].max())


KIND = DrivetrainKind(
    "electric",
    ELECTRIC_FILE,
    governed_speed,
    MOTOR_STATE,
    read_electric,
    meaning="electric motors by axle or by wheel, and a battery",
)
