"""Gain and phase of yaw rate and lateral acceleration over the steering frequency: random, swept or pulse. [ISO 7401, mem]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import NOTHING, column, curve, rows_of
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric

MARK = "ISO 7401 [mem]"
FREQUENCIES = {"0_2": 0.2, "0_5": 0.5, "1": 1.0, "2": 2.0}
"""Frequencies [Hz] by the words in the metric names."""
OUTPUTS = (("yaw_rate", "w_WB_B_z", "1/s"), ("lateral_acceleration", "a_WG_B_y", "m/s2/rad"))
BAND = (0.2, 2.0)
"""Frequency range [Hz] for the coherence. [ISO 7401, mem]"""
FADED = 1.0 / math.sqrt(2.0)
FEWEST = 16
"""Minimum number of rows of a segment."""


EXCITED = 1e-4
"""Fraction of the largest steering power below which a frequency is ignored, because the response is noise."""


class Response(NamedTuple):
    """Frequency response at frequencies (m,) in Hz."""

    frequency: Array
    gain: Array
    phase: Array
    """Phase [rad], unwrapped; > 0: the output leads."""
    coherence: Array


def estimate(steering: Array, output: Array, dt: float, seconds: float) -> Response | None:
    """Estimate H1 = S_xy / S_xx by Welch's method: Hann windows of `seconds` that overlap by half, means removed; 0: one segment, no window.

    The coherence of one segment is always 1. Returns None if the record is shorter than a segment or without steering.
    """
    from scipy.signal import csd

    n = round(seconds / dt) if seconds > 0.0 else len(steering)
    if n < FEWEST or n > len(steering):
        return None
    given: dict[str, Any] = {"fs": 1.0 / dt, "nperseg": n, "noverlap": n - n // 2, "return_onesided": False}
    given |= {"window": "hann"} if seconds > 0.0 else {"window": "boxcar", "detrend": lambda series: series - series[..., :1]}
    S_xx, S_yy, S_xy = (csd(x, y, **given)[1][: n // 2 + 1] for x, y in ((steering, steering), (output, output), (steering, output)))
    excited = S_xx > EXCITED * S_xx[1:].max(initial=0.0)
    excited[0] = False
    if not excited.any():
        return None
    H = S_xy[excited] / S_xx[excited]
    coherence = np.abs(S_xy[excited]) ** 2 / np.maximum(S_xx[excited] * S_yy[excited], 1e-300)
    return Response(np.fft.rfftfreq(n, dt)[excited], np.abs(H), np.unwrap(np.angle(H)), coherence)


def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
    """Evaluate both outputs at the named frequencies and the characteristics of their curves."""
    rows = rows_of(drive, values)
    steering = column(drive, "steering_wheel_angle")[rows]
    metrics: dict[str, float] = {}
    curves = {}
    for name, series, unit in OUTPUTS:
        response = estimate(steering, column(drive, series)[rows], drive.interval, values["segment"])
        if response is None:
            return NOTHING
        frequency = response.frequency
        for word, hertz in FREQUENCIES.items():
            inside = frequency[0] <= hertz <= frequency[-1]
            metrics[f"{name}_gain_{word}_hz"] = float(np.interp(hertz, frequency, response.gain)) if inside else math.nan
            metrics[f"{name}_phase_{word}_hz"] = _wrap_lag(float(np.interp(hertz, frequency, response.phase))) if inside else math.nan
        band = (frequency >= BAND[0] - 1e-9) & (frequency <= BAND[1] + 1e-9)
        metrics[f"{name}_coherence_min"] = float(response.coherence[band].min()) if band.any() else math.nan
        for quantity, y, label in (("gain", response.gain, unit), ("phase", response.phase, "rad"), ("coherence", response.coherence, "1")):
            shown = frequency <= values["highest"] / math.tau
            curves[f"{name}_{quantity}"] = curve(
                frequency[shown], y[shown], "frequency", f"{name.replace('_', ' ')} {quantity}", "Hz", label
            )
        if name == "yaw_rate":
            metrics |= _yaw_characteristics(response, band)
    metrics["response_lateral_acceleration_max"] = float(np.abs(column(drive, "a_WG_B_y")[rows]).max())
    return AnalysisResult(metrics, curves)


def _wrap_lag(phase: float) -> float:
    """Return the equivalent angle from -3/2 pi to pi/2, because a response lags."""
    return (phase - 0.5 * math.pi) % math.tau - 1.5 * math.pi


def _yaw_characteristics(response: Response, band: NDArray[np.bool_]) -> dict[str, float]:
    """Return the peak within the band and the frequency at which the gain falls to 0.71 of its value at the lower limit."""
    if not band.any():
        return {}
    gain, frequency = response.gain[band], response.frequency[band]
    highest = int(np.argmax(gain))
    beyond = np.flatnonzero((response.frequency > frequency[0]) & (response.gain < FADED * gain[0]))
    return {
        "yaw_rate_peak_frequency": math.tau * float(frequency[highest]),
        "yaw_rate_peak_ratio": float(gain[highest] / gain[0]),
        "yaw_rate_bandwidth": math.tau * float(response.frequency[beyond[0]]) if beyond.size else math.nan,
    }


_METRICS = tuple(
    Metric(
        f"{name}_{quantity}_{word}_hz", unit if quantity == "gain" else "rad", meaning.format(name.replace("_", " "), hertz), MARK, suffix
    )
    for name, _, unit in OUTPUTS
    for quantity, meaning, suffix in (
        ("gain", "gain of the {0} over the steering-wheel angle at {1:g} Hz", ""),
        ("phase", "phase of the {0} against the steering-wheel angle at {1:g} Hz, < 0 = lag", "deg"),
    )
    for word, hertz in FREQUENCIES.items()
)
ANALYSIS = Analysis(
    "frequency_response",
    (
        *_METRICS,
        Metric("yaw_rate_coherence_min", "1", "minimum coherence of the yaw rate from 0.2 to 2 Hz; >= 0.95 recommended", MARK),
        Metric("lateral_acceleration_coherence_min", "1", "minimum coherence of the lateral acceleration from 0.2 to 2 Hz", MARK),
        Metric("yaw_rate_peak_frequency", "rad/s", "frequency of the maximum yaw-rate gain, from 0.2 to 2 Hz", "[calc]", "Hz"),
        Metric("yaw_rate_peak_ratio", "1", "maximum yaw-rate gain from 0.2 to 2 Hz over the gain at 0.2 Hz", "[calc]"),
        Metric("yaw_rate_bandwidth", "rad/s", "frequency at which the yaw-rate gain falls to 0.71 of its value at 0.2 Hz", "[calc]", "Hz"),
        Metric("response_lateral_acceleration_max", "m/s2", "maximum lateral acceleration; <= 4 m/s2 required", MARK),
    ),
    evaluate,
    (
        Field(
            "segment",
            Number("s", 0.0, 3600.0),
            "length of the averaged segments; 0: one segment, for a pulse",
            20.0,
            written="s",
        ),
        Field(
            "highest", Number("rad/s", 0.0, math.tau * 1000.0, above=0.0), "highest frequency of the curves", math.tau * 5.0, written="Hz"
        ),
    ),
    ("steering_wheel_angle",),
    meaning="random, swept or pulse steer: gain, phase and coherence of yaw rate and lateral acceleration over frequency",
    curves={
        f"{name}_{quantity}": f"{quantity} of the {name.replace('_', ' ')} over frequency"
        for name, _, _ in OUTPUTS
        for quantity in ("gain", "phase", "coherence")
    },
)
