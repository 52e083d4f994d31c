"""Settings of a user: units, text size, sound, screen, camera, steering, keys, and the last choice of the start screen.

They are in one file in the configuration folder of the user. A drive needs no such file. The menus write it; users may edit it.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from simulator.base.errors import ConfigError, ErrorCollector, JounceError, OutputError
from simulator.base.fields import Choice, Either, Field, Flag, Group, ListOf, Named, Number, Text, read
from simulator.base.suggestions import did_you_mean
from simulator.base.user_folders import config_home
from simulator.base.yaml_reader import read_yaml
from simulator.events.sound_controls import VOLUME
from simulator.view.adaptive_resolution import GRAPHICS
from simulator.view.camera import DRIVER_ANGLE, MAP_UP
from simulator.view.camera_names import CAMERAS, CYCLE
from simulator.view.displays import load_displays
from simulator.view.head_tracking import PORT
from simulator.view.instruments import SPEED_UNITS
from simulator.view.key_bindings import DEFAULTS, KEY_NAMES, NAMES, Bindings, double_keys, key_text

FILE = "settings.yaml"
HEADER = "# Settings of Jounce, written by its menus (docs/keys.md). Comments in this file are lost when a menu writes it.\n"
LARGEST_TEXT = 2.0
VIEW_ANGLES = math.radians(40.0), math.radians(100.0)
"""rad. Range of the vertical angle of view. Smaller: as through a telescope; larger: a distorted image."""
SEAT_RANGE = 0.15
"""m. Largest displacement of the eyes, so that they stay in the vehicle."""
STEERING_SPEEDS = 0.5, 2.0
"""1. Range of the steering speed relative to that of the device profile."""


class KeyName(Text):
    """Name of a key, in upper or lower case; a digit may be a number."""

    def read(self, value: Any, file: object, key: str) -> str:
        name = str(value).upper() if self.accepts(value) else ""
        if name not in KEY_NAMES:
            raise ConfigError(file, key, value, f"{self.expected}{did_you_mean(name, KEY_NAMES)}")
        return name

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str | int) and not isinstance(value, bool)


KEY = KeyName("the name of a key, such as P, F1, SPACE or PAGEUP (docs/keys.md)")
KEYS = Either((ListOf(KEY), KEY), "the name of a key, or a list of such names (docs/keys.md)")
FIELDS = (
    Field("speed_unit", Choice(tuple(SPEED_UNITS)), "unit of the displayed speed", "km/h"),
    Field("text_scale", Number("1", 1.0, LARGEST_TEXT), "size of the text in the window", 1.0),
    Field("camera_shake", Flag(), "true: the driver's camera moves with the vehicle; false: it moves smoothly", True),
    Field("cameras", ListOf(Choice(CAMERAS), 1), "cameras of the key for the next camera, in their order", CYCLE),
    Field("map_up", Choice(MAP_UP), "upper side of the map camera", MAP_UP[0]),
    Field("volume", Number("1", 0.0, 1.0), "volume of the sound, unless session or command line specify it", VOLUME),
    Field("full_screen", Flag(), "true: the window fills the screen", False),
    Field("field_of_view", Number("rad", *VIEW_ANGLES), "vertical angle of view of the driver's camera", DRIVER_ANGLE, written="deg"),
    Field("mouse_look", Flag(), "true: the view follows the mouse while a mouse button is down", True),
    Field(
        "dashboard_in_car",
        Flag(),
        "true: the driver's camera has the panel of speed, gear and engine, too; false: there the gauges of the car show them",
        True,
    ),
    Field("seat_height", Number("m", -SEAT_RANGE, SEAT_RANGE), "height of the driver's eyes above their usual place", 0.0),
    Field("seat_forward", Number("m", -SEAT_RANGE, SEAT_RANGE), "distance of the driver's eyes in front of their usual place", 0.0),
    Field(
        "graphics",
        Choice(tuple(GRAPHICS)),
        "level of detail of the window; auto: details of a graphics card, and a resolution that a software renderer can draw in time",
        "auto",
    ),
    Field(
        "vsync", Flag(), "true: a frame waits for the screen, if the graphics driver allows this; false: no wait, with torn images", True
    ),
    Field("displays", Text(empty=True), "file of several screens around the driver (docs/screens.md); empty: one window", ""),
    Field("head_tracking", Flag(), "true: the driver's eyes follow a head tracker (docs/screens.md)", False),
    Field("head_tracking_port", Number("1", 1, 65535, whole=True), "UDP port of the head tracker", PORT),
    Field("head_tracking_address", Text("an IP address"), "address at which the window receives the head tracker", "127.0.0.1"),
    Field("steering_speed", Number("1", *STEERING_SPEEDS), "speed of the steering by keys and stick, relative to the device profile", 1.0),
    Field("guide", Flag(), "true: the next drive shows the guide for the first drive", True),
    Field("keys", Named(KEYS, "actions with their keys", known=NAMES), "keys of actions; other actions keep their usual keys", None),
    Field("measured", Named(Text()), "level of detail that was measured for `auto`, by the name of the renderer", None),
    Field("start", Named(Text(empty=True), "rows of the start screen with their values"), "last choice of the start screen", None),
)
"""Keys of the file."""
TABLE = Group(FIELDS)


@dataclass(frozen=True)
class UserSettings:
    """Settings of a user."""

    speed_unit: str = "km/h"
    text_scale: float = 1.0
    camera_shake: bool = True
    guide: bool = True
    keys: Bindings = field(default_factory=lambda: dict(DEFAULTS))
    start: Mapping[str, str] = field(default_factory=dict)
    measured: Mapping[str, str] = field(default_factory=dict)
    volume: float = VOLUME
    full_screen: bool = False
    field_of_view: float = DRIVER_ANGLE
    mouse_look: bool = True
    dashboard_in_car: bool = True
    seat_height: float = 0.0
    seat_forward: float = 0.0
    graphics: str = "auto"
    steering_speed: float = 1.0
    vsync: bool = True
    displays: str = ""
    head_tracking: bool = False
    head_tracking_port: int = PORT
    head_tracking_address: str = "127.0.0.1"
    cameras: tuple[str, ...] = CYCLE
    map_up: str = MAP_UP[0]

    def to_file(self) -> dict[str, Any]:
        """Return the content of the file: the values that differ from the defaults."""
        usual = UserSettings()
        fields = [one for one in FIELDS if one.name not in ("keys", "start", "measured")]
        changed = [one for one in fields if getattr(self, one.name) != getattr(usual, one.name)]
        out = {one.usual: _written(getattr(self, one.name), one.written) for one in changed}
        keys = {action: list(keys) for action, keys in self.keys.items() if tuple(keys) != DEFAULTS[action]}
        out |= {"keys": keys} if keys else {}
        out |= {name: dict(getattr(self, name)) for name in ("measured", "start") if getattr(self, name)}
        return out


def settings_file() -> Path | None:
    """Return the path of the file, which need not exist; None for a user without a home folder."""
    base = config_home()
    return None if base is None else base / "jounce" / FILE


def load_settings(file: Path | None = None) -> UserSettings:
    """Return the settings of a file, by default those of the user; defaults without a file. Raises ConfigError: one line for each mistake."""
    file = settings_file() if file is None else file
    if file is None or not os.path.exists(file):
        return UserSettings()
    settings = read_settings(read_yaml(file), file)
    if settings.displays:
        load_displays(displays_file(settings, file))
    return settings


def displays_file(settings: UserSettings, file: Path | None = None) -> Path:
    """Return the file of screens that the settings of a file name; file: by default that of the user."""
    file = settings_file() if file is None else file
    named = Path(os.path.expanduser(settings.displays))  # the name of an unknown user stays as it is
    return named if file is None else Path(file).parent / named


def read_settings(content: Any, file: object) -> UserSettings:
    """Return the settings of the content of a file. Raises ConfigError."""
    content = {} if content is None else content
    own = _own_keys(content)
    keys = {**DEFAULTS, **own}
    with ErrorCollector() as faults:
        with faults.part():
            values = dict(read(FIELDS, content, file))
        for action in own:
            if action not in NAMES:
                expected = f"an action such as pause or camera (docs/keys.md){did_you_mean(action, NAMES)}"
                faults.add(ConfigError(file, f"keys.{action}", list(own[action]), expected))
        for key, first, other in double_keys({name: bound_keys for name, bound_keys in keys.items() if name in NAMES}):
            place, rival = (other, first) if other in own else (first, other)
            faults.add(ConfigError(file, f"keys.{place}", key, f"a key that {rival} does not have, or other keys for keys.{rival}"))
    return UserSettings(**values | {"keys": keys, "start": dict(values.get("start") or {}), "measured": dict(values.get("measured") or {})})


def _own_keys(content: Any) -> dict[str, tuple[str, ...]]:
    """Return the keys in the content of a file; FIELDS reports those that are none."""
    section = content.get("keys") if isinstance(content, Mapping) else None
    out = {}
    for action, given in section.items() if isinstance(section, Mapping) else ():
        names = given if isinstance(given, list) else [given]
        out[str(action)] = tuple(dict.fromkeys(str(name).upper() for name in names if str(name).upper() in KEY_NAMES))
    return out


def save_settings(settings: UserSettings, file: Path | None = None) -> None:
    """Write the file completely or not at all. Raises OutputError."""
    file = settings_file() if file is None else file
    if file is None:
        raise OutputError("the user has no home folder for the settings; hint: set HOME")
    file = Path(os.path.realpath(file))  # a symbolic link stays
    part = file.with_suffix(f".{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(HEADER + (_text(settings.to_file())), encoding="utf-8")
        os.replace(part, file)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise OutputError(f"{file}: cannot write the file ({error.strerror})") from None


def change_saved(**values: Any) -> str:
    """Change values in the file of the user; return why they could not be saved, empty if they were."""
    try:
        save_settings(replace(load_settings(), **values))
    except JounceError as error:
        return str(error).partition("\n")[0]
    return ""


@cache
def users_keys() -> Bindings:
    """Return the keys of the user, for messages; the usual keys if the file cannot be used."""
    return _usable_settings().keys


def users_speed_unit() -> str:
    """Return the unit of the speed that the user has set, for messages; the usual one if the file cannot be used."""
    return _usable_settings().speed_unit


def _usable_settings() -> UserSettings:
    try:
        return load_settings()
    except JounceError:
        return UserSettings()


def users_key(action: str) -> str:
    """Return the first key of an action as a message shows it."""
    return key_text(action, users_keys())


def _written(value: Any, unit: str) -> Any:
    """Return a value as the file has it."""
    return round(math.degrees(value), 6) if unit == "deg" else value


def _text(content: dict[str, Any]) -> str:
    return yaml.safe_dump(content, sort_keys=False, default_flow_style=None) if content else ""
