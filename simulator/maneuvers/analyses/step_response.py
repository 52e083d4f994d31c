"""Response to a step of the steering wheel. [ISO 7401, mem]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import NOTHING, column, curve, low_pass, mean_between, peak, rows_of, sideslip
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric
from simulator.maneuvers.signal_processing import first_crossing

MARK = "ISO 7401 [mem]"
MIN_STEP = 1e-3
"""Steering-wheel angle [rad] below which there is no step."""
QUIET_TIME = 0.3
"""Time [s] before the step in which the wheel moves to half of the step."""
MIN_OVERSHOOT = 0.005
"""Overshoot below which a response has no peak: the maximum of a slow drift may be seconds later."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the response from t = 0 at half of the step; signs in the direction of the step, initial values removed."""
    rows = rows_of(drive, values)
    time, steering = drive.time[rows], column(drive, "steering_wheel_angle")[rows]
    end = float(time[-1])
    first, last = float(steering[0]), mean_between(time, steering, end - values["settle"], end)
    sign = math.copysign(1.0, last - first)
    if not abs(last - first) > MIN_STEP:
        return NOTHING
    zero = first_crossing(time, sign * steering, sign * 0.5 * (first + last), "rising")
    if values.get("length") is not None:
        end = min(end, zero + values["length"])
    before = (zero - QUIET_TIME - values["before"], zero - QUIET_TIME)

    def change(values_column: Array) -> tuple[Array, float]:
        """Return (series minus its mean before the step, steady value at the end), in the direction of the step."""
        series = values_column[rows]
        start = mean_between(time, series, *before)
        series = sign * (series - (float(series[0]) if math.isnan(start) else start))
        return series, mean_between(time, series, end - values["settle"], end)

    angle, angle_end = change(column(drive, "steering_wheel_angle"))
    yaw_rate, yaw_rate_end = change(column(drive, "w_WB_B_z", values))
    a_y, a_y_end = change(column(drive, "a_WG_B_y", values))
    roll, roll_end = change(column(drive, "roll", values))
    slip_end = change(sideslip(drive))[1]
    after = (time >= zero) & (time <= end)
    yaw_peak_time, yaw_overshoot = _peak(time, yaw_rate, yaw_rate_end, zero, after)
    a_y_peak_time, a_y_overshoot = _peak(time, a_y, a_y_end, zero, after)
    from_low = first_crossing(time, angle, 0.1 * angle_end, "rising", zero - 2.0 * QUIET_TIME)
    metrics = {
        "steer_time": first_crossing(time, angle, 0.9 * angle_end, "rising", from_low) - from_low,
        "steer_step": angle_end,
        "yaw_rate_response_time": _reached(time, yaw_rate, yaw_rate_end, zero, end),
        "lateral_acceleration_response_time": _reached(time, a_y, a_y_end, zero, end),
        "yaw_rate_peak_time": yaw_peak_time,
        "lateral_acceleration_peak_time": a_y_peak_time,
        "yaw_rate_overshoot": yaw_overshoot,
        "lateral_acceleration_overshoot": a_y_overshoot,
        "yaw_rate_steady_gain": yaw_rate_end / angle_end,
        "lateral_acceleration_steady_gain": a_y_end / angle_end,
        "step_lateral_acceleration": a_y_end,
        "step_roll_gain": roll_end / a_y_end if a_y_end > 0.0 else math.nan,
        "step_roll_overshoot": _peak(time, roll, roll_end, zero, after)[1],
        "step_sideslip": slip_end,
        "tb_factor": yaw_peak_time * abs(slip_end),
    }
    names = (("steering", angle, "rad"), ("yaw_rate", yaw_rate, "rad/s"), ("lateral_acceleration", a_y, "m/s2"), ("roll", roll, "rad"))
    return AnalysisResult(metrics, {name: curve(time - zero, y, "time", name.replace("_", " "), "s", unit) for name, y, unit in names})


def _reached(time: Array, series: Array, steady: float, zero: float, end: float) -> float:
    """Return the time [s] from t = 0 until 90 % of the steady value are first reached."""
    if not steady > 0.0:
        return math.nan
    crossing_time = first_crossing(time, series, 0.9 * steady, "rising", zero) - zero
    return crossing_time if crossing_time <= end - zero else math.nan


def _peak(time: Array, series: Array, steady: float, zero: float, after: np.ndarray) -> tuple[float, float]:
    """Return (time [s] from t = 0 to the peak, NaN without a peak; overshoot)."""
    if not steady > 0.0 or not after.any():
        return math.nan, math.nan
    when, highest = peak(time[after], series[after])
    overshoot = highest / steady - 1.0
    return when - zero if overshoot >= MIN_OVERSHOOT else math.nan, overshoot


_SECONDS = Number("s", 0.0, 3600.0)
ANALYSIS = Analysis(
    "step_response",
    (
        Metric("steer_time", "s", "time of the steering wheel from 10 to 90 % of the step; <= 0.15 s required", MARK),
        Metric("steer_step", "rad", "step of the steering wheel", MARK, "deg"),
        Metric("yaw_rate_response_time", "s", "time from half of the step to 90 % of the steady yaw rate", MARK),
        Metric("lateral_acceleration_response_time", "s", "time from half of the step to 90 % of the steady lateral acceleration", MARK),
        Metric("yaw_rate_peak_time", "s", "time from half of the step to the maximum yaw rate; none below 0.5 % of overshoot", MARK),
        Metric(
            "lateral_acceleration_peak_time",
            "s",
            "time from half of the step to the maximum lateral acceleration; none below 0.5 % of overshoot",
            MARK,
        ),
        Metric("yaw_rate_overshoot", "1", "(peak - steady) / steady of the yaw rate", MARK),
        Metric("lateral_acceleration_overshoot", "1", "(peak - steady) / steady of the lateral acceleration", MARK),
        Metric("yaw_rate_steady_gain", "1/s", "steady yaw rate per steering-wheel angle", MARK),
        Metric("lateral_acceleration_steady_gain", "m/s2/rad", "steady lateral acceleration per rad of steering-wheel angle", MARK),
        Metric("step_lateral_acceleration", "m/s2", "steady lateral acceleration; 4 m/s2 required", MARK),
        Metric("step_roll_gain", "rad s2/m", "steady roll angle per lateral acceleration", MARK, "degpg"),
        Metric("step_roll_overshoot", "1", "(peak - steady) / steady of the roll angle", MARK),
        Metric("step_sideslip", "rad", "steady sideslip of the center of mass, + = in the direction of the step", MARK, "deg"),
        Metric("tb_factor", "rad s", "peak response time of the yaw rate times steady sideslip", MARK, "degs"),
    ),
    evaluate,
    (
        Field("before", _SECONDS, "time before the step for the initial values", 0.5, written="s"),
        Field("settle", _SECONDS, "time at the end for the steady values", 1.0, written="s"),
        Field("length", _SECONDS, "evaluated time after the step; default: to the end", None, written="s"),
        low_pass(0.0),
    ),
    ("v_WG_B", "steering_wheel_angle"),
    meaning="step of the steering wheel: response and peak times, overshoot, gains, TB factor; steps to the left or right",
    curves={
        "steering": "steering-wheel angle over time since the step", "yaw_rate": "yaw rate over time since the step",
        "lateral_acceleration": "lateral acceleration over time since the step", "roll": "roll angle over time since the step",
    },
)  # fmt: skip
