"""Arrays of sensors and of the map in messages of the port: choice by name, lines of the schema, bytes of a measurement."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, JounceError
from simulator.base.rates import shown_time
from simulator.base.suggestions import did_you_mean, listed
from simulator.port.messages import ARRAY_HEAD, MAX_DIMENSIONS, SENSOR_HEAD, Part
from simulator.sensors.contract import ArrayOutput

ALIGNMENT = 8
"""Bytes. The begin of each array in the body of a message is a multiple of it, so that a reader may use the array where it is."""
NUMBERS = "biuf"
"""Kinds of NumPy types that a peer can read: truth values, integers, real numbers."""


class PortArray(NamedTuple):
    """Array that is sent to the peer."""

    source: str
    """Name of its sensor."""
    output: ArrayOutput

    @property
    def name(self) -> str:
        """Name in the schema."""
        return f"{self.source}.{self.output.name}"

    @property
    def dtype(self) -> np.dtype:
        """Type of an item, little-endian."""
        return np.dtype(self.output.dtype).newbyteorder("<")


def is_array(pattern: str) -> bool:
    """Return whether a name or pattern of `--state` is one of arrays, NAME.ARRAY, and not of columns."""
    return "." in pattern


def chosen_arrays(patterns: Collection[str], sources: Mapping[str, Sequence[ArrayOutput]]) -> tuple[PortArray, ...]:
    """Return the arrays that match patterns NAME.ARRAY, in the order of the sources. Raises ConfigError, JounceError.

    sources : arrays by the name of the sensor
    """
    known = [PortArray(source, one) for source, outputs in sources.items() for one in outputs]
    for pattern in patterns:
        if not any(fnmatchcase(one.name, pattern) for one in known):
            names = [one.name for one in known]
            raise ConfigError(
                "--state", "", pattern, f"{listed(names) or 'a session with a sensor that has arrays'}{did_you_mean(pattern, names)}"
            )
    chosen = tuple(one for one in known if any(fnmatchcase(one.name, pattern) for pattern in patterns))
    for one in chosen:
        _check(one)
    return chosen


def _check(one: PortArray) -> None:
    """Raise JounceError for an array that no message can have."""
    if len(one.output.dimensions) > MAX_DIMENSIONS:
        raise JounceError(f"--state: {one.name}: {len(one.output.dimensions)} axes; expected at most {MAX_DIMENSIONS}")
    kinds = [one.dtype] if one.dtype.names is None else [field.base for _, field, _ in _fields(one.dtype)]
    for kind in kinds:
        if kind.names is not None or kind.kind not in NUMBERS:
            raise JounceError(f"--state: {one.name}: items of type {kind}; expected numbers, or fields of numbers")


def _fields(dtype: np.dtype) -> Iterator[tuple[str, np.dtype, int]]:
    """Yield name, type and offset [bytes] of the fields of a structured type."""
    for name in dtype.names or ():
        kind, offset = dtype.fields[name][:2]  # type: ignore[index]
        yield name, kind, offset


def array_rows(arrays: Sequence[PortArray]) -> Iterator[tuple[object, ...]]:
    """Yield the lines of the schema: one for each array, and one for each field of its items."""
    for n, one in enumerate(arrays):
        yield "array", n, one.name, _type(one.dtype), ",".join(one.output.dimensions), one.output.unit, one.output.frame, one.output.meaning
        for name, kind, offset in _fields(one.dtype):
            yield "field", n, name, _type(kind), offset


def _type(kind: np.dtype) -> str:
    """Return the type as text: `<f4`; `V44` for 44 bytes with fields, `(3,)<f4` for a field of several numbers."""
    return f"{kind.shape}{kind.base.str}".replace(" ", "") if kind.shape else kind.str


def packed(arrays: Sequence[PortArray], source: str, time: float, delivered: float, values: Mapping[str, NDArray[Any]]) -> list[Part]:
    """Return the parts of the body of a SENSOR message, without a copy of the arrays. Empty: none of them is chosen.

    Parameters
    ----------
    arrays : all arrays of the schema
    source : name of the sensor
    time, delivered : times of the measurement and of its delivery [s]
    values : arrays of the measurement by name
    """
    parts: list[Part] = []
    count = 0
    for n, one in enumerate(arrays):
        if one.source == source and one.output.name in values:
            array, axes = _contiguous(values[one.output.name], one.dtype), len(one.output.dimensions)
            sizes = (*array.shape, *(1,) * (MAX_DIMENSIONS - axes))
            data = array.reshape(-1).view(np.uint8).data if array.size else b""
            parts += [ARRAY_HEAD.pack(n, axes, *sizes, array.nbytes), data, bytes(-array.nbytes % ALIGNMENT)]
            count += 1
    return [SENSOR_HEAD.pack(shown_time(time), shown_time(delivered), count, 0), *parts] if count else []


def _contiguous(values: NDArray[Any], dtype: np.dtype) -> NDArray[Any]:
    """Return the array, or a copy of another type or layout with zeros between the fields."""
    if values.dtype == dtype and values.flags.c_contiguous:
        return values
    out = np.zeros(values.shape, dtype)
    out[...] = values
    return out
