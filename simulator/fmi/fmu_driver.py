"""Driver `fmu`: an FMU of others drives. Its inputs are log columns of the vehicle by name, its outputs parts of the command.

At each call of the driver, the FMU gets the present values and takes a step of 10 ms; its outputs are the command from now on. In real
time, the FMU runs in the background, as a driver of a plugin, and its command takes effect at the next call.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.fields import Field, FileName, Named, Text
from simulator.base.records import Record, record
from simulator.driver.command_ranges import RANGES
from simulator.driver.contract import CONTRACT, Driver, DriverKind, DriverRunner, DriverSettings
from simulator.fmi.foreign_unit import ForeignUnit
from simulator.maneuvers.maneuver_file import DRIVER_PERIOD
from simulator.telemetry.channels import Channels, Rows
from vehicles.command import COMMAND
from vehicles.readout import READOUT

PARAMETERS = (
    Field("file", FileName("an FMU (.fmu)"), "FMU for co-simulation, of FMI 2.0 or 3.0"),
    Field(
        "names",
        Named(Text("a log column, or a part of the command"), "names of variables of the FMU"),
        "for variables with other names: the log column of an input, the part of the command of an output",
        {},
    ),
)
COMMANDS = {row[0]: row[2] for row in COMMAND}
"""Units of the parts of the command."""
PREFIX = "command_"
"""Prefix with which outputs may be named, as in the log."""
WHOLE = {row[0] for row in COMMAND if len(row) > 4}
"""Parts of the command that are integers."""


class FmuDriver:
    """Driver from an FMU. Raises ConfigError, JounceError: the FMU cannot be used."""

    label = "fmu"
    """Name of the driver in messages."""

    def __init__(self, settings: DriverSettings) -> None:
        table = READOUT if settings.vehicle is None else settings.vehicle.readout_table
        readout = record(table)
        every = Channels((("", table, readout),))
        outputs = {**COMMANDS, **{PREFIX + name: unit for name, unit in COMMANDS.items()}}
        units = {one.name: one.unit for one in every.columns}
        self._unit = ForeignUnit(Path(settings.values["file"]), units, outputs, settings.values["names"])
        self._unit.open()
        self._readout = readout
        channels = Channels((("", table, readout),), patterns=sorted({one.name for one in self._unit.inputs}) or ["time"])
        self._columns, self._row = channels.columns, np.zeros((1, channels.row_bytes), np.uint8)
        self._rows = Rows(channels, self._row)
        self._begun_at: float | None = None

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at simulated time t [s]."""
        self._readout[:] = readout
        self._rows.put(0)
        values = {one.name: float(self._row[0, one.offset : one.offset + one.kind.itemsize].view(one.kind)[0]) for one in self._columns}
        if self._begun_at is None or t < self._next - 0.5 * DRIVER_PERIOD:
            self._begun_at = t
            self._unit.begin(t, values)
        outputs = self._unit.step(t, DRIVER_PERIOD, values)
        self._next = t + DRIVER_PERIOD
        command[0]["selector"] = 1
        for name, value in outputs.items():
            part = name.removeprefix(PREFIX)
            if not math.isfinite(value):
                raise JounceError(f"output {name} of the FMU is not finite at {t:.2f} s")
            low, high = RANGES[part]
            command[0][part] = min(max(round(value) if part in WHOLE else value, low), high)

    _next = 0.0

    def close(self) -> None:
        """End the FMU."""
        self._unit.close()


class PacedFmuDriver(DriverRunner):
    """Driver from an FMU in real time, in a thread of its own: a slow FMU delays no tick."""

    def __init__(self, driver: FmuDriver) -> None:
        super().__init__("fmu", driver, paced=True)
        self._own = driver

    def close(self) -> None:
        """End the thread, then the FMU."""
        super().close()
        self._own.close()


def _make(settings: DriverSettings) -> Driver | PacedFmuDriver:
    driver = FmuDriver(settings)
    return PacedFmuDriver(driver) if settings.paced else driver


KIND = DriverKind("fmu", _make, CONTRACT, parameters=PARAMETERS, meaning="an FMU for co-simulation (FMI 2.0, 3.0) drives")
"""Create a driver from its name."""
