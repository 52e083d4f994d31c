"""Gain and phase of yaw rate and lateral acceleration over the frequency of steering: random, swept or pulse. [ISO 7401, mem]"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.fields import Field, Number
from simulator.maneuvers.analyses.common import NOTHING, Array, column, curve, rows_of
from simulator.maneuvers.analyses.contract import Analysis, Drive, Found, Metric

MARK = "ISO 7401 [mem]"
FREQUENCIES = {"0_2": 0.2, "0_5": 0.5, "1": 1.0, "2": 2.0}
"""Hz, by the word in the names of metrics."""
OUTPUTS = (("yaw_rate", "w_WB_B_z", "1/s"), ("lateral_acceleration", "a_WG_B_y", "m/s2/rad"))
BAND = (0.2, 2.0)
"""Hz, in which coherence is judged. [ISO 7401, mem]"""
FADED = 1.0 / math.sqrt(2.0)
FEWEST = 16
"""Rows of a segment."""


EXCITED = 1e-4
"""1. Share of the largest power of the steering below which a frequency is not asked for: what answers there is noise."""


class Response(NamedTuple):
    """A frequency response at frequencies (m,) in Hz."""

    frequency: Array
    gain: Array
    phase: Array
    """rad, > 0: ahead; without jumps."""
    coherence: Array


def estimate(steering: Array, output: Array, dt: float, seconds: float) -> Response | None:
    """H1 = S_xy / S_xx by Welch's method: segments of so many s that overlap by half, less their means, Hann's window; 0: all as one, no window.

    Coherence of one segment is 1 and says nothing. None: the record is shorter than a segment, or nothing is steered.
    """
    n = round(seconds / dt) if seconds > 0.0 else len(steering)
    if n < FEWEST or n > len(steering):
        return None
    window = 0.5 - 0.5 * np.cos(2.0 * math.pi * np.arange(n) / n) if seconds > 0.0 else np.ones(n)
    S_xx, S_yy, S_xy = np.zeros(n // 2 + 1), np.zeros(n // 2 + 1), np.zeros(n // 2 + 1, dtype=complex)
    for begin in range(0, len(steering) - n + 1, max(1, n // 2)):
        X, Y = (_spectrum(series[begin : begin + n], window, seconds > 0.0) for series in (steering, output))
        S_xx += np.abs(X) ** 2
        S_yy += np.abs(Y) ** 2
        S_xy += np.conj(X) * Y
    told = S_xx > EXCITED * S_xx[1:].max(initial=0.0)
    told[0] = False
    if not told.any():
        return None
    H = S_xy[told] / S_xx[told]
    coherence = np.abs(S_xy[told]) ** 2 / np.maximum(S_xx[told] * S_yy[told], 1e-300)
    return Response(np.fft.rfftfreq(n, dt)[told], np.abs(H), np.unwrap(np.angle(H)), coherence)


def _spectrum(series: Array, window: Array, in_segments: bool) -> NDArray[np.complex128]:
    return np.fft.rfft(window * (series - (series.mean() if in_segments else series[0])))


def evaluate(drive: Drive, values: Mapping[str, Any]) -> Found:
    """Both outputs at the named frequencies, and what is read of their curves."""
    rows = rows_of(drive, values)
    steering = column(drive, "steering_wheel_angle")[rows]
    found: dict[str, float] = {}
    curves = {}
    for name, series, unit in OUTPUTS:
        response = estimate(steering, column(drive, series)[rows], drive.interval, values["segment"])
        if response is None:
            return NOTHING
        frequency = response.frequency
        for word, hertz in FREQUENCIES.items():
            inside = frequency[0] <= hertz <= frequency[-1]
            found[f"{name}_gain_{word}_hz"] = float(np.interp(hertz, frequency, response.gain)) if inside else math.nan
            found[f"{name}_phase_{word}_hz"] = _near_zero(float(np.interp(hertz, frequency, response.phase))) if inside else math.nan
        band = (frequency >= BAND[0] - 1e-9) & (frequency <= BAND[1] + 1e-9)
        found[f"{name}_coherence_min"] = float(response.coherence[band].min()) if band.any() else math.nan
        for what, y, label in (("gain", response.gain, unit), ("phase", response.phase, "rad"), ("coherence", response.coherence, "1")):
            shown = frequency <= values["highest"] / math.tau
            curves[f"{name}_{what}"] = curve(frequency[shown], y[shown], "frequency", f"{name.replace('_', ' ')} {what}", "Hz", label)
        if name == "yaw_rate":
            found |= _of_yaw(response, band)
    found["response_lateral_acceleration_max"] = float(np.abs(column(drive, "a_WG_B_y")[rows]).max())
    return Found(found, curves)


def _near_zero(phase: float) -> float:
    """The same angle from -3/2 pi to pi/2: answers come late."""
    return (phase - 0.5 * math.pi) % math.tau - 1.5 * math.pi


def _of_yaw(response: Response, band: NDArray[np.bool_]) -> dict[str, float]:
    """Peak within the band, and where the gain has fallen to 0.71 of that at its lower end."""
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
    Metric(f"{name}_{what}_{word}_hz", unit if what == "gain" else "rad", meaning.format(name.replace("_", " "), hertz), MARK, suffix)
    for name, _, unit in OUTPUTS
    for what, meaning, suffix in (
        ("gain", "gain of the {0} over the steering-wheel angle at {1:g} Hz", ""),
        ("phase", "phase of the {0} against the steering-wheel angle at {1:g} Hz, < 0 = late", "deg"),
    )
    for word, hertz in FREQUENCIES.items()
)
ANALYSIS = Analysis(
    "frequency_response",
    (
        *_METRICS,
        Metric("yaw_rate_coherence_min", "1", "smallest coherence of the yaw rate from 0.2 to 2 Hz; >= 0.95 wished", MARK),
        Metric("lateral_acceleration_coherence_min", "1", "smallest coherence of the lateral acceleration from 0.2 to 2 Hz", MARK),
        Metric("yaw_rate_peak_frequency", "rad/s", "where the yaw rate's gain is largest, from 0.2 to 2 Hz", "[calc]", "Hz"),
        Metric("yaw_rate_peak_ratio", "1", "largest gain of the yaw rate there over that at the lower end", "[calc]"),
        Metric("yaw_rate_bandwidth", "rad/s", "where the yaw rate's gain has fallen to 0.71 of that at 0.2 Hz", "[calc]", "Hz"),
        Metric("response_lateral_acceleration_max", "m/s2", "largest lateral acceleration; <= 4 m/s2 asked for", MARK),
    ),
    evaluate,
    (
        Field(
            "segment",
            Number("s", 0.0, 3600.0),
            "length of the segments that are averaged; 0: the whole as one, for a pulse",
            20.0,
            written="s",
        ),
        Field("highest", Number("rad/s", 0.0, math.tau * 1000.0, above=0.0), "end of the curves", math.tau * 5.0, written="Hz"),
    ),
    ("steering_wheel_angle",),
    meaning="random, swept or pulse steer: gain, phase and coherence of yaw rate and lateral acceleration over frequency",
    curves={
        f"{name}_{what}": f"{what} of the {name.replace('_', ' ')} over frequency"
        for name, _, _ in OUTPUTS
        for what in ("gain", "phase", "coherence")
    },
)
