"""Return of the released steering wheel in a turn: remaining angle and rate. [ISO 17288-1, mem]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import column, curve, low_pass, rows_of, value_at
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

MARK = "similar to ISO 17288-1 [mem]"


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the phase with the released wheel; its first row defines the turn before the release."""
    rows = rows_of(drive, values)
    time = drive.time[rows] - drive.time[rows][0]
    angle, rate = column(drive, "steering_wheel_angle", values)[rows], column(drive, "w_WB_B_z", values)[rows]
    side = math.copysign(1.0, angle[0])
    remaining = side * value_at(time, angle, values["after"])
    turned = side * angle[0]
    returned = np.flatnonzero(side * angle <= 0.5 * turned)
    metrics = {
        "return_angle_begin": float(turned),
        "return_angle_left": float(remaining),
        "return_share_left": float(remaining / turned) if turned > 0.0 else math.nan,
        "return_half_time": float(time[returned[0]]) if returned.size else math.nan,
        "return_overshoot": float(max(-(side * angle).min(), 0.0)),
        "return_rate_max": float(np.abs(column(drive, "steering_wheel_rate", values)[rows]).max()),
        "return_yaw_rate_left": float(side * value_at(time, rate, values["after"])),
    }
    return AnalysisResult(metrics, {"angle": curve(time, angle, "time", "steering-wheel angle", "s", "rad")})


ANALYSIS = Analysis(
    "returnability",
    (
        Metric("return_angle_begin", "rad", "angle of the steering wheel at release", MARK, "deg"),
        Metric("return_angle_left", "rad", "remaining angle after the time `after`, < 0 = beyond the center", MARK, "deg"),
        Metric("return_share_left", "1", "remaining angle as a fraction of the angle at release", MARK),
        Metric("return_half_time", "s", "time until half of the angle remains", MARK),
        Metric("return_overshoot", "rad", "maximum angle to the other side", MARK, "deg"),
        Metric("return_rate_max", "rad/s", "maximum rate of the steering wheel", "[calc]", "degps"),
        Metric("return_yaw_rate_left", "rad/s", "yaw rate after the time `after`, + = direction of the turn", MARK, "degps"),
    ),
    evaluate,
    (
        Field("after", Number("s", 0.0, 1000.0), "time from release to the evaluation of the remaining angle", 3.0, written="s"),
        low_pass(10.0),
    ),
    ("steering_wheel_angle", "steering_wheel_rate", "w_WB_B"),
    meaning="steering released in a turn: angle and yaw rate remaining after 3 s, overshoot",
    curves={"angle": "steering-wheel angle over time"},
)
