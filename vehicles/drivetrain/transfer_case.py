"""Transfer case: a low range between gearbox and driveshaft, and a lock of the center differential.

The range changes only at a standstill; a request waits for it. The lock closes when the shafts of the axles turn at about the same speed.
Range and lock keep their states until the driver requests another one.
"""

from __future__ import annotations

from simulator.base.field_records import filled, rows
from simulator.base.fields import Field, Flag, Number
from simulator.base.jit import inline
from simulator.base.records import Record, Table
from simulator.base.values import Values
from vehicles.drivetrain.measured_curves import MAX_SPEED, RPM

HIGH, LOW = 0, 1

TRANSFER_CASE_STATE: Table = (
    # name               shape  unit  what it is
    ("range", (), "1", "0 high range, 1 low range", "i8"),
    ("range_ratio", (), "1", "driveshaft speed / gearbox speed"),
    ("center_locked", (), "1", "1 while the center differential is locked", "i8"),
)

_SPEED = Number("rad/s", 0.0, MAX_SPEED * RPM)
TRANSFER_CASE_FILE = (
    Field("low_ratio", Number("1", 0.05, 1.0), "output speed over input speed in low range; default: no low range", None),
    Field("range_wheel_speed", _SPEED, "mean wheel speed below which the range changes", 0.5),
    Field("center_lock", Flag(), "lock of the center differential by the driver", False),
    Field("low_locks", Flag(), "lock of the center differential in low range", False),
    Field("lock_speed", _SPEED, "speed difference of the axle shafts below which the lock closes", 5.0),
)
"""Fields of the section `transfer_case` of a drivetrain file."""

TRANSFER_CASE: Table = (
    *rows(TRANSFER_CASE_FILE, "low_ratio", "range_wheel_speed"),
    ("center_lockable", (), "1", "1: the driver can lock the center differential", "i8"),
    ("low_locks", (), "1", "1: low range locks the center differential", "i8"),
    ("center_lock_speed", (), "rad/s", "speed difference of the axle shafts below which the lock closes"),
)


@inline
def reset_transfer_case(s):
    """Reset to high range with an unlocked center differential."""
    s[0]["range"], s[0]["range_ratio"], s[0]["center_locked"] = HIGH, 1.0, 0


@inline
def advance_transfer_case(p, s, command, wheel_speed, difference):
    """Apply the commanded range and center lock when the wheel speeds allow it.

    wheel_speed : mean of the wheels [rad/s]; difference : speed difference of the axle shafts [rad/s]
    """
    target = LOW if command[0]["low_range"] > 0 else HIGH
    if target != s[0]["range"] and p[0]["low_ratio"] > 0.0 and abs(wheel_speed) <= p[0]["range_wheel_speed"]:
        s[0]["range"] = target
        s[0]["range_ratio"] = p[0]["low_ratio"] if target == LOW else 1.0
    requested = p[0]["center_lockable"] > 0 and command[0]["center_lock"] > 0
    if not (requested or (s[0]["range"] == LOW and p[0]["low_locks"] > 0)):
        s[0]["center_locked"] = 0
    elif abs(difference) <= p[0]["center_lock_speed"]:
        s[0]["center_locked"] = 1


def transfer_case_from_values(case: Values) -> Record:
    """Return the record TRANSFER_CASE of the section `transfer_case`."""
    out = filled(TRANSFER_CASE, case)
    out[0]["center_lockable"], out[0]["center_lock_speed"] = case["center_lock"], case["lock_speed"]
    return out
