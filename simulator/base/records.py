"""Records: named, typed blocks of numbers that kernels read and write.

A record is a structured NumPy array of length 1, made from a table with one row per field::

    PARAMETERS = (
        # name     shape   unit     what it is
        ("mass",   (),     "kg",    "mass, driver and fuel included"),
        ("p_BK",   (4, 3), "m",     "hub centres from the reference point, in B"),
    )

The same table gives the dtype for kernels, the check of a user's file, the channel list of the telemetry and the layout of
shared memory, so a field is described once. A fifth entry, when present, is the NumPy type (default "f8"; an integer type in the
table of a file takes whole numbers only), a sixth the frame of a field whose name does not tell it.
Kernels read `p[0]["mass"]`, which also works when the compiler is switched off.

A shape may hold a `Length` that is open, such as the number of wheels: the table stands for many, `sized` gives the one of a certain number.
The type of a field may be a table of its own: the field is then a record inside the record.
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
"""Least and most, both allowed."""
Ranges = Mapping[str, Range]
"""Ranges of the fields of a table."""

ABOVE_ZERO = math.ulp(0.0)
"""The least number above zero, for a range that leaves zero out."""
LARGEST = 1e9
"""No number of a file with ranges is larger unless its range says so: beyond, in SI units, is a slip of the pen."""
_ANY = (-math.inf, math.inf)


class Length(int):
    """A length of fields that a table leaves open, with the value it has where nothing is said; see `sized`.

    Attributes
    ----------
    name : of what it counts
    labels : of the things counted, where they have names
    """

    def __new__(cls, name: str, usual: int, labels: Sequence[str] = ()) -> Length:
        made = super().__new__(cls, usual)
        made.name, made.labels = name, tuple(labels)
        return made

    name: str
    labels: tuple[str, ...]

    def __eq__(self, other: object) -> bool:
        """With another one also in what is counted: tables whose columns are called otherwise are not the same."""
        return int(self) == other and (not isinstance(other, Length) or (self.name, self.labels) == (other.name, other.labels))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__


@cache
def sized(table: Table, **lengths: int) -> Table:
    """The table with lengths of its own in place of those that it leaves open, by their names."""

    def of_its_own(n: int) -> int:
        return Length(n.name, lengths[n.name]) if isinstance(n, Length) and lengths.get(n.name, n) != n else n

    def shaped(row: Row) -> Row:
        shape = tuple(of_its_own(n) for n in row[1])
        kind = row[4:5] if len(row) < 5 or isinstance(row[4], str) else (sized(row[4], **lengths),)
        return (row[0], shape, *row[2:4], *kind, *row[5:])

    return tuple(shaped(row) for row in table)


def labeled(table: Table, name: str, labels: Sequence[str]) -> Table:
    """The table in which the things that a length counts have names: for columns that are called after them."""

    def named(row: Row) -> Row:
        shape = tuple(Length(n.name, len(labels), labels) if isinstance(n, Length) and n.name == name else n for n in row[1])
        return (row[0], shape, *row[2:])

    return tuple(named(row) for row in table)


@memoize_table
def dtype_of(table: Table) -> np.dtype:
    """Aligned structured dtype of a table. One object per table: numba takes four times as long to look at equal but other ones."""
    return np.dtype([(row[0], _kind(row), tuple(map(int, row[1]))) for row in table], align=True)


def _kind(row: Row) -> str | np.dtype:
    """NumPy type of a field."""
    kind = row[4] if len(row) > 4 else "f8"
    return dtype_of(kind) if isinstance(kind, tuple) else kind


def record(table: Table, count: int = 1) -> Record:
    """Zeroed record (or `count` records in a row) laid out by `table`."""
    return np.zeros(count, dtype_of(table))


def layout_hash(table: Table) -> int:
    """64-bit number that changes with the layout of a table; two processes compare it before they share memory."""
    text = repr([(row[0], row[1], row[2], row[4] if len(row) > 4 else "f8") for row in table])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def numbers(
    value: Any, shape: tuple[int, ...], file: object, key: str, unit: str = "", within: Range = _ANY, whole: bool = False
) -> NDArray[np.float64]:
    """`value` as a float array of the given shape, all of it finite and in the range `within`; strings and booleans are not numbers.

    `unit` is for the message. Raises ConfigError.
    """
    if not whole and _are_plain(value, shape, *within):
        return np.array(value, dtype=float)
    expected = _number_words(shape, unit)
    if _holds_other_than_numbers(value):
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
        raise ConfigError(file, key, value, expected + ", whole")
    low, high = within
    if (array < low).any() or (array > high).any():
        raise ConfigError(file, key, value, f"{expected}, {_range_words(low, high)}")
    return array


def _are_plain(value: Any, shape: tuple[int, ...], low: float, high: float) -> bool:
    """Whether that is a number, or a list of as many as wanted, as a parser of files makes them, finite and from low to high: as nearly all that
    is read is."""
    if not shape:
        return type(value) is float and low <= value <= high and math.isfinite(value)
    if len(shape) > 1 or type(value) is not list or len(value) != shape[0]:
        return False
    return all(type(one) is float and low <= one <= high and math.isfinite(one) for one in value)


def join(*parts: str) -> str:
    """Key path out of its parts, empty ones left out."""
    return ".".join(filter(None, parts))


def _holds_other_than_numbers(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_other_than_numbers(item) for item in value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind not in "fiu"
    return isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating))


def _range_words(low: float, high: float) -> str:
    return f"above 0, at most {high:g}" if low == ABOVE_ZERO else f"from {low:g} to {high:g}"


def _number_words(shape: tuple[int, ...], unit: str) -> str:
    words = " x ".join(str(n) for n in shape) + " numbers" if shape else "a number"
    return words if unit in ("", "1") else f"{words} in {unit}"
