"""What a folder holds of a run, and the log of one that was killed made whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simulator.base.errors import ConfigError, OutputError
from simulator.telemetry.atomic_files import write_whole
from simulator.telemetry.channels import Layout
from simulator.telemetry.folder_lock import FolderInUseError, FolderLock
from simulator.telemetry.parquet import read_about, read_count, read_telemetry, read_units, write_parquet
from simulator.telemetry.rows import RowsFile
from simulator.telemetry.writer import PARQUET_NAME, RAW_NAME


class LogInfo(NamedTuple):
    """What is known of one log."""

    file: Path
    """The Parquet file; the raw log when it could not be made into one, or is still being written."""
    rows: int
    about: dict[str, str]
    """Metadata of the run; "ended" says how it ended."""
    columns: dict[str, dict[str, str]]
    """Unit, frame and meaning by name."""
    numbers: dict[str, np.ndarray]
    """The columns of NUMBERS that the log has, each (rows,)."""
    recovered: bool = False
    """Whether the Parquet file was made just now."""
    trouble: str = ""
    """Why it could not be made or read."""


Broken = tuple[Path, ConfigError]
"""A file that is no log, and why."""


NUMBERS = ("time", "wall_time", "resets", "paused", "incident", "lateness")
"""Columns from which a log is described."""

KILLED = "killed: read back from its raw log"
UNREADABLE = "not known: the log cannot be read"


def read_logs(place: Path) -> list[LogInfo]:
    """The logs in the folder of a run, or in one file; raw logs that runs left when they were killed are made into Parquet first.

    A raw log is removed when its Parquet file is whole and on the disk, and not before. While the run still goes on, or where nothing can
    be written, it is only read. One that is broken does not hide the others. Raises ConfigError when there is nothing that can be read.
    """
    folder = place if place.is_dir() else place.parent
    if place.is_dir():
        raws = sorted(folder.glob("telemetry*.rows"))
    else:
        raws = [place] if place.suffix == ".rows" else []
    fresh, broken = _recover(folder, raws) if raws else ([], [])
    if place.is_dir():
        made = {info.file for info in fresh}
        others = [file for file in sorted(folder.glob("telemetry*.parquet")) if file not in made]
    else:
        others = [] if raws else [place]
    rest, unread = _each(_described, others)
    logs, broken = rest + fresh, broken + unread
    if not logs:
        raise broken[0][1] if broken else ConfigError(place, "", "no telemetry", "the folder of a run, or its telemetry file")
    logs += [LogInfo(file, 0, {"ended": UNREADABLE}, {}, {}, trouble=str(error)) for file, error in broken]
    return sorted(logs, key=lambda info: info.file.name != PARQUET_NAME)


def _recover(folder: Path, raws: list[Path]) -> tuple[list[LogInfo], list[Broken]]:
    """Logs made of raw ones, and those that are none. The one of a run that goes on is read as it is."""
    try:
        with FolderLock(folder):
            return _each(_make_whole, raws)
    except FolderInUseError as owner:
        # earlier ones that were killed wait until it has ended
        live = [raw for raw in raws if raw.name == RAW_NAME] or raws
        ended = f"not yet: {owner}"
        return _each(lambda raw: _read_raw(raw, ended), live)
    except OutputError as error:
        trouble = str(error)
        return _each(lambda raw: _read_raw(raw, KILLED)._replace(trouble=trouble), raws)


def _each(read: Callable[[Path], LogInfo], files: list[Path]) -> tuple[list[LogInfo], list[Broken]]:
    """What can be read of some files, and what cannot: a broken log does not hide the others."""
    logs: list[LogInfo] = []
    broken: list[Broken] = []
    for file in files:
        try:
            logs.append(read(file))
        except ConfigError as error:
            broken.append((file, error))
    return logs, broken


def _make_whole(raw: Path) -> LogInfo:
    """Parquet beside a raw log, which is then removed."""
    log = RowsFile(raw)
    file = _place_for(raw, log)
    try:
        if file is not None:
            write_whole(file, lambda path: write_parquet(path, log, log.about | {"ended": KILLED}), durable=True)
        raw.unlink()
    except OutputError as error:
        return _read_raw(raw, KILLED)._replace(trouble=str(error))
    except OSError as error:
        return _read_raw(raw, KILLED)._replace(trouble=f"{raw}: cannot be removed: {error.strerror or error}")
    # without a place, closing was killed when the Parquet file was whole already
    return _described(file or raw.with_suffix(".parquet"))._replace(recovered=file is not None)


def _place_for(raw: Path, log: RowsFile) -> Path | None:
    """A name for the Parquet file that no other log has; None when that log is made already."""
    attempt, file = 1, raw.with_suffix(".parquet")
    while file.exists():
        if attempt == 1 and _is_made(file, log):
            return None
        attempt += 1
        file = raw.with_name(f"{raw.stem}-{attempt}.parquet")
    return file


def _is_made(file: Path, log: RowsFile) -> bool:
    try:
        same = read_about(file).get("started") == log.about.get("started")
        return same and read_count(file) >= sum(len(group) for group in log.groups())
    except ConfigError:
        return False


def _described(file: Path) -> LogInfo:
    return LogInfo(file, read_count(file), read_about(file), read_units(file), read_telemetry(file, NUMBERS))


def _read_raw(raw: Path, ended: str) -> LogInfo:
    """A raw log as it is."""
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
