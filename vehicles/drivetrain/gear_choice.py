"""Which forward gear a gearbox, or whoever works it, takes by itself.

After a downshift, and until the throttle moves, only the open throttle's speed shifts up again, and where curves say when to shift only if
the output then needs clearly less torque than the higher gear gave when it was left: where the engine can hold a grade in neither gear the two
would alternate for ever.
"""

from __future__ import annotations

import numpy as np

from simulator.base.jit import inline
from vehicles.drivetrain.schedule import kicked_down, most_output_speed, too_fast, too_slow

THROTTLE_MOVED = 0.05
"""Change of throttle after which a downshift no longer delays the next upshift. Larger: holds gears longer; smaller: may hunt."""

CLEARLY_LESS = 0.9
"""1. Share of the torque of the higher gear with which it may be tried again. Larger: hunts where torque falls with speed."""

GEAR_CHOICE_STATE = (
    # name               shape  unit      what it is
    ("downshift_throttle", (), "1", "throttle at a downshift, as long as it is about the same; -1 = none"),
    ("shift_throttle", (), "1", "throttle at the last shift by the gearbox's own choice"),
    ("failed_torque", (), "N m", "torque of the driveshaft with which the higher gear was left under a steady throttle"),
)


@inline
def forget_shifts(s):
    """As if there had been no shift."""
    s[0]["downshift_throttle"] = s[0]["shift_throttle"] = -1.0
    s[0]["failed_torque"] = np.inf


@inline
def chosen_gear(p, s, throttle):
    """The forward gear to be in."""
    gear, speed = s[0]["gear"], s[0]["turbine_speed"]
    if abs(throttle - s[0]["downshift_throttle"]) > THROTTLE_MOVED:
        s[0]["downshift_throttle"] = -1.0
        s[0]["failed_torque"] = np.inf
    up_throttle = throttle if s[0]["downshift_throttle"] < 0.0 else 1.0
    output_torque = s[0]["coupling_torque"] / s[0]["ratio"]
    if too_fast(p, gear, up_throttle, speed) and gear < p[0]["gears"]:
        if p[0]["schedule_points"] == 0 or output_torque < CLEARLY_LESS * s[0]["failed_torque"]:
            gear += 1
            s[0]["shift_throttle"] = throttle
    elif too_slow(p, gear, throttle, speed) and gear > 1:
        steady = abs(throttle - s[0]["shift_throttle"]) <= THROTTLE_MOVED
        s[0]["failed_torque"] = output_torque if steady else np.inf
        gear = kicked_down(p, gear, throttle, speed)
        s[0]["downshift_throttle"] = s[0]["shift_throttle"] = throttle
    return gear


@inline
def safe_gear(p, gear, driveshaft_speed):
    """The lowest forward gear, from one on, that does not overspeed what is geared to it."""
    while gear < p[0]["gears"] and driveshaft_speed > most_output_speed(p, gear):
        gear += 1
    return gear
