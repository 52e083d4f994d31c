"""Filters and analyses of time series: zero-phase Butterworth filters, level crossings, integrals, weightings of ride comfort.

A digital filter is an array of second-order sections (k, 6), each b0 b1 b2 1 a1 a2:  H(z) = product of (b0 + b1/z + b2/z^2) / (1 + a1/z + a2/z^2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import NDArray

Array = NDArray[np.float64]

FILTER_HZ = 6.0
"""Cut-off frequency of the zero-phase filter for the peaks of acceleration and yaw rate, as in FMVSS 126."""
POLES = 12
"""Poles of a zero-phase filter, forward and backward together, as counted in FMVSS 126."""
BLOCK = 128
"""Number of samples that one matrix product filters."""
QUIETER = 10.0
"""Length of the silence appended to a record, in periods of the lowest frequency of a weighting; it separates the end from the start."""


@lru_cache(maxsize=64)
def butterworth(poles: int, hertz: float | tuple[float, float], dt: float, kind: Literal["low", "high", "band"] = "low") -> Array:
    """Return the sections (k, 6), cached and read-only, of a prewarped bilinear Butterworth filter with gain 1 / sqrt(2) at each corner.

    Parameters
    ----------
    poles : poles of the low-pass prototype; a band pass has twice as many
    hertz : corner, or (lower, upper) corner of a band pass, above 0 and below half the rate
    dt : time [s] between two samples

    Raises
    ------
    ValueError : a corner outside the range of this rate
    """
    corners = np.atleast_1d(np.asarray(hertz, dtype=float))
    if not ((corners > 0.0) & (corners < 0.5 / dt)).all() or (len(corners) == 2 and corners[0] >= corners[1]):
        raise ValueError(f"invalid corners {hertz} Hz; expected values below half the rate of {1.0 / dt:g} Hz")
    warped = 2.0 / dt * np.tan(math.pi * corners * dt)
    circle = np.exp(1j * math.pi * (2.0 * np.arange(poles) + poles + 1.0) / (2.0 * poles))
    if kind == "low":
        s_poles, zeros, probe = circle * warped[0], [-1.0] * poles, 1.0 + 0.0j
    elif kind == "high":
        s_poles, zeros, probe = warped[0] / circle, [1.0] * poles, -1.0 + 0.0j
    else:
        half, center = 0.5 * circle * (warped[1] - warped[0]), math.sqrt(warped[0] * warped[1])
        root = np.sqrt(half**2 - center**2)
        s_poles, zeros = np.concatenate((half + root, half - root)), [1.0, -1.0] * poles
        probe = complex(np.exp(2j * math.atan(0.5 * center * dt)))
    sections = _paired((2.0 / dt + s_poles) / (2.0 / dt - s_poles), zeros)
    for section in sections:  # gain 1 of each section avoids overflow
        powers = probe ** -np.arange(3.0)
        section[:3] /= abs(np.dot(section[:3], powers) / np.dot(section[3:], powers))
    sections.flags.writeable = False
    return sections


def _paired(poles: NDArray[np.complex128], zeros: list[float]) -> Array:
    """Return sections of poles in the z plane, conjugates paired, and as many real zeros; poles nearest to 0 first."""
    upper = sorted((pole for pole in poles if pole.imag > 1e-14), key=abs)
    real = sorted((pole.real for pole in poles if abs(pole.imag) <= 1e-14), key=abs)
    pairs = [real[i : i + 2] for i in range(0, len(real), 2)] + [[pole, pole.conjugate()] for pole in upper]
    sections, remaining = [], list(zeros)
    for pair in pairs:
        taken = [remaining.pop(0) for _ in pair]
        top, bottom = polynomial.polyfromroots(taken)[::-1], polynomial.polyfromroots(pair)[::-1].real
        sections.append(np.concatenate((top, np.zeros(3 - len(top)), bottom, np.zeros(3 - len(bottom)))))
    return np.array(sections)


def filtered_forward(sections: Array, values: Array, steady: bool = False) -> Array:
    """Filter `values` (..., n) causally, from rest or (steady) as if the first value had always been present."""
    out = np.asarray(values, dtype=float)
    level = out[..., :1] if out.shape[-1] else np.zeros((*out.shape[:-1], 1))
    for section in sections:
        state = np.zeros(2)
        if steady:  # steady state of the section for the constant input `level`
            gain = section[:3].sum() / section[3:].sum()
            state = level * np.array([gain - section[0], section[2] - section[5] * gain])
            level = level * gain
        out = _through(tuple(section.tolist()), out, state)
    return out


def phaseless_by(sections: Array, values: Array) -> Array:
    """Filter `values` (..., n) forward and backward: squared gain, no delay.

    Both ends are extended by the record, point-reflected at its end, and the filter begins in the steady state of the first value, as
    in scipy.signal.sosfiltfilt.
    """
    values = np.asarray(values, dtype=float)
    taps = 2 * len(sections) + 1 - min(int((sections[:, 2] == 0.0).sum()), int((sections[:, 5] == 0.0).sum()))
    n = min(3 * taps, values.shape[-1] - 1)
    if n < 1:
        return values.copy()
    before, after = 2.0 * values[..., :1] - values[..., n:0:-1], 2.0 * values[..., -1:] - values[..., -2 : -n - 2 : -1]
    forward = filtered_forward(sections, np.concatenate((before, values, after), axis=-1), steady=True)
    return filtered_forward(sections, forward[..., ::-1], steady=True)[..., ::-1][..., n:-n]


def phaseless(values: Array, dt: float, hertz: float, poles: int = POLES) -> Array:
    """Filter `values` (..., n) at intervals dt (s) by a zero-phase Butterworth low pass, half its poles forward and half backward.

    Gain 1 / (1 + (f / hertz)^poles), no delay. [FMVSS 126, S9.0: 12 poles] A record with a rate too low for the corner is not filtered.
    """
    return np.array(values, dtype=float) if hertz >= 0.5 / dt else phaseless_by(butterworth(poles // 2, hertz, dt), values)


@lru_cache(maxsize=64)
def _blocks(section: tuple[float, ...]) -> tuple[Array, Array, Array, Array]:
    """Return matrices of a section for BLOCK samples: response to the inputs (BLOCK, BLOCK) and to the state (2, BLOCK), and the next
    state from the inputs (BLOCK, 2) and from the state (2, 2). Rows are multiplied by these matrices."""
    b0, b1, b2, _, a1, a2 = section
    A, B = np.array([[-a1, 1.0], [-a2, 0.0]]), np.array([b1 - a1 * b0, b2 - a2 * b0])
    powers = np.empty((BLOCK + 1, 2, 2))
    powers[0] = np.eye(2)
    for k in range(BLOCK):
        powers[k + 1] = powers[k] @ A
    reached = powers[:BLOCK] @ B
    impulse = np.concatenate(([b0], reached[:-1, 0]))
    lag = np.arange(BLOCK)[None, :] - np.arange(BLOCK)[:, None]
    toeplitz = np.where(lag >= 0, impulse[np.maximum(lag, 0)], 0.0)
    return toeplitz, powers[:BLOCK, 0, :].T.copy(), reached[::-1].copy(), powers[BLOCK].T.copy()


def _through(section: tuple[float, ...], values: Array, state: Array) -> Array:
    """Apply one section in blocks: a matrix within a block, and doubling from block to block."""
    toeplitz, from_state, to_state, state_to_state = _blocks(section)
    *others, n = values.shape
    count = -(-n // BLOCK)
    blocks = np.zeros((*others, count * BLOCK))
    blocks[..., :n] = values
    blocks = blocks.reshape(*others, count, BLOCK)
    states = np.empty((*others, count, 2))  # at the start of each block
    states[..., 0, :], states[..., 1:, :] = state, blocks[..., :-1, :] @ to_state
    stride, power = 1, state_to_state
    while stride < count:
        states[..., stride:, :] = states[..., stride:, :] + states[..., :-stride, :] @ power
        stride, power = 2 * stride, power @ power
    return (blocks @ toeplitz + states @ from_state).reshape(*others, -1)[..., :n]


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
    found = crossings(time, values, level, edge)
    found = found[found >= after]
    return float(found[0]) if found.size else math.nan


def held(time: Array, true: NDArray[np.bool_], seconds: float) -> float:
    """Return the start of the first interval of at least `seconds` in which `true` holds throughout; NaN if there is none."""
    edges = np.diff(np.concatenate(([0], true.astype(np.int8), [0])))
    for begin, end in zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True):
        if time[min(end, len(time) - 1)] - time[begin] >= seconds - 1e-9:
            return float(time[begin])
    return math.nan


def smooth_length(least: int) -> int:
    """Return the smallest 2^a 3^b 5^c that is at least `least`: a transform of this length is fast and small."""
    best = 1 << (least - 1).bit_length()
    for five in range(14):
        for three in range(20):
            odd = 5**five * 3**three
            if odd < best:
                best = min(best, odd << max(0, (-(-least // odd) - 1).bit_length()))
    return best


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
    n = len(values)
    length = smooth_length(n + math.ceil(QUIETER / (lowest * dt)))
    spectrum = np.fft.rfft(values, length)
    return np.fft.irfft(spectrum * response(2j * math.pi * np.fft.rfftfreq(length, dt)), length)[:n]


def absorbed_power(acceleration: Array, dt: float) -> float:
    """Return the power [W] absorbed by a seated person from a vertical acceleration (n,) in m/s2, whose mean is removed."""
    output = responded((acceleration - np.mean(acceleration)) * FEET_PER_METER, dt, absorbed_power_response)
    return float(np.mean(output**2))


def weighted(acceleration: Array, dt: float, name: str) -> Array:
    """Return an acceleration (n,) minus its mean, weighted by ISO 2631-1."""
    return responded(acceleration - np.mean(acceleration), dt, weighting_response(name), WEIGHTINGS[name][0])
