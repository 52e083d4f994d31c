"""Outlet that writes the events of a session into the folder of its run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.events.event import Event
from simulator.outlets.telemetry import SELDOM
from simulator.telemetry.event_file import EventFile

if TYPE_CHECKING:
    from simulator.session import Session


class EventFileOutlet:
    """Writes every event that the session announces, see `simulator.telemetry.event_file`.

    Parameters
    ----------
    session : session whose events are written
    folder : existing folder
    say : called with a line if the disk fails

    Raises OutputError: the file cannot be created.
    """

    label = "event file"
    """Name of the outlet in messages."""

    def __init__(self, session: Session, folder: Path, say: Callable[[str], None]) -> None:
        self.every = SELDOM * session.driver_every
        self.file = EventFile(folder, {"step_s": session.h}, say)

    def publish(self, session: Session) -> None:
        """Do nothing; the events are heard."""

    def hear(self, session: Session, event: Event) -> None:
        """Write the event."""
        self.file.put(event, wait=session.clock is None)

    def close(self) -> None:
        """Close the file."""
        self.file.close()
