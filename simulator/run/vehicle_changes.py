"""Vehicles that a program adds to or removes from a running session: the changes by tick, for the log and a rerun."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simulator.base.json_output import json_text
from simulator.builder.session_parts import SessionParts
from simulator.session import Session
from simulator.telemetry.metadata import recorded_json

KEY = "vehicle_changes"
"""Key in the metadata of a log."""


def changes_text(session: Session) -> str:
    """Return the changes of a session as JSON; empty if there are none."""
    return json_text(session.others.changes) if session.others.changes else ""


def read_changes(about: Mapping[str, str], file: Path) -> list[dict[str, Any]]:
    """Return the changes in the metadata `about` of the log `file`. Raises ConfigError: they are unusable."""
    changes: list[dict[str, Any]] = []

    def decode(content: Any) -> None:
        for change in content:
            changes.append({"tick": int(change["tick"]), "vehicle": str(change["vehicle"]), "entry": change.get("entry")})

    recorded_json(about, KEY, file, decode)
    return changes


def prepare(parts: SessionParts, session: Session, changes: Sequence[Mapping[str, Any]]) -> None:
    """Create the vehicles that enter the session later, so that its log has their columns. Raises ConfigError."""
    for change in changes:
        if change["entry"] is not None:
            session.others.add([parts.more_vehicle(change["entry"], session)[0]])


def apply_due(session: Session, changes: Sequence[Mapping[str, Any]]) -> None:
    """Apply the changes at the present tick of the session."""
    for change in changes:
        if change["tick"] == session.tick:
            if change["entry"] is not None:
                session.others.enter(change["vehicle"])
            else:
                session.others.leave(change["vehicle"])
