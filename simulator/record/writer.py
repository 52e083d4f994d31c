"""Telemetry: one row of every channel each few ticks, as Parquet with unit, frame and meaning in the metadata of each column.

While a session runs, rows are bytes in a buffer that goes to a hidden file beside the result whenever it is full: a tick costs
one copy per record, memory stays bounded, and nothing of Arrow is loaded. Closing turns those rows into the Parquet file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, OutputError
from simulator.base.records import Record, Table
from simulator.record.channels import Channels
from simulator.record.files import uninterrupted, write_whole

BUFFER_ROWS = 128
"""Rows held in memory: at 100 Hz one write of about 0.3 MB every 1.3 s. Larger: rarer but longer pauses of the tick."""

GROUP_ROWS = 16384
"""Rows of one Parquet row group; closing holds one group in memory."""


class TelemetryWriter:
    """Outlet that logs records.

    Parameters
    ----------
    folder : existing folder; the result is folder/telemetry.parquet (and telemetry.csv)
    sources : (prefix, table, record) each, see `Channels`
    divisor : one row every `divisor` calls of `publish`, the first call included
    csv : also write CSV, header `name [unit]`

    Use it as a context manager, or call `close` in a `finally`: the file is then complete after Ctrl-C too.

    Raises
    ------
    OutputError : the folder cannot be written, here or in `close`; nothing half-written stays behind
    """

    def __init__(
        self, folder: str | os.PathLike[str], sources: Iterable[tuple[str, Table, Record]], divisor: int = 10, csv: bool = False
    ) -> None:
        if divisor < 1:
            raise ValueError(f"divisor is {divisor}, a whole number from 1 is needed")
        self.channels = Channels(sources)
        self.file = Path(folder) / "telemetry.parquet"
        self.rows = 0
        self._csv, self._divisor, self._calls, self._kept = csv, divisor, 0, 0
        self._buffer = np.zeros((BUFFER_ROWS, self.channels.row_bytes), np.uint8)
        self._copies: list[tuple[NDArray[np.uint8], NDArray[np.uint8]]] = []
        start = 0
        for source in self.channels.records:
            self._copies.append((self._buffer[:, start : start + source.itemsize], source.view(np.uint8)))
            start += source.itemsize
        self._spill = Path(folder) / ".telemetry.rows"
        try:
            self._stream = open(self._spill, "w+b", buffering=0)  # noqa: SIM115 (closed in close)
        except OSError as error:
            raise OutputError(f"{self.file}: cannot be written: {error.strerror or error}") from None

    def publish(self) -> None:
        """Log the records as they are now, if it is the turn of this tick."""
        calls, self._calls = self._calls, self._calls + 1
        if calls % self._divisor:
            return
        row = self.rows - self._kept
        if row == BUFFER_ROWS:
            self._keep()
            row = 0
        for place, source in self._copies:
            place[row] = source
        # counted last: a row torn by Ctrl-C does not count
        self.rows += 1

    def close(self) -> None:
        """Write the Parquet file (and CSV) out of the rows logged so far; calling it again does nothing. Raises OutputError."""
        if self._stream.closed:
            return
        with uninterrupted():
            try:
                self._keep()
                write_whole(self.file, self._write_parquet)
                if self._csv:
                    write_whole(self.file.with_suffix(".csv"), self._write_csv)
            finally:
                self._stream.close()
                self._spill.unlink(missing_ok=True)

    def __enter__(self) -> TelemetryWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _keep(self) -> None:
        """Move the buffer to the hidden file. Repeating it after an interruption writes the same bytes to the same place."""
        count = self.rows - self._kept
        try:
            self._stream.seek(self._kept * self.channels.row_bytes)
            waiting = memoryview(self._buffer[:count].tobytes())
            while waiting:
                waiting = waiting[self._stream.write(waiting) :]
        except OSError as error:
            raise OutputError(f"{self.file}: cannot be written: {error.strerror or error}") from None
        self._kept += count

    def _groups(self) -> Iterator[Mapping[str, NDArray]]:
        self._stream.seek(0)
        for first in range(0, max(self.rows, 1), GROUP_ROWS):
            count = min(GROUP_ROWS, self.rows - first)
            rows = np.frombuffer(self._stream.read(count * self.channels.row_bytes), np.uint8).reshape(count, self.channels.row_bytes)
            yield self.channels.split(rows)

    def _write_parquet(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = _schema(pa, self.channels)
        with pq.ParquetWriter(path, schema, compression="zstd") as out:
            for group in self._groups():
                out.write_table(pa.table(dict(group), schema=schema))

    def _write_csv(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.csv as pc

        names = [f"{c.name} [{c.unit}]" for c in self.channels.columns]
        schema = pa.schema([pa.field(name, pa.from_numpy_dtype(c.kind)) for name, c in zip(names, self.channels.columns, strict=True)])
        with pc.CSVWriter(path, schema) as out:
            for group in self._groups():
                out.write_table(pa.table(list(group.values()), schema=schema))


def read_telemetry(file: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Columns by name of a telemetry file, each (n,), in the units of `read_units`. Raises ConfigError for a missing or foreign file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(file, use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise ConfigError(file, "", str(error).splitlines()[0], "a telemetry file (Parquet)") from None
    return {name: table.column(name).to_numpy() for name in table.column_names}


def read_units(file: str | os.PathLike[str]) -> dict[str, dict[str, str]]:
    """Metadata by column of a telemetry file: unit, frame, meaning. Raises ConfigError for a missing or foreign file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(file)
    except (OSError, pa.ArrowException) as error:
        raise ConfigError(file, "", str(error).splitlines()[0], "a telemetry file (Parquet)") from None
    return {field.name: {key.decode(): value.decode() for key, value in (field.metadata or {}).items()} for field in schema}


def _schema(pa: Any, channels: Channels) -> Any:
    return pa.schema(
        [
            pa.field(
                column.name,
                pa.from_numpy_dtype(column.kind),
                metadata={"name": column.name, "unit": column.unit, "frame": column.frame, "meaning": column.meaning},
            )
            for column in channels.columns
        ]
    )
