"""Acceleration: times to speeds and over distances, top speed, jerk of the shifts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from simulator.base.units import FOOT, MILE
from simulator.maneuvers.analyses.common import NOTHING, PEDAL, column, curve, distance_traveled, low_pass, rows_of, value_at
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric
from simulator.maneuvers.signal_processing import first_crossing

SPEEDS = {
    "30_kph": 30.0 / 3.6, "50_kph": 50.0 / 3.6, "80_kph": 80.0 / 3.6, "100_kph": 100.0 / 3.6,
    "30_mph": 30.0 * MILE / 3600.0, "50_mph": 50.0 * MILE / 3600.0, "60_mph": 60.0 * MILE / 3600.0,
}  # fmt: skip
"""Speeds [m/s] by the words in the metric names."""
WAYS = {"100_m": 100.0, "400_m": 400.0, "1000_m": 1000.0, "quarter_mile": 1320.0 * FOOT}
JERK_TIME = 0.1
"""Time [s] for the change of acceleration in a shift."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the run from the first touch of the throttle pedal."""
    rows = rows_of(drive, values)
    time, speed = drive.time[rows], column(drive, "v_WB_B_x")[rows]
    pressed = np.flatnonzero(column(drive, "throttle")[rows] > PEDAL)
    if not pressed.size:
        return NOTHING
    first = int(pressed[0])
    start, driven_distance = float(time[first]), distance_traveled(drive)[rows]
    driven_distance = driven_distance - driven_distance[first]
    metrics = {f"time_to_{word}": _first(time, speed, level, start) - start for word, level in SPEEDS.items()}
    for word, distance in WAYS.items():
        when = _first(time, driven_distance, distance, start)
        metrics[f"time_over_{word}"], metrics[f"speed_after_{word}"] = when - start, value_at(time, speed, when)
    target, initial = values.get("speed"), values.get("from")
    reached = math.nan if target is None else _first(time, speed, target, start)
    since = start if initial is None else _first(time, speed, initial, start)
    metrics["time_to_speed"] = reached - since
    metrics["distance_to_speed"] = value_at(time, driven_distance, reached) - value_at(time, driven_distance, since)
    acceleration = column(drive, "a_WG_B_x", values)[rows]
    metrics["speed_top"] = float(speed[first:].max())
    metrics["acceleration_max"] = float(acceleration[first:].max())
    final = time >= time[-1] - 1.0
    metrics["acceleration_end"] = float(np.mean(acceleration[final]))
    metrics |= shifts(drive, rows, acceleration, values["around"])
    return AnalysisResult(
        metrics,
        {
            "speed": curve(time[first:] - start, speed[first:], "time", "speed", "s", "m/s"),
            "acceleration": curve(speed[first:], acceleration[first:], "speed", "acceleration", "m/s", "m/s2"),
        },
    )


def _first(time: Array, series: Array, level: float, start: float) -> float:
    """Return the first time from `start` at which a level is reached; `start` if the series has already reached it."""
    if value_at(time, series, start) >= level:
        return start
    return first_crossing(time, series, level, "rising", start)


def shifts(drive: Drive, rows: slice, acceleration: Array, around: float) -> dict[str, float]:
    """Return the number of gear changes and the largest change of acceleration within JERK_TIME near one of them."""
    gear = np.asarray(drive.columns["gear"])[rows]
    engaged = np.flatnonzero(gear > 0)  # the selector passes through neutral
    changes = engaged[1:][gear[engaged[1:]] != gear[engaged[:-1]]]
    n, reach = max(1, round(JERK_TIME / drive.interval)), round(around / drive.interval)
    largest = 0.0
    for i in changes:
        near = acceleration[max(0, i - reach) : i + reach + 1]
        if len(near) > n:
            largest = max(largest, float(np.abs(near[n:] - near[:-n]).max()))
    return {"shifts": float(len(changes)), "shift_jerk_max": largest / (n * drive.interval) if changes.size else math.nan}


_SPEED = Number("m/s", 0.0, 150.0)
ANALYSIS = Analysis(
    "acceleration",
    (
        *(Metric(f"time_to_{word}", "s", f"from the first touch of the throttle to {word.replace('_', ' ').replace('kph', 'km/h')}", "[calc]") for word in SPEEDS),
        *(Metric(f"time_over_{word}", "s", f"time over the first {word.replace('_', ' ')}", "[calc]") for word in WAYS),
        *(Metric(f"speed_after_{word}", "m/s", f"speed after the first {word.replace('_', ' ')}", "[calc]") for word in WAYS),
        Metric("time_to_speed", "s", "time to `speed`", "[calc]"),
        Metric("distance_to_speed", "m", "distance to `speed`", "[calc]"),
        Metric("speed_top", "m/s", "maximum speed; equals the top speed if acceleration_end is about 0", "[calc]"),
        Metric("acceleration_max", "m/s2", "maximum forward acceleration, filtered", "[calc]"),
        Metric("acceleration_end", "m/s2", "mean forward acceleration over the last second", "[calc]"),
        Metric("shifts", "1", "number of changes between forward gears", "[calc]"),
        Metric("shift_jerk_max", "m/s3", "maximum change of forward acceleration within 0.1 s near a gear change, over 0.1 s", "[calc]"),
    ),
    evaluate,
    (
        Field("speed", _SPEED, "speed for time_to_speed", None, written="kph"),
        Field("from", _SPEED, "initial speed for time_to_speed; default: from the first touch of the throttle", None, written="kph"),
        Field("around", Number("s", 0.0, 10.0), "time before and after a gear change that counts for its jerk", 0.8, written="s"),
        low_pass(10.0),
    ),
    ("throttle", "gear", "a_WG_B_x"),
    meaning="acceleration: times to speeds and over distances, top speed, jerk of the shifts",
    curves={"speed": "speed over time since the first touch of the throttle", "acceleration": "forward acceleration over speed"},
)  # fmt: skip
