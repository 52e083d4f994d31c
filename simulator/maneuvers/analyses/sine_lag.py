"""One period of a sine of the steering wheel: lags and gains of the response. [ISO 7401, mem]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.maneuvers.analyses.common import NOTHING, column, low_pass, peak, rows_of
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

MARK = "ISO 7401 [mem]"
MIN_ANGLE = 1e-3
"""Steering-wheel angle [rad] below which there is no sine."""
ONSET = 0.1
"""Fraction of the largest angle at which the sine begins."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the two peaks of each series, the first in the direction of the first turn of the wheel."""
    rows = rows_of(drive, values)
    time, steering = drive.time[rows], column(drive, "steering_wheel_angle", values)[rows]
    steering = steering - steering[0]
    largest = float(np.abs(steering).max())
    if not largest > MIN_ANGLE:
        return NOTHING
    begun = int(np.flatnonzero(np.abs(steering) > ONSET * largest)[0])
    sign = math.copysign(1.0, steering[begun])
    steer = _peaks(time[begun:], sign * steering[begun:])
    metrics = {}
    for name, series in (("yaw_rate", "w_WB_B_z"), ("lateral_acceleration", "a_WG_B_y")):
        response = column(drive, series, values)[rows]
        responses = _peaks(time[begun:], sign * (response - response[begun])[begun:])
        for number, (input_peak, output_peak) in enumerate(zip(steer, responses, strict=True), 1):
            metrics[f"{name}_lag_{number}"] = output_peak[0] - input_peak[0]
            metrics[f"{name}_gain_{number}"] = output_peak[1] / input_peak[1]
    return AnalysisResult(metrics, {})


def _peaks(time: Array, series: Array) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return (time, value) of the maximum before the minimum, and of the minimum."""
    lowest = int(np.argmin(series))
    when, value = peak(time, -series)
    return peak(time[: lowest + 1], series[: lowest + 1]), (when, -value)


ANALYSIS = Analysis(
    "sine_lag",
    tuple(
        Metric(f"{name}_{quantity}_{number}", unit if quantity == "gain" else "s", meaning.format(name.replace("_", " "), number), MARK)
        for name, unit in (("yaw_rate", "1/s"), ("lateral_acceleration", "m/s2/rad"))
        for number in (1, 2)
        for quantity, meaning in (
            ("lag", "peak {1} of the {0} behind peak {1} of the steering wheel"),
            ("gain", "peak {1} of the {0} per rad of steering-wheel angle"),
        )
    ),
    evaluate,
    (low_pass(0.0),),
    ("steering_wheel_angle",),
    meaning="one period of a sine of the steering wheel: lags and gains of both peaks",
)
