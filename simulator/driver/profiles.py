"""Device profiles: which axis of which device is the steering, which a pedal, and what its buttons do.

A profile is one YAML file. Those of Jounce lie in `configs/devices`; a user's own, made by `jounce devices --calibrate`, lie in
the user's config folder and win over them.
"""

from __future__ import annotations

import fnmatch
import math
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

import msgspec

from simulator.base.errors import ConfigError
from simulator.base.records import join
from simulator.base.words import did_you_mean
from simulator.base.yamlfile import read_yaml
from simulator.driver.shaping import PedalFeel, SteeringFeel

PAD_AXES = ("leftx", "lefty", "rightx", "righty", "lefttrigger", "righttrigger")
"""Axes of a game controller by SDL's names, in SDL's order. Triggers rest at 0, sticks at 0 with right and down positive."""
PAD_BUTTONS = (
    "a", "b", "x", "y", "back", "guide", "start", "leftstick", "rightstick",
    "leftshoulder", "rightshoulder", "dpup", "dpdown", "dpleft", "dpright",
)  # fmt: skip
"""Buttons of a game controller by SDL's names, in SDL's order (the letters are the places on an Xbox pad)."""

Action = Literal[
    "drive", "neutral", "reverse", "selector_up", "selector_down", "parking_brake", "reset", "upright", "pause", "camera",
]  # fmt: skip
"""What a button can ask for."""

Input = Annotated[int, msgspec.Meta(ge=0, le=255)] | str
"""An axis or button: its number on a joystick, its SDL name on a game controller."""
Raw = Annotated[float, msgspec.Meta(ge=-1.0, le=1.0)]
Zone = Annotated[float, msgspec.Meta(ge=0.0, le=0.5)]
T = TypeVar("T")


class SteeringAxis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Raw values of the steering axis at its ends and at rest; left > right for a reversed one."""

    axis: Input
    left: Raw = -1.0
    center: Raw = 0.0
    right: Raw = 1.0
    dead_zone: Zone = 0.0


class PedalAxis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Raw values of a pedal's axis; a half axis (combined pedals) has `released: 0.0`, an inverted one `released: 1.0`."""

    axis: Input
    released: Raw
    pressed: Raw
    dead_zone: Zone = 0.02


class Match(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Devices that a profile is for: any one of the lists is enough, on one of the `systems`."""

    guids: tuple[str, ...] = ()
    usb: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    any_gamepad: bool = False
    any_wheel: bool = False
    """a device that calls itself a wheel"""
    systems: tuple[Literal["linux", "windows", "macos"], ...] = ("linux", "windows", "macos")


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One wheel, set of pedals or game controller."""

    name: str
    kind: Literal["wheel", "pedals", "gamepad"]
    verified: bool
    """True only when someone has driven with this profile on the hardware."""
    source: str
    match: Match
    steering: SteeringAxis | None = None
    throttle: PedalAxis | None = None
    brake: PedalAxis | None = None
    buttons: dict[Action, tuple[Input, ...]] = {}
    rotation_deg: Annotated[float, msgspec.Meta(ge=90.0, le=3600.0)] = 900.0
    """of a steering wheel, lock to lock"""
    feel: SteeringFeel = SteeringFeel()
    """of a game controller's stick"""
    file: str = ""
    """where it was read from; set by the reader"""

    @property
    def axes(self) -> tuple[Input, ...]:
        """Axes that the profile uses."""
        return tuple(control.axis for control in (self.steering, self.throttle, self.brake) if control is not None)


class KeyboardProfile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the keys feel; which key is which the window says."""

    name: str
    kind: Literal["keyboard"]
    steering: SteeringFeel = SteeringFeel()
    throttle: PedalFeel = PedalFeel()
    brake: PedalFeel = PedalFeel()


def shipped_profiles_folder() -> Path:
    """`configs/devices` of the checkout or of the installed package."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "_data" / "configs" / "devices"
    return installed if installed.is_dir() else package.parent / "configs" / "devices"


def user_profiles_folder() -> Path:
    """Folder of the user's own profiles; it need not exist."""
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return base / "jounce" / "devices"


def load_profiles(folders: Sequence[Path]) -> tuple[list[Profile], KeyboardProfile]:
    """Every device profile of the folders, the first folder's first, and the first keyboard profile found.

    Raises
    ------
    ConfigError : a file cannot be read or used, or no folder holds a keyboard profile
    """
    devices: list[Profile] = []
    keyboards: list[KeyboardProfile] = []
    for file in _yaml_files(folders):
        profile = load_profile(file)
        if isinstance(profile, Profile):
            devices.append(profile)
        else:
            keyboards.append(profile)
    if not keyboards:
        raise ConfigError(", ".join(map(str, folders)) or "device profiles", "", "nothing", "a profile with `kind: keyboard`")
    return devices, keyboards[0]


def load_profile(file: Path) -> Profile | KeyboardProfile:
    """One profile, checked. Raises ConfigError."""
    return read_profile(read_yaml(file), file)


def read_profile(data: Any, file: object) -> Profile | KeyboardProfile:
    """Profile from what a YAML file holds. Raises ConfigError."""
    if not isinstance(data, dict):
        raise ConfigError(file, "", data, "a mapping with the key `kind`")
    _no_strange_numbers(data, file)
    _check_buttons(data.get("buttons", {}), file)
    if data.get("kind") == "keyboard":
        return _convert(data, KeyboardProfile, file)
    if "file" in data:
        raise ConfigError(file, "file", data["file"], "no such key")
    profile = _convert(data | {"file": str(file)}, Profile, file)
    _check_profile(profile, file)
    return profile


def choose_profile(profiles: Sequence[Profile], name: str, guid: str, is_gamepad: bool) -> Profile | None:
    """Best profile of a device: by GUID, then USB id, then name, then any game controller or wheel; the first of equals."""
    best: Profile | None = None
    best_rank = 0
    for profile in profiles:
        rank = _rank(profile.match, name, guid, is_gamepad)
        if profile.kind == "gamepad" and not is_gamepad and _uses_names(profile):
            continue
        if rank > best_rank:
            best, best_rank = profile, rank
    return best


def usb_id(guid: str) -> str:
    """`vendor:product` in hexadecimal inside an SDL GUID (bytes 4-5 and 8-9, little endian), or '' when the GUID holds none."""
    if len(guid) != 32 or guid[12:16] != "0000" or guid[20:24] != "0000":
        return ""
    return f"{guid[10:12]}{guid[8:10]}:{guid[18:20]}{guid[16:18]}"


def system() -> str:
    """This operating system as profiles name it."""
    return {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")


def _rank(match: Match, name: str, guid: str, is_gamepad: bool) -> int:
    if system() not in match.systems:
        return 0
    if guid.lower() in (known.lower() for known in match.guids):
        return 4
    if usb_id(guid) and usb_id(guid) in (known.lower() for known in match.usb):
        return 3
    if any(fnmatch.fnmatchcase(name.lower(), pattern.lower()) for pattern in match.names):
        return 2
    is_wheel = any(word in name.lower() for word in ("wheel", "racing"))
    return int((match.any_gamepad and is_gamepad) or (match.any_wheel and is_wheel))


def _uses_names(profile: Profile) -> bool:
    return any(isinstance(item, str) for item in (*profile.axes, *(key for keys in profile.buttons.values() for key in keys)))


def _yaml_files(folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        if folder.is_dir():
            yield from sorted(folder.glob("*.yaml"))


_KEYS = sorted(
    {
        name
        for struct in (Profile, KeyboardProfile, SteeringAxis, PedalAxis, Match, SteeringFeel, PedalFeel)
        for name in struct.__struct_fields__
    }
    - {"file"}
)
"""Of profiles, at every level."""

_WORDS = {"float": "a number", "int": "a whole number", "str": "text", "bool": "true or false", "object": "a mapping", "array": "a list"}


def _convert(data: dict[str, Any], kind: type[T], file: object) -> T:
    """`data` as a `kind`; msgspec's message is split into key path, value and expectation."""
    try:
        return msgspec.convert(data, kind, strict=True)
    except msgspec.ValidationError as error:
        text, _, path = str(error).partition(" - at ")
        key = path.replace("`", "").replace("key in ", "").removeprefix("$").removeprefix(".").removesuffix("[...]")
        field = re.search(r"(unknown|missing required) field `(.*)`", text)
        if field:
            key = f"{key}.{field[2]}".lstrip(".")
            if field[1] == "unknown":
                near = did_you_mean(field[2], _KEYS)
                raise ConfigError(file, key, _at(data, key), f"a key that profiles have; this one is unknown{near}") from None
            raise ConfigError(file, key, "nothing", "a value: this key is required") from None
        expected = text.partition(", got")[0].removeprefix("Expected ").replace("`", "")
        expected = re.sub(r"[a-z]+", lambda word: _WORDS.get(word[0], word[0]), expected)
        if expected.startswith("Invalid enum value"):
            expected = "another word; " + expected
        raise ConfigError(file, key, _at(data, key), expected) from None


def _at(data: Any, key: str) -> Any:
    """Value at a key path such as `match.names[1]`, as far as the path leads."""
    for part in re.findall(r"[^.\[\]]+", key):
        if isinstance(data, dict) and part in data:
            data = data[part]
        elif isinstance(data, list) and part.isdigit() and int(part) < len(data):
            data = data[int(part)]
    return data


def _no_strange_numbers(data: Any, file: object, key: str = "") -> None:
    """Refuse .nan and .inf, which a range check lets through."""
    if isinstance(data, float) and not math.isfinite(data):
        raise ConfigError(file, key, data, "a finite number")
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for name, item in items:
        _no_strange_numbers(item, file, f"{key}.{name}".lstrip("."))


def _check_buttons(buttons: Any, file: object) -> None:
    """Actions and lists of buttons, whose place the conversion would not name."""
    if not isinstance(buttons, dict):
        return
    for action, keys in buttons.items():
        key = join("buttons", str(action))
        if action not in get_args(Action):
            known = get_args(Action)
            raise ConfigError(file, key, keys, f"no such action{did_you_mean(action, known)}; known here: {', '.join(known)}")
        if not isinstance(keys, list):
            raise ConfigError(file, key, keys, "a list of buttons")
        for i, item in enumerate(keys):
            if isinstance(item, bool) or not (isinstance(item, str) or (isinstance(item, int) and 0 <= item <= 255)):
                raise ConfigError(file, f"{key}[{i}]", item, "a button: its number from 0 to 255, or its name on a game controller")


def _check_profile(profile: Profile, file: object) -> None:
    """What the types alone cannot say."""
    match = profile.match
    if not (match.guids or match.usb or match.names or match.any_gamepad or match.any_wheel):
        raise ConfigError(file, "match", "nothing", "guids, usb, names, any_gamepad or any_wheel")
    for identity in match.usb:
        if not re.fullmatch(r"[0-9a-fA-F]{4}:[0-9a-fA-F]{4}", identity):
            raise ConfigError(file, "match.usb", identity, "vendor:product as four hexadecimal digits each, in quotes")
    if profile.kind != "pedals" and profile.steering is None:
        raise ConfigError(file, "steering", "nothing", f"an axis: a {profile.kind} steers")
    if not profile.axes:
        raise ConfigError(file, "", "no axis", "steering, throttle or brake")
    if profile.steering is not None:
        _check_steering(profile.steering, file)
    for name, pedal in (("throttle", profile.throttle), ("brake", profile.brake)):
        if pedal is not None and abs(pedal.pressed - pedal.released) < 0.1:
            raise ConfigError(file, f"{name}.pressed", pedal.pressed, f"at least 0.1 away from released ({pedal.released})")
    for axis in profile.axes:
        _check_input(axis, PAD_AXES, profile.kind, "axis", file)
    for action, keys in profile.buttons.items():
        for key in keys:
            _check_input(key, PAD_BUTTONS, profile.kind, f"buttons.{action}", file)


def _check_steering(steering: SteeringAxis, file: object) -> None:
    left, right = steering.left - steering.center, steering.right - steering.center
    if min(abs(left), abs(right)) < 0.1 or left * right > 0.0:
        found = f"left {steering.left}, center {steering.center}, right {steering.right}"
        raise ConfigError(file, "steering", found, "left and right on either side of center, each at least 0.1 away")


def _check_input(item: Input, names: tuple[str, ...], kind: str, key: str, file: object) -> None:
    if isinstance(item, str) and (kind != "gamepad" or item not in names):
        expected = "a number, or one of " + ", ".join(names) if kind == "gamepad" else "a number from 0"
        raise ConfigError(file, key, item, expected)
