"""Braking to standstill, on a straight or in a turn: distance, deceleration and deviation. [ISO 21994, ISO 7975, UN R13, mem]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import (
    MIN_SLIP_SPEED,
    NOTHING,
    PEDAL,
    axles,
    column,
    curve,
    distance_traveled,
    low_pass,
    mean_between,
    rows_of,
    sideslip,
    value_at,
    wheels,
)
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric
from simulator.maneuvers.signal_processing import first_crossing, held

STRAIGHT = 0.01
"""Yaw rate [rad/s] below which the path before braking counts as straight."""
REFERENCE = 0.5
"""Time [s] before the brake onset for the mean values of the turn."""
DEVELOPED = (0.8, 0.1)
"""Fractions of the speed between which the deceleration counts as fully developed. [UN R13, mem]"""
LOCKED_SLIP, LOCKED_TIME, LOCKED_SPEED = -0.9, 0.1, 3.0
"""Slip of a locked wheel, its minimum duration [s], and the minimum speed [m/s]."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the run from the first touch of the pedal, or from a speed, to standstill."""
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
    distance = distance_traveled(drive)[rows]
    metrics = {
        "brake_onset": onset,
        "brake_speed": value_at(time, speed, onset),
        "stopping_distance": value_at(time, distance, stop) - value_at(time, distance, start),
        "stopping_time": stop - start,
        "deceleration_developed": _developed(time, speed, distance, start, stop),
        "deceleration_mean": (value_at(time, speed, start) - values["standstill"]) / (stop - start) if stop > start else math.nan,
        "deceleration_max": float(-column(drive, "a_WG_B_x", values)[rows][first:].min()),
        "first_locked_axle": _first_locked(drive, time, rows, onset),
    }
    metrics |= _deviation(drive, rows, first, time <= stop if math.isfinite(stop) else time > -math.inf)
    metrics |= _one_second(drive, values, rows, onset)
    return AnalysisResult(
        metrics, {"speed": curve(distance[first:] - distance[first], speed[first:], "distance since brake onset", "speed", "m", "m/s")}
    )


def _developed(time: Array, speed: Array, distance: Array, start: float, stop: float) -> float:
    """Return the mean fully developed deceleration (v1^2 - v2^2) / (2 (s2 - s1)) from 0.8 to 0.1 of the speed."""
    if math.isnan(stop) or math.isnan(start):
        return math.nan
    v = value_at(time, speed, start)
    at = [first_crossing(time, speed, fraction * v, "falling", start) for fraction in DEVELOPED]
    begin, end = (value_at(time, distance, t) for t in at)
    return (DEVELOPED[0] ** 2 - DEVELOPED[1] ** 2) * v * v / (2.0 * (end - begin)) if end > begin else math.nan


def _deviation(drive: Drive, rows: slice, first: int, until: np.ndarray) -> dict[str, float]:
    """Return the deviation from the straight line through the vehicle at brake onset."""
    x, y, heading = (drive.columns[name][rows] for name in ("x_G", "y_G", "heading"))
    course = float(heading[first])  # equals the direction of motion: no sideslip on a straight
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
    """Return the change of a turn one second after brake onset, relative to the mean just before. [ISO 7975, mem]"""
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
    """Return the number of the axle, from the front, on which a wheel locks first; 0: none."""
    fast = (column(drive, "v_WB_B_x")[rows] > max(LOCKED_SPEED, MIN_SLIP_SPEED)) & (time >= onset)
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
        Metric("stopping_distance", "m", "distance from the first touch of the pedal, or from `speed`, to standstill", "ISO 21994 [mem]"),
        Metric("stopping_time", "s", "duration of the stop", "ISO 21994 [mem]"),
        Metric("deceleration_developed", "m/s2", "mean fully developed deceleration, from 0.8 to 0.1 of the speed", "UN R13 [mem]"),
        Metric("deceleration_mean", "m/s2", "change of speed over time", "[calc]"),
        Metric("deceleration_max", "m/s2", "maximum deceleration, filtered", "[calc]"),
        Metric("brake_speed", "m/s", "speed at the first touch of the pedal", "[calc]"),
        Metric("brake_onset", "s", "first touch of the pedal", "[calc]"),
        Metric("braking_lateral_deviation_max", "m", "maximum distance from the straight line at brake onset", "[calc]"),
        Metric("braking_lateral_deviation_end", "m", "distance from that line at standstill, + = left", "[calc]"),
        Metric("braking_yaw_angle_max", "rad", "maximum change of heading since brake onset", "[calc]", "deg"),
        Metric("braking_yaw_angle_end", "rad", "change of heading at standstill, + = left", "[calc]", "deg"),
        Metric("first_locked_axle", "1", "number of the axle, from the front, on which a wheel locks first; 0 = none", "[calc]"),
        Metric("reaction_yaw_rate_ratio", "1", "in a turn: yaw rate 1 s after brake onset over yaw rate before", "ISO 7975 [mem]"),
        Metric(
            "reaction_lateral_acceleration_ratio",
            "1",
            "in a turn: lateral acceleration 1 s after brake onset over value before",
            "ISO 7975 [mem]",
        ),
        Metric(
            "reaction_sideslip_change",
            "rad",
            "in a turn: change of sideslip 1 s after brake onset, sign as for a left turn",
            "ISO 7975 [mem]",
            "deg",
        ),
        Metric("reaction_path_deviation", "m", "in a turn: distance from the circle 1 s after brake onset, + = inward", "ISO 7975 [mem]"),
    ),
    evaluate,
    (
        Field("speed", _SPEED, "initial speed of the distance; default: the speed at brake onset", None, written="kph"),
        Field("standstill", _SPEED, "speed that counts as standstill", 0.1, written="mps"),
        Field("reaction", Number("s", 0.0, 10.0), "time after brake onset at which a turn is evaluated", 1.0, written="s"),
        low_pass(10.0),
    ),
    ("brake", "v_WG_B", "a_WG_B", "slip_ratio", "F_C"),
    meaning="braking: distance, time and decelerations to standstill, deviation, first axle to lock; change of a turn",
    curves={"speed": "speed over distance since brake onset"},
)
