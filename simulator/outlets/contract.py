"""Contract of a plugin outlet: it receives the results of the ticks, like telemetry, motion stream and window, and hears events.

An outlet with a method `write_log` is a log format: it gets the complete log after the run.

A plugin outlet works in a background thread (`simulator.base.plugin_thread`) on copies of the data. In real time, it misses a publication
if the previous one has not ended; other runs wait for it. Events wait for the outlet; if too many wait, further ones are dropped. An outlet
that raises or exceeds its time budget is stopped, and the run continues.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, runtime_checkable

from simulator.base.fields import Fields
from simulator.base.records import Record
from simulator.events.event import Event
from simulator.sensors.measurement import Measurement
from simulator.telemetry.finished_log import FinishedLog

CONTRACT = 2
"""Version of this contract."""


class OutletSample(NamedTuple):
    """Data for an outlet: copies, which the outlet may store and change."""

    time: float
    """Simulated time [s]."""
    readout: Record
    """READOUT of the vehicle."""
    command: Record
    """COMMAND of the driver."""
    pose: Any
    """Commanded pose of the platform from neutral (6,): x, y, z [m], roll, pitch, yaw [rad]."""
    legs: Any
    """Commanded leg lengths (6,) [m]."""
    state: str
    """State of the platform, one of `washout.platform_procedure.PLATFORM_STATES`."""
    felt: Record
    """FELT record of the rider (`washout.perceived_motion`)."""
    sensors: Mapping[str, Record]
    """Scalars of the latest measurement of each sensor by its name."""
    measurements: Mapping[str, Measurement] = MappingProxyType({})
    """Latest measurement of each sensor by its name, with its arrays, which are read-only."""


class PluginOutlet(Protocol):
    """Outlet returned by `make`."""

    def publish(self, published: OutletSample) -> None:
        """Process a sample; called at the rate of the outlet."""

    def close(self) -> None:
        """Close the outlet; called once after the last `publish`."""


@runtime_checkable
class LogOutlet(Protocol):
    """Outlet returned by `make` that writes the log in another format, instead of a `PluginOutlet`."""

    def write_log(self, log: FinishedLog) -> None:
        """Write the log into the folder of the run; called once, after the run and after telemetry.parquet is complete."""


@runtime_checkable
class HearingOutlet(Protocol):
    """Outlet that also hears the events of the session."""

    def hear(self, event: Event) -> None:
        """Process an event: a command that took effect (kinds of `simulator.event_effects.kinds`, such as pause, reset, platform), or an occurrence:

        incident, collision : value as in `Incident.to_json`, `Collision.to_json`
        fault : value {"part": ...}
        end : the session ends; the last event

        A pause has the value True, and False when the drive continues. The calls come between those of `publish`, in the order of time.
        """


@dataclass(frozen=True)
class OutletSettings:
    """Settings for the creation of an outlet."""

    parameters: Record
    """Parameters of the kind, as in its table."""
    folder: Path
    """Folder of the run, for output files."""
    period: float
    """Time between two publications [s]."""


@dataclass(frozen=True)
class OutletKind:
    """Registered kind of outlet."""

    name: str
    make: Callable[[OutletSettings], PluginOutlet | LogOutlet]
    contract: int
    """Version of the contract that the kind implements."""
    rate: float = 100.0
    """Default rate [Hz]."""
    parameters: Fields = ()
    """Table of the parameters of the kind, numbers."""
    meaning: str = ""
    """One-line description for lists."""
