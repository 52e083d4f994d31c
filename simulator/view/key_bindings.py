"""Keys of the window: the actions that a user can bind, their usual keys, and the list of keys that the window shows.

Nothing heavy is imported here, because the help of the command line shows the keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Action(NamedTuple):
    """Action of the window that has keys."""

    name: str
    """Name in the settings file and in the menu."""
    sent: str
    """Name of the key that the host receives, an entry of `simulator.view.shared_keys.KEYS`; empty: an action of the window itself."""
    keys: tuple[str, ...]
    """Usual keys, the one to show first."""


ACTIONS = (
    Action("steer_left", "left", ("LEFT", "A")),
    Action("steer_right", "right", ("RIGHT", "D")),
    Action("throttle", "up", ("UP", "W")),
    Action("brake", "down", ("DOWN", "S")),
    Action("hold_parking_brake", "space", ("SPACE",)),
    Action("parking_brake", "parking_brake", ("B",)),
    Action("drive", "drive", ("F",)),
    Action("neutral", "neutral", ("N",)),
    Action("reverse", "reverse", ("V",)),
    Action("selector_up", "selector_up", ("E", "PAGEUP")),
    Action("selector_down", "selector_down", ("Q", "PAGEDOWN")),
    Action("gear_up", "shift_up", ("X",)),
    Action("gear_down", "shift_down", ("Z",)),
    Action("starter", "starter", ("I",)),
    Action("low_range", "low_range", ("L",)),
    Action("center_lock", "center_lock", ("K",)),
    Action("upright", "upright", ("T",)),
    Action("reset", "reset", ("R",)),
    Action("pause", "pause", ("P",)),
    Action("other_driver", "driver", ("Y",)),
    Action("last_seconds", "last_seconds", ("U",)),
    Action("menu", "", ("ESCAPE",)),
    Action("quit", "escape", ("F10",)),
    Action("platform", "motion", ("M",)),
    Action("intensity_up", "intensity_up", ("PLUS", "EQUAL", "NUM_ADD")),
    Action("intensity_down", "intensity_down", ("MINUS", "NUM_SUBTRACT")),
    Action("washout_next", "washout_next", ("J",)),
    Action("washout_down", "washout_down", ("COMMA",)),
    Action("washout_up", "washout_up", ("PERIOD",)),
    Action("horn", "horn", ("ENTER",)),
    Action("turn_signal_left", "turn_signal_left", ("DELETE",)),
    Action("turn_signal_right", "turn_signal_right", ("END",)),
    Action("hazard_lights", "hazard_lights", ("HOME",)),
    Action("mute", "mute", ("0",)),
    Action("volume_down", "volume_down", ("BRACKETLEFT",)),
    Action("volume_up", "volume_up", ("BRACKETRIGHT",)),
    Action("acc", "acc", ("4",)),
    Action("set_speed_down", "set_speed_down", ("5",)),
    Action("set_speed_up", "set_speed_up", ("6",)),
    Action("limiter", "limiter", ("8",)),
    Action("lane_keeping", "lane_keeping", ("9",)),
    Action("motion_chart", "", ("G",)),
    Action("insets", "", ("O",)),
    Action("camera", "", ("C",)),
    Action("camera_1", "camera_1", ("1",)),
    Action("camera_2", "camera_2", ("2",)),
    Action("camera_3", "camera_3", ("3",)),
    Action("camera_4", "camera_4", ("F2",)),
    Action("camera_5", "camera_5", ("F3",)),
    Action("camera_6", "camera_6", ("F4",)),
    Action("camera_7", "camera_7", ("F6",)),
    Action("camera_8", "camera_8", ("F8",)),
    Action("camera_9", "camera_9", ("F9",)),
    Action("camera_10", "camera_10", ("F12",)),
    Action("look_left", "", ("SEMICOLON",)),
    Action("look_right", "", ("APOSTROPHE",)),
    Action("look_back", "", ("SLASH",)),
    Action("full_screen", "", ("F11",)),
    Action("help", "", ("H", "F1")),
)
"""Actions in the order of the menu."""
NAMES = tuple(action.name for action in ACTIONS)

Bindings = Mapping[str, tuple[str, ...]]
"""Keys of each action, by the name of the action."""
DEFAULTS = {action.name: action.keys for action in ACTIONS}

_SIGNS = {
    "PLUS": "+", "MINUS": "-", "EQUAL": "=", "COMMA": ",", "PERIOD": ".", "SEMICOLON": ";", "APOSTROPHE": "'", "SLASH": "/", "BACKSLASH": "\\",
    "BRACKETLEFT": "[", "BRACKETRIGHT": "]", "GRAVE": "`", "NUM_ADD": "Num +", "NUM_SUBTRACT": "Num -", "NUM_MULTIPLY": "Num *",
    "NUM_DIVIDE": "Num /", "NUM_DECIMAL": "Num .", "NUM_ENTER": "Num Enter", "PAGEUP": "PgUp", "PAGEDOWN": "PgDn", "ESCAPE": "Esc",
    "LEFT": "Left", "RIGHT": "Right", "UP": "Up", "DOWN": "Down", "SPACE": "Space", "TAB": "Tab", "ENTER": "Enter", "BACKSPACE": "Backspace",
    "INSERT": "Insert", "DELETE": "Del", "HOME": "Home", "END": "End", "PAUSE": "Pause", "LSHIFT": "Left Shift", "RSHIFT": "Right Shift",
    "LCTRL": "Left Ctrl", "RCTRL": "Right Ctrl", "LALT": "Left Alt", "RALT": "Right Alt",
}  # fmt: skip
KEY_NAMES = (
    *(chr(code) for code in range(ord("A"), ord("Z") + 1)),
    *(str(digit) for digit in range(10)),
    *(f"F{number}" for number in range(1, 13)),
    *_SIGNS,
    *(f"NUM_{digit}" for digit in range(10)),
)
"""Names of keys, those of pyglet; a digit has the name of its character."""
MENU_KEYS = ("UP", "DOWN", "LEFT", "RIGHT", "ENTER", "NUM_ENTER", "ESCAPE", "PAGEUP", "PAGEDOWN")
"""Keys of a menu, which cannot be changed."""


def shown(key: str) -> str:
    """Return a key as the window shows it.

    >>> shown("PAGEUP"), shown("A"), shown("NUM_7")
    ('PgUp', 'A', 'Num 7')
    """
    return _SIGNS.get(key) or (f"Num {key[4:]}" if key.startswith("NUM_") else key)


def pyglet_name(key: str) -> str:
    """Return the name of a key in `pyglet.window.key`."""
    return f"_{key}" if key.isdigit() else key


def name_of(pyglet_key: str) -> str | None:
    """Return the name of a key from its name in pyglet; None for a key that cannot be bound.

    >>> name_of("_1"), name_of("RETURN"), name_of("MOTION_UP")
    ('1', 'ENTER', None)
    """
    name = {"RETURN": "ENTER", "QUOTELEFT": "GRAVE"}.get(pyglet_key, pyglet_key).removeprefix("_")
    return name if name in KEY_NAMES else None


def meanings(bindings: Bindings) -> dict[str, str]:
    """Return the action of each key."""
    return {key: action for action, keys in bindings.items() for key in keys}


def rebound(bindings: Bindings, action: str, key: str) -> dict[str, tuple[str, ...]]:
    """Return bindings in which a key, alone, belongs to an action; another action loses the key.

    >>> rebound({"pause": ("P",), "help": ("H", "F1")}, "pause", "F1")
    {'pause': ('F1',), 'help': ('H',)}
    """
    without = {name: tuple(one for one in keys if one != key) for name, keys in bindings.items()}
    return {**without, action: (key,)}


def double_keys(bindings: Bindings) -> list[tuple[str, str, str]]:
    """Return (key, first action, other action) of each key that two actions have.

    >>> double_keys({"pause": ("P",), "platform": ("M", "P")})
    [('P', 'pause', 'platform')]
    """
    owner: dict[str, str] = {}
    doubles = []
    for action, keys in bindings.items():
        for key in keys:
            if owner.setdefault(key, action) != action:
                doubles.append((key, owner[key], action))
    return doubles


_CAMERAS = (
    (("camera",), "next camera"),
    (("camera_1", "camera_2", "camera_3"), "chase, driver, suspension"),
    (("camera_4", "camera_5", "camera_6"), "hood, orbit, free camera"),
    (("camera_7", "camera_8", "camera_9"), "platform, map, wheel"),
    (("camera_10",), "trackside camera"),
)
_ROWS = (
    (("steer_left", "steer_right", "throttle", "brake"), "steer, throttle, brake; reverse at rest"),
    (("hold_parking_brake",), "parking brake while pressed"),
    (("parking_brake",), "parking brake on, off"),
    (("drive", "neutral", "reverse"), "drive, neutral, reverse"),
    (("selector_up", "selector_down"), "selector up, down"),
    (("gear_up", "gear_down", "starter"), "gear up, down, engine starter"),
    (("low_range", "center_lock"), "low range, center lock"),
    (("upright",), "upright; free a stuck vehicle"),
    (("reset",), "back to the start"),
    (("pause",), "pause, continue"),
    (("other_driver",), "other driver: automatic, person"),
    (("last_seconds",), "pause, show the last 30 s"),
    (("platform",), "platform up, down"),
    (("intensity_up", "intensity_down"), "motion intensity"),
    (("washout_next", "washout_down", "washout_up"), "washout: next value, less, more"),
    (("horn",), "horn while pressed"),
    (("turn_signal_left", "turn_signal_right"), "turn signals: left, right"),
    (("hazard_lights",), "hazard lights on, off"),
    (("mute", "volume_down", "volume_up"), "sound off, on; less, more volume"),
    (("acc", "limiter", "lane_keeping"), "cruise control, limiter, lane keeping"),
    (("set_speed_down", "set_speed_up"), "their speed: less, more"),
    (("motion_chart",), "strip chart of the motion"),
    (("insets",), "map, images of camera and lidar"),
    *_CAMERAS,
    (("look_left", "look_right", "look_back"), "look left, right, back; or drag"),
    (("full_screen",), "full screen on, off"),
    (("help",), "show, hide this list"),
    (("menu",), "menu: restart, settings, end"),
    (("quit",), "end the drive"),
)
"""Rows of the list of keys: actions and their meaning."""
_REPLAY_ROWS = (
    (("hold_parking_brake", "pause"), "pause, continue"),
    (("steer_left", "steer_right"), "back, forward; hold to scrub"),
    (("throttle", "brake"), "faster, slower, 1/8 to 4"),
    (("washout_down", "washout_up"), "previous, next event"),
    (("reset",), "to the start"),
    (("motion_chart",), "plots"),
    (("mute", "volume_down", "volume_up"), "sound off, on; less, more volume"),
    *_CAMERAS,
    (("help",), "show, hide this list"),
    (("menu", "quit"), "close the window"),
)
"""Rows of the list of keys of a recorded drive."""
FLIGHT_ROW = ("WASD QE", "fly the free camera")
MOUSE_ROW = ("mouse", "click or drag the time line")
_ARROWS = ("LEFT", "RIGHT", "UP", "DOWN")


def help_rows(bindings: Bindings = DEFAULTS) -> tuple[tuple[str, str], ...]:
    """Return the rows of the list of keys: keys, meaning."""
    return (*((_row_label(actions, bindings), meaning) for actions, meaning in _ROWS), FLIGHT_ROW)


def replay_help_rows(bindings: Bindings = DEFAULTS) -> tuple[tuple[str, str], ...]:
    """Return the rows of the list of keys of a recorded drive: keys, meaning."""
    return (*((_row_label(actions, bindings), meaning) for actions, meaning in _REPLAY_ROWS), FLIGHT_ROW, MOUSE_ROW)


def key_text(action: str, bindings: Bindings = DEFAULTS) -> str:
    """Return the first key of an action as the window shows it; a dash without a key."""
    keys = bindings.get(action, ())
    return shown(keys[0]) if keys else "-"


def keys_text(keys: Iterable[str]) -> str:
    """Return the keys of an action as text."""
    return ", ".join(map(shown, keys)) or "none"


def driving_keys_text(bindings: Bindings = DEFAULTS) -> str:
    """Return the keys for steering, throttle and brake as text."""
    return _row_label(_ROWS[0][0], bindings)


def _row_label(actions: tuple[str, ...], bindings: Bindings) -> str:
    first = tuple(bindings.get(action, ())[:1] for action in actions)
    if len(actions) == 1:
        return ", ".join(shown(key) for key in bindings.get(actions[0], ())[:2]) or "-"
    if actions == _ROWS[0][0]:
        if first == tuple((key,) for key in _ARROWS):
            second = [bindings.get(action, ())[1:2] for action in ("throttle", "steer_left", "brake", "steer_right")]
            letters = "".join(key[0] for key in second if key and len(key[0]) == 1)
            return "arrows, " + letters if len(letters) == len(second) else "arrows"
        return " ".join(shown(keys[0]) if keys else "-" for keys in first)
    return "  ".join(shown(keys[0]) if keys else "-" for keys in first)
