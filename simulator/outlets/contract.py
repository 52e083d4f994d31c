"""What an outlet from outside is: something on the right of the tick beside telemetry, motion stream and window.

It works beside the ticks (`simulator.base.plugin_thread`) on copies of what there is. In real time it misses a publication when the last one has not
ended; a run that nobody drives in real time waits for it. One that raises or does not end within its budget is dropped, and the drive
goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from simulator.base.records import Ranges, Record, Table

CONTRACT = 1
"""Version of what stands above and of the classes below."""


class OutletSample(NamedTuple):
    """What an outlet gets: copies, which it may keep and change."""

    time: float
    """Simulated time [s]."""
    readout: Record
    """READOUT of the vehicle."""
    command: Record
    """COMMAND of the driver."""
    pose: Any
    """(6,) x, y, z [m], roll, pitch, yaw [rad] of the platform commanded, from neutral."""
    legs: Any
    """(6,) leg lengths commanded [m]."""
    state: str
    """Of the motion procedure, one of `washout.platform_state_machine.STATE_NAMES`."""
    felt: Record
    """FELT of the rider (`washout.perceived_motion`)."""
    sensors: Mapping[str, Record]
    """What each sensor has measured last, by its name."""


class PluginOutlet(Protocol):
    """An outlet as `make` gives it."""

    def publish(self, published: OutletSample) -> None:
        """Called at its rate."""

    def close(self) -> None:
        """Called once at the end, after the last `publish`."""


@dataclass(frozen=True)
class OutletSettings:
    """What an outlet is made of."""

    parameters: Record
    """Of the kind's own table."""
    folder: Path
    """Of the run, to write into."""
    period: float
    """Time between two publications [s]."""


@dataclass(frozen=True)
class OutletKind:
    """An outlet as it is registered."""

    name: str
    make: Callable[[OutletSettings], PluginOutlet]
    contract: int
    """CONTRACT it was written for."""
    rate: float = 100.0
    """Hz, usual rate."""
    parameters: Table = ()
    """Of its own."""
    ranges: Ranges = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    meaning: str = ""
    """One line for a list of outlets."""
