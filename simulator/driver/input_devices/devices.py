"""Wheels, pedals and game controllers through SDL, without a window: connection, loss, reconnection, and reading without exceptions.

This module works around three properties of SDL:

- Without an own window, a process receives events regardless of the window with the focus.
- An axis reads 0.0 until the device first reports its value. For a pedal that rests at -1, 0.0 means half pressed. Therefore an axis is used
  only after it had two different values.
- The start of SDL's video system replaces the handler of SIGTERM, unless an environment variable prevents this.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol

from simulator.base.errors import DeviceError
from simulator.driver.input_devices.device_profiles import (
    GATE,
    HAT_BUTTONS,
    HELD,
    MENU_KEYS,
    PAD_AXES,
    PAD_BUTTONS,
    WINDOW_KEYS,
    Input,
    Profile,
    choose_profile,
    parts_of,
)
from simulator.driver.input_devices.shaping import axis_to_pedal, axis_to_steering, clip, dead_zone

MOVED = 1.0 / 80.0
"""Minimum change of an axis, in raw units, that counts as movement. Smaller: the noise of a resting pedal counts. Same value as in SDL."""
USED = 0.05
"""Minimum change of a control, in its own units, that counts as use by the driver. Smaller: a vibrating wheel takes over."""
FULL = 32768.0 / 32767.0
"""Factor that scales the largest value of SDL, 32767/32768, to a full deflection."""
TOLERANCE = 1e-3
"""Tolerance beyond [-1, 1] of raw values (-32768/32767); larger values are refused."""


class Handle(Protocol):
    """Interface of a device; `Stick` and `Pad` implement it with SDL, tests have their own implementation."""

    name: str
    guid: str
    instance: int
    axis_count: int
    is_gamepad: bool

    def axis(self, key: Input) -> float:
        """Return the raw value of an axis in [-1, 1]."""

    def number(self, key: Input) -> int | None:
        """Return the number of the joystick axis of `key`, or None for a button."""

    def rumble(self, slow: float, fast: float, duration: int) -> bool:
        """Run the motors at fractions of their strength for `duration` ms. Return False without motors or when the device is lost."""


class Stick:
    """Joystick with numbered axes and buttons: wheels and pedals."""

    is_gamepad = False

    def __init__(self, joystick: Any) -> None:
        self.joystick = joystick
        self.name: str = joystick.get_name()
        self.guid: str = joystick.get_guid()
        self.instance: int = joystick.get_instance_id()
        self.axis_count: int = joystick.get_numaxes()

    def axis(self, key: Input) -> float:
        return float(self.joystick.get_axis(key)) * FULL

    def number(self, key: Input) -> int | None:
        return key if isinstance(key, int) else None

    def rumble(self, slow: float, fast: float, duration: int) -> bool:
        try:
            return bool(self.joystick.rumble(slow, fast, duration))
        except RuntimeError:  # pygame.error: the joystick was closed
            return False


class Pad(Stick):
    """Game controller, whose axes have the same names in SDL on every system."""

    is_gamepad = True

    def __init__(self, joystick: Any, controller: Any) -> None:
        super().__init__(joystick)
        self.controller = controller
        mapped = {name: re.fullmatch(r"[+-]?a(\d+)~?", binding) for name, binding in controller.get_mapping().items()}
        self.numbers = {name: int(matches[1]) for name, matches in mapped.items() if matches}

    def axis(self, key: Input) -> float:
        return float(self.controller.get_axis(PAD_AXES.index(key)) / 32767.0) if isinstance(key, str) else super().axis(key)

    def number(self, key: Input) -> int | None:
        return self.numbers.get(key) if isinstance(key, str) else key


class Device:
    """One device with its profile: converts raw values to steering and pedals.

    Attributes
    ----------
    faults : number of values that were refused because they were NaN, out of range or unreadable
    used : True if the steering or a pedal was moved since the previous poll (buttons do not count: `pause` is not driving)
    buttons : buttons pressed since the previous poll
    actions : actions that the profile assigns to these buttons; none while a menu is open
    menu_keys : keys of a menu, and actions of the window, that the profile assigns to these buttons
    latest_button : last button that was pressed, in whatever poll; the reader sets it to None
    """

    def __init__(self, handle: Handle, profile: Profile | None) -> None:
        self.handle, self.profile = handle, profile
        self.faults = 0
        self.used = False
        self.last_use = 0
        self.actions: list[str] = []
        self.menu_keys: list[str] = []
        self.buttons: list[Input] = []
        self.latest_button: int | None = None
        self._pressed: list[Input] = []
        self._down: set[Input] = set()
        self._combinations = _combinations(profile)
        self._holding: set[str] = set()
        """Actions of HELD whose buttons are down and were pressed outside a menu."""
        self._keys: tuple[Input, ...] = (*profile.axes, *profile.look_axes) if profile else ()
        self._first: dict[int, float] = {}
        self._moved: set[int] = set()
        self._values: dict[Input, float] = {}
        self._reference: dict[str, float] = {}

    def note_motion(self, number: int, value: float) -> None:
        """Record a report of SDL: the joystick axis `number` has the value `value`."""
        if number not in self._moved and abs(value - self._first.setdefault(number, value)) > MOVED:
            self._moved.add(number)

    def note_button(self, button: Input) -> None:
        """Record a report of SDL: a button was pressed."""
        self._pressed.append(self._combined(button))
        self._down.add(button)
        if isinstance(button, int):
            self.latest_button = button

    def note_release(self, button: Input) -> None:
        """Record a report of SDL: a button was released."""
        self._down.discard(button)

    def note_hat(self, x: int, y: int) -> None:
        """Record a report of SDL: the hat of a joystick is at x, y, each -1, 0 or 1, right and up positive."""
        down = (y > 0, y < 0, x < 0, x > 0)
        for name, pressed in zip(HAT_BUTTONS, down, strict=True):
            if pressed and name not in self._down:
                self.note_button(name)
            elif not pressed:
                self.note_release(name)

    def refresh(self, poll: int, in_menu: bool = False) -> None:
        """Read the axes that have moved; `poll` is the number of the poll and dates the last use; `in_menu`: buttons only act on a menu."""
        for key in self._keys:
            if self.has_moved(key):
                self._read(key)
        bindings = self.profile.buttons if self.profile else {}
        pressed = [action for button in self._pressed for action, keys in bindings.items() if button in keys]
        others = (*GATE, *MENU_KEYS, *WINDOW_KEYS, *HELD)
        self.actions = [] if in_menu else [action for action in pressed if action not in others]
        self.menu_keys = [MENU_KEYS[action] for action in pressed if action in MENU_KEYS]
        self.menu_keys += [] if in_menu else [WINDOW_KEYS[action] for action in pressed if action in WINDOW_KEYS]
        down = {action for action in HELD if any(self._down.issuperset(parts_of(key)) for key in bindings.get(action, ()))}
        self._holding = set() if in_menu else (self._holding | {action for action in pressed if action in HELD}) & down
        self.used = self._changed()
        self.buttons, self._pressed = self._pressed, []
        if self.used:
            self.last_use = poll

    def has_moved(self, key: Input) -> bool:
        """Return whether the axis has had two different values; always True for a trigger that is a button."""
        number = self.handle.number(key)
        return number is None or number in self._moved

    def steering(self) -> float | None:
        """Return the position in [-1, 1], + = left; 0 before the axis moved, None without such an axis."""
        axis = self.profile.steering if self.profile else None
        if axis is None or axis.axis not in self._values:
            return None if axis is None else 0.0
        return axis_to_steering(self._values[axis.axis], axis.left, axis.center, axis.right, axis.dead_zone)

    def pedal(self, name: str) -> float:
        """Return the position of `throttle`, `brake` or `clutch` in [0, 1]; 0 before the pedal moved or without such a pedal."""
        axis = getattr(self.profile, name) if self.profile else None
        if axis is None or axis.axis not in self._values:
            return 0.0
        return axis_to_pedal(self._values[axis.axis], axis.released, axis.pressed, axis.dead_zone)

    def has_pedal(self, name: str) -> bool:
        """Return whether the pedal exists and has moved."""
        axis = getattr(self.profile, name) if self.profile else None
        return axis is not None and axis.axis in self._values

    def gate(self) -> int | None:
        """Return the selected gear of an H-pattern: 0 none, -1 reverse; None without an H-pattern."""
        gates = {GATE[action]: keys for action, keys in self.profile.buttons.items() if action in GATE} if self.profile else {}
        return next((gear for gear, keys in gates.items() if not self._down.isdisjoint(keys)), 0) if gates else None

    def holds(self, action: str) -> bool:
        """Return whether the button of an action of HELD is pressed."""
        return action in self._holding

    def look(self) -> tuple[float, float]:
        """Return the direction of view of the stick for it: left and up positive, in [-1, 1]; 0, 0 before it moved or without one."""
        axes = self.profile.look if self.profile else None
        if axes is None:
            return 0.0, 0.0
        sideways, upwards = (self._values.get(key, 0.0) for key in (axes.sideways, axes.upwards))
        return -dead_zone(clip(sideways, -1.0, 1.0), axes.dead_zone), -dead_zone(clip(upwards, -1.0, 1.0), axes.dead_zone)

    def _combined(self, button: Input) -> Input:
        """Return the longest combination that a press of a button completes, or the button."""
        found = [key for key, parts in self._combinations.items() if parts[-1] == button and self._down.issuperset(parts[:-1])]
        return max(found, key=lambda key: len(self._combinations[key]), default=button)

    def _read(self, key: Input) -> None:
        try:
            value = self.handle.axis(key)
        except Exception:  # errors of a driver library must not reach the tick, regardless of their class
            value = float("nan")
        if -1.0 - TOLERANCE <= value <= 1.0 + TOLERANCE:
            self._values[key] = value
        else:
            self.faults += 1

    def _changed(self) -> bool:
        """Return whether a control has moved since its last use."""
        changed = False
        for name, value in (("steering", self.steering() or 0.0), ("throttle", self.pedal("throttle")), ("brake", self.pedal("brake"))):
            if abs(value - self._reference.setdefault(name, 0.0)) > USED:
                self._reference[name] = value
                changed = True
        return changed


class DeviceHub:
    """All devices of this computer. Owns SDL in this process; use it in one thread (the main thread on Windows and macOS).

    `poll` never waits and never raises. It takes a few microseconds; opening a newly connected device takes some milliseconds
    once. `notices` holds the latest lines for the user; the caller that displays a line removes it. While `in_menu` is True, buttons only
    act on a menu.

    Raises
    ------
    DeviceError : SDL cannot be started
    """

    def __init__(self, profiles: Sequence[Profile]) -> None:
        self.profiles = profiles
        self.devices: dict[int, Device] = {}
        self.notices: deque[str] = deque(maxlen=20)
        self.faults = 0
        self.in_menu = False
        self._poll = 0
        self._reported: set[int] = set()
        self._open_sdl()

    def poll(self) -> None:
        """Process the events of SDL: added and removed devices, movements, buttons."""
        self._poll += 1
        try:
            for event in self._pygame.event.get():
                self._process(event)
        except (self._pygame.error, SystemError) as error:
            self.faults += 1
            if self.faults == 1:
                self.notices.append(f"input devices: {error}")
        for device in self.devices.values():
            device.refresh(self._poll, self.in_menu)
            if device.faults and device.handle.instance not in self._reported:
                self._reported.add(device.handle.instance)
                self.notices.append(f"{device.handle.name}: ignored a value that is not a number in [-1, 1]")

    @property
    def menu_keys(self) -> list[str]:
        """Keys of a menu that were pressed on the devices since the previous poll."""
        return [key for device in self.devices.values() for key in device.menu_keys]

    def of_kind(self, *kinds: str) -> list[Device]:
        """Return the devices with a profile of one of the kinds, the most recently used first."""
        matches = [device for device in self.devices.values() if device.profile is not None and device.profile.kind in kinds]
        return sorted(matches, key=lambda device: -device.last_use)

    def close(self) -> None:
        """Close all devices and SDL."""
        self.devices.clear()
        self._controller.quit()
        self._pygame.joystick.quit()
        self._pygame.display.quit()

    def _open_sdl(self) -> None:
        os.environ["SDL_VIDEODRIVER"] = "dummy"
        os.environ["SDL_NO_SIGNAL_HANDLERS"] = "1"
        os.environ["SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS"] = "1"
        os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
        try:
            import pygame
            from pygame._sdl2 import controller

            pygame.display.init()
            pygame.joystick.init()
            controller.init()
        except (ImportError, RuntimeError) as error:  # pygame.error is a RuntimeError
            raise DeviceError(f"input devices: cannot start SDL ({error})") from None
        self._pygame, self._controller = pygame, controller
        pygame.event.set_blocked(None)
        pygame.event.set_allowed(
            [
                *(pygame.JOYDEVICEADDED, pygame.JOYDEVICEREMOVED, pygame.JOYAXISMOTION),
                *(pygame.JOYBUTTONDOWN, pygame.JOYBUTTONUP, pygame.JOYHATMOTION, pygame.CONTROLLERBUTTONDOWN, pygame.CONTROLLERBUTTONUP),
            ]
        )
        pygame.event.clear()
        for index in range(pygame.joystick.get_count()):
            self._add(index)

    def _process(self, event: Any) -> None:
        pygame = self._pygame
        if event.type == pygame.JOYDEVICEADDED:
            self._add(event.device_index)
            return
        device = self.devices.get(event.instance_id)
        if device is None:
            return
        if event.type == pygame.JOYAXISMOTION:
            device.note_motion(event.axis, event.value)
        elif event.type == pygame.JOYBUTTONDOWN:
            device.note_button(event.button)
        elif event.type == pygame.JOYBUTTONUP:
            device.note_release(event.button)
        elif event.type == pygame.JOYHATMOTION:
            if not device.handle.is_gamepad:  # SDL reports the hat of a game controller as buttons
                device.note_hat(*event.value)
        elif event.type == pygame.CONTROLLERBUTTONDOWN and event.button < len(PAD_BUTTONS):
            device.note_button(PAD_BUTTONS[event.button])
        elif event.type == pygame.CONTROLLERBUTTONUP and event.button < len(PAD_BUTTONS):
            device.note_release(PAD_BUTTONS[event.button])
        elif event.type == pygame.JOYDEVICEREMOVED:
            del self.devices[event.instance_id]
            self.notices.append(f"{device.handle.name}: removed")

    def _add(self, index: int) -> None:
        joystick = self._pygame.joystick.Joystick(index)
        if joystick.get_instance_id() in self.devices:
            return
        is_gamepad = bool(self._controller.is_controller(index))
        profile = choose_profile(self.profiles, joystick.get_name(), joystick.get_guid(), is_gamepad)
        handle: Handle = Pad(joystick, self._controller.Controller(index)) if is_gamepad else Stick(joystick)
        if profile is not None and any(isinstance(key, int) and key >= handle.axis_count for key in (*profile.axes, *profile.look_axes)):
            self.notices.append(f"{handle.name}: too few axes for the profile {profile.name}; got {handle.axis_count}")
            profile = None
        self.devices[handle.instance] = Device(handle, profile)
        self.notices.append(f"{handle.name}: {_describe(profile)}")


def _combinations(profile: Profile | None) -> dict[Input, tuple[Input, ...]]:
    """Return the buttons of each combination of a profile."""
    keys = () if profile is None else (key for keys in profile.buttons.values() for key in keys)
    return {key: parts for key in keys if len(parts := parts_of(key)) > 1}


def _describe(profile: Profile | None) -> str:
    if profile is None:
        return "no profile; hint: create one with `jounce devices --calibrate`"
    return f"{profile.kind}, profile {profile.name}" + ("" if profile.verified else " (not verified on hardware)")
