"""Fishhook and J-turn: do wheels lift, does the vehicle spin out. [NHTSA, mem]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import axles, column, longest, rows_of, sideslip, wheels
from simulator.maneuvers.analyses.contract import Analysis, Drive, Found, Metric

MARK = "NHTSA rollover [mem]"
SIDES = {"L": "left", "R": "right"}
ENDS = {0: "front", -1: "rear"}


def evaluate(drive: Drive, values: Mapping[str, Any]) -> Found:
    """Loads by axle and side, and how long all wheels of a side are up together."""
    rows = rows_of(drive, values)
    corners = wheels(drive)
    loads = {corner: column(drive, f"F_C_{corner}_z")[rows] for corner in corners}
    slip, roll = np.abs(sideslip(drive)[rows]), np.abs(column(drive, "roll")[rows])
    found = {"rollover_roll_max": float(roll.max()), "rollover_sideslip_max": float(slip.max())}
    found["spun_out"] = float(slip.max() > values["spin_out"])
    found["rollover_roll_rate_max"] = float(np.abs(column(drive, "w_WB_B_x")[rows]).max())
    together = []
    for letter, side in SIDES.items():
        up = [loads[corner] <= values["lifted"] for corner in corners if corner.endswith(letter)]
        if len(up) > 1:
            together.append(longest(np.logical_and.reduce(up), drive.interval))
        for place, end in ENDS.items():
            corner = next((one for one in axles(corners)[place] if one.endswith(letter)), None) if corners else None
            found[f"load_min_{end}_{side}"] = float(loads[corner].min()) if corner else math.nan
    found["two_wheel_lift_time"] = max(together, default=math.nan)
    return Found(found, {})


ANALYSIS = Analysis(
    "rollover",
    (
        Metric("two_wheel_lift_time", "s", "longest time that all wheels of one side are up together", MARK),
        *(Metric(f"load_min_{end}_{side}", "N", f"smallest load of the {side} wheel of the {end}most axle", MARK) for end in ENDS.values() for side in SIDES.values()),
        Metric("rollover_roll_max", "rad", "largest roll angle", MARK, "deg"),
        Metric("rollover_roll_rate_max", "rad/s", "largest roll rate", MARK, "degps"),
        Metric("rollover_sideslip_max", "rad", "largest sideslip of the center of mass", MARK, "deg"),
        Metric("spun_out", "1", "1 when the sideslip went beyond the limit of the parameters", "[prop]"),
    ),
    evaluate,
    (
        Field("lifted", Number("N", 0.0, 1e6), "load below which a wheel is up", 1.0, written="N"),
        Field("spin_out", Number("rad", 0.0, math.pi), "sideslip beyond which the vehicle spins [prop]", math.radians(60.0), written="deg"),
    ),
    ("v_WG_B", "w_WB_B_x", "F_C"),
    meaning="fishhook, J-turn: smallest loads, two wheels up together, roll, spin-out",
)  # fmt: skip
