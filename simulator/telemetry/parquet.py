"""Finished log as Parquet, with unit, frame and meaning in the metadata of each column, and the run metadata in the file metadata."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrow_file import arrow_file, need_single_columns, read_problem
from simulator.base.errors import UnreadableError
from simulator.base.inputfile import check_regular
from simulator.telemetry.channels import Channel
from simulator.telemetry.rows import RowsFile

GROUP_BYTES = 1 << 25
"""Size of a Parquet row group; writing needs a few times as much memory. Smaller: a larger file that is slower to read."""

EXPECTED = "a telemetry file (Parquet)"

ABOUT = "jounce."
"""Prefix of the run metadata keys in the file metadata."""


def write_parquet(path: Path, log: RowsFile, about: Mapping[str, str]) -> int:
    """Convert a raw log to Parquet, one row group after the other; return the number of rows. Raises OSError, ConfigError."""
    return write_groups(path, log.layout.columns, _groups(log), about)


def write_groups(path: Path, columns: Iterable[Channel], groups: Iterable[Mapping[str, NDArray]], about: Mapping[str, str]) -> int:
    """Write a Parquet file from groups of rows (columns by name); return the number of rows. Raises OSError, ConfigError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = list(columns)
    fields = [pa.field(c.name, pa.from_numpy_dtype(c.kind), metadata=c.words()) for c in columns]
    schema = pa.schema(fields, metadata={ABOUT + key: value for key, value in about.items()})
    numbers = [c.name for c in columns if c.kind.kind == "f"]
    count = 0
    # BYTE_STREAM_SPLIT compresses corresponding bytes of doubles together; doubles rarely repeat, so a dictionary has no benefit
    encoding = dict.fromkeys(numbers, "BYTE_STREAM_SPLIT")
    with (
        arrow_file(path, "wb") as target,
        pq.ParquetWriter(target, schema, compression="zstd", use_dictionary=False, column_encoding=encoding) as out,
    ):
        for group in groups:
            table = pa.table(dict(group), schema=schema)
            out.write_table(table)
            count += table.num_rows
    return count


def read_telemetry(file: str | os.PathLike[str], columns: Collection[str] | None = None, wall: bool = True) -> dict[str, NDArray[Any]]:
    """Return the columns of a telemetry file by name, each (n,), in the units of `read_units`.

    Parameters
    ----------
    columns : columns to read, default: all; names that the file does not have are ignored. All columns of two hours need 1.7 GB.
        Dates and durations of other programs are in seconds: dates and the column `time` since the first row
    wall : True to include the columns of the wall clock; without them, the logs of two equal runs are bitwise equal

    Raises
    ------
    ConfigError : a missing or foreign file, or one with two columns of the same name
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_regular(file, EXPECTED)
    try:
        with arrow_file(file) as source, pq.ParquetFile(source) as log:
            need_single_columns(file, log.schema_arrow.names)
            names = [f.name for f in log.schema_arrow if wall or b"wall" not in (f.metadata or {})]
            # one column at a time: memory then holds all columns once, and a single column twice
            return {
                name: _values(log.read([name], use_threads=False).column(0), name) for name in names if columns is None or name in columns
            }
    except (OSError, pa.ArrowException) as error:
        raise UnreadableError(file, "", read_problem(error), EXPECTED) from None


def read_units(file: str | os.PathLike[str]) -> dict[str, dict[str, str]]:
    """Return the column metadata of a telemetry file: field, unit, frame, meaning, and `wall` = "yes" for values of the wall clock.

    Raises ConfigError for a missing or foreign file.
    """
    return {field.name: _text(field.metadata) for field in _read_schema(file)}


def read_columns(file: str | os.PathLike[str]) -> dict[str, tuple[np.dtype, dict[str, str]]]:
    """Return type and metadata of each column of a telemetry file, in their order. Raises ConfigError for a missing or foreign file."""
    return {field.name: (_dtype(field.type), _text(field.metadata)) for field in _read_schema(file)}


def read_about(file: str | os.PathLike[str]) -> dict[str, str]:
    """Return the run metadata of a telemetry file: machine, vehicle, reason of the end ... Raises ConfigError for a missing or foreign file."""
    metadata = _text(_read_schema(file).metadata)
    return {key.removeprefix(ABOUT): value for key, value in metadata.items() if key.startswith(ABOUT)}


def read_count(file: str | os.PathLike[str]) -> int:
    """Return the number of rows of a telemetry file. Raises ConfigError for a missing or foreign file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_regular(file, EXPECTED)
    try:
        with arrow_file(file) as source:
            return int(pq.read_metadata(source).num_rows)
    except (OSError, pa.ArrowException) as error:
        raise UnreadableError(file, "", read_problem(error), EXPECTED) from None


def _read_schema(file: str | os.PathLike[str]) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_regular(file, EXPECTED)
    try:
        with arrow_file(file) as source:
            schema = pq.read_schema(source)
    except (OSError, pa.ArrowException) as error:
        raise UnreadableError(file, "", read_problem(error), EXPECTED) from None
    need_single_columns(file, schema.names)
    return schema


def _dtype(kind: Any) -> np.dtype:
    """Return the NumPy type of a type of Arrow; that of objects for one without numbers."""
    try:
        return np.dtype(kind.to_pandas_dtype())
    except (NotImplementedError, TypeError):
        return np.dtype(object)


def _values(column: Any, name: str) -> NDArray[Any]:
    """Return the values (n,) of a column. Dates and durations are in seconds, NaN for an empty cell; dates and the column `time` begin at 0."""
    values = np.asarray(column.to_numpy())
    if values.dtype.kind not in "mM":
        return values
    origin = values[:1] if values.dtype.kind == "M" or name == "time" else np.zeros(1, values.dtype)
    return np.asarray((values - origin) / np.timedelta64(1, "s"), np.float64)


def _text(metadata: Mapping[bytes, bytes] | None) -> dict[str, str]:
    return {key.decode(errors="replace"): value.decode(errors="replace") for key, value in (metadata or {}).items()}


def _groups(log: RowsFile) -> Iterator[Mapping[str, NDArray]]:
    """Yield the columns by name, one group at a time; one group without rows for an empty log, so that a table still has its columns."""
    empty = True
    for rows in log.groups(GROUP_BYTES):
        empty = False
        yield log.layout.split(rows)
    if empty:
        yield log.layout.split(np.empty((0, log.layout.row_bytes), np.uint8))
