"""Shock: vertical acceleration of the driver on a half-round or a ramp. [TOP 1-1-014, mem]"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.maneuvers.analyses.common import G, column, curve, low_pass, peak, rows_of
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

MARK = "TOP 1-1-014 [mem]"


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the peaks of the vertical specific force at the head minus g."""
    rows = rows_of(drive, values)
    time, shock = drive.time[rows], column(drive, "f_H_B_z", values)[rows] - G
    return AnalysisResult(
        {
            "shock_max": peak(time, np.abs(shock))[1],
            "shock_up_max": peak(time, shock)[1],
            "shock_down_max": peak(time, -shock)[1],
            "shock_time": peak(time, np.abs(shock))[0],
            "shock_speed": float(np.interp(peak(time, np.abs(shock))[0], time, column(drive, "v_WB_B_x")[rows])),
        },
        {"shock": curve(time, shock, "time", "vertical specific force at the head minus g", "s", "m/s2")},
    )


ANALYSIS = Analysis(
    "shock",
    (
        Metric("shock_max", "m/s2", "maximum magnitude of the vertical specific force at the head minus g; limit 2.5 g", MARK, "g"),
        Metric("shock_up_max", "m/s2", "maximum upward value (the seat pushes)", MARK, "g"),
        Metric("shock_down_max", "m/s2", "maximum downward value", MARK, "g"),
        Metric("shock_time", "s", "time of the maximum magnitude", "[calc]"),
        Metric("shock_speed", "m/s", "forward speed at the maximum magnitude", "[calc]"),
    ),
    evaluate,
    (low_pass(30.0),),
    ("f_H_B_z",),
    rate=500.0,
    meaning="shock: maximum vertical acceleration at the driver's head, 30 Hz low pass",
    curves={"shock": "vertical acceleration at the head over time"},
)
