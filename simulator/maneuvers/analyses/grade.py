"""Grades: climbing, stopping and rolling back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import column, rows_of
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric
from simulator.maneuvers.signal_processing import integral


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate speeds and the distance rolled back; the grade is that of the chassis."""
    rows = rows_of(drive, values)
    time, speed = drive.time[rows], column(drive, "v_WB_B_x")[rows]
    final = time >= time[-1] - values["settle"] - 1e-9
    distance = integral(speed, drive.interval)
    return AnalysisResult(
        {
            "climb_speed_end": float(speed[final].mean()),
            "climb_speed_min": float(speed.min()),
            "rolled_back": float((np.maximum.accumulate(distance) - distance).max()),
            "climbed": float(np.asarray(drive.columns["p_WB_z"])[rows][-1] - np.asarray(drive.columns["p_WB_z"])[rows][0]),
            "grade": float(np.tan(-column(drive, "pitch")[rows][final].mean())),
            "side_slope": float(np.tan(column(drive, "roll")[rows][final].mean())),
            "climb_way": float(distance[-1]),
        },
        {},
    )


ANALYSIS = Analysis(
    "grade",
    (
        Metric("climb_speed_end", "m/s", "mean forward speed over the final `settle` time", "[calc]"),
        Metric("climb_speed_min", "m/s", "minimum forward speed", "[calc]"),
        Metric("rolled_back", "m", "maximum distance back from the foremost point", "[calc]"),
        Metric("climbed", "m", "height gained", "[calc]"),
        Metric("climb_way", "m", "distance forward", "[calc]"),
        Metric("grade", "m/m", "grade of the chassis at the end, + = uphill, including the squat of the suspension", "[calc]", "percent"),
        Metric(
            "side_slope",
            "m/m",
            "side slope of the chassis at the end, + = right side down, including the roll of the body",
            "[calc]",
            "percent",
        ),
    ),
    evaluate,
    (Field("settle", Number("s", 0.0, 3600.0), "time at the end of the run for mean speed and attitude", 1.0, written="s"),),
    ("p_WB_z",),
    meaning="grades and side slopes: final speed, distance rolled back, height gained",
)
