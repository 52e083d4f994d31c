"""Decides whether the platform of a drive rises, parks or keeps its pose. No other part arms or parks it; they report what has happened.

Besides, the procedure parks by itself after a fault (`washout.platform_state_machine`), and a receiver without a stream (`simulator.motion.watchdog`).
"""

from __future__ import annotations

from collections.abc import Callable

from simulator.events.event import Event
from simulator.session import Session
from washout.platform_procedure import STOPPED

RAISE, PARK, RAISE_LATER, STAY_DOWN = "raise", "park", "raise later", "stay down"
"""Orders for the platform. The last two are for a platform that has not joined the drive: they have no effect on the session."""
DOWN = ("off", "parked", "park", "fault")
"""States of a platform that is parked, parks, or has stopped after a fault."""


def order_platform(session: Session, order: str | None) -> str:
    """Report an order, or the end of the drive (PARK): let the platform rise (RAISE) or park (PARK), None for the other one; return the order."""
    procedure = session.cueing.procedure
    if order is None:
        order = PARK if session.waits or procedure.state not in DOWN else RAISE
    procedure.arm() if order == RAISE else procedure.park()
    return order


def report_loss(session: Session, send: Callable[[Event], object], parks: bool = True) -> str:
    """Report that nobody watches the vehicle any more; return what the platform does, for messages.

    The vehicle pauses. A platform that is up parks, or returns to neutral if not `parks`; one that the operator has stopped stays so. `send`
    receives the events, so that a rerun repeats them.
    """
    if not session.paused:
        send(Event("pause", True))
    if session.platform_state == STOPPED:
        return "stays stopped"
    if not parks:
        return "returns to neutral"
    if session.platform_state not in DOWN:
        send(Event("platform", PARK))
    return "parks"
