"""Channels: the fields of one or more records, flattened to named columns of one number each.

A field keeps its name and gains a suffix per number: `v_WB_B` -> `v_WB_B_x`, `v_WB_B_y`, `v_WB_B_z`; `jounce` -> `jounce_FL` ...
`jounce_RR`; `p_BK` -> `p_BK_FL_x` ...; a quaternion `q_WB` -> `q_WB_w` ... `q_WB_z`; anything else counts from 0.
Unit and meaning come from the row of the table, the frame from the monogram in the name or, where the name has none, from the sixth
entry of the row.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base import renamed
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
    """One column: `name`, `unit`, `frame` ("" for a scalar without one), `meaning`, NumPy type `kind`, byte `offset` in its row.

    `wall` marks what the wall clock says: it differs between two runs of the same drive, and everything else does not. `field` is the name
    that the columns of one field share: `v_WB_B` of `v_WB_B_x`.
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
        """What is said of the column beside its numbers."""
        said = {"name": self.name, "field": self.field, "unit": self.unit, "frame": self.frame, "meaning": self.meaning}
        return said | ({"wall": "yes"} if self.wall else {})


class Layout:
    """How the columns lie in a row of `row_bytes` bytes."""

    def __init__(self, columns: Sequence[Channel], row_bytes: int) -> None:
        self.columns, self.row_bytes = list(columns), row_bytes

    def split(self, rows: NDArray[np.uint8]) -> Mapping[str, NDArray]:
        """Columns by name out of rows of bytes (n, row_bytes)."""
        return {c.name: np.ascontiguousarray(rows[:, c.offset : c.offset + c.kind.itemsize]).view(c.kind)[:, 0] for c in self.columns}


class Part(NamedTuple):
    """What one record gives to a row: its `bytes`, or those at `places` only, from byte `start` of the row on, `size` of them."""

    bytes: NDArray[np.uint8]
    places: NDArray[np.intp] | None
    start: int
    size: int


class Channels(Layout):
    """Columns of several records laid side by side in one row of bytes.

    Parameters
    ----------
    sources : (prefix, table, record) each; the record is read again at every row, so it must be filled in place and never replaced.
        The prefix goes before every name of that table ("" for the readout, "command_" for the command).
    wall : names of the columns that tell the wall clock's time
    wanted : columns to take, see `chosen`; all when it is empty

    Raises
    ------
    ConfigError : nothing fits one of `wanted`
    """

    def __init__(self, sources: Iterable[tuple[str, Table, Record]], wall: Collection[str] = (), wanted: Collection[str] = ()) -> None:
        sources = list(sources)
        offered = tuple(_columns(table, prefix, record.dtype, frozenset(wall)) for prefix, table, record in sources)
        laid = _laid(offered, tuple(source.itemsize for _, _, source in sources), tuple(wanted))
        self.parts = [Part(sources[n][2].view(np.uint8), places, start, size) for n, places, start, size in laid.parts]
        super().__init__(laid.columns, laid.row_bytes)


class Rows:
    """Copies the records of channels, as they are, into rows of bytes (n, row_bytes)."""

    def __init__(self, channels: Channels, rows: NDArray[np.uint8]) -> None:
        self._copies = [(rows[:, part.start : part.start + part.size], part.bytes, part.places) for part in channels.parts]

    def put(self, place: int) -> None:
        """Fill a row."""
        for rows, source, places in self._copies:
            if places is None:
                rows[place] = source
            else:
                source.take(places, out=rows[place], mode="clip")


def chosen(offered: Mapping[str, str], wanted: Collection[str]) -> list[str]:
    """Which columns are meant, in the order in which they are offered.

    Parameters
    ----------
    offered : the field of every column, by the column's name
    wanted : names of columns or fields ("v_WB_B" for its three columns), and patterns of either with * and ? ("F_C_*_z"); all of them
        when it is empty

    Raises
    ------
    ConfigError : nothing fits one of `wanted`
    """
    found: set[str] = set()
    for pattern in map(renamed.column, wanted or ("*",)):
        if pattern in offered:  # as most are: nearly all the time goes into the others
            found.add(pattern)
            continue
        fitting = {name for name, field in offered.items() if fnmatchcase(name, pattern) or fnmatchcase(field, pattern)}
        if not fitting and offered:
            near = did_you_mean(pattern, [*offered.values(), *offered])
            raise ConfigError("channels", "", pattern, f"a column, a field, or a pattern with * and ? that fits one{near}")
        found |= fitting
    return [name for name in offered if name in found]


class _Columns(tuple[Channel, ...]):
    """Columns of a record; offsets are those in the record. Found once for all equal records, so they are told apart by what object they are."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


@memoize_table
def _columns(table: Table, prefix: str, dtype: np.dtype, wall: frozenset[str]) -> _Columns:
    """Columns of a record."""
    return _Columns(_columns_of_rows(prefix, table, dtype, wall))


class _Laid(NamedTuple):
    """Columns in a row."""

    columns: tuple[Channel, ...]
    parts: tuple[tuple[int, NDArray[np.intp] | None, int, int], ...]
    """Of each record that gives anything its number, and the rest of a `Part`."""
    row_bytes: int


@lru_cache(maxsize=256)
def _laid(offered: tuple[_Columns, ...], sizes: tuple[int, ...], wanted: tuple[str, ...]) -> _Laid:
    """The columns that are wanted of records of these sizes side by side: of runs of one kind they are the same. Raises ConfigError."""
    names = [column.name for columns in offered for column in columns]
    if len(set(names)) != len(names):
        raise ValueError("two channels share a name: " + ", ".join(sorted({name for name in names if names.count(name) > 1})))
    names = chosen({column.name: column.field for columns in offered for column in columns}, wanted)
    parts: list[tuple[int, NDArray[np.intp] | None, int, int]] = []
    laid: list[Channel] = []
    start = 0
    for n, columns in enumerate(offered):
        taken = [column for column in columns if column.name in names]
        if taken:
            places, offsets = _places(taken, whole=len(taken) == len(columns))
            parts.append((n, places, start, sizes[n] if places is None else len(places)))
            laid += [replace(column, offset=start + offset) for column, offset in zip(taken, offsets, strict=True)]
            start += parts[-1][-1]
    return _Laid(tuple(laid), tuple(parts), start)


def _columns_of_rows(prefix: str, table: Table, dtype: np.dtype, wall: frozenset[str]) -> Iterator[Channel]:
    for row in table:
        kind, field_offset = dtype.fields[row[0]][:2]  # type: ignore[index]
        base, field = kind.base, prefix + row[0]
        for i, suffix in enumerate(_suffixes(row)):
            name, offset = field + suffix, field_offset + i * base.itemsize
            yield Channel(name, row[2], frame_of(row), row[3], base, offset, name in wall, field)


def _places(taken: Sequence[Channel], whole: bool) -> tuple[NDArray[np.intp] | None, list[int]]:
    """The bytes of a record that go into a row, None for all of them, and where each column then lies among them."""
    if whole:
        return None, [column.offset for column in taken]
    places = np.concatenate([np.arange(column.offset, column.offset + column.kind.itemsize) for column in taken])
    ends = np.cumsum([column.kind.itemsize for column in taken])
    return places, [int(end) - column.kind.itemsize for end, column in zip(ends, taken, strict=True)]


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
    """Letter of the frame in which a field is written: from its monogram, else from the row, else ""."""
    for pattern, frame in _MONOGRAM:
        found = pattern.match(row[0])
        if found:
            return frame or found.group(1)
    return row[5] if len(row) > 5 else ""
