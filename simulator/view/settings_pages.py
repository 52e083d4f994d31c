"""Pages for the settings of a user and for the keys, in the start screen and in the pause menu. A change is saved at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from simulator.base.errors import JounceError
from simulator.events.sound_controls import STEP
from simulator.view.adaptive_resolution import GRAPHICS
from simulator.view.camera import MAP_UP
from simulator.view.instruments import SPEED_UNITS
from simulator.view.key_bindings import ACTIONS, DEFAULTS, help_rows, key_text, keys_text, rebound, shown
from simulator.view.look_around import LOOK_KEYS
from simulator.view.menu import Menu, PlainPage, Row, stepped
from simulator.view.user_settings import LARGEST_TEXT, SEAT_RANGE, STEERING_SPEEDS, VIEW_ANGLES, UserSettings, save_settings

TEXT_STEP = 0.25


class Scale(NamedTuple):
    """Displayed values of a setting that is a number."""

    unit: str
    step: int
    low: float
    high: float
    to_si: Callable[[float], float]
    from_si: Callable[[float], float]


def _percent(unit: str, step: int, low: float, high: float) -> Scale:
    """Return a scale whose displayed values are hundredths: percent, or centimeters."""
    return Scale(unit, step, round(100.0 * low), round(100.0 * high), lambda shown: shown / 100.0, lambda value: 100.0 * value)


NUMBERS = {
    "field_of_view": Scale(
        "\u00b0", 2, round(math.degrees(VIEW_ANGLES[0])), round(math.degrees(VIEW_ANGLES[1])), math.radians, math.degrees
    ),
    "seat_height": _percent(" cm", 1, -SEAT_RANGE, SEAT_RANGE),
    "seat_forward": _percent(" cm", 1, -SEAT_RANGE, SEAT_RANGE),
    "steering_speed": _percent(" %", 10, *STEERING_SPEEDS),
}
"""Scales by the name of the setting."""
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
    heard : volume of the drive, which the command line may have set; None without a drive
    """

    def __init__(self, settings: UserSettings, changed: Callable[[UserSettings], None] = lambda settings: None) -> None:
        self.value = settings
        self.trouble = ""
        self.heard: float | None = None
        self._published: float | None = None
        self._changed = changed

    @property
    def volume(self) -> float:
        """Volume of the drive, or of the next one."""
        return self.value.volume if self.heard is None else self.heard

    def follow_volume(self, volume: float, in_menu: bool) -> None:
        """Note the published volume of a drive, and save a change by a key or a button.

        The first one is that of the command line or the settings. `in_menu`: a change comes from this menu, which has saved it already.
        """
        before, self._published = self._published, volume
        if before is None:
            self.heard = volume
        elif volume != before and not in_menu:
            self.heard = volume
            if volume != self.value.volume:
                self.change(volume=volume)

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
    """Units, text size, camera, sound, screen, steering, guide, and the way to the keys."""

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
            Row(
                "Map camera",
                f"{s.map_up} up",
                f"upper side of the map; key: {key_text('camera_8', s.keys)}",
                step=lambda way: live.change(map_up=stepped(MAP_UP, s.map_up, way)),
            ),
            *self._image_rows(),
            *self._seat_rows(),
            Row("Guide at the next drive", _on(s.guide), "short guide for the first drive", step=lambda _: live.change(guide=not s.guide)),
            Row("Keys", "", "list of all keys; change them", choose=lambda: self._menu().open(KeysPage(live, self._menu))),
            Row("Back", choose=lambda: self._menu().back()),
        ]
        return rows + ([Row(live.trouble, note=live.trouble, warns=True)] if live.trouble else [])

    def _image_rows(self) -> list[Row]:
        """Return the rows for sound, screen and image."""
        live, s = self._live, self._live.value
        levels = tuple(GRAPHICS)
        return [
            Row("Volume", f"{100.0 * live.volume:.0f} %", "volume of the sound", step=self._step_volume),
            Row(
                "Full screen",
                _on(s.full_screen),
                f"window or full screen; key: {key_text('full_screen', s.keys)}",
                step=lambda _: live.change(full_screen=not s.full_screen),
            ),
            Row(
                "Vertical sync",
                _on(s.vsync),
                "on: frames wait for the screen, if the graphics driver allows this",
                step=lambda _: live.change(vsync=not s.vsync),
            ),
            Row(
                "Head tracking",
                _on(s.head_tracking),
                f"on: the eyes follow a head tracker by UDP, port {s.head_tracking_port}; takes effect with the next window",
                step=lambda _: live.change(head_tracking=not s.head_tracking),
            ),
            Row(
                "Graphics",
                s.graphics,
                "auto: as the machine allows. The resolution changes at once, other details with the next window",
                step=lambda way: live.change(graphics=stepped(levels, s.graphics, way)),
            ),
            self._number("Field of view", "field_of_view", "vertical angle of view of the driver's camera, 40 to 100 degrees"),
            Row(
                "Look with the mouse",
                _on(s.mouse_look),
                f"on: drag with a mouse button to look around; keys: {' '.join(key_text(name, s.keys) for name in LOOK_KEYS)}, or right stick",
                step=lambda _: live.change(mouse_look=not s.mouse_look),
            ),
        ]

    def _seat_rows(self) -> list[Row]:
        """Return the rows for seat and steering."""
        s = self._live.value
        return [
            Row(
                "Dashboard in the car",
                _on(s.dashboard_in_car),
                "off: the driver's camera shows speed, gear and engine only on the gauges of the car",
                step=lambda _: self._live.change(dashboard_in_car=not s.dashboard_in_car),
            ),
            self._number("Seat height", "seat_height", "height of the driver's eyes, -15 to 15 cm from the usual place"),
            self._number("Seat forward", "seat_forward", "driver's eyes forward, -15 to 15 cm from the usual place"),
            self._number("Steering speed", "steering_speed", "speed of the steering by keys and stick, 50 to 200 %"),
        ]

    def _number(self, label: str, name: str, note: str) -> Row:
        """Return the row of a number."""
        scale = NUMBERS[name]
        shown = round(scale.from_si(getattr(self._live.value, name)))
        text = f"{shown:+d}{scale.unit}" if scale.low < 0.0 and shown else f"{shown}{scale.unit}"

        def change(way: int) -> None:
            now = scale.from_si(getattr(self._live.value, name))
            steps = round(now / scale.step) + way
            self._live.change(**{name: scale.to_si(min(max(scale.step * steps, scale.low), scale.high))})

        return Row(label, text, note, step=change)

    def _step_volume(self, way: int) -> None:
        volume = min(max(round(self._live.volume + STEP * way, 2), 0.0), 1.0)
        if self._live.heard is not None:
            self._live.heard = volume
        self._live.change(volume=volume)

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
        others = {name: tuple(key for key in bound_keys if key not in keys) for name, bound_keys in self._live.value.keys.items()}
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
