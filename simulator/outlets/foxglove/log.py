"""Events and failures of a session as `foxglove.Log`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from simulator.assistance.assistance import occurrence_text
from simulator.collision import collision_text
from simulator.outlets.topic_groups import LiveTopic, Publish
from simulator.sensors.messages.topic import stamp

if TYPE_CHECKING:
    from simulator.events.event import Event
    from simulator.session import Session

TOPIC = "/log"
WARNINGS = ("collision", "incident", "fault", "vehicle_stopped", "stop")
"""Kinds of events that are warnings."""


class LogTopic:
    """Log of a session."""

    topics: Sequence[LiveTopic] = (LiveTopic(TOPIC, "foxglove.Log"),)

    def __init__(self) -> None:
        self._failures = 0

    def take(self, session: Session, begins: bool) -> Callable[[Publish], None] | None:
        """Publish the failures since the previous call."""
        new = [str(one) for one in session.output.failures[self._failures :]]
        self._failures += len(new)
        return partial(_publish, session.time, "Error", "jounce", new) if new else None

    def hear(self, session: Session, event: Event) -> Callable[[Publish], None]:
        """Publish an event."""
        level = "Warning" if event.kind in WARNINGS else "Info"
        return partial(_publish, session.time, level, str(event.origin), [event_text(event)])


def event_text(event: Event) -> str:
    """Return an event as one line of text."""
    value = event.value
    if event.kind == "collision":
        return f"collision at {collision_text(value)}"
    if event.kind == "assistance" and isinstance(value, dict):
        return occurrence_text(value)
    if isinstance(value, dict):
        value = value.get("text") or ", ".join(f"{key} {_shown(one)}" for key, one in value.items())
    return event.kind if value is None else f"{event.kind}: {_shown(value)}"


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _publish(time: float, level: str, name: str, lines: list[str], publish: Publish) -> None:
    for line in lines:
        publish(TOPIC, partial(_encoded, time, level, name, line))


def _encoded(time: float, level: str, name: str, line: str) -> bytes:
    from foxglove.messages import Log, LogLevel, Timestamp

    at = stamp(time)
    return Log(timestamp=Timestamp(at["sec"], at["nanosec"]), level=getattr(LogLevel, level), message=line, name=name).encode()
