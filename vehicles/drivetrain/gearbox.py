"""Gearbox: which gear, and how the turbine is coupled to the driveshaft while the gear changes.

Three phases of an automatic one. In DRIVE the turbine is geared to the driveshaft; a shift lets the ratio glide to the new one, or goes by
clutches (power_shift.py). In NEUTRAL the friction element that held it lets go. In ENGAGE, from neutral, that element slips in a controlled way
until the speeds agree. A hand gearbox has phases of its own (manual_gearbox.py).
"""

from __future__ import annotations

import numpy as np

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Choice, Field, Group, Number
from simulator.base.jit import inline
from simulator.base.records import Record, record
from simulator.base.section import Section, checked
from vehicles.drivetrain.friction_clutch import CLUTCH_STATE
from vehicles.drivetrain.gear_choice import GEAR_CHOICE_STATE, chosen_gear, safe_gear
from vehicles.drivetrain.manual_gearbox import (
    AUTOMATIC,
    HAND,
    HAND_FILE,
    HAND_STATE,
    KINDS,
    PULL,
    SYNC,
    advance_manual_gearbox,
    go_in,
    move_lever,
)
from vehicles.drivetrain.measured_curves import LARGEST_SPEED, LONGEST_TIME, RPM, smooth_step
from vehicles.drivetrain.power_shift import (
    DRIVE,
    ENGAGE,
    HAND_OVER,
    MEET,
    NEUTRAL,
    POWER_SHIFT,
    POWER_SHIFT_FILE,
    POWER_SHIFT_STATE,
    begin_shift,
    fade_slip_torque,
    meet,
    work_clutches,
    work_relief,
)
from vehicles.drivetrain.shift_schedule import MOST_GEARS, SCHEDULE, SCHEDULE_FILE, most_output_speed, read_schedule, read_speeds

LEAST_RATIO, LARGEST_RATIO = 0.01, 20.0
"""Driveshaft speed / turbine speed of a gear, without its sign."""

GEARBOX = (
    # name               shape   unit      what it is
    ("gears", (), "1", "number of forward gears", "i8"),
    ("forward_ratios", (MOST_GEARS,), "1", "driveshaft speed / turbine speed, first gear first"),
    ("reverse_ratio", (), "1", "driveshaft speed / turbine speed in reverse, negative"),
    *SCHEDULE,
    ("shift_latency", (), "s", "shortest time between two shifts"),
    ("shift_time", (), "s", "time in which the ratio glides to the new one, 0 = at once"),
    ("engage_time", (), "s", "time in which the turbine is brought to the speed of the gear from neutral, 0 = at once"),
    ("release_time", (), "s", "time in which the torque fades when neutral is selected, 0 = at once"),
    ("lockout_wheel_speed", (), "rad/s", "mean wheel speed up to which a gear against the motion may be engaged"),
    *POWER_SHIFT,
    *HAND,
)

_TIME = Number("s", 0.0, LONGEST_TIME)
_FROM, _TO = -LARGEST_RATIO, -LEAST_RATIO
GEARBOX_FILE = (
    Field("type", Choice(KINDS), "manual and sequential ones have a clutch instead of a converter", None),
    Field(
        "forward_ratios",
        Number("1", LEAST_RATIO, LARGEST_RATIO, shape=((2, MOST_GEARS),), rising=True),
        "output speed over input speed, first gear first",
    ),
    Field("reverse_ratio", Number("1", _FROM, _TO), "the same in reverse, negative"),
    Field(
        "upshift",
        Number("rad/s", 100.0 * RPM, LARGEST_SPEED * RPM, shape=(2,)),
        "turbine speed above which the next gear is taken: throttle closed, open",
        None,
        written="rpm",
    ),
    Field(
        "downshift",
        Number("rad/s", 0.0, LARGEST_SPEED * RPM, shape=(2,)),
        "turbine speed below which the gear below is taken: throttle closed, open",
        None,
        written="rpm",
    ),
    Field("schedule", Group(SCHEDULE_FILE), "instead of them: curves over the throttle for every pair of gears", None),
    Field("shift_latency", _TIME, "shortest time between two shifts"),
    Field("shift_time", _TIME, "of an automatic one: time in which the ratio glides to the new one", None),
    Field("clutches", Group(POWER_SHIFT_FILE), "instead of it: shifts by clutches", None),
    Field("engage_time", _TIME, "of an automatic one: time in which the turbine is brought to the speed of the gear from neutral", None),
    Field("release_time", _TIME, "of an automatic one: time in which the torque fades when neutral is selected", None),
    Field("synchronizer", Group(HAND_FILE), "of a manual or sequential one", None),
    Field(
        "lockout_wheel_speed",
        Number("rad/s", 0.0, LARGEST_SPEED * RPM),
        "mean wheel speed up to which a gear against the motion may be engaged",
    ),
)
"""Of the section `gearbox` of a drivetrain file."""

GEARBOX_STATE = (
    # name               shape  unit      what it is
    ("gear", (), "1", "gear engaged or being engaged, -1 reverse, 0 neutral", "i8"),
    ("phase", (), "1", "0 neutral, 1 engaging from neutral, 2 in gear, 3 and 4 shifting by clutches, 5 and 6 by hand", "i8"),
    ("clock", (), "s", "time since the last change of gear"),
    ("ratio", (), "1", "present ratio, driveshaft speed / turbine speed"),
    ("ratio_from", (), "1", "ratio at the last change of gear"),
    ("slip", (), "rad/s", "turbine speed wanted above that of the gear, at the end of this step"),
    ("slip_from", (), "rad/s", "that slip when the engagement began"),
    ("turbine_speed", (), "rad/s", "speed of the turbine"),
    ("coupling_torque", (), "N m", "torque of the turbine shaft into the gears"),
    ("release_torque", (), "N m", "size of that torque when neutral was selected"),
    *GEAR_CHOICE_STATE,
    *POWER_SHIFT_STATE,
    *CLUTCH_STATE,
    *HAND_STATE,
)


@inline
def gear_ratio(p, gear):
    """Driveshaft speed / turbine speed of a gear, -1 = reverse, 1 = first."""
    return p[0]["reverse_ratio"] if gear < 0 else p[0]["forward_ratios"][gear - 1]


@inline
def advance_gearbox(p, s, command, turbine_torque, driveshaft_speed, wheel_speed, h):
    """Choose the gear for the next step of h seconds and set what couples the turbine [N m of turbine_torque on it] to the driveshaft at its end."""
    if p[0]["gearbox_kind"] == AUTOMATIC:
        advance_automatic(p, s, command, turbine_torque, driveshaft_speed, wheel_speed, h)
    else:
        move_lever(p, s, command, driveshaft_speed)
        lever = s[0]["lever"]
        advance_manual_gearbox(p, s, command, gear_ratio(p, lever) if lever != 0 else 1.0, driveshaft_speed, wheel_speed, h)


@inline
def advance_automatic(p, s, command, turbine_torque, driveshaft_speed, wheel_speed, h):
    """Choose the gear for the next step of h seconds and set `ratio` and `slip` at its end.

    Shifts in drive: one gear at a time unless kicked down, never within `shift_latency` of the last change, toward the gear that the command
    asks for or, where it asks for none, by speed and throttle. By clutches see power_shift.py; else 1 / ratio, hence the turbine speed, follows
    a smooth step, so neither speed nor torque jumps; with shift_time 0 it jumps, and the step's velocity constraint shares the impulse between
    turbine and wheels.

    Lock-out: the selector always releases a gear of the other direction at once, but a gear against the motion (mean wheel speed
    beyond `lockout_wheel_speed`) waits in neutral until the vehicle has slowed down.

    differs: real power shifts dissipate a little in their clutches; the gliding ratio does not.
    """
    s[0]["clock"] += h
    selector = command[0]["selector"]
    if s[0]["gear"] * selector <= 0 and s[0]["gear"] != 0:
        release(s)
    elif s[0]["gear"] == 0 and selector != 0 and s[0]["clock"] > p[0]["release_time"]:
        if selector * wheel_speed >= -p[0]["lockout_wheel_speed"]:
            engage(p, s, selector, command[0]["gear"], driveshaft_speed)
    elif s[0]["phase"] == DRIVE and s[0]["gear"] > 0 and s[0]["clock"] > p[0]["shift_latency"]:
        gear = toward(p, s, command[0]["gear"]) if command[0]["gear"] > 0 else chosen_gear(p, s, command[0]["throttle"])
        if gear != s[0]["gear"]:
            take(p, s, gear)

    if s[0]["phase"] == ENGAGE:
        s[0]["slip"] = s[0]["slip_from"] * (1.0 - smooth_step(s[0]["clock"], p[0]["engage_time"]))
        if s[0]["clock"] >= p[0]["engage_time"]:
            s[0]["phase"] = DRIVE
    elif s[0]["phase"] == DRIVE and p[0]["shift_capacity"] == 0.0:
        glide = smooth_step(s[0]["clock"], p[0]["shift_time"])
        old, new = 1.0 / s[0]["ratio_from"], 1.0 / gear_ratio(p, s[0]["gear"])
        s[0]["ratio"] = 1.0 / (old + (new - old) * glide)
        s[0]["slip"] = 0.0
    elif s[0]["phase"] == HAND_OVER or s[0]["phase"] == MEET:
        work_clutches(p, s, gear_ratio(p, s[0]["gear"]), turbine_torque, driveshaft_speed, h)
    else:
        fade_slip_torque(s, driveshaft_speed, h)
    work_relief(p, s, h)


@inline
def release(s):
    """Begin to let go of the gear: from now on the coupling carries at most its present torque, fading."""
    s[0]["gear"], s[0]["phase"], s[0]["clock"] = 0, NEUTRAL, 0.0
    s[0]["release_torque"] = abs(s[0]["coupling_torque"])
    s[0]["slip"] = s[0]["slip_torque"] = 0.0


@inline
def engage(p, s, direction, asked, driveshaft_speed):
    """Begin to engage reverse, or the lowest forward gear, from the one asked for on, that does not overspeed the turbine."""
    gear = direction
    if direction > 0:
        gear = safe_gear(p, max(1, min(asked, p[0]["gears"])), driveshaft_speed)
    s[0]["gear"], s[0]["phase"], s[0]["clock"] = gear, ENGAGE, 0.0
    s[0]["ratio"] = s[0]["ratio_from"] = gear_ratio(p, gear)
    s[0]["slip_from"] = s[0]["turbine_speed"] - driveshaft_speed / s[0]["ratio"]


@inline
def toward(p, s, asked):
    """The next gear toward the one asked for; not one below in which the turbine would be faster than open throttle shifts up."""
    gear, turned = s[0]["gear"], s[0]["turbine_speed"] * s[0]["ratio"]
    s[0]["downshift_throttle"] = -1.0
    if gear < min(asked, p[0]["gears"]):
        return gear + 1
    if gear > asked and turned <= most_output_speed(p, gear - 1):
        return gear - 1
    return gear


@inline
def take(p, s, gear):
    """From now on shift or glide to another gear."""
    if p[0]["shift_capacity"] > 0.0:
        begin_shift(p, s, gear, gear_ratio(p, gear))
    else:
        s[0]["gear"], s[0]["clock"], s[0]["ratio_from"] = gear, 0.0, s[0]["ratio"]


@inline
def coupling_bounds(p, s):
    """(lowest, highest) torque [N m] that the turbine shaft may pass to the gears in the present phase.

    In gear the coupling is positive. While engaging it is friction: it only brakes the slip. While releasing, its capacity fades.
    The gear that gives way to a higher one cannot push back; the clutch of the one that is met has its capacity, or catches the turbine that
    comes from below. The friction clutch and the synchronizer of a hand gearbox have theirs.
    """
    if p[0]["gearbox_kind"] != AUTOMATIC:
        capacity = s[0]["clutch_capacity"]
        if s[0]["phase"] == SYNC or s[0]["phase"] == NEUTRAL:
            capacity = p[0]["synchroniser_torque"] if s[0]["phase"] == SYNC else 0.0
        return -capacity, capacity
    if s[0]["phase"] == DRIVE:
        return -np.inf, np.inf
    if s[0]["phase"] == HAND_OVER:
        return 0.0, np.inf
    if s[0]["phase"] == MEET:
        return -s[0]["clutch_capacity"], s[0]["clutch_capacity"] if s[0]["slip_from"] > 0.0 else p[0]["shift_capacity"]
    if s[0]["phase"] == ENGAGE:
        return (0.0, np.inf) if s[0]["slip_from"] > 0.0 else (-np.inf, 0.0)
    capacity = s[0]["release_torque"] * (1.0 - smooth_step(s[0]["clock"], p[0]["release_time"]))
    return -capacity, capacity


@inline
def clutch_in_step(p, s):
    """Whether a gear of a hand gearbox is in, so that the friction clutch is the coupling and the input shaft is geared to the wheels."""
    return p[0]["gearbox_kind"] != AUTOMATIC and (s[0]["phase"] == DRIVE or s[0]["phase"] == PULL)


@inline
def follow_slip(p, s, driveshaft_speed):
    """After a step: when friction alone could not follow the wanted slip, begin the engagement anew from the slip reached; a gear whose clutch
    or synchronizer holds is in."""
    if s[0]["phase"] == ENGAGE and s[0]["coupling_torque"] == 0.0:
        s[0]["slip_from"] = s[0]["turbine_speed"] - driveshaft_speed / s[0]["ratio"]
        s[0]["clock"] = 0.0
    meet(p, s, driveshaft_speed)
    go_in(s, driveshaft_speed)


def gearbox_from_section(s: Section) -> Record:
    """Record GEARBOX from the `gearbox` section of a vehicle file.

    See GEARBOX_FILE for its keys.

    Raises
    ------
    ConfigError : a key is unknown or missing, or of a gearbox of another type; a number is out of range; see also `read_speeds`,
        `read_schedule`
    """
    s = checked(GEARBOX_FILE, s.mapping, s.file, s.key)
    out = record(GEARBOX)
    ratios = s.array("forward_ratios", np.shape(s.mapping["forward_ratios"]))
    out[0]["gears"] = len(ratios)
    out[0]["forward_ratios"][: len(ratios)] = ratios
    kind = s.raw("type") if s.has("type") else KINDS[AUTOMATIC]
    out[0]["gearbox_kind"] = KINDS.index(kind)
    _check_keys(s, kind)
    for name in ("reverse_ratio", "shift_latency", "shift_time", "engage_time", "release_time", "lockout_wheel_speed"):
        out[0][name] = s.number(name) if s.has(name) else 0.0
    with ErrorCollector() as faults:
        with faults.part():
            _read_shifts(s, out)
        with faults.part():
            speeds = read_schedule(s.section("schedule"), len(ratios)) if s.has("schedule") else read_speeds(s, ratios)
            for name in speeds.dtype.names or ():
                out[0][name] = speeds[0][name]
    return out


def _check_keys(s: Section, kind: str) -> None:
    """Raise ConfigError for keys that exclude each other, belong to another type, or are missing for this one."""
    automatic = kind == KINDS[AUTOMATIC]
    with ErrorCollector() as faults:
        for name in ("upshift", "downshift"):
            _one_of(s, "schedule", name, faults)
        if automatic:
            _one_of(s, "clutches", "shift_time", faults)
        for name in ("engage_time", "release_time") if automatic else ("synchronizer",):
            if not s.has(name):
                faults.add(ConfigError(s.file, s.path(name), "nothing", f"a value: a gearbox of type {kind} has it"))
        for name in ("synchronizer",) if automatic else ("shift_time", "clutches", "engage_time", "release_time"):
            if s.has(name):
                faults.add(ConfigError(s.file, s.path(name), "a value", f"nothing: a gearbox of type {kind} has none"))


def _one_of(s: Section, new: str, old: str, faults: ErrorCollector) -> None:
    """Note that a section has both of two keys, or neither."""
    if s.has(new) and s.has(old):
        faults.add(ConfigError(s.file, s.path(old), "a value", f"nothing beside {new}, which takes its place"))
    elif not s.has(new) and not s.has(old):
        faults.add(ConfigError(s.file, s.path(old), "nothing", f"{old}, or {new} instead"))


def _read_shifts(s: Section, out: Record) -> None:
    """How the gears change. Raises ConfigError: a shift takes longer than shift_latency."""
    lasts, name = float(out[0]["shift_time"]), "shift_time"
    if s.has("clutches"):
        c, name = s.section("clutches"), "clutches"
        out[0]["shift_capacity"] = c.number("capacity")
        for part in ("torque_time", "inertia_time", "torque_reduction", "reduction_ramp"):
            out[0][part] = c.number(part)
        lasts = float(out[0]["torque_time"] + out[0]["inertia_time"])
    if s.has("synchronizer"):
        c = s.section("synchronizer")
        out[0]["synchroniser_torque"], out[0]["synchroniser_time"] = c.number("torque"), c.number("time")
        out[0]["gate_time"] = c.number("gate_time")
    if out[0]["shift_latency"] < lasts:
        expected = "at least the shift_time" if name == "shift_time" else f"at least {lasts:g}, the times of a shift by clutches"
        raise ConfigError(s.file, s.path("shift_latency"), float(out[0]["shift_latency"]), expected)
