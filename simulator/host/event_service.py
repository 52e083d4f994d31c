"""Service of the events of a drive: the only place at which a command takes effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from simulator.base.errors import ConfigError
from simulator.base.rates import shown_time
from simulator.events.event import Event, Origin
from simulator.events.event_queue import EventQueue
from simulator.events.kinds import Controlled, check


class EventService:
    """Applies the events of a queue to a drive, and announces each with the tick at which it took effect.

    Parameters
    ----------
    drive : what the events act on
    say : called with one line for each kind and origin whose events are refused or dropped

    Attributes
    ----------
    queue : any thread may put events
    accepted : number of events that took effect, by origin
    refused : called with an event that is refused, and the reason
    """

    def __init__(self, drive: Controlled, say: Callable[[str], None]) -> None:
        self.queue = EventQueue()
        self.accepted: Counter[Origin] = Counter()
        self.refused: Callable[[Event, str], None] = lambda event, reason: None
        self._drive, self._say = drive, say
        self._reported: set[str] = set()

    def serve(self) -> None:
        """Apply the waiting events; called a hundred times a second, between two ticks."""
        for event in self.queue.take():
            self.apply(event)
        for origin, count in self.queue.dropped.items():
            if count:
                self._report(f"events of {origin} are dropped, because more than the queue holds arrive in 10 ms")

    def apply(self, event: Event) -> None:
        """Apply an event now. One that is refused changes nothing and is reported. Raises JounceError: it failed, and the drive has to end."""
        try:
            effect = check(event).act(self._drive, event.value)
        except ConfigError as error:
            self._report(str(error))
            self.refused(event, str(error))
            return
        session = self._drive.session
        self.accepted[event.origin] += 1
        session.announce(replace(event, **effect._asdict(), tick=session.tick, time=shown_time(session.time), waits=session.waits))

    def _report(self, text: str) -> None:
        if text not in self._reported:
            self._reported.add(text)
            self._say(text)
