"""Coast-down: rolling resistance and drag from the loss of speed. [SAE J1263, mem]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.fields import Field, Number
from simulator.maneuvers import signal_processing
from simulator.maneuvers.analyses.common import NOTHING, PEDAL, G, column, curve, low_pass, rows_of
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

FEWEST = 10


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Fit -dv/dt = c0 + c2 v^2 by least squares to the rows without pedals and within the speed range."""
    rows = rows_of(drive, values)
    speed_column = column(drive, "v_WB_B_x", values)
    speed, deceleration = speed_column[rows], -signal_processing.derivative(speed_column, drive.interval)[rows]
    free = (column(drive, "throttle")[rows] <= PEDAL) & (column(drive, "brake")[rows] <= PEDAL)
    free &= (speed >= values["from"]) & (speed <= values["to"])
    if free.sum() < FEWEST or not np.ptp(speed[free]) > 0.0:
        return NOTHING
    v, a = speed[free], deceleration[free]
    (c0, c2), *_ = np.linalg.lstsq(np.column_stack((np.ones(len(v)), v * v)), a, rcond=None)
    mass = drive.traits.mass * values["rotating"]
    area = 2.0 * mass * float(c2) / values["air_density"]
    return AnalysisResult(
        {
            "coast_rolling_resistance": float(c0) * values["rotating"] / G,
            "coast_drag_area": area,
            "coast_drag_coefficient": area / values["area"] if values.get("area") else math.nan,
            "coast_fit_error": float(np.sqrt(np.mean((a - c0 - c2 * v * v) ** 2))),
            "coast_speed_lost": float(np.ptp(v)),
        },
        {"deceleration": curve(v, a, "speed", "deceleration", "m/s", "m/s2")},
    )


_SPEED = Number("m/s", 0.0, 120.0)
ANALYSIS = Analysis(
    "coast_down",
    (
        Metric("coast_rolling_resistance", "1", "resistance at standstill over weight, including transmission drag", "SAE J1263 [mem]"),
        Metric("coast_drag_area", "m2", "drag coefficient times frontal area", "SAE J1263 [mem]"),
        Metric("coast_drag_coefficient", "1", "drag area over the frontal area `area`", "SAE J1263 [mem]"),
        Metric("coast_fit_error", "m/s2", "root mean square residual of the fit", "[calc]"),
        Metric("coast_speed_lost", "m/s", "range of speeds of the fit", "[calc]"),
    ),
    evaluate,
    (
        Field("from", _SPEED, "lowest speed of the fit", 10.0 / 3.6, written="kph"),
        Field("to", _SPEED, "highest speed of the fit", 120.0, written="kph"),
        Field("area", Number("m2", 0.0, 100.0, above=0.0), "frontal area", None, written="m2"),
        Field("air_density", Number("kg/m3", 0.1, 10.0), "density of the air", 1.225),
        Field("rotating", Number("1", 1.0, 2.0), "effective mass including rotating parts, over mass", 1.0),
        low_pass(0.0),
    ),
    ("throttle", "brake"),
    meaning="coast-down: rolling resistance and drag by a fit of the deceleration",
    curves={"deceleration": "deceleration over speed"},
)
