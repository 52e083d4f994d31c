"""Effects of events on a drive: restart, end, platform, messages in the window."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from simulator.driver.make_driver import PERSON
from simulator.event_effects.contract import Controlled
from simulator.event_effects.cueing_controls import CueingControls
from simulator.host.drive_streams import DriveStreams
from simulator.host.drive_view import DriveView
from simulator.host.human_controls import HumanControls
from simulator.host.next_run import check_next_run
from simulator.host.washout_save import WashoutSave
from simulator.outlets.view import MESSAGE_TIME
from simulator.platform_supervisor import RAISE, RAISE_LATER, STAY_DOWN, order_platform
from simulator.session import Session

ASKED = "take over: move the steering or a pedal"
MOVING_TIME = 30.0
"""s for which the window shows that the platform rises or parks."""


class DriveControl(Controlled):
    """What the events of a drive act on.

    Parameters
    ----------
    view, streams, controls : of the drive

    Attributes
    ----------
    ended : True after an event has ended the drive
    next_run : changes of the session for another drive after this one; None: the command ends
    washout_save : writes the tuned washout
    """

    washout_save: WashoutSave

    def __init__(self, view: DriveView, streams: DriveStreams, controls: HumanControls) -> None:
        self.ended = False
        self.next_run: dict[str, Any] | None = None
        self._view, self._streams, self._controls = view, streams, controls

    def begin(self, session: Session) -> None:
        """Act on a session from now on."""
        self.session, self.cueing = session, CueingControls(session.cueing.tuner)

    def restart(self) -> None:
        """Put the vehicle back to the start; a person's selector returns to drive, and an automatic driver begins again."""
        self.session.reset()
        if self._controls.driver is not None:
            self._controls.driver.begin()
        self.session.seat.restart()
        self._view.show_map(self.session.driver)

    def hand_over(self, name: str) -> bool:
        """Let a driver take over; a person is only asked to, and takes over by moving a control."""
        seat = self.session.seat
        if seat.find(name) == PERSON != seat.name:
            seat.offered = PERSON
            self.show(ASKED, math.inf, lambda session: session.seat.offered == PERSON)
            return False
        self._seat(name)
        return True

    def take_over(self) -> None:
        """Let the person take over now."""
        self._seat(self.session.seat.find(PERSON))

    def _seat(self, name: str) -> None:
        session = self.session
        seat, before = session.seat, session.driver
        seat.hand_over(name, session.time, session.readout)
        if session.driver is not before:
            self._view.set_person(name == PERSON)
            self._view.show_map(session.driver)
        self.show("you drive" if name == PERSON else f"the {name} driver drives")

    def command_platform(self, order: str | None) -> str:
        """Let the platform rise or park; a platform that has not joined the drive will do so when it is up."""
        session, streams = self.session, self._streams
        if streams.joins:
            streams.arms = not streams.arms if order is None else order == RAISE
            self.show("platform rises when it is up" if streams.arms else "platform stays down")
            return RAISE_LATER if streams.arms else STAY_DOWN
        order = order_platform(session, order)
        text, goal = ("platform rises", ("engaged", "paused", "fault")) if order == RAISE else ("platform parks", ("off", "parked"))
        self.show(text, MOVING_TIME, lambda s: s.cueing.procedure.state not in goal)
        return order

    def quit(self) -> None:
        """End the drive."""
        self.ended = True

    def start_next(self, value: Any) -> Any:
        """End the drive, and begin another one with a changed session. Raises ConfigError."""
        self.next_run = check_next_run(value)
        self.quit()
        return self.next_run

    def save_washout(self) -> None:
        """Write the washout with its present parameters into the folder of the drive. Raises ConfigError."""
        self.washout_save.save()

    def show_last_seconds(self) -> None:
        """Show the last seconds in the window, or end that replay."""
        if self._view.window is not None:
            self.show(self._view.window.show_last_seconds(self.session), 2.0 * MESSAGE_TIME, lambda session: session.paused)

    def show(self, text: str, seconds: float | None = None, holds: Callable[[Session], bool] | None = None) -> None:
        """Show the driver a line, if there is a window."""
        if self._view.window is not None:
            self._view.window.show_message(text, MESSAGE_TIME if seconds is None else seconds, holds)
