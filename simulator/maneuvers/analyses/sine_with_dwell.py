"""Sine with dwell: decay of the yaw rate and lateral displacement. [49 CFR 571.126 via GB/T 30677]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.maneuvers import signal_processing
from simulator.maneuvers.analyses.common import NOTHING, column, curve, peak, rows_of, sideslip, value_at
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

MARK = "49 CFR 571.126 via GB/T 30677"
STEER_HZ, OTHERS_HZ = 10.0, 6.0
"""Corners [Hz] of the zero-phase filters with 12 poles."""
STEER_RATE, STEER_RATE_TIME = math.radians(75.0), 0.2
"""Steering rate [rad/s] and the minimum time [s] above it that define the start of steering."""
MEAN_TIME = 0.1
"""Window [s] of the running mean of the steering rate."""
ZEROING = 1.0
"""Time [s] before that start over which every channel is zeroed."""
BEGIN_ANGLE = math.radians(5.0)
"""Angle of the steering wheel at the beginning of steer (BOS)."""
RATIO_TIMES = (1.0, 1.75)
"""Times [s] after completion of steer (COS)."""
DISPLACEMENT_TIME = 1.07
"""Time [s] after BOS."""
RIPPLE = 0.5
"""Fraction of the largest yaw rate after the reversal below which a local maximum is not its peak."""
RETURNED = 0.02
"""Fraction of the largest angle below which the steering wheel counts as returned: a filtered return to 0 need not cross zero."""


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate BOS, COS and the criteria."""
    rows, dt = rows_of(drive, values), drive.interval
    time = drive.time[rows]
    steering = signal_processing.phaseless(column(drive, "steering_wheel_angle"), dt, STEER_HZ)[rows]
    yaw_rate, a_y = (signal_processing.phaseless(column(drive, name), dt, OTHERS_HZ)[rows] for name in ("w_WB_B_z", "a_WG_B_y"))
    rate = signal_processing.running_mean(signal_processing.derivative(steering, dt), dt, MEAN_TIME)
    moving = signal_processing.held(time, np.abs(rate) > STEER_RATE, STEER_RATE_TIME)
    window = (time >= moving - ZEROING - 1e-9) & (time <= moving + 1e-9)
    if not window.any():
        return NOTHING
    steering, yaw_rate, a_y = (series - series[window].mean() for series in (steering, yaw_rate, a_y))
    begin = signal_processing.first_crossing(time, np.abs(steering), BEGIN_ANGLE, "rising", float(time[window][0]))
    if math.isnan(begin):
        return NOTHING
    sign = math.copysign(1.0, value_at(time, steering, begin))
    steering, yaw_rate, a_y = sign * steering, sign * yaw_rate, sign * a_y
    reversal = signal_processing.first_crossing(time, steering, 0.0, "falling", begin)
    end = _completion(time, steering, reversal)
    metrics = {"steer_begin": begin, "steer_end": end, "steering_angle_max": float(np.abs(steering[time >= begin]).max())}
    second = (time >= reversal) & (time <= end + RATIO_TIMES[0])
    yaw_peak = _first_peak(-yaw_rate[second])
    for seconds, name in zip(RATIO_TIMES, ("yaw_rate_ratio_1_00s", "yaw_rate_ratio_1_75s"), strict=True):
        metrics[name] = -value_at(time, yaw_rate, end + seconds) / yaw_peak if yaw_peak > 0.0 else math.nan
    metrics["yaw_rate_second_peak"] = yaw_peak
    metrics["lateral_displacement"] = displacement(time, a_y, dt, begin)
    steered = time >= begin
    metrics["swd_sideslip_max"] = float(np.abs(sideslip(drive)[rows][steered]).max())
    metrics["swd_roll_max"] = float(np.abs(column(drive, "roll")[rows][steered]).max())
    metrics["swd_speed"] = value_at(time, column(drive, "v_WB_B_x")[rows], begin)
    names = (("steering", steering, "rad"), ("yaw_rate", yaw_rate, "rad/s"), ("lateral_acceleration", a_y, "m/s2"))
    return AnalysisResult(
        metrics,
        {name: curve(time - begin, y, "time since the beginning of steer", name.replace("_", " "), "s", unit) for name, y, unit in names},
    )


def _completion(time: np.ndarray, steering: np.ndarray, reversal: float) -> float:
    """Return the time at which the steering wheel returns to zero after its dwell on the other side; NaN if it does not return."""
    after = time >= reversal
    if not after.any():
        return math.nan
    lowest = float(time[after][int(np.argmin(steering[after]))])
    back = signal_processing.first_crossing(time, steering, 0.0, "rising", lowest)
    near = signal_processing.first_crossing(time, steering, RETURNED * float(steering[after].min()), "rising", lowest)
    # the filtered signal may end slightly below zero and cross zero at any later time
    return back if back - near < MEAN_TIME else near


def _first_peak(series: np.ndarray) -> float:
    """Return the first local maximum that is not a ripple; NaN if there is none."""
    inner = series[1:-1]
    maxima = np.flatnonzero((inner >= series[:-2]) & (inner > series[2:]) & (inner > RIPPLE * series.max(initial=0.0)))
    if not maxima.size:
        return math.nan
    near = slice(int(maxima[0]), int(maxima[0]) + 3)
    return peak(np.arange(3.0), series[near])[1]


def displacement(time: np.ndarray, a_y: np.ndarray, dt: float, begin: float) -> float:
    """Return the lateral displacement (m) DISPLACEMENT_TIME s after the beginning of steer: double integral of the acceleration."""
    end = begin + DISPLACEMENT_TIME
    if end > time[-1]:
        return math.nan
    fine = np.linspace(begin, end, max(2, round(DISPLACEMENT_TIME / dt) + 1))
    step = float(fine[1] - fine[0])
    return float(signal_processing.integral(signal_processing.integral(np.interp(fine, time, a_y), step), step)[-1])


ANALYSIS = Analysis(
    "sine_with_dwell",
    (
        Metric("yaw_rate_ratio_1_00s", "1", "yaw rate 1.00 s after completion of steer over its peak after the reversal; <= 0.35", MARK),
        Metric("yaw_rate_ratio_1_75s", "1", "yaw rate 1.75 s after completion of steer over its peak after the reversal; <= 0.20", MARK),
        Metric(
            "lateral_displacement",
            "m",
            "lateral displacement 1.07 s after the beginning of steer; >= 1.83 m, above 3500 kg >= 1.52 m",
            MARK,
        ),
        Metric("yaw_rate_second_peak", "rad/s", "first peak of the yaw rate after the reversal of steer", MARK, "degps"),
        Metric("steering_angle_max", "rad", "maximum angle of the steering wheel", MARK, "deg"),
        Metric("steer_begin", "s", "beginning of steer: first crossing of 5 deg", MARK),
        Metric("steer_end", "s", "completion of steer: return of the steering wheel to zero", MARK),
        Metric("swd_speed", "m/s", "speed at the beginning of steer; 80 +- 2 km/h required", MARK),
        Metric("swd_sideslip_max", "rad", "maximum sideslip of the center of mass; abort above 60 deg [prop]", "[prop]", "deg"),
        Metric("swd_roll_max", "rad", "maximum roll angle", "[calc]", "deg"),
    ),
    evaluate,
    (),
    ("v_WG_B", "steering_wheel_angle"),
    meaning="sine with dwell: yaw rate ratios 1.00 and 1.75 s after completion of steer, lateral displacement 1.07 s after its beginning",
    curves={
        name: f"{name.replace('_', ' ')}, filtered and zeroed, over time since the beginning of steer"
        for name in ("steering", "yaw_rate", "lateral_acceleration")
    },
)
