"""Player of a recorded drive: position, speed, pause, events. No window here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

SLOWEST, FASTEST = 0.125, 4.0
STEP = 5.0
"""s that a press of an arrow key moves."""
HOLD = 0.35
"""s after which a pressed arrow key scrubs."""
SCRUB = 8.0
"""s of the recording per s while an arrow key is pressed."""
BACK_MARGIN = 1.0
"""s. The previous event is the one before the present position by this much, so that repeated presses go back."""
LEAD = 2.0
"""s before an event at which a jump to it begins."""


class PlayerKeys(Protocol):
    """Keys of the window."""

    def down(self, key: str) -> bool:
        """Return whether a key is pressed."""

    def taps(self, key: str) -> int:
        """Return the number of presses of a key since the previous call."""

    def pointed(self) -> float | None:
        """Return the place of the time line that was selected since the previous call."""


class MarkedEvent(Protocol):
    """Event to which a player jumps."""

    @property
    def position(self) -> float:
        """Position [s]."""

    @property
    def text(self) -> str:
        """Short text."""


class Player:
    """Position in a recorded drive.

    Parameters
    ----------
    first, last : positions between which the drive is played [s]
    speed : simulated time per wall time
    events : events of the drive in their order

    Attributes
    ----------
    position : present position [s]
    paused : True during a pause; the end of the recording is a pause
    jumped : True if the position does not continue the previous one; the caller resets it
    message : text about the last jump to an event, and `message_age` [s]
    """

    def __init__(self, first: float, last: float, speed: float = 1.0, events: Sequence[MarkedEvent] = ()) -> None:
        self.first, self.last, self.speed, self.events = first, last, speed, events
        self.position = first
        self.paused, self.jumped = False, True
        self.message, self.message_age = "", 0.0
        self._hold_time = 0.0

    def advance(self, dt: float, keys: PlayerKeys) -> None:
        """Advance by a wall time [s] and obey the keys."""
        self.message_age += dt
        self._switch(keys)
        self._move(dt, keys)
        if not self.paused:
            self.position += dt * self.speed
            if self.position >= self.last:
                self.position, self.paused = self.last, True

    def seek(self, position: float) -> None:
        """Go to a position."""
        self.position = min(max(position, self.first), self.last)
        self.jumped = True

    def _switch(self, keys: PlayerKeys) -> None:
        """Obey the keys that are pressed once."""
        if (keys.taps("pause") + keys.taps("space")) % 2:
            self.paused = not self.paused
            if not self.paused and self.position >= self.last:
                self.seek(self.first)
        faster, slower = keys.taps("up"), keys.taps("down")
        self.speed = min(max(self.speed * 2.0 ** (faster - slower), SLOWEST), FASTEST)
        if keys.taps("reset"):
            self.seek(self.first)
        for key, forward in (("washout_up", True), ("washout_down", False)):
            for _ in range(keys.taps(key)):
                self._go_to_event(forward)

    def _move(self, dt: float, keys: PlayerKeys) -> None:
        """Obey the arrow keys and the mouse."""
        if (place := keys.pointed()) is not None:
            self.seek(place * self.last)
        taps = keys.taps("right") - keys.taps("left")
        if taps:
            self.seek(self.position + STEP * taps)
        direction = int(keys.down("right")) - int(keys.down("left"))
        self._hold_time = self._hold_time + dt if direction else 0.0
        if direction and self._hold_time > HOLD:
            self.seek(self.position + SCRUB * dt * direction)

    def _go_to_event(self, forward: bool) -> None:
        """Go to shortly before the next or previous event."""
        ahead = [event for event in self.events if event.position - LEAD > self.position + 1e-6]
        behind = [event for event in self.events if event.position - LEAD < self.position - (BACK_MARGIN if not self.paused else 1e-6)]
        target = ahead[:1] if forward else behind[-1:]
        if not target:
            self.message, self.message_age = f"no {'next' if forward else 'previous'} event", 0.0
            return
        self.seek(target[0].position - LEAD)
        self.message, self.message_age = target[0].text, 0.0
