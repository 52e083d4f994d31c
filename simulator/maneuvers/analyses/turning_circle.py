"""Tightest turn: diameter between curbs and between walls. [ISO 789-3, UN R79, mem]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import NOTHING, axles, curve, rows_of, wheels
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric
from simulator.maneuvers.cone_course import Track, outline


class Circle(NamedTuple):
    """Center and radius of a circle, m."""

    x: float
    y: float
    radius: float


def circle(x: Array, y: Array) -> Circle:
    """Return the least-squares circle of x^2 + y^2 = 2 a x + 2 b y + c. [Kasa 1976]"""
    mean_x, mean_y = x.mean(), y.mean()
    u, v = x - mean_x, y - mean_y
    (a, b, c), *_ = np.linalg.lstsq(np.column_stack((2.0 * u, 2.0 * v, np.ones(len(u)))), u * u + v * v, rcond=None)
    return Circle(float(a + mean_x), float(b + mean_y), math.sqrt(max(0.0, float(c + a * a + b * b))))


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the final part of the turn, of the angle `turn`."""
    rows = rows_of(drive, values)
    heading = drive.columns["heading"][rows]
    turned = np.abs(heading - heading[-1])
    if not turned.max() >= values["turn"]:
        return NOTHING
    last = int(np.flatnonzero(turned >= values["turn"])[-1])
    sign = math.copysign(1.0, float(heading[-1] - heading[last]))
    outer = axles(wheels(drive))[0][-1 if sign > 0.0 else 0]
    x, y = (np.asarray(drive.columns[f"p_WC_{outer}_{axis}"])[rows][last:] for axis in "xy")
    path = circle(x, y)
    metrics = {
        "turning_circle_curb": 2.0 * path.radius,
        "turning_radius": path.radius,
        "turning_steering_wheel_angle": float(np.mean(np.asarray(drive.columns["steering_wheel_angle"])[rows][last:])),
        "turning_speed": float(np.mean(drive.columns["v_WB_B_x"][rows][last:])),
    }
    if drive.body is not None:
        B = [np.asarray(drive.columns[name])[rows][last:] for name in ("p_WB_x", "p_WB_y", "yaw", "v_WB_B_x")]
        corners_x, corners_y = outline(drive.body, Track(*B))
        metrics["turning_circle_wall"] = 2.0 * float(np.hypot(corners_x - path.x, corners_y - path.y).max(axis=1).mean())
    return AnalysisResult(metrics, {"wheel": curve(x - path.x, y - path.y, "east of the center", "north of the center", "m", "m")})


ANALYSIS = Analysis(
    "turning_circle",
    (
        Metric("turning_circle_curb", "m", "diameter of the path of the outer front wheel's contact point", "[calc]"),
        Metric("turning_circle_wall", "m", "diameter of the circle that the body's outline sweeps", "[calc]"),
        Metric("turning_radius", "m", "half of the diameter between curbs", "[calc]"),
        Metric("turning_steering_wheel_angle", "rad", "mean angle of the steering wheel, + = left", "[calc]", "deg"),
        Metric("turning_speed", "m/s", "mean speed", "[calc]"),
    ),
    evaluate,
    (Field("turn", Number("rad", 0.5, 100.0), "evaluated angle at the end of the turn", math.tau, written="deg"),),
    ("p_WC", "F_C", "steering_wheel_angle"),
    meaning="turning circle: diameters between curbs and between walls",
    curves={"wheel": "path of the outer front wheel about the center of its circle"},
)
