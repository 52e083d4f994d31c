"""What a sensor is: something mounted on the chassis that looks at its own rate and fills a record, whose fields become columns of the log.

A kind brings the table of its parameters, the table of what comes out, and `make`. Every sensor has besides, and does not name itself:

    type, name   of the kind, and of this one: it begins the names of the columns; by default the type
    rate         Hz, divides the ticks per second
    mount        `position` (3,) [m] from the chassis reference point, in B, and `roll_deg`, `pitch_deg`, `yaw_deg` of its own axes S

A shipped sensor measures within the tick it is due. One from outside works beside the ticks (`simulator.base.plugin_thread`): what it measures of a
tick is taken over at its next one, so its columns are one period late; `sampled` says of which time they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Ranges, Record, Table
from simulator.base.renamed_modules import old_names
from terrain.ground import Ground

CONTRACT = 1
"""Version of what stands above and of the classes below."""


class SensorInput(NamedTuple):
    """What a sensor may look at."""

    time: float
    """Simulated time [s]."""
    readout: Record
    """READOUT of the vehicle (`vehicles.readout`): motion after the last tick, accelerations of that tick."""


class Sensor(Protocol):
    """A sensor as `make` gives it."""

    def step(self, seen: SensorInput, out: Record) -> None:
        """Measure: fill the record `out` of the kind's output, which holds the measurement before."""


@dataclass(frozen=True)
class Mount:
    """Where a sensor sits."""

    p_BS: NDArray[np.float64]
    """(3,) from the chassis reference point, in B [m]."""
    R_BS: NDArray[np.float64]
    """(3, 3) x_B = R_BS x_S."""


@dataclass(frozen=True)
class SensorSettings:
    """What a sensor is made of."""

    parameters: Record
    """Of the kind's table."""
    mount: Mount
    period: float
    """Time between two measurements [s]."""
    random: np.random.Generator
    """Its own random numbers: those of the session's seed and the sensor's name, whatever else there is."""
    ground: Ground
    """For sensors that look at it; it is not to be changed."""


@dataclass(frozen=True)
class SensorKind:
    """A sensor as it is registered."""

    name: str
    parameters: Table
    """Keys of its own."""
    ranges: Ranges
    """Least and most of each."""
    output: Table
    """What it measures."""
    make: Callable[[SensorSettings], Sensor]
    contract: int
    """CONTRACT it was written for."""
    rate: float = 100.0
    """Hz, usual rate."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Of parameters that may be left out."""
    meaning: str = ""
    """One line for a list of sensors."""


__getattr__ = old_names(__name__)
