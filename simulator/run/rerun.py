"""`jounce rerun`: re-simulation of a run from its log, with a bitwise comparison."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from simulator.assistance.assistance import RAW
from simulator.base.console import print_error, print_line
from simulator.base.errors import NOTHING, ConfigError
from simulator.base.json_output import json_text
from simulator.base.machine import version
from simulator.base.progress_bar import TimeProgress
from simulator.base.signals import StopOrExit, on_signal, signal_message
from simulator.builder.builder import build
from simulator.builder.session_parts import SessionParts
from simulator.builder.warm_up import compile_kernels
from simulator.configuration.configuration import Configuration
from simulator.driver.contract import Driver, SensingDriver
from simulator.driver.driver_seat import DriverChoice
from simulator.driver.kinds import FOLLOWER
from simulator.driver.make_driver import without_a_person
from simulator.driver.path import Spawn
from simulator.maneuvers.replay_driver import RecordedDriver
from simulator.run import vehicle_changes
from simulator.run.event_replay import EventReplay
from simulator.run.folder import RunFolder
from simulator.run.object_changes import KEY, apply_due, read_changes
from simulator.run.run_configuration import DRIVERS, DROPPED, JOINED, open_log, read_recorded
from simulator.session import DRIVER_PERIOD, Session
from simulator.session_vehicles import OtherVehicle
from simulator.telemetry.event_file import read_events
from simulator.telemetry.metadata import whole_number
from simulator.telemetry.recover import LogInfo
from simulator.telemetry.run_folder import EVENTS, events_of
from simulator.telemetry.sensor_file.compare import SensorComparison, compare_files
from simulator.telemetry.writer import PARQUET_NAME, LogOptions, read_telemetry
from vehicles.command import COMMAND

NEEDED = ("time", *(f"command_{name}" for name, *_ in COMMAND))
"""Columns that the rerun of a run with a human driver needs."""
OF_DRIVER = (*(f"driver_{name}" for name in RAW), "driver_deliberate")
"""Columns that it needs in addition with driver assistance: the commands before the assistance has changed them."""

TICKS_BETWEEN = 100
"""Ticks between two updates of the progress bar."""


def main_rerun(path: str, out: str | None, to_json: bool) -> int:
    """Run `jounce rerun`; exit code 1 if a number differs or a signal ended the run, else 0."""
    say = print_error if to_json else print_line
    log, configuration = read_recorded(Path(path))
    recorded_with = configuration.layer.recorded.get("version")
    if recorded_with != version():
        print_error(f"the run was recorded with version {recorded_with}, this is {version()}; numbers may differ")
    if log.about.get(DROPPED):
        print_error(f"the run has dropped a part, which the rerun does not repeat; its numbers may differ ({log.about[DROPPED]})")
    recorded_columns = read_telemetry(log.file, wall=False)
    if "time" not in recorded_columns:
        raise ConfigError(log.file, "time", NOTHING, "a log with the column time")
    compile_kernels(say)
    with TimeProgress("rerun", shown=not to_json and sys.stderr.isatty()) as progress:
        folder = rerun(log, configuration, recorded_columns, Path(out) if out else None, progress)
        progress.stage("comparing")
        again = read_telemetry(folder / PARQUET_NAME, wall=False)
        again = with_late_measurements(again, recorded_columns)
        other_renderer = rendered_otherwise(recorded_columns, again)
        planned = planner_columns(recorded_columns, again)
        differ = [name for name in differences(recorded_columns, again) if name not in {*other_renderer, *planned}]
        sensors = compare_files(log.file, folder / PARQUET_NAME)
    if other_renderer:
        print_error(f"images were rendered by another renderer and are not compared ({', '.join(other_renderer)})")
    if planned:
        print_error(f"{len(planned)} columns of the planner are not compared: the rerun repeats its commands")
    rows = len(recorded_columns["time"])
    if to_json:
        summary = {
            "rows": rows,
            "columns": len(recorded_columns),
            "differ": differ,
            "sensors": None if sensors is None else sensors.to_json(),
        }
        print(json_text({"folder": str(folder), "of": str(log.file), **summary}))
    elif differ:
        first = ", ".join(differ[:5]) + (f" and {len(differ) - 5} more" if len(differ) > 5 else "")
        print_error(f"{len(differ)} of {len(recorded_columns)} columns differ ({first}); the new log is in {folder}")
    else:
        print_line(f"{rows} rows of {len(recorded_columns)} columns are bitwise equal; the new log is in {folder}")
    if sensors is not None and not to_json:
        _print_sensors(sensors)
    return 1 if differ or (sensors is not None and sensors.differ) else 0


def _print_sensors(sensors: SensorComparison) -> None:
    for line in (*sensors.differ, *sensors.notes):
        print_error(f"sensor data: {line}")
    if sensors.topics and not sensors.differ:
        print_line(f"sensor data: {sensors.messages} messages of {sensors.topics} topics are bitwise equal")


def rerun(
    log: LogInfo,
    configuration: Configuration,
    columns: dict[str, Any],
    out: Path | None,
    progress: Callable[[float, float], None] = lambda t, end: None,
) -> Path:
    """Simulate a run again to the end of its log, and return the folder of the new log.

    Parameters
    ----------
    columns : columns of the log by name
    progress : called with simulated time and duration [s]

    Raises
    ------
    ConfigError : a binary file of the run has changed, or the log does not contain all commands of a person
    Ended : a signal ended the run
    """
    parts, events = build(configuration), read_events(log.file)
    place = _Place()
    choices = _choices(parts, log, columns, events is not None, place)
    driver = choices[0].make(None)
    session = parts.session(driver)
    session.seat.offer_choices(choices)
    place.session = session
    vehicle_changes.prepare(parts, session, comings := vehicle_changes.read_changes(log.about, log.file))
    recorded = _repeat_others(parts, session, columns, place)
    session.reset()
    session.warm()
    folder = RunFolder(out)
    armed, raised = (bool(configuration.layer.recorded.get(name)) for name in ("armed", "raised"))
    stop_request = StopOrExit()
    try:
        with on_signal(stop_request):
            try:
                about = {"rerun_of": str(log.file), "driver": parts.options.driver.name, **_same(log, DRIVERS)}
                new = open_log(parts, session, folder, armed, LogOptions(about=about), raised)
                folder.began()
                replay = EventReplay(session, events or (), events_of(log.file))
                for other in recorded:
                    if other.seat is not None and isinstance(other.seat.driver, RecordedDriver):
                        other.seat.driver.begin(other.command)
                _begin_as_recorded(session, driver, replay, armed, raised)
                joined = None if armed or raised else joining_tick(log, columns, new.every)
                if joined is not None:
                    new.writer.about[JOINED] = str(joined)
                changes = read_changes(log.about, log.file)
                ticks = (len(columns["time"]) - 1) * new.every
                changing = partial(apply_due, session, changes), partial(vehicle_changes.apply_due, session, comings)
                _advance_to_end(session, replay, changing, ticks, joined if events is None else None, stop_request, progress)
                for key in (KEY, vehicle_changes.KEY):
                    new.writer.about.update(_same(log, key))
                if stop_request.first is not None:
                    new.writer.ended = signal_message(stop_request.first)
            finally:
                session.close()
                folder.abandon()
        stop_request.raise_if_requested()
    finally:
        folder.release()
    return folder.path


def _begin_as_recorded(session: Session, driver: Driver | SensingDriver, replay: EventReplay, armed: bool, raised: bool) -> None:
    """Arm and raise the platform as in the recorded run, fill the first recorded command, and publish the state."""
    if armed or raised:
        session.cueing.procedure.arm()
    if raised:
        replay.rise()
    if isinstance(driver, RecordedDriver):
        driver.begin(session.command)
    session.publish()


def _advance_to_end(
    session: Session,
    replay: EventReplay,
    changing: Sequence[Callable[[], None]],
    ticks: int,
    joined: int | None,
    stop_request: StopOrExit,
    progress: Callable[[float, float], None],
) -> None:
    """Advance to the last tick of the log or to the request of a stop, with the recorded events; `changing` applies the other changes of a tick.

    `joined` is the tick at which the platform joins, if no event does this.
    """
    # tick by tick, as in real time: the effect of an incident begins with the next tick
    while session.tick < ticks and not stop_request.poll():
        if session.tick == joined:
            session.cueing.procedure.arm()
        replay.serve()
        for change in changing:
            change()
        session.advance(1)
        if session.tick % TICKS_BETWEEN == 0:
            progress(session.time, ticks * session.h)
    replay.serve()


def joining_tick(log: LogInfo, columns: dict[str, Any], ticks_per_row: int) -> int | None:
    """Return the tick at which the platform joined a drive that had begun without it; None if it did not.

    The log of a killed run has no entry for it. A platform joins at the end of a driver period, so that the last row of a platform that is
    off gives the tick, unless the rows are further apart.
    """
    if JOINED in log.about:
        return whole_number(log.about, JOINED, log.file)
    up = np.flatnonzero(columns.get("platform_state", ()))
    return (int(up[0]) - 1) * ticks_per_row if len(up) else None


def _same(log: LogInfo, key: str) -> dict[str, str]:
    return {key: log.about[key]} if key in log.about else {}


class _Place:
    """Place in the log at which a rerun is."""

    session: Session | None = None

    @property
    def row(self) -> int:
        """Row with the command that applies now, with one row for each call of the driver."""
        session = self.session
        return 0 if session is None or session.waits else session.tick // session.driver_every


def _choices(parts: SessionParts, log: LogInfo, columns: dict[str, Any], has_events: bool, place: _Place) -> list[DriverChoice]:
    """Return the drivers of a rerun: that of the maneuver drives again, those of all other ones are the commands in the log.

    A driver to a goal depends in real time on the speed of its mapper and planner. Raises ConfigError: a log without all commands.
    """
    in_real_time = DRIVERS in log.about
    names = log.about[DRIVERS].split(", ") if in_real_time else [without_a_person(parts.options.driver).name]
    to_a_goal = in_real_time and parts.maneuver is not None and parts.maneuver.task is not None
    repeated = {name for name in names if name == FOLLOWER and parts.maneuver is not None and not to_a_goal}
    commands = None if repeated.issuperset(names) else _recorded_commands(parts, log, columns, has_events)

    def recorded(here: Spawn | None) -> RecordedDriver:
        assert commands is not None
        return _recorded_driver(commands, place)

    return [DriverChoice(name, parts.maneuver_driver if name in repeated else recorded, blends=name in repeated) for name in names]


def _repeat_others(parts: SessionParts, session: Session, columns: dict[str, Any], place: _Place) -> list[OtherVehicle]:
    """Let those of the other vehicles whose drivers may do something else repeat the commands in the log, if it has them; return these vehicles."""
    stride = round(parts.options.log.rate * DRIVER_PERIOD)
    found = []
    for one in session.others.vehicles:
        names = {name: f"{one.name}_{name}" for name in NEEDED[1:]}
        if stride >= 1 and not one.drives_again and all(name in columns for name in names.values()):
            commands = {name: columns[own][::stride] for name, own in names.items()}
            one.make_driver = partial(_recorded_driver, commands, place)
            found.append(one)
    return found


def _recorded_driver(commands: dict[str, Any], place: _Place) -> RecordedDriver:
    """Return a driver that repeats commands from the present row on."""
    return RecordedDriver(commands, place.row)


def _recorded_commands(parts: SessionParts, log: LogInfo, columns: dict[str, Any], has_events: bool) -> dict[str, Any]:
    """Return the columns with the recorded commands of a person or a plugin driver. Raises ConfigError: the log does not contain all that is
    needed."""
    assisted = () if parts.options.assistance is None else tuple(f"assistance_{name}" for name in OF_DRIVER)
    missing = [name for name in (*NEEDED, *assisted) if name not in columns]
    if missing:
        expected = f"channels with {', '.join(missing)}, needed to repeat the commands of a person"
        raise ConfigError(log.file, "outlets.telemetry.channels", list(parts.options.log.channels), expected)
    for name, what in (("resets", "resets"), ("paused", "pauses")) if not has_events else ():
        if np.any(columns.get(name, 0)):
            expected = f"a run without {what}, or one with the file of its events, {EVENTS}, which contains their ticks"
            raise ConfigError(log.file, name, int(columns[name].max()), expected)
    if parts.options.log.rate < 1.0 / DRIVER_PERIOD:
        expected = f"{1.0 / DRIVER_PERIOD:g} rows per second or more, one for each command of a person"
        raise ConfigError(log.file, "outlets.telemetry.rate", parts.options.log.rate, expected)
    stride = round(parts.options.log.rate * DRIVER_PERIOD)
    return {name: column[::stride] for name, column in columns.items()}


def with_late_measurements(columns: dict[str, Any], recorded: dict[str, Any]) -> dict[str, Any]:
    """Return columns in which each row has the measurement that the same row of a log has.

    A rerun delivers all measurements in time. In a drive in real time, a sensor may have been late. Rows with a measurement that the rerun has
    in no row keep theirs.
    """
    out = dict(columns)
    sensors = [name.removesuffix("_sampled") for name in columns if name.endswith("_sampled") and name in recorded]
    for sensor in sensors:
        times, late = columns[f"{sensor}_sampled"], recorded[f"{sensor}_sampled"]
        if times.tobytes() == late.tobytes():
            continue
        order = np.argsort(times, kind="stable")
        at = order[np.minimum(np.searchsorted(times[order], late), len(order) - 1)]
        is_same = (times[at] == late) | (np.isnan(times[at]) & np.isnan(late))
        rows = np.where(is_same, at, np.arange(len(times)))
        others = tuple(f"{one}_" for one in sensors if one.startswith(f"{sensor}_"))
        own = (name for name in columns if name.startswith(f"{sensor}_") and not name.startswith(others))
        out |= {name: columns[name][rows] for name in own}
    return out


def rendered_otherwise(first: dict[str, Any], second: dict[str, Any]) -> list[str]:
    """Return the columns of cameras whose images two renderers have made: images are bitwise equal only by the same renderer."""
    cameras = [name.removesuffix("renderer") for name in first if name.endswith("_renderer") and name in second]
    return [
        prefix + column
        for prefix in cameras
        for column in ("rendered", "renderer", "color_crc", "object_crc")
        if not np.array_equal(first[prefix + "renderer"], second[prefix + "renderer"]) and prefix + column in first
    ]


def planner_columns(first: dict[str, Any], second: dict[str, Any]) -> list[str]:
    """Return the columns of a planner whose commands the rerun has taken from the log."""
    return [name for name in first if name.startswith("planner_") and name not in second]


def differences(first: dict[str, Any], second: dict[str, Any]) -> list[str]:
    """Return the names of the columns that are not bitwise equal or exist in one log only."""
    return [
        name
        for name in dict.fromkeys((*first, *second))
        if name not in first
        or name not in second
        or first[name].dtype != second[name].dtype
        or first[name].tobytes() != second[name].tobytes()
    ]
