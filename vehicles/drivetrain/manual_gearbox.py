"""Hand gearbox: a lever, a synchronizer per gear, and the automatic driver who works clutch and lever where nobody does.

Four phases. In DRIVE a gear's dogs are in and the friction clutch is the coupling of the step. In PULL the automatic driver opens the clutch. In
NEUTRAL the lever is between the gears. In SYNC the lever pushes a gear: its synchronizer, friction of a certain torque, is the coupling, and the
dogs go in only once it holds. Against a clutch that drags more than it brakes it never does: the gear is refused, and beyond a time it grinds.
"""

from __future__ import annotations

from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from vehicles.drivetrain.friction_clutch import move_grip, move_throttle, pedal_grip
from vehicles.drivetrain.gear_choice import chosen_gear, safe_gear
from vehicles.drivetrain.measured_curves import LARGEST_TORQUE, LONGEST_TIME
from vehicles.drivetrain.power_shift import DRIVE, MET, NEUTRAL
from vehicles.drivetrain.shift_schedule import most_output_speed, too_slow

SYNC, PULL = 5, 6

KINDS = ("automatic", "manual", "sequential")
AUTOMATIC, MANUAL, SEQUENTIAL = 0, 1, 2

OPEN = 0.02
"""1. Share of the clutch's capacity below which it counts as open."""

PULLED = 25.0
"""N m. Torque of the input shaft under which the lever comes out of gear, whatever the clutch does; assumed."""

OVERSPEED = 1.05
"""1. Excess over the speed of a gear with which the synchronizer still takes it."""

HAND = (
    # name               shape  unit   what it is
    ("gearbox_kind", (), "1", "0 automatic, 1 manual (any gear from any), 2 sequential (the next one only)", "i8"),
    ("synchroniser_torque", (), "N m", "torque with which a synchronizer brings the input shaft to its gear"),
    ("synchroniser_time", (), "s", "time after which a gear that is pushed grinds"),
    ("gate_time", (), "s", "time of the lever between two gears"),
)

_TIME = Number("s", 0.0, LONGEST_TIME)
HAND_FILE = (
    Field("torque", Number("N m", 0.1, LARGEST_TORQUE), "torque at the input shaft with which it brings that to the speed of its gear"),
    Field("time", _TIME, "time after which a gear that is pushed and still not in grinds"),
    Field("gate_time", _TIME, "time of the lever between two gears"),
)
"""Of the section `synchronizer` of a hand gearbox."""

HAND_STATE = (
    # name               shape  unit  what it is
    ("lever", (), "1", "gear in which the lever of a hand gearbox is, or toward which it pushes", "i8"),
    ("grinding", (), "1", "1: that gear is refused and grinds", "i8"),
)


@inline
def advance_manual_gearbox(p, s, command, ratio, driveshaft_speed, wheel_speed, h):
    """Lever, clutch and phase for the next step of h seconds; ratio : of the gear in which the lever is, 1 in neutral."""
    s[0]["clock"] += h
    manual_clutch = command[0]["manual_clutch"] != 0
    if s[0]["phase"] == DRIVE and s[0]["lever"] != s[0]["gear"]:
        loose = s[0]["grip"] <= OPEN or abs(s[0]["coupling_torque"]) < PULLED
        if manual_clutch and loose:
            leave(s)
        elif not manual_clutch:
            s[0]["phase"] = PULL
    elif s[0]["phase"] == PULL:
        if s[0]["lever"] == s[0]["gear"] or manual_clutch:
            s[0]["phase"] = DRIVE
        elif s[0]["grip"] <= OPEN:
            leave(s)
    elif s[0]["phase"] == SYNC and s[0]["lever"] != s[0]["gear"]:
        leave(s)
    elif s[0]["phase"] == NEUTRAL and s[0]["clock"] > p[0]["gate_time"] and fits(p, s[0]["lever"], driveshaft_speed, wheel_speed):
        s[0]["gear"], s[0]["phase"], s[0]["clock"], s[0]["ratio"] = s[0]["lever"], SYNC, 0.0, ratio
    s[0]["grinding"] = 1 if s[0]["phase"] == SYNC and s[0]["clock"] > p[0]["synchroniser_time"] else 0
    work_clutch(p, s, command[0]["clutch"], manual_clutch, h)


@inline
def work_clutch(p, s, pedal, manual_clutch, h):
    """The foot on the clutch, the driver's or the automatic one's."""
    if manual_clutch:
        s[0]["grip"], s[0]["relief"] = pedal_grip(p, pedal), 0.0
    else:
        running = p[0]["stall_speed"] == 0.0 or s[0]["running"] != 0
        move_grip(p, s, running and s[0]["phase"] == DRIVE, running and s[0]["lever"] == 0 and s[0]["phase"] == NEUTRAL, h)
        move_throttle(p, s, s[0]["phase"] != DRIVE and s[0]["lever"] != 0, h)
    s[0]["clutch_capacity"] = s[0]["grip"] * p[0]["friction_capacity"]


@inline
def leave(s):
    """The lever is out of gear."""
    s[0]["gear"], s[0]["phase"], s[0]["clock"], s[0]["coupling_torque"] = 0, NEUTRAL, 0.0, 0.0


@inline
def move_lever(p, s, command, driveshaft_speed):
    """Put the lever where the command wants it; in drive without a gear the automatic driver chooses."""
    selector, asked = command[0]["selector"], min(command[0]["gear"], p[0]["gears"])
    settled = s[0]["phase"] == DRIVE and s[0]["clock"] > p[0]["shift_latency"]
    if selector <= 0:
        s[0]["lever"] = selector
    elif asked > 0 and command[0]["manual_clutch"] != 0:
        s[0]["lever"] = next_lever(p, s, asked)
    elif s[0]["lever"] <= 0 or s[0]["gear"] < 0:
        s[0]["lever"] = safe_gear(p, max(1, asked), driveshaft_speed)
    elif settled and s[0]["lever"] == s[0]["gear"]:
        if asked > 0:
            s[0]["lever"] = next_lever(p, s, safe_gear(p, asked, driveshaft_speed) if asked < s[0]["gear"] else asked)
        else:
            s[0]["lever"] = next_lever(p, s, skipped_down(p, s, command[0]["throttle"]))


@inline
def next_lever(p, s, asked):
    """A gear, or in a sequential gearbox the one next to that engaged on the way to it."""
    if p[0]["gearbox_kind"] == SEQUENTIAL and s[0]["gear"] > 0:
        return max(s[0]["gear"] - 1, min(s[0]["gear"] + 1, asked))
    return asked


@inline
def skipped_down(p, s, throttle):
    """The gear that the automatic driver chooses; on the way down he skips those that would be too slow, but none that fits the road."""
    turned, gear = s[0]["turbine_speed"] * s[0]["ratio"], chosen_gear(p, s, throttle)
    while 1 < gear < s[0]["gear"] and too_slow(p, gear, throttle, turned / p[0]["forward_ratios"][gear - 1]):
        gear -= 1
    return safe_gear(p, gear, s[0]["road_speed"]) if gear < s[0]["gear"] else gear


@inline
def fits(p, gear, driveshaft_speed, wheel_speed):
    """Whether the lever is at a gear that may be pushed in: not against the motion, nor when it would overspeed what is geared to it."""
    if gear == 0:
        return False
    if gear < 0:
        return wheel_speed <= p[0]["lockout_wheel_speed"]
    return wheel_speed >= -p[0]["lockout_wheel_speed"] and driveshaft_speed <= OVERSPEED * most_output_speed(p, gear)


@inline
def go_in(s, driveshaft_speed):
    """After a step: the dogs go in as soon as the synchronizer holds."""
    if s[0]["phase"] == SYNC and abs(s[0]["turbine_speed"] - driveshaft_speed / s[0]["ratio"]) < MET:
        s[0]["phase"], s[0]["clock"], s[0]["grinding"], s[0]["coupling_torque"] = DRIVE, 0.0, 0, 0.0
