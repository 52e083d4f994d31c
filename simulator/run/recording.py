"""Recorded drive: the states of a log as the records that the window draws, at any position."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import NOTHING, ConfigError, UnreadableError
from simulator.base.records import Record, Table, record, sized
from simulator.base.rotations import quaternion_of_rotation, rotation_of_euler
from simulator.builder.builder import build, view_geometry
from simulator.builder.session_parts import SessionParts
from simulator.events.event import Event
from simulator.outlets.dashboard import Dashboard
from simulator.outlets.telemetry import PLATFORM, PULLED_FRACTION
from simulator.run.object_changes import KEY as OBJECT_CHANGES
from simulator.run.recorded_objects import RecordedObjects
from simulator.run.recorded_ruts import RecordedRuts
from simulator.run.recorded_traffic import RecordedTraffic
from simulator.run.run_configuration import check_hashes, read_recorded, ticks_per_row
from simulator.telemetry.channels import Channel, Channels
from simulator.telemetry.event_file import read_events
from simulator.telemetry.log_groups import Columns, LogGroups
from simulator.telemetry.recover import KILLED
from simulator.telemetry.replay_columns import CONTACT, DRAWN, DRAWN_COMMANDS, DRIVER, ENGINE, LINKS, POSE, VEHICLE, WHEELS
from simulator.telemetry.run_folder import RUTS_NAME
from simulator.telemetry.writer import PARQUET_NAME
from simulator.view.camera_names import CAMERA_EVENTS
from simulator.view.make_object_data import vehicles_among
from simulator.view.shared_state import STATE, interpolate
from simulator.view.vehicle_states import between, joined, states_of
from vehicles.command import COMMAND

CACHED_GROUPS = 3
"""Number of groups of rows in memory."""
JUMP = 1.0
"""m between two rows, beyond the distance that the speed explains, above which the vehicle was put to another place."""
CHECKED = (*POSE, *WHEELS, *CONTACT, *ENGINE, *DRIVER)
"""Fields of the readout whose values must be finite."""
GAP = 100.0
"""Periods of the log between two rows, above which the vehicle was put to another time."""
AXIS = ("time", "p_WB_x", "p_WB_y", "p_WB_z", "q_WB_w", "v_WB_B_x", "v_WB_B_y", "v_WB_B_z")


HIDDEN = ("end", *CAMERA_EVENTS, "washout_next", "wait_over")
"""Kinds of events that are not marked in a replay."""


class RecordedEvent(NamedTuple):
    """Event of a recorded drive."""

    position: float
    """Position [s]."""
    kind: str
    text: str
    value: Any = None


def events_at_rows(log: Path, ticks_per_row: int, positions: NDArray[np.float64], say: Callable[[str], None]) -> list[RecordedEvent]:
    """Return the events of a log in their order; without a readable file of events, print a message and return none.

    ticks_per_row : ticks between two rows of the log, whose `positions` [s] are given
    """
    try:
        events = read_events(log) or ()
    except ConfigError as error:
        say(f"{error}; the replay shows no events")
        return []
    shown = [event for event in events if event.kind not in HIDDEN and not event.waits and event.tick >= 0]
    rows = [-(-event.tick // ticks_per_row) for event in shown]
    return [
        RecordedEvent(float(positions[row]), event.kind, text_of(event), event.value)
        for event, row in zip(shown, rows, strict=True)
        if row < len(positions)
    ]


def text_of(event: Event) -> str:
    """Return an event as a short text."""
    value = event.value
    if event.kind == "collision" and isinstance(value, dict):
        return f"collision: {value.get('name', '')}, {float(value.get('closing_speed_ms', 0.0)):.1f} m/s"
    if event.kind == "incident" and isinstance(value, dict):
        return f"incident: {value.get('message', '')}"
    if event.kind == "trigger" and isinstance(value, dict):
        return f"trigger: {value.get('name', '')}"
    if event.kind == "pause":
        return "continue" if value is False else "pause"
    return event.kind if value is None or isinstance(value, dict) else f"{event.kind}: {value}"


class _Group(NamedTuple):
    """Rows of a group as records."""

    readout: NDArray[Any]
    command: NDArray[Any]
    platform: NDArray[Any]
    columns: Columns
    """Columns of the log that are in no record."""
    vehicles: list[NDArray[Any]]
    """Records of the other vehicles."""


class Recording:
    """Recorded drive.

    A position is the time since the start of the recording without pauses [s]; in contrast to the simulated time it always increases.

    Parameters
    ----------
    path : run folder, or a log in it
    say : called with one line for each part of the recording that cannot be shown

    Attributes
    ----------
    file : log
    positions, times : (n,) position and simulated time of each row [s]
    cuts : (n,) True if a row does not continue the previous one: a restart, or the vehicle was put to another place or time
    events : events of the drive
    has_links : True if the log has the points of the suspension

    Raises
    ------
    ConfigError : the log is unreadable, lacks needed columns, has no row, or does not belong to its configuration
    """

    def __init__(self, path: Path, say: Callable[[str], None]) -> None:
        self._say = say
        self.log, self.configuration = read_recorded(path)
        self.file = self.log.file
        if self.file.suffix != ".parquet":
            raise ConfigError(self.file, "", self.log.about.get("ended", "a raw log"), f"a finished log, {PARQUET_NAME}")
        check_hashes(self.configuration, self.file)
        self._groups = LogGroups(self.file)
        self.has_links = not _missing(LINKS, self._groups.names)
        self._need([*_missing((*DRAWN, *DRAWN_COMMANDS), self._groups.names), *(one for one in AXIS if one not in self._groups.names)])
        if not self.has_links:
            say(f"{self.file}: the links of the suspension are not drawn, because the log was written without their columns")
        self._read_axis(say)
        self._first_rows = np.concatenate(([0], np.cumsum(self._groups.rows)))
        self._cache: OrderedDict[int, _Group] = OrderedDict()
        self.parts: SessionParts = build(self.configuration, check_step=False)
        self._dashboard = Dashboard(self.parts.vehicle)
        self._check_vehicle()
        self._others = self._other_tables()
        self._end_at_damage(say)
        self._bodies = [record(self.state_table) for _ in range(2)]
        self.events: list[RecordedEvent] = events_at_rows(self.file, ticks_per_row(self.parts), self.positions, say)

    def objects(self) -> RecordedObjects:
        """Return a new follower of the objects that broke off or were removed."""
        if self.log.about.get(OBJECT_CHANGES):
            self._say(f"{self.file}: objects that a program added during the drive are not drawn")
        return RecordedObjects(self.file.parent, self.parts.ground.objects, ticks_per_row(self.parts), self.parts.step, self._say)

    def ruts(self) -> RecordedRuts | None:
        """Return a new follower of the ruts; None without ruts. If they are missing in the run, print a message and return None."""
        if not self.parts.ground.is_soft:
            return None
        if not (self.file.parent / RUTS_NAME).exists() and self.log.about.get("ended") != KILLED:
            return None  # only on hard ground
        file, names = self.file.parent / RUTS_NAME, [f"p_WC_{corner}_{axis}" for corner in self.parts.vehicle.corner_names for axis in "xy"]
        columns = self.columns(*names)
        try:
            if not file.exists() or len(columns) < len(names):
                self._say(f"{self.file}: the ruts are not drawn, because the run has no {'contact points' if file.exists() else RUTS_NAME}")
                return None
            return RecordedRuts(file, np.stack([columns[name] for name in names], axis=1).reshape(len(self.positions), -1, 2))
        except ConfigError as error:
            self._say(f"{error}; the ruts are not drawn")
            return None

    @property
    def duration(self) -> float:
        """Last position [s]."""
        return float(self.positions[-1])

    @property
    def state_table(self) -> Table:
        """Table STATE with the wheels of the vehicle."""
        return sized(STATE, wheels=self.parts.vehicle.size.wheels)

    @cached_property
    def geometry(self) -> dict[str, Any]:
        """Rows of `simulator.view.vehicle_geometry.GEOMETRY`."""
        return view_geometry(self.parts.vehicle, self.parts.cueing.platform)

    def row_at(self, position: float) -> int:
        """Return the last row at or before a position."""
        return int(np.clip(np.searchsorted(self.positions, position, side="right") - 1, 0, len(self.positions) - 1))

    def state(self, position: float, out: Record) -> int:
        """Fill a record of `state_table` with the state at a position, interpolated between two rows; return the row before it."""
        row = self.row_at(position)
        before, after = self._bodies
        self._fill(row, before)
        step = 0.0 if row + 1 >= len(self.positions) or self.cuts[row + 1] else self.positions[row + 1] - self.positions[row]
        share = 0.0 if step <= 0.0 else (position - self.positions[row]) / step
        if share <= 1e-9:
            out[:] = before
        else:
            self._fill(row + 1, after)
            interpolate(before, after, min(share, 1.0), out)
            for name in ("gear", "selector", "parking_brake", "low_range", "center_locked"):
                out[0][name] = before[0][name]
        return row

    def vehicles(self, position: float) -> Record:
        """Return the states of the other vehicles at a position, interpolated between two rows; see `simulator.view.vehicle_states`."""
        row = self.row_at(position)
        before = self._vehicles(row)
        if not len(before) or row + 1 >= len(self.positions) or self.cuts[row + 1]:
            return before
        share = (position - self.positions[row]) / (self.positions[row + 1] - self.positions[row])
        return between(before, self._vehicles(row + 1), min(share, 1.0)) if share > 1e-9 else before

    def command(self, row: int) -> Record:
        """Return the COMMAND record of a row."""
        group, k = self._locate(row)
        return group.command[k : k + 1].copy()

    def contact_forces(self, row: int) -> NDArray[np.float64]:
        """Return the forces of the ground and of objects on the body in a row (2, 3) [N], in B; zero if the log has none."""
        group, k = self._locate(row)
        zero = np.zeros(len(group.readout))
        return np.array([[group.columns.get(name, zero)[k] for name in names] for names in FORCES])

    def columns(self, *names: str) -> Columns:
        """Return columns of all rows."""
        columns, _ = self._groups.read_all(names)
        return {name: column[: len(self.positions)] for name, column in columns.items()}

    def spaced_rows(self, period: float) -> NDArray[np.int64]:
        """Return rows with about this distance of their positions [s], the first row included."""
        every = max(1, round(period * (len(self.positions) - 1) / max(self.duration, 1e-9)))
        return np.arange(0, len(self.positions), every)

    def fields(self, names: Sequence[str], rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Return fields of the readout in some rows, each (n, ...)."""
        columns: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
        for first, last in zip(self._first_rows[:-1], self._first_rows[1:], strict=True):
            some = rows[(rows >= first) & (rows < last)]
            if len(some):
                readout = self._locate(int(some[0]))[0].readout
                for name in names:
                    columns[name].append(readout[name][some - first])
        return {name: np.concatenate(parts) for name, parts in columns.items()}

    def _vehicles(self, row: int) -> Record:
        group, k = self._locate(row)
        own = states_of(self._parts, [records[k : k + 1] for records in group.vehicles])
        return own if self._traffic is None else joined(own, self._traffic.states(row))

    @cached_property
    def _traffic(self) -> RecordedTraffic | None:
        """Vehicles of the traffic without models; None without any."""
        shapes = [] if self.parts.traffic is None else self.parts.traffic.rolling
        return RecordedTraffic(self.objects(), self.parts.ground.objects, shapes) if shapes else None

    def _other_tables(self) -> list[tuple[str, Table]]:
        """Return prefix and fields of the columns of each other vehicle; print a message about those without columns."""
        tables = {one.options.name: one.vehicle.readout_table for one in self.parts.others}
        if (train := self.parts.vehicle.train) is not None:
            tables |= {name: one.vehicle.readout_table for name, one in zip(train.names, train.trailers, strict=True)}
        if self.parts.traffic is not None:
            tables |= self.parts.traffic.full_tables
        found: list[tuple[str, Table]] = []
        self._parts: list[int] = []
        missing: list[str] = []
        for one in vehicles_among(self.parts.ground.objects):
            name = one.vehicle.name
            if name not in tables:  # of the traffic, without a model
                continue
            source = f"{name}_", tuple(field for field in tables[name] if field[0] in VEHICLE)
            if all(column.name in self._groups.names for column in _columns(*source)):
                found.append(source)
                self._parts.append(one.first)
            else:
                missing.append(name)
        if missing:
            self._say(f"{self.file}: drawn at the start, because the log was written without their columns: {', '.join(missing)}")
        return found

    def _need(self, missing: Sequence[str]) -> None:
        """Raise ConfigError if fields or columns are missing."""
        if missing:
            expected = f"{', '.join(missing)}, which a replay needs; hint: drive again with this version, which always logs them"
            raise ConfigError(self.file, "columns", NOTHING, expected)

    def _read_axis(self, say: Callable[[str], None]) -> None:
        """Read time and place of all rows, up to the first one that cannot be drawn."""
        axis, problem = self._groups.read_all(AXIS)
        values = np.array([axis.get(name, ()) for name in AXIS], float)  # no columns: no group of rows
        rows = values.shape[1]
        bad = np.flatnonzero(~np.isfinite(values).all(axis=0))
        if len(bad):
            rows, problem = int(bad[0]), f"{self.file}: row {int(bad[0])}: a value is not finite"
        if rows == 0:
            raise ConfigError(self.file, "", "no row that can be drawn", "a log with at least one row")
        self.times = values[0, :rows]
        steps, moved = np.diff(self.times), np.linalg.norm(np.diff(values[1:4, :rows], axis=1), axis=0)
        speed = np.linalg.norm(values[5:, :rows], axis=0)
        reach = 1.5 * np.maximum(speed[1:], speed[:-1]) * np.abs(steps)
        period = float(np.median(steps[steps > 0.0])) if (steps > 0.0).any() else 0.01
        cuts = (steps < 0.0) | (steps > GAP * period) | (moved > reach + JUMP)
        self.cuts = np.concatenate(([True], cuts))
        self.positions = np.concatenate(([0.0], np.cumsum(np.where(cuts, period, steps))))
        if problem:
            say(f"{problem}; the recording ends at {self.times[-1]:.1f} s")

    def _check_vehicle(self) -> None:
        """Check that the columns are those of the vehicle in the configuration, and all that are drawn. Raises ConfigError."""
        vehicle = self.parts.vehicle
        expected = [f"wheel_angle_{corner}" for corner in vehicle.corner_names]
        wheels = [name for name in self._groups.names if name.startswith("wheel_angle_")]
        if wheels != expected:
            names = f"{', '.join(expected)}, the wheels of the vehicle in its configuration"
            raise ConfigError(self.file, "columns", ", ".join(wheels), names)
        drawn = [column.name for column in _columns("", vehicle.readout_table) if column.field in DRAWN]
        self._need([name for name in drawn if name not in self._groups.names])

    def _end_at_damage(self, say: Callable[[str], None]) -> None:
        """End the recording at the first row with a value that image, plots or sound need and that is not finite, or at a damaged group."""
        table = self.parts.vehicle.readout_table
        names = [column.name for column in _columns("", table) if column.field in CHECKED]
        for number, first in enumerate(self._first_rows[:-1]):
            if first >= len(self.positions):
                return
            try:
                columns = self._groups.read(number, [*names, *(name for parts in FORCES for name in parts)])
            except UnreadableError as error:
                if number == 0:
                    raise
                self._end_before(int(first), str(error), say)
                return
            bad = [(int(np.argmin(finite)), name) for name, values in columns.items() if not (finite := np.isfinite(values)).all()]
            if bad:
                row, name = min(bad)
                self._end_before(int(first) + row, f"{self.file}: row {first + row}: {name} is not finite", say)
                return

    def _end_before(self, row: int, problem: str, say: Callable[[str], None]) -> None:
        """End the recording before a row. Raises ConfigError: it is the first one."""
        if row == 0:
            raise ConfigError(self.file, "", "no row that can be drawn", "a log with at least one row")
        if row < len(self.positions):
            self.positions, self.times, self.cuts = self.positions[:row], self.times[:row], self.cuts[:row]
            say(f"{problem}; the recording ends at {self.times[-1]:.1f} s")

    def _locate(self, row: int) -> tuple[_Group, int]:
        """Return the group of a row, and the place in it."""
        number = int(np.searchsorted(self._first_rows, row, side="right")) - 1
        group = self._cache.pop(number, None) or self._load(number)
        self._cache[number] = group
        while len(self._cache) > CACHED_GROUPS:
            self._cache.popitem(last=False)
        return group, row - int(self._first_rows[number])

    def _load(self, number: int) -> _Group:
        tables = (("", self.parts.vehicle.readout_table), ("command_", COMMAND), ("platform_", PLATFORM), *self._others)
        channels = [(table, _columns(prefix, table)) for prefix, table in tables]
        names = [column.name for _, columns in channels for column in columns]
        read_columns = self._groups.read(number, [*names, *OPTIONAL_COLUMNS, *self._dashboard.columns])
        rows = self._groups.rows[number]
        out: list[NDArray[Any]] = []
        for table, columns in channels:
            records = record(table, rows)
            content = records.view(np.uint8).reshape(rows, -1)
            for column in columns:
                values = read_columns.get(column.name)
                if values is None:
                    values = np.full(rows, np.nan if column.field in LINKS else 0, column.kind)
                at = slice(column.offset, column.offset + column.kind.itemsize)
                content[:, at] = np.ascontiguousarray(values, column.kind).view(np.uint8).reshape(rows, -1)
            out.append(records)
        readout, command, platform, *vehicles = out
        more = {name: read_columns[name] for name in (*OPTIONAL_COLUMNS, *self._dashboard.columns) if name in read_columns}
        return _Group(readout, command, platform, more, vehicles)

    def _fill(self, row: int, out: Record) -> None:
        """Fill a record of `state_table` with a row."""
        group, k = self._locate(row)
        s, command, platform = out[0], group.command[k], group.platform[k]
        content, readout = out.view(np.uint8), group.readout[k : k + 1].view(np.uint8)  # the record begins with the readout
        content[: len(readout)], content[len(readout) :] = readout, 0
        s["selector"], s["parking_brake"] = command["selector"], command["parking_brake"] > PULLED_FRACTION
        s["real_time_factor"], s["message"] = 1.0, b""
        s["turn_signals"] = group.columns["turn_signals"][k] if "turn_signals" in group.columns else 0
        self._dashboard.fill_from_log(s, group.columns, k)
        self._fill_platform(s, platform)
        self._fill_motion(s, group.columns, k)

    def _fill_platform(self, s: Any, platform: Any) -> None:
        R = np.empty((3, 3))
        rotation_of_euler(platform["roll"], platform["pitch"], platform["yaw"], R)
        quaternion_of_rotation(R, s["q_platform"])
        p = self.parts.cueing.platform[0]
        s["p_platform"], s["legs"] = platform["p_NP"], platform["legs"]
        s["leg_use"] = (platform["legs"] - p["shortest_leg"]) / (p["longest_leg"] - p["shortest_leg"])
        s["has_platform"] = bool(np.any(platform["legs"])) and self.log.about.get("platform", "-") != ""

    def _fill_motion(self, s: Any, columns: Mapping[str, NDArray[Any]], k: int) -> None:
        s["intensity"] = columns["cueing_intensity"][k] if "cueing_intensity" in columns else 1.0
        for name, parts in FELT_COLUMNS.items():
            if all(one in columns for one in parts):
                s[name] = [columns[one][k] for one in parts]
                s[name][2] -= self.parts.gravity


def _columns(prefix: str, table: Table) -> Sequence[Channel]:
    """Return the columns of a record with this table."""
    return Channels([(prefix, table, record(table))]).columns


def _six(force: str, rate: str) -> tuple[str, ...]:
    return tuple(f"{field}_{axis}" for field in (force, rate) for axis in "xyz")


FELT_COLUMNS = {"car_feels": _six("f_H_B", "w_WB_B"), "cab_feels": _six("cab_f_H_P", "cab_w_NP_P")}
"""Columns of the motions in EXTRAS."""
FORCES = tuple(tuple(f"{field}_{axis}" for axis in "xyz") for field in ("body_contact_force_B", "collision_force_B"))
"""Columns of the forces on the body."""
OPTIONAL_COLUMNS = ("cueing_intensity", "turn_signals", *(name for names in (*FELT_COLUMNS.values(), *FORCES) for name in names))
"""Columns that a replay shows if the log has them."""


def _missing(fields: tuple[str, ...], names: tuple[str, ...]) -> list[str]:
    """Return the fields without a column."""
    there = set(names)
    return [field for field in fields if field not in there and not any(name.startswith(f"{field}_") for name in names)]
