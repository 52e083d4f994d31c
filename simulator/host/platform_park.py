"""The way of the platform to its rest at the end of a drive, whatever ended it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from simulator.base.signals import StopRequest
from simulator.outlets.motion_stream import MotionStreamOutlet
from simulator.session import Outlet, Session

PARK_TIME = 12.0
"""s at most that the platform is given to return to its rest at the end."""
REST_TIME = 0.5
"""s for the last millimeter, so that the platform is surely at its rest when the stream ends and does not rise once more."""
STOP_TIME = 0.3
"""s in which the platform comes to a stop where it is, when nobody waits for its parking: ten times what its limits need."""
IMPATIENT = 3
"""Signals after which nobody waits for the parking."""


def park(
    session: Session, motions: Sequence[MotionStreamOutlet], others: Sequence[Outlet], asked: StopRequest, say: Callable[[str], None]
) -> None:
    """Bring the platform down and hold it there; the vehicle stands, neither driver nor log are asked.

    The first signal ends the drive, the second one is answered with a request for patience. With the third one the platform stops
    where it is, within its limits, and is left to what its receiver does without a stream.

    Parameters
    ----------
    motions : outlets of the motion streams; when all have failed there is nothing to wait for
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
        return asked.count < IMPATIENT and bool(_left(session, motions))

    session.cueing.park()
    session.coast(PARK_TIME, lambda: wait() and not parked(session, motions), [*others, *motions])
    session.coast(REST_TIME, wait, [*others, *motions])
    if asked.count >= IMPATIENT and not parked(session, motions):
        session.stop_platform(STOP_TIME, motions)


def parked(session: Session, motions: Sequence[MotionStreamOutlet]) -> bool:
    """Whether every receiver is at rest: the platform as far as a protocol knows one; of a protocol that does not, the forces."""
    down = session.cueing.state in ("off", "parked")
    return all(down if motion.stream.parks else motion.stream.at_rest for motion in _left(session, motions))


def close_together(motions: Sequence[MotionStreamOutlet]) -> None:
    """End the streams at the same time: each may have something to bring to rest, and the others are not to fall silent for so long."""
    ending = [threading.Thread(target=motion.close) for motion in motions]
    for one in ending:
        one.start()
    for one in ending:
        one.join()


def _left(session: Session, motions: Sequence[MotionStreamOutlet]) -> list[MotionStreamOutlet]:
    """Those that have not failed."""
    return [motion for motion in motions if motion in session.outlets]
