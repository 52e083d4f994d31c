"""Creep: speed of the vehicle in drive without pedals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import NOTHING, PEDAL, column, longest, rows_of
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

FINAL_FRACTION = 0.9
"""Fraction of the final speed for the creep time."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the rows after the last touch of a pedal."""
    rows = rows_of(drive, values)
    pressed = np.flatnonzero((column(drive, "throttle")[rows] > PEDAL) | (column(drive, "brake")[rows] > PEDAL))
    first = int(pressed[-1]) + 1 if pressed.size else 0
    time, speed = drive.time[rows][first:], column(drive, "v_WB_B_x")[rows][first:]
    if len(time) < 2 or time[-1] - time[0] < values["settle"]:
        return NOTHING
    final = time >= time[-1] - values["settle"] - 1e-9
    end = float(speed[final].mean())
    return AnalysisResult(
        {
            "creep_speed": end,
            "creep_time": longest(speed < FINAL_FRACTION * end, drive.interval) if end > 0.0 else math.nan,
            "creep_speed_change": float(np.ptp(speed[final])),
        },
        {},
    )


ANALYSIS = Analysis(
    "creep",
    (
        Metric("creep_speed", "m/s", "mean speed at the end, without pedals", "[calc]"),
        Metric("creep_time", "s", "time until 90 % of creep_speed", "[calc]"),
        Metric("creep_speed_change", "m/s", "range of the speed at the end", "[calc]"),
    ),
    evaluate,
    (Field("settle", Number("s", 0.1, 3600.0), "time at the end of the run for the mean speed", 2.0, written="s"),),
    ("throttle", "brake"),
    meaning="creep: speed at idle in drive without pedals",
)
