"""What do outlets hear of a session, and does a slow one delay it?"""

from __future__ import annotations

import threading
from types import SimpleNamespace

from simulator.events.event import Event, Origin
from simulator.outlets.outlet_runner import WAITING, OutletRunner

PAUSE, RESET = Event("pause", True, Origin.WINDOW, 100, 0.1), Event("reset", None, Origin.DEVICE, 110, 0.1)
NOT_PACED, PACED = SimpleNamespace(clock=None), SimpleNamespace(clock=object())


class Hearing:
    """Notes its events; works until it is released."""

    def __init__(self):
        self.heard, self.closed, self.released = [], False, threading.Event()
        self.released.set()

    def publish(self, sample):
        """Nothing."""

    def hear(self, event):
        self.released.wait()
        self.heard.append(event)

    def close(self):
        self.closed = True


class Deaf:
    """An outlet without `hear`."""

    def __init__(self):
        self.closed = False

    def publish(self, sample):
        """Nothing."""

    def close(self):
        self.closed = True


def test_an_outlet_hears_events_in_their_order_before_it_is_closed():
    outlet = Hearing()
    runner = OutletRunner("one", outlet, 10)
    for event in (PAUSE, RESET, PAUSE):
        runner.hear(NOT_PACED, event)
    runner.close()
    assert outlet.heard == [PAUSE, RESET, PAUSE] and outlet.closed


def test_an_outlet_that_hears_nothing_works():
    outlet = Deaf()
    runner = OutletRunner("one", outlet, 10)
    runner.hear(NOT_PACED, PAUSE)
    runner.close()
    assert outlet.closed


def test_events_for_a_slow_outlet_wait_and_are_counted_when_too_many_wait():
    outlet = Hearing()
    outlet.released.clear()
    runner = OutletRunner("one", outlet, 10)
    for tick in range(WAITING + 11):
        runner.hear(PACED, Event("camera", None, Origin.WINDOW, tick, 0.0))
    assert runner.dropped == 10, "one is at work"
    outlet.released.set()
    runner.close()
    assert [event.tick for event in outlet.heard] == list(range(WAITING + 1))
