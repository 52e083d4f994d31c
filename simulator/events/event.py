"""Event of a session: a command to a drive (pause, restart, platform ...), or an occurrence that outlets hear (incident, collision, end)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Origin(StrEnum):
    """Sender of an event."""

    WINDOW = "window"
    """A key of the window, or the closed window."""
    DEVICE = "device"
    """A button of a steering wheel or game controller, or an input source of a plugin."""
    CONSOLE = "console"
    """The page of the operator (`simulator.console`)."""
    SCRIPT = "script"
    """A list of events given before the drive."""
    PORT = "port"
    """A program that drives by the network, see `simulator.port`."""
    SIGNAL = "signal"
    """A signal of the operating system, such as Ctrl-C."""
    DRIVE = "drive"
    """The drive itself: supervision of the window, platform that joins."""
    SESSION = "session"
    """The simulation: an occurrence, not a command. A rerun does not repeat it, because it comes again by itself."""


@dataclass(frozen=True)
class Event:
    """One event."""

    kind: str
    """Name of the kind: of a command, see `simulator.event_effects.kinds`, or of an occurrence: incident, collision, fault, end."""
    value: Any = None
    """Value of the kind in JSON types; None if the kind has no value."""
    origin: Origin = Origin.DRIVE
    tick: int = -1
    """Tick at which the event took effect: the tick after this one is the first that it changes. -1 before that."""
    time: float = math.nan
    """Simulated time at which the event took effect [s]."""
    waits: bool = False
    """True while the platform rises before the drive; `tick` then counts from the beginning of the rise."""

    def to_json(self) -> dict[str, Any]:
        """Return the event as one mapping, with units in the keys."""
        row = {"tick": self.tick, "time_s": self.time, "origin": str(self.origin), "kind": self.kind, "value": self.value}
        return row | {"waits": True} if self.waits else row


def event_from_json(row: Mapping[str, Any]) -> Event:
    """Return the event of a mapping from `Event.to_json`. Raises KeyError, TypeError, ValueError: it is none."""
    time = row["time_s"]
    return Event(
        str(row["kind"]),
        row["value"],
        Origin(row["origin"]),
        int(row["tick"]),
        math.nan if time is None else float(time),
        bool(row.get("waits", False)),
    )


def sent(name: str, origin: Origin) -> Event:
    """Return the event of a key, a button, or an entry of `InputSource.events`."""
    return Event(name, None, origin)
