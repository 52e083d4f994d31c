"""Friction clutch between engine and input shaft, worked by a pedal or by an automatic clutch controller that can also start the vehicle.

In gear the clutch is the coupling of the step: dry friction that sticks up to its capacity, solved with the brakes at the end of the
step, so it neither chatters nor creeps. The input shaft is then geared to the wheels.
"""

from __future__ import annotations

from simulator.base.algebra.piecewise_linear import cell
from simulator.base.fields import Field, Group, Number
from simulator.base.jit import inline
from simulator.base.records import Record, record
from simulator.base.values import Values
from vehicles.drivetrain.measured_curves import MAX_INERTIA, MAX_SPEED, MAX_TIME, MAX_TORQUE, MIN_INERTIA, RPM

PEDAL_POINTS = 8

CLOSES_AT = 1.15
"""1. Input-shaft speed at which the automatic controller closes the clutch completely, as a multiple of the engagement speed."""

OPENS_IN = 0.25
"""1. Ratio of the opening time of the automatic controller to its closing time."""

CLUTCH = (
    # name               shape   unit      what it is
    ("has_clutch", (), "1", "1: a friction clutch replaces the converter", "i8"),
    ("friction_capacity", (), "N m", "largest torque, pedal released"),
    ("pedal_points", (), "1", "number of points of the pedal curve", "i8"),
    ("pedal_travel", (PEDAL_POINTS,), "1", "positions of the pedal, from 0 (released) to 1"),
    ("pedal_share", (PEDAL_POINTS,), "1", "fraction of the capacity at each pedal position"),
    ("input_drag", (), "N m s/rad", "drag of the input shaft in its oil, out of gear"),
    (
        "grip_speed",
        (2,),
        "rad/s",
        "engine speeds at which the automatic controller starts to engage the clutch, and at which it engages fully",
    ),
    ("grip_time", (), "s", "time in which the clutch takes up the torque of the engine after a shift, or closes without slip"),
)

_READ = (*CLUTCH, ("turbine_inertia", (), "kg m2", "inertia of disc and input shaft, which replace the turbine"))

_SPEED = Number("rad/s", 1.0, MAX_SPEED * RPM)
_SHARE = Number("1", 0.0, 1.0, shape=((2, PEDAL_POINTS),))
_DRIVER = (
    Field(
        "from",
        _SPEED,
        "engine speed at which the controller starts to engage the clutch; above the idle speed, otherwise the vehicle creeps",
        written="rpm",
    ),
    Field("full", _SPEED, "engine speed at which the clutch is fully engaged during a start", written="rpm"),
    Field(
        "time",
        Number("s", 0.01, MAX_TIME),
        "time in which the clutch takes up the torque of the engine after a shift, or closes without slip",
    ),
)
CLUTCH_FILE = (
    Field("capacity", Number("N m", 1.0, MAX_TORQUE), "largest torque, pedal released"),
    Field("pedal", Number("1", 0.0, 1.0, shape=((2, PEDAL_POINTS),), rising=True), "positions of the pedal, from 0 (released) to 1"),
    Field("share", _SHARE, "fraction of the capacity at each pedal position; it does not rise and ends at 0"),
    Field("inertia", Number("kg m2", MIN_INERTIA, MAX_INERTIA, above=0.0), "inertia of disc and input shaft"),
    Field("drag", Number("N m s/rad", 0.0, 100.0), "drag of the input shaft in its oil per speed"),
    Field("driver", Group(_DRIVER), "automatic clutch controller, active unless the driver uses the pedal"),
)
"""Fields of the section `clutch` of a drivetrain file, which replaces `torque_converter`."""

CLUTCH_STATE = (
    # name               shape  unit      what it is
    ("grip", (), "1", "engaged fraction of the friction clutch's capacity"),
)


@inline
def pedal_grip(p, pedal):
    """Return the fraction of the capacity at a pedal position in [0, 1]."""
    i, f, _ = cell(p[0]["pedal_travel"], p[0]["pedal_points"], pedal)
    return p[0]["pedal_share"][i] + f * (p[0]["pedal_share"][i + 1] - p[0]["pedal_share"][i])


@inline
def advance_grip(p, s, in_gear, closed, h):
    """Advance the automatic clutch controller by h seconds.

    In gear the engagement rises with the engine speed, and the clutch closes once the input shaft turns fast enough. Out of gear the
    clutch is closed or open.
    """
    target = 1.0 if closed else 0.0
    if in_gear:
        low, full = p[0]["grip_speed"][0], p[0]["grip_speed"][1]
        bite = min(1.0, max(0.0, (s[0]["engine_speed"] - low) / (full - low)))
        target = 1.0 if s[0]["turbine_speed"] > CLOSES_AT * low else bite * bite
    step = h / p[0]["grip_time"]
    s[0]["grip"] = min(target, s[0]["grip"] + step) if target > s[0]["grip"] else max(target, s[0]["grip"] - step / OPENS_IN)


def clutch_from_values(clutch: Values) -> Record:
    """Return the record CLUTCH, with `turbine_inertia`, of the section `clutch` (CLUTCH_FILE).

    Raises
    ------
    ConfigError : the pedal curve does not run from 0 to 1, or its share rises or does not end at 0; the engine speeds of the controller do
        not rise
    """
    out = record(_READ)
    pedal, share, driver = clutch["pedal"], clutch["share"], clutch["driver"]
    if pedal[0] != 0.0 or pedal[-1] != 1.0:
        raise clutch.error("pedal", "positions from 0 to 1")
    if len(share) != len(pedal) or (share[1:] > share[:-1]).any() or share[-1] != 0.0 or share[0] != 1.0:
        raise clutch.error("share", f"{len(pedal)} fractions from 1 to 0 that do not rise")
    out[0]["has_clutch"], out[0]["pedal_points"] = 1, len(pedal)
    out[0]["pedal_travel"][: len(pedal)], out[0]["pedal_share"][: len(pedal)] = pedal, share
    out[0]["friction_capacity"], out[0]["turbine_inertia"], out[0]["input_drag"] = clutch["capacity"], clutch["inertia"], clutch["drag"]
    out[0]["grip_speed"], out[0]["grip_time"] = (driver["from"], driver["full"]), driver["time"]
    if driver["full"] <= driver["from"]:
        raise driver.error("full", "more than {}, the speed at which engagement starts", driver["from"])
    return out
