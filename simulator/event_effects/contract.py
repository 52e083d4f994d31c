"""Contract of the events that command a drive: who may send them, what they may act on, and the entry of one kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from simulator.base.fields import FieldType
from simulator.event_effects.cueing_controls import CueingControls
from simulator.events.event import Origin
from simulator.platform_supervisor import STAY_DOWN
from simulator.session import Session

TUNED_TIME = 4.0
"""s for which a changed parameter is displayed."""

PERSONS = frozenset({Origin.WINDOW, Origin.DEVICE})
"""Origins at the driver's seat."""
LOCAL = PERSONS | {Origin.SCRIPT}
SUPERVISORS = LOCAL | {Origin.CONSOLE}
"""LOCAL and the operator, who may do nothing that moves a platform up: consent is given at the vehicle."""
DRIVERS = SUPERVISORS | {Origin.PORT}
"""Origins that restart a drive. A program on the port neither raises nor tunes the platform."""
INJECTORS = frozenset({Origin.CONSOLE, Origin.SCRIPT, Origin.PORT})
"""Origins that set faults."""
OPERATOR = frozenset({Origin.CONSOLE, Origin.SCRIPT})
"""Origins that stop the platform, acknowledge the stop, place the vehicle, and write notes."""
EVERY = frozenset(Origin) - {Origin.SESSION, Origin.CONSOLE}


class Controlled:
    """What an event may act on: a drive, or its rerun. What a subclass does not define has no effect."""

    session: Session
    cueing: CueingControls

    def restart(self) -> None:
        """Put the vehicle back to the start, and begin the drive for the driver, too."""

    def hand_over(self, name: str) -> bool:
        """Let a driver take over; return False if he has only been asked to. Raises ConfigError: there is no such driver."""
        return True

    def take_over(self) -> None:
        """Let the person take over now. Raises ConfigError: no person may drive."""

    def command_platform(self, order: str | None) -> str:
        """Let the platform rise (RAISE) or park (PARK), None for the other one; return the order that took effect."""
        return STAY_DOWN

    def quit(self) -> None:
        """End the drive."""

    def start_next(self, value: Any) -> Any:
        """End the drive, and let the command begin another one with a changed session; return the value to record. Raises ConfigError."""
        return value

    def save_washout(self) -> None:
        """Write the washout with its present parameters into a file, without delay for the drive. Raises ConfigError: it has none."""

    def show_last_seconds(self) -> None:
        """Show the last seconds in the window while the vehicle is paused, or end that replay."""

    def show(self, text: str, seconds: float | None = None, holds: Callable[[Session], bool] | None = None) -> None:
        """Show the driver a line for some seconds, or until `holds` returns False; an empty text removes the line."""


class Effect(NamedTuple):
    """Effect of an event: kind and value under which it is recorded, which repeat it without knowledge of the state at that time."""

    kind: str
    value: Any = None


@dataclass(frozen=True)
class EventKind:
    """Kind of event that commands a drive."""

    name: str
    act: Callable[[Controlled, Any], Effect]
    """Applies the event. Raises ConfigError: the value cannot be used, and nothing has changed."""
    origins: frozenset[Origin]
    """Origins that may send the event."""
    meaning: str
    value: FieldType | None = None
    """Type of the value; None: no value."""
    toggles: bool = False
    """True if the event may come without its value, as from a key, and then changes the state to the other one."""
    question: Callable[[Controlled, Any], str] | None = None
    """Returns the question that the sender has to confirm before the event takes effect; empty: none. Raises ConfigError as `act`."""
