"""Queue of the events that wait for a drive. Any thread may send; the drive takes the events a hundred times a second."""

from __future__ import annotations

import queue
from collections import Counter, deque
from collections.abc import Iterator

from simulator.events.event import Event, Origin

CAPACITY = 64
"""Maximum number of waiting events of one origin."""


class EventQueue:
    """Bounded queue of events.

    Each origin has its own bound, so that a flood from one sender does not displace the events of another one.

    Attributes
    ----------
    dropped : number of events that found the queue of their origin full
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        # SimpleQueue: `put` may interrupt a `put` or `get` of the same thread, as a signal handler does
        self._waiting: dict[Origin, queue.SimpleQueue[Event]] = {origin: queue.SimpleQueue() for origin in Origin}
        self._turns = deque(Origin)
        self.dropped: Counter[Origin] = Counter()

    def put(self, event: Event) -> bool:
        """Add an event; return False if the queue of its origin is full. Never waits."""
        waiting = self._waiting[event.origin]
        if waiting.qsize() >= self._capacity:
            self.dropped[event.origin] += 1
            return False
        waiting.put(event)
        return True

    def take(self) -> Iterator[Event]:
        """Yield and remove the events that wait now, in the order of `Origin`, and of their arrival for one origin.

        After an iteration that is left early, the next one begins with the next origin, so that a flood from one sender delays no other one.
        """
        for _ in Origin:
            waiting = self._waiting[self._turns[0]]
            try:
                for _ in range(waiting.qsize()):
                    yield waiting.get_nowait()
            finally:
                self._turns.rotate(-1)
