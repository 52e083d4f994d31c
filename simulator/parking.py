"""The way of the platform to its rest at the end of a drive, whatever ended it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simulator.outlets import Motion
from simulator.session import Outlet, Session
from simulator.signals import Asked

PARK_TIME = 12.0
"""s at most that the platform is given to return to its rest at the end."""
REST_TIME = 0.5
"""s for the last millimeter, so that the platform is surely at its rest when the stream ends and does not rise once more."""
STOP_TIME = 0.3
"""s in which the platform comes to a stop where it is, when nobody waits for its parking: ten times what its limits need."""
IMPATIENT = 3
"""Signals after which nobody waits for the parking."""


def park(session: Session, motion: Motion, others: Sequence[Outlet], asked: Asked, say: Callable[[str], None]) -> None:
    """Bring the platform down and hold it there; the vehicle stands, neither driver nor log are asked.

    The first signal ends the drive, the second one is answered with a request for patience. With the third one the platform stops
    where it is, within its limits, and is left to what its receiver does without a stream.

    Parameters
    ----------
    motion : outlet of the motion stream; when it fails there is nothing to wait for
    others : outlets that are served beside it, for example the window
    asked : signals so far
    """
    said = min(asked.count, 1)

    def wait() -> bool:
        nonlocal said
        if said < asked.count < IMPATIENT:
            said = asked.count
            rest = IMPATIENT - said
            say(f"the platform parks, please wait; Ctrl-C {'once' if rest == 1 else 'twice'} more leaves it where it is")
        return asked.count < IMPATIENT and motion in session.outlets

    session.cueing.park()
    session.coast(PARK_TIME, lambda: wait() and not parked(session, motion), [*others, motion])
    session.coast(REST_TIME, wait, [*others, motion])
    if asked.count >= IMPATIENT and motion in session.outlets and not parked(session, motion):
        session.stop_platform(STOP_TIME, [motion])


def parked(session: Session, motion: Motion) -> bool:
    """Whether the platform is at rest as far as its protocol knows one; of a protocol that does not, whether the forces are."""
    stream = motion.stream
    if not stream.parks:
        return stream.at_rest
    return session.cueing.state in ("off", "parked")
