"""Channels: the fields of one or more records, flattened to named columns of one number each.

A field keeps its name and gains a suffix per number: `v_WB_B` -> `v_WB_B_x`, `v_WB_B_y`, `v_WB_B_z`; `jounce` -> `jounce_FL` ...
`jounce_RR`; `p_BK` -> `p_BK_FL_x` ...; a quaternion `q_WB` -> `q_WB_w` ... `q_WB_z`; anything else counts from 0.
Unit and meaning come from the row of the table, the frame from the monogram in the name or, where the name has none, from the sixth
entry of the row.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, Row, Table

CORNERS = ("FL", "FR", "RL", "RR")
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

    `wall` marks what the wall clock says: it differs between two runs of the same drive, and everything else does not.
    """

    name: str
    unit: str
    frame: str
    meaning: str
    kind: np.dtype
    offset: int
    wall: bool = False


class Layout:
    """How the columns lie in a row of `row_bytes` bytes."""

    def __init__(self, columns: Sequence[Channel], row_bytes: int) -> None:
        self.columns, self.row_bytes = list(columns), row_bytes

    def split(self, rows: NDArray[np.uint8]) -> Mapping[str, NDArray]:
        """Columns by name out of rows of bytes (n, row_bytes)."""
        return {c.name: np.ascontiguousarray(rows[:, c.offset : c.offset + c.kind.itemsize]).view(c.kind)[:, 0] for c in self.columns}


class Channels(Layout):
    """Columns of several records laid side by side in one row of bytes.

    Parameters
    ----------
    sources : (prefix, table, record) each; the record is read again at every row, so it must be filled in place and never replaced.
        The prefix goes before every name of that table ("" for the readout, "command_" for the command).
    wall : names of the columns that tell the wall clock's time
    """

    def __init__(self, sources: Iterable[tuple[str, Table, Record]], wall: Collection[str] = ()) -> None:
        columns: list[Channel] = []
        self.records: list[Record] = []
        row_bytes = 0
        for prefix, table, source in sources:
            columns += _columns(prefix, table, source.dtype, row_bytes, wall)
            self.records.append(source)
            row_bytes += source.itemsize
        super().__init__(columns, row_bytes)
        names = [column.name for column in self.columns]
        if len(set(names)) != len(names):
            raise ValueError("two channels share a name: " + ", ".join(sorted({name for name in names if names.count(name) > 1})))


def _columns(prefix: str, table: Table, dtype: np.dtype, start: int, wall: Collection[str]) -> Iterator[Channel]:
    for row in table:
        kind, field_offset = dtype.fields[row[0]][:2]  # type: ignore[index]
        base = kind.base
        for i, suffix in enumerate(_suffixes(row)):
            name, offset = prefix + row[0] + suffix, start + field_offset + i * base.itemsize
            yield Channel(name, row[2], frame_of(row), row[3], base, offset, name in wall)


def _suffixes(row: Row) -> list[str]:
    name, shape = row[0], tuple(row[1])
    if shape == ():
        return [""]
    if shape == (4,) and name.startswith("q_"):
        return [f"_{letter}" for letter in "wxyz"]
    labels = [""]
    for length in shape:
        ends = getattr(length, "labels", ()) or (CORNERS if length == 4 else AXES if length == 3 else tuple(str(i) for i in range(length)))
        labels = [f"{label}_{end}" for label in labels for end in ends]
    return labels


def frame_of(row: Row) -> str:
    """Letter of the frame in which a field is written: from its monogram, else from the row, else ""."""
    for pattern, frame in _MONOGRAM:
        found = pattern.match(row[0])
        if found:
            return frame or found.group(1)
    return row[5] if len(row) > 5 else ""
