"""Fishhook and J-turn: wheel lift and spin-out. [NHTSA, mem]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import axles, column, longest, rows_of, sideslip, wheels
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

MARK = "NHTSA rollover [mem]"
SIDES = {"L": "left", "R": "right"}
ENDS = {0: "front", -1: "rear"}


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the loads by axle and side, and the time in which all wheels of a side are lifted together."""
    rows = rows_of(drive, values)
    corners = wheels(drive)
    loads = {corner: column(drive, f"F_C_{corner}_z")[rows] for corner in corners}
    slip, roll = np.abs(sideslip(drive)[rows]), np.abs(column(drive, "roll")[rows])
    metrics = {"rollover_roll_max": float(roll.max()), "rollover_sideslip_max": float(slip.max())}
    metrics["spun_out"] = float(slip.max() > values["spin_out"])
    metrics["rollover_roll_rate_max"] = float(np.abs(column(drive, "w_WB_B_x")[rows]).max())
    lift_times = []
    for letter, side in SIDES.items():
        up = [loads[corner] <= values["lifted"] for corner in corners if corner.endswith(letter)]
        if len(up) > 1:
            lift_times.append(longest(np.logical_and.reduce(up), drive.interval))
        for position, end in ENDS.items():
            corner = next((one for one in axles(corners)[position] if one.endswith(letter)), None) if corners else None
            metrics[f"load_min_{end}_{side}"] = float(loads[corner].min()) if corner else math.nan
    metrics["two_wheel_lift_time"] = max(lift_times, default=math.nan)
    return AnalysisResult(metrics, {})


ANALYSIS = Analysis(
    "rollover",
    (
        Metric("two_wheel_lift_time", "s", "longest time in which all wheels of one side are lifted together", MARK),
        *(Metric(f"load_min_{end}_{side}", "N", f"minimum load of the {side} wheel of the {end}most axle", MARK) for end in ENDS.values() for side in SIDES.values()),
        Metric("rollover_roll_max", "rad", "maximum roll angle", MARK, "deg"),
        Metric("rollover_roll_rate_max", "rad/s", "maximum roll rate", MARK, "degps"),
        Metric("rollover_sideslip_max", "rad", "maximum sideslip of the center of mass", MARK, "deg"),
        Metric("spun_out", "1", "1 if the sideslip exceeds `spin_out`, else 0", "[prop]"),
    ),
    evaluate,
    (
        Field("lifted", Number("N", 0.0, 1e6), "load below which a wheel counts as lifted", 1.0, written="N"),
        Field("spin_out", Number("rad", 0.0, math.pi), "sideslip above which the vehicle counts as spun out [prop]", math.radians(60.0), written="deg"),
    ),
    ("v_WG_B", "w_WB_B_x", "F_C"),
    meaning="fishhook, J-turn: minimum loads, two-wheel lift, roll, spin-out",
)  # fmt: skip
