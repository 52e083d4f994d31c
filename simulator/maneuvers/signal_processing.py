"""Filters and analyses of time series: zero-phase Butterworth filters, level crossings, integrals, weightings of ride comfort."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array

FILTER_HZ = 6.0
"""Cut-off frequency of the zero-phase filter for the peaks of acceleration and yaw rate, as in FMVSS 126."""
POLES = 12
"""Poles of a zero-phase filter, forward and backward together, as counted in FMVSS 126."""
QUIETER = 10.0
"""Length of the silence appended to a record, in periods of the lowest frequency of a weighting; it separates the end from the start."""


def phaseless(values: Array, dt: float, hertz: float, poles: int = POLES, kind: Literal["low", "high"] = "low") -> Array:
    """Filter `values` (..., n) at intervals dt (s) by a zero-phase Butterworth low or high pass, half its poles forward and half backward.

    Gain 1 / (1 + (f / hertz)^poles) of a low pass, no delay. [FMVSS 126, S9.0: 12 poles] Both ends are extended by the record,
    point-reflected at its end. A record with a rate too low for the corner is not filtered.
    """
    if hertz >= 0.5 / dt:
        return np.array(values, dtype=float)
    from scipy.signal import sosfiltfilt

    extension = min(3 * (poles // 2 + 1), np.shape(values)[-1] - 1)
    return np.asarray(sosfiltfilt(_butterworth(poles // 2, hertz, kind, dt), values, padlen=extension))


@lru_cache(maxsize=64)
def _butterworth(poles: int, hertz: float, kind: str, dt: float) -> Array:
    """Return the sections of a filter, cached, since the design takes longer than filtering a short record."""
    from scipy.signal import butter

    return np.asarray(butter(poles, hertz, kind, output="sos", fs=1.0 / dt))


def zeroed(values: Array, window: slice) -> Array:
    """Return `values` minus their mean over the rows of a window."""
    return values - np.mean(values[window])


def derivative(values: Array, dt: float) -> Array:
    """Return the rate of change by central differences."""
    return np.gradient(values, dt) if len(values) > 1 else np.zeros_like(values, dtype=float)


def integral(values: Array, dt: float) -> Array:
    """Return the integral from the first row on by the trapezoidal rule, 0 in the first row."""
    return np.concatenate(([0.0], np.cumsum(0.5 * dt * (values[1:] + values[:-1]))))


def running_mean(values: Array, dt: float, seconds: float) -> Array:
    """Return the mean over a centered window of `seconds`, truncated at the ends."""
    half = round(0.5 * seconds / dt)
    sums = np.concatenate(([0.0], np.cumsum(values - values[0])))
    rows = np.arange(len(values))
    low, high = np.maximum(rows - half, 0), np.minimum(rows + half + 1, len(values))
    return values[0] + (sums[high] - sums[low]) / (high - low)


def crossings(time: Array, values: Array, level: float = 0.0, edge: Literal["rising", "falling", "either"] = "either") -> Array:
    """Return the times at which `values` cross a level, interpolated linearly."""
    above = values - level
    before, after = above[:-1], above[1:]
    rising, falling = (before < 0.0) & (after >= 0.0), (before > 0.0) & (after <= 0.0)
    i = np.flatnonzero(rising if edge == "rising" else falling if edge == "falling" else rising | falling)
    return time[i] + (time[i + 1] - time[i]) * before[i] / (before[i] - after[i])


def first_crossing(
    time: Array, values: Array, level: float = 0.0, edge: Literal["rising", "falling", "either"] = "either", after: float = -math.inf
) -> float:
    """Return the time of the first crossing at or after a time; NaN if there is none."""
    times = crossings(time, values, level, edge)
    times = times[times >= after]
    return float(times[0]) if times.size else math.nan


def held(time: Array, true: NDArray[np.bool_], seconds: float) -> float:
    """Return the start of the first interval of at least `seconds` in which `true` holds throughout; NaN if there is none."""
    edges = np.diff(np.concatenate(([0], true.astype(np.int8), [0])))
    for begin, end in zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True):
        if time[min(end, len(time) - 1)] - time[begin] >= seconds - 1e-9:
            return float(time[begin])
    return math.nan


# ---- ride ----

FEET_PER_METER = 1.0 / 0.3048
Complex = NDArray[Any]
"""Complex numbers."""
Response = Callable[[Complex], Complex]


def absorbed_power_response(s: Complex) -> Complex:
    """Return H(s) of absorbed power, s in rad/s, acceleration in ft/s2; the mean square of the output is in W.

        H(s) = 14.5 s (s + 44) / ((s + 63) (s^2 + 24 s + 750))

    [reference sheet 1.9, reduced from the discrete filter of Project Chrono]
    """
    return 14.5 * s * (s + 44.0) / ((s + 63.0) * (s * s + 24.0 * s + 750.0))


# f1, f2: corners of the band; f3, f4, Q4: transition from acceleration to velocity; f5, Q5, f6, Q6: upward step
WEIGHTINGS: dict[str, tuple[float, ...]] = {
    "Wk": (0.4, 100.0, 12.5, 12.5, 0.63, 2.37, 0.91, 3.35, 0.91),
    "Wd": (0.4, 100.0, 2.0, 2.0, 0.63, math.inf, 1.0, math.inf, 1.0),
    "Wf": (0.08, 0.63, math.inf, 0.25, 0.86, 0.0625, 0.8, 0.1, 0.8),
}
"""Frequencies [Hz] and Q factors of ISO 2631-1: vertical, horizontal, motion sickness."""


def weighting_response(name: str) -> Response:
    """Return H(s) of a weighting of ISO 2631-1: "Wk", "Wd" or "Wf"; s in rad/s.

    H(s) = s^2 / (s^2 + sqrt(2) w1 s + w1^2)  *  1 / (1 + sqrt(2) s / w2 + (s / w2)^2)
         * (1 + s / w3) / (1 + s / (Q4 w4) + (s / w4)^2)
         * (1 + s / (Q5 w5) + (s / w5)^2) / (1 + s / (Q6 w6) + (s / w6)^2) * (w5 / w6)^2,   w = 2 pi f
    """
    f1, f2, f3, f4, Q4, f5, Q5, f6, Q6 = WEIGHTINGS[name]
    w1, w2, w3, w4, w5, w6 = (2.0 * math.pi * f for f in (f1, f2, f3, f4, f5, f6))

    def second(s: Complex, w: float, Q: float) -> Complex:
        return 1.0 + s / (Q * w) + (s / w) ** 2

    def response(s: Complex) -> Complex:
        band = s * s / (s * s + math.sqrt(2.0) * w1 * s + w1 * w1) / second(s, w2, math.sqrt(0.5))
        step = second(s, w5, Q5) / second(s, w6, Q6) * (w5 / w6) ** 2 if math.isfinite(w6) else 1.0
        return band * (1.0 + s / w3) / second(s, w4, Q4) * step

    return response


def responded(values: Array, dt: float, response: Response, lowest: float = 0.4) -> Array:
    """Filter `values` (n,) at intervals dt (s) by an analog filter H(s), applied to the spectrum; the input before the record is zero.

    `lowest` (Hz): lowest frequency of the filter; QUIETER of its periods separate the end of the record from its start.
    """
    from scipy.fft import next_fast_len

    n = len(values)
    length = next_fast_len(n + math.ceil(QUIETER / (lowest * dt)), real=True)
    spectrum = np.fft.rfft(values, length)
    return np.fft.irfft(spectrum * response(2j * math.pi * np.fft.rfftfreq(length, dt)), length)[:n]


def absorbed_power(acceleration: Array, dt: float) -> float:
    """Return the power [W] absorbed by a seated person from a vertical acceleration (n,) in m/s2, whose mean is removed."""
    output = responded((acceleration - np.mean(acceleration)) * FEET_PER_METER, dt, absorbed_power_response)
    return float(np.mean(output**2))


def weighted(acceleration: Array, dt: float, name: str) -> Array:
    """Return an acceleration (n,) minus its mean, weighted by ISO 2631-1."""
    return responded(acceleration - np.mean(acceleration), dt, weighting_response(name), WEIGHTINGS[name][0])
