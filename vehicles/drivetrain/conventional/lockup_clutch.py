"""Lock-up clutch of the converter.

The clutch closes in the upper gears above an output speed. It opens for shifts, under braking and below a lower output speed.
"""

from __future__ import annotations

from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import Record, record
from simulator.base.values import Values
from vehicles.drivetrain.measured_curves import MAX_SPEED, MAX_TIME, MAX_TORQUE, RPM

OPENS_IN = 0.2
"""1. Ratio of the opening time of the clutch to its closing time."""

LOCK_UP = (
    # name               shape   unit     what it is
    ("lock_capacity", (), "N m", "largest torque of the lock-up clutch; 0: no lock-up clutch"),
    ("lock_gear", (), "1", "lowest gear in which the lock-up clutch closes", "i8"),
    ("lock_speed", (2,), "rad/s", "output speeds below which the clutch opens and above which it closes"),
    ("lock_time", (), "s", "time in which the lock-up clutch closes"),
)

_SPEED = Number("rad/s", 0.0, MAX_SPEED * RPM)
LOCK_UP_FILE = (
    Field("capacity", Number("N m", 1.0, MAX_TORQUE), "largest torque between engine and turbine"),
    Field("from_gear", Number("1", 1.0, 10.0, whole=True), "lowest gear in which the clutch closes"),
    Field("closes", _SPEED, "output speed above which the clutch closes", written="rpm"),
    Field("opens", _SPEED, "output speed below which the clutch opens", written="rpm"),
    Field("time", Number("s", 0.01, MAX_TIME), "time in which the clutch closes"),
)
"""Fields of the section `lock_up` of a drivetrain file."""

LOCK_UP_STATE = (
    # name               shape  unit      what it is
    ("locked", (), "1", "engaged fraction of the lock-up clutch's capacity"),
)


@inline
def advance_lock_up(p, s, settled, braked, output_speed, h):
    """Close or open the clutch over h seconds. settled : no shift is in progress; braked : the brake is pressed."""
    if p[0]["lock_capacity"] > 0.0:
        from_speed = p[0]["lock_speed"][0 if s[0]["locked"] > 0.0 else 1]
        step = h / p[0]["lock_time"]
        if settled and not braked and s[0]["gear"] >= p[0]["lock_gear"] and output_speed > from_speed:
            s[0]["locked"] = min(1.0, s[0]["locked"] + step)
        else:
            s[0]["locked"] = max(0.0, s[0]["locked"] - step / OPENS_IN)


def lock_up_from_values(clutch: Values) -> Record:
    """Return the record LOCK_UP of the section `lock_up`. Raises ConfigError if the opening speed is not below the closing speed."""
    out = record(LOCK_UP)
    out[0]["lock_capacity"], out[0]["lock_gear"], out[0]["lock_time"] = clutch["capacity"], clutch["from_gear"], clutch["time"]
    out[0]["lock_speed"] = clutch["opens"], clutch["closes"]
    if clutch["opens"] >= clutch["closes"]:
        raise clutch.error("opens", "less than {}, the speed at which the clutch closes", clutch["closes"])
    return out
