"""Which forward gear a gearbox, or whoever works it, takes by itself.

After a downshift, and until the throttle moves, only the open throttle's speed shifts up again, and where curves say when to shift only if
the output then needs clearly less torque than the higher gear gave when it was left: where the engine can hold a grade in neither gear the two
would alternate for ever.

The speed of the output says nothing of the vehicle's while wheels spin or are locked. A shift is therefore made only into a gear that fits the
speed of the road under the driven wheels too: up where that lies clearly above the one at which the higher gear would be left again, down where the
lower gear would not overspeed the engine once the wheels roll. In a drive without much slip neither ever says no, for the speeds of a file have
hysteresis. So a car that digs in or spins its wheels stays in a low gear, and one that brakes with locked wheels in the gear it had. Gearboxes
with control units do so by the wheel speeds of the brakes' one; a driver sees and feels it.
"""

from __future__ import annotations

import numpy as np

from simulator.base.jit import inline
from vehicles.drivetrain.shift_schedule import down_output_speed, kicked_down, most_output_speed, too_fast, too_slow, up_output_speed

THROTTLE_MOVED = 0.05
"""Change of throttle after which a downshift no longer delays the next upshift. Larger: holds gears longer; smaller: may hunt."""

CLEARLY_LESS = 0.9
"""1. Share of the torque of the higher gear with which it may be tried again. Larger: hunts where torque falls with speed."""

FITS = 0.25
"""1. Place of the least road speed for a shift up between the speed at which the higher gear is left and that at which the present one is. Larger:
holds a gear on at little slip; smaller: a shift that takes long, uphill or in sand, ends too slow for the gear it was made into."""

GEAR_CHOICE_STATE = (
    # name               shape  unit      what it is
    ("downshift_throttle", (), "1", "throttle at a downshift, as long as it is about the same; -1 = none"),
    ("shift_throttle", (), "1", "throttle at the last shift by the gearbox's own choice"),
    ("road_speed", (), "rad/s", "speed that the output would have if no driven wheel slipped"),
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
    if too_fast(p, gear, up_throttle, speed) and gear < p[0]["gears"] and fits_above(p, gear, throttle, s[0]["road_speed"]):
        if p[0]["schedule_points"] == 0 or output_torque < CLEARLY_LESS * s[0]["failed_torque"]:
            gear += 1
            s[0]["shift_throttle"] = throttle
    elif too_slow(p, gear, throttle, speed) and gear > 1 and s[0]["road_speed"] <= most_output_speed(p, gear - 1):
        steady = abs(throttle - s[0]["shift_throttle"]) <= THROTTLE_MOVED
        s[0]["failed_torque"] = output_torque if steady else np.inf
        gear = safe_gear(p, kicked_down(p, gear, throttle, speed), s[0]["road_speed"])
        s[0]["downshift_throttle"] = s[0]["shift_throttle"] = throttle
    return gear


@inline
def fits_above(p, gear, throttle, road_speed):
    """Whether the gear above would stay at the speed of the road [rad/s of the output]."""
    left = down_output_speed(p, gear + 1, throttle)
    return road_speed >= left + FITS * (up_output_speed(p, gear, throttle) - left)


@inline
def safe_gear(p, gear, driveshaft_speed):
    """The lowest forward gear, from one on, that does not overspeed what is geared to it."""
    while gear < p[0]["gears"] and driveshaft_speed > most_output_speed(p, gear):
        gear += 1
    return gear
