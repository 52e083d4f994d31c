"""Drawbar pull, and go or no-go on soft ground."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import column, curve, longest, low_pass, rows_of, wheels
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric
from simulator.maneuvers.signal_processing import integral


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Compute the pull: the ground force minus mass times acceleration. It equals the sled force plus air drag and grade resistance."""
    rows = rows_of(drive, values)
    corners = wheels(drive)
    speed, a_x = column(drive, "v_WB_B_x", values)[rows], column(drive, "a_WG_B_x", values)[rows]
    traction = _sum(drive, values, rows, [f"F_C_{corner}_x" for corner in corners])
    load = _sum(drive, values, rows, [f"F_C_{corner}_z" for corner in corners])
    slip = _sum(drive, values, rows, [f"slip_ratio_{corner}" for corner in corners]) / len(corners)
    powers = [column(drive, f"drive_torque_{one}")[rows] * column(drive, f"wheel_spin_{one}")[rows] for one in corners]
    power = np.sum(powers, axis=0)
    pull = traction - drive.traits.mass * np.maximum(a_x, 0.0)  # a decelerating vehicle adds no pull
    distance = integral(speed, drive.interval)
    moves = speed >= values["stopped"]
    i_max = int(np.argmax(np.where(moves, pull, -math.inf) if moves.any() else pull))
    final = drive.time[rows] >= drive.time[rows][-1] - values["settle"] - 1e-9
    work_in, work_out = float(np.sum(power[final])), float(np.sum((pull * speed)[final]))
    stuck = longest(np.abs(speed) < values["stopped"], drive.interval)
    return AnalysisResult(
        {
            "drawbar_pull_max": float(pull[i_max]),
            "drawbar_slip_at_max": float(slip[i_max]),
            "drawbar_pull_end": float(pull[final].mean()),
            "drawbar_slip_end": float(slip[final].mean()),
            "drawbar_pull_coefficient": float(pull[i_max] / load[i_max]) if load[i_max] > 0.0 else math.nan,
            "tractive_efficiency": work_out / work_in if work_in > 0.0 else math.nan,
            "kept_moving": float(speed[final].min() > values["stopped"]),
            "stopped_time": stuck,
            "way_forward": float(distance[-1]),
            "sinkage_max": max(float(column(drive, f"sinkage_{corner}")[rows].max()) for corner in corners),
        },
        {"pull": curve(slip, pull, "slip", "drawbar pull", "1", "N")},
    )


def _sum(drive: Drive, values: Mapping[str, Any], rows: slice, names: list[str]) -> Array:
    return np.sum([column(drive, name, values)[rows] for name in names], axis=0)


ANALYSIS = Analysis(
    "drawbar",
    (
        Metric(
            "drawbar_pull_max",
            "N",
            "maximum pull of the moving vehicle: longitudinal ground forces minus mass times acceleration, if positive",
            "[calc]",
        ),
        Metric("drawbar_slip_at_max", "1", "mean slip of the wheels at the maximum pull", "[calc]"),
        Metric("drawbar_pull_end", "N", "mean pull over the final `settle` time", "[calc]"),
        Metric("drawbar_slip_end", "1", "mean slip of the wheels over the final `settle` time", "[calc]"),
        Metric("drawbar_pull_coefficient", "1", "maximum pull over the simultaneous load of the wheels", "[calc]"),
        Metric("tractive_efficiency", "1", "work of the pull over work of the half shafts, over the final `settle` time", "[calc]"),
        Metric("kept_moving", "1", "go: 1 if the vehicle moves forward during the complete final `settle` time; no-go: 0", "[calc]"),
        Metric("stopped_time", "s", "longest time at standstill", "[calc]"),
        Metric("way_forward", "m", "distance forward", "[calc]"),
        Metric("sinkage_max", "m", "maximum sinkage of a wheel", "[calc]"),
    ),
    evaluate,
    (
        Field("settle", Number("s", 0.01, 3600.0), "time at the end of the run for the means", 2.0, written="s"),
        Field("stopped", Number("m/s", 0.0, 10.0), "speed below which the vehicle is at standstill", 0.1, written="mps"),
        low_pass(5.0),
    ),
    ("F_C", "a_WG_B_x", "slip_ratio", "drive_torque", "wheel_spin", "sinkage"),
    meaning="drawbar pull: pull, slip, tractive efficiency; go or no-go",
    curves={"pull": "drawbar pull over slip"},
)
