"""What the events of a run on the port act on, see `simulator.event_effects.kinds.Controlled`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simulator.base.errors import ConfigError
from simulator.driver.make_driver import PERSON
from simulator.event_effects.cueing_controls import CueingControls
from simulator.platform_supervisor import STAY_DOWN
from simulator.port.port_driver import PortDriver
from simulator.session import Session


class PortControl:
    """Effects of events.

    Attributes
    ----------
    ended : True after an event has ended the run
    """

    def __init__(self, session: Session, driver: PortDriver) -> None:
        self.session, self.cueing = session, CueingControls(session.cueing.tuner)
        self.ended = False
        self._driver = driver

    def restart(self) -> None:
        """Put the vehicle back to the start; it waits there for a new command."""
        self.session.reset()
        self._driver.begin()

    def hand_over(self, name: str) -> bool:
        """Let a driver take over. Raises ConfigError: the peer is the only driver."""
        self.session.seat.find(name)
        return True

    def take_over(self) -> None:
        """Let a person take over. Raises ConfigError: the peer is the only driver."""
        self.session.seat.find(PERSON)

    def command_platform(self, order: str | None) -> str:
        """Do nothing: a run on the port has no platform."""
        return STAY_DOWN

    def quit(self) -> None:
        """End the run."""
        self.ended = True

    def start_next(self, value: Any) -> Any:
        """Refuse: a program on the port ends with its run. Raises ConfigError."""
        raise ConfigError("event", "next_run", value, "a drive of `jounce drive`")

    def save_washout(self) -> None:
        """Do nothing: a program on the port does not tune a washout."""

    def show_last_seconds(self) -> None:
        """Do nothing; there is no window."""

    def show(self, text: str, seconds: float | None = None, holds: Callable[[Session], bool] | None = None) -> None:
        """Do nothing: there is no window."""
