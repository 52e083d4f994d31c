"""Section `drivetrain` of a drivetrain file for a trailer: all wheels roll freely. The file has only brakes otherwise."""

from __future__ import annotations

from simulator.base.records import Record
from simulator.base.values import Values
from vehicles.axle_layout import Axles
from vehicles.drivetrain.contract import ELECTRIC, DrivetrainKind
from vehicles.drivetrain.drivetrain import direct_drive


def read_undriven(_: Values, axles: Axles) -> Record:
    """Return the record DRIVETRAIN of a vehicle without a drive: an electric one without motors."""
    out = direct_drive(ELECTRIC, axles, [False] * axles.size.axles)
    out["motor_time"], out["battery_voltage"], out["driven"] = 1.0, 1.0, 1  # divisors
    return out


KIND = DrivetrainKind("undriven", (), lambda _: 0.0, read=read_undriven, meaning="no drive, for trailers: all wheels roll freely")
