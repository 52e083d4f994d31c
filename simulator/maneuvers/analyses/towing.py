"""Trailer behind the vehicle: angle and forces of the coupling, rearward amplification."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.fields import Field, Text
from simulator.maneuvers.analyses.common import rows_of
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

LOWEST_RATE = 0.02
"""rad/s. Below this yaw rate of the vehicle there is no ratio."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the columns of a trailer."""
    rows, name = rows_of(drive, values), values["with"]
    angle, pull, tongue, rate = (
        np.asarray(drive.columns[f"{name}_{column}"])[rows]
        for column in ("coupling_yaw", "coupling_force_B_x", "coupling_force_B_z", "w_WB_B_z")
    )
    ahead = float(np.abs(drive.columns["w_WB_B_z"][rows]).max())
    return AnalysisResult(
        {
            "coupling_angle_max": float(np.abs(angle).max()),
            "coupling_angle_end": float(angle[-1]),
            "coupling_pull_max": float(max(-pull.min(), 0.0)),
            "coupling_push_max": float(max(pull.max(), 0.0)),
            "tongue_load_mean": float(-tongue.mean()),
            "yaw_rate_amplification": float(np.abs(rate).max()) / ahead if ahead > LOWEST_RATE else math.nan,
        },
        {},
    )


ANALYSIS = Analysis(
    "towing",
    (
        Metric("coupling_angle_max", "rad", "maximum yaw angle of the coupling", "[calc]", "deg"),
        Metric("coupling_angle_end", "rad", "yaw angle of the coupling at the end, + = trailer heads to the left", "[calc]", "deg"),
        Metric("coupling_pull_max", "N", "maximum force with which the trailer holds back the vehicle ahead", "[calc]"),
        Metric("coupling_push_max", "N", "maximum force with which the trailer pushes the vehicle ahead", "[calc]"),
        Metric("tongue_load_mean", "N", "mean force of the trailer on the coupling, + = down", "[calc]"),
        Metric(
            "yaw_rate_amplification",
            "1",
            "maximum yaw rate of the trailer over that of the vehicle: rearward amplification; no value: the vehicle does not turn",
            "[ISO 14791:2000] [mem]",
        ),
    ),
    evaluate,
    (
        Field(
            "with",
            Text("the name of a trailer of letters, digits and _", pattern=r"^[A-Za-z][A-Za-z0-9_]*\Z"),
            "trailer: `trailer`, `trailer_2` ...",
            "trailer",
        ),
    ),
    ("{with}_coupling_yaw", "{with}_coupling_force_B_x", "{with}_coupling_force_B_z", "{with}_w_WB_B_z"),
    meaning="trailer: angle and forces of the coupling, rearward amplification",
)
