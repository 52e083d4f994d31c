"""Device profiles: assignment of the axes and buttons of a device to steering, pedals and actions.

A profile is one YAML file. `configs/devices` holds the shipped profiles. The user's own profiles, created by `jounce devices --calibrate`,
are in the user's config folder and take precedence.
"""

from __future__ import annotations

import fnmatch
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.field_classes import entries, entry, group_of
from simulator.base.fields import Choice, Either, Flag, ListOf, Named, Number, Text, Variants, printed
from simulator.base.records import join
from simulator.base.suggestions import did_you_mean
from simulator.base.user_folders import config_home
from simulator.base.yaml_reader import read_yaml
from simulator.driver.force_feedback.rumble import RumbleStrength
from simulator.driver.force_feedback.wheel_torque import ForceFeedback
from simulator.driver.input_devices.shaping import PedalFeel, SteeringFeel
from simulator.view.shared_state import OPEN_MENU

PAD_AXES = ("leftx", "lefty", "rightx", "righty", "lefttrigger", "righttrigger")
"""Axes of a game controller by their names in SDL, in SDL's order. Triggers rest at 0, sticks at 0 with right and down positive."""
PAD_BUTTONS = (
    "a", "b", "x", "y", "back", "guide", "start", "leftstick", "rightstick",
    "leftshoulder", "rightshoulder", "dpup", "dpdown", "dpleft", "dpright",
)  # fmt: skip
"""Buttons of a game controller by their names in SDL, in SDL's order (letters as on an Xbox controller)."""

Action = Literal[
    "drive", "neutral", "reverse", "selector_up", "selector_down", "gear_up", "gear_down", "starter", "parking_brake", "low_range",
    "center_lock", "hold_parking_brake", "reset", "upright", "pause", "driver", "last_seconds", "platform", "quit",
    "intensity_up", "intensity_down", "washout_next", "washout_up", "washout_down", "horn", "mute", "volume_up", "volume_down",
    "acc", "limiter", "lane_keeping", "set_speed_up", "set_speed_down",
    "turn_signal_left", "turn_signal_right", "hazard_lights",
    "camera", "camera_1", "camera_2", "camera_3", "camera_4", "camera_5", "camera_6", "camera_7", "camera_8", "camera_9", "camera_10",
    "motion_chart", "insets", "help",
    "gate_reverse", "gate_1", "gate_2", "gate_3", "gate_4", "gate_5", "gate_6", "gate_7",
    "menu", "menu_up", "menu_down", "menu_left", "menu_right", "menu_choose", "menu_back",
]  # fmt: skip
"""Actions of buttons. Gate actions, `horn` and `hold_parking_brake` apply while the button is pressed; an H-pattern without a gear is in
neutral. `menu` opens and closes the menu of a drive; the other menu actions only have an effect in a menu."""

MENU_KEYS = {
    "menu_up": "UP", "menu_down": "DOWN", "menu_left": "LEFT", "menu_right": "RIGHT", "menu_choose": "ENTER", "menu_back": "ESCAPE",
    "menu": OPEN_MENU,
}  # fmt: skip
"""Keys of a menu, by action."""
WINDOW_KEYS = {name: name for name in ("motion_chart", "insets", "help")}
"""Actions of the window that are no events."""
HELD = ("horn", "hold_parking_brake")
"""Actions that apply while their button is pressed, besides those of GATE."""
HAT_BUTTONS = ("hat_up", "hat_down", "hat_left", "hat_right")
"""Directions of the hat (direction pad) of a steering wheel, which count as buttons."""

GATE = {"gate_reverse": -1, **{f"gate_{gear}": gear for gear in range(1, 8)}}
"""Gears of an H-pattern, by action."""

Input = int | str
"""Axis or button: its number on a joystick, its SDL name on a game controller. A button may be a combination such as `x+dpup`: the last one,
pressed while the others are down."""

INPUT = Either((Number("", 0, 255, whole=True), Text("a name")), "a number from 0 to 255, or a name on a game controller")
RAW = Number("1", -1.0, 1.0)
ZONE = Number("1", 0.0, 0.5)


@dataclass(frozen=True)
class SteeringAxis:
    """Raw values of the steering axis at its ends and at rest; left > right for a reversed axis."""

    axis: Input = entry(INPUT, "axis of the steering")
    left: float = entry(RAW, "raw value at the left end", -1.0)
    center: float = entry(RAW, "raw value at rest", 0.0)
    right: float = entry(RAW, "raw value at the right end", 1.0)
    dead_zone: float = entry(ZONE, "fraction of the travel about the center without effect", 0.0)


@dataclass(frozen=True)
class PedalAxis:
    """Raw values of a pedal axis; a half axis (combined pedals) has `released: 0.0`, an inverted axis `released: 1.0`."""

    axis: Input = entry(INPUT, "axis of the pedal")
    released: float = entry(RAW, "raw value of the released pedal")
    pressed: float = entry(RAW, "raw value of the fully pressed pedal")
    dead_zone: float = entry(ZONE, "fraction of the initial travel without effect", 0.02)


@dataclass(frozen=True)
class LookAxes:
    """Axes of a stick that turns the view, with the directions of a game controller: right and down positive."""

    sideways: Input = entry(INPUT, "axis that turns the view to the side")
    upwards: Input = entry(INPUT, "axis that turns the view up and down")
    dead_zone: float = entry(ZONE, "fraction of the travel about the center without effect", 0.15)


SYSTEMS = ("linux", "windows", "macos")
NAMES = ListOf(Text("a text"))
TEXT = Text("text", empty=True)


@dataclass(frozen=True)
class Match:
    """Devices of a profile: any one of the lists must match, on one of the `systems`."""

    guids: tuple[str, ...] = entry(NAMES, "SDL GUIDs", ())
    usb: tuple[str, ...] = entry(NAMES, "USB ids, vendor:product, four hexadecimal digits each", ())
    names: tuple[str, ...] = entry(NAMES, "device names, * matches any characters", ())
    any_gamepad: bool = entry(Flag(), "any game controller", False)
    any_wheel: bool = entry(Flag(), "any device with wheel or racing in its name", False)
    systems: tuple[str, ...] = entry(ListOf(Choice(SYSTEMS)), "operating systems", SYSTEMS)


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Profile of one wheel, set of pedals or game controller."""

    kind: Literal["wheel", "pedals", "gamepad"]
    name: str = entry(TEXT, "name of the device")
    verified: bool = entry(Flag(), "true: the profile was tested by driving with the hardware")
    source: str = entry(TEXT, "source of the values")
    match: Match = entry(group_of(Match), "devices of the profile: any one of the lists must match, on one of the systems")
    steering: SteeringAxis | None = entry(group_of(SteeringAxis), "steering axis; left > right for a reversed axis", None)
    throttle: PedalAxis | None = entry(
        group_of(PedalAxis), "throttle axis; a half axis has released: 0, an inverted axis released: 1", None
    )
    brake: PedalAxis | None = entry(group_of(PedalAxis), "brake axis, as throttle", None)
    clutch: PedalAxis | None = entry(group_of(PedalAxis), "clutch axis, as throttle; unused with an automatic transmission", None)
    look: LookAxes | None = entry(group_of(LookAxes), "stick that turns the view (default: none)", None)
    buttons: Mapping[str, tuple[Input, ...]] = entry(
        Named(ListOf(INPUT), "actions, each with a list of buttons", known=get_args(Action)),
        "actions of the buttons; a combination such as x+dpup is a button, pressed while another one is down",
        {},
    )
    rotation: float = entry(
        Number("rad", math.radians(90.0), math.radians(3600.0)),
        "rotation of a steering wheel, lock to lock",
        math.radians(900.0),
        written="deg",
    )
    feel: SteeringFeel = entry(group_of(SteeringFeel), "steering by the stick of a game controller", SteeringFeel())
    force_feedback: ForceFeedback | None = entry(
        group_of(ForceFeedback), "force feedback of a steering wheel, on Linux (default: none)", None
    )
    rumble: RumbleStrength | None = entry(group_of(RumbleStrength), "rumble of a game controller (default: none)", None)
    file: str = ""
    """file of the profile; set by the reader"""

    @property
    def axes(self) -> tuple[Input, ...]:
        """Axes of steering and pedals."""
        return tuple(control.axis for control in (self.steering, self.throttle, self.brake, self.clutch) if control is not None)

    @property
    def look_axes(self) -> tuple[Input, ...]:
        """Axes that turn the view."""
        return () if self.look is None else (self.look.sideways, self.look.upwards)


@dataclass(frozen=True, kw_only=True)
class KeyboardProfile:
    """Steering and pedals by keys; the window defines the keys."""

    kind: Literal["keyboard"]
    name: str = entry(TEXT, "name of the profile")
    steering: SteeringFeel = entry(group_of(SteeringFeel), "movement of the steering wheel by keys", SteeringFeel())
    throttle: PedalFeel = entry(group_of(PedalFeel), "movement of the throttle pedal by a key", PedalFeel())
    brake: PedalFeel = entry(group_of(PedalFeel), "movement of the brake pedal by a key", PedalFeel())


DEVICES = ("wheel", "pedals", "gamepad")
FILE = Variants(
    "kind",
    {**dict.fromkeys(DEVICES, entries(Profile)), "keyboard": entries(KeyboardProfile)},
    (*DEVICES, "keyboard"),
    "kind of device",
)
"""Fields of a file in ``configs/devices``."""


def shipped_profiles_folder() -> Path:
    """Return `configs/devices` of the checkout or of the installed package."""
    package = Path(__file__).resolve().parents[2]
    installed = package / "_data" / "configs" / "devices"
    return installed if installed.is_dir() else package.parent / "configs" / "devices"


def user_profiles_folder() -> Path | None:
    """Return the folder of the user's own profiles, which need not exist; None for a user without a home folder."""
    base = config_home()
    return None if base is None else base / "jounce" / "devices"


def profile_folders(shipped: Path | None = None) -> tuple[Path, ...]:
    """Return the folders of device profiles, the user's own first; `shipped` replaces the folder of the shipped profiles."""
    own = user_profiles_folder()
    return (*([] if own is None else [own]), shipped or shipped_profiles_folder())


def load_profiles(folders: Sequence[Path]) -> tuple[list[Profile], KeyboardProfile]:
    """Load all device profiles of the folders, in the order of the folders, and the first keyboard profile.

    Raises
    ------
    ConfigError : a file cannot be read or is invalid, or no folder holds a keyboard profile
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
    """Load and check one profile. Raises ConfigError."""
    return read_profile(read_yaml(file), file)


def read_profile(data: Any, file: object) -> Profile | KeyboardProfile:
    """Return the profile from the content of a YAML file. Raises ConfigError."""
    values = FILE.read(data, file, "", fill=False)
    if values["kind"] == "keyboard":
        return KeyboardProfile(**values)
    profile = Profile(**values, file=str(file))
    _check_profile(profile, file)
    return profile


def choose_profile(profiles: Sequence[Profile], name: str, guid: str, is_gamepad: bool) -> Profile | None:
    """Return the best profile of a device: by GUID, then USB id, then name, then any game controller or wheel; the first of equals."""
    best: Profile | None = None
    best_rank = 0
    for profile in profiles:
        rank = _rank(profile.match, name, guid, is_gamepad)
        if profile.kind == "gamepad" and not is_gamepad and _uses_names(profile):
            continue
        if rank > best_rank:
            best, best_rank = profile, rank
    return best


def parts_of(button: Input) -> tuple[Input, ...]:
    """Return the buttons of a combination, or the button alone.

    >>> parts_of("x+dpup"), parts_of("3+hat_up"), parts_of(7)
    (('x', 'dpup'), (3, 'hat_up'), (7,))
    """
    if isinstance(button, int):
        return (button,)
    parts: list[Input] = [int(part) if part.isdecimal() else part for part in button.split("+")]
    return tuple(parts)


def usb_id(guid: str) -> str:
    """Return `vendor:product` in hexadecimal from an SDL GUID (bytes 4-5 and 8-9, little endian), or '' when the GUID holds none."""
    if len(guid) != 32 or guid[12:16] != "0000" or guid[20:24] != "0000":
        return ""
    return f"{guid[10:12]}{guid[8:10]}:{guid[18:20]}{guid[16:18]}"


def system() -> str:
    """Return the name of this operating system in profiles."""
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
    items = (*profile.axes, *profile.look_axes, *(part for keys in profile.buttons.values() for key in keys for part in parts_of(key)))
    return any(isinstance(item, str) and item not in HAT_BUTTONS for item in items)


def _yaml_files(folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        if folder.is_dir():
            yield from sorted(folder.glob("[!.]*.yaml"))  # without the locks of editors


def _check_profile(profile: Profile, file: object) -> None:
    """Check relations between fields. Raises ConfigError."""
    with ErrorCollector() as faults:
        with faults.part():
            _check_match(profile.match, file)
        if profile.kind != "pedals" and profile.steering is None:
            faults.add(ConfigError(file, "steering", "nothing", f"an axis, as a {profile.kind} steers"))
        elif not profile.axes:
            faults.add(ConfigError(file, "", "no axis", "steering, throttle or brake"))
        with faults.part():
            if profile.steering is not None:
                _check_steering(profile.steering, file)
        for name, pedal in (("throttle", profile.throttle), ("brake", profile.brake), ("clutch", profile.clutch)):
            if pedal is not None and abs(pedal.pressed - pedal.released) < 0.1:
                expected = f"at least 0.1 away from released ({pedal.released})"
                faults.add(ConfigError(file, f"{name}.pressed", pedal.pressed, expected))
        feedback = profile.force_feedback
        if feedback is not None and feedback.limit is not None and feedback.limit > feedback.torque:
            expected = f"at most the torque of the base ({feedback.torque:g} N m)"
            faults.add(ConfigError(file, "force_feedback.limit", feedback.limit, expected))
        for axis in (*profile.axes, *profile.look_axes):
            with faults.part():
                _check_input(axis, PAD_AXES, profile.kind, "axis", file)
        for action, keys in profile.buttons.items():
            with faults.part():
                _check_buttons(action, keys, profile.kind, file)


def _check_match(match: Match, file: object) -> None:
    if not (match.guids or match.usb or match.names or match.any_gamepad or match.any_wheel):
        raise ConfigError(file, "match", "nothing", "guids, usb, names, any_gamepad or any_wheel")
    for identity in match.usb:
        if not re.fullmatch(r"[0-9a-fA-F]{4}:[0-9a-fA-F]{4}", identity):
            raise ConfigError(file, "match.usb", identity, "vendor:product, four hexadecimal digits each, in quotes")


def _check_buttons(action: str, keys: Sequence[Input], kind: str, file: object) -> None:
    known = get_args(Action)
    if action not in known:
        expected = f"one of {', '.join(known)}{did_you_mean(action, known)}"
        raise ConfigError(file, join("buttons", printed(action)), keys, expected)
    for button in keys:
        for part in parts_of(button):
            if kind == "gamepad" or part not in HAT_BUTTONS:
                _check_input(part, PAD_BUTTONS, kind, f"buttons.{action}", file)


def _check_steering(steering: SteeringAxis, file: object) -> None:
    left, right = steering.left - steering.center, steering.right - steering.center
    if min(abs(left), abs(right)) < 0.1 or left * right > 0.0:
        found = f"left {steering.left}, center {steering.center}, right {steering.right}"
        raise ConfigError(file, "steering", found, "left and right on opposite sides of center, each at least 0.1 away")


def _check_input(item: Input, names: tuple[str, ...], kind: str, key: str, file: object) -> None:
    if isinstance(item, str) and (kind != "gamepad" or item not in names):
        expected = "a number, or one of " + ", ".join(names) if kind == "gamepad" else "a number from 0"
        raise ConfigError(file, key, item, expected)
