"""Records of the values of files (`simulator.base.records`): the table of a record as a table of keys, and the reverse."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.fields import REQUIRED, Field, Fields, Number, read
from simulator.base.records import LARGEST, Ranges, Record, Table, record


def fields_of(
    table: Table,
    ranges: Ranges | None = None,
    defaults: Mapping[str, Any] | None = None,
    written: Mapping[str, str] | None = None,
    also: Mapping[str, Mapping[str, str]] | None = None,
) -> Fields:
    """Return the fields of the table of a record (`simulator.base.records`).

    Parameters
    ----------
    ranges : ranges in SI units; a field without a range is limited to magnitudes up to LARGEST; None: no ranges
    defaults : defaults of the optional fields
    written, also : usual units (suffixes) and other spellings by name, see `Field`
    """
    out = []
    for row in table:
        name, shape, unit, meaning = row[:4]
        low, high = (-math.inf, math.inf) if ranges is None else ranges.get(name, (-LARGEST, LARGEST))
        whole = np.dtype(row[4] if len(row) > 4 else "f8").kind in "iu"
        default = REQUIRED if defaults is None else defaults.get(name, REQUIRED)
        kind = Number(unit, low, high, shape=shape, whole=whole)
        frame = row[5] if len(row) > 5 else ""
        out.append(Field(name, kind, meaning, default, frame, (also or {}).get(name, {}), (written or {}).get(name, "")))
    return tuple(out)


def rows(fields: Fields, *names: str) -> Table:
    """Return the rows of a record table for keys of a file that kernels read unchanged: name, shape, unit, meaning, type, frame.

    The shape of a list of variable length is that of its longest list.
    """
    by_name = {field.name: field for field in fields}
    return tuple(_row(by_name[name]) for name in names or by_name)


def _row(field: Field) -> tuple[Any, ...]:
    kind = field.kind
    if not isinstance(kind, Number):
        raise JounceError(f"parameter {field.name}: expected a field of the type Number, because a kernel reads it")
    shape = tuple(n if isinstance(n, int) else n[1] for n in kind.shape)
    return (field.name, shape, kind.unit or "1", field.meaning, "i8" if kind.whole else "f8", field.frame)


def from_mapping(
    table: Table,
    mapping: Any,
    file: object,
    key: str = "",
    defaults: Mapping[str, Any] | None = None,
    ranges: Ranges | None = None,
) -> Record:
    """Return a record with the values of a mapping with the keys of `table`; see `fields_of`, `read`. Raises ConfigError."""
    return filled(table, read(fields_of(table, ranges, defaults), mapping, file, key))


def parameters_of(fields: Fields, mapping: Any, file: object, key: str = "") -> Record:
    """Return a record of the rows of a table of numbers with the checked values of a mapping; see `rows`, `read`. Raises ConfigError."""
    return filled(rows(fields), read(fields, mapping, file, key))


def filled(table: Table, values: Mapping[str, Any]) -> Record:
    """Return a record of a table with the values of the same names; a shorter list fills the start of a longer field."""
    out = record(table)
    for row in table:
        if row[0] in values:
            write_value(out, row[0], values[row[0]])
    return out


def write_value(out: Record, name: str, value: Any) -> None:
    """Write a value to a field of a record; a shorter list fills the start of a longer field."""
    if np.shape(value) == out.dtype[name].shape:
        out[0][name] = value
    else:
        out[0][name][: len(value)] = value
