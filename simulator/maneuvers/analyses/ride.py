"""Ride: absorbed power and weighted accelerations at the driver's head. [ISO 2631-1; absorbed power: reference sheet 1.9]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.algebra.path_length import path_length
from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from simulator.maneuvers import signal_processing
from simulator.maneuvers.analyses.common import NOTHING, column, curve, rows_of
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

MARK = "ISO 2631-1"
LEVELS = (0.315, 0.5, 0.8, 1.25, 2.0)
"""Values of a_v [m/s2] between the comfort levels; where the bands of the standard overlap, the lower limit of the worse level. [mem]"""
WORDS = ("not uncomfortable", "a little", "fairly", "uncomfortable", "very", "extremely uncomfortable")
HEALTH = 1.4
"""Weighting factor of the horizontal axes."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the rows after the distance `after`; the filters also use the rows before."""
    rows, dt = rows_of(drive, values), drive.interval
    distance = path_length(drive.columns["x"][rows], drive.columns["y"][rows])
    counted = np.flatnonzero(distance >= values["after"])
    if len(counted) < 2:
        return NOTHING
    counted_rows = slice(int(counted[0]), None)
    measured = {axis: column(drive, f"f_H_B_{axis}")[rows] for axis in "xyz"}
    weighted = {
        axis: signal_processing.weighted(series, dt, "Wk" if axis == "z" else "Wd")[counted_rows] for axis, series in measured.items()
    }
    rms = {axis: _rms(series) for axis, series in weighted.items()}
    a_v = math.sqrt((HEALTH * rms["x"]) ** 2 + (HEALTH * rms["y"]) ** 2 + rms["z"] ** 2)
    comfort = math.sqrt(rms["x"] ** 2 + rms["y"] ** 2 + rms["z"] ** 2)
    dose = float((np.sum(weighted["z"] ** 4) * dt) ** 0.25)
    power = signal_processing.responded(
        (measured["z"] - measured["z"].mean()) * signal_processing.FEET_PER_METER, dt, signal_processing.absorbed_power_response
    )
    sickness = signal_processing.weighted(measured["z"], dt, "Wf")[counted_rows]
    duration = len(weighted["z"]) * dt
    metrics = {f"weighted_acceleration_{axis}": value for axis, value in rms.items()}
    metrics |= {
        "absorbed_power": float(np.mean(power[counted_rows] ** 2)),
        "vertical_acceleration_rms": _rms(measured["z"][counted_rows] - measured["z"][counted_rows].mean()),
        "vibration_total": a_v,
        "comfort_total": comfort,
        "comfort_level": float(np.searchsorted(LEVELS, comfort, "right")),
        "vibration_dose": dose,
        "vibration_dose_ratio": dose / (rms["z"] * duration**0.25) if rms["z"] > 0.0 else math.nan,
        "crest_factor": float(np.abs(weighted["z"]).max() / rms["z"]) if rms["z"] > 0.0 else math.nan,
        "motion_sickness_acceleration": _rms(sickness),
        "motion_sickness_dose": _rms(sickness) * math.sqrt(duration),
    }
    time = drive.time[rows][counted_rows]
    return AnalysisResult(metrics, {"weighted": curve(time, weighted["z"], "time", "weighted vertical acceleration", "s", "m/s2")})


def _rms(series: Array) -> float:
    return math.sqrt(float(np.mean(series**2)))


_WORDS = ", ".join(f"{number} {word}" for number, word in enumerate(WORDS))
ANALYSIS = Analysis(
    "ride",
    (
        Metric("absorbed_power", "W", "power absorbed from the vertical acceleration at the head; limit of a course: 6 W", "AVTP / TOP 1-1-014 [mem]; filter [calc]"),
        Metric("vertical_acceleration_rms", "m/s2", "root mean square of the vertical acceleration, not weighted", "[calc]"),
        *(Metric(f"weighted_acceleration_{axis}", "m/s2", f"root mean square along {axis}, weighted by {weight}", MARK)
          for axis, weight in (("x", "Wd"), ("y", "Wd"), ("z", "Wk"))),
        Metric("vibration_total", "m/s2", "a_v for health: sqrt((1.4 a_wx)^2 + (1.4 a_wy)^2 + a_wz^2)", MARK),
        Metric("comfort_total", "m/s2", "a_v for comfort: sqrt(a_wx^2 + a_wy^2 + a_wz^2)", "ISO 2631-1 [mem]"),
        Metric("comfort_level", "1", _WORDS, "ISO 2631-1 [mem]"),
        Metric("vibration_dose", "m/s1.75", "VDV of the vertical axis, (integral of a_w^4)^(1/4)", MARK),
        Metric("vibration_dose_ratio", "1", "VDV / (a_w T^(1/4)); use VDV from 1.75 on", MARK),
        Metric("crest_factor", "1", "maximum over rms of the weighted vertical acceleration; use VDV above 9", "ISO 2631-1 [mem]"),
        Metric("motion_sickness_acceleration", "m/s2", "root mean square of the vertical acceleration, weighted by Wf", MARK),
        Metric("motion_sickness_dose", "m/s1.5", "MSDV_z, (integral of a_w^2)^(1/2) of the Wf-weighted acceleration", MARK),
    ),
    evaluate,
    (Field("after", Number("m", 0.0, 1e5), "distance after which the rows count", 0.0, written="m"),),
    ("f_H_B",),
    rate=500.0,
    meaning="ride at the driver's head: absorbed power, weighted accelerations, a_v, VDV, crest factor, comfort",
    curves={"weighted": "weighted vertical acceleration over time"},
)  # fmt: skip
