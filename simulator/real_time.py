"""Real time of a session: each tick at its time."""

from __future__ import annotations

from collections.abc import Callable

from simulator.clock import Clock
from simulator.session import Session


def drive_in_real_time(session: Session, duration: float, keep_going: Callable[[Session], bool]) -> None:
    """Simulate for `duration` seconds or until `keep_going(session)` returns False; it is called every 0.01 s.

    Raises
    ------
    PartError, JounceError : as `Session.advance`
    """
    start_clock(session)
    end = session.time + duration
    go_on = True
    while go_on and session.time < end:
        pace(session, session.driver_every, session.advance)
        go_on = keep_going(session)


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
