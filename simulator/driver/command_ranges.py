"""Ranges of the parts of a command, for programs that command a vehicle: the library and the network port."""

from __future__ import annotations

from vehicles.drivetrain.conventional.shift_schedule import MAX_GEARS

MAX_PULL = 1e6
"""Maximum drawbar pull in N."""
MAX_STEERING_TORQUE = 200.0
"""Maximum steering torque in N m."""
RANGES = {
    "steering": (-1.0, 1.0),
    "throttle": (0.0, 1.0),
    "brake": (0.0, 1.0),
    "parking_brake": (0.0, 1.0),
    "selector": (-1.0, 1.0),
    "gear": (0.0, float(MAX_GEARS)),
    "low_range": (0.0, 1.0),
    "center_lock": (0.0, 1.0),
    "clutch": (0.0, 1.0),
    "manual_clutch": (0.0, 1.0),
    "starter": (0.0, 1.0),
    "drawbar": (-MAX_PULL, MAX_PULL),
    "steering_torque": (-MAX_STEERING_TORQUE, MAX_STEERING_TORQUE),
    "steering_free": (0.0, 1.0),
}
"""Minimum and maximum of each part of a command."""
