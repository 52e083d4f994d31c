"""Reader of the logs in a run folder, with recovery of the log of a killed run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simulator.base.errors import NOTHING, ConfigError, OutputError
from simulator.telemetry.atomic_files import write_whole
from simulator.telemetry.channels import Layout
from simulator.telemetry.folder_lock import FolderInUseError, FolderLock
from simulator.telemetry.parquet import read_about, read_count, read_telemetry, read_units, write_parquet
from simulator.telemetry.rows import RowsFile
from simulator.telemetry.writer import PARQUET_NAME, RAW_NAME


class LogInfo(NamedTuple):
    """Description of one log."""

    file: Path
    """Parquet file; the raw log if the conversion failed or the run is still active."""
    rows: int
    about: dict[str, str]
    """Metadata of the run; "ended" is the reason of the end."""
    columns: dict[str, dict[str, str]]
    """Unit, frame and meaning by name of the column."""
    numbers: dict[str, np.ndarray]
    """Columns of NUMBERS that the log has, each (rows,)."""
    recovered: bool = False
    """True if the Parquet file was created by this call."""
    trouble: str = ""
    """Reason why the log could not be converted or read."""


Broken = tuple[Path, ConfigError]
"""File that is not a valid log, and the error."""


NUMBERS = ("time", "wall_time", "resets", "paused", "incident", "lateness", "collision_count", "planner_outcome")
"""Columns that describe a log."""

KILLED = "killed; recovered from its raw log"
UNREADABLE = "unknown; cannot read the log"


def read_logs(path: Path) -> list[LogInfo]:
    """Read the logs in a run folder, or one file; raw logs of killed runs are converted to Parquet first.

    A raw log is removed only after its Parquet file is complete and on disk. If the run is still active or the folder is not writable, the
    raw log is only read. A broken log does not hide the others. Raises ConfigError if there is no readable log.
    """
    if not os.path.exists(path):  # unlike Path.exists, it accepts names that are too long
        raise ConfigError(path, "", NOTHING, "a run folder or a telemetry file")
    folder = path if path.is_dir() else path.parent
    if path.is_dir():
        raws = sorted(folder.glob("telemetry*.rows"))
    else:
        raws = [path] if path.suffix == ".rows" else []
    recovered_logs, broken = _recover(folder, raws) if raws else ([], [])
    if path.is_dir():
        converted = {info.file for info in recovered_logs}
        others = [file for file in sorted(folder.glob("telemetry*.parquet")) if file not in converted]
    else:
        others = [] if raws else [path]
    existing, unreadable = _each(_describe, others)
    logs, broken = existing + recovered_logs, broken + unreadable
    if not logs:
        raise broken[0][1] if broken else ConfigError(path, "", "no telemetry", "a run folder or a telemetry file")
    logs += [LogInfo(file, 0, {"ended": UNREADABLE}, {}, {}, trouble=str(error)) for file, error in broken]
    return sorted(logs, key=lambda info: info.file.name != PARQUET_NAME)


def _recover(folder: Path, raws: list[Path]) -> tuple[list[LogInfo], list[Broken]]:
    """Return the logs from raw logs, and the broken ones. The raw log of an active run is read without conversion."""
    try:
        with FolderLock(folder):
            return _each(_convert, raws)
    except FolderInUseError as owner:
        # raw logs of earlier killed runs are converted after the active run has ended
        live = [raw for raw in raws if raw.name == RAW_NAME] or raws
        ended = f"still running: {owner}"
        return _each(lambda raw: _read_raw(raw, ended), live)
    except OutputError as error:
        trouble = str(error)
        return _each(lambda raw: _read_raw(raw, KILLED)._replace(trouble=trouble), raws)


def _each(read: Callable[[Path], LogInfo], files: list[Path]) -> tuple[list[LogInfo], list[Broken]]:
    """Return the readable logs and the broken files; a broken log does not hide the others."""
    logs: list[LogInfo] = []
    broken: list[Broken] = []
    for file in files:
        try:
            logs.append(read(file))
        except ConfigError as error:
            broken.append((file, error))
    return logs, broken


def _convert(raw: Path) -> LogInfo:
    """Convert a raw log to a Parquet file next to it, then remove the raw log."""
    log = RowsFile(raw)
    file = _new_name(raw, log)
    try:
        if file is not None:
            write_whole(file, lambda path: write_parquet(path, log, log.about | {"ended": KILLED}), durable=True)
        raw.unlink()
    except OutputError as error:
        return _read_raw(raw, KILLED)._replace(trouble=str(error))
    except OSError as error:
        return _read_raw(raw, KILLED)._replace(trouble=f"{raw}: cannot remove the file: {error.strerror or error}")
    # no new name: the run was killed during closing, after the Parquet file was complete
    return _describe(file or raw.with_suffix(".parquet"))._replace(recovered=file is not None)


def _new_name(raw: Path, log: RowsFile) -> Path | None:
    """Return an unused name for the Parquet file; None if the log was already converted."""
    attempt, file = 1, raw.with_suffix(".parquet")
    while file.exists():
        if attempt == 1 and _is_converted(file, log):
            return None
        attempt += 1
        file = raw.with_name(f"{raw.stem}-{attempt}.parquet")
    return file


def _is_converted(file: Path, log: RowsFile) -> bool:
    try:
        same = read_about(file).get("started") == log.about.get("started")
        return same and read_count(file) >= sum(len(group) for group in log.groups())
    except ConfigError:
        return False


def _describe(file: Path) -> LogInfo:
    numbers = read_telemetry(file, NUMBERS)
    for name, column in numbers.items():
        if column.dtype.kind not in "iuf":
            raise ConfigError(file, name, f"a column of {column.dtype}", "a column of numbers")
    return LogInfo(file, read_count(file), read_about(file), read_units(file), numbers)


def _read_raw(raw: Path, ended: str) -> LogInfo:
    """Read a raw log without conversion."""
    log = RowsFile(raw)
    layout = Layout([c for c in log.layout.columns if c.name in NUMBERS], log.layout.row_bytes)
    parts: dict[str, list[np.ndarray]] = {c.name: [] for c in layout.columns}
    rows = 0
    for group in log.groups():
        rows += len(group)
        for name, column in layout.split(group).items():
            parts[name].append(column.copy())
    numbers = {name: np.concatenate(part) if part else np.empty(0) for name, part in parts.items()}
    columns = {c.name: c.words() for c in log.layout.columns}
    return LogInfo(raw, rows, log.about | {"ended": ended}, columns, numbers)
