"""Script of a drive: a list of events, each sent at a time since the beginning of the drive. Pauses and restarts do not stop this time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.field_types import Anything, Number, Text
from simulator.base.fields import Field, read
from simulator.base.yaml_reader import read_yaml
from simulator.event_effects.kinds import check
from simulator.events.event import Event, Origin

SCRIPTED = (
    Field("at", Number("s", 0.0, 1e6), "time since the beginning of the drive", written="s"),
    Field("kind", Text("a kind of event"), "kind of the event, see `simulator.event_effects.kinds`"),
    Field("value", Anything("a value of the kind"), "value of the event", None),
)
"""Keys of one event in a script."""


class EventScript:
    """Events of a script.

    Parameters
    ----------
    events : pairs of a time since the beginning of the drive [s] and an event
    """

    def __init__(self, events: Iterable[tuple[float, Event]] = ()) -> None:
        self._left = sorted(events, key=lambda pair: pair[0])

    def due(self, time: float) -> list[Event]:
        """Return and remove the events that are due at a time since the beginning of the drive [s]."""
        count = sum(1 for at, _ in self._left if at <= time + 1e-9)
        due, self._left = self._left[:count], self._left[count:]
        return [event for _, event in due]


def read_script(file: Path) -> EventScript:
    """Return the script of a YAML file: a list of mappings with the keys of SCRIPTED. Raises ConfigError, one line per mistake."""
    content = read_yaml(file)
    if not isinstance(content, list):
        raise ConfigError(file, "", content, "a list of events, each with at_s, kind and, if the kind has one, value")
    events: list[tuple[float, Event]] = []
    with ErrorCollector() as errors:
        for number, item in enumerate(content):
            with errors.part():
                events.append(_scripted(item, file, f"[{number}]"))
    return EventScript(events)


def _scripted(item: Any, file: Path, key: str) -> tuple[float, Event]:
    values = read(SCRIPTED, item, file, key)
    event = Event(values["kind"], values.get("value"), Origin.SCRIPT)
    try:
        check(event)
    except ConfigError as error:
        raise error.moved_to(file, f"{key}.{error.key}") from None
    return values["at"], event
