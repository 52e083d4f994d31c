"""Rise of the platform at the beginning of a drive. The vehicle waits for it, so that the driver feels the start."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from simulator.outlets.motion_stream import MotionStreamOutlet
from simulator.outlets.view import ViewOutlet
from simulator.platform_phases import wait_for_rise
from simulator.session import Outlet, Session

RISES = "the platform rises; the drive begins afterwards"
SKIP = "; M: begin without motion"
STAYS_DOWN = "the platform does not rise; the drive begins without motion"


def wait_for_platform(
    session: Session,
    motions: Sequence[MotionStreamOutlet],
    window: ViewOutlet | None,
    by_a_person: bool,
    keep_going: Callable[[], bool],
    say: Callable[[str], None],
    others: Sequence[Outlet] = (),
) -> int:
    """Raise the platform and blend in the motion while the vehicle rests and nothing is logged; the log then begins.

    The wait ends when the platform is engaged, when no one consents to motion, when a part has failed, or when all streams to platforms
    have failed. It takes at most twice the rise time. Returns its number of ticks.

    Parameters
    ----------
    motions : outlets of the motion streams; a stream without a pose is served, but not waited for
    window : shows messages to the driver
    by_a_person : True if a human driver drives, whose keys count during the wait
    keep_going : called a hundred times a second; False ends the wait
    others : further outlets to serve
    """
    say(RISES)
    if window is not None:
        window.show_message(RISES + SKIP * by_a_person, math.inf, lambda session: session.waits)

    continues = True

    def go_on() -> bool:
        nonlocal continues
        if by_a_person:
            session.call_driver()
        else:
            session.cueing.tuner.advance(session.driver_every * session.h)
        continues = keep_going() and any(motion in session.output.outlets and not motion.stream.failing for motion in platforms)
        return continues

    platforms = [motion for motion in motions if motion.stream.parks]
    outlets: list[Outlet] = [*([] if window is None else [window]), *others, *motions]
    ticks = wait_for_rise(session, go_on, outlets)
    if session.cueing.procedure.rises and continues:
        say(STAYS_DOWN)
        if window is not None:
            window.message = STAYS_DOWN
    session.publish(served=outlets)
    return ticks
