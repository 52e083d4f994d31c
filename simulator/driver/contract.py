"""Contract of automatic drivers: a driver reads the state of the vehicle and the sensors, and fills the command.

A driver has `read(t, readout, command, sensors)`: `sensors` maps the name of each sensor to its last delivered
`simulator.sensors.measurement.Measurement`, whose `age` and `trouble` show a late or a failed sensor. A driver without sensors may have
`read(t, readout, command)`.

A plugin driver runs in its own thread (`simulator.base.plugin_thread`). Its command for one call takes effect at the next call, 10 ms
later, in real time or not. A plugin driver that raises, is too slow or returns a command that is not finite ends the drive, and the
platform parks.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.field_records import filled, rows
from simulator.base.fields import Fields, Number, read
from simulator.base.plugin_thread import PluginThread
from simulator.base.records import Record, record
from simulator.base.registry import making
from simulator.driver.input_devices.contract import checked_command
from simulator.driver.internal_model import InternalModel
from simulator.driver.path import Path
from simulator.sensors.contract import Mount
from simulator.sensors.measurement import Measurement
from terrain.ground import Ground
from vehicles.command import COMMAND
from vehicles.vehicle import Vehicle

CONTRACT = 2
"""Version of this contract."""


class Driver(Protocol):
    """Source of the command."""

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at simulated time t [s] from the READOUT record."""


class SensingDriver(Protocol):
    """Source of the command that reads sensors."""

    def read(self, t: float, readout: Record, command: Record, sensors: Mapping[str, Measurement]) -> None:
        """Fill the COMMAND record at simulated time t [s] from the READOUT record and the measurements."""


@runtime_checkable
class HasKernels(Protocol):
    """Optional part of a driver: kernels that take long to load."""

    def load_kernels(self, readout: Record, command: Record) -> None:
        """Load the kernels for calls with these records; called before a drive, whose first tick would otherwise be late."""


class Maneuver(Protocol):
    """Part of a maneuver that a driver uses."""

    @property
    def has_place(self) -> bool:
        """True if the maneuver has a path or a goal, which stay where they are when its driver takes over during the drive."""

    @property
    def path(self) -> Path | None:
        """Path relative to the start; None without one."""

    def driver(
        self, spawn: tuple[float, float, float], traits: InternalModel | None = None, settings: DriverSettings | None = None
    ) -> Driver | SensingDriver:
        """Return the driver of the maneuver, from a start (x, y, yaw), for a vehicle with these traits.

        A maneuver with a goal needs the settings.
        """


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
    values: Mapping[str, Any] = field(default_factory=dict)
    """Parameters that are no numbers, such as names and sections, by key."""
    vehicle: Vehicle | None = None
    """Vehicle, for its files."""
    paced: bool = False
    """True in real time."""
    seed: int = 0
    """Seed of the session, of which `random` is."""
    mounts: Mapping[str, Mount] = field(default_factory=dict)
    """Position and orientation of each sensor of the session by its name."""
    here: tuple[float, float, float] | None = None
    """Pose (x [m], y [m], yaw [rad]) of a vehicle that the driver takes over during the drive; None: it begins at the start of the ground."""


@dataclass(frozen=True)
class DriverKind:
    """Registered kind of driver."""

    name: str
    make: Callable[[DriverSettings], Driver | SensingDriver]
    contract: int
    """Version of the contract for which the kind was written."""
    follows_maneuver: bool = False
    """True if the driver needs a maneuver, whose terrain and duration are then the defaults."""
    parameters: Fields = ()
    """Table of the kind's own parameters. Numbers are in `DriverSettings.parameters`, all others in `DriverSettings.values`."""
    meaning: str = ""
    """Description for a list of drivers, one line."""


def make_driver(kind: DriverKind, settings: DriverSettings, builtin: bool, paced: bool) -> Driver | SensingDriver:
    """Create a driver, a plugin driver in its own thread; `paced`: in real time. Raises JounceError when the driver cannot be created."""
    with making(f"driver {kind.name}"):
        driver = kind.make(settings)
    if builtin:
        return driver
    return DriverRunner(kind.name, driver, paced)


def reads_sensors(driver: Any) -> TypeGuard[SensingDriver]:
    """Return True if a driver takes the measurements, as the fourth argument of `read`."""
    try:
        inspect.signature(driver.read).bind(0.0, None, None, None)
    except (AttributeError, TypeError, ValueError):
        return False
    return True


def driver_parameters(kind: DriverKind, given_values: Mapping[str, Any], file: object) -> tuple[Record, dict[str, Any]]:
    """Return the kind's own parameters: numbers as a record, all others by key. Raises ConfigError."""
    numbers = tuple(one for one in kind.parameters if isinstance(one.kind, Number))
    values = read(kind.parameters, given_values, file)
    return filled(rows(numbers), values), {
        one.name: values[one.name] for one in kind.parameters if one not in numbers and one.name in values
    }


class DriverRunner:
    """Adapter of a plugin driver to the driver interface of the session."""

    label = "driver"
    """Name of the driver in messages."""

    def __init__(self, name: str, driver: Driver | SensingDriver, paced: bool) -> None:
        self._driver, self._wait = driver, not paced
        self._senses = reads_sensors(driver)
        self._command, self._filled = record(COMMAND), record(COMMAND)
        self._thread = PluginThread(f"driver {name}", self._read)

    def read(self, t: float, readout: Record, command: Record, sensors: Mapping[str, Measurement]) -> None:
        """Fill the command with the result of the previous call. Raises JounceError when the driver has failed."""
        result = self._thread.result(self._wait)
        if result is not None:
            self._command = result
        if self._thread.error:
            raise JounceError(self._thread.error)
        command[:] = self._command
        self._thread.submit(t, readout.copy(), dict(sensors) if self._senses else None)

    def close(self) -> None:
        """End the thread of the driver."""
        self._thread.close()

    def _read(self, t: float, readout: Record, sensors: Mapping[str, Measurement] | None) -> Record:
        """Call the driver; runs in its thread."""
        arguments = () if sensors is None else (sensors,)
        self._driver.read(t, readout, self._filled, *arguments)
        return checked_command(self._filled)
