"""Drive to a goal: outcome, time, clearance, efficiency of the way, energy and ride. SPL: Anderson et al. 2018, arXiv 1807.06757."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.autonomy.outcome import OUTCOMES, REACHED
from simulator.base.algebra.path_length import path_length
from simulator.maneuvers import signal_processing
from simulator.maneuvers.analyses.common import column, curve, rows_of
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

FEWEST = 50
"""Minimum number of rows for the absorbed power."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate a drive from its start to its outcome."""
    rows, dt = rows_of(drive, values), drive.interval
    code = column(drive, "planner_outcome")[rows]
    ended = np.flatnonzero(code >= 0)
    end = int(ended[0]) + 1 if len(ended) else len(code)
    reached = bool(len(ended)) and code[ended[0]] == OUTCOMES.index(REACHED)
    get = {name: column(drive, name)[rows][:end] for name in _COLUMNS if name != "planner_outcome"}
    driven = float(path_length(drive.columns["x"][rows][:end], drive.columns["y"][rows][:end])[-1])
    shortest = float(get["planner_shortest"][0])
    time = drive.time[rows][:end]
    power = np.maximum(get["engine_torque"] * get["engine_speed"], 0.0)
    clearance = get["planner_clearance"]
    vertical = get["f_H_B_z"]
    metrics = {
        "reached": float(reached),
        "goal_time": float(time[-1] - time[0]) if reached else math.nan,
        "goal_distance_end": float(get["planner_goal_distance"][-1]),
        "clearance_min": float(np.nanmin(clearance)) if np.isfinite(clearance).any() else math.nan,
        "way_driven": driven,
        "way_shortest": shortest,
        "spl": float(reached) * shortest / max(driven, shortest) if shortest > 0.0 else math.nan if reached else 0.0,
        "engine_energy": float(power.sum() * dt),
        "roll_mean": float(np.abs(drive.columns["roll"][rows][:end]).mean()),
        "pitch_mean": float(np.abs(drive.columns["pitch"][rows][:end]).mean()),
        "absorbed_power_drive": signal_processing.absorbed_power(vertical, dt) if len(vertical) >= FEWEST else math.nan,
        "stuck_count": float(np.maximum(np.diff(get["planner_stuck"]), 0).sum()),
    }
    return AnalysisResult(metrics, {"clearance": curve(time, clearance, "time", "distance to obstacles", "s", "m")})


_COLUMNS = (
    "planner_outcome", "planner_goal_distance", "planner_clearance", "planner_shortest", "planner_stuck",
    "engine_torque", "engine_speed", "f_H_B_z",
)  # fmt: skip
_WORDS = ", ".join(OUTCOMES)
ANALYSIS = Analysis(
    "goal",
    (
        Metric("reached", "1", f"1 if the outcome is {REACHED}, else 0; outcomes: {_WORDS}", "[calc]"),
        Metric("goal_time", "s", "time from the start to the goal", "[calc]"),
        Metric("goal_distance_end", "m", "distance of the reference point from the goal at the end", "[calc]"),
        Metric("clearance_min", "m", "least distance of the outline from an object, as seen from above; at most 20 m", "[calc]"),
        Metric("way_driven", "m", "length of the path of the reference point", "[calc]"),
        Metric("way_shortest", "m", "shortest way for a disc as wide as the vehicle on the true map", "[calc]"),
        Metric("spl", "1", "success weighted by path length: reached * shortest / max(driven, shortest)", "arXiv 1807.06757 [mem]"),
        Metric("engine_energy", "J", "integral of the positive power of the engine", "[calc]"),
        Metric("roll_mean", "rad", "mean magnitude of the roll angle", "[calc]", "deg"),
        Metric("pitch_mean", "rad", "mean magnitude of the pitch angle", "[calc]", "deg"),
        Metric(
            "absorbed_power_drive",
            "W",
            "power absorbed from the vertical acceleration at the head",
            "AVTP / TOP 1-1-014 [mem]; filter [calc]",
        ),
        Metric("stuck_count", "1", "how often the vehicle got stuck and the planner had to answer", "[calc]"),
    ),
    evaluate,
    columns=_COLUMNS,
    meaning="drive to a goal: outcome, time, clearance, SPL, energy, roll and pitch, absorbed power; requested by every maneuver with a goal",
    curves={"clearance": "distance to obstacles over time"},
)
