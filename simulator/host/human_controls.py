"""Human driver of a drive: the input devices, and the events of keys and buttons."""

from __future__ import annotations

from typing import Any

from simulator.base.records import Record
from simulator.base.registry import KindChoice
from simulator.builder.session_parts import SessionParts
from simulator.driver.hand_over import TakeoverWatch
from simulator.driver.make_driver import PERSON
from simulator.events.event import Event, Origin
from simulator.host.drive_messages import DriveMessages
from simulator.host.drive_view import DriveView
from simulator.host.window_keys import WindowKeys
from simulator.session import Session


class HumanDriverAdapter:
    """Adapter of a human driver to the driver interface of the session."""

    label = "human driver"
    """Name of the driver in messages."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the command from the input devices."""
        self.driver.read(t, float(readout[0]["v_WB_B"][0]), command, readout)

    def resume(self, t: float, readout: Record, command: Record) -> None:
        """Drive again after another driver."""
        self.driver.resume(command)


class HumanControls:
    """Devices and keys of a human driver.

    Attributes
    ----------
    driver : human driver; None if no person may drive
    """

    def __init__(self, messages: DriveMessages, view: DriveView) -> None:
        self.driver: Any = None
        self._messages, self._view = messages, view
        self._keys: WindowKeys | None = None
        self._horn = False
        self._watch = TakeoverWatch()

    def open_driver(self, parts: SessionParts, chosen: KindChoice) -> HumanDriverAdapter:
        """Open the input devices of a choice and return the driver."""
        from simulator.driver.input_devices.human_driver import open_driver
        from simulator.driver.input_devices.vehicle_handling import handling_of

        self.driver = open_driver(
            chosen.name,
            self._view.keys,
            gears=parts.vehicle.hand_gears,
            said=chosen.parameters,
            gives_torque=parts.vehicle.takes_torque,
            reverse_by_brake=parts.options.reverse_by_brake,
            handling=handling_of(parts.vehicle, parts.traits),
        )
        self.driver.set_steering_speed(self._view.settings.steering_speed)
        return HumanDriverAdapter(self.driver)

    def watch(self, session: Session) -> list[Event]:
        """Return the event of a person who takes over from another driver, by a movement of a control; called a hundred times a second."""
        seat = session.seat
        if self.driver is None or seat.name == PERSON or session.waits:
            self._watch.begin()
            return []
        command = self.driver.watch(session.time, float(session.readout[0]["v_WB_B"][0]))
        if command is None or not self._watch.moved(command, asked=seat.offered == PERSON):
            return []
        return [Event("take_over", None, self.driver.origin)]

    def report_troubles(self) -> None:
        """Report each failure of a device once."""
        if self.driver is None:
            return
        for trouble in self.driver.troubles():
            if trouble not in self._messages.troubles:
                self._messages.trouble(trouble)

    def events(self) -> list[Event]:
        """Return the events of keys and buttons since the previous call, and show the notices of the devices."""
        keys = self._view.keys
        if self.driver is not None:
            for notice in self.driver.notices():
                self._messages.say(notice)
                if self._view.window is not None:
                    self._view.window.message = notice
        if self.driver is not None and keys is not None and self._view.window is not None:
            self._view.window.press_in_menu(self.driver.menu_keys(keys.in_menu))
            self._view.window.extras[0]["look"] = self.driver.look()
        events = [] if self.driver is None else self.driver.events()
        horn = (keys is not None and keys.down("horn")) or (self.driver is not None and self.driver.holds("horn"))
        if horn != self._horn:
            self._horn = not self._horn
            by_key = keys is not None and (keys.down("horn") or self.driver is None)
            events.append(Event("horn", self._horn, Origin.WINDOW if by_key else self.driver.origin))
        if keys is not None and (changed := keys.settings()) is not None:
            events += self._apply(*changed)
        if keys is None or (self.driver is not None and self.driver.reads_keys):
            return events
        if self._keys is None:
            self._keys = WindowKeys(keys)
        return [*events, *self._keys.events()]

    def _apply(self, volume: float, steering_speed: float) -> list[Event]:
        """Let settings take effect that the user has changed in the window; return the event of another volume."""
        if self.driver is not None:
            self.driver.set_steering_speed(steering_speed)
        window = self._view.window
        return [] if window is None or volume == window.extras[0]["volume"] else [Event("volume", volume, Origin.WINDOW)]
