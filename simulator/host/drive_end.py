"""Reason for the end of a drive, in words for terminal, page and list of events."""

from __future__ import annotations

from simulator.base.signals import StopRequest, signal_message
from simulator.events.event import Event, Origin
from simulator.maneuvers.phase_driver import DONE, how_ended
from simulator.session import Session

DURATION_OVER = "the duration is over"
IS_DONE = "the maneuver is done"
BY_ORIGIN = {
    Origin.WINDOW: "ended by key or menu of the window",
    Origin.DEVICE: "ended by a button of a device",
    Origin.SCRIPT: "ended by the script",
    Origin.PORT: "ended by the program on the port",
}


def end_reason(session: Session, failure: str, signals: StopRequest, event: Event | None) -> str:
    """Return why a drive has ended.

    Parameters
    ----------
    failure : error that ended the drive; empty without one
    signals : signals so far
    event : event that ended the drive, if one did
    """
    if failure:
        return failure
    if signals.first is not None:
        return signal_message(signals.first)
    if event is not None and event.kind == "next_run":
        return "the operator begins the next run"
    if event is not None:
        return event.value or BY_ORIGIN.get(event.origin, "ended by the drive")
    ended = how_ended(session.driver)
    return IS_DONE if ended == DONE else ended or session.triggers.ended or DURATION_OVER
