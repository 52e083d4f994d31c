"""`jounce rerun`: a run made once more out of its log alone, and compared with it bit for bit."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.console import print_error, print_line
from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.base.machine import version
from simulator.base.progress_bar import TimeProgress
from simulator.base.records import Record
from simulator.base.signals import StopRequest, on_signal, words
from simulator.builder.builder import SessionParts, build
from simulator.builder.warm_up import compile_kernels
from simulator.configuration.configuration import Configuration
from simulator.driver.kinds import FOLLOWER
from simulator.driver.make_driver import without_a_person
from simulator.run.folder import RunFolder
from simulator.run.run_configuration import open_log, read_recorded
from simulator.session import DRIVER_PERIOD, Driver
from simulator.telemetry.recover import LogInfo
from simulator.telemetry.writer import PARQUET_NAME, LogOptions, read_telemetry
from vehicles.command import COMMAND

NEEDED = ("time", "resets", "paused", "incident", *(f"command_{name}" for name, *_ in COMMAND))
"""Columns without which what a person drove cannot be driven again."""

TICKS_BETWEEN = 100
"""Ticks between two updates of the progress bar."""


class RecordedDriver:
    """Gives the commands of a log again, in which each stands beside the state that it led to.

    Parameters
    ----------
    columns : of the log, by name
    """

    def __init__(self, columns: dict[str, Any]) -> None:
        self._commands = {name: columns[f"command_{name}"] for name, *_ in COMMAND}
        self._last = len(columns["time"]) - 1
        self._next = 0

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the command that was held from t on."""
        self._next = min(self._next + 1, self._last)
        for name, column in self._commands.items():
            command[0][name] = column[self._next]


def main_rerun(place: str, out: str | None, to_json: bool) -> int:
    """Command line of `jounce rerun`; exit code 1 when a number differs, or the run was ended by a signal, else 0."""
    say = print_error if to_json else print_line
    log, configuration = read_recorded(Path(place))
    made_with = configuration.recorded.get("version")
    if made_with != version():
        print_error(f"the run was made with version {made_with}, this is {version()}: numbers may differ")
    before = read_telemetry(log.file, wall=False)
    compile_kernels(say)
    with TimeProgress("rerun", shown=not to_json and sys.stderr.isatty()) as progress:
        folder = rerun(log, configuration, before, Path(out) if out else None, progress)
        progress.stage("comparing")
        differ = differences(before, read_telemetry(folder / PARQUET_NAME, wall=False))
    rows = len(before["time"])
    if to_json:
        print(json_text({"folder": str(folder), "of": str(log.file), "rows": rows, "columns": len(before), "differ": differ}))
    elif differ:
        first = ", ".join(differ[:5]) + (f" and {len(differ) - 5} more" if len(differ) > 5 else "")
        print_error(f"{len(differ)} of {len(before)} columns differ: {first}; the new log is in {folder}")
    else:
        print_line(f"{rows} rows of {len(before)} columns are the same bit for bit; the new log is in {folder}")
    return 1 if differ else 0


def rerun(
    log: LogInfo,
    configuration: Configuration,
    columns: dict[str, Any],
    out: Path | None,
    progress: Callable[[float, float], None] = lambda t, end: None,
) -> Path:
    """Drive once more to where the log ends, and log into a folder, which is returned.

    Parameters
    ----------
    columns : of the log, by name
    progress : called with simulated time and duration [s]

    Raises
    ------
    ConfigError : a file that the run read and that is no text has changed, or somebody drove who took hold of more than the controls
    Ended : by a signal
    """
    parts = build(configuration)
    driver = _driver(parts, log, columns)
    session = parts.session(driver)
    session.reset()
    session.warm()
    folder = RunFolder(out)
    armed, raised = (bool(configuration.recorded.get(name)) for name in ("armed", "raised"))
    asked = StopRequest()
    try:
        with on_signal(asked):
            try:
                about = {"rerun_of": str(log.file), "driver": parts.options.driver.name}
                new = open_log(parts, session, folder, armed, LogOptions(about=about), raised)
                folder.began()
                if raised:
                    parts.cueing.arm()
                    session.raise_platform()
                session.publish()
                if armed:
                    parts.cueing.arm()
                # one by one, as in real time: what an incident leads to begins with the next tick
                ticks = (len(columns["time"]) - 1) * new.every
                while session.tick < ticks and asked.first is None:
                    session.advance(1)
                    if session.tick % TICKS_BETWEEN == 0:
                        progress(session.time, ticks * session.h)
                if asked.first is not None:
                    new.writer.ended = words(asked.first)
            finally:
                session.close()
                folder.abandon()
        asked.raise_if_asked()
    finally:
        folder.release()
    return folder.path


def _driver(parts: SessionParts, log: LogInfo, columns: dict[str, Any]) -> Driver:
    """Who drove: the maneuver, or the commands that a person or a driver from outside gave. Raises ConfigError."""
    if parts.maneuver is not None and without_a_person(parts.options.driver).name == FOLLOWER:
        return parts.maneuver.driver(parts.ground.spawn, parts.traits)
    missing = [name for name in NEEDED if name not in columns]
    if missing:
        expected = f"{', '.join(missing)} among them: a drive of a person is made again out of what was asked for"
        raise ConfigError(log.file, "outlets.telemetry.channels", list(parts.options.log.channels), expected)
    for name, what in (("resets", "resets"), ("paused", "pauses"), ("incident", "incidents")):
        if np.any(columns[name]):
            expected = f"a drive without {what}: when a person began again, paused or was held is not in the log to the tick"
            raise ConfigError(log.file, name, int(columns[name].max()), expected)
    if parts.options.log.rate < 1.0 / DRIVER_PERIOD:
        expected = f"{1.0 / DRIVER_PERIOD:g} rows a second at least, one for each command of a person"
        raise ConfigError(log.file, "outlets.telemetry.rate", parts.options.log.rate, expected)
    stride = round(parts.options.log.rate * DRIVER_PERIOD)
    return RecordedDriver({name: column[::stride] for name, column in columns.items()})


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Names of the columns that are not the same bit for bit, or that only one log has."""
    return [
        name
        for name in dict.fromkeys((*one, *other))
        if name not in one or name not in other or one[name].dtype != other[name].dtype or one[name].tobytes() != other[name].tobytes()
    ]
