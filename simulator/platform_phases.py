"""Platform before and after a drive: rise, wait for the rise in real time, coast while it parks, stop."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from simulator.real_time import pace, start_clock
from simulator.session import Outlet, Session, is_due
from washout.cueing import brake_platform

COMMON_TICK_TIME = 1.0
"""s. Longest wait after the rise for a tick at which all streams are due."""


def raise_platform(session: Session) -> None:
    """Engage the platform before the first tick. Without this, the drive would begin with a parked platform.

    No outlet is called, and no simulated time passes.
    """
    every = session.cueing.washout.every
    stride = math.gcd(session.driver_every, every) if every else session.driver_every
    with _waiting(session) as rises:
        while rises():
            for _ in range(session.driver_every // stride):
                session.move(stride)


def wait_for_rise(session: Session, keep_going: Callable[[], bool], outlets: Sequence[Outlet]) -> int:
    """Engage the platform in real time before `drive`, until `keep_going()` returns False; `outlets` are called meanwhile.

    Returns the number of ticks, see `repeat_rise`.
    """

    def tick() -> None:
        session.move(1)
        due = _due(session, outlets)
        if due:
            session.vehicle.read(session.command)
            session.serve(due)

    procedure = session.cueing.procedure
    with _waiting(session) as rises:
        _run_in_real_time(session, procedure.rise_time, lambda: keep_going() and rises(), tick)
        if procedure.state != "engaged":
            _run_to_common_tick(session, [outlet for outlet in outlets if hasattr(outlet, "often")], tick)
        return session.tick


def most_rise_ticks(session: Session) -> int:
    """Return the maximum number of ticks of `wait_for_rise`."""
    return round((session.cueing.procedure.rise_time + COMMON_TICK_TIME) / session.h) + session.driver_every


def repeat_rise(session: Session, ticks: int, serve: Callable[[], None]) -> None:
    """Repeat the `ticks` of an earlier `wait_for_rise`; `serve()` is called after each driver period, as `keep_going` was.

    No outlet is called, and no simulated time passes.
    """
    with _waiting(session):
        while session.tick < ticks:
            session.move(1)
            if session.tick % session.driver_every == 0:
                serve()


def coast(session: Session, duration: float, keep_going: Callable[[], bool], outlets: Sequence[Outlet]) -> None:
    """Continue in real time after `drive` while the platform parks, until `keep_going()` returns False.

    The vehicle does not move. The driver is not called, and of the outlets only `outlets`, so that the error that ended the drive
    cannot end this as well.
    """
    session.paused = True
    outlets = [outlet for outlet in outlets if outlet in session.output.outlets]

    def tick() -> None:
        session.move(1)
        session.serve(_due(session, outlets))

    _run_in_real_time(session, duration, keep_going, tick)


def stop_platform(session: Session, duration: float, outlets: Sequence[Outlet]) -> None:
    """Stop the platform at its present pose as fast as its limits allow, and hold it for the rest of `duration` [s]."""
    session.paused = True

    def tick() -> None:
        brake_platform(session.cueing.records.p, session.cueing.records.s, 1)
        session.tick += 1
        session.output.publish(session, _due(session, outlets))

    _run_in_real_time(session, duration, lambda: True, tick)


@contextmanager
def _waiting(session: Session) -> Iterator[Callable[[], bool]]:
    """Begin the drive with tick 0 on exit. Yield a function that returns whether the platform still rises."""
    procedure = session.cueing.procedure
    session.waits, last = True, session.tick + round(procedure.rise_time / session.h)
    try:
        yield lambda: procedure.rises and session.tick < last
    finally:
        session.waits, session.tick = False, 0
        session.cueing.monitor.begin_dose()


def _run_to_common_tick(session: Session, streams: Sequence[Outlet], tick: Callable[[], None]) -> None:
    """Continue until every stream is due in the same tick.

    The ticks restart at 0 when the drive begins. Otherwise the next packet of a stream would contain more or less motion than its time
    stamp states, and the platform would jolt. Rates that coincide less often than every COMMON_TICK_TIME are ignored.
    """
    stride = math.lcm(session.driver_every, *(stream.every for stream in streams))
    if stride * session.h <= COMMON_TICK_TIME + 1e-9:
        pace(session, -session.tick % stride, tick)


def _run_in_real_time(session: Session, duration: float, keep_going: Callable[[], bool], tick: Callable[[], None]) -> None:
    """Run driver periods for `duration` seconds or until `keep_going()` returns False."""
    if session.clock is None:
        start_clock(session)
    for _ in range(round(duration / session.h / session.driver_every)):
        pace(session, session.driver_every, tick)
        if not keep_going():
            return


def _due(session: Session, outlets: Sequence[Outlet]) -> list[Outlet]:
    """Return the outlets that are due and have not failed."""
    return [outlet for outlet in outlets if is_due(outlet, session.tick) and outlet in session.output.outlets]
