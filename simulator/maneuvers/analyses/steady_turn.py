"""Steady turns: understeer gradient and related gradients at constant radius, speed or steering angle. [ISO 4138, mem]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.fields import Field, Number
from simulator.maneuvers import signal_processing
from simulator.maneuvers.analyses.common import MIN_SLIP_SPEED, NOTHING, column, curve, line, low_pass, road_wheel_angle, rows_of, sideslip
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

MARK = "ISO 4138 [mem]"
GRADIENTS = (
    Metric(
        "understeer_gradient", "rad s2/m", "change of road-wheel angle minus L/R per lateral acceleration, within the band", MARK, "degpg"
    ),
    Metric("understeer_gradient_left", "rad s2/m", "understeer gradient of left turns", MARK, "degpg"),
    Metric("understeer_gradient_right", "rad s2/m", "understeer gradient of right turns", MARK, "degpg"),
    Metric(
        "understeer_gradient_least",
        "rad s2/m",
        "minimum understeer gradient in any window of 0.1 g inside the band, either side",
        "[calc]",
        "degpg",
    ),
    Metric("understeer_gradient_change", "rad s2/m", "maximum minus minimum of the local understeer gradients", "[calc]", "degpg"),
    Metric(
        "sideslip_gradient",
        "rad s2/m",
        "sideslip of the center of mass per lateral acceleration; at constant speed it contains b/R and rises with the speed",
        MARK,
        "degpg",
    ),
    Metric(
        "rear_sideslip_gradient",
        "rad s2/m",
        "sideslip at the rear axle (that of the center of mass minus b/R) per lateral acceleration: the same at all speeds and radii",
        "[calc]",
        "degpg",
    ),
    Metric("roll_gradient", "rad s2/m", "roll angle per lateral acceleration", MARK, "degpg"),
    Metric("steering_torque_gradient", "N m s2/m", "torque at the steering wheel per lateral acceleration", MARK, "Nmpg"),
    Metric("steady_yaw_rate_gain", "1/s", "yaw rate per steering-wheel angle, mean over the band", MARK),
    Metric("steady_lateral_acceleration_max", "m/s2", "maximum steady lateral acceleration", MARK),
    Metric("characteristic_speed", "m/s", "speed that requires twice the angle of a slow turn, sqrt(L / K); K > 0", "[calc]"),
    Metric("critical_speed", "m/s", "speed above which the vehicle is unstable, sqrt(-L / K); K < 0", "[calc]"),
    Metric("steering_ratio", "1", "steering-wheel angle per road-wheel angle, within the band", "[calc]"),
)
SIDES = (("left", 1.0), ("right", -1.0))
"""Sides of a turn, with the sign of their lateral acceleration."""
BINS = 0.25
"""Width of the bins of lateral acceleration [m/s2]; bins give all accelerations the same weight, independent of their duration."""

WINDOW = 0.1 * STANDARD_GRAVITY
"""Range [m/s2] of a local understeer gradient: four bins, to suppress the noise of one bin."""


class Turn(NamedTuple):
    """Means over bins of lateral acceleration (k,), all with the sign of a left turn."""

    acceleration: Array
    beyond: Array
    """Road-wheel angle minus that of a slow turn (rad)."""
    steering: Array
    road_wheel: Array
    sideslip: Array
    rear_sideslip: Array
    roll: Array
    torque: Array
    yaw_rate: Array
    curvature: Array


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Collect the steady rows of each side in bins and fit lines to the bins within the band."""
    rows = rows_of(drive, values)
    a_y, speed = column(drive, "a_WG_B_y", values), column(drive, "v_WB_B_x")
    change = np.abs(signal_processing.running_mean(signal_processing.derivative(a_y, drive.interval), drive.interval, 1.0))
    steady = np.zeros(len(a_y), dtype=bool)
    steady[rows] = True
    steady &= (change <= values["change"]) & (speed > 2.0 * MIN_SLIP_SPEED)
    turns = {side: _turn(drive, values, _to_the_limit(steady & (sign * a_y > 0.0), sign * a_y), sign) for side, sign in SIDES}
    if not any(len(turn.acceleration) for turn in turns.values()):
        return NOTHING
    both = Turn(*(np.concatenate(pair) for pair in zip(*turns.values(), strict=True)))
    lower, upper = values["from"], values["to"]
    metrics = _lines(both, lower, upper, drive.traits.wheelbase)
    for side, turn in turns.items():
        inside = (turn.acceleration >= lower) & (turn.acceleration <= upper)
        metrics[f"understeer_gradient_{side}"] = line(turn.acceleration[inside], turn.beyond[inside]).slope
    local = [gradient for turn in turns.values() for gradient in _local(turn, lower, upper)] or [math.nan]
    metrics["understeer_gradient_least"], metrics["understeer_gradient_change"] = min(local), max(local) - min(local)
    metrics["understeer_gradient"] = float(np.mean(_sides(metrics) or [math.nan]))
    gradient, wheelbase = metrics["understeer_gradient"], drive.traits.wheelbase
    metrics["characteristic_speed"] = math.sqrt(wheelbase / gradient) if gradient > 0.0 else math.nan
    metrics["critical_speed"] = math.sqrt(-wheelbase / gradient) if gradient < 0.0 else math.nan
    metrics["steady_lateral_acceleration_max"] = float(np.abs(a_y[steady]).max())
    return AnalysisResult(metrics, _curves(turns))


def _to_the_limit(selected: np.ndarray, a_y: Array) -> np.ndarray:
    """Return the selected rows up to the largest acceleration; beyond it the vehicle slides, and angles do not depend on it alone."""
    last = int(np.argmax(np.where(selected, a_y, -np.inf)))
    return selected & (np.arange(len(a_y)) <= last)


def _local(turn: Turn, lower: float, upper: float) -> list[float]:
    """Return the understeer gradients of all windows in the band that the bins cover almost completely."""
    a_y = turn.acceleration
    inside = [(a_y >= start) & (a_y <= start + WINDOW) for start in np.arange(lower, upper - WINDOW + 1e-9, 0.5 * BINS)]
    return [line(a_y[one], turn.beyond[one]).slope for one in inside if one.any() and np.ptp(a_y[one]) > 0.6 * WINDOW]


def _sides(metrics: Mapping[str, float]) -> list[float]:
    sides = (metrics["understeer_gradient_left"], metrics["understeer_gradient_right"])
    return [side for side in sides if math.isfinite(side)]


def _turn(drive: Drive, values: Mapping[str, Any], selected: np.ndarray, sign: float) -> Turn:
    speed, yaw_rate = column(drive, "v_WB_B_x")[selected], sign * column(drive, "w_WB_B_z", values)[selected]
    a_y = sign * column(drive, "a_WG_B_y", values)[selected]
    road_wheel, curvature = sign * road_wheel_angle(drive)[selected], yaw_rate / speed
    steering = sign * column(drive, "steering_wheel_angle")[selected]
    torque = sign * column(drive, "steering_wheel_torque", values)[selected]
    beyond = road_wheel - drive.traits.wheelbase * curvature
    slip = sign * sideslip(drive)[selected]
    turn = Turn(
        a_y,
        beyond,
        steering,
        road_wheel,
        slip,
        slip - drive.traits.front_share * drive.traits.wheelbase * curvature,
        sign * column(drive, "roll")[selected],
        torque,
        yaw_rate,
        curvature,
    )
    bins = np.floor(a_y / BINS).astype(int)
    counts = np.bincount(bins) if len(bins) else np.zeros(0, dtype=int)
    full = counts > 0
    return Turn(*((np.bincount(bins, one, len(counts))[full] / counts[full]) if len(bins) else np.zeros(0) for one in turn))


def _lines(turn: Turn, lower: float, upper: float, wheelbase: float) -> dict[str, float]:
    inside = (turn.acceleration >= lower) & (turn.acceleration <= upper)
    a_y = turn.acceleration[inside]
    steered = inside & (turn.steering > 0.0)
    return {
        "sideslip_gradient": line(a_y, turn.sideslip[inside]).slope,
        "rear_sideslip_gradient": line(a_y, turn.rear_sideslip[inside]).slope,
        "roll_gradient": line(a_y, turn.roll[inside]).slope,
        "steering_torque_gradient": line(a_y, turn.torque[inside]).slope,
        "steady_yaw_rate_gain": float(np.mean(turn.yaw_rate[steered] / turn.steering[steered])) if steered.any() else math.nan,
        "steering_ratio": float(np.mean(turn.steering[steered] / turn.road_wheel[steered])) if steered.any() else math.nan,
    }


def _curves(turns: Mapping[str, Turn]) -> dict[str, Any]:
    left, right = turns["left"], turns["right"]
    a_y = np.concatenate((-right.acceleration[::-1], left.acceleration))
    beyond = np.concatenate((-right.beyond[::-1], left.beyond))
    out = {"handling": curve(a_y, beyond, "lateral acceleration, + = left", "road-wheel angle beyond L/R", "m/s2", "rad")}
    for side, turn in turns.items():
        if len(turn.acceleration) < 2:
            continue
        a_y = turn.acceleration
        names = (
            ("steering", turn.steering, "steering-wheel angle", "rad"),
            ("sideslip", turn.sideslip, "sideslip", "rad"), ("roll", turn.roll, "roll", "rad"),
            ("torque", turn.torque, "steering-wheel torque", "N m"),
            ("understeer", np.gradient(turn.beyond, a_y), "understeer gradient", "rad s2/m"),
        )  # fmt: skip
        for name, y, label, unit in names:
            out[f"{name}_{side}"] = curve(a_y, y, "lateral acceleration", label, "m/s2", unit)
    return out


_LATERAL = Number("m/s2", 0.0, 30.0)
ANALYSIS = Analysis(
    "steady_turn",
    GRADIENTS,
    evaluate,
    (
        Field("from", _LATERAL, "lower limit of the band of lateral acceleration", 1.0, written="mps2"),
        Field("to", _LATERAL, "upper limit of the band", 4.0, written="mps2"),
        Field("change", Number("m/s3", 0.0, 1000.0), "maximum rate of change of the lateral acceleration in steady rows", 0.5, written="mps3"),
        low_pass(1.0),
    ),
    ("v_WG_B", "steering_wheel_angle", "steering_wheel_torque"),
    meaning="steady turns at constant radius, speed or steer: understeer gradient, sideslip, roll, torque over lateral acceleration",
    curves={"handling": "handling diagram: road-wheel angle beyond L/R over lateral acceleration"}
    | {
        f"{name}_{side}": f"{description} over lateral acceleration, {side} turns"
        for side in ("left", "right")
        for name, description in (
            ("steering", "steering-wheel angle"), ("sideslip", "sideslip"),
            ("roll", "roll"), ("torque", "steering-wheel torque"), ("understeer", "understeer gradient"),
        )
    },
)  # fmt: skip
