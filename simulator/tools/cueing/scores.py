"""Scores of one drive: agreement of the motion of the head on a platform with the motion in the car.

For the force, less gravity, and the angular velocity, axis by axis and at the head:

    error         rms(f - K f_car) / rms(K f_car), both low-pass filtered at 10 Hz; K is the target scale of the washout
    correlation   of f and f_car
    gain          f = gain f_car by least squares: sum(f f_car) / sum(f_car^2); K is not divided out
    false_cue     rms of f where its sign is opposite to f_car [m/s2, rad/s], 0 where the signs agree
    delay         shift of f with maximum correlation to f_car [s], + when the platform is late

and the same scores for the perceived motion (`washout.vestibular`). A score is NaN if it is undefined: along an axis on which the car
hardly moves (REST_LIMITS).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Array
from washout.motion_sickness import full_dose
from washout.vestibular import FORCE_THRESHOLDS, MODELS, RATE_THRESHOLDS, Vestibular, beyond

CUTOFF_FREQUENCY = 10.0
"""Hz. Low-pass frequency of the target and of false cues."""

LONGEST_DELAY = 1.0
"""s. The search range of delays is minus to plus this value."""

REST_LIMITS = (0.05, 0.005)
"""m/s2 and rad/s rms below which an axis of the car counts as at rest."""

FORCES, RATES = ("surge", "sway", "heave"), ("roll", "pitch", "yaw")


def up_to(signal: Array, h: float, highest: float = CUTOFF_FREQUENCY) -> Array:
    """Low-pass a signal (n, ...) in steps of h [s] at `highest` [Hz] without delay; the signal is mirrored at both ends."""
    n = len(signal)
    if highest >= 0.5 / h:
        return signal
    spectrum = np.fft.rfft(np.concatenate([signal, signal[::-1]]), axis=0)
    spectrum[np.fft.rfftfreq(2 * n, h) > highest] = 0.0
    return np.fft.irfft(spectrum, 2 * n, axis=0)[:n]


def rms(signal: Array) -> float:
    """Return the root mean square of all numbers."""
    return float(np.sqrt(np.mean(np.square(signal))))


def error_of(cab: Array, car: Array, aim: Array | float) -> float:
    """Return rms(cab - K car) / rms(K car) of signals (n,) or (n, k) with K (k,); infinite or NaN if the target is 0."""
    target = aim * car
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(rms(cab - target)) / rms(target))


def correlation_of(cab: Array, car: Array) -> float:
    """Return the correlation of two signals (n,); 0 if the platform does not move."""
    one, other = cab - cab.mean(), car - car.mean()
    size = rms(one) * rms(other)
    return float(np.mean(one * other) / size) if size > 0.0 else 0.0


def gain_of(cab: Array, car: Array) -> float:
    """Return sum(cab car) / sum(car^2) of two signals (n,)."""
    return float(np.dot(cab, car) / np.dot(car, car)) if np.any(car) else np.nan


def delay_of(cab: Array, car: Array, h: float) -> float:
    """Return the shift [s] of maximum correlation of two signals (n,), interpolated by a parabola; NaN beyond LONGEST_DELAY."""
    from scipy.signal import correlate

    n, reach = len(car), min(len(car) - 1, round(LONGEST_DELAY / h))
    around = correlate(cab - cab.mean(), car - car.mean(), method="fft")[n - 1 - reach : n + reach]
    k = int(np.argmax(around))
    if not 0 < k < len(around) - 1:
        return np.nan
    low, top, high = around[k - 1 : k + 2]
    bend = low - 2.0 * top + high
    return float((k - reach + (0.5 * (low - high) / bend if bend < 0.0 else 0.0)) * h)


def false_cue_of(cab: Array, car: Array) -> float:
    """Return the rms of the part of cab with the opposite sign of car."""
    return rms(np.where(cab * car < 0.0, cab, 0.0))


def axis_scores(cab: Array, car: Array, aim: float, h: float, still: float) -> dict[str, float]:
    """Return all scores of one axis (n,); see the module docstring."""
    quiet = rms(car) < still
    return {
        "car_rms": rms(car),
        "cab_rms": rms(cab),
        "error": np.nan if quiet or aim == 0.0 else error_of(cab, car, aim),
        "correlation": np.nan if quiet else correlation_of(cab, car),
        "gain": np.nan if quiet else gain_of(cab, car),
        "false_cue": false_cue_of(cab, car),
        "delay": np.nan if quiet else delay_of(cab, car, h),
    }


class Head(NamedTuple):
    """Motion of the head, or its scales."""

    force: Array
    """(n, 3) specific force less gravity [m/s2], or (3,) its scales."""
    rate: Array
    """(n, 3) angular velocity [rad/s], or (3,) its scales."""


def scores(car: Head, cab: Head, aim: Head, h: float, models: Sequence[Vestibular] = MODELS) -> dict[str, Any]:
    """Return the scores of a drive.

    Parameters
    ----------
    car, cab : motion of the head in the car and on the platform
    aim : target scales of the washout
    h : s between rows
    models : vestibular models of the scored perceived motion; this part takes half of the time

    Returns
    -------
    {"force_error": of surge and sway together, "force_error_with_heave": of all three, "unscaled_error": of surge and sway with K = 1,
    "sickness": {"car", "cab": `washout.motion_sickness.full_dose`}, "axes": {axis: `axis_scores`}, "perceived": {model: see `perceived_scores`}}
    """
    f_car, w_car, f, w = (up_to(signal, h) for signal in (*car, *cab))
    axes = {name: axis_scores(f[:, j], f_car[:, j], aim.force[j], h, REST_LIMITS[0]) for j, name in enumerate(FORCES)}
    axes |= {name: axis_scores(w[:, j], w_car[:, j], aim.rate[j], h, REST_LIMITS[1]) for j, name in enumerate(RATES)}
    return {
        "force_error": error_of(f[:, :2], f_car[:, :2], aim.force[:2]),
        "force_error_with_heave": error_of(f, f_car, aim.force),
        "unscaled_error": error_of(f[:, :2], f_car[:, :2], 1.0),
        "sickness": {"car": full_dose(car.force, h), "cab": full_dose(cab.force, h)},
        "axes": axes,
        "perceived": {model.name: perceived_scores(model, car, cab, aim, h) for model in models},
    }


def perceived_scores(model: Vestibular, car: Head, cab: Head, aim: Head, h: float) -> dict[str, dict[str, float]]:
    """Return the scores of the output of canals and otoliths for both motions, by axis, without a low-pass; and in addition

    noticed_error   like `error`, for the parts beyond the thresholds
    noticed_share   fraction of the time in which the difference to the target is beyond its threshold
    """
    scores_by_axis: dict[str, dict[str, float]] = {}
    senses = (
        (FORCES, model.forces(car.force, h), model.forces(cab.force, h), aim.force, FORCE_THRESHOLDS, REST_LIMITS[0]),
        (RATES, model.rates(car.rate, h), model.rates(cab.rate, h), aim.rate, RATE_THRESHOLDS, REST_LIMITS[1]),
    )
    for names, there, here, scales, thresholds, still in senses:
        target, left = beyond(scales * there, thresholds), beyond(here, thresholds)
        missed = np.abs(here - scales * there) > thresholds
        for j, name in enumerate(names):
            scores_by_axis[name] = axis_scores(here[:, j], there[:, j], scales[j], h, still) | {
                "noticed_error": error_of(left[:, j], target[:, j], 1.0) if rms(target[:, j]) > 0.1 * thresholds[j] else np.nan,
                "noticed_share": float(missed[:, j].mean()),
            }
    return scores_by_axis


def mean_scores(of_drives: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the mean of each number over drives, without NaN: the same nested mapping."""
    first = of_drives[0]
    means: dict[str, Any] = {}
    for key, value in first.items():
        if isinstance(value, Mapping):
            means[key] = mean_scores([one[key] for one in of_drives])
        elif isinstance(value, float | int):
            numbers = np.array([one[key] for one in of_drives], dtype=float)
            numbers = numbers[np.isfinite(numbers)]
            means[key] = float(numbers.mean()) if len(numbers) else np.nan
    return means
