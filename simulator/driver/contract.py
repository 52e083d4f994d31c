"""What a driver is that is no person: whoever fills the command from what the vehicle does.

A driver from outside works beside the ticks (`simulator.base.plugin_thread`): what it answers to one look counts from its next look on, 10 ms
later, in real time or not. One that raises, is slow or gives a command that is not finite ends the drive, as any driver does who fails; the
platform parks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.fields import from_mapping
from simulator.base.plugin_thread import PluginThread
from simulator.base.records import Ranges, Record, Table, record
from simulator.base.registry import making
from simulator.driver.input_devices.contract import sound_command
from simulator.driver.internal_model import InternalModel
from terrain.ground import Ground
from vehicles.command import COMMAND

CONTRACT = 1
"""Version of what stands above and of the classes below."""


class Driver(Protocol):
    """Who gives the command."""

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at simulated time t [s] from the READOUT record."""


class Maneuver(Protocol):
    """What a maneuver is asked for here."""

    def driver(self, spawn: tuple[float, float, float], traits: InternalModel | None = None) -> Driver:
        """The driver of it, from a start (x, y, yaw) on, in a vehicle of such traits."""


@dataclass(frozen=True)
class DriverSettings:
    """What a driver is made of."""

    parameters: Record
    """Of the kind's own table."""
    ground: Ground
    """With its roads."""
    maneuver: Maneuver | None
    """The maneuver that was asked for, for kinds that follow one."""
    random: np.random.Generator
    """Random numbers of its own, of the session's seed."""
    traits: InternalModel = field(default_factory=InternalModel)
    """What a driver knows of the vehicle."""


@dataclass(frozen=True)
class DriverKind:
    """A driver as it is registered."""

    name: str
    make: Callable[[DriverSettings], Driver]
    contract: int
    """CONTRACT it was written for."""
    follows_maneuver: bool = False
    """It wants a maneuver, whose terrain and duration then count where nothing else is said."""
    parameters: Table = ()
    """Of its own."""
    ranges: Ranges = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    meaning: str = ""
    """One line for a list of drivers."""


def make_driver(kind: DriverKind, settings: DriverSettings, ours: bool, paced: bool) -> Driver:
    """A driver, one from outside in its own thread; `paced`: in real time. Raises JounceError: it cannot be made."""
    with making(f"driver {kind.name}"):
        driver = kind.make(settings)
    return driver if ours else DriverRunner(kind.name, driver, paced)


def driver_parameters(kind: DriverKind, said: Mapping[str, Any], file: object) -> Record:
    """Its own parameters as a mapping says. Raises ConfigError."""
    return from_mapping(kind.parameters, said, file, "", kind.defaults, kind.ranges)


class DriverRunner:
    """A driver from outside, as the session sees it."""

    def __init__(self, name: str, driver: Driver, paced: bool) -> None:
        self._driver, self._wait = driver, not paced
        self._command, self._filled = record(COMMAND), record(COMMAND)
        self._aside = PluginThread(f"driver {name}", self._read)

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the command with what the last look brought. Raises JounceError once the driver was dropped."""
        answer = self._aside.answer(self._wait)
        if answer is not None:
            self._command = answer
        if self._aside.trouble:
            raise JounceError(self._aside.trouble)
        command[:] = self._command
        self._aside.ask(t, readout.copy())

    def close(self) -> None:
        """End its thread."""
        self._aside.close()

    def _read(self, t: float, readout: Record) -> Record:
        """In its thread."""
        self._driver.read(t, readout, self._filled)
        return sound_command(self._filled)
