"""Encounter with another vehicle or an object: smallest gap and time to collision, impact speed. [calc]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from simulator.base.fields import Field, Text
from simulator.maneuvers.analyses.common import rows_of
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

LONGEST = 1000.0
"""s. Time to collision in the log if the bodies do not approach."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the columns of an encounter (`simulator.triggers.encounter`)."""
    rows, name = rows_of(drive, values), values["with"]
    gap, time, impact = (drive.columns[f"{name}_{column}"][rows] for column in ("gap", "time_to_collision", "impact_speed"))
    return AnalysisResult(
        {
            "gap_min": float(gap.min()),
            "time_to_collision_min": float(time.min()) if time.min() < LONGEST else math.nan,
            "impact_speed": float(impact.max()),
        },
        {},
    )


ANALYSIS = Analysis(
    "encounter",
    (
        Metric("gap_min", "m", "minimum distance of the bodies seen from above, 0 = contact", "[calc]"),
        Metric(
            "time_to_collision_min", "s", "minimum time until the bodies touch if both keep their velocities; no value: never", "[calc]"
        ),
        Metric("impact_speed", "m/s", "closing speed of the first collision along its normal, 0 = none", "[calc]", "kph"),
    ),
    evaluate,
    (
        Field(
            "with",
            Text("the name of a vehicle or object of letters, digits and _", pattern=r"^[A-Za-z][A-Za-z0-9_]*\Z"),
            "other vehicle of the session, or object",
        ),
    ),
    ("{with}_gap", "{with}_time_to_collision", "{with}_impact_speed"),
    meaning="encounter with another vehicle or an object: gap, time to collision, impact speed",
)
