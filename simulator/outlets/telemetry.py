"""What hangs on the right side of a session: telemetry, motion stream, window. Each turns one publication into a call of its owner."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.base.records import Record, Table, record
from simulator.base.suggestions import did_you_mean
from simulator.driver.force_feedback.thread import PERIOD, Feeler, Sample
from simulator.maneuvers.metrics import columns, measuring_ticks
from simulator.motion.stream import MotionStream
from simulator.telemetry.atomic_files import RUTS_NAME, write_whole
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
    from simulator.driver.input_devices.devices import Device
    from simulator.maneuvers.maneuver_file import Maneuver
    from simulator.session import Session
    from simulator.view.shared_state import ViewWriter
    from terrain.rut_changes import ChangedTiles
    from washout.cueing import MotionCueing

Source = tuple[str, Table, Record]
"""Prefix of the columns' names, table and record."""

MESSAGE_TIME = 5.0
"""s of wall time that a message to the driver stays."""
NOTHING: Mapping[str, Any] = MappingProxyType({})
PULLED = 0.01
"""Share of the parking brake's travel from which its lamp is on."""
LONGEST = 95
"""Bytes of a message."""
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


class Watched:
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
    def of(cls, session: Session) -> Watched:
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


class Telemetry:
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
        self._watched, self._wall = Watched(session_readout, command, more, readout_table), record(CLOCK)
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
            self.writer.about["lateness"] = json_text(self._clock.lateness.as_json())
        self.writer.close()


class Recorder:
    """Keeps in memory what `Telemetry` logs, but for the wall clock's columns: two runs of one drive give equal logs.

    Parameters
    ----------
    session : what is logged
    every : ticks between two rows
    channels : names, fields, patterns, see `simulator.telemetry.channels.chosen`; all when empty

    Raises ConfigError when no column fits what is wanted.
    """

    def __init__(self, session: Session, every: int, channels: Collection[str] = ()) -> None:
        self.every = every
        self._watched = Watched.of(session)
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


def measuring(session: Session, maneuver: Maneuver, more: Collection[str] = ()) -> Recorder:
    """Keeps what the metrics of a maneuver need, and `more`, at their rate; its phase where the driver knows of phases.

    Raises ConfigError when there is no column that they need.
    """
    logged = [row[0] for _, table, _ in session.logged for row in table]
    phase = ("phase",) if maneuver.phase_names and "phase" in logged else ()
    wanted = (*columns(session.vehicle.corner_names), *maneuver.channels, *more, *phase)
    return Recorder(session, measuring_ticks(maneuver.rate, session.h), wanted)


class Present:
    """The numbers of a session as they are now, by the names that they have in a log.

    Parameters
    ----------
    session : whose readout is up to date when a number is asked for
    """

    def __init__(self, session: Session) -> None:
        self._session, self._watched = session, Watched.of(session)
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
        if name not in self.columns and name not in self._fields:
            raise NoSuchColumnError(f"no column {name!r}{did_you_mean(name, [*self._fields, *self.columns])}")
        return self.columns[name] if name in self.columns else self._fields[name][0]

    def value(self, name: str) -> Any:
        """The number of a column; of a field with several an array of them, in the order of its columns. Raises NoSuchColumnError."""
        column = self.column(name)
        self._watched.look(self._session)
        self._records.put(0)
        return self._number(column) if name in self.columns else np.array([self._number(one) for one in self._fields[name]])

    def _number(self, column: Channel) -> Any:
        return self._row[0, column.offset : column.offset + column.kind.itemsize].view(column.kind)[0].item()


class SoilFile:
    """Leaves what a session remembers of the soil in the folder of its run, when it ends; nothing where nobody drove on soil.

    Parameters
    ----------
    session : whose memory it is
    folder : existing folder
    terrain : how the ground is called
    """

    def __init__(self, session: Session, folder: Path, terrain: str) -> None:
        self.every = SELDOM * session.driver_every
        self._soil, self._file, self._terrain = session.soil, folder / RUTS_NAME, terrain

    def publish(self, session: Session) -> None:
        """Nothing: the memory grows by itself."""

    def close(self) -> None:
        """Write the file. Raises OutputError."""
        if not self._soil.is_virgin:
            write_whole(self._file, self._write)

    def _write(self, file: Path) -> None:
        with open(file, "wb") as stream:
            self._soil.save(stream, self._terrain)


class Motion:
    """Sends the platform's pose over the network."""

    def __init__(self, stream: MotionStream) -> None:
        self.stream, self.every, self.often = stream, stream.turns.every, stream.turns.often

    def publish(self, session: Session) -> None:
        """One packet. Raises JounceError once the protocol was dropped."""
        if self.stream.trouble:
            raise JounceError(f"{self.stream.trouble}; nothing is sent any more")
        self.stream.send(session.readout, session.cueing, session.moves, session.tick)

    def close(self) -> None:
        """Tell the platform that the stream ends."""
        self.stream.close()


class Feel:
    """Lets the driver's device feel what the vehicle does.

    Parameters
    ----------
    feeler : works in a thread of its own
    device : tells what the driver holds
    h : length of a tick [s]
    """

    def __init__(self, feeler: Feeler, device: Callable[[], Device | None], h: float) -> None:
        self.feeler, self._device = feeler, device
        self.every = max(1, math.floor(PERIOD / h + 1e-9))
        self._held: Device | None = None

    def publish(self, session: Session) -> None:
        """One sample, if there is somebody who feels it."""
        if session.tick % session.driver_every == 1:
            return  # the command comes in steps: the torque of this tick is the blow of the last one
        device, before = self._device(), self._held
        self._held = device
        if device is not None or before is not None:
            # the bytes of a record are copied in a hundredth of the time that its fields take
            readout = np.frombuffer(session.readout.tobytes(), session.readout.dtype)
            self.feeler.take(Sample(readout, device, session.moves, session.cueing.resets))

    def close(self) -> None:
        """Let the force fade."""
        self.feeler.close()


class Window:
    """Shows the session to the views that are attached to a block of shared memory.

    Parameters
    ----------
    every : ticks between two publications
    block : view block of an owner who closes it; a new one, closed with the outlet, when not given
    """

    def __init__(self, every: int, block: ViewWriter | None = None) -> None:
        from simulator.view.shared_state import ViewWriter, extras

        self.every = every
        self._owns = block is None
        self.block = ViewWriter() if block is None else block
        self.extras = extras()
        self._open = True
        self._ruts = None if self.block.ruts is None else self._new_square()
        self._message, self._until = "", 0.0
        self._holds: Callable[[Session], bool] | None = None

    @property
    def message(self) -> str:
        """Line for the driver; one that is set stays for MESSAGE_TIME."""
        return self._message

    @message.setter
    def message(self, text: str) -> None:
        self.tell(text)

    def tell(self, text: str, seconds: float = MESSAGE_TIME, holds: Callable[[Session], bool] | None = None) -> None:
        """Show the driver a line for so long, or until it `holds` no more; an empty one takes away what is there."""
        self._message, self._until, self._holds = text, time.monotonic() + seconds, holds

    def publish(self, session: Session) -> None:
        """The latest state."""
        from simulator.base.rotations import quaternion_of_rotation, rotation_of_euler

        if self._message and (time.monotonic() > self._until or (self._holds is not None and not self._holds(session))):
            self._message = ""
        e, cueing, p = self.extras[0], session.cueing, session.cueing.platform[0]
        pose = cueing.pose
        R = np.empty((3, 3))
        rotation_of_euler(pose[3], pose[4], pose[5], R)
        quaternion_of_rotation(R, e["q_platform"])
        e["p_platform"], e["legs"] = pose[:3], cueing.legs
        e["leg_use"] = (cueing.legs - p["shortest_leg"]) / (p["longest_leg"] - p["shortest_leg"])
        if session.clock is not None:
            e["real_time_factor"], e["overruns"] = session.clock.real_time_factor, session.clock.overruns
        command = session.command[0]
        e["selector"], e["parking_brake"] = command["selector"], command["parking_brake"] > PULLED
        self._feelings(session)
        e["paused"], e["message"] = session.paused, short(self._message)
        self.block.publish(session.readout, self.extras)
        if self._ruts is not None:
            self._show_ruts(session, self._ruts)

    @staticmethod
    def _new_square() -> ChangedTiles:
        from simulator.view.rut_tiles import MOST, SIDE
        from terrain.rut_changes import ChangedTiles

        return ChangedTiles(SIDE, MOST)

    def _show_ruts(self, session: Session, changed: ChangedTiles) -> None:
        """Those that have changed."""
        from simulator.view.rut_tiles import RutTiles

        place = session.readout[0]["p_WB"]
        tiles = RutTiles(*changed.look(session.soil, float(place[0]), float(place[1])))
        if len(tiles.places) and self.block.ruts is not None:
            self.block.ruts.put(tiles)

    def _feelings(self, session: Session) -> None:
        """What the rider feels beside what the vehicle's driver does."""
        e, seen, felt = self.extras[0], session.watch.state[0], session.cueing.felt[0]
        e["car_feels"][:3], e["car_feels"][3:] = seen["f_H_B"], seen["w_WB_B"]
        e["cab_feels"][:3], e["cab_feels"][3:] = felt["cab_f_H_P"], felt["cab_w_NP_P"]
        e["car_feels"][2] -= session.ground.p[0]["gravity"]
        e["cab_feels"][2] -= STANDARD_GRAVITY
        e["intensity"] = session.cueing.readout[0]["intensity"]

    def jump(self) -> None:
        """The next state does not follow from the last one."""
        self.block.jump()

    def close(self) -> None:
        """Tell the views that the host leaves; calling it again does nothing."""
        if self._open:
            self._open = False
            if self._owns:
                self.block.close()
            else:
                self.block.leave()


def short(text: str) -> bytes:
    """A message as the views take it: utf-8, cut between two letters and marked where it is too long."""
    whole = text.encode()
    return whole if len(whole) <= LONGEST else whole[: LONGEST - 3].decode(errors="ignore").encode() + "…".encode()
