"""Shift schedule of the gearbox: two speeds of the turbine, or curves over the throttle for every pair of gears.

The curves are speeds of the output shaft. Above the kick-down throttle the gearbox selects at once the lowest gear whose downshift curve
lies above the speed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.piecewise_linear import cell
from simulator.base.field_records import filled
from simulator.base.fields import Field, ListOf, Number
from simulator.base.jit import inline
from simulator.base.records import Record, record
from simulator.base.values import Values
from vehicles.drivetrain.measured_curves import MAX_SPEED, RPM

MAX_GEARS = 10

SCHEDULE_POINTS = 8
"""Largest number of throttles of the curves."""

NO_KICK_DOWN = 2.0
"""1. Throttle that no pedal reaches."""

SCHEDULE = (
    # name               shape                          unit     what it is
    ("upshift_speed", (2,), "rad/s", "turbine speeds above which the next gear is selected, throttle closed and open"),
    ("downshift_speed", (2,), "rad/s", "turbine speeds below which the next lower gear is selected, throttle closed and open"),
    ("schedule_points", (), "1", "number of throttles of the curves; 0: upshift_speed and downshift_speed apply", "i8"),
    ("schedule_throttle", (SCHEDULE_POINTS,), "1", "throttles of the curves, from 0 to 1"),
    (
        "schedule_up",
        (MAX_GEARS, SCHEDULE_POINTS),
        "rad/s",
        "per gear, output speed above which the next gear is selected; not used for the highest gear",
    ),
    (
        "schedule_down",
        (MAX_GEARS, SCHEDULE_POINTS),
        "rad/s",
        "per gear, output speed below which the next lower gear is selected; 0 in first",
    ),
    ("kick_down", (), "1", "throttle from which downshifts skip gears; above 1: never"),
)

_CURVES = ListOf(Number("rad/s", 0.0, MAX_SPEED * RPM, shape=((2, SCHEDULE_POINTS),)), 1, MAX_GEARS - 1)
SCHEDULE_FILE = (
    Field("throttle", Number("1", 0.0, 1.0, shape=((2, SCHEDULE_POINTS),), rising=True), "throttles of the curves, from 0 to 1"),
    Field(
        "upshift",
        _CURVES,
        "per pair of gears, starting with first and second: output speed above which the higher gear is selected",
        written="rpm",
    ),
    Field("downshift", _CURVES, "per pair of gears: output speed below which the lower gear is selected", written="rpm"),
    Field(
        "kick_down",
        Number("1", 0.0, 1.0),
        "throttle from which the lowest gear allowed by the last curve point is selected at once; default: never",
        None,
    ),
)
"""Fields of the section `schedule` of a gearbox."""


@inline
def curve_speed(p, curves, gear, throttle):
    """Return the output speed [rad/s] of the curve of a gear at a throttle; curves = p[0]["schedule_up"] or p[0]["schedule_down"]."""
    i, f, _ = cell(p[0]["schedule_throttle"], p[0]["schedule_points"], throttle)
    return curves[gear - 1, i] + f * (curves[gear - 1, i + 1] - curves[gear - 1, i])


@inline
def max_output_speed(p, gear):
    """Return the output speed [rad/s] above which a forward gear is too low with the throttle open."""
    if p[0]["schedule_points"] == 0:
        return p[0]["upshift_speed"][1] * p[0]["forward_ratios"][gear - 1]
    return p[0]["schedule_up"][gear - 1, p[0]["schedule_points"] - 1] if gear < p[0]["gears"] else np.inf


@inline
def suits_motion(p, gear, driveshaft_speed, wheel_speed):
    """Return True unless a gear that is opposite to the motion is locked.

    Reverse is locked while the vehicle rolls forward faster than `lockout_wheel_speed`. A forward gear catches a vehicle that rolls backward, up
    to the speed to which the gear belongs.
    """
    if gear < 0:
        return wheel_speed <= p[0]["lockout_wheel_speed"]
    return driveshaft_speed >= -max_output_speed(p, gear)


@inline
def up_output_speed(p, gear, throttle):
    """Return the output speed [rad/s] above which the gearbox should shift up from a forward gear."""
    if p[0]["schedule_points"] == 0:
        up = p[0]["upshift_speed"]
        return (up[0] + throttle * (up[1] - up[0])) * p[0]["forward_ratios"][gear - 1]
    return curve_speed(p, p[0]["schedule_up"], gear, throttle)


@inline
def down_output_speed(p, gear, throttle):
    """Return the output speed [rad/s] below which the gearbox should shift down from a forward gear above the first."""
    if p[0]["schedule_points"] == 0:
        down = p[0]["downshift_speed"]
        return (down[0] + throttle * (down[1] - down[0])) * p[0]["forward_ratios"][gear - 1]
    return curve_speed(p, p[0]["schedule_down"], gear, throttle)


@inline
def too_fast(p, gear, throttle, turbine_speed):
    """Return True when the gearbox should shift up from a forward gear."""
    return turbine_speed * p[0]["forward_ratios"][gear - 1] > up_output_speed(p, gear, throttle)


@inline
def too_slow(p, gear, throttle, turbine_speed):
    """Return True when the gearbox should shift down from a forward gear above the first."""
    return turbine_speed * p[0]["forward_ratios"][gear - 1] < down_output_speed(p, gear, throttle)


@inline
def gear_below(p, gear, throttle, turbine_speed):
    """Return the gear below one that is too slow.

    The result is the next lower gear or, above the kick-down throttle, the lowest gear that stays below its upshift speed.
    """
    lower = gear - 1
    if p[0]["schedule_points"] > 0 and throttle >= p[0]["kick_down"]:
        output = turbine_speed * p[0]["forward_ratios"][gear - 1]
        while lower > 1 and output < curve_speed(p, p[0]["schedule_down"], lower, 1.0):
            lower -= 1
    return lower


def schedule_of_speeds(gearbox: Values) -> Record:
    """Return the record SCHEDULE of the keys `upshift` and `downshift` of a gearbox.

    Raises
    ------
    ConfigError : the speeds have no hysteresis: after an upshift at any throttle the turbine must still be faster than the downshift speed
    """
    out = record(SCHEDULE)
    out[0]["kick_down"] = NO_KICK_DOWN
    for name in ("upshift", "downshift"):
        closed, opened = out[0][f"{name}_speed"] = gearbox[name]
        if closed > opened:
            raise gearbox.error(name, "a speed for closed throttle not above the speed for open throttle")
    ratios = gearbox["forward_ratios"]
    lowest_after = gearbox["upshift"] * np.min(ratios[:-1] / ratios[1:])
    if np.any(gearbox["downshift"] >= lowest_after):
        raise gearbox.error("downshift", "numbers below {} and {}, the turbine speeds after an upshift", *lowest_after)
    return out


def schedule_from_values(schedule: Values, gears: int) -> Record:
    """Return the record SCHEDULE of the section `schedule` of a gearbox; gears : number of forward gears.

    Raises
    ------
    ConfigError : the throttles do not run from 0 to 1, there is not one curve per pair of gears with one speed per throttle, a curve
        falls with the throttle, curves of higher gears do not lie higher, a downshift curve does not lie below its upshift curve
    """
    throttle = schedule["throttle"]
    count = len(throttle)
    if throttle[0] != 0.0 or throttle[-1] != 1.0:
        raise schedule.error("throttle", "throttles from 0 to 1")
    out = filled(SCHEDULE, {"kick_down": schedule.get("kick_down", NO_KICK_DOWN), "schedule_points": count, "schedule_throttle": throttle})
    out[0]["schedule_up"] = MAX_SPEED
    for name, field, first in (("upshift", "schedule_up", 0), ("downshift", "schedule_down", 1)):
        rows = schedule[name]
        if len(rows) != gears - 1 or any(len(row) != count for row in rows):
            raise schedule.error(name, f"{gears - 1} lists, one per pair of gears, each of {count} speeds, one per throttle")
        curves = np.asarray(rows)
        if np.any(np.diff(curves, axis=1) < 0.0) or np.any(np.diff(curves, axis=0) <= 0.0):
            raise schedule.error(name, "speeds that do not fall with the throttle and rise from one pair of gears to the next")
        out[0][field][first : first + gears - 1, :count] = curves
    up, down = out[0]["schedule_up"][: gears - 1, :count], out[0]["schedule_down"][1:gears, :count]
    if np.any(down >= up):
        raise schedule.error("downshift", "speeds below the upshift speeds at the same throttle")
    return out


def check_reach(schedule: Values, ratios: NDArray[np.float64], governed: float) -> None:
    """Raise ConfigError if the engine, governed at `governed` [rad/s] at full throttle, cannot reach an upshift speed at full throttle.

    ratios : driveshaft speed over turbine speed of the forward gears
    """
    reached = governed * ratios[:-1]
    if any(row[-1] >= speed for row, speed in zip(schedule["upshift"], reached, strict=True)):
        limits = ", ".join("{}" for _ in reached)
        raise schedule.error("upshift", f"full-throttle speeds below {limits}, the speeds at the governor limit", *reached)
