"""Records: named, typed blocks of numbers that kernels read and write.

A record is a structured NumPy array of length 1, made from a table with one row per field::

    PARAMETERS = (
        # name     shape   unit     description
        ("mass",   (),     "kg",    "mass, driver and fuel included"),
        ("p_BK",   (4, 3), "m",     "hub centers relative to the reference point, in B"),
    )

The table defines the dtype for kernels, the check of a user's file, the channel list of the telemetry and the layout of shared memory,
so that a field is described once. The optional fifth entry is the NumPy type (default "f8"; an integer type in the table of a file accepts
integers only). The optional sixth entry is the frame of a field whose name does not contain the frame.
Kernels read `p[0]["mass"]`, which also works when the compiler is switched off.

A shape may contain a variable `Length`, such as the number of wheels; `sized` returns the table for given lengths.
The type of a field may be a table: the field is then a nested record.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.memoize import memoize_table

Row = tuple[Any, ...]
Table = tuple[Row, ...]
Record = NDArray[Any]
Range = tuple[float, float]
"""Minimum and maximum, both allowed."""
Ranges = Mapping[str, Range]
"""Ranges of the fields of a table."""

ABOVE_ZERO = math.ulp(0.0)
"""Smallest number above zero, for a range without zero."""
LARGEST = 1e9
"""Default maximum magnitude of a number in a file, in SI units: a larger number is probably a typo."""
_ANY = (-math.inf, math.inf)


class Length(int):
    """Variable length in the shape of a field, with a default; see `sized`.

    Attributes
    ----------
    name : name of the counted items, for example wheels
    labels : names of the items, if any
    """

    def __new__(cls, name: str, usual: int, labels: Sequence[str] = ()) -> Length:
        length = super().__new__(cls, usual)
        length.name, length.labels = name, tuple(labels)
        return length

    name: str
    labels: tuple[str, ...]

    def __eq__(self, other: object) -> bool:
        """Compare the values, and with another `Length` also names and labels: tables with different column names are not equal."""
        return int(self) == other and (not isinstance(other, Length) or (self.name, self.labels) == (other.name, other.labels))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__


@cache
def sized(table: Table, **lengths: int) -> Table:
    """Return the table with given values of its variable lengths, by name."""

    def resized(n: int) -> int:
        return Length(n.name, lengths[n.name]) if isinstance(n, Length) and lengths.get(n.name, n) != n else n

    def shaped(row: Row) -> Row:
        shape = tuple(resized(n) for n in row[1])
        kind = row[4:5] if len(row) < 5 or isinstance(row[4], str) else (sized(row[4], **lengths),)
        return (row[0], shape, *row[2:4], *kind, *row[5:])

    return tuple(shaped(row) for row in table)


def labeled(table: Table, name: str, labels: Sequence[str]) -> Table:
    """Return the table with labels for the items of a length; the labels become parts of column names."""

    def named(row: Row) -> Row:
        shape = tuple(Length(n.name, len(labels), labels) if isinstance(n, Length) and n.name == name else n for n in row[1])
        return (row[0], shape, *row[2:])

    return tuple(named(row) for row in table)


@memoize_table
def dtype_of(table: Table) -> np.dtype:
    """Return the aligned structured dtype of a table. One object per table: equal but distinct dtypes make type dispatch four times slower."""
    return np.dtype([(row[0], _kind(row), tuple(map(int, row[1]))) for row in table], align=True)


def _kind(row: Row) -> str | np.dtype:
    """Return the NumPy type of a field."""
    kind = row[4] if len(row) > 4 else "f8"
    return dtype_of(kind) if isinstance(kind, tuple) else kind


def record(table: Table, count: int = 1) -> Record:
    """Return a zeroed record, or `count` consecutive records, of a table."""
    return np.zeros(count, dtype_of(table))


def copy_record(part: Record, out: Record) -> None:
    """Copy all fields of a record to the fields of the same names of another record."""
    for name in part.dtype.names or ():
        out[0][name] = part[0][name]


def view_as(part: Record, table: Table, layout: np.dtype) -> Record:
    """Return a view of a record with the fields of a table, at their offsets in a layout."""
    assert layout.fields is not None
    formats = [(row[4] if len(row) > 4 else "f8", tuple(map(int, row[1]))) for row in table]
    offsets = [layout.fields[row[0]][1] for row in table]
    names = [row[0] for row in table]
    return part.view(np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": part.itemsize}))  # type: ignore[call-overload]


def layout_hash(table: Table) -> int:
    """Return a 64-bit hash of the layout of a table; two processes compare it before they share memory."""
    text = repr([(row[0], row[1], row[2], row[4] if len(row) > 4 else "f8") for row in table])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def numbers(
    value: Any, shape: tuple[int, ...], file: object, key: str, unit: str = "", within: Range = _ANY, whole: bool = False
) -> NDArray[np.float64]:
    """Return a value as a float array of the given shape; `unit` is for the message.

    Raises ConfigError: another shape, a string or boolean, a number that is not finite or outside the range `within`.
    """
    if not whole and _are_plain(value, shape, *within):
        return np.array(value, dtype=float)
    expected = _number_text(shape, unit)
    if _has_other_than_numbers(value):
        raise ConfigError(file, key, value, expected)
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ConfigError(file, key, value, expected) from None
    if array.shape != shape:
        raise ConfigError(file, key, value, expected)
    if not np.isfinite(array).all():
        raise ConfigError(file, key, value, expected + ", finite")
    if whole and (array % 1.0 != 0.0).any():
        raise ConfigError(file, key, value, expected + ", integer")
    low, high = within
    if (array < low).any() or (array > high).any():
        raise ConfigError(file, key, value, f"{expected}, {_range_text(low, high)}")
    return array


def _are_plain(value: Any, shape: tuple[int, ...], low: float, high: float) -> bool:
    """Return True for a float, or a list of floats of the given shape, finite and from `low` to `high`: the fast case of nearly all values."""
    if not shape:
        return type(value) is float and low <= value <= high and math.isfinite(value)
    if len(shape) > 1 or type(value) is not list or len(value) != shape[0]:
        return False
    return all(type(one) is float and low <= one <= high and math.isfinite(one) for one in value)


def join(*parts: str) -> str:
    """Return the key path of the parts, without empty parts."""
    return ".".join(filter(None, parts))


def _has_other_than_numbers(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_has_other_than_numbers(item) for item in value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind not in "fiu"
    return isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating))


def _range_text(low: float, high: float) -> str:
    return f"above 0, at most {high:g}" if low == ABOVE_ZERO else f"from {low:g} to {high:g}"


def _number_text(shape: tuple[int, ...], unit: str) -> str:
    words = " x ".join(str(n) for n in shape) + " numbers" if shape else "a number"
    return words if unit in ("", "1") else f"{words} in {unit}"
