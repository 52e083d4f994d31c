"""One period of a sine of the steering wheel: how late and how large the answers are. [ISO 7401, mem]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.maneuvers.analyses.common import NOTHING, Array, column, low_pass, peak, rows_of
from simulator.maneuvers.analyses.contract import Analysis, Drive, Found, Metric

MARK = "ISO 7401 [mem]"
LEAST = 1e-3
"""rad of steering-wheel angle below which there is no sine."""
BEGUN = 0.1
"""Share of the largest angle from which the sine has begun."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> Found:
    """The two peaks of each series, the first in the direction in which the wheel is turned first."""
    rows = rows_of(drive, values)
    time, steering = drive.time[rows], column(drive, "steering_wheel_angle", values)[rows]
    steering = steering - steering[0]
    largest = float(np.abs(steering).max())
    if not largest > LEAST:
        return NOTHING
    begun = int(np.flatnonzero(np.abs(steering) > BEGUN * largest)[0])
    sign = math.copysign(1.0, steering[begun])
    steer = _two(time[begun:], sign * steering[begun:])
    found = {}
    for name, series in (("yaw_rate", "w_WB_B_z"), ("lateral_acceleration", "a_WG_B_y")):
        answer = column(drive, series, values)[rows]
        answers = _two(time[begun:], sign * (answer - answer[begun])[begun:])
        for number, (asked, given) in enumerate(zip(steer, answers, strict=True), 1):
            found[f"{name}_lag_{number}"] = given[0] - asked[0]
            found[f"{name}_gain_{number}"] = given[1] / asked[1]
    return Found(found, {})


def _two(time: Array, series: Array) -> tuple[tuple[float, float], tuple[float, float]]:
    """(time, value) of the largest value before the smallest one, and of this."""
    lowest = int(np.argmin(series))
    when, value = peak(time, -series)
    return peak(time[: lowest + 1], series[: lowest + 1]), (when, -value)


ANALYSIS = Analysis(
    "sine_lag",
    tuple(
        Metric(f"{name}_{what}_{number}", unit if what == "gain" else "s", words.format(name.replace("_", " "), number), MARK)
        for name, unit in (("yaw_rate", "1/s"), ("lateral_acceleration", "m/s2/rad"))
        for number in (1, 2)
        for what, words in (
            ("lag", "peak {1} of the {0} behind peak {1} of the steering wheel"),
            ("gain", "peak {1} of the {0} per rad of it"),
        )
    ),
    evaluate,
    (low_pass(0.0),),
    ("steering_wheel_angle",),
    meaning="one period of a sine of the steering wheel: lags and gains of both peaks",
)
