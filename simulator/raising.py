"""The way of the platform up at the beginning of a drive, for which the vehicle waits: the start of a drive is to be felt."""

from __future__ import annotations

import math
from collections.abc import Callable

from simulator.outlets import Motion, Window
from simulator.session import Outlet, Session

RISES = "the platform rises, then the drive begins"
SKIP = "; M: begin without it"
STAYS_DOWN = "the platform does not come up: the drive begins without it"


def wait_for_platform(
    session: Session, motion: Motion, window: Window | None, by_a_person: bool, keep_going: Callable[[], bool], say: Callable[[str], None]
) -> None:
    """Let the platform rise and blend in while the vehicle stands and the log rests; the log then begins.

    It ends as soon as the platform is up, or there is nothing to wait for: nobody consents to motion any more, something failed, the stream has. A
    platform that takes twice its time is not waited for.

    Parameters
    ----------
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
        return keep_going() and motion in session.outlets and not motion.stream.failing

    outlets: list[Outlet] = [motion] if window is None else [window, motion]
    session.wait_for_platform(go_on, outlets)
    if session.cueing.rises and go_on():
        say(STAYS_DOWN)
        if window is not None:
            window.message = STAYS_DOWN
    session.publish(served=outlets)
