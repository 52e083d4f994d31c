"""Pages for the settings of a user and for the keys, in the start screen and in the pause menu. A change is saved at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from simulator.base.errors import JounceError
from simulator.view.instruments import SPEED_UNITS
from simulator.view.key_bindings import ACTIONS, DEFAULTS, help_rows, keys_text, rebound, shown
from simulator.view.menu import Menu, PlainPage, Row, stepped
from simulator.view.user_settings import LARGEST_TEXT, UserSettings, save_settings

TEXT_STEP = 0.25
SETTINGS_NOTE = "sound, screen, camera, steering, units, text size, keys"


class LiveSettings:
    """Settings in use; a change takes effect at once and is saved.

    Parameters
    ----------
    settings : settings at the start
    changed : called after each change

    Attributes
    ----------
    trouble : why the last change could not be saved; empty if it was saved
    """

    def __init__(self, settings: UserSettings, changed: Callable[[UserSettings], None] = lambda settings: None) -> None:
        self.value = settings
        self.trouble = ""
        self._changed = changed

    def change(self, **values: Any) -> None:
        """Change values of the settings."""
        self.value = replace(self.value, **values)
        self._changed(self.value)
        try:
            save_settings(self.value)
            self.trouble = ""
        except JounceError as error:
            self.trouble = str(error)


class SettingsPage(PlainPage):
    """Units, text size, camera, guide, and the way to the keys."""

    title = "Settings"

    def __init__(self, live: LiveSettings, menu: Callable[[], Menu]) -> None:
        self._live, self._menu = live, menu

    def rows(self) -> list[Row]:
        """Return a row for each setting."""
        live, s = self._live, self._live.value
        units = tuple(SPEED_UNITS)
        rows = [
            Row(
                "Speed", s.speed_unit, "unit of the displayed speed", step=lambda _: live.change(speed_unit=stepped(units, s.speed_unit, 1))
            ),
            Row("Text size", f"{s.text_scale:.2f}", "size of the text in the window, 1 to 2", step=self._step_text),
            Row(
                "Camera shake",
                _on(s.camera_shake),
                "off: the driver's camera moves smoothly, without bumps and body roll",
                step=lambda _: live.change(camera_shake=not s.camera_shake),
            ),
            Row("Guide at the next drive", _on(s.guide), "short guide for the first drive", step=lambda _: live.change(guide=not s.guide)),
            Row("Keys", "", "list of all keys; change them", choose=lambda: self._menu().open(KeysPage(live, self._menu))),
            Row("Back", choose=lambda: self._menu().back()),
        ]
        return rows + ([Row(live.trouble, note=live.trouble, warns=True)] if live.trouble else [])

    def _step_text(self, way: int) -> None:
        now = self._live.value.text_scale
        steps = round((LARGEST_TEXT - 1.0) / TEXT_STEP) + 1
        number = (round((now - 1.0) / TEXT_STEP) + way) % steps
        self._live.change(text_scale=1.0 + TEXT_STEP * number)


class KeysPage(PlainPage):
    """Keys of all actions; Enter waits for a new key."""

    title = "Keys"
    first = 1
    """The first action: a second Enter must not restore all keys."""

    def __init__(self, live: LiveSettings, menu: Callable[[], Menu]) -> None:
        self._live, self._menu = live, menu
        self._waiting = ""
        self._remark = ""

    @property
    def listens(self) -> bool:
        """True while the page waits for the new key of an action."""
        return bool(self._waiting)

    def rows(self) -> list[Row]:
        """Return a row for each action."""
        bindings = self._live.value.keys
        out = [
            Row("Restore all usual keys", "", self._remark or "give all actions their usual keys", choose=self._restore),
        ]
        for action in ACTIONS:
            waits = action.name == self._waiting
            note = (
                "press the new key \u00b7 Esc: no change"
                if waits
                else self._remark or "Enter: new key \u00b7 Backspace: usual keys \u00b7 Delete: no key"
            )
            value = "press a key" if waits else keys_text(bindings[action.name])
            out.append(Row(action.name.replace("_", " "), value, note, choose=lambda name=action.name: self._wait(name)))  # type: ignore[misc]
        return [*out, Row("Back", choose=lambda: self._menu().back())]

    def take_key(self, key: str) -> bool:
        """Take the new key of an action."""
        number = self._menu().selected - 1
        if self._waiting:
            action, self._waiting = self._waiting, ""
            if key == "ESCAPE" and action != "menu":
                return True
            self._bind(action, key)
            return True
        self._remark = ""
        if key in ("BACKSPACE", "DELETE") and 0 <= number < len(ACTIONS):
            self._reset(ACTIONS[number].name, DEFAULTS[ACTIONS[number].name] if key == "BACKSPACE" else ())
            return True
        return False

    def _wait(self, action: str) -> None:
        self._waiting, self._remark = action, ""

    def _bind(self, action: str, key: str) -> None:
        bindings = self._live.value.keys
        loser = next((name for name, keys in bindings.items() if key in keys and name != action), "")
        self._live.change(keys=rebound(bindings, action, key))
        self._remark = f"{shown(key)} is now {action.replace('_', ' ')}" + (f", no longer {loser.replace('_', ' ')}" if loser else "")

    def _reset(self, action: str, keys: tuple[str, ...]) -> None:
        others = {name: tuple(key for key in found if key not in keys) for name, found in self._live.value.keys.items()}
        self._live.change(keys=others | {action: keys})

    def _restore(self) -> None:
        self._live.change(keys=dict(DEFAULTS))
        self._remark = "all actions have their usual keys"


class KeyListPage(PlainPage):
    """List of the keys with their meanings."""

    title = "Keys while driving"

    def __init__(self, live: LiveSettings, menu: Callable[[], Menu]) -> None:
        self._live, self._menu = live, menu
        self.first = 0

    def rows(self) -> list[Row]:
        """Return a row for each line of the list."""
        back = Row("Back", choose=lambda: self._menu().back())
        return [back, *(Row(keys, meaning) for keys, meaning in help_rows(self._live.value.keys))]


def _on(flag: bool) -> str:
    return "on" if flag else "off"
