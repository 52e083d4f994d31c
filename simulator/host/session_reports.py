"""Reports of a drive about its session: failures of its parts, faults, collisions, incidents, and a vehicle that has rolled over."""

from __future__ import annotations

import math
import threading
from functools import partial

from simulator.assistance.assistance import occurrence_text, short_text
from simulator.host.drive_messages import DriveMessages
from simulator.host.drive_view import DriveView
from simulator.incident import is_upright
from simulator.outlets.outlet_runner import OutletRunner
from simulator.outlets.view import ViewOutlet
from simulator.session import Session
from vehicles.contact.collisions import SEPARATE

ROLLED_OVER = "rolled over: press T to put the vehicle upright"
COLLISION_TIME = 4.0
"""s for which the window shows a collision."""
ASSISTANCE_TIME = 2.0
"""s for which the window shows a warning or an intervention of the driver assistance."""
HINT_TICKS = 500
"""Ticks between two checks whether the vehicle is upright."""


class SessionReports:
    """Reports each failure, collision and incident once, and each begin of a fault."""

    def __init__(self, messages: DriveMessages, view: DriveView) -> None:
        self._messages, self._view = messages, view
        self._passings = self._failures = self._troubles = self._incidents = self._collisions = self._assistance = 0
        self._lines = 0
        self._in_incident = self._stopped = False
        self._active: set[str] = set()
        self._of_others: set[str] = set()

    def report(self, session: Session) -> None:
        """Report what has happened since the last call."""
        for failure in session.output.failures[self._failures :]:
            self._failures += 1
            self._messages.note(failure)
        for trouble in session.vehicle.troubles[self._troubles :]:
            self._troubles += 1
            self._messages.trouble(trouble)
        for trouble in session.others.troubles:
            if trouble not in self._of_others:
                self._of_others.add(trouble)
                self._messages.say(trouble)
        if session.course is not None:
            for one in session.course.passings[self._passings :]:
                self._messages.say(f"{one.time:.2f} s: {one.text}")
            self._passings = len(session.course.passings)
        notices = session.seat.reports
        for notice in notices[self._lines :]:
            self._messages.say(notice)
        self._lines = len(notices)
        self._report_stop(session)
        self._report_faults(session)
        self._report_assistance(session)
        self._report_collisions(session)
        self._report_incident(session)
        if self._view.window is not None and session.tick % HINT_TICKS == 0:
            show_upright_hint(session, self._view.window)

    def report_outlets(self, session: Session) -> None:
        """Report at the end what outlets of plugins have missed."""
        for outlet in session.output.outlets:
            if isinstance(outlet, OutletRunner) and (outlet.missed or outlet.dropped):
                self._messages.say(f"outlet {outlet.name}: too slow; {outlet.missed} publications missed, {outlet.dropped} events dropped")

    def _report_stop(self, session: Session) -> None:
        """Report the stop of the platform, and its end."""
        if session.platform_stopped != self._stopped:
            self._stopped = session.platform_stopped
            state = "stopped by the operator: it holds its pose" if self._stopped else "no longer stopped: it parks"
            self._messages.say(f"the platform is {state}")

    def _report_faults(self, session: Session) -> None:
        """Report faults that have begun in the terminal. The window does not show them, because they surprise a driver."""
        active = {fault.name for fault in session.injector.faults if fault.level > 0.0}
        for name in sorted(active - self._active):
            self._messages.say(f"fault {name} begins at {session.time:.2f} s")
        self._active = active

    def _report_assistance(self, session: Session) -> None:
        """Report warnings and interventions of the driver assistance."""
        occurrences = [] if session.assistance is None else session.assistance.occurrences
        self._assistance = min(self._assistance, len(occurrences))
        for one in occurrences[self._assistance :]:
            self._messages.say(occurrence_text(one))
            if self._view.window is not None:
                self._view.window.show_message(short_text(one), ASSISTANCE_TIME)
        self._assistance = len(occurrences)

    def _report_collisions(self, session: Session) -> None:
        """Report new collisions, once the vehicle has left the object or has touched it for SEPARATE."""
        for collision in session.collisions[self._collisions :]:
            if session.time - collision.time <= SEPARATE:
                return
            self._collisions += 1
            self._messages.say(collision.message)
            if self._view.window is not None:
                self._view.window.show_message(collision.short_message, COLLISION_TIME)

    def _report_incident(self, session: Session) -> None:
        incident, window = session.recovery.latest, self._view.window
        if incident is not None and incident.number > self._incidents:
            self._incidents = incident.number
            self._messages.say(f"{incident.message}; the vehicle was put back to its last valid position")
            if window is not None:
                window.message = f"{incident.reason}: vehicle put back"
            # in another thread, because the platform needs its packets in time
            write = partial(incident.write, self._messages.folder.path)  # type: ignore[union-attr]
            threading.Thread(target=self._messages.attempt, args=(write,)).start()
        elif self._in_incident and session.recovery.incident_number == 0 and window is not None:
            window.message = ""
        self._in_incident = session.recovery.incident_number > 0


def show_upright_hint(session: Session, window: ViewOutlet) -> None:
    """Show the driver of a vehicle that is rolled over how to put it upright."""
    if not window.message and _is_rolled_over(session):
        window.show_message(ROLLED_OVER, math.inf, _is_rolled_over)


def _is_rolled_over(session: Session) -> bool:
    return not is_upright(session.vehicle.space.state[0]["q_WB"])
