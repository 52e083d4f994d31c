"""Telemetry: one row of every channel each few ticks.

While a session runs, a tick only copies its row into memory; a thread appends the rows to telemetry.rows (`simulator.telemetry.rows`), and
nothing of Arrow is loaded. Closing turns that file into telemetry.parquet (`simulator.telemetry.parquet`). A run that is killed leaves the
raw log, which `simulator.telemetry.recover` turns into the same file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from simulator.base.console import print_error
from simulator.base.errors import OutputError
from simulator.base.json_output import json_text
from simulator.base.machine import origin
from simulator.base.records import Record, Table
from simulator.telemetry.atomic_files import clear_results, set_aside, uninterrupted, write_whole
from simulator.telemetry.channels import Channels
from simulator.telemetry.folder_lock import FolderLock
from simulator.telemetry.parquet import read_telemetry, read_units, write_csv, write_parquet
from simulator.telemetry.rows import RowsFile, RowsWriter

__all__ = ["TelemetryWriter", "read_telemetry", "read_units"]

PARQUET_NAME, RAW_NAME = "telemetry.parquet", "telemetry.rows"

MANY_ROWS = 200_000
"""Closing a log of so many takes seconds, and says so."""


LOG_RATE = 100.0
"""Rows per second of simulated time, unless more or fewer are asked for."""


@dataclass(frozen=True)
class LogChoice:
    """What a person wants of a log."""

    channels: tuple[str, ...] = ()
    """Columns: names, fields, patterns, see `simulator.telemetry.channels.chosen`; all when empty."""
    rate: float = LOG_RATE
    """Rows per second of simulated time; it divides the steps per second."""
    csv: bool = False
    """Also write telemetry.csv, header `name [unit]`."""


USUAL = LogChoice()


@dataclass(frozen=True)
class LogOptions:
    """What a log is told beside what to log."""

    choice: LogChoice = USUAL
    """Its rate is for whoever calls `publish`."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What is known of the run, for the metadata of the file: "vehicle", "terrain", "seed", "configuration" ... What is not text is kept as
    JSON."""
    lock: FolderLock | None = None
    """Ownership of the folder, when the caller has it and gives it up himself."""
    say: Callable[[str], None] = print_error
    """Called with one line that a person must know."""


PLAIN = LogOptions()


def texts(about: Mapping[str, Any]) -> dict[str, str]:
    """What is known of a run as the metadata of a file hold it: text as it is, everything else as JSON."""
    return {key: value if isinstance(value, str) else json_text(value) for key, value in about.items()}


class TelemetryWriter:
    """Outlet that logs records.

    A disk that is full or fails while rows are logged ends the log and is said once; `publish` never raises. What an earlier run left in
    the folder is replaced as a whole; the raw log of one that was killed is kept under another name.

    Parameters
    ----------
    folder : existing folder; the result is folder/telemetry.parquet (and telemetry.csv)
    sources : (prefix, table, record) each, see `Channels`
    divisor : one row every `divisor` calls of `publish`, the first call included
    options : see there
    wall : names of the columns that tell the wall clock's time

    Use it as a context manager, or call `close` in a `finally`: the file is then complete after Ctrl-C too.

    Raises
    ------
    ConfigError : no column fits what is wanted
    OutputError : the folder cannot be written or another run writes there; or, in `close`, the file cannot be made: the rows are
        then still in folder/telemetry.rows
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
            raise ValueError(f"divisor is {divisor}, a whole number from 1 is needed")
        self.channels = Channels(sources, wall, options.choice.channels)
        self.folder = Path(folder)
        self.file = self.folder / PARQUET_NAME
        self.about = {
            "started": datetime.now().astimezone().isoformat(timespec="milliseconds"),
            **origin(),
            **texts(options.about),
        }
        """Goes into the metadata of the file as it is in `close`."""
        self.ended = "well"
        """How the run ended, in words."""
        self._csv, self._say = options.choice.csv, options.say
        self._divisor, self._calls, self._open = divisor, 0, True
        self._lock, self._lock_is_ours = options.lock or FolderLock(folder), options.lock is None
        try:
            self._log = self._begin(self.folder / RAW_NAME)
        except BaseException:
            self._release()
            raise

    @property
    def rows(self) -> int:
        """Rows logged."""
        return self._log.rows

    @property
    def failure(self) -> str | None:
        """Why the log has ended early; None while it goes on."""
        return self._log.failure

    def publish(self, wait: bool = True) -> None:
        """Log the records as they are now, if it is the turn of this tick; `wait` for a slow disk, or lose the row (real time)."""
        calls, self._calls = self._calls, self._calls + 1
        if calls % self._divisor == 0:
            self._log.put(wait)

    def close(self) -> None:
        """Write the Parquet file (and CSV) out of the rows logged so far; calling it again does nothing. Raises OutputError."""
        if not self._open:
            return
        with uninterrupted():
            self._open = False
            try:
                self._log.close()
                if self._log.lost:
                    self._say(f"{self.file}: {self._log.lost} rows are missing: the disk was too slow")
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
        """The raw log. What an earlier run left goes only when the new log has begun."""
        kept = set_aside(raw, self._lock.sure)
        if kept is not None:
            self._say(f"{self.folder}: the log of a run that was killed is now {kept.name}; 'jounce info {self.folder}' reads it")
        log = RowsWriter(raw, self.channels, self.about, self._say)
        try:
            clear_results(self.folder, kept is not None)
        except BaseException:
            log.close()
            raw.unlink(missing_ok=True)
            raise
        return log

    def _finish(self) -> None:
        """Make the result; the raw log goes when the Parquet file is whole, and not before."""
        log = RowsFile(self._log.file)
        if self.rows > MANY_ROWS:
            self._say(f"writing {self.file}, {self.rows} rows")
        about = self.about | {"ended": self.ended, "rows_lost": str(self._log.lost)}
        if self._log.failure is not None:
            about["log_failure"] = self._log.failure
        try:
            write_whole(self.file, lambda path: write_parquet(path, log, about), durable=True)
        except OutputError as error:
            raise OutputError(f"{error}; the rows are kept in {log.file}: make room, then 'jounce info {self.folder}'") from None
        try:
            if self._csv:
                write_whole(self.file.with_suffix(".csv"), lambda path: write_csv(path, log))
        finally:
            log.file.unlink(missing_ok=True)

    def _release(self) -> None:
        if self._lock_is_ours:
            self._lock.release()
