"""What the events of a run on the port act on."""

from __future__ import annotations

from typing import Any

from simulator.base.errors import ConfigError
from simulator.driver.make_driver import PERSON
from simulator.event_effects.cueing_controls import CueingControls
from simulator.event_effects.kinds import Controlled
from simulator.port.port_driver import PortDriver
from simulator.session import Session


class PortControl(Controlled):
    """Effects of events: a run on the port has no window and no platform.

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

    def quit(self) -> None:
        """End the run."""
        self.ended = True

    def start_next(self, value: Any) -> Any:
        """Refuse: a program on the port ends with its run. Raises ConfigError."""
        raise ConfigError("event", "next_run", value, "a drive of `jounce drive`")
