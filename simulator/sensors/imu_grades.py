"""Presets of `type: imu`: three grades of units, from data sheets.

A data sheet gives the minimum of the Allan deviation ("in-run bias stability") as one number. The Gauss-Markov bias that stands for it peaks at
PEAK = 0.617 standard deviations, so its standard deviation is the minimum divided by PEAK. Where a sheet gives B of IEEE Std 952 instead, the
minimum is 0.664 B. A tolerance of a sheet counts as three standard deviations (assumed).

consumer     TDK InvenSense ICM-20948, DS-000189 rev. 1.3, ranges of 8 g and 500 deg/s: noise, offsets on a board, tolerance of the scale, sensitivity
             to other axes, counts. In-run stability and g-sensitivity are not in the sheet: assumed, as of similar parts.
industrial   Analog Devices ADIS16448: random walk, in-run stability, repeatability of the bias, alignment, effect of acceleration, counts. The scale
             is a third of the repeatability of 1 %.
navigation   Honeywell HG9900 (ring laser gyroscopes), brochure N61-1638: bias, angle random walk, scale. Noise of the accelerometers, in-run
             stability and alignment are not in it: assumed.

Correlation times and random walks K are assumed: the random walk has the Allan deviation of the in-run minimum at WALK_TIME.
"""

from __future__ import annotations

import math
from typing import Any

from simulator.base.constants import STANDARD_GRAVITY

PEAK = 0.617
"""Maximum of the Allan deviation of a Gauss-Markov bias per standard deviation, at 1.89 correlation times."""
WALK_TIME = 3000.0
"""s. Larger: less drift over hours."""
_DEG, _DEG_PER_H, _G = math.radians(1.0), math.radians(1.0) / 3600.0, STANDARD_GRAVITY


def _stability(part: str, minimum: float, time: float) -> dict[str, float]:
    """Return the Gauss-Markov bias and the random walk of an in-run stability [SI], with a correlation time [s]."""
    walk = minimum / math.sqrt(WALK_TIME / 3.0)  # Allan deviation K sqrt(tau / 3)
    return {f"{part}_correlated_bias": minimum / PEAK, f"{part}_correlation_time": time, f"{part}_walk": walk}


def _across(angle: float) -> tuple[tuple[float, float, float], ...]:
    """Return a misalignment with one value between all axes [rad]."""
    return ((0.0, angle, -angle), (-angle, 0.0, angle), (angle, -angle, 0.0))


def _every_axis(value: float) -> tuple[tuple[float, float, float], ...]:
    """Return a g-sensitivity to the force along the own axis."""
    return ((value, 0.0, 0.0), (0.0, value, 0.0), (0.0, 0.0, value))


PRESETS: dict[str, dict[str, Any]] = {
    "consumer": {
        "force_noise": 230e-6 * _G,
        "force_bias": 0.050 / 3.0 * _G,
        **_stability("force", 40e-6 * _G, 100.0),
        "force_scale_error": 0.005 / 3.0,
        "force_misalignment": _across(0.02 / 3.0),
        "force_range": 8.0 * _G,
        "force_step": _G / 4096.0,
        "rate_noise": 0.015 * _DEG,
        "rate_bias": 5.0 / 3.0 * _DEG,
        **_stability("rate", 10.0 * _DEG_PER_H, 100.0),
        "rate_scale_error": 0.015 / 3.0,
        "rate_misalignment": _across(0.02 / 3.0),
        "rate_range": 500.0 * _DEG,
        "rate_step": _DEG / 65.5,
        "g_sensitivity": _every_axis(0.1 * _DEG / _G),
    },
    "industrial": {
        "force_noise": 0.11 / 60.0,  # m/s per root hour
        "force_bias": 0.020 * _G,
        **_stability("force", 0.25e-3 * _G, 100.0),
        "force_scale_error": 0.01 / 3.0,
        "force_misalignment": _across(0.2 * _DEG),
        "force_range": 18.0 * _G,
        "force_step": 0.833e-3 * _G,
        "rate_noise": 0.66 * _DEG / 60.0,  # degrees per root hour
        "rate_bias": 0.5 * _DEG,
        **_stability("rate", 14.5 * _DEG_PER_H, 100.0),
        "rate_scale_error": 0.01 / 3.0,
        "rate_misalignment": _across(0.05 * _DEG),
        "rate_range": 1000.0 * _DEG,
        "rate_step": 0.04 * _DEG,
        "g_sensitivity": _every_axis(0.015 * _DEG / _G),
    },
    "navigation": {
        "force_noise": 10e-6 * _G,
        "force_bias": 25e-6 * _G,
        **_stability("force", 5e-6 * _G, 1000.0),
        "force_scale_error": 100e-6,
        "force_misalignment": _across(10e-6),
        "rate_noise": 0.002 * _DEG / 60.0,
        "rate_bias": 0.0035 * _DEG_PER_H,
        **_stability("rate", 0.001 * _DEG_PER_H, 1000.0),
        "rate_scale_error": 5e-6,
        "rate_misalignment": _across(10e-6),
    },
}
