"""Questions of a drive: an event with a large effect takes effect after a confirmation of its sender only."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.events.event import Event, Origin

MIN_ANSWER_TIME = 1.0
"""s from the question to a confirmation. An earlier one does not count: a double click, or a key that is pressed in a row, confirms nothing."""
MAX_ANSWER_TIME = 15.0
"""s from the question after which it is forgotten."""
CONFIRM = "confirm"
"""Kind of the event with which the operator confirms: its value is the number of the question."""
UNASKED = frozenset({Origin.SCRIPT, Origin.DRIVE, Origin.SIGNAL})
"""Origins whose events take effect at once: the values of a script were written into a file before the drive."""


@dataclass(frozen=True)
class Question:
    """Event that waits for a confirmation."""

    number: int
    event: Event
    text: str
    asked_at: float


class Questions:
    """The last question to each sender. Times in s, of a clock that does not stop during a drive."""

    def __init__(self) -> None:
        self._last: dict[Origin, Question] = {}
        self._count = 0

    def ask(self, event: Event, text: str, now: float) -> Question:
        """Let an event wait; it replaces the one that waits for the same sender."""
        self._count += 1
        self._last[event.origin] = question = Question(self._count, event, text, now)
        return question

    def confirmed(self, event: Event, text: str, now: float) -> Event | None:
        """Return the event that `event` confirms, which waits no longer; None if it confirms none. text: question about `event`, or empty.

        The operator sends CONFIRM. A key or a button confirms if it is pressed again, with the same question.
        """
        question = self._last.get(event.origin)
        if question is None or not MIN_ANSWER_TIME <= now - question.asked_at <= MAX_ANSWER_TIME:
            return None
        waiting = question.event
        if event.origin == Origin.CONSOLE:
            answers = event.kind == CONFIRM and event.value == question.number
        else:
            answers = (event.kind, event.value, text) == (waiting.kind, waiting.value, question.text)
        if not answers:
            return None
        del self._last[event.origin]
        return waiting
