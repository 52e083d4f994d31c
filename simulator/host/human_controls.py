"""Human driver of a drive: the input devices, and the keys that act on the drive itself."""

from __future__ import annotations

from typing import Any

from simulator.base.records import Record
from simulator.builder.builder import SessionParts
from simulator.driver.input_devices.controls import SHIFT_SPEED
from simulator.host.cueing_controls import CueingControls
from simulator.host.drive_messages import DriveMessages
from simulator.host.drive_streams import DriveStreams
from simulator.host.drive_view import DriveView
from simulator.session import Session

TUNED_TIME = 4.0
"""s for which a changed parameter of the washout is displayed."""


class HumanDriverAdapter:
    """Adapter of a human driver to the driver interface of the session."""

    label = "human driver"
    """Name of the driver in messages."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the command from the input devices."""
        self.driver.read(t, float(readout[0]["v_WB_B"][0]), command)


class HumanControls:
    """Devices and keys of a human driver.

    Attributes
    ----------
    driver : human driver; None for another driver
    stop : True after the driver has ended the drive
    """

    def __init__(self, messages: DriveMessages, view: DriveView, streams: DriveStreams) -> None:
        self.driver: Any = None
        self.stop = False
        self._messages, self._view, self._streams = messages, view, streams
        self._panel: CueingControls | None = None

    def open_driver(self, parts: SessionParts) -> HumanDriverAdapter:
        """Open the input devices and return the driver."""
        from simulator.driver.input_devices.human_driver import open_driver

        chosen, steering = parts.options.driver, parts.vehicle.description.steering[0]
        lock_to_lock = 2.0 * steering["max_arm_angle"] * steering["gear_ratio"]
        self.driver = open_driver(
            chosen.name,
            self._view.keys,
            steering_wheel_range=float(lock_to_lock),
            gears=parts.vehicle.hand_gears,
            said=chosen.parameters,
            gives_torque=parts.vehicle.takes_torque,
            reverse_by_brake=parts.options.reverse_by_brake,
        )
        return HumanDriverAdapter(self.driver)

    def control_cueing(self, panel: CueingControls) -> None:
        """Connect the keys for the motion cueing."""
        self._panel = panel

    def report_troubles(self) -> None:
        """Report each failure of a device once."""
        if self.driver is None:
            return
        for trouble in self.driver.troubles():
            if trouble not in self._messages.troubles:
                self._messages.trouble(trouble)

    def serve(self, session: Session) -> None:
        """Handle the keys and the notices of the devices."""
        window = self._view.window
        if self.driver is None or window is None:
            return
        for event in self.driver.events():
            self.handle_event(event, session)
        for notice in self.driver.notices():
            window.message = notice
            self._messages.say(notice)

    def handle_event(self, event: str, session: Session) -> None:
        """Apply the event of a key."""
        window = self._view.window
        assert window is not None
        if event == "escape":
            self.stop = True
        elif event == "pause":
            session.paused = not session.paused
            window.message = ""  # the view displays the pause
        elif event == "upright":
            session.set_upright()
            window.jump()
            window.message = ""
        elif event == "reset":
            session.reset()
            self.driver.begin()
            window.jump()
            window.message = ""
        elif event == "motion":
            self._raise_or_park(session)
        elif self._panel is not None and (options := self._panel.handle_event(event)) is not None:
            window.show_message(options, TUNED_TIME)
        elif event == "shift_refused":
            window.show_message("stop before shifting", 3.0, lambda s: abs(s.readout[0]["v_WB_B"][0]) > SHIFT_SPEED)

    def _raise_or_park(self, session: Session) -> None:
        window, streams = self._view.window, self._streams
        assert window is not None
        if streams.joins:
            streams.arms = not streams.arms
            window.show_message("platform rises when it is up" if streams.arms else "platform stays down")
            return
        armed = session.waits or session.cueing.procedure.state not in ("off", "parked", "park", "fault")
        session.cueing.procedure.park() if armed else session.cueing.procedure.arm()
        goal = ("off", "parked") if armed else ("engaged", "paused", "fault")
        window.show_message("platform parks" if armed else "platform rises", 30.0, lambda s: s.cueing.procedure.state not in goal)
