"""Park of the platform at the end of a drive, regardless of the reason for the end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from simulator.base.signals import StopRequest
from simulator.outlets.motion_stream import MotionStreamOutlet
from simulator.platform_phases import coast, stop_platform
from simulator.platform_supervisor import PARK, order_platform
from simulator.session import Outlet, Session

PARK_TIME = 12.0
"""s. Maximum time for the platform to return to its rest pose."""
REST_TIME = 0.5
"""s for the last millimeter. The platform must be at rest when the stream ends, or it would rise once more."""
STOP_TIME = 0.3
"""s for stopping the platform at its present pose instead of parking: ten times the time that its limits need."""
QUICK_PARK_TIME, QUICK_REST_TIME = 1.6, 0.2
"""s. As PARK_TIME and REST_TIME, for the built-in platform, on which nobody sits."""
QUICK_TIMES = {"fade": 0.2, "settle": 0.8, "park": 0.8}
"""s. Times of the procedure for the built-in platform: as short as the limits of its legs permit."""
STAYS = "the platform keeps its pose, because the operator has stopped it"
STOPPING_SIGNALS = 3
"""Number of signals that stops the parking."""


def park(
    session: Session,
    motions: Sequence[MotionStreamOutlet],
    others: Sequence[Outlet],
    signals: StopRequest,
    say: Callable[[str], None],
    quick: bool = False,
    serve: Callable[[], None] = lambda: None,
) -> None:
    """Lower the platform and hold it at its rest pose. The vehicle rests; the driver and the log are not called.

    A platform that the operator has stopped keeps its pose.

    The first signal ends the drive. After the second signal a message asks for patience. With the third signal the platform stops at its
    present pose, within its limits, and its receiver then acts as without a stream.

    Parameters
    ----------
    motions : outlets of the motion streams; the function returns at once when all have failed
    others : further outlets to serve, for example the window
    signals : signals so far
    quick : True if only the built-in platform parks: it takes at most QUICK_PARK_TIME, and stops at its pose if it is not down then
    serve : called a hundred times a second; it may stop the platform
    """
    answered = min(signals.count, 1)

    def wait() -> bool:
        nonlocal answered
        serve()
        if session.platform_stopped:
            return False
        if answered < signals.count < STOPPING_SIGNALS:
            answered = signals.count
            remaining = STOPPING_SIGNALS - answered
            say(
                f"the platform parks, please wait; press Ctrl-C {'once' if remaining == 1 else 'twice'} more to stop it at its present pose"
            )
        return signals.count < STOPPING_SIGNALS and bool(_active(session, motions))

    park_time, rest_time = (QUICK_PARK_TIME, QUICK_REST_TIME) if quick else (PARK_TIME, REST_TIME)
    if not session.platform_stopped:
        times = session.cueing.records.p[0]
        for name, seconds in QUICK_TIMES.items() if quick else ():
            times[name] = min(float(times[name]), seconds)
        order_platform(session, PARK)
        coast(session, park_time, lambda: wait() and not parked(session, motions), [*others, *motions])
        coast(session, rest_time, wait, [*others, *motions])
    if session.platform_stopped:
        say(STAYS)
    if session.platform_stopped or ((quick or signals.count >= STOPPING_SIGNALS) and not parked(session, motions)):
        stop_platform(session, STOP_TIME, motions)


def parked(session: Session, motions: Sequence[MotionStreamOutlet]) -> bool:
    """Return whether every receiver is at rest. For a protocol without a platform pose, the forces must be at rest."""
    down = session.cueing.procedure.state in ("off", "parked")
    return all(down if motion.stream.parks else motion.stream.at_rest for motion in _active(session, motions))


def close_together(motions: Sequence[MotionStreamOutlet]) -> None:
    """Close the streams in parallel, because each may need time to come to rest, and the others must not pause meanwhile."""
    threads = [threading.Thread(target=motion.close) for motion in motions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _active(session: Session, motions: Sequence[MotionStreamOutlet]) -> list[MotionStreamOutlet]:
    """Return the motion outlets that have not failed."""
    return [motion for motion in motions if motion in session.output.outlets]
