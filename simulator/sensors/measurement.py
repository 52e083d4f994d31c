"""Measurements of sensors as drivers, outlets and subscribers receive them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record

NO_ARRAYS: Mapping[str, NDArray[Any]] = MappingProxyType({})


class Measurement(NamedTuple):
    """Last delivered measurement of a sensor. All arrays are read-only."""

    time: float
    """Simulated time of which the measurement is [s]; NaN before the first one and after the sensor was dropped"""
    delivered: float
    """Simulated time of the delivery [s]"""
    age: float
    """Time since `time` [s], at the time of reading; inf before the first measurement"""
    trouble: str
    """Reason why the sensor was dropped, one line; empty while it works"""
    values: Record
    """(1,) scalars, of the output table of the kind"""
    arrays: Mapping[str, NDArray[Any]]
    """Arrays of the kind by name; empty before the first measurement"""

    def __getitem__(self, name: Any) -> Any:
        """Return a scalar output or an array by its name; an index returns a field of the tuple."""
        if not isinstance(name, str):
            return tuple.__getitem__(self, name)
        if name in self.arrays:
            return self.arrays[name]
        scalars = self.values.dtype.names or ()
        if name not in scalars:
            raise KeyError(f"{name}: not in the measurement; expected {', '.join((*self.arrays, *scalars))}")
        return self.values[0][name]


class Delivering(Protocol):
    """Source of measurements."""

    name: str

    def latest(self, time: float) -> Measurement:
        """Return the last delivered measurement, with its age at `time` [s]."""


class Measurements(Mapping[str, Measurement]):
    """Last delivered measurements by the name of the sensor, at one time [s]."""

    def __init__(self, sensors: Sequence[Delivering], time: float) -> None:
        self._sensors, self._time = {sensor.name: sensor for sensor in sensors}, time

    def __getitem__(self, name: str) -> Measurement:
        if name not in self._sensors:
            raise KeyError(f"{name}: no such sensor; expected {', '.join(self._sensors) or 'a session with sensors'}")
        return self._sensors[name].latest(self._time)

    def __repr__(self) -> str:
        return f"Measurements({', '.join(self._sensors)})"

    def __iter__(self) -> Iterator[str]:
        return iter(self._sensors)

    def __len__(self) -> int:
        return len(self._sensors)


def read_only(arrays: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
    """Return arrays that cannot be written to; the arrays of a sensor belong to the receivers."""
    for array in arrays.values():
        array.setflags(write=False)
    return MappingProxyType(dict(arrays))


def no_measurement(values: Record) -> Record:
    """Fill a record of scalars for a sensor without measurement: NaN, 0 for integers; and return it."""
    for name in values.dtype.names or ():
        values[0][name] = math.nan if values.dtype[name].base.kind == "f" else 0
    return values


def as_values(values: Record) -> Record:
    """Return a read-only copy of a record of scalars."""
    out = values.copy()
    out.setflags(write=False)
    return out


def value_fault(values: Record) -> str:
    """Return what is wrong with the scalars of a plugin: they are finite or NaN; "" if nothing is."""
    for name in values.dtype.names or ():
        if np.isinf(values[0][name]).any():
            return f"{name} is infinite"
    return ""
