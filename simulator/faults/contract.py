"""Contract of a fault.

A fault has a level from 0 (none) to 1 (complete), which follows the simulated time (`simulator.faults.planned_fault`). A hundred times a
second, if a level has changed, the session restores all parameters and then calls `apply` of each fault whose level is above 0, in the order
of the faults. Faults on the same parameter therefore combine, and a fault that ends leaves the exact numbers of before.

A fault changes parameters, never states: the equations stay those of the vehicle, and no position or velocity jumps. A level changes by at
most 0.01 s / ramp at once, so that the energy of a spring whose stiffness changes does not jump either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.fields import Fields
from simulator.base.values import Values

if TYPE_CHECKING:
    from simulator.base.records import Record
    from terrain.ground import GroundArrays
    from vehicles.own_parameters import OwnParameters
    from vehicles.vehicle import Vehicle

CONTRACT = 1
"""Version of the contract."""


@dataclass
class FaultTargets:
    """What a fault may change. Everything but `time` and `readout` has its value without faults when `apply` is called."""

    parameters: OwnParameters
    """Parameter records of the vehicle that only this session uses."""
    ground: GroundArrays
    """Ground of the session, to read."""
    readout: Record
    """READOUT of the vehicle at the last call of the driver, to read."""
    time: float = 0.0
    """Simulated time [s]."""
    throttle: float = 0.0
    """Smallest position of the throttle, whatever the driver requests."""
    wind: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    """Velocity [m/s] that is added to the wind, in W."""
    lost: dict[str, str] = field(default_factory=dict)
    """Lost sensors: reason by name."""
    packet_loss: float = 0.0
    """Probability that a packet of a motion stream is lost."""
    packet_delay: float = 0.0
    """Delay of the packets of a motion stream [s]."""


class Fault(Protocol):
    """Effect of a fault."""

    def apply(self, level: float, on: FaultTargets) -> None:
        """Change the parameters for a level above 0, at most 1."""


@dataclass(frozen=True)
class FaultContext:
    """Parts of a session that a fault knows when it is created."""

    vehicle: Vehicle
    sensors: tuple[str, ...] = ()
    """Names of the sensors."""
    phases: tuple[str, ...] = ()
    """Names of the phases of the maneuver."""


@dataclass(frozen=True)
class FaultKind:
    """A kind of fault, named by the key `type` of an entry of `faults`.

    Parameters
    ----------
    name : value of `type`
    parameters : own keys of the entry
    make : returns the fault for the values of an entry; raises ConfigError for values that do not fit the vehicle or the session
    ramp : default time [s] in which the level rises from 0 to 1
    subject : keys whose values are part of the default name, for example the wheel
    by_position : True if `apply` is called 100 times a second while the level is above 0, because the effect depends on where the vehicle is
    of_session : True if the fault acts on the whole session, and is none of a single vehicle
    contract : CONTRACT for which the kind was written
    meaning : one-line description
    """

    name: str
    parameters: Fields
    make: Callable[[Values, FaultContext], Fault]
    ramp: float = 1.0
    subject: tuple[str, ...] = ()
    by_position: bool = False
    of_session: bool = False
    contract: int = CONTRACT
    meaning: str = ""
