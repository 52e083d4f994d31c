"""Friction clutch between engine and input shaft, by a pedal or by a driver of its own, who also lets the engine start.

In gear it is the coupling of the step: dry friction that holds up to its capacity, solved with the brakes at the end of the step, so it neither
chatters nor creeps. The input shaft is then geared to the wheels.
"""

from __future__ import annotations

from simulator.base.algebra.piecewise_linear import cell
from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Group, Number
from simulator.base.jit import inline
from simulator.base.records import Record, record
from simulator.base.section import Section, checked
from vehicles.drivetrain.measured_curves import LARGEST_INERTIA, LARGEST_SPEED, LARGEST_TORQUE, LEAST_INERTIA, LONGEST_TIME, RPM

PEDAL_POINTS = 8

CLOSES_AT = 1.15
"""1. Multiple of the speed from which the automatic driver lets it grip at which he closes it for good."""

OPENS_IN = 0.25
"""1. Time in which he opens it, over that in which he closes it."""

CLUTCH = (
    # name               shape   unit      what it is
    ("has_clutch", (), "1", "1: a friction clutch is in the place of the converter", "i8"),
    ("friction_capacity", (), "N m", "largest torque, pedal released"),
    ("pedal_points", (), "1", "points of its curve", "i8"),
    ("pedal_travel", (PEDAL_POINTS,), "1", "positions of the pedal, from 0 (released) to 1"),
    ("pedal_share", (PEDAL_POINTS,), "1", "share of the capacity at them"),
    ("input_drag", (), "N m s/rad", "drag of the input shaft in its oil, gear out"),
    ("grip_speed", (2,), "rad/s", "engine speeds from which the automatic driver lets it grip, and at which it grips fully"),
    ("grip_time", (), "s", "time in which he closes it"),
)

_READ = (*CLUTCH, ("turbine_inertia", (), "kg m2", "disc and input shaft, which take the place of the turbine"))

_SPEED = Number("rad/s", 1.0, LARGEST_SPEED * RPM)
_SHARE = Number("1", 0.0, 1.0, shape=((2, PEDAL_POINTS),))
_DRIVER = (
    Field("from", _SPEED, "speed of the engine from which he lets it grip; above idling, or the car creeps", written="rpm"),
    Field("full", _SPEED, "speed at which it grips fully on a start", written="rpm"),
    Field("time", Number("s", 0.01, LONGEST_TIME), "time in which he closes it"),
)
CLUTCH_FILE = (
    Field("capacity", Number("N m", 1.0, LARGEST_TORQUE), "largest torque, pedal released"),
    Field("pedal", Number("1", 0.0, 1.0, shape=((2, PEDAL_POINTS),), rising=True), "positions of the pedal, from 0 (released) to 1"),
    Field("share", _SHARE, "share of the capacity at each; it does not rise and ends at 0"),
    Field("inertia", Number("kg m2", LEAST_INERTIA, LARGEST_INERTIA, above=0.0), "disc and input shaft"),
    Field("drag", Number("N m s/rad", 0.0, 100.0), "drag of the input shaft in its oil over its speed"),
    Field("driver", Group(_DRIVER), "who works the clutch where nobody's foot does"),
)
"""Of the section `clutch` of a drivetrain file, which takes the place of `torque_converter`."""

CLUTCH_STATE = (
    # name               shape  unit      what it is
    ("grip", (), "1", "share of the friction clutch's capacity"),
)


@inline
def pedal_grip(p, pedal):
    """Share of the capacity with the pedal at [0, 1]."""
    i, f, _ = cell(p[0]["pedal_travel"], p[0]["pedal_points"], pedal)
    return p[0]["pedal_share"][i] + f * (p[0]["pedal_share"][i + 1] - p[0]["pedal_share"][i])


@inline
def move_grip(p, s, in_gear, closed, h):
    """The automatic driver's foot over h seconds: in gear he lets the clutch grip the more the faster the engine turns, and closes it once the
    input shaft turns fast enough; out of gear it is closed or open."""
    wanted = 1.0 if closed else 0.0
    if in_gear:
        low, full = p[0]["grip_speed"][0], p[0]["grip_speed"][1]
        bite = min(1.0, max(0.0, (s[0]["engine_speed"] - low) / (full - low)))
        wanted = 1.0 if s[0]["turbine_speed"] > CLOSES_AT * low else bite * bite
    step = h / p[0]["grip_time"]
    s[0]["grip"] = min(wanted, s[0]["grip"] + step) if wanted > s[0]["grip"] else max(wanted, s[0]["grip"] - step / OPENS_IN)


@inline
def move_throttle(p, s, lifted, h):
    """His other foot: off the throttle for a shift, and back while the clutch closes."""
    step = h / p[0]["grip_time"]
    s[0]["relief"] = min(1.0, s[0]["relief"] + step / OPENS_IN) if lifted else max(0.0, s[0]["relief"] - step)


def clutch_from_section(s: Section) -> Record:
    """Record CLUTCH, with `turbine_inertia`, from the `clutch` section of a drivetrain file, see CLUTCH_FILE.

    Raises
    ------
    ConfigError : a key is unknown or missing, a number is out of range, the curve of the pedal does not run from 0 to 1 or its share rises or
        does not end at 0, the driver's speeds do not rise
    """
    s = checked(CLUTCH_FILE, s.mapping, s.file, s.key)
    out = record(_READ)
    pedal, share = s.raw("pedal"), s.raw("share")
    if pedal[0] != 0.0 or pedal[-1] != 1.0:
        raise s.wrong("pedal", "positions from 0 to 1")
    if len(share) != len(pedal) or (share[1:] > share[:-1]).any() or share[-1] != 0.0 or share[0] != 1.0:
        raise ConfigError(s.file, s.path("share"), share.tolist(), f"{len(pedal)} shares from 1 to 0 that do not rise")
    out[0]["has_clutch"], out[0]["pedal_points"] = 1, len(pedal)
    out[0]["pedal_travel"][: len(pedal)], out[0]["pedal_share"][: len(pedal)] = pedal, share
    out[0]["friction_capacity"], out[0]["turbine_inertia"] = s.number("capacity"), s.number("inertia")
    out[0]["input_drag"] = s.number("drag")
    driver = s.section("driver")
    out[0]["grip_speed"] = driver.number("from"), driver.number("full")
    out[0]["grip_time"] = driver.number("time")
    if out[0]["grip_speed"][1] <= out[0]["grip_speed"][0]:
        raise driver.wrong("full", "more than {}, from which it grips", float(out[0]["grip_speed"][0]))
    return out
