"""Backing of a trailer by the driver `back_up`: how far its axle is from the path."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.maneuvers.analyses.common import column, curve, rows_of
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the columns of the driver."""
    rows = rows_of(drive, values)
    offset, heading, pulls = (column(drive, f"back_up_{name}")[rows] for name in ("offset", "heading", "pulls"))
    return AnalysisResult(
        {
            "trailer_path_error_max": float(np.abs(offset).max()),
            "trailer_path_error_rms": math.sqrt(float(np.mean(offset**2))),
            "trailer_path_error_end": float(offset[-1]),
            "trailer_heading_error_end": float(heading[-1]),
            "pull_count": float(pulls[-1]),
        },
        {"trailer_path_error": curve(drive.time[rows], offset, "time", "offset of the axle of the trailer", "s", "m")},
    )


ANALYSIS = Analysis(
    "backing",
    (
        Metric("trailer_path_error_max", "m", "maximum distance of the axle of the trailer from the path", "[calc]"),
        Metric("trailer_path_error_rms", "m", "root mean square of this distance", "[calc]"),
        Metric("trailer_path_error_end", "m", "offset of the axle at the end, + = left of who looks backwards", "[calc]"),
        Metric("trailer_heading_error_end", "rad", "heading error of the trailer at the end", "[calc]", "deg"),
        Metric("pull_count", "1", "number of times the driver has pulled forward", "[calc]"),
    ),
    evaluate,
    (),
    ("back_up_offset", "back_up_heading", "back_up_pulls"),
    meaning="backing of a trailer by the driver `back_up`: distance of its axle from the path",
    curves={"trailer_path_error": "offset of the axle of the trailer over time"},
)
