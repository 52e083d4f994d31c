"""Climbing and standing on grades: speed held, rolled back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import column, rows_of
from simulator.maneuvers.analyses.contract import Analysis, Drive, Found, Metric
from simulator.maneuvers.signal_processing import integral


def evaluate(drive: Drive, values: Mapping[str, Any]) -> Found:
    """Speeds and the way back; the grade is that of the chassis."""
    rows = rows_of(drive, values)
    time, speed = drive.time[rows], column(drive, "v_WB_B_x")[rows]
    late = time >= time[-1] - values["settle"] - 1e-9
    gone = integral(speed, drive.interval)
    return Found(
        {
            "climb_speed_end": float(speed[late].mean()),
            "climb_speed_min": float(speed.min()),
            "rolled_back": float((np.maximum.accumulate(gone) - gone).max()),
            "climbed": float(np.asarray(drive.columns["p_WB_z"])[rows][-1] - np.asarray(drive.columns["p_WB_z"])[rows][0]),
            "grade": float(np.tan(-column(drive, "pitch")[rows][late].mean())),
            "side_slope": float(np.tan(column(drive, "roll")[rows][late].mean())),
            "climb_way": float(gone[-1]),
        },
        {},
    )


ANALYSIS = Analysis(
    "grade",
    (
        Metric("climb_speed_end", "m/s", "mean forward speed over the last time of the parameters", "[calc]"),
        Metric("climb_speed_min", "m/s", "smallest forward speed", "[calc]"),
        Metric("rolled_back", "m", "largest way back behind the foremost point", "[calc]"),
        Metric("climbed", "m", "height gained", "[calc]"),
        Metric("climb_way", "m", "way forward", "[calc]"),
        Metric("grade", "m/m", "grade of the chassis at the end, + = uphill; with the squat of the suspension", "[calc]", "percent"),
        Metric("side_slope", "m/m", "side slope of the chassis at the end, + = right side down; with its roll", "[calc]", "percent"),
    ),
    evaluate,
    (Field("settle", Number("s", 0.0, 3600.0), "time at the end over which speed and attitude are means", 1.0, written="s"),),
    ("p_WB_z",),
    meaning="grades and side slopes: speed held, rolled back, height gained",
)
