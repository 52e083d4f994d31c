"""Keys of the window as events, for a drive in which the keyboard is no input source."""

from __future__ import annotations

from simulator.driver.input_devices.keyboard import ACTIONS, Keys
from simulator.event_effects.kinds import COMMANDS
from simulator.events.event import Event, Origin, sent

_KEYS = {key: action for key, action in ACTIONS.items() if action in COMMANDS}


class WindowKeys:
    """Events of the keys that do not drive, such as pause and restart."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def events(self) -> list[Event]:
        """Return the events of the presses since the previous call."""
        return [sent(action, Origin.WINDOW) for key, action in _KEYS.items() for _ in range(self._keys.taps(key))]
