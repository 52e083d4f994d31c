"""Driver `replay`: repeats the commands of a recorded run, one row of its log for each call."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from simulator.assistance.assistance import RAW
from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Text
from simulator.base.records import Record
from simulator.driver.contract import CONTRACT, Driver, DriverKind, DriverSettings
from simulator.maneuvers.maneuver_file import DRIVER_PERIOD
from simulator.telemetry.parquet import read_telemetry
from vehicles.command import COMMAND

NAMES = tuple(name for name, *_ in COMMAND)
"""Parts of a command."""
PARAMETERS = (
    Field("run", Text("the folder of a run, or its telemetry file"), "run whose commands are repeated"),
    Field("vehicle", Text("a name"), "vehicle of that run (default: its first vehicle)", None),
)
CACHED_RUNS = 8
DELIBERATE = "assistance_driver_deliberate"
"""Column of a run with driver assistance, which changes commands; the log has those of the driver, too."""


class RecordedDriver:
    """Driver that repeats the commands of a log; each command is in the row of the state that it caused.

    Parameters
    ----------
    columns : columns of the log by name
    row : of the command that applies now
    prefix : of the columns of the command
    """

    label = "recorded driver"
    """Name of the driver in messages."""

    def __init__(self, columns: dict[str, Any], row: int = 0, prefix: str = "command_") -> None:
        own = {name: f"assistance_driver_{name}" for name in RAW if prefix == "command_" and f"assistance_driver_{name}" in columns}
        self._commands = {name: columns[own.get(name, prefix + name)] for name in NAMES}
        self._deliberate = columns.get(DELIBERATE)
        self._last = len(self._commands[NAMES[0]]) - 1
        self._next = row

    @property
    def overrides_assistance(self) -> bool:
        """Whether the throttle of the recorded driver overrides driver assistance."""
        return self._deliberate is None or bool(self._deliberate[self._next])

    @property
    def is_over(self) -> bool:
        """Whether the last command was repeated."""
        return self._next >= self._last

    def begin(self, command: Record) -> None:
        """Fill the command before the first tick: that of a person while the platform rose."""
        self._fill(command, 0)

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the command that applied from t on."""
        self._next = min(self._next + 1, self._last)
        self._fill(command, self._next)

    def _fill(self, command: Record, row: int) -> None:
        for name, column in self._commands.items():
            command[0][name] = column[row]


class ReplayDriver:
    """Driver that repeats the commands of a run, and brakes to rest after its end."""

    label = "replay"
    """Name of the driver in messages."""

    def __init__(self, settings: DriverSettings) -> None:
        file, vehicle = Path(str(settings.values["run"])), str(settings.values.get("vehicle") or "")
        self._recorded = RecordedDriver(recorded_commands(file, vehicle, file.stat().st_mtime_ns))

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record."""
        if self._recorded.is_over:
            command[0]["throttle"], command[0]["brake"] = 0.0, 1.0
        else:
            self._recorded.read(t, readout, command)


@lru_cache(CACHED_RUNS)
def recorded_commands(file: Path, vehicle: str, _: int) -> dict[str, Any]:
    """Return the commands of a vehicle in a telemetry file by column, one row for each call of a driver.

    vehicle : its name; empty: the first one; the last argument changes with the file

    Raises ConfigError: the log lacks columns, has too few rows, or contains a pause or a reset.
    """
    prefix = f"{vehicle}_command_" if vehicle else "command_"
    columns = read_telemetry(file)
    missing = [name for name in ("time", *(prefix + name for name in NAMES)) if name not in columns]
    if missing:
        vehicles = sorted(name.removesuffix("_command_throttle") for name in columns if name.endswith("_command_throttle"))
        names = f"; vehicles besides the first one: {', '.join(vehicles) or 'none'}"
        raise ConfigError(file, "", f"no column {missing[0]}", f"a log with the commands of the vehicle{names if vehicle else ''}")
    steps = np.diff(columns["time"])
    period = float(np.median(steps)) if len(steps) else 0.0
    stride = round(DRIVER_PERIOD / period) if period > 0.0 else 0
    if stride < 1 or not np.allclose(steps * stride, DRIVER_PERIOD, rtol=1e-4):
        expected = f"a log without pause or reset, with a whole number of rows in {DRIVER_PERIOD:g} s"
        raise ConfigError(file, "time", f"rows {period:g} s apart, or not evenly", expected)
    return {f"command_{name}": columns[prefix + name][::stride] for name in NAMES}


def _make(settings: DriverSettings) -> Driver:
    return ReplayDriver(settings)


KIND = DriverKind("replay", _make, CONTRACT, parameters=PARAMETERS, meaning="repeats the commands of a recorded run")
