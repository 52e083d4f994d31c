"""Speeds along a path that a lateral acceleration in its bends and a deceleration before them allow."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simulator.base.field_classes import entry
from simulator.base.fields import Flag, Number
from simulator.driver.path import Path
from simulator.driver.speed import SpeedTarget

STEP = 2.0
"""m between two target speeds. Larger: the driver brakes in steps; smaller: more targets."""
REACH = 3.0
"""m before and after a point over which its curvature is averaged, about the wheelbase of a car."""
SLOWEST = 1.0
"""m/s in the tightest bend."""
LEAST = 0.1
"""1. Fraction of the deceleration that is available at the largest lateral acceleration."""
MARGIN = 1.3
"""1. Limit of the deceleration of the driver relative to that of the target speeds, so that a late start of braking is made up."""


@dataclass(frozen=True)
class Cornering:
    """Limits of the speed on a path."""

    lateral: float = entry(Number("m/s2", 0.1, 15.0), "lateral acceleration in a bend", written="mps2")
    braking: float = entry(Number("m/s2", 0.1, 12.0), "deceleration before a bend", written="mps2")
    stop: bool = entry(Flag(), "true: the vehicle stops at the end of the path", False)


def cornering_targets(path: Path, limits: Cornering, fastest: SpeedTarget) -> tuple[SpeedTarget, ...]:
    """Return target speeds along a path; `fastest` has the speed on its straights, and the acceleration.

    Lateral and longitudinal acceleration stay in an ellipse.
    """
    reach, count = round(REACH / path.spacing), len(path.curvature)
    window = np.ones(2 * reach + 1)
    sums, points = (np.convolve(one, window)[reach : reach + count] for one in (np.abs(path.curvature), np.ones(count)))
    station = np.arange(0.0, path.length, STEP)
    curvature = np.interp(station, path.spacing * np.arange(count), sums / points)
    speed = np.clip(np.sqrt(limits.lateral / np.maximum(curvature, 1e-9)), SLOWEST, fastest.speed)
    if limits.stop:
        speed[-1] = 0.0
    for order, most in ((range(len(speed) - 1, 0, -1), limits.braking), (range(len(speed) - 1), fastest.acceleration)):
        for k in order:
            other = k - 1 if order.step < 0 else k + 1
            left = 1.0 - min(speed[k] ** 2 * curvature[k] / limits.lateral, 1.0) ** 2
            speed[other] = min(speed[other], math.sqrt(speed[k] ** 2 + 2.0 * most * max(math.sqrt(left), LEAST) * STEP))
    brakes = np.append(False, np.diff(speed) < 0.0)
    return tuple(
        SpeedTarget(
            float(v), MARGIN * limits.braking if slower else fastest.acceleration, at_station=float(s) - (1e4 if s == 0.0 else STEP)
        )
        for s, v, slower in zip(station, speed, brakes, strict=True)
    )
