"""Slowly increasing steer: the steering-wheel angle at 0.3 g by regression. [49 CFR 571.126 S7.6 via GB/T 30677]"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.fields import Field, Number
from simulator.maneuvers import signal_processing
from simulator.maneuvers.analyses.common import NOTHING, G, column, curve, line, rows_of
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

MARK = "49 CFR 571.126 via GB/T 30677"
STEER_HZ, OTHERS_HZ = 10.0, 6.0


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Fit the angle over the lateral acceleration, from the first row above the lower limit of the window to the first above the upper."""
    rows = rows_of(drive, values)
    steering = signal_processing.phaseless(column(drive, "steering_wheel_angle"), drive.interval, STEER_HZ)[rows]
    a_y = signal_processing.phaseless(column(drive, "a_WG_B_y"), drive.interval, OTHERS_HZ)[rows]
    sign = 1.0 if a_y[int(np.argmax(np.abs(a_y)))] >= 0.0 else -1.0
    steering, a_y, time, speed = sign * steering, sign * a_y, drive.time[rows], column(drive, "v_WB_B_x")[rows]
    beyond_low, beyond_high = (np.flatnonzero(a_y >= values[end]) for end in ("from", "to"))
    if not beyond_low.size or not beyond_high.size:
        return NOTHING
    window = slice(int(beyond_low[0]), int(beyond_high[0]) + 1)
    # angle as a function of acceleration, because the result is the angle at an acceleration
    fit = line(a_y[window], steering[window])
    return AnalysisResult(
        {
            "steering_angle_at_level": fit.offset + fit.slope * values["level"],
            "steering_regression": fit.explained,
            "steering_rate_mean": line(time[window], steering[window]).slope,
            "speed_deviation_max": float(np.abs(speed[window] - speed[window][0]).max()),
        },
        {"steering": curve(a_y, steering, "lateral acceleration", "steering-wheel angle", "m/s2", "rad")},
    )


_LATERAL = Number("m/s2", 0.0, 30.0)
ANALYSIS = Analysis(
    "slowly_increasing_steer",
    (
        Metric(
            "steering_angle_at_level",
            "rad",
            "magnitude A of the steering-wheel angle at the level (0.3 g), by regression",
            MARK,
            "deg",
        ),
        Metric("steering_regression", "1", "fraction of the variance of the angle that the regression explains", "[calc]"),
        Metric("steering_rate_mean", "rad/s", "mean rate of the steering wheel within the window", "[calc]", "degps"),
        Metric("speed_deviation_max", "m/s", "maximum change of speed within the window", "[calc]"),
    ),
    evaluate,
    (
        Field("level", _LATERAL, "lateral acceleration of the evaluated angle", 0.3 * G, written="g"),
        Field("from", _LATERAL, "lower limit of the window of the regression [mem]", 0.1 * G, written="g"),
        Field("to", _LATERAL, "upper limit of the window [mem]", 0.375 * G, written="g"),
    ),
    ("steering_wheel_angle",),
    meaning="slowly increasing steer: steering-wheel angle at 0.3 g by regression over 0.1 to 0.375 g",
    curves={"steering": "steering-wheel angle over lateral acceleration"},
)
