"""Events of a recorded drive at their positions, with a short text for each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.events.event import Event
from simulator.telemetry.event_file import read_events

HIDDEN = ("end", "camera", "camera_1", "camera_2", "camera_3", "washout_next", "wait_over")
"""Kinds of events that are not marked in a replay."""


class RecordedEvent(NamedTuple):
    """Event of a recorded drive."""

    position: float
    """Position [s]."""
    kind: str
    text: str
    value: Any = None


def events_at_rows(log: Path, ticks_per_row: int, positions: NDArray[np.float64], say: Callable[[str], None]) -> list[RecordedEvent]:
    """Return the events of a log in their order; without a readable file of events, print a message and return none.

    ticks_per_row : ticks between two rows of the log, whose `positions` [s] are given
    """
    try:
        events = read_events(log) or ()
    except ConfigError as error:
        say(f"{error}; the replay shows no events")
        return []
    shown = [event for event in events if event.kind not in HIDDEN and not event.waits and event.tick >= 0]
    rows = [-(-event.tick // ticks_per_row) for event in shown]
    return [
        RecordedEvent(float(positions[row]), event.kind, text_of(event), event.value)
        for event, row in zip(shown, rows, strict=True)
        if row < len(positions)
    ]


def text_of(event: Event) -> str:
    """Return an event as a short text."""
    value = event.value
    if event.kind == "collision" and isinstance(value, dict):
        return f"collision: {value.get('name', '')}, {float(value.get('closing_speed_ms', 0.0)):.1f} m/s"
    if event.kind == "incident" and isinstance(value, dict):
        return f"incident: {value.get('message', '')}"
    if event.kind == "pause":
        return "continue" if value is False else "pause"
    return event.kind if value is None or isinstance(value, dict) else f"{event.kind}: {value}"
