"""The way of the platform up at the beginning of a drive, for which the vehicle waits: the start of a drive is to be felt."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from simulator.outlets.motion_stream import MotionStreamOutlet
from simulator.outlets.view import ViewOutlet
from simulator.session import Outlet, Session

RISES = "the platform rises, then the drive begins"
SKIP = "; M: begin without it"
STAYS_DOWN = "the platform does not come up: the drive begins without it"


def wait_for_platform(
    session: Session,
    motions: Sequence[MotionStreamOutlet],
    window: ViewOutlet | None,
    by_a_person: bool,
    keep_going: Callable[[], bool],
    say: Callable[[str], None],
) -> None:
    """Let the platform rise and blend in while the vehicle stands and the log rests; the log then begins.

    It ends as soon as the platform is up, or there is nothing to wait for: nobody consents to motion any more, something failed, every stream
    to a platform has. A platform that takes twice its time is not waited for.

    Parameters
    ----------
    motions : outlets of the motion streams, of which those that carry no pose are only served
    window : which tells the driver
    by_a_person : somebody drives, whose wishes count meanwhile
    keep_going : asked a hundred times a second
    """
    say(RISES)
    if window is not None:
        window.tell(RISES + SKIP * by_a_person, math.inf, lambda session: session.waits)

    def go_on() -> bool:
        if by_a_person:
            session.ask_driver()
        return keep_going() and any(motion in session.outlets and not motion.stream.failing for motion in platforms)

    platforms = [motion for motion in motions if motion.stream.parks]
    outlets: list[Outlet] = [*([] if window is None else [window]), *motions]
    session.wait_for_platform(go_on, outlets)
    if session.cueing.rises and go_on():
        say(STAYS_DOWN)
        if window is not None:
            window.message = STAYS_DOWN
    session.publish(served=outlets)
