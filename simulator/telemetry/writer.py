"""Telemetry writer: one row of every channel every few ticks.

During a session, a tick only copies its row into memory. A thread appends the rows to telemetry.rows (`simulator.telemetry.rows`); Arrow
is not loaded. `close` converts that file to telemetry.parquet (`simulator.telemetry.parquet`). A killed run leaves the raw log, which
`simulator.telemetry.recover` converts to the same file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from simulator.base.arrow_file import printable
from simulator.base.console import print_error
from simulator.base.errors import OutputError
from simulator.base.json_output import json_text
from simulator.base.machine import origin
from simulator.base.records import Record, Table
from simulator.telemetry.atomic_files import uninterrupted, write_whole
from simulator.telemetry.channels import Channels
from simulator.telemetry.folder_lock import FolderLock
from simulator.telemetry.parquet import read_telemetry, read_units, write_parquet
from simulator.telemetry.rows import RowsFile, RowsWriter
from simulator.telemetry.run_folder import clear_results, rename_old_log

__all__ = ["TelemetryWriter", "read_telemetry", "read_units"]

PARQUET_NAME, RAW_NAME = "telemetry.parquet", "telemetry.rows"

MANY_ROWS = 200_000
"""Number of rows above which closing takes seconds and prints a message."""


LOG_RATE = 100.0
"""Default number of rows per second of simulated time."""


@dataclass(frozen=True)
class LogChoice:
    """Content of a log as requested by the user."""

    channels: tuple[str, ...] = ()
    """Columns: names, fields, patterns, see `simulator.telemetry.channels.chosen`; empty: all."""
    rate: float = LOG_RATE
    """Rows per second of simulated time; the steps per second are a multiple of it."""
    csv: bool = False
    """Also write telemetry.csv, by the outlet `csv`."""


USUAL_CHOICE = LogChoice()


@dataclass(frozen=True)
class LogOptions:
    """Options of a log in addition to its content."""

    choice: LogChoice = USUAL_CHOICE
    """Content of the log; its rate is for the caller of `publish`."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Run metadata for the file: "vehicle", "terrain", "seed", "configuration" ... Values other than text are stored as JSON."""
    lock: FolderLock | None = None
    """Ownership of the folder, if the caller holds and releases it."""
    say: Callable[[str], None] = print_error
    """Called with one-line messages for the user."""
    note: Callable[[str], None] = print_error
    """Called with one-line messages that are no failures."""


PLAIN = LogOptions()


def texts(about: Mapping[str, Any]) -> dict[str, str]:
    """Return the run metadata as texts for a file: text unchanged, bytes of file names as escapes; all other values as JSON."""
    return {key: printable(value) if isinstance(value, str) else json_text(value) for key, value in about.items()}


class TelemetryWriter:
    """Outlet that logs records.

    A full or failing disk ends the log with one message; `publish` never raises. The results of an earlier run in the folder are
    replaced; the raw log of a killed run is renamed.

    Parameters
    ----------
    folder : existing folder; the result is folder/telemetry.parquet
    sources : (prefix, table, record) each, see `Channels`
    divisor : one row every `divisor` calls of `publish`, the first call included
    options : see `LogOptions`
    wall : names of the columns with values of the wall clock

    Use it as a context manager, or call `close` in a `finally` block, so that the file is complete even after Ctrl-C.

    Raises
    ------
    ConfigError : no column matches a requested channel
    OutputError : the folder is not writable or in use by another run; or, in `close`, the file cannot be written: the rows then remain
        in folder/telemetry.rows
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        sources: Iterable[tuple[str, Table, Record]],
        divisor: int = 10,
        options: LogOptions = PLAIN,
        wall: Collection[str] = (),
    ) -> None:
        if divisor < 1:
            raise ValueError(f"divisor is {divisor}; expected an integer of at least 1")
        self.channels = Channels(sources, wall, options.choice.channels)
        self.folder = Path(folder)
        self.file = self.folder / PARQUET_NAME
        self.about = {
            "started": datetime.now().astimezone().isoformat(timespec="milliseconds"),
            **origin(),
            **texts(options.about),
        }
        """Run metadata, written by `close`."""
        self.ended = "well"
        """Reason of the end of the run."""
        self._say = options.say
        self._divisor, self._calls, self._open = divisor, 0, True
        self._lock, self._owns_lock = options.lock or FolderLock(folder), options.lock is None
        try:
            self._log = self._begin(self.folder / RAW_NAME)
        except BaseException:
            self._release()
            raise

    @property
    def rows(self) -> int:
        """Number of logged rows."""
        return self._log.rows

    @property
    def failure(self) -> str | None:
        """Reason why the log ended early; None while it is active."""
        return self._log.failure

    def publish(self, wait: bool = True) -> None:
        """Log the present values of the records in every `divisor`-th call; `wait` for a slow disk, or lose the row (real time)."""
        calls, self._calls = self._calls, self._calls + 1
        if calls % self._divisor == 0:
            self._log.put(wait)

    def close(self) -> None:
        """Write the Parquet file from the rows so far; further calls have no effect. Raises OutputError."""
        if not self._open:
            return
        with uninterrupted():
            self._open = False
            try:
                self._log.close()
                if self._log.lost:
                    self._say(f"{self.file}: {self._log.lost} rows are missing; the disk was too slow")
                self._finish()
            finally:
                self._release()

    def __enter__(self) -> TelemetryWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None:
            self.ended = f"{kind.__name__}: {error}" if kind else ""
        self.close()

    def _begin(self, raw: Path) -> RowsWriter:
        """Return the new raw log. The results of an earlier run are removed only after the new log has begun."""
        renamed = rename_old_log(raw, self._lock.sure)
        if renamed is not None:
            self._say(f"{self.folder}: renamed the log of a killed run to {renamed.name}; hint: 'jounce info {self.folder}' recovers it")
        log = RowsWriter(raw, self.channels, self.about, self._say)
        try:
            clear_results(self.folder, renamed is not None)
        except BaseException:
            log.close()
            raw.unlink(missing_ok=True)
            raise
        return log

    def _finish(self) -> None:
        """Write the result; the raw log is removed only after the Parquet file is complete."""
        log = RowsFile(self._log.file)
        if self.rows > MANY_ROWS:
            self._say(f"writing {self.file} ({self.rows} rows)")
        about = self.about | {"ended": self.ended, "rows_lost": str(self._log.lost)}
        if self._log.failure is not None:
            about["log_failure"] = self._log.failure
        try:
            write_whole(self.file, lambda path: write_parquet(path, log, about), durable=True)
        except OutputError as error:
            raise OutputError(
                f"{error}; the rows remain in {log.file}; hint: free disk space, then run 'jounce info {self.folder}'"
            ) from None
        log.file.unlink(missing_ok=True)

    def _release(self) -> None:
        if self._owns_lock:
            self._lock.release()
