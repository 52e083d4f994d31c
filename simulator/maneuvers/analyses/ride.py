"""Ride: absorbed power and weighted accelerations at the driver's head. [ISO 2631-1; absorbed power: reference sheet 1.9]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.fields import Field, Number
from simulator.maneuvers import signal_processing
from simulator.maneuvers.analyses.common import NOTHING, Array, column, curve, rows_of
from simulator.maneuvers.analyses.contract import Analysis, Drive, Found, Metric

MARK = "ISO 2631-1"
LEVELS = (0.315, 0.5, 0.8, 1.25, 2.0)
"""m/s2 of a_v at which comfort changes its word; where the bands of the standard overlap, at the lower end of the worse one. [mem]"""
WORDS = ("not uncomfortable", "a little", "fairly", "uncomfortable", "very", "extremely uncomfortable")
HEALTH = 1.4
"""Weight of the horizontal axes."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> Found:
    """All of the rows after the way of the parameters; filters see the rows before too."""
    rows, dt = rows_of(drive, values), drive.interval
    x = drive.columns["x"][rows]
    gone = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(x), np.diff(drive.columns["y"][rows])))))
    counted = np.flatnonzero(gone >= values["after"])
    if len(counted) < 2:
        return NOTHING
    late = slice(int(counted[0]), None)
    felt = {axis: column(drive, f"f_H_B_{axis}")[rows] for axis in "xyz"}
    weighted = {axis: signal_processing.weighted(series, dt, "Wk" if axis == "z" else "Wd")[late] for axis, series in felt.items()}
    rms = {axis: _rms(series) for axis, series in weighted.items()}
    a_v = math.sqrt((HEALTH * rms["x"]) ** 2 + (HEALTH * rms["y"]) ** 2 + rms["z"] ** 2)
    comfort = math.sqrt(rms["x"] ** 2 + rms["y"] ** 2 + rms["z"] ** 2)
    dose = float((np.sum(weighted["z"] ** 4) * dt) ** 0.25)
    power = signal_processing.responded(
        (felt["z"] - felt["z"].mean()) * signal_processing.FEET_PER_METER, dt, signal_processing.absorbed_power_response
    )
    sickening = signal_processing.weighted(felt["z"], dt, "Wf")[late]
    duration = len(weighted["z"]) * dt
    found = {f"weighted_acceleration_{axis}": value for axis, value in rms.items()}
    found |= {
        "absorbed_power": float(np.mean(power[late] ** 2)),
        "vertical_acceleration_rms": _rms(felt["z"][late] - felt["z"][late].mean()),
        "vibration_total": a_v,
        "comfort_total": comfort,
        "comfort_level": float(np.searchsorted(LEVELS, comfort, "right")),
        "vibration_dose": dose,
        "vibration_dose_ratio": dose / (rms["z"] * duration**0.25) if rms["z"] > 0.0 else math.nan,
        "crest_factor": float(np.abs(weighted["z"]).max() / rms["z"]) if rms["z"] > 0.0 else math.nan,
        "motion_sickness_acceleration": _rms(sickening),
        "motion_sickness_dose": _rms(sickening) * math.sqrt(duration),
    }
    time = drive.time[rows][late]
    return Found(found, {"weighted": curve(time, weighted["z"], "time", "weighted vertical acceleration", "s", "m/s2")})


def _rms(series: Array) -> float:
    return math.sqrt(float(np.mean(series**2)))


_WORDS = ", ".join(f"{number} {word}" for number, word in enumerate(WORDS))
ANALYSIS = Analysis(
    "ride",
    (
        Metric("absorbed_power", "W", "power absorbed of the vertical acceleration at the head; 6 W is the limit of a course", "AVTP / TOP 1-1-014 [mem]; filter [calc]"),
        Metric("vertical_acceleration_rms", "m/s2", "root of the mean square of the vertical acceleration, not weighted", "[calc]"),
        *(Metric(f"weighted_acceleration_{axis}", "m/s2", f"root of the mean square along {axis}, weighted by {weight}", MARK)
          for axis, weight in (("x", "Wd"), ("y", "Wd"), ("z", "Wk"))),
        Metric("vibration_total", "m/s2", "a_v of health: sqrt((1.4 a_wx)^2 + (1.4 a_wy)^2 + a_wz^2)", MARK),
        Metric("comfort_total", "m/s2", "a_v of comfort: sqrt(a_wx^2 + a_wy^2 + a_wz^2)", "ISO 2631-1 [mem]"),
        Metric("comfort_level", "1", _WORDS, "ISO 2631-1 [mem]"),
        Metric("vibration_dose", "m/s1.75", "VDV of the vertical axis, (integral of a_w^4)^(1/4)", MARK),
        Metric("vibration_dose_ratio", "1", "VDV / (a_w T^(1/4)); from 1.75 on VDV is to be used", MARK),
        Metric("crest_factor", "1", "largest over rms of the weighted vertical acceleration; above 9 VDV is to be used", "ISO 2631-1 [mem]"),
        Metric("motion_sickness_acceleration", "m/s2", "root of the mean square of the vertical acceleration, weighted by Wf", MARK),
        Metric("motion_sickness_dose", "m/s1.5", "MSDV_z, (integral of a_w^2)^(1/2) of that", MARK),
    ),
    evaluate,
    (Field("after", Number("m", 0.0, 1e5), "way after which the rows count", 0.0, written="m"),),
    ("f_H_B",),
    rate=500.0,
    meaning="ride at the driver's head: absorbed power, weighted accelerations, a_v, VDV, crest factor, comfort",
    curves={"weighted": "weighted vertical acceleration over time"},
)  # fmt: skip
