"""Telemetry outlet, recorder in memory and live values of a session."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.json_output import json_text
from simulator.base.records import Record, Table, record
from simulator.base.suggestions import did_you_mean
from simulator.events.event import Event
from simulator.events.turn_signals import SIDES
from simulator.maneuvers.course_limit import Grip, course_columns
from simulator.maneuvers.metrics import columns, measuring_ticks
from simulator.telemetry.channels import Channel, Channels, Rows, matches
from simulator.telemetry.log import Log, NoSuchColumnError
from simulator.telemetry.replay_columns import always_logged
from simulator.telemetry.writer import PLAIN, LogOptions, TelemetryWriter, texts
from vehicles.command import COMMAND
from vehicles.readout import READOUT
from washout.limiter.limiter import KINDS
from washout.platform_procedure import PLATFORM_STATES

if TYPE_CHECKING:
    from simulator.clock import Clock
    from simulator.collision import Collision
    from simulator.maneuvers.maneuver_file import Maneuver
    from simulator.session import Session

Source = tuple[str, Table, Record]
"""Prefix of the column names, table and record."""

FIRST_ROWS = 256
"""Initial capacity [rows] of a log in memory; it doubles when full."""
NO_METADATA: Mapping[str, Any] = MappingProxyType({})
PULLED_FRACTION = 0.01
"""Fraction of the travel of the parking brake above which its lamp is on."""
SELDOM = 1_000_000
"""Number of driver calls between two publications of an outlet that needs none."""

PLATFORM = (
    ("p_NP", (3,), "m", "commanded position of the platform from neutral"),
    ("roll", (), "rad", "commanded roll angle of the platform, + = right side down (R_NP = Rz(yaw) Ry(pitch) Rx(roll))"),
    ("pitch", (), "rad", "commanded pitch angle of the platform, + = nose down"),
    ("yaw", (), "rad", "commanded yaw angle of the platform, + = left"),
    ("legs", (6,), "m", "commanded leg lengths"),
    ("state", (), "1", f"state of the platform: {', '.join(f'{i} {name}' for i, name in enumerate(PLATFORM_STATES))}", "i8"),
    ("limited", (), "1", "action of the limiter: 0 requested pose, 1 limited motion toward the requested pose, 2 stop plan", "i8"),
    (
        "interventions",
        (4,),
        "1",
        f"number of ticks in which the limiter changed the requested pose because of the {', '.join(KINDS)} of a leg",
        "i8",
    ),
)
"""Platform fields of the telemetry."""


CLOCK = (
    ("wall_time", (), "s", "wall time since the start of the log"),
    ("lateness", (), "s", "maximum lateness of a tick since the previous row; 0 without a clock"),
)
"""Wall-clock fields of the telemetry."""

LOG = (
    ("resets", (), "1", "number of restarts of the run, each with a jump back in time", "i8"),
    ("paused", (), "1", "1 during a pause: the vehicle is at rest, the platform goes to neutral", "i8"),
    ("incident", (), "1", "number of the incident after which the vehicle is frozen, 0 = no incident", "i8"),
    ("turn_signals", (), "1", f"turn signals: {', '.join(f'{k} {name}' for k, name in enumerate(SIDES))}", "i8"),
)
"""Session fields of the telemetry."""

WALL = tuple(row[0] for row in CLOCK)
"""Columns that differ between two equal runs. All other columns are bitwise equal."""

ALWAYS = ("time",)
"""Columns that every table of a run has, because the others are meaningless without them. The log of a run has more, see `always_logged`."""


class LoggedRecords:
    """Records of a session for a log.

    Parameters
    ----------
    readout, command : READOUT and COMMAND records of the session
    more : additional records, see `simulator.telemetry.channels.Channels`
    readout_table : READOUT table with the wheels of the vehicle
    """

    def __init__(self, readout: Record, command: Record, more: Iterable[Source] = (), readout_table: Table = READOUT) -> None:
        self.platform, self.state = record(PLATFORM), record(LOG)
        numbers = self.platform.view(float)  # position and angles first, one after the other as in a pose
        self._pose, self._legs = numbers[:6], numbers[6:12]
        self._platform, self._state = self.platform[0], self.state[0]
        self.vehicle: tuple[Source, ...] = (
            ("", readout_table, readout),
            ("command_", COMMAND, command),
            ("platform_", PLATFORM, self.platform),
        )
        self.session: tuple[Source, ...] = (("", LOG, self.state), *more)
        self._time = -math.inf

    @classmethod
    def of(cls, session: Session) -> LoggedRecords:
        """Return all records of a session."""
        return cls(session.readout, session.command, session.logged, session.vehicle.readout_table)

    def look(self, session: Session) -> None:
        """Update the records of platform, session and other vehicles."""
        session.others.read()
        cueing, now = session.cueing, session.time
        self._pose[:], self._legs[:] = cueing.pose, cueing.legs
        self._platform["state"] = PLATFORM_STATES.index(session.platform_state)
        limits = cueing.readout[0]
        self._platform["limited"], self._platform["interventions"] = limits["limited"], limits["interventions"]
        state = self._state
        state["paused"], state["incident"] = session.paused, session.recovery.incident_number
        state["turn_signals"] = session.turn_signals.side
        if now < self._time:
            state["resets"] += 1
        self._time = now


class TelemetryOutlet:
    """Logs vehicle, command, platform and session to folder/telemetry.parquet.

    In real time, publishing never raises and never waits for the disk. A full disk ends the log with one message (`writer.failure`).

    Parameters
    ----------
    folder : existing folder
    session_readout, command : READOUT and COMMAND records of the session
    every : number of ticks between two rows
    options : see `LogOptions`
    more : additional records, see `simulator.telemetry.channels.Channels`
    readout_table : READOUT table with the wheels of the vehicle

    Raises
    ------
    OutputError : the folder is not writable or in use by another run
    ConfigError : no column matches a requested channel
    """

    label = "telemetry"
    """Name of the outlet in messages."""

    def __init__(
        self,
        folder: Path,
        session_readout: Record,
        command: Record,
        every: int = 10,
        options: LogOptions = PLAIN,
        more: Iterable[Source] = (),
        readout_table: Table = READOUT,
    ) -> None:
        self.every = every
        self._logged, self._wall = LoggedRecords(session_readout, command, more, readout_table), record(CLOCK)
        sources = (*self._logged.vehicle, ("", CLOCK, self._wall), *self._logged.session)
        if options.choice.channels:
            fields = [prefix + row[0] for prefix, table, _ in sources for row in table]
            options = replace(options, choice=replace(options.choice, channels=(*always_logged(fields), *options.choice.channels)))
        self.writer = TelemetryWriter(folder, sources, 1, options, WALL)
        self._began = time.perf_counter()
        self._clock: Clock | None = None
        self._collisions: Sequence[Collision] = ()

    def publish(self, session: Session) -> None:
        """Write one row."""
        self._logged.look(session)
        self._collisions = session.collisions
        wall, clock = self._wall[0], session.clock
        wall["wall_time"] = time.perf_counter() - self._began
        if clock is not None:
            self._clock = clock
            wall["lateness"], clock.recent_lateness = clock.recent_lateness, 0.0
        self.writer.publish(wait=clock is None)

    def close(self) -> None:
        """Write the file."""
        if self._clock is not None:
            self.writer.about["lateness"] = json_text(self._clock.lateness.to_json())
        if self._collisions:
            self.writer.about["collisions"] = json_text([collision.to_json() for collision in self._collisions])
        self.writer.close()


class MemoryLog:
    """Log of records in memory.

    Parameters
    ----------
    sources, chosen : see `Channels`, also for the exceptions
    """

    def __init__(self, sources: Iterable[tuple[str, Table, Record]], chosen: Collection[str] = ()) -> None:
        self.channels = Channels(sources, (), chosen)
        self.rows = 0
        self._bytes = np.zeros((FIRST_ROWS, self.channels.row_bytes), np.uint8)
        self._records = Rows(self.channels, self._bytes)

    def rows_in_use(self) -> list[tuple[NDArray[Any], int]]:
        """Return the memory of the rows, and their number."""
        return [(self._bytes, self.rows)]

    def put(self) -> None:
        """Log the present values of the records."""
        if self.rows == len(self._bytes):
            self._bytes = np.concatenate((self._bytes, np.zeros_like(self._bytes)))
            self._records = Rows(self.channels, self._bytes)
        self._records.put(self.rows)
        self.rows += 1

    def with_rows_of(self, other: MemoryLog, before: float) -> MemoryLog:
        """Take the rows of another log over, in the columns that both have, and return this log; other real numbers are `before` there, integers 0."""
        self.rows, self._bytes = other.rows, np.zeros((len(other._bytes), self.channels.row_bytes), np.uint8)
        self._records = Rows(self.channels, self._bytes)
        places = {column.name: column.offset for column in other.channels.columns}
        for column in self.channels.columns:
            if column.name in places:
                size, place = column.kind.itemsize, places[column.name]
                self._bytes[:, column.offset : column.offset + size] = other._bytes[:, place : place + size]
            elif before and column.kind.kind == "f":
                self._bytes[:, column.offset : column.offset + column.kind.itemsize] = np.array([before], column.kind).view(np.uint8)
        return self

    def log(self, about: Mapping[str, str], events: Sequence[Event] = ()) -> Log:
        """Return a copy of the rows so far."""
        return Log(self.channels.columns, self.channels.split(self._bytes[: self.rows]), about, events)


class MemoryRecorder:
    """Records the same rows as `TelemetryOutlet` in memory, without the wall-clock columns: two equal runs give equal logs.

    Parameters
    ----------
    session : recorded session
    every : number of ticks between two rows
    channels : names, fields, patterns, see `simulator.telemetry.channels.chosen`; empty: all

    Raises ConfigError if no column matches a requested channel.
    """

    label = "telemetry"
    """Name of the outlet in messages."""

    def __init__(self, session: Session, every: int, channels: Collection[str] = ()) -> None:
        self.every, self._channels = every, (*ALWAYS, *channels) if channels else ()
        self._logged = LoggedRecords.of(session)
        self._rows = MemoryLog((*self._logged.vehicle, *self._logged.session), self._channels)
        self._events: list[Event] = []

    def publish(self, session: Session) -> None:
        """Add one row."""
        self._logged.look(session)
        self._rows.put()

    def add_columns(self, sources: Iterable[Source], before: float = 0.0) -> None:
        """Add columns to the log, if they are requested; in the rows so far, real numbers are `before` and integers 0."""
        self._logged.session = (*self._logged.session, *sources)
        self._rows = MemoryLog((*self._logged.vehicle, *self._logged.session), self._channels).with_rows_of(self._rows, before)

    def log(self, about: Mapping[str, Any] = NO_METADATA) -> Log:
        """Return the rows so far with the run metadata; values other than text are stored as JSON."""
        return self._rows.log(texts(about), self._events)

    def hear(self, _: Session, event: Event) -> None:
        """Add an event to the log."""
        self._events.append(event)

    def close(self) -> None:
        """Do nothing; the rows remain available."""


def measuring(session: Session, maneuver: Maneuver, more: Collection[str] = ()) -> MemoryRecorder:
    """Return a recorder of the columns that the metrics of a maneuver need, and those of `more` that the session has, at their rate; with
    the phase if available.

    Raises ConfigError if a needed column does not exist.
    """
    logged = [row[0] for _, table, _ in session.logged for row in table]
    phase = ("phase",) if maneuver.phase_names and "phase" in logged else ()
    course = course_columns(session.vehicle.corner_names) if maneuver.gates else ()
    records = LoggedRecords.of(session)
    offered = {one.name: one.field for one in Channels((*records.vehicle, *records.session)).columns}
    plotted = [pattern for pattern in more if matches(offered, pattern)]
    requested = (*columns(session.vehicle.corner_names), *course, *maneuver.channels, *plotted, *phase)
    return MemoryRecorder(session, measuring_ticks(maneuver.rate, session.h), requested)


def session_grip(session: Session) -> Grip:
    """Return the tires and the ground of a session, for the evaluation of a course."""
    return Grip(session.vehicle.tires, session.ground, session.vehicle.corner_names)


class LiveValues:
    """Present values of a session, by their column names in a log.

    Parameters
    ----------
    session : session whose readout is up to date when a value is read
    """

    def __init__(self, session: Session) -> None:
        self._session, self._logged = session, LoggedRecords.of(session)
        channels = Channels((*self._logged.vehicle, *self._logged.session))
        self.columns = {column.name: column for column in channels.columns}
        """Columns by name."""
        self._fields: dict[str, list[Channel]] = {}
        for column in channels.columns:
            self._fields.setdefault(column.field, []).append(column)
        self._row = np.zeros((1, channels.row_bytes), np.uint8)
        self._records = Rows(channels, self._row)

    def column(self, name: str) -> Channel:
        """Return the metadata of a column or a field. Raises NoSuchColumnError."""
        if not isinstance(name, str):
            raise NoSuchColumnError(f"no column {name!r}; expected the name of a column, a text")
        if name not in self.columns and name not in self._fields:
            raise NoSuchColumnError(f"no column {name!r}{did_you_mean(name, [*self._fields, *self.columns])}")
        return self.columns[name] if name in self.columns else self._fields[name][0]

    def value(self, name: str) -> Any:
        """Return the number of a column, or the array of a field in the order of its columns. Raises NoSuchColumnError."""
        column = self.column(name)
        self._logged.look(self._session)
        self._records.put(0)
        return self._number(column) if name in self.columns else np.array([self._number(one) for one in self._fields[name]])

    def numbers(self, names: Sequence[str]) -> list[float]:
        """Return the numbers of columns, read at once. Raises NoSuchColumnError: no column, or a field."""
        missing = next((name for name in names if name not in self.columns), None)
        if missing is not None:
            raise NoSuchColumnError(f"no column {missing!r}{did_you_mean(str(missing), self.columns)}")
        self._logged.look(self._session)
        self._records.put(0)
        return [self._number(self.columns[name]) for name in names]

    def _number(self, column: Channel) -> Any:
        return self._row[0, column.offset : column.offset + column.kind.itemsize].view(column.kind)[0].item()
