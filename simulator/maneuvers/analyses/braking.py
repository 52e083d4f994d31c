"""Braking to a stop, straight on or in a turn: way, deceleration, what the vehicle does besides. [ISO 21994, ISO 7975, UN R13, mem]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import (  # fmt: skip
    NOTHING,
    PEDAL,
    SLOW,
    Array,
    axles,
    column,
    curve,
    low_pass,
    mean_between,
    rows_of,
    sideslip,
    value_at,
    way,
    wheels,
)
from simulator.maneuvers.analyses.contract import Analysis, Drive, Found, Metric
from simulator.maneuvers.signal_processing import first_crossing, held

STRAIGHT = 0.01
"""rad/s of yaw rate below which the way before braking was no turn."""
REFERENCE = 0.5
"""s before the brake whose mean is the turn that was."""
DEVELOPED = (0.8, 0.1)
"""Shares of the speed between which the deceleration counts as fully developed. [UN R13, mem]"""
LOCKED_SLIP, LOCKED_TIME, LOCKED_SPEED = -0.9, 0.1, 3.0
"""Slip below which a wheel is locked, for so many s, at this speed (m/s) or more."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> Found:
    """From the first touch of the pedal, or from a speed, to standstill."""
    rows = rows_of(drive, values)
    time, speed, brake = drive.time[rows], column(drive, "v_WB_B_x")[rows], column(drive, "brake")[rows]
    pressed = np.flatnonzero(brake > PEDAL)
    if not pressed.size:
        return NOTHING
    first = int(pressed[0])
    onset = float(time[first])
    stop = first_crossing(time, speed, values["standstill"], "falling", onset)
    named = values.get("speed")
    start = onset if named is None else first_crossing(time, speed, named, "falling", onset)
    gone = way(drive)[rows]
    found = {
        "brake_onset": onset,
        "brake_speed": value_at(time, speed, onset),
        "stopping_distance": value_at(time, gone, stop) - value_at(time, gone, start),
        "stopping_time": stop - start,
        "deceleration_developed": _developed(time, speed, gone, start, stop),
        "deceleration_mean": (value_at(time, speed, start) - values["standstill"]) / (stop - start) if stop > start else math.nan,
        "deceleration_max": float(-column(drive, "a_WG_B_x", values)[rows][first:].min()),
        "first_locked_axle": _first_locked(drive, time, rows, onset),
    }
    found |= _aside(drive, rows, first, time <= stop if math.isfinite(stop) else time > -math.inf)
    found |= _one_second(drive, values, rows, onset)
    return Found(found, {"speed": curve(gone[first:] - gone[first], speed[first:], "way since the brake", "speed", "m", "m/s")})


def _developed(time: Array, speed: Array, gone: Array, start: float, stop: float) -> float:
    """Mean fully developed deceleration (v1^2 - v2^2) / (2 (s2 - s1)) from 0.8 to 0.1 of the speed."""
    if math.isnan(stop) or math.isnan(start):
        return math.nan
    v = value_at(time, speed, start)
    at = [first_crossing(time, speed, share * v, "falling", start) for share in DEVELOPED]
    begin, end = (value_at(time, gone, t) for t in at)
    return (DEVELOPED[0] ** 2 - DEVELOPED[1] ** 2) * v * v / (2.0 * (end - begin)) if end > begin else math.nan


def _aside(drive: Drive, rows: slice, first: int, until: np.ndarray) -> dict[str, float]:
    """Off the straight line on which the vehicle was when the brake was touched."""
    x, y, heading = (drive.columns[name][rows] for name in ("x_G", "y_G", "heading"))
    course = float(heading[first])  # where its nose points, as sideslip on a straight is nothing
    left = -math.sin(course) * (x - x[first]) + math.cos(course) * (y - y[first])
    left, turned = left[first:][until[first:]], (heading - course)[first:][until[first:]]
    if not left.size:
        return {}
    return {
        "braking_lateral_deviation_max": float(np.abs(left).max()),
        "braking_lateral_deviation_end": float(left[-1]),
        "braking_yaw_angle_max": float(np.abs(turned).max()),
        "braking_yaw_angle_end": float(turned[-1]),
    }


def _one_second(drive: Drive, values: Mapping[str, Any], rows: slice, onset: float) -> dict[str, float]:
    """What became of a turn one second after the brake was touched, against the mean just before. [ISO 7975, mem]"""
    time = drive.time[rows]
    yaw_rate, a_y, slip = (
        series[rows] for series in (column(drive, "w_WB_B_z", values), column(drive, "a_WG_B_y", values), sideslip(drive))
    )
    before = (onset - REFERENCE, onset - drive.interval)
    r, a, beta = (mean_between(time, series, *before) for series in (yaw_rate, a_y, slip))
    if not abs(r) > STRAIGHT:
        return {}
    sign, then = math.copysign(1.0, r), onset + values["reaction"]
    x, y, heading = (drive.columns[name][rows] for name in ("x_G", "y_G", "heading"))
    radius = mean_between(time, np.hypot(drive.columns["v_WG_B_x"][rows], drive.columns["v_WG_B_y"][rows]), *before) / abs(r)
    course = value_at(time, heading, onset) + value_at(time, slip, onset)
    center = (
        value_at(time, x, onset) - sign * radius * math.sin(course),
        value_at(time, y, onset) + sign * radius * math.cos(course),
    )
    return {
        "reaction_yaw_rate_ratio": value_at(time, yaw_rate, then) / r,
        "reaction_lateral_acceleration_ratio": value_at(time, a_y, then) / a if a else math.nan,
        "reaction_sideslip_change": sign * (value_at(time, slip, then) - beta),
        "reaction_path_deviation": radius - math.hypot(value_at(time, x, then) - center[0], value_at(time, y, then) - center[1]),
    }


def _first_locked(drive: Drive, time: Array, rows: slice, onset: float) -> float:
    """Number of the axle, from the front, of which a wheel locks first; 0: none does."""
    fast = (column(drive, "v_WB_B_x")[rows] > max(LOCKED_SPEED, SLOW)) & (time >= onset)
    times = []
    for number, corners in enumerate(axles(wheels(drive)), 1):
        for corner in corners:
            when = held(time, fast & (column(drive, f"slip_ratio_{corner}")[rows] < LOCKED_SLIP), LOCKED_TIME)
            times += [(when, number)] if math.isfinite(when) else []
    return float(min(times)[1]) if times else 0.0


_SPEED = Number("m/s", 0.0, 120.0, above=0.0)
ANALYSIS = Analysis(
    "braking",
    (
        Metric(
            "stopping_distance", "m", "way from the first touch of the pedal, or from the named speed, to standstill", "ISO 21994 [mem]"
        ),
        Metric("stopping_time", "s", "time of it", "ISO 21994 [mem]"),
        Metric("deceleration_developed", "m/s2", "mean fully developed deceleration, from 0.8 to 0.1 of the speed", "UN R13 [mem]"),
        Metric("deceleration_mean", "m/s2", "change of speed over time", "[calc]"),
        Metric("deceleration_max", "m/s2", "largest deceleration, filtered", "[calc]"),
        Metric("brake_speed", "m/s", "speed at the first touch of the pedal", "[calc]"),
        Metric("brake_onset", "s", "first touch of the pedal", "[calc]"),
        Metric("braking_lateral_deviation_max", "m", "largest distance from the straight line on which the brake was touched", "[calc]"),
        Metric("braking_lateral_deviation_end", "m", "the same at standstill, + = left", "[calc]"),
        Metric("braking_yaw_angle_max", "rad", "largest change of heading since the brake was touched", "[calc]", "deg"),
        Metric("braking_yaw_angle_end", "rad", "the same at standstill, + = left", "[calc]", "deg"),
        Metric("first_locked_axle", "1", "number of the axle, from the front, of which a wheel locks first; 0 = none", "[calc]"),
        Metric("reaction_yaw_rate_ratio", "1", "in a turn: yaw rate 1 s after the brake over that before", "ISO 7975 [mem]"),
        Metric("reaction_lateral_acceleration_ratio", "1", "in a turn: lateral acceleration 1 s after over that before", "ISO 7975 [mem]"),
        Metric(
            "reaction_sideslip_change",
            "rad",
            "in a turn: change of sideslip 1 s after, + = towards that of a left turn's",
            "ISO 7975 [mem]",
            "deg",
        ),
        Metric("reaction_path_deviation", "m", "in a turn: distance from the circle 1 s after, + = inwards", "ISO 7975 [mem]"),
    ),
    evaluate,
    (
        Field("speed", _SPEED, "speed from which the way is counted; from the first touch of the pedal when left out", None, written="kph"),
        Field("standstill", _SPEED, "speed that counts as standstill", 0.1, written="mps"),
        Field("reaction", Number("s", 0.0, 10.0), "time after the brake at which a turn is looked at", 1.0, written="s"),
        low_pass(10.0),
    ),
    ("brake", "v_WG_B", "a_WG_B", "slip_ratio", "F_C"),
    meaning="braking: way, time and decelerations to standstill, deviation, first axle to lock; of a turn what became of it",
    curves={"speed": "speed over way since the brake"},
)
