"""Manual and sequential gearbox: a lever, a synchronizer per gear, and an automatic driver for clutch and lever.

The gearbox has four phases. In DRIVE the dogs of a gear are engaged, and the friction clutch is the coupling of the step. In PULL the
automatic driver opens the clutch. In NEUTRAL the lever is between the gears. In SYNC the lever pushes toward a gear. The coupling is
then the synchronizer of that gear, friction of a given torque, and the dogs engage once it sticks. If the clutch drags more than the
synchronizer brakes, the gear does not engage; after a time limit it grinds.
"""

from __future__ import annotations

from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from vehicles.drivetrain.conventional.friction_clutch import pedal_grip
from vehicles.drivetrain.conventional.gear_choice import chosen_gear, safe_gear
from vehicles.drivetrain.conventional.power_shift import DRIVE, NEUTRAL, STICK_SLIP
from vehicles.drivetrain.conventional.shift_driver import PULL, SHIFT_DRIVER_STATE, SYNC, begin_release, drive_clutch
from vehicles.drivetrain.conventional.shift_schedule import max_output_speed, suits_motion, too_slow
from vehicles.drivetrain.measured_curves import MAX_TIME, MAX_TORQUE

KINDS = ("automatic", "manual", "sequential")
AUTOMATIC, MANUAL, SEQUENTIAL = 0, 1, 2

OPEN_GRIP = 0.02
"""1. Fraction of the clutch capacity below which the clutch counts as open."""

MAX_RELEASE_TORQUE = 25.0
"""N m. Torque of the input shaft below which the lever can leave the gear at any clutch position; assumed."""

OVERSPEED = 1.05
"""1. Largest ratio of the shaft speed to the speed limit of a gear at which the synchronizer accepts the gear."""

MANUAL_GEARBOX = (
    # name               shape  unit   what it is
    ("gearbox_kind", (), "1", "0 automatic, 1 manual (any gear to any gear), 2 sequential (adjacent gears only)", "i8"),
    ("synchronizer_torque", (), "N m", "torque with which a synchronizer brings the input shaft to the speed of its gear"),
    ("synchronizer_time", (), "s", "time after which a gear that does not engage grinds"),
    ("gate_time", (), "s", "travel time of the lever between two gears"),
)

_TIME = Number("s", 0.0, MAX_TIME)
SYNCHRONIZER_FILE = (
    Field(
        "torque",
        Number("N m", 0.1, MAX_TORQUE),
        "torque at the input shaft with which a synchronizer brings the shaft to the speed of its gear",
    ),
    Field("time", _TIME, "time after which a gear that does not engage grinds"),
    Field("gate_time", _TIME, "travel time of the lever between two gears"),
)
"""Fields of the section `synchronizer` of a manual or sequential gearbox."""

MANUAL_GEARBOX_STATE = (
    # name               shape  unit  what it is
    ("lever", (), "1", "gear in which the lever of a manual gearbox is, or toward which the lever pushes", "i8"),
    ("grinding", (), "1", "1: the gear does not engage and grinds", "i8"),
    *SHIFT_DRIVER_STATE,
)


@inline
def advance_manual_gearbox(p, s, command, ratio, driveshaft_speed, wheel_speed, h):
    """Advance lever, clutch and phase by a step of h seconds; ratio : ratio of the gear of the lever, 1 in neutral."""
    s[0]["clock"] += h
    manual_clutch = command[0]["manual_clutch"] != 0
    if s[0]["phase"] == DRIVE and s[0]["lever"] != s[0]["gear"]:
        can_leave = s[0]["grip"] <= OPEN_GRIP or abs(s[0]["coupling_torque"]) < MAX_RELEASE_TORQUE
        if manual_clutch and can_leave:
            leave_gear(s)
        elif not manual_clutch:
            begin_release(s)
    elif s[0]["phase"] == PULL:
        if s[0]["lever"] == s[0]["gear"] or manual_clutch:
            s[0]["phase"] = DRIVE
        elif s[0]["grip"] <= OPEN_GRIP:
            leave_gear(s)
    elif s[0]["phase"] == SYNC and s[0]["lever"] != s[0]["gear"]:
        leave_gear(s)
    elif s[0]["phase"] == NEUTRAL and s[0]["clock"] > p[0]["gate_time"] and can_engage(p, s[0]["lever"], driveshaft_speed, wheel_speed):
        s[0]["gear"], s[0]["phase"], s[0]["clock"], s[0]["ratio"] = s[0]["lever"], SYNC, 0.0, ratio
    s[0]["grinding"] = 1 if s[0]["phase"] == SYNC and s[0]["clock"] > p[0]["synchronizer_time"] else 0
    if manual_clutch:
        s[0]["grip"], s[0]["operates_throttle"] = pedal_grip(p, command[0]["clutch"]), 0
    else:
        drive_clutch(p, s, command[0]["throttle"], driveshaft_speed / ratio, h)
    s[0]["clutch_capacity"] = s[0]["grip"] * p[0]["friction_capacity"]


@inline
def leave_gear(s):
    """Move the lever out of gear."""
    s[0]["gear"], s[0]["phase"], s[0]["clock"], s[0]["coupling_torque"] = 0, NEUTRAL, 0.0, 0.0


@inline
def move_lever(p, s, command, driveshaft_speed):
    """Move the lever to the commanded gear; in drive without a commanded gear the automatic driver chooses."""
    selector, requested = command[0]["selector"], min(command[0]["gear"], p[0]["gears"])
    settled = s[0]["phase"] == DRIVE and s[0]["clock"] > p[0]["shift_latency"]
    if selector <= 0:
        s[0]["lever"] = selector
    elif requested > 0 and command[0]["manual_clutch"] != 0:
        s[0]["lever"] = next_lever(p, s, requested)
    elif s[0]["lever"] <= 0 or s[0]["gear"] < 0:
        s[0]["lever"] = safe_gear(p, max(1, requested), driveshaft_speed)
    elif settled and s[0]["lever"] == s[0]["gear"]:
        if requested > 0:
            s[0]["lever"] = next_lever(p, s, safe_gear(p, requested, driveshaft_speed) if requested < s[0]["gear"] else requested)
        else:
            s[0]["lever"] = next_lever(p, s, gear_after_skips(p, s, command[0]["throttle"]))


@inline
def next_lever(p, s, requested):
    """Return the requested gear, or in a sequential gearbox the adjacent gear toward the requested one."""
    if p[0]["gearbox_kind"] == SEQUENTIAL and s[0]["gear"] > 0:
        return max(s[0]["gear"] - 1, min(s[0]["gear"] + 1, requested))
    return requested


@inline
def gear_after_skips(p, s, throttle):
    """Return the gear that the automatic driver chooses.

    Downshifts skip gears that would be too slow, but no gear that fits the road speed.
    """
    turned, gear = s[0]["turbine_speed"] * s[0]["ratio"], chosen_gear(p, s, throttle)
    while 1 < gear < s[0]["gear"] and too_slow(p, gear, throttle, turned / p[0]["forward_ratios"][gear - 1]):
        gear -= 1
    return safe_gear(p, gear, s[0]["road_speed"]) if gear < s[0]["gear"] else gear


@inline
def can_engage(p, gear, driveshaft_speed, wheel_speed):
    """Return True when the gear of the lever can be engaged.

    The gear must suit the motion, and must engage without overspeed of the parts geared to it.
    """
    if gear == 0 or not suits_motion(p, gear, driveshaft_speed, wheel_speed):
        return False
    return gear < 0 or driveshaft_speed <= OVERSPEED * max_output_speed(p, gear)


@inline
def engage_dogs(s, driveshaft_speed):
    """Engage the dogs after a step in which the synchronizer sticks."""
    if s[0]["phase"] == SYNC and abs(s[0]["turbine_speed"] - driveshaft_speed / s[0]["ratio"]) < STICK_SLIP:
        s[0]["phase"], s[0]["clock"], s[0]["grinding"], s[0]["coupling_torque"] = DRIVE, 0.0, 0, 0.0
