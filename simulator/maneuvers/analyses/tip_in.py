"""Tip-in: response of the acceleration to a step of the throttle in a gear, and the surge of the driveline (shuffle) after it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import NOTHING, PEDAL, column, curve, low_pass, mean_between, rows_of
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric
from simulator.maneuvers.signal_processing import first_crossing

TIME_BEFORE = 0.3
"""s before the tip-in over which the initial acceleration is averaged."""
RISE = (0.1, 0.9)
"""1. Fractions of the step of acceleration between which the rise time is measured."""
NOTICED = 0.03
"""1. Fraction of the step of acceleration below which an extreme is no part of the surge."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate the run from the last touch of a released throttle pedal."""
    rows = rows_of(drive, values)
    time, acceleration = drive.time[rows], column(drive, "a_WG_B_x", values)[rows]
    pressed = column(drive, "throttle")[rows] > PEDAL
    touched = np.flatnonzero(~pressed[:-1] & pressed[1:])
    settled, end = values["settled"], values["settled"] + values["average"]
    if not touched.size or time[-1] < time[touched[-1]] + end - 1e-9:
        return NOTHING
    start = float(time[touched[-1] + 1])
    initial = mean_between(time, acceleration, start - TIME_BEFORE, start - drive.interval)
    reached = mean_between(time, acceleration, start + settled, start + end)
    step = reached - initial
    if not step > 0.0:
        return NOTHING
    after = (time >= start) & (time <= start + settled)
    since, response = time[after] - start, acceleration[after]
    low, high = (first_crossing(since, response, initial + share * step, "rising", 0.0) for share in RISE)
    swing = response - reached
    frequency, damping = surge(since, swing, NOTICED * step)
    return AnalysisResult(
        {
            "tip_in_step": step,
            "tip_in_jerk_max": float(np.diff(response).max()) / drive.interval,
            "tip_in_rise_time": high - low,
            "tip_in_overshoot": max(0.0, float(swing.max()) / step),
            "shuffle_frequency": math.tau * frequency,
            "shuffle_damping": damping,
        },
        {"acceleration": curve(since, response, "time", "acceleration", "s", "m/s2")},
    )


def surge(time: Array, swing: Array, least: float) -> tuple[float, float]:
    """Return frequency [Hz] and damping ratio of a decaying oscillation about zero, from its extremes; NaN if it has fewer than two.

    least : size of an extreme that still counts. The first crossing of zero ends the rise, the extremes follow.
    """
    signs = np.sign(swing)
    crossings = np.flatnonzero(signs[:-1] * signs[1:] < 0.0)
    crossed = [float(time[i] - swing[i] * (time[i + 1] - time[i]) / (swing[i + 1] - swing[i])) for i in crossings]
    sizes = [float(np.abs(swing[i + 1 : j + 1]).max()) for i, j in pairwise(crossings)]
    count = next((n for n, size in enumerate(sizes) if size < least), len(sizes))
    if count < 2:
        return math.nan, math.nan
    frequency = count / (2.0 * (crossed[count] - crossed[0]))
    decrement = math.log(sizes[0] / sizes[count - 1]) / (count - 1)
    return frequency, decrement / math.hypot(math.pi, decrement)


ANALYSIS = Analysis(
    "tip_in",
    (
        Metric("tip_in_step", "m/s2", "change of the acceleration by the tip-in", "[calc]"),
        Metric("tip_in_jerk_max", "m/s3", "maximum rate of the filtered acceleration", "[calc]"),
        Metric("tip_in_rise_time", "s", "time from 10 to 90 % of the step", "[calc]"),
        Metric("tip_in_overshoot", "1", "largest acceleration above the final one, over the step", "[calc]"),
        Metric("shuffle_frequency", "rad/s", "frequency of the surge after the tip-in", "[calc]", "Hz"),
        Metric("shuffle_damping", "1", "damping ratio of the surge, from successive extremes", "[calc]"),
    ),
    evaluate,
    (
        Field("settled", Number("s", 0.1, 60.0), "time after the tip-in at which the surge has decayed", 1.2, written="s"),
        Field("average", Number("s", 0.05, 60.0), "time after that for the final acceleration", 0.6, written="s"),
        low_pass(20.0),
    ),
    ("throttle", "a_WG_B_x"),
    meaning="tip-in: response to a step of the throttle, surge of the driveline",
    curves={"acceleration": "forward acceleration over time since the tip-in"},
)
