"""Time alignment of records by cross-correlation of a channel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.validation.compare.record import Record

Array = NDArray[np.float64]

MAX_ROWS = 1 << 17
"""Maximum number of rows of the common time grid."""
FINEST = 0.001
"""Minimum step of the common time grid in s."""
MIN_OVERLAP = 0.5
"""Minimum overlap as a fraction of the shorter record. Short overlaps correlate by chance."""


def shift_of(reference: Record, other: Record, channel: str) -> float:
    """Return the seconds to add to the times of `other` for the best correlation, to a fraction of a step. Raises ConfigError."""
    for one in (reference, other):
        if channel not in one.columns:
            raise ConfigError(one.place, "--align", channel, "a channel of both records")
    spans = [float(one.time[-1] - one.time[0]) for one in (reference, other)]
    steps = [span / (len(one.time) - 1) for span, one in zip(spans, (reference, other), strict=True)]
    h = max(FINEST, min(steps), max(spans) / MAX_ROWS)
    a, b = (_resampled(one, channel, h) for one in (reference, other))
    if np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        raise ConfigError(other.place, "--align", channel, "a channel that varies in both records")
    lags, likeness = correlation(a, b)
    best = int(np.argmax(likeness))
    return float(reference.time[0] - other.time[0]) + h * (float(lags[best]) + _peak(likeness, best))


def correlation(a: Array, b: Array) -> tuple[NDArray[np.int64], Array]:
    """Return (lags, correlation coefficients of a[i] and b[i - lag]) for overlaps of at least MIN_OVERLAP, by the fast Fourier
    transform."""
    from scipy.signal import correlate, correlation_lags

    def sums(one: Array, other: Array) -> Array:
        return np.asarray(correlate(one, other, method="fft"))

    a, b = a - a.mean(), b - b.mean()
    all_a, all_b = np.ones_like(a), np.ones_like(b)
    lags = correlation_lags(len(a), len(b))
    count = np.rint(sums(all_a, all_b))
    valid = count >= max(2.0, MIN_OVERLAP * min(len(a), len(b)))
    count = np.where(valid, count, 1.0)
    mean_a, mean_b = sums(a, all_b) / count, sums(all_a, b) / count
    covariance = sums(a, b) / count - mean_a * mean_b
    variance = (sums(a * a, all_b) / count - mean_a**2) * (sums(all_a, b * b) / count - mean_b**2)
    floor = 1e-12 * float(np.mean(a * a) * np.mean(b * b))
    return lags[valid], (covariance / np.sqrt(np.maximum(variance, floor)))[valid]


def _resampled(one: Record, channel: str, h: float) -> Array:
    values = np.asarray(one.columns[channel], dtype=float)
    sound = np.isfinite(values)
    if not sound.any():
        raise ConfigError(one.place, "--align", channel, "a channel with numbers")
    return np.interp(np.arange(one.time[0], one.time[-1], h), one.time[sound], values[sound])


def _peak(values: Array, best: int) -> float:
    """Return the position of the vertex of a parabola through the maximum and its neighbors, in steps from the maximum."""
    if not 0 < best < len(values) - 1:
        return 0.0
    before, at, after = values[best - 1 : best + 2].tolist()
    bend = before - 2.0 * at + after
    return 0.5 * (before - after) / bend if bend < 0.0 else 0.0
