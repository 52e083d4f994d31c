"""Contract of automatic drivers: a driver reads the state of the vehicle and fills the command.

A plugin driver runs in its own thread (`simulator.base.plugin_thread`). Its command for one call takes effect at the next call, 10 ms
later, in real time or not. A plugin driver that raises, is too slow or returns a command that is not finite ends the drive, and the
platform parks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.field_records import parameters_of
from simulator.base.fields import Fields
from simulator.base.old_parameters import accepts_rows
from simulator.base.plugin_thread import PluginThread
from simulator.base.records import Record, record
from simulator.base.registry import making
from simulator.driver.input_devices.contract import checked_command
from simulator.driver.internal_model import InternalModel
from terrain.ground import Ground
from vehicles.command import COMMAND

CONTRACT = 1
"""Version of the rules above and of the classes below."""


class Driver(Protocol):
    """Source of the command."""

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at simulated time t [s] from the READOUT record."""


class Maneuver(Protocol):
    """Part of a maneuver that a driver uses."""

    def driver(self, spawn: tuple[float, float, float], traits: InternalModel | None = None) -> Driver:
        """Return the driver of the maneuver, from a start (x, y, yaw), for a vehicle with these traits."""


@dataclass(frozen=True)
class DriverSettings:
    """Inputs for creating a driver."""

    parameters: Record
    """Parameters, of the table of the kind."""
    ground: Ground
    """Ground with its roads."""
    maneuver: Maneuver | None
    """Requested maneuver, for kinds that follow one."""
    random: np.random.Generator
    """Random numbers of this driver, from the seed of the session."""
    traits: InternalModel = field(default_factory=InternalModel)
    """The driver's internal model of the vehicle."""


@accepts_rows(defaults_after="ranges")
@dataclass(frozen=True)
class DriverKind:
    """Registered kind of driver."""

    name: str
    make: Callable[[DriverSettings], Driver]
    contract: int
    """Value of CONTRACT for which the kind was written."""
    follows_maneuver: bool = False
    """True if the driver needs a maneuver, whose terrain and duration are then the defaults."""
    parameters: Fields = ()
    """Table of the kind's own parameters, numbers."""
    meaning: str = ""
    """Description for a list of drivers, one line."""


def make_driver(kind: DriverKind, settings: DriverSettings, builtin: bool, paced: bool) -> Driver:
    """Create a driver, a plugin driver in its own thread; `paced`: in real time. Raises JounceError when the driver cannot be created."""
    with making(f"driver {kind.name}"):
        driver = kind.make(settings)
    return driver if builtin else DriverRunner(kind.name, driver, paced)


def driver_parameters(kind: DriverKind, said: Mapping[str, Any], file: object) -> Record:
    """Return the kind's own parameters as a record. Raises ConfigError."""
    return parameters_of(kind.parameters, said, file)


class DriverRunner:
    """Adapter of a plugin driver to the driver interface of the session."""

    label = "driver"
    """Name of the driver in messages."""

    def __init__(self, name: str, driver: Driver, paced: bool) -> None:
        self._driver, self._wait = driver, not paced
        self._command, self._filled = record(COMMAND), record(COMMAND)
        self._thread = PluginThread(f"driver {name}", self._read)

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the command with the result of the previous call. Raises JounceError when the driver has failed."""
        result = self._thread.result(self._wait)
        if result is not None:
            self._command = result
        if self._thread.error:
            raise JounceError(self._thread.error)
        command[:] = self._command
        self._thread.submit(t, readout.copy())

    def close(self) -> None:
        """End the thread of the driver."""
        self._thread.close()

    def _read(self, t: float, readout: Record) -> Record:
        """Call the driver; runs in its thread."""
        self._driver.read(t, readout, self._filled)
        return checked_command(self._filled)
