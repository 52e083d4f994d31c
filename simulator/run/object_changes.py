"""Objects that a program adds to or removes from a running session: the changes by tick, for the log and a rerun."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from simulator.base.json_output import json_text
from simulator.session import Session
from simulator.telemetry.metadata import recorded_json
from terrain.objects.as_mapping import from_mapping, to_mapping
from terrain.objects.section import OBJECT_KIND, read_objects
from terrain.objects.world_object import WorldObject

KEY = "object_changes"
"""Key in the metadata of a log."""


def objects_of(session: Session, objects: Iterable[WorldObject | Mapping[str, Any]], folder: Path) -> list[WorldObject]:
    """Return objects; a mapping has the keys of an entry of `objects` in a terrain file.

    Raises ConfigError for unusable keys.
    """
    given = list(objects)
    values = [OBJECT_KIND.read(one, "object", "") for one in given if not isinstance(one, WorldObject)]
    names = session.objects.names | {one.name for one in given if isinstance(one, WorldObject)}
    read = iter(read_objects(values, session.ground.height, folder, names))
    return [one if isinstance(one, WorldObject) else next(read) for one in given]


def changes_text(session: Session) -> str:
    """Return the changes of a session as JSON; empty if there are none."""
    changes = [{**change, "objects": to_mapping(change["objects"])} for change in session.world.changes]
    return json_text(changes) if changes else ""


def read_changes(about: Mapping[str, str], file: Path) -> list[dict[str, Any]]:
    """Return the changes in the metadata `about` of the log `file`. Raises ConfigError: they are unusable."""
    changes: list[dict[str, Any]] = []

    def decode(content: Any) -> None:
        for change in content:
            tick, removed = int(change["tick"]), [int(number) for number in change["removed"]]
            changes.append({"tick": tick, "objects": from_mapping(change["objects"]), "removed": removed})

    recorded_json(about, KEY, file, decode)
    return changes


def apply_due(session: Session, changes: Sequence[Mapping[str, Any]]) -> None:
    """Apply the changes at the present tick of the session."""
    for change in changes:
        if change["tick"] == session.tick:
            if change["objects"]:
                session.world.add(change["objects"], session.tick)
            for number in change["removed"]:
                session.world.remove(number, session.tick)
