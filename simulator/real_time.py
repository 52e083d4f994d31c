"""Real time of a session: each tick at its time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.clock import Clock

if TYPE_CHECKING:
    from simulator.session import Session


def start_clock(session: Session) -> None:
    """Begin real time."""
    session.clock = Clock(session.h)
    session.clock.start()


def pace(session: Session, count: int, tick: Callable[[], None]) -> None:
    """Run `count` ticks, each at its time."""
    assert session.clock is not None
    for _ in range(count):
        session.clock.wait()
        tick()
        for note in session.on_tick:
            note(session)
