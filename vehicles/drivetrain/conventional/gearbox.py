"""Gearbox: gear selection, and the coupling of the turbine to the driveshaft while the gear changes.

An automatic gearbox has three phases. In DRIVE the turbine is geared to the driveshaft. A shift moves the ratio smoothly to the new one,
or uses clutches (power_shift.py). In NEUTRAL the friction element of the previous gear releases. In ENGAGE, from neutral, that element
slips in a controlled way until the speeds agree. A manual gearbox has phases of its own (manual_gearbox.py).
"""

from __future__ import annotations

import numpy as np

from simulator.base.errors import ErrorCollector
from simulator.base.field_records import filled, rows
from simulator.base.fields import Choice, Field, Group, Number
from simulator.base.jit import inline
from simulator.base.records import Record, copy_record
from simulator.base.values import Values
from vehicles.drivetrain.conventional.friction_clutch import CLUTCH_STATE
from vehicles.drivetrain.conventional.gear_choice import GEAR_CHOICE_STATE, chosen_gear, safe_gear
from vehicles.drivetrain.conventional.manual_gearbox import (
    AUTOMATIC,
    KINDS,
    MANUAL_GEARBOX,
    MANUAL_GEARBOX_STATE,
    PULL,
    SYNC,
    SYNCHRONIZER_FILE,
    advance_manual_gearbox,
    engage_dogs,
    move_lever,
)
from vehicles.drivetrain.conventional.power_shift import (
    DRIVE,
    ENGAGE,
    INERTIA_PHASE,
    NEUTRAL,
    POWER_SHIFT,
    POWER_SHIFT_FILE,
    POWER_SHIFT_STATE,
    SHIFT_TIMES,
    TORQUE_PHASE,
    advance_relief,
    advance_shift_clutches,
    begin_shift,
    fade_slip_torque,
    finish_power_shift,
)
from vehicles.drivetrain.conventional.shift_schedule import (
    MAX_GEARS,
    SCHEDULE,
    SCHEDULE_FILE,
    max_output_speed,
    schedule_from_values,
    schedule_of_speeds,
    suits_motion,
)
from vehicles.drivetrain.measured_curves import MAX_SPEED, MAX_TIME, RPM, smooth_step

MIN_RATIO, MAX_RATIO = 0.01, 20.0
"""Limits of the magnitude of driveshaft speed / turbine speed of a gear."""

_TIME = Number("s", 0.0, MAX_TIME)
_FROM, _TO = -MAX_RATIO, -MIN_RATIO
GEARBOX_FILE = (
    Field("type", Choice(KINDS), "gearbox type; manual and sequential gearboxes have a clutch instead of a converter", KINDS[AUTOMATIC]),
    Field(
        "forward_ratios",
        Number("1", MIN_RATIO, MAX_RATIO, shape=((2, MAX_GEARS),), rising=True),
        "output speed over input speed of the forward gears, first gear first",
    ),
    Field("reverse_ratio", Number("1", _FROM, _TO), "output speed over input speed in reverse, negative"),
    Field(
        "upshift",
        Number("rad/s", 100.0 * RPM, MAX_SPEED * RPM, shape=(2,)),
        "turbine speeds above which the next gear is selected: throttle closed, open",
        None,
        written="rpm",
    ),
    Field(
        "downshift",
        Number("rad/s", 0.0, MAX_SPEED * RPM, shape=(2,)),
        "turbine speeds below which the next lower gear is selected: throttle closed, open",
        None,
        written="rpm",
    ),
    Field(
        "schedule",
        Group(SCHEDULE_FILE),
        "shift curves over the throttle for every pair of gears, as an alternative to upshift and downshift",
        None,
    ),
    Field("shift_latency", _TIME, "shortest time between two shifts"),
    Field("shift_time", _TIME, "time in which the ratio of an automatic gearbox changes smoothly to the new one; 0: instantaneous", None),
    Field("clutches", Group(POWER_SHIFT_FILE), "shift clutches, as an alternative to shift_time", None),
    Field(
        "engage_time",
        _TIME,
        "time in which the turbine of an automatic gearbox reaches the speed of the gear from neutral; 0: instantaneous",
        None,
    ),
    Field(
        "release_time", _TIME, "time in which the torque of an automatic gearbox fades after neutral is selected; 0: instantaneous", None
    ),
    Field("synchronizer", Group(SYNCHRONIZER_FILE), "synchronizer of a manual or sequential gearbox", None),
    Field(
        "lockout_wheel_speed",
        Number("rad/s", 0.0, MAX_SPEED * RPM),
        "mean wheel speed up to which reverse can be engaged while the vehicle rolls forward",
    ),
)
"""Fields of the section `gearbox` of a drivetrain file."""

GEARBOX = (
    ("gears", (), "1", "number of forward gears", "i8"),
    *rows(GEARBOX_FILE, "forward_ratios", "reverse_ratio"),
    *SCHEDULE,
    *rows(GEARBOX_FILE, "shift_latency", "shift_time", "engage_time", "release_time", "lockout_wheel_speed"),
    *POWER_SHIFT,
    *MANUAL_GEARBOX,
)

GEARBOX_STATE = (
    # name               shape  unit      what it is
    ("gear", (), "1", "gear engaged or being engaged, -1 reverse, 0 neutral", "i8"),
    ("phase", (), "1", "0 neutral, 1 engaging from neutral, 2 in gear, 3 and 4 power shift, 5 and 6 manual shift", "i8"),
    ("clock", (), "s", "time since the last change of gear"),
    ("ratio", (), "1", "present ratio, driveshaft speed / turbine speed"),
    ("ratio_from", (), "1", "ratio at the last change of gear"),
    ("slip", (), "rad/s", "target of the turbine speed minus the speed of the gear, at the end of this step"),
    ("slip_from", (), "rad/s", "slip at the start of the engagement"),
    ("turbine_speed", (), "rad/s", "speed of the turbine"),
    ("coupling_torque", (), "N m", "torque of the turbine shaft into the gears"),
    ("release_torque", (), "N m", "magnitude of coupling_torque when neutral was selected"),
    *GEAR_CHOICE_STATE,
    *POWER_SHIFT_STATE,
    *CLUTCH_STATE,
    *MANUAL_GEARBOX_STATE,
)


@inline
def gear_ratio(p, gear):
    """Return driveshaft speed / turbine speed of a gear, -1 = reverse, 1 = first."""
    return p[0]["reverse_ratio"] if gear < 0 else p[0]["forward_ratios"][gear - 1]


@inline
def advance_gearbox(p, s, command, turbine_torque, driveshaft_speed, wheel_speed, h):
    """Choose the gear for the next step of h seconds and set the coupling of turbine and driveshaft at its end.

    turbine_torque : torque on the turbine [N m]
    """
    if p[0]["gearbox_kind"] == AUTOMATIC:
        advance_automatic(p, s, command, turbine_torque, driveshaft_speed, wheel_speed, h)
    else:
        move_lever(p, s, command, driveshaft_speed)
        lever = s[0]["lever"]
        advance_manual_gearbox(p, s, command, gear_ratio(p, lever) if lever != 0 else 1.0, driveshaft_speed, wheel_speed, h)


@inline
def advance_automatic(p, s, command, turbine_torque, driveshaft_speed, wheel_speed, h):
    """Choose the gear for the next step of h seconds and set `ratio` and `slip` at its end.

    Shifts in drive move one gear at a time except for kick-down, and never within `shift_latency` of the last change. The target is the
    gear of the command or, without one, the gear chosen by speed and throttle. power_shift.py describes shifts by clutches. Without
    clutches 1 / ratio, and thus the turbine speed, follows a smooth step, so neither speed nor torque jumps. With shift_time 0 the ratio
    jumps, and the velocity constraint of the step distributes the impulse between turbine and wheels.

    Lock-out: the selector always releases a gear of the opposite direction at once. Reverse is engaged only after the vehicle has slowed down
    (mean wheel speed below `lockout_wheel_speed`); the gearbox stays in neutral until then. First gear catches a vehicle that rolls backward.

    differs: real power shifts dissipate some energy in their clutches; the smooth change of the ratio does not.
    """
    s[0]["clock"] += h
    selector = command[0]["selector"]
    if s[0]["gear"] * selector <= 0 and s[0]["gear"] != 0:
        release(s)
    elif s[0]["gear"] == 0 and selector != 0 and s[0]["clock"] > p[0]["release_time"]:
        if suits_motion(p, selector, driveshaft_speed, wheel_speed):
            engage(p, s, selector, command[0]["gear"], driveshaft_speed)
    elif s[0]["phase"] == DRIVE and s[0]["gear"] > 0 and s[0]["clock"] > p[0]["shift_latency"]:
        gear = gear_toward(p, s, command[0]["gear"]) if command[0]["gear"] > 0 else chosen_gear(p, s, command[0]["throttle"])
        if gear != s[0]["gear"]:
            begin_gear_change(p, s, gear)

    if s[0]["phase"] == ENGAGE:
        s[0]["slip"] = s[0]["slip_from"] * (1.0 - smooth_step(s[0]["clock"], p[0]["engage_time"]))
        if s[0]["clock"] >= p[0]["engage_time"]:
            s[0]["phase"] = DRIVE
    elif s[0]["phase"] == DRIVE and p[0]["shift_capacity"] == 0.0:
        glide = smooth_step(s[0]["clock"], p[0]["shift_time"])
        old, new = 1.0 / s[0]["ratio_from"], 1.0 / gear_ratio(p, s[0]["gear"])
        s[0]["ratio"] = 1.0 / (old + (new - old) * glide)
        s[0]["slip"] = 0.0
    elif s[0]["phase"] == TORQUE_PHASE or s[0]["phase"] == INERTIA_PHASE:
        advance_shift_clutches(p, s, gear_ratio(p, s[0]["gear"]), turbine_torque, driveshaft_speed, h)
    else:
        fade_slip_torque(s, driveshaft_speed, h)
    advance_relief(p, s, h)


@inline
def release(s):
    """Start to release the gear: from now on the coupling carries at most its present torque, which fades."""
    s[0]["gear"], s[0]["phase"], s[0]["clock"] = 0, NEUTRAL, 0.0
    s[0]["release_torque"] = abs(s[0]["coupling_torque"])
    s[0]["slip"] = s[0]["slip_torque"] = 0.0


@inline
def engage(p, s, direction, requested, driveshaft_speed):
    """Start to engage reverse, or the lowest forward gear, starting at the requested one, that does not overspeed the turbine."""
    gear = direction
    if direction > 0:
        gear = safe_gear(p, max(1, min(requested, p[0]["gears"])), driveshaft_speed)
    s[0]["gear"], s[0]["phase"], s[0]["clock"] = gear, ENGAGE, 0.0
    s[0]["ratio"] = s[0]["ratio_from"] = gear_ratio(p, gear)
    s[0]["slip_from"] = s[0]["turbine_speed"] - driveshaft_speed / s[0]["ratio"]


@inline
def gear_toward(p, s, requested):
    """Return the next gear toward the requested one; no lower gear whose turbine speed would exceed the upshift speed at open throttle."""
    gear, turned = s[0]["gear"], s[0]["turbine_speed"] * s[0]["ratio"]
    s[0]["downshift_throttle"] = -1.0
    if gear < min(requested, p[0]["gears"]):
        return gear + 1
    if gear > requested and turned <= max_output_speed(p, gear - 1):
        return gear - 1
    return gear


@inline
def begin_gear_change(p, s, gear):
    """Start to change to another gear, by clutches or by a smooth change of the ratio."""
    if p[0]["shift_capacity"] > 0.0:
        begin_shift(p, s, gear, gear_ratio(p, gear))
    else:
        s[0]["gear"], s[0]["clock"], s[0]["ratio_from"] = gear, 0.0, s[0]["ratio"]


@inline
def coupling_bounds(p, s):
    """Return the (lowest, highest) torque [N m] from the turbine shaft to the gears in the present phase.

    In gear the coupling is rigid. While engaging, it is friction that only brakes the slip. While releasing, its capacity fades.
    In an upshift the previous gear cannot transmit torque backward. The clutch of the new gear has its capacity, or catches a turbine that
    speeds up. The friction clutch and the synchronizer of a manual gearbox have their own capacities.
    """
    if p[0]["gearbox_kind"] != AUTOMATIC:
        capacity = s[0]["clutch_capacity"]
        if s[0]["phase"] == SYNC or s[0]["phase"] == NEUTRAL:
            capacity = p[0]["synchronizer_torque"] if s[0]["phase"] == SYNC else 0.0
        return -capacity, capacity
    if s[0]["phase"] == DRIVE:
        return -np.inf, np.inf
    if s[0]["phase"] == TORQUE_PHASE:
        return 0.0, np.inf
    if s[0]["phase"] == INERTIA_PHASE:
        return -s[0]["clutch_capacity"], s[0]["clutch_capacity"] if s[0]["slip_from"] > 0.0 else p[0]["shift_capacity"]
    if s[0]["phase"] == ENGAGE:
        return (0.0, np.inf) if s[0]["slip_from"] > 0.0 else (-np.inf, 0.0)
    capacity = s[0]["release_torque"] * (1.0 - smooth_step(s[0]["clock"], p[0]["release_time"]))
    return -capacity, capacity


@inline
def is_clutch_coupling(p, s):
    """Return True when a manual gearbox is in gear: the friction clutch is the coupling, and the input shaft is geared to the wheels."""
    return p[0]["gearbox_kind"] != AUTOMATIC and (s[0]["phase"] == DRIVE or s[0]["phase"] == PULL)


@inline
def finish_gearbox_step(p, s, driveshaft_speed):
    """Update the gearbox phase after a step.

    If friction alone could not follow the target slip, restart the engagement from the present slip. A gear whose clutch or synchronizer
    sticks becomes engaged.
    """
    if s[0]["phase"] == ENGAGE and s[0]["coupling_torque"] == 0.0:
        s[0]["slip_from"] = s[0]["turbine_speed"] - driveshaft_speed / s[0]["ratio"]
        s[0]["clock"] = 0.0
    finish_power_shift(p, s, driveshaft_speed)
    engage_dogs(s, driveshaft_speed)


def gearbox_from_values(gearbox: Values) -> Record:
    """Return the record GEARBOX of the section `gearbox` (GEARBOX_FILE).

    Raises ConfigError if a key is missing for the type of the gearbox or belongs to another type; see also `schedule_of_speeds`,
    `schedule_from_values`.
    """
    _check_keys(gearbox)
    out = filled(GEARBOX, gearbox)
    gears = len(gearbox["forward_ratios"])
    out[0]["gears"], out[0]["gearbox_kind"] = gears, KINDS.index(gearbox["type"])
    with ErrorCollector() as faults:
        with faults.part():
            _set_shifts(gearbox, out)
        with faults.part():
            by_curves = "schedule" in gearbox
            schedule = schedule_from_values(gearbox["schedule"], gears) if by_curves else schedule_of_speeds(gearbox)
            copy_record(schedule, out)
    return out


def _check_keys(gearbox: Values) -> None:
    """Raise ConfigError for keys that exclude each other, belong to another type, or are missing for this type."""
    automatic = gearbox["type"] == KINDS[AUTOMATIC]
    with ErrorCollector() as faults:
        for name in ("upshift", "downshift"):
            _one_of(gearbox, "schedule", name, faults)
        if automatic:
            _one_of(gearbox, "clutches", "shift_time", faults)
        for name in ("engage_time", "release_time") if automatic else ("synchronizer",):
            with faults.part():
                gearbox.needed(name, f"a value for a gearbox of type {gearbox['type']}")
        for name in ("synchronizer",) if automatic else ("shift_time", "clutches", "engage_time", "release_time"):
            if name in gearbox:
                faults.add(gearbox.error(name, f"no key of this name for a gearbox of type {gearbox['type']}"))


def _one_of(gearbox: Values, new: str, old: str, faults: ErrorCollector) -> None:
    """Report a section that has both of two alternative keys, or neither."""
    if new in gearbox and old in gearbox:
        faults.add(gearbox.error(old, f"no key of this name together with {new}"))
    elif new not in gearbox and old not in gearbox:
        faults.add(gearbox.error(old, f"either {old} or {new}"))


def _set_shifts(gearbox: Values, out: Record) -> None:
    """Write the times and torques of a gear change. Raises ConfigError if a shift takes longer than shift_latency."""
    lasts, expected = gearbox.get("shift_time", 0.0), "at least the shift_time"
    if "clutches" in gearbox:
        clutches = gearbox["clutches"]
        out[0]["shift_capacity"] = clutches["capacity"]
        for row in SHIFT_TIMES:
            out[0][row[0]] = clutches[row[0]]
        lasts, expected = clutches["torque_time"] + clutches["inertia_time"], "at least {}, the sum of torque_time and inertia_time"
    if "synchronizer" in gearbox:
        synchronizer = gearbox["synchronizer"]
        out[0]["synchronizer_torque"], out[0]["synchronizer_time"] = synchronizer["torque"], synchronizer["time"]
        out[0]["gate_time"] = synchronizer["gate_time"]
    if gearbox["shift_latency"] < lasts:
        raise gearbox.error("shift_latency", expected, lasts)
