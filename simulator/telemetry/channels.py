"""Channels: the fields of one or more records, flattened to named columns of one number each.

A field keeps its name and gains a suffix per number: `v_WB_B` -> `v_WB_B_x`, `v_WB_B_y`, `v_WB_B_z`; `jounce` -> `jounce_FL` ...
`jounce_RR`; `p_BK` -> `p_BK_FL_x` ...; a quaternion `q_WB` -> `q_WB_w` ... `q_WB_z`; all other fields count from 0.
Unit and meaning come from the row of the table. The frame comes from the monogram in the name or, without one, from the sixth entry
of the row.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.memoize import memoize_table
from simulator.base.records import Record, Row, Table
from simulator.base.suggestions import did_you_mean

AXES = ("x", "y", "z")
_MONOGRAM = (
    # pattern of the field's name, frame
    (re.compile(r".*_B$"), "B"),
    (re.compile(r"^[FM]_C$"), "C"),
    (re.compile(r"^[pqRX]_([A-Z])"), ""),
)


@dataclass(frozen=True)
class Channel:
    """One column: `name`, `unit`, `frame` ("" for a scalar without a frame), `meaning`, NumPy type `kind`, byte `offset` in its row.

    `wall` marks values of the wall clock, which differ between two equal runs; all other values are equal. `field` is the common name of
    the columns of one field: `v_WB_B` of `v_WB_B_x`.
    """

    name: str
    unit: str
    frame: str
    meaning: str
    kind: np.dtype
    offset: int
    wall: bool = False
    field: str = ""

    def words(self) -> dict[str, str]:
        """Return the metadata of the column."""
        metadata = {"name": self.name, "field": self.field, "unit": self.unit, "frame": self.frame, "meaning": self.meaning}
        return metadata | ({"wall": "yes"} if self.wall else {})


HEADINGS = ("yaw",)
"""Channels whose full turns have no meaning. Full turns of all other angles count, for example those of a steering wheel."""


class Layout:
    """Layout of the columns in a row of `row_bytes` bytes."""

    def __init__(self, columns: Sequence[Channel], row_bytes: int) -> None:
        self.columns, self.row_bytes = list(columns), row_bytes

    def split(self, rows: NDArray[np.uint8]) -> Mapping[str, NDArray]:
        """Return the columns by name from rows of bytes (n, row_bytes)."""
        return {c.name: np.ascontiguousarray(rows[:, c.offset : c.offset + c.kind.itemsize]).view(c.kind)[:, 0] for c in self.columns}


class Part(NamedTuple):
    """Contribution of a record to a row: its `bytes`, or only those at `places`, at byte `start` of the row, `size` bytes long."""

    bytes: NDArray[np.uint8]
    places: NDArray[np.intp] | None
    start: int
    size: int


class Channels(Layout):
    """Columns of several records in one row of bytes.

    Parameters
    ----------
    sources : (prefix, table, record) each; every row reads the record again, so the caller must fill the same record in place.
        The prefix precedes every name of that table ("" for the readout, "command_" for the command).
    wall : names of the columns with values of the wall clock
    patterns : columns to select, see `chosen`; empty: all columns

    Raises
    ------
    ConfigError : no column matches one of `patterns`
    """

    def __init__(self, sources: Iterable[tuple[str, Table, Record]], wall: Collection[str] = (), patterns: Collection[str] = ()) -> None:
        sources = list(sources)
        offered = tuple(_columns(table, prefix, record.dtype, frozenset(wall)) for prefix, table, record in sources)
        laid = _lay_out(offered, tuple(source.itemsize for _, _, source in sources), tuple(patterns))
        self.parts = [Part(sources[n][2].view(np.uint8), places, start, size) for n, places, start, size in laid.parts]
        super().__init__(laid.columns, laid.row_bytes)


class Rows:
    """Copies the records of channels into rows of bytes (n, row_bytes)."""

    def __init__(self, channels: Channels, rows: NDArray[np.uint8]) -> None:
        self._copies = [(rows[:, part.start : part.start + part.size], part.bytes, part.places) for part in channels.parts]

    def put(self, place: int) -> None:
        """Fill a row."""
        for rows, source, places in self._copies:
            if places is None:
                rows[place] = source
            else:
                source.take(places, out=rows[place], mode="clip")


def chosen(offered: Mapping[str, str], patterns: Collection[str]) -> list[str]:
    """Return the selected columns, in the offered order.

    Parameters
    ----------
    offered : field of every column, by the name of the column
    patterns : names of columns or fields ("v_WB_B" for its three columns), and patterns of either with * and ? ("F_C_*_z"); empty: all
        columns

    Raises
    ------
    ConfigError : no column matches one of `patterns`
    """
    names: set[str] = set()
    for pattern in patterns or ("*",):
        matching = matches(offered, pattern)
        if not matching and offered:
            near = did_you_mean(pattern, [*offered.values(), *offered])
            raise ConfigError("channels", "", pattern, f"a column, a field, or a matching pattern with * and ?{near}")
        names |= matching
    return [name for name in offered if name in names]


def matches(offered: Mapping[str, str], pattern: str) -> set[str]:
    """Return the offered columns that one of the patterns of `chosen` selects."""
    if pattern in offered:  # fast path; patterns take nearly all the time
        return {pattern}
    return {name for name, field in offered.items() if fnmatchcase(name, pattern) or fnmatchcase(field, pattern)}


class _Columns(tuple[Channel, ...]):
    """Columns of a record with offsets in the record. Instances are cached and compared by identity."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


@memoize_table
def _columns(table: Table, prefix: str, dtype: np.dtype, wall: frozenset[str]) -> _Columns:
    """Return the columns of a record."""
    return _Columns(_columns_of_rows(prefix, table, dtype, wall))


class _RowLayout(NamedTuple):
    """Columns in a row."""

    columns: tuple[Channel, ...]
    parts: tuple[tuple[int, NDArray[np.intp] | None, int, int], ...]
    """Number of each contributing record, and the fields of its `Part`."""
    row_bytes: int


@lru_cache(maxsize=256)
def _lay_out(offered: tuple[_Columns, ...], sizes: tuple[int, ...], patterns: tuple[str, ...]) -> _RowLayout:
    """Lay out the selected columns of several records; cached, because runs of one kind share the layout. Raises ConfigError."""
    names = [column.name for columns in offered for column in columns]
    if len(set(names)) != len(names):
        twice = sorted(name for name, count in Counter(names).items() if count > 1)
        raise ConfigError("log", "columns", ", ".join(twice[:3]), "different names of columns; hint: rename a vehicle or a sensor")
    names = chosen({column.name: column.field for columns in offered for column in columns}, patterns)
    parts: list[tuple[int, NDArray[np.intp] | None, int, int]] = []
    laid: list[Channel] = []
    start = 0
    for n, columns in enumerate(offered):
        selected = [column for column in columns if column.name in names]
        if selected:
            places, offsets = _places(selected, complete=len(selected) == len(columns))
            parts.append((n, places, start, sizes[n] if places is None else len(places)))
            laid += [replace(column, offset=start + offset) for column, offset in zip(selected, offsets, strict=True)]
            start += parts[-1][-1]
    return _RowLayout(tuple(laid), tuple(parts), start)


def _columns_of_rows(prefix: str, table: Table, dtype: np.dtype, wall: frozenset[str]) -> Iterator[Channel]:
    for row in table:
        kind, field_offset = dtype.fields[row[0]][:2]  # type: ignore[index]
        base, field = kind.base, prefix + row[0]
        for i, suffix in enumerate(_suffixes(row)):
            name, offset = field + suffix, field_offset + i * base.itemsize
            yield Channel(name, row[2], frame_of(row), row[3], base, offset, name in wall, field)


def _places(selected: Sequence[Channel], complete: bool) -> tuple[NDArray[np.intp] | None, list[int]]:
    """Return the bytes of a record that a row contains (None: all), and the offset of each column among them."""
    if complete:
        return None, [column.offset for column in selected]
    places = np.concatenate([np.arange(column.offset, column.offset + column.kind.itemsize) for column in selected])
    ends = np.cumsum([column.kind.itemsize for column in selected])
    return places, [int(end) - column.kind.itemsize for end, column in zip(ends, selected, strict=True)]


def _suffixes(row: Row) -> list[str]:
    name, shape = row[0], tuple(row[1])
    if shape == ():
        return [""]
    if shape == (4,) and name.startswith("q_"):
        return [f"_{letter}" for letter in "wxyz"]
    labels = [""]
    for length in shape:
        ends = getattr(length, "labels", ()) or (AXES if length == 3 else tuple(str(i) for i in range(length)))
        labels = [f"{label}_{end}" for label in labels for end in ends]
    return labels


def frame_of(row: Row) -> str:
    """Return the letter of the frame of a field: from its monogram, else from the row, else ""."""
    for pattern, frame in _MONOGRAM:
        match = pattern.match(row[0])
        if match:
            return frame or match.group(1)
    return row[5] if len(row) > 5 else ""
