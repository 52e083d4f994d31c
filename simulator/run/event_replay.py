"""Repetition of the events of a recorded drive, each at its tick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from simulator.base.errors import ConfigError
from simulator.event_effects.contract import Controlled
from simulator.event_effects.cueing_controls import CueingControls
from simulator.event_effects.kinds import COMMANDS, check_recorded
from simulator.events.event import Event, Origin
from simulator.platform_phases import most_rise_ticks, raise_platform, repeat_rise
from simulator.platform_supervisor import PARK, RAISE, order_platform
from simulator.session import Session


class EventReplay(Controlled):
    """Applies the events of a drive to the session of its rerun. It has no window, and ends with the last row of the log.

    Parameters
    ----------
    events : events of the drive in their order
    file : file of the events, for messages

    Raises ConfigError: the value of an event is none of its kind.
    """

    def __init__(self, session: Session, events: Sequence[Event], file: Path) -> None:
        self.session, self.cueing = session, CueingControls(session.cueing.tuner)
        session.end_reason = next((event.value or "" for event in events if event.kind == "end"), "")
        commands = [event for event in events if event.origin != Origin.SESSION and event.kind in COMMANDS]
        self._file = file
        for event in commands:
            check_recorded(event, file)
        self._rise = [event for event in commands if event.waits]
        self._drive = [event for event in commands if not event.waits]

    def rise(self) -> None:
        """Repeat the rise of the platform before the drive, with its events, or raise the platform as a run does."""
        ends = [event for event in self._drive if event.kind == "wait_over"]
        if ends:
            ticks, most = ends[0].value, most_rise_ticks(self.session)
            if not 0 <= ticks <= most:
                raise ConfigError(
                    self._file, "wait_over", ticks, f"a number of ticks from 0 to {most}, which the rise of this platform takes"
                )
            repeat_rise(self.session, int(ticks), self._serve_rise)
        else:
            raise_platform(self.session)

    def serve(self) -> None:
        """Apply the events of the present tick."""
        self._drive = self._serve(self._drive)

    def _serve_rise(self) -> None:
        self.session.cueing.tuner.advance(self.session.driver_every * self.session.h)
        self._rise = self._serve(self._rise)

    def _serve(self, events: list[Event]) -> list[Event]:
        """Apply the first of the events as far as they are due, and return the others."""
        session = self.session
        while events and events[0].tick <= session.tick:
            event, *events = events
            COMMANDS[event.kind].act(self, event.value)
            session.announce(replace(event, tick=session.tick))
        return events

    def restart(self) -> None:
        """Put the vehicle back to the start."""
        self.session.reset()
        self.session.seat.restart()

    def hand_over(self, name: str) -> bool:
        """Let a driver take over."""
        session = self.session
        session.seat.hand_over(name, session.time, session.readout)
        return True

    def command_platform(self, order: str | None) -> str:
        """Let the platform rise or park; an order for a platform that had not joined has no effect."""
        return order_platform(self.session, order) if order in (RAISE, PARK) else str(order)
