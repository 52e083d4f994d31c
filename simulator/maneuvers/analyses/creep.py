"""Creep: how fast the vehicle goes in drive with both feet on the floor."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import NOTHING, PEDAL, column, longest, rows_of
from simulator.maneuvers.analyses.contract import Analysis, Drive, Found, Metric

ALMOST = 0.9
"""Share of the speed at the end that it takes time to come to."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> Found:
    """Of the rows after the last touch of a pedal."""
    rows = rows_of(drive, values)
    pressed = np.flatnonzero((column(drive, "throttle")[rows] > PEDAL) | (column(drive, "brake")[rows] > PEDAL))
    first = int(pressed[-1]) + 1 if pressed.size else 0
    time, speed = drive.time[rows][first:], column(drive, "v_WB_B_x")[rows][first:]
    if len(time) < 2 or time[-1] - time[0] < values["settle"]:
        return NOTHING
    late = time >= time[-1] - values["settle"] - 1e-9
    end = float(speed[late].mean())
    return Found(
        {
            "creep_speed": end,
            "creep_time": longest(speed < ALMOST * end, drive.interval) if end > 0.0 else math.nan,
            "creep_speed_change": float(np.ptp(speed[late])),
        },
        {},
    )


ANALYSIS = Analysis(
    "creep",
    (
        Metric("creep_speed", "m/s", "mean speed at the end, without pedals", "[calc]"),
        Metric("creep_time", "s", "time until 90 % of it", "[calc]"),
        Metric("creep_speed_change", "m/s", "difference of the largest and smallest speed at the end", "[calc]"),
    ),
    evaluate,
    (Field("settle", Number("s", 0.1, 3600.0), "time at the end over which the speed is a mean", 2.0, written="s"),),
    ("throttle", "brake"),
    meaning="creep: speed at idle in drive without pedals",
)
