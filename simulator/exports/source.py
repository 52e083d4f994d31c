"""Finished run as a source of exports: columns and rows of its log, its starts, events and sensor data."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import NOTHING, ConfigError, JounceError
from simulator.events.event import Event
from simulator.telemetry.channels import Channel, chosen
from simulator.telemetry.event_file import read_events
from simulator.telemetry.log_groups import Columns, LogGroups
from simulator.telemetry.parquet import read_columns
from simulator.telemetry.recover import read_logs
from simulator.telemetry.sensor_file.inventory import inspect_files
from simulator.telemetry.sensor_file.reader import SensorFile
from simulator.tools.sensors.export import Interval

TIME = "time"
"""Column of the simulated time [s]."""
ALWAYS = Interval()
"""All times."""
BATCH_BYTES = 1 << 26
"""Size of the columns that are read together. Larger: fewer passes through the file."""
CUT = 0.1
"""s. Minimum of missing data that is worth a note; a complete file has the pose of the vehicle every 10 ms."""
RESTART = "reset"
"""Kind of the event that restarts the drive."""


class Start(NamedTuple):
    """Part of a run from a start of the drive to the next restart, which sets the simulated time back."""

    number: int
    """1 for the first start; a file of start 2 has the suffix -2, as sensors-2.mcap."""
    rows: NDArray[np.bool_]
    """(n,) True for the rows of the log; their times increase, so that rows of a pause are left out."""
    first: float
    last: float
    """Simulated times of the first and the last row [s]."""


class ExportedRun:
    """Run to export.

    Parameters
    ----------
    place : folder of the run, or its log; the log and the sensor data of a killed run are repaired first
    channels : columns to export: names, fields, patterns with * and ?; empty: all
    interval : simulated times to export [s]

    Attributes
    ----------
    file : log
    columns : selected columns; `time` is one of them if the log has it
    about : metadata of the run
    notes : lines for the user about what an export leaves out, each once; `note` adds one

    Raises ConfigError, JounceError: there is no readable log, the run is still active, a channel is unknown.
    """

    def __init__(self, place: Path, channels: Collection[str] = (), interval: Interval = ALWAYS) -> None:
        log = read_logs(place)[0]
        self.file, self.about, self.interval = log.file, log.about, interval
        if log.file.suffix == ".rows":
            raise JounceError(log.trouble or f"{log.file}: log of a run that is still active; hint: export when the run has ended")
        self.notes: list[str] = []
        self._groups = LogGroups(log.file)
        described = read_columns(log.file)
        patterns = [*channels, TIME] if channels and TIME in described else channels
        names = chosen({name: words.get("field", name) for name, (_, words) in described.items()}, patterns)
        self.columns = [_channel(name, *described[name]) for name in names]
        first, last = interval
        if first is not None and last is not None and first > last:
            raise ConfigError("--from", "", first, f"a time up to {last:g} s, that of --to")
        self.inside.any()  # an interval without rows is an error of all formats

    def note(self, line: str) -> None:
        """Add a line for the user, unless it is there."""
        if line not in self.notes:
            self.notes.append(line)

    @property
    def names(self) -> tuple[str, ...]:
        """All columns of the log."""
        return self._groups.names

    @property
    def rows(self) -> int:
        """Number of rows of the log."""
        return sum(self._groups.rows)

    @property
    def name(self) -> str:
        """Name of the log without suffix, that of the exported files."""
        return self.file.stem

    @property
    def folder_name(self) -> str:
        """Name of the folder of the run."""
        return self.file.resolve().parent.name

    @cached_property
    def _numbered_events(self) -> list[tuple[int, Event]]:
        """Events in the interval, each with the number of its start; those before the drive, without a time, are not among them."""
        events, (first, last) = read_events(self.file) or (), self.interval
        numbers = 1 + np.cumsum([one.kind == RESTART for one in events], dtype=int)  # a restart belongs to the start that it begins
        begin, end = 0.0 if first is None else first, np.inf if last is None else last
        return [(int(number), one) for number, one in zip(numbers, events, strict=True) if begin <= one.time <= end]

    @property
    def events(self) -> list[Event]:
        """Events of the run in the interval."""
        return [one for _, one in self._numbered_events]

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """(n,) True for the rows of the interval. Raises ConfigError: the log has no readable time, or no row is in the interval."""
        first, last = self.interval
        if first is None and last is None:
            return np.ones(self.rows, bool)
        times = self._times
        inside = (times >= (-np.inf if first is None else first)) & (times <= (np.inf if last is None else last))
        if not inside.any():
            span = f"{np.nanmin(times):g} to {np.nanmax(times):g} s" if np.isfinite(times).any() else "no time"
            raise ConfigError(self.file, "", "no row in the interval of --from and --to", f"a part of {span}")
        return inside

    @cached_property
    def starts(self) -> list[Start]:
        """Starts of the drive with a row in the interval; one without rows for an empty log.

        Raises ConfigError: the log has no readable time.
        """
        times = self._times
        is_known = np.isfinite(times)
        filled = times[np.maximum.accumulate(np.where(is_known, np.arange(len(times)), 0))]
        bounds = [0, *(np.flatnonzero(np.diff(filled) < 0.0) + 1).tolist(), len(times)]
        starts: list[Start] = []
        for number, (begin, end) in enumerate(pairwise(bounds), 1):
            rows = np.zeros(len(times), bool)
            rows[begin:end] = is_known[begin:end] & (np.diff(filled[begin:end], prepend=-np.inf) > 0.0)
            rows &= self.inside
            if rows.any() or not len(times):
                of_start = times[rows] if rows.any() else np.zeros(1)
                starts.append(Start(number, rows, float(of_start[0]), float(of_start[-1])))
        return starts

    @cached_property
    def _times(self) -> NDArray[np.float64]:
        if TIME not in self._groups.names:
            raise ConfigError(self.file, TIME, NOTHING, "a log with a column of the simulated time [s]")
        columns, problem = self._groups.read_all([TIME])
        if problem:
            raise ConfigError(self.file, "", "damaged rows", "a complete log")
        return np.asarray(columns.get(TIME, ()), np.float64)

    def groups(self, rows: NDArray[np.bool_], names: Collection[str] | None = None) -> Iterator[Columns]:
        """Yield columns (default: the selected ones) of some rows of the log, some 10 MB at a time. Raises ConfigError: damaged rows."""
        names = [column.name for column in self.columns] if names is None else names
        begin = 0
        for number, count in enumerate(self._groups.rows):
            some, begin = rows[begin : begin + count], begin + count
            if some.any():
                read = self._groups.read(number, names)
                yield {name: read[name] if some.all() else read[name][some] for name in names if name in read}

    def column(self, name: str, rows: NDArray[np.bool_]) -> NDArray:
        """Return a column in some rows."""
        parts = [group[name] for group in self.groups(rows, [name])]
        return np.concatenate(parts) if parts else np.zeros(0)

    def each_column(self, rows: NDArray[np.bool_]) -> Iterator[tuple[Channel, NDArray]]:
        """Yield the selected columns in some rows, one after the other; memory holds BATCH_BYTES of them, or one column."""
        count = max(1, BATCH_BYTES // max(1, 8 * int(rows.sum())))
        for first in range(0, len(self.columns), count):
            batch = self.columns[first : first + count]
            parts = list(self.groups(rows, [one.name for one in batch]))
            for one in batch:
                yield one, np.concatenate([part[one.name] for part in parts]) if parts else np.zeros(0, one.kind)

    def has(self, *names: str) -> bool:
        """Return whether the log has columns, selected or not."""
        return all(name in self._groups.names for name in names)

    @cached_property
    def sensor_files(self) -> list[Path]:
        """Files of sensor data by start, repaired if the run was killed; a note names one that ends early. Raises JounceError: one cannot be read."""
        found = inspect_files(self.file)
        for one in found:
            if one.trouble:
                raise JounceError(one.trouble)
        for start in self.starts if found else ():
            if start.number <= len(found):
                self._note_cut(start, found[start.number - 1].file)
        return [one.file for one in found]

    def _note_cut(self, start: Start, file: Path) -> None:
        """Add a note if a file without the counts of its end lacks data of a start."""
        with SensorFile(file) as sensors:
            last = sensors.times[1]
            if start.last > last + CUT and not sensors.summary():
                self.note(f"{file.name} was cut: data to {last:.1f} of {start.last:.1f} s")

    def no_data(self, form: str, what: str, expected: str) -> JounceError:
        """Return the error of a format for which the run, or the interval, has no data."""
        is_part = self.interval != ALWAYS
        place, longer = " in the interval of --from and --to" * is_part, "a longer interval, or " * is_part
        return JounceError(f"{self.file.parent}: --format {form}: no {what}{place}; expected {longer}{expected}")

    def sensors(self, number: int) -> SensorFile | None:
        """Return the opened sensor data of a start; None if it has none. Raises JounceError, ConfigError."""
        return self.need_sensors(number) if number <= len(self.sensor_files) else None

    def need_sensors(self, number: int) -> SensorFile:
        """Return the opened sensor data of a start. Raises JounceError, ConfigError."""
        return SensorFile(self.sensor_files[number - 1])

    def events_of(self, start: Start) -> list[Event]:
        """Return the events of a start in the interval."""
        return [one for number, one in self._numbered_events if number == start.number]


def _channel(name: str, kind: np.dtype, words: dict[str, str]) -> Channel:
    get = words.get
    return Channel(name, get("unit", ""), get("frame", ""), get("meaning", ""), kind, 0, "wall" in words, get("field", name))
