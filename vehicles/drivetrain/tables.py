"""Measured curves: checked when read from a file, interpolated in kernels. Linear between the points, constant outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.jit import inline
from simulator.base.records import Record, join, numbers

RPM = np.pi / 30.0
"""rad/s per revolution per minute."""

LARGEST = 1e6
"""Nothing of a drivetrain is larger in SI units or rpm; beyond it is a slip of the pen."""


@inline
def cell(abscissa, count, x):
    """(i, fraction, slope): x lies in the piece i..i+1 of the first `count` points at `fraction` in [0, 1].

    `slope` is d(fraction)/dx, zero outside the table, where the end values go on unchanged.
    """
    last = count - 1
    if x <= abscissa[0]:
        return 0, 0.0, 0.0
    if x >= abscissa[last]:
        return last - 1, 1.0, 0.0
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if x < abscissa[middle]:
            high = middle
        else:
            low = middle
    slope = 1.0 / (abscissa[high] - abscissa[low])
    return low, (x - abscissa[low]) * slope, slope


@inline
def smooth_step(time, duration):
    """From 0 to 1 while time runs from 0 to duration, first and second derivative zero at both ends; 1 at once if duration is 0."""
    if time >= duration:
        return 1.0
    x = max(0.0, time / duration)
    return x * x * x * (10.0 - x * (15.0 - 6.0 * x))


def check_keys(mapping: Any, required: Sequence[str], file: object, key: str, optional: Sequence[str] = ()) -> None:
    """Raise ConfigError unless `mapping` is a mapping with all `required` keys and none beyond those and the `optional` ones."""
    known = ", ".join([*required, *optional])
    if not isinstance(mapping, Mapping):
        raise ConfigError(file, key, mapping, "a mapping with the keys " + known)
    for name in mapping:
        if name not in required and name not in optional:
            raise ConfigError(file, join(key, str(name)), mapping[name], "no such key; known here: " + known)
    for name in required:
        if name not in mapping:
            raise ConfigError(file, join(key, name), "nothing", "a value; needed here: " + known)


def number(mapping: Mapping[str, Any], name: str, file: object, key: str, low: float, high: float = LARGEST, above: bool = False) -> float:
    """The number `mapping[name]` in [low, high], or in (low, high] when `above`. Raises ConfigError."""
    value = float(numbers(mapping[name], (), file, join(key, name)))
    if not (low <= value <= high) or (above and value == low):
        words = f"a number {'>' if above else '>='} {low:g} and <= {high:g}"
        raise ConfigError(file, join(key, name), mapping[name], words)
    return value


def series(mapping: Mapping[str, Any], name: str, file: object, key: str, count: int | None = None) -> NDArray[np.float64]:
    """The list of numbers `mapping[name]`, of `count` entries if given, otherwise of at least two. Raises ConfigError."""
    value = mapping[name]
    if not isinstance(value, (list, tuple)) or len(value) < 2:
        raise ConfigError(file, join(key, name), value, "a list of at least two numbers" if count is None else f"a list of {count} numbers")
    values = numbers(value, (len(value) if count is None else count,), file, join(key, name))
    if (np.abs(values) > LARGEST).any():
        raise ConfigError(file, join(key, name), value, f"numbers from {-LARGEST:g} to {LARGEST:g}")
    return values


def curve(mapping: Any, x: str, y: str, file: object, key: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The two equally long lists `x` (strictly rising) and `y` of a mapping. Raises ConfigError."""
    check_keys(mapping, (x, y), file, key)
    abscissa = series(mapping, x, file, key)
    if not np.all(np.diff(abscissa) > 0.0):
        raise ConfigError(file, join(key, x), mapping[x], "strictly rising numbers")
    return abscissa, series(mapping, y, file, key, len(abscissa))


def merge(*curves: tuple[NDArray[np.float64], NDArray[np.float64]]) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """Curves on the union of their abscissas: exact, since they are linear between points and constant outside."""
    union = np.unique(np.concatenate([x for x, _ in curves]))
    return union, [np.interp(union, x, y) for x, y in curves]


def store(out: Record, fields: Mapping[str, NDArray[np.float64]], count_field: str, file: object, key: str) -> None:
    """Write curves of equal length into the fixed-size fields of a record, and their length into `count_field`. Raises ConfigError."""
    for name, values in fields.items():
        room = out[0][name].shape[0]
        if len(values) > room:
            raise ConfigError(file, key, len(values), f"curves with at most {room} points together")
        out[0][name][: len(values)] = values
        out[0][count_field] = len(values)
