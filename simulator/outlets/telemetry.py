"""What hangs on the right side of a session: telemetry, motion stream, window. Each turns one publication into a call of its owner."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base import renamed
from simulator.base.json_output import json_text
from simulator.base.records import Record, Table, record
from simulator.base.suggestions import did_you_mean
from simulator.maneuvers.metrics import columns, measuring_ticks
from simulator.telemetry.channels import Channel, Channels, Rows
from simulator.telemetry.log import Log, NoSuchColumnError
from simulator.telemetry.memory_log import MemoryLog
from simulator.telemetry.writer import PLAIN, LogOptions, TelemetryWriter, texts
from vehicles.command import COMMAND
from vehicles.readout import READOUT
from washout.limiter.limiter import KINDS
from washout.platform_state_machine import STATE_NAMES

if TYPE_CHECKING:
    from simulator.clock import Clock
    from simulator.maneuvers.maneuver_file import Maneuver
    from simulator.session import Session
    from washout.cueing import MotionCueing

Source = tuple[str, Table, Record]
"""Prefix of the columns' names, table and record."""

NOTHING: Mapping[str, Any] = MappingProxyType({})
PULLED = 0.01
"""Share of the parking brake's travel from which its lamp is on."""
SELDOM = 1_000_000
"""Looks of the driver between two turns of an outlet that needs none."""

PLATFORM = (
    ("p_NP", (3,), "m", "position of the platform commanded, from neutral"),
    ("roll", (), "rad", "roll angle of the platform commanded, + = right side down (R_NP = Rz(yaw) Ry(pitch) Rx(roll))"),
    ("pitch", (), "rad", "pitch angle of the platform commanded, + = nose down"),
    ("yaw", (), "rad", "yaw angle of the platform commanded, + = left"),
    ("legs", (6,), "m", "leg lengths commanded"),
    ("state", (), "1", f"state of the motion procedure: {', '.join(f'{i} {name}' for i, name in enumerate(STATE_NAMES))}", "i8"),
    ("limited", (), "1", "what the limiter did: 0 the pose asked for, 1 another one on the way to it, 2 along its stop plan", "i8"),
    ("interventions", (4,), "1", f"ticks so far in which it did not take the pose asked for: for {', '.join(KINDS)} of a leg", "i8"),
)
"""The platform as the telemetry logs it."""


CLOCK = (
    ("wall_time", (), "s", "time of the wall clock since the log began"),
    ("lateness", (), "s", "largest lateness of a tick since the row before; 0 without a clock"),
)
"""What the wall clock says."""

LOG = (
    ("resets", (), "1", "how often the drive was begun again, so that its time went back", "i8"),
    ("paused", (), "1", "1 while the drive is paused: the vehicle stands still, the platform goes to neutral", "i8"),
    ("incident", (), "1", "number of the incident after which the vehicle is held, 0 = all is well", "i8"),
)
"""What the log says of the session itself."""

WALL = tuple(row[0] for row in CLOCK)
"""Columns that differ between two runs of one drive. All the others are equal bit for bit."""

ALWAYS = ("time",)
"""Logged whatever is chosen: without it no column can be read."""


class LoggedRecords:
    """The records of a session that a log is made of.

    Parameters
    ----------
    readout, command : READOUT and COMMAND records of the session
    more : further records, see `simulator.telemetry.channels.Channels`
    readout_table : READOUT with the wheels of the vehicle
    """

    def __init__(self, readout: Record, command: Record, more: Iterable[Source] = (), readout_table: Table = READOUT) -> None:
        self.platform, self.state = record(PLATFORM), record(LOG)
        numbers = self.platform.view(float)  # position and angles first, one after the other as in a pose
        self._pose, self._legs = numbers[:6], numbers[6:12]
        self._platform, self._state = self.platform[0], self.state[0]
        self._cueing: MotionCueing | None = None
        self.vehicle: tuple[Source, ...] = (
            ("", readout_table, readout),
            ("command_", COMMAND, command),
            ("platform_", PLATFORM, self.platform),
        )
        self.session: tuple[Source, ...] = (("", LOG, self.state), *more)
        self._time = -math.inf

    @classmethod
    def of(cls, session: Session) -> LoggedRecords:
        """Everything that a session has."""
        return cls(session.readout, session.command, session.logged, session.vehicle.readout_table)

    def look(self, session: Session) -> None:
        """Bring them up to date."""
        cueing, now = session.cueing, session.time
        if cueing is not self._cueing:
            self._cueing, self._commanded = cueing, (cueing.pose, cueing.legs)  # views of what they are at any time
        self._pose[:], self._legs[:] = self._commanded
        self._platform["state"] = cueing.state_number
        limits = cueing.readout[0]
        self._platform["limited"], self._platform["interventions"] = limits["limited"], limits["interventions"]
        state = self._state
        state["paused"], state["incident"] = session.paused, session.incident
        if now < self._time:
            state["resets"] += 1
        self._time = now


class TelemetryOutlet:
    """Logs vehicle, command, platform and session to folder/telemetry.parquet.

    Publishing never raises and never waits for the disk in real time; a disk that is full ends the log and is said once
    (`writer.failure`).

    Parameters
    ----------
    folder : existing folder
    session_readout, command : READOUT and COMMAND records of the session
    every : ticks between two rows
    options : see there
    more : further records to log, see `simulator.telemetry.channels.Channels`
    readout_table : READOUT with the wheels of the vehicle

    Raises
    ------
    OutputError : the folder cannot be written or another run writes there
    ConfigError : no column fits what is wanted
    """

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
        self._watched, self._wall = LoggedRecords(session_readout, command, more, readout_table), record(CLOCK)
        sources = (*self._watched.vehicle, ("", CLOCK, self._wall), *self._watched.session)
        if options.choice.channels:
            options = replace(options, choice=replace(options.choice, channels=(*ALWAYS, *options.choice.channels)))
        self.writer = TelemetryWriter(folder, sources, 1, options, WALL)
        self._began = time.perf_counter()
        self._clock: Clock | None = None

    def publish(self, session: Session) -> None:
        """One row."""
        self._watched.look(session)
        wall, clock = self._wall[0], session.clock
        wall["wall_time"] = time.perf_counter() - self._began
        if clock is not None:
            self._clock = clock
            wall["lateness"], clock.late_lately = clock.late_lately, 0.0
        self.writer.publish(wait=clock is None)

    def close(self) -> None:
        """Write the file."""
        if self._clock is not None:
            self.writer.about["lateness"] = json_text(self._clock.lateness.to_json())
        self.writer.close()


class MemoryRecorder:
    """Keeps in memory what `TelemetryOutlet` logs, but for the wall clock's columns: two runs of one drive give equal logs.

    Parameters
    ----------
    session : what is logged
    every : ticks between two rows
    channels : names, fields, patterns, see `simulator.telemetry.channels.chosen`; all when empty

    Raises ConfigError when no column fits what is wanted.
    """

    def __init__(self, session: Session, every: int, channels: Collection[str] = ()) -> None:
        self.every = every
        self._watched = LoggedRecords.of(session)
        sources = (*self._watched.vehicle, *self._watched.session)
        self._rows = MemoryLog(sources, (*ALWAYS, *channels) if channels else ())

    def publish(self, session: Session) -> None:
        """One row."""
        self._watched.look(session)
        self._rows.put()

    def log(self, about: Mapping[str, Any] = NOTHING) -> Log:
        """The rows so far, with what is known of the run; what is not text is kept as JSON."""
        return self._rows.log(texts(about))

    def close(self) -> None:
        """Nothing: the rows stay."""


def measuring(session: Session, maneuver: Maneuver, more: Collection[str] = ()) -> MemoryRecorder:
    """Keeps what the metrics of a maneuver need, and `more`, at their rate; its phase where the driver knows of phases.

    Raises ConfigError when there is no column that they need.
    """
    logged = [row[0] for _, table, _ in session.logged for row in table]
    phase = ("phase",) if maneuver.phase_names and "phase" in logged else ()
    wanted = (*columns(session.vehicle.corner_names), *maneuver.channels, *more, *phase)
    return MemoryRecorder(session, measuring_ticks(maneuver.rate, session.h), wanted)


class LiveValues:
    """The numbers of a session as they are now, by the names that they have in a log.

    Parameters
    ----------
    session : whose readout is up to date when a number is asked for
    """

    def __init__(self, session: Session) -> None:
        self._session, self._watched = session, LoggedRecords.of(session)
        channels = Channels((*self._watched.vehicle, *self._watched.session))
        self.columns = {column.name: column for column in channels.columns}
        """What the columns are, by name."""
        self._fields: dict[str, list[Channel]] = {}
        for column in channels.columns:
            self._fields.setdefault(column.field, []).append(column)
        self._row = np.zeros((1, channels.row_bytes), np.uint8)
        self._records = Rows(channels, self._row)

    def column(self, name: str) -> Channel:
        """What a column, or a field, is. Raises NoSuchColumnError."""
        name = renamed.column(name)
        if name not in self.columns and name not in self._fields:
            raise NoSuchColumnError(f"no column {name!r}{did_you_mean(name, [*self._fields, *self.columns])}")
        return self.columns[name] if name in self.columns else self._fields[name][0]

    def value(self, name: str) -> Any:
        """The number of a column; of a field with several an array of them, in the order of its columns. Raises NoSuchColumnError."""
        name = renamed.column(name)
        column = self.column(name)
        self._watched.look(self._session)
        self._records.put(0)
        return self._number(column) if name in self.columns else np.array([self._number(one) for one in self._fields[name]])

    def _number(self, column: Channel) -> Any:
        return self._row[0, column.offset : column.offset + column.kind.itemsize].view(column.kind)[0].item()
