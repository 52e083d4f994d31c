"""Torque at the steering wheel: parked, and on center. [ISO 13674-1, mem]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import MIN_SLIP_SPEED, column, curve, line, low_pass, rows_of
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

MARK = "ISO 13674-1 [mem]"
PARKED_SPEED = 0.1
"""Speed [m/s] below which the vehicle counts as parked."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the loop of torque over angle; on-center metrics only if the vehicle rolls most of the time."""
    rows = rows_of(drive, values)
    angle, torque = column(drive, "steering_wheel_angle", values)[rows], column(drive, "steering_wheel_torque", values)[rows]
    speed, yaw_rate = np.abs(column(drive, "v_WB_B_x")[rows]), column(drive, "w_WB_B_z", values)[rows]
    parked = speed < PARKED_SPEED
    metrics = {"steering_torque_max": float(np.abs(torque).max())}
    metrics["steering_torque_parked"] = float(np.abs(torque[parked]).max()) if parked.any() else math.nan
    if (speed > MIN_SLIP_SPEED).mean() > 0.5:
        metrics |= _on_center(angle, torque, yaw_rate, values["center"])
    return AnalysisResult(metrics, {"torque": curve(angle, torque, "steering-wheel angle", "steering-wheel torque", "rad", "N m")})


def _on_center(angle: Array, torque: Array, yaw_rate: Array, center: float) -> dict[str, float]:
    up, down = _levels(angle, torque, 0.0)
    angle_up, angle_down = _levels(torque, angle, 0.0)
    rate_up, rate_down = _levels(angle, yaw_rate, 0.0)
    near = np.abs(angle) <= center
    return {
        "on_center_torque_at_zero": 0.5 * abs(up - down),
        "on_center_torque_offset": 0.5 * (up + down),
        "on_center_torque_gradient": line(angle[near], torque[near]).slope,
        "on_center_angle_deadband": abs(angle_up - angle_down),
        "on_center_yaw_rate_gain": line(angle[near], yaw_rate[near]).slope,
        "on_center_yaw_rate_hysteresis": abs(rate_up - rate_down),
    }


def _levels(x: Array, y: Array, level: float) -> tuple[float, float]:
    """Return the mean of y where x rises through a level, and where it falls through it; NaN where it never does."""
    before, after = x[:-1] - level, x[1:] - level

    def mean(crosses: NDArray[np.bool_]) -> float:
        i = np.flatnonzero(crosses)
        fraction = before[i] / (before[i] - after[i])
        return float(np.mean(y[i] + fraction * (y[i + 1] - y[i]))) if i.size else math.nan

    return mean((before < 0.0) & (after >= 0.0)), mean((before > 0.0) & (after <= 0.0))


ANALYSIS = Analysis(
    "steering_effort",
    (
        Metric("steering_torque_max", "N m", "maximum torque at the steering wheel", "[calc]"),
        Metric("steering_torque_parked", "N m", "maximum torque at the steering wheel below 0.1 m/s", "[calc]"),
        Metric("on_center_torque_at_zero", "N m", "half the width of the loop of torque over angle at angle 0: friction", MARK),
        Metric("on_center_torque_offset", "N m", "middle of the loop at angle 0", MARK),
        Metric("on_center_torque_gradient", "N m/rad", "torque per angle near the center", MARK, "Nmpdeg"),
        Metric("on_center_angle_deadband", "rad", "width of the loop at torque 0", MARK, "deg"),
        Metric("on_center_yaw_rate_gain", "1/s", "yaw rate per angle near the center", MARK),
        Metric("on_center_yaw_rate_hysteresis", "rad/s", "width of the loop of yaw rate over angle at angle 0", MARK, "degps"),
    ),
    evaluate,
    (
        Field(
            "center",
            Number("rad", 0.0, 20.0),
            "maximum steering-wheel angle near the center",
            math.radians(5.0),
            written="deg",
        ),
        low_pass(10.0),
    ),
    ("steering_wheel_angle", "steering_wheel_torque"),
    meaning="steering torque: parked, and on center from a weave: torque at 0, gradient, hysteresis, deadband",
    curves={"torque": "steering-wheel torque over angle"},
)
