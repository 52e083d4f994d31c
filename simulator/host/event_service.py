"""Service of the events of a drive: the only place at which a command takes effect."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from simulator.base.errors import ConfigError
from simulator.base.rates import shown_time
from simulator.event_effects.contract import Controlled
from simulator.event_effects.kinds import check
from simulator.events.event import Event, Origin
from simulator.events.event_queue import EventQueue
from simulator.events.questions import MAX_ANSWER_TIME, UNASKED, Question, Questions

ENDS = ("quit", "next_run")
"""Kinds of events that end a drive."""
SERVICE_BUDGET = 2e-3
"""s of computation after which the events that still wait are left for the next call. Larger: a flood of resets delays ticks and packets.
Smaller: a few events of the same time take effect at different ticks."""
MAX_LINES = 100
"""Maximum number of different lines about refused and dropped events."""


class EventService:
    """Applies the events of a queue to a drive, and announces each with the tick at which it took effect.

    Parameters
    ----------
    drive : what the events act on
    say : called with one line for each kind and origin whose events are refused or dropped, at most MAX_LINES
    refused : called with each refused event and the reason
    asked : called with each question to the operator

    Attributes
    ----------
    queue : any thread may put events
    accepted : number of events that took effect, by origin
    ended_by : event that ended the drive; None if none did
    """

    def __init__(
        self,
        drive: Controlled,
        say: Callable[[str], None],
        refused: Callable[[Event, str], None] = lambda event, reason: None,
        asked: Callable[[Question], None] = lambda question: None,
    ) -> None:
        self.queue = EventQueue()
        self.accepted: Counter[Origin] = Counter()
        self.ended_by: Event | None = None
        self._drive, self._say, self._refused, self._asked = drive, say, refused, asked
        self._questions = Questions()
        self._reported: set[str] = set()

    def serve(self) -> None:
        """Apply the waiting events, for at most SERVICE_BUDGET and the time of one event; called a hundred times a second, between two ticks."""
        end = time.thread_time() + SERVICE_BUDGET  # of this thread, so that other programs do not change what takes effect together
        for event in self.queue.take():
            self.apply(event)
            if time.thread_time() > end:
                break
        for origin, count in self.queue.dropped.items():
            if count:
                self._report(f"events of {origin} are dropped, because more than the queue holds arrive in 10 ms")

    def apply(self, event: Event) -> None:
        """Apply an event now, or ask its sender to confirm it. One that is refused changes nothing and is reported.

        Raises JounceError: it failed, and the drive has to end.
        """
        session = self._drive.session
        try:
            check(event)
            now = session.tick * session.h
            text = self._question(event)
            confirmed = self._questions.confirmed(event, text, now)
            if confirmed is None and text:
                self._ask(self._questions.ask(event, text, now))
                return
            event = event if confirmed is None else confirmed
            effect = check(event).act(self._drive, event.value)
        except ConfigError as error:
            self._refused(event, str(error))
            self._report(str(error))
            return
        self.accepted[event.origin] += 1
        if event.kind in ENDS and self.ended_by is None:
            self.ended_by = event
        session.announce(replace(event, **effect._asdict(), tick=session.tick, time=shown_time(session.time), waits=session.waits))

    def _question(self, event: Event) -> str:
        """Return the question that the sender of an event has to confirm; empty: none. Raises ConfigError."""
        question = check(event).question
        return "" if question is None or event.origin in UNASKED else question(self._drive, event.value)

    def _ask(self, question: Question) -> None:
        if question.event.origin == Origin.CONSOLE:
            self._asked(question)
        else:
            self._drive.show(f"press again to confirm: {question.text}", MAX_ANSWER_TIME)  # a long line is cut at its end

    def _report(self, text: str) -> None:
        if text not in self._reported and len(self._reported) < MAX_LINES:
            self._reported.add(text)
            self._say(text)
