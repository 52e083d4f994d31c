"""Automatic gearbox: which gear, and how the turbine is coupled to the driveshaft while the gear changes.

Three phases. In DRIVE the turbine is geared to the driveshaft; a shift lets the ratio glide to the new one. In NEUTRAL the
friction element that held it lets go. In ENGAGE, from neutral, that element slips in a controlled way until the speeds agree.
"""

from __future__ import annotations

import numpy as np

from simulator.base.errors import ConfigError, Gathered
from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import Record, record
from simulator.base.section import Section, checked
from vehicles.drivetrain.tables import LARGEST_SPEED, LONGEST_TIME, RPM, smooth_step

NEUTRAL, ENGAGE, DRIVE = 0, 1, 2

MOST_GEARS = 10

LEAST_RATIO, LARGEST_RATIO = 0.01, 20.0
"""Driveshaft speed / turbine speed of a gear, without its sign."""

THROTTLE_MOVED = 0.05
"""Change of throttle after which a downshift no longer delays the next upshift. Larger: holds gears longer; smaller: may hunt."""

GEARBOX = (
    # name               shape   unit      what it is
    ("gears", (), "1", "number of forward gears", "i8"),
    ("forward_ratios", (MOST_GEARS,), "1", "driveshaft speed / turbine speed, first gear first"),
    ("reverse_ratio", (), "1", "driveshaft speed / turbine speed in reverse, negative"),
    ("upshift_speed", (2,), "rad/s", "turbine speed above which the next gear is taken, throttle closed and open"),
    ("downshift_speed", (2,), "rad/s", "turbine speed below which the gear below is taken, throttle closed and open"),
    ("shift_latency", (), "s", "shortest time between two shifts"),
    ("shift_time", (), "s", "time in which the ratio glides to the new one, 0 = at once"),
    ("engage_time", (), "s", "time in which the turbine is brought to the speed of the gear from neutral, 0 = at once"),
    ("release_time", (), "s", "time in which the torque fades when neutral is selected, 0 = at once"),
    ("lockout_wheel_speed", (), "rad/s", "mean wheel speed up to which a gear against the motion may be engaged"),
)

_TIME = Number("s", 0.0, LONGEST_TIME)
_FROM, _TO = -LARGEST_RATIO, -LEAST_RATIO
GEARBOX_FILE = (
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
        written="rpm",
    ),
    Field(
        "downshift",
        Number("rad/s", 0.0, LARGEST_SPEED * RPM, shape=(2,)),
        "turbine speed below which the gear below is taken: throttle closed, open",
        written="rpm",
    ),
    Field("shift_latency", _TIME, "shortest time between two shifts"),
    Field("shift_time", _TIME, "time in which the ratio glides to the new one"),
    Field("engage_time", _TIME, "time in which the turbine is brought to the speed of the gear from neutral"),
    Field("release_time", _TIME, "time in which the torque fades when neutral is selected"),
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
    ("phase", (), "1", "0 neutral, 1 engaging from neutral, 2 in gear", "i8"),
    ("clock", (), "s", "time since the last change of gear"),
    ("ratio", (), "1", "present ratio, driveshaft speed / turbine speed"),
    ("ratio_from", (), "1", "ratio at the last change of gear"),
    ("slip", (), "rad/s", "turbine speed wanted above that of the gear, at the end of this step"),
    ("slip_from", (), "rad/s", "that slip when the engagement began"),
    ("turbine_speed", (), "rad/s", "speed of the turbine"),
    ("coupling_torque", (), "N m", "torque of the turbine shaft into the gears"),
    ("release_torque", (), "N m", "size of that torque when neutral was selected"),
    ("downshift_throttle", (), "1", "throttle at a downshift, as long as it is about the same; -1 = none"),
)


@inline
def gear_ratio(p, gear):
    """Driveshaft speed / turbine speed of a gear, -1 = reverse, 1 = first."""
    return p[0]["reverse_ratio"] if gear < 0 else p[0]["forward_ratios"][gear - 1]


@inline
def advance_gearbox(p, s, command, driveshaft_speed, wheel_speed, h):
    """Choose the gear for the next step of h seconds and set `ratio` and `slip` at its end.

    Shifts in drive: one gear at a time, never within `shift_latency` of the last change, toward the gear that the command asks for or,
    where it asks for none, by turbine speed, each threshold linear in the throttle. 1 / ratio, hence the turbine speed, follows a smooth step,
    so neither speed nor torque jumps; with shift_time 0 it jumps, and the step's velocity constraint shares the impulse between turbine and
    wheels.

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
        if command[0]["gear"] > 0:
            shift_toward(p, s, command[0]["gear"])
        else:
            shift(p, s, command[0]["throttle"])

    if s[0]["phase"] == ENGAGE:
        s[0]["slip"] = s[0]["slip_from"] * (1.0 - smooth_step(s[0]["clock"], p[0]["engage_time"]))
        if s[0]["clock"] >= p[0]["engage_time"]:
            s[0]["phase"] = DRIVE
    elif s[0]["phase"] == DRIVE:
        glide = smooth_step(s[0]["clock"], p[0]["shift_time"])
        old, new = 1.0 / s[0]["ratio_from"], 1.0 / gear_ratio(p, s[0]["gear"])
        s[0]["ratio"] = 1.0 / (old + (new - old) * glide)
        s[0]["slip"] = 0.0


@inline
def release(s):
    """Begin to let go of the gear: from now on the coupling carries at most its present torque, fading."""
    s[0]["gear"], s[0]["phase"], s[0]["clock"] = 0, NEUTRAL, 0.0
    s[0]["release_torque"] = abs(s[0]["coupling_torque"])
    s[0]["slip"] = 0.0


@inline
def engage(p, s, direction, asked, driveshaft_speed):
    """Begin to engage reverse, or the lowest forward gear, from the one asked for on, that does not overspeed the turbine."""
    gear = direction
    if direction > 0:
        gear = max(1, min(asked, p[0]["gears"]))
        while gear < p[0]["gears"] and driveshaft_speed > p[0]["upshift_speed"][1] * p[0]["forward_ratios"][gear - 1]:
            gear += 1
    s[0]["gear"], s[0]["phase"], s[0]["clock"] = gear, ENGAGE, 0.0
    s[0]["ratio"] = s[0]["ratio_from"] = gear_ratio(p, gear)
    s[0]["slip_from"] = s[0]["turbine_speed"] - driveshaft_speed / s[0]["ratio"]


@inline
def shift(p, s, throttle):
    """Take the next gear up or down if the turbine speed asks for it.

    After a downshift, and until the throttle moves, only the open-throttle speed shifts up again: where the engine can hold a grade
    in neither gear, a light throttle's thresholds alone would let the two alternate for ever.
    """
    up, down = p[0]["upshift_speed"], p[0]["downshift_speed"]
    gear, speed = s[0]["gear"], s[0]["turbine_speed"]
    if abs(throttle - s[0]["downshift_throttle"]) > THROTTLE_MOVED:
        s[0]["downshift_throttle"] = -1.0
    up_throttle = throttle if s[0]["downshift_throttle"] < 0.0 else 1.0
    if speed > up[0] + up_throttle * (up[1] - up[0]) and gear < p[0]["gears"]:
        gear += 1
    elif speed < down[0] + throttle * (down[1] - down[0]) and gear > 1:
        gear -= 1
        s[0]["downshift_throttle"] = throttle
    if gear != s[0]["gear"]:
        take(s, gear)


@inline
def shift_toward(p, s, asked):
    """Take the next gear toward the one asked for; not one below in which the turbine would be faster than open throttle shifts up."""
    gear, turned = s[0]["gear"], s[0]["turbine_speed"] * s[0]["ratio"]
    s[0]["downshift_throttle"] = -1.0
    if gear < min(asked, p[0]["gears"]):
        take(s, gear + 1)
    elif gear > asked and turned <= p[0]["upshift_speed"][1] * p[0]["forward_ratios"][gear - 2]:
        take(s, gear - 1)


@inline
def take(s, gear):
    """From now on glide to another gear."""
    s[0]["gear"], s[0]["clock"], s[0]["ratio_from"] = gear, 0.0, s[0]["ratio"]


@inline
def coupling_bounds(p, s):
    """(lowest, highest) torque [N m] that the turbine shaft may pass to the gears in the present phase.

    In gear the coupling is positive. While engaging it is friction: it only brakes the slip. While releasing, its capacity fades.
    """
    if s[0]["phase"] == DRIVE:
        return -np.inf, np.inf
    if s[0]["phase"] == ENGAGE:
        return (0.0, np.inf) if s[0]["slip_from"] > 0.0 else (-np.inf, 0.0)
    capacity = s[0]["release_torque"] * (1.0 - smooth_step(s[0]["clock"], p[0]["release_time"]))
    return -capacity, capacity


@inline
def follow_slip(s, driveshaft_speed):
    """After a step: when friction alone could not follow the wanted slip, begin the engagement anew from the slip reached."""
    if s[0]["phase"] == ENGAGE and s[0]["coupling_torque"] == 0.0:
        s[0]["slip_from"] = s[0]["turbine_speed"] - driveshaft_speed / s[0]["ratio"]
        s[0]["clock"] = 0.0


def gearbox_from_section(s: Section) -> Record:
    """Record GEARBOX from the `gearbox` section of a vehicle file.

    See GEARBOX_FILE for its keys.

    Raises
    ------
    ConfigError : a key is unknown or missing, a number is out of range, or the shift speeds leave no hysteresis: after an upshift
        at any throttle the turbine must still be faster than the downshift speed
    """
    s = checked(GEARBOX_FILE, s.mapping, s.file, s.key)
    out = record(GEARBOX)
    ratios = s.array("forward_ratios", np.shape(s.mapping["forward_ratios"]))
    out[0]["gears"] = len(ratios)
    out[0]["forward_ratios"][: len(ratios)] = ratios
    for name in ("reverse_ratio", "shift_latency", "shift_time", "engage_time", "release_time", "lockout_wheel_speed"):
        out[0][name] = s.number(name)
    with Gathered() as faults:
        if out[0]["shift_latency"] < out[0]["shift_time"]:
            faults.add(ConfigError(s.file, s.path("shift_latency"), float(out[0]["shift_latency"]), "at least the shift_time"))
        for name in ("upshift", "downshift"):
            closed, opened = out[0][f"{name}_speed"] = s.array(name, (2,))
            if closed > opened:
                faults.add(s.wrong(name, "a speed with the throttle closed not above that with it open"))
        faults.need_all()
        lowest_after = out[0]["upshift_speed"] * np.min(ratios[:-1] / ratios[1:])
        if np.any(out[0]["downshift_speed"] >= lowest_after):
            raise s.wrong("downshift", "numbers below {} and {}, the turbine speeds after an upshift", *lowest_after)
    return out
