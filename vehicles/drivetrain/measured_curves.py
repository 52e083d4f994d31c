"""Measured curves: storage in records and interpolation in kernels; linear between the points, constant outside."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.jit import inline
from simulator.base.records import Record
from simulator.base.values import Values

RPM = np.pi / 30.0
"""rad/s per revolution per minute."""

MAX_SPEED = 30_000.0
"""rpm. Plausibility limit of all speeds of a drivetrain; larger numbers are typos."""
MAX_TORQUE = 1e5
"""N m. Plausibility limit of all torques."""
MIN_INERTIA, MAX_INERTIA = 1e-6, 1e3
"""kg m2. Plausible range of the inertia of a shaft."""
MAX_TIME = 60.0
"""s. Plausibility limit of all times of a gearbox."""


@inline
def smooth_step(time, duration):
    """Return a smooth step from 0 to 1 for a time from 0 to duration, with zero first and second derivatives at both ends.

    The result is 1 if the duration is 0.
    """
    if time >= duration:
        return 1.0
    x = max(0.0, time / duration)
    return x * x * x * (10.0 - x * (15.0 - 6.0 * x))


@inline
def smooth_step_rate(time, duration):
    """Return the rate of `smooth_step` [1/s]."""
    if time <= 0.0 or time >= duration:
        return 0.0
    x = time / duration
    return 30.0 * x * x * (1.0 - x) * (1.0 - x) / duration


def merge(*curves: tuple[NDArray[np.float64], NDArray[np.float64]]) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """Return the curves on the union of their abscissas; exact for curves that are linear between points and constant outside."""
    union = np.unique(np.concatenate([x for x, _ in curves]))
    return union, [np.interp(union, x, y) for x, y in curves]


def store(out: Record, fields: Mapping[str, NDArray[np.float64]], count_field: str, values: Values) -> None:
    """Write curves of equal length, read from `values`, into the fixed-size fields of a record, and their length into `count_field`.

    Raises ConfigError when there are too many points.
    """
    for name, numbers in fields.items():
        capacity = out[0][name].shape[0]
        if len(numbers) > capacity:
            raise ConfigError(values.file, values.key, len(numbers), f"curves with at most {capacity} points together")
        out[0][name][: len(numbers)] = numbers
        out[0][count_field] = len(numbers)
