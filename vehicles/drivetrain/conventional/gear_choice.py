"""Choice of the forward gear by an automatic gearbox or by the automatic driver of a manual one.

After a downshift, and until the throttle moves, an upshift requires the speed for open throttle. With shift curves it also requires that
the output needs clearly less torque than the higher gear gave before the downshift. Otherwise the two gears would alternate forever on a
grade that the engine can climb in neither of them.

The output speed does not give the vehicle speed while wheels spin or lock. A shift therefore also requires that the new gear fits the
road speed under the driven wheels. An upshift requires a road speed clearly above the one at which the higher gear would shift down
again. A downshift requires that the lower gear does not overspeed the engine once the wheels roll. Without large slip these conditions
never prevent a shift, because the speeds of a file have hysteresis. A vehicle that digs in or spins its wheels thus stays in a low gear,
and a vehicle that brakes with locked wheels stays in its gear. Real gearbox control units use the wheel speeds of the brake control unit
for this; a driver sees and feels it.

Wheels that spin on a road, however, hold the engine at its speed limit. Such a vehicle shifts up if the engine can nearly spin the wheels
on in the higher gear, and if the road speed keeps it above the downshift speed for closed throttle. Until the wheels roll or the throttle
moves, it shifts down only below that speed.
"""

from __future__ import annotations

import numpy as np

from simulator.base.jit import inline
from vehicles.drivetrain.conventional.engine import engine_torque
from vehicles.drivetrain.conventional.shift_schedule import (
    down_output_speed,
    gear_below,
    max_output_speed,
    too_fast,
    too_slow,
    up_output_speed,
)

THROTTLE_MOVED = 0.05
"""1. Change of throttle after which a downshift no longer delays the next upshift. Larger: holds gears longer; smaller: may hunt."""

TORQUE_MARGIN = 0.9
"""1. Fraction of the torque of the higher gear below which the gearbox tries that gear again.

Larger: hunts where torque falls with speed.
"""

ROAD_SPEED_MARGIN = 0.25
"""1. Minimum road speed for an upshift, as a position between the downshift speed of the higher gear and the upshift speed of the
  present one.

Larger: holds a gear at little slip; smaller: a slow shift, uphill or in sand, ends below the speed range of its new gear.
"""

SPINNING_TORQUE = 0.75
"""1. Least torque of the higher gear over the present one for an upshift with spinning wheels. Larger: the engine stays at its limit;
  smaller: a vehicle in sand leaves the gear that it needs."""

GEAR_CHOICE_STATE = (
    # name               shape  unit      what it is
    ("downshift_throttle", (), "1", "throttle at the last downshift, until the throttle moves; -1 = none"),
    ("shift_throttle", (), "1", "throttle at the last shift that the gearbox chose"),
    ("road_speed", (), "rad/s", "speed that the output would have if no driven wheel slipped"),
    ("spin_throttle", (), "1", "throttle at an upshift with spinning wheels, until they roll or the throttle moves; -1 = none"),
    ("failed_torque", (), "N m", "driveshaft torque at which the higher gear was left under a steady throttle"),
)


@inline
def reset_shift_history(s):
    """Reset the shift history to no previous shift."""
    s[0]["downshift_throttle"] = s[0]["shift_throttle"] = s[0]["spin_throttle"] = -1.0
    s[0]["failed_torque"] = np.inf


@inline
def chosen_gear(p, s, throttle):
    """Return the forward gear to select."""
    gear, speed = s[0]["gear"], s[0]["turbine_speed"]
    if abs(throttle - s[0]["downshift_throttle"]) > THROTTLE_MOVED:
        s[0]["downshift_throttle"] = -1.0
        s[0]["failed_torque"] = np.inf
    up_throttle = throttle if s[0]["downshift_throttle"] < 0.0 else 1.0
    output_torque = s[0]["coupling_torque"] / s[0]["ratio"]
    low_throttle = downshift_throttle_of(p, s, gear, throttle)
    if too_fast(p, gear, up_throttle, speed) and gear < p[0]["gears"]:
        rolls = fits_above(p, gear, throttle, s[0]["road_speed"])
        if not rolls and spins_on_above(p, s, gear, throttle, speed):
            gear += 1
            s[0]["shift_throttle"] = s[0]["spin_throttle"] = throttle
        elif rolls and (p[0]["schedule_points"] == 0 or output_torque < TORQUE_MARGIN * s[0]["failed_torque"]):
            gear += 1
            s[0]["shift_throttle"] = throttle
    elif too_slow(p, gear, low_throttle, speed) and gear > 1 and s[0]["road_speed"] <= max_output_speed(p, gear - 1):
        steady = abs(throttle - s[0]["shift_throttle"]) <= THROTTLE_MOVED
        s[0]["failed_torque"] = output_torque if steady else np.inf
        gear = safe_gear(p, gear_below(p, gear, throttle, speed), s[0]["road_speed"])
        s[0]["downshift_throttle"] = s[0]["shift_throttle"] = throttle
    return gear


@inline
def downshift_throttle_of(p, s, gear, throttle):
    """Return the throttle for the downshift speed: that of the pedal, or 0 after an upshift with spinning wheels."""
    if s[0]["spin_throttle"] >= 0.0:
        rolls = gear > 1 and s[0]["road_speed"] >= down_output_speed(p, gear, throttle)
        if gear == 1 or rolls or abs(throttle - s[0]["spin_throttle"]) > THROTTLE_MOVED:
            s[0]["spin_throttle"] = -1.0
    return throttle if s[0]["spin_throttle"] < 0.0 else 0.0


@inline
def spins_on_above(p, s, gear, throttle, speed):
    """Return True when the engine can nearly keep the driven wheels at their present speed in the next higher gear.

    The road speed must also keep that gear with closed throttle, once the wheels roll. speed : rad/s, of the turbine
    """
    if s[0]["road_speed"] < down_output_speed(p, gear + 1, 0.0):
        return False
    higher = p[0]["forward_ratios"][gear]
    after = speed * p[0]["forward_ratios"][gear - 1] / higher
    return engine_torque(p, after, throttle)[0] / higher >= SPINNING_TORQUE * s[0]["coupling_torque"] / s[0]["ratio"]


@inline
def fits_above(p, gear, throttle, road_speed):
    """Return True when the road speed [rad/s of the output] is high enough to keep the next higher gear."""
    left = down_output_speed(p, gear + 1, throttle)
    return road_speed >= left + ROAD_SPEED_MARGIN * (up_output_speed(p, gear, throttle) - left)


@inline
def safe_gear(p, gear, driveshaft_speed):
    """Return the lowest forward gear, starting at `gear`, that does not overspeed the parts geared to it."""
    while gear < p[0]["gears"] and driveshaft_speed > max_output_speed(p, gear):
        gear += 1
    return gear
