"""Contract of sensors: a sensor is mounted on the chassis, measures at its own rate and fills a record, whose fields become log columns.

A kind defines the table of its parameters, the table of its output, and `make`. Every sensor also has these keys, which a kind does not
define:

    type, name   name of the kind, and name of the sensor (default: type), which is the prefix of its log columns
    rate         Hz, divides the ticks per second
    mount        `position` (3,) [m] from the chassis reference point, in B, and `roll_deg`, `pitch_deg`, `yaw_deg` of the sensor axes S

A built-in sensor measures within the tick in which it is due. A plugin sensor runs in its own thread (`simulator.base.plugin_thread`). Its
measurement is stored when it is next due, so that its columns are one period late; `sampled` is the time of the measurement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.fields import Fields
from simulator.base.old_parameters import accepts_rows
from simulator.base.records import Record, Table
from simulator.base.renamed_modules import old_names
from terrain.ground import Ground

CONTRACT = 1
"""Version of the rules above and of the classes below."""


class SensorInput(NamedTuple):
    """Input of a sensor."""

    time: float
    """Simulated time [s]."""
    readout: Record
    """READOUT of the vehicle (`vehicles.readout`): motion after the last tick, accelerations of that tick."""


class Sensor(Protocol):
    """Sensor, as returned by `make`."""

    def step(self, seen: SensorInput, out: Record) -> None:
        """Measure: fill the record `out` of the kind's output, which holds the previous measurement."""


@dataclass(frozen=True)
class Mount:
    """Position and orientation of a sensor."""

    p_BS: NDArray[np.float64]
    """(3,) position relative to the chassis reference point, in B [m]."""
    R_BS: NDArray[np.float64]
    """(3, 3) x_B = R_BS x_S."""


@dataclass(frozen=True)
class SensorSettings:
    """Inputs for creating a sensor."""

    parameters: Record
    """Parameters, of the table of the kind."""
    mount: Mount
    period: float
    """Time between two measurements [s]."""
    random: np.random.Generator
    """Random numbers of this sensor; they depend only on the seed of the session and the sensor's name."""
    ground: Ground
    """Ground, for sensors that measure it; must not be changed."""


@accepts_rows(defaults_after="rate")
@dataclass(frozen=True)
class SensorKind:
    """Registered kind of sensor."""

    name: str
    parameters: Fields
    """Table of the kind's own parameters, numbers."""
    output: Table
    """Table of the measured values."""
    make: Callable[[SensorSettings], Sensor]
    contract: int
    """Value of CONTRACT for which the kind was written."""
    rate: float = 100.0
    """Hz, default rate."""
    meaning: str = ""
    """Description for a list of sensors, one line."""


__getattr__ = old_names(__name__)
