"""Wheels, pedals and game controllers through SDL, without a window: found, lost, found again, and read without ever raising.

Three habits of SDL shape this file. Without a window of its own, events arrive whatever window has the focus. An axis reads 0.0
until the device first reports it, which for a pedal that rests at -1 means half pressed: an axis counts only after it has been seen
at two different places. And opening SDL's video part takes SIGTERM away from the process unless it is told not to.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol

from simulator.base.errors import DeviceError
from simulator.driver.input_devices.device_profiles import GATE, PAD_AXES, PAD_BUTTONS, Input, Profile, choose_profile
from simulator.driver.input_devices.shaping import axis_to_pedal, axis_to_steering

MOVED = 1.0 / 80.0
"""Travel of an axis, in raw units, that counts as movement. Smaller: the noise of a resting pedal counts. SDL uses the same."""
USED = 0.05
"""Travel of a control, in its own units, that says a person is using the device. Smaller: a trembling wheel takes over."""
FULL = 32768.0 / 32767.0
"""Makes the largest value that SDL gives, 32767/32768, a full deflection."""
TOLERANCE = 1e-3
"""Raw values may exceed [-1, 1] by this much (-32768/32767) before they are refused."""


class Handle(Protocol):
    """What a device must be able to tell; `Stick` and `Pad` are made from SDL, tests make their own."""

    name: str
    guid: str
    instance: int
    axis_count: int
    is_gamepad: bool

    def axis(self, key: Input) -> float:
        """Raw value of an axis in [-1, 1]."""

    def number(self, key: Input) -> int | None:
        """Number of the joystick axis behind `key`, or None when it is not an axis."""

    def rumble(self, slow: float, fast: float, duration: int) -> bool:
        """Have the motors run at so much of their strength for `duration` ms. False when it has none or is not there any more."""


class Stick:
    """A joystick as SDL numbers its axes and buttons: wheels and pedals."""

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
        except RuntimeError:  # pygame.error: it was closed
            return False


class Pad(Stick):
    """A game controller, whose axes SDL knows by name on every system."""

    is_gamepad = True

    def __init__(self, joystick: Any, controller: Any) -> None:
        super().__init__(joystick)
        self.controller = controller
        mapped = {name: re.fullmatch(r"[+-]?a(\d+)~?", binding) for name, binding in controller.get_mapping().items()}
        self.numbers = {name: int(found[1]) for name, found in mapped.items() if found}

    def axis(self, key: Input) -> float:
        return float(self.controller.get_axis(PAD_AXES.index(key)) / 32767.0) if isinstance(key, str) else super().axis(key)

    def number(self, key: Input) -> int | None:
        return self.numbers.get(key) if isinstance(key, str) else key


class Device:
    """One device with its profile: raw values in, steering and pedals out.

    Attributes
    ----------
    faults : how many values were refused because they were NaN, out of range or could not be read
    used : whether the steering or a pedal was moved since the poll before (buttons do not count: `pause` is not driving)
    buttons : buttons pressed since the poll before
    actions : what the profile makes of them
    """

    def __init__(self, handle: Handle, profile: Profile | None) -> None:
        self.handle, self.profile = handle, profile
        self.faults = 0
        self.used = False
        self.last_use = 0
        self.actions: list[str] = []
        self.buttons: list[Input] = []
        self._heard: list[Input] = []
        self._down: set[Input] = set()
        self._keys: tuple[Input, ...] = profile.axes if profile else ()
        self._first: dict[int, float] = {}
        self._moved: set[int] = set()
        self._values: dict[Input, float] = {}
        self._reference: dict[str, float] = {}

    def note_motion(self, number: int, value: float) -> None:
        """SDL reports that the joystick axis `number` is at `value`."""
        if number not in self._moved and abs(value - self._first.setdefault(number, value)) > MOVED:
            self._moved.add(number)

    def note_button(self, button: Input) -> None:
        """SDL reports that a button went down."""
        self._heard.append(button)
        self._down.add(button)

    def note_release(self, button: Input) -> None:
        """SDL reports that a button came up."""
        self._down.discard(button)

    def refresh(self, poll: int) -> None:
        """Read the axes that have moved; `poll` counts the polls and dates the last use."""
        for key in self._keys:
            if self.has_moved(key):
                self._read(key)
        bindings = self.profile.buttons if self.profile else {}
        self.actions = [action for button in self._heard for action, keys in bindings.items() if button in keys and action not in GATE]
        self.used = self._changed()
        self.buttons, self._heard = self._heard, []
        if self.used:
            self.last_use = poll

    def has_moved(self, key: Input) -> bool:
        """Whether the axis has been seen at two different places (a trigger that is really a button always has)."""
        number = self.handle.number(key)
        return number is None or number in self._moved

    def steering(self) -> float | None:
        """Position in [-1, 1], + = left; 0 before the axis moved, None without such an axis."""
        axis = self.profile.steering if self.profile else None
        if axis is None or axis.axis not in self._values:
            return None if axis is None else 0.0
        return axis_to_steering(self._values[axis.axis], axis.left, axis.center, axis.right, axis.dead_zone)

    def pedal(self, name: str) -> float:
        """Position of the `throttle`, `brake` or `clutch` in [0, 1]; 0 before the pedal moved or without such a pedal."""
        axis = getattr(self.profile, name) if self.profile else None
        if axis is None or axis.axis not in self._values:
            return 0.0
        return axis_to_pedal(self._values[axis.axis], axis.released, axis.pressed, axis.dead_zone)

    def has_pedal(self, name: str) -> bool:
        """Whether there is such a pedal and it has moved."""
        axis = getattr(self.profile, name) if self.profile else None
        return axis is not None and axis.axis in self._values

    def gate(self) -> int | None:
        """Gear into which an H-pattern is put: 0 none, -1 reverse; None without one."""
        gates = {GATE[action]: keys for action, keys in self.profile.buttons.items() if action in GATE} if self.profile else {}
        return next((gear for gear, keys in gates.items() if not self._down.isdisjoint(keys)), 0) if gates else None

    def _read(self, key: Input) -> None:
        try:
            value = self.handle.axis(key)
        except Exception:  # a driver library's error, whatever its class, must not reach the tick
            value = float("nan")
        if -1.0 - TOLERANCE <= value <= 1.0 + TOLERANCE:
            self._values[key] = value
        else:
            self.faults += 1

    def _changed(self) -> bool:
        """Whether a control is somewhere else than at its last use."""
        changed = False
        for name, value in (("steering", self.steering() or 0.0), ("throttle", self.pedal("throttle")), ("brake", self.pedal("brake"))):
            if abs(value - self._reference.setdefault(name, 0.0)) > USED:
                self._reference[name] = value
                changed = True
        return changed


class DeviceHub:
    """All devices of this computer. Owns SDL in this process; use it from one thread (the main thread on Windows and macOS).

    `poll` never waits and never raises. It costs a few microseconds; opening a device that was just plugged in takes some milliseconds
    once. `notices` holds the last lines worth telling the user; whoever shows them takes them out.

    Raises
    ------
    DeviceError : SDL cannot be started
    """

    def __init__(self, profiles: Sequence[Profile]) -> None:
        self.profiles = profiles
        self.devices: dict[int, Device] = {}
        self.notices: deque[str] = deque(maxlen=20)
        self.faults = 0
        self._poll = 0
        self._reported: set[int] = set()
        self._open_sdl()

    def poll(self) -> None:
        """Take what SDL has: devices added and removed, movements, buttons."""
        self._poll += 1
        try:
            for event in self._pygame.event.get():
                self._take(event)
        except (self._pygame.error, SystemError) as error:
            self.faults += 1
            if self.faults == 1:
                self.notices.append(f"input devices: {error}")
        for device in self.devices.values():
            device.refresh(self._poll)
            if device.faults and device.handle.instance not in self._reported:
                self._reported.add(device.handle.instance)
                self.notices.append(f"{device.handle.name}: a value that is not a number in [-1, 1] was ignored")

    def of_kind(self, *kinds: str) -> list[Device]:
        """Devices whose profile is of one of the kinds, the most recently used first."""
        found = [device for device in self.devices.values() if device.profile is not None and device.profile.kind in kinds]
        return sorted(found, key=lambda device: -device.last_use)

    def close(self) -> None:
        """Let go of all devices and of SDL."""
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
            raise DeviceError(f"input devices: SDL cannot be started ({error})") from None
        self._pygame, self._controller = pygame, controller
        pygame.event.set_blocked(None)
        pygame.event.set_allowed(
            [
                *(pygame.JOYDEVICEADDED, pygame.JOYDEVICEREMOVED, pygame.JOYAXISMOTION),
                *(pygame.JOYBUTTONDOWN, pygame.JOYBUTTONUP, pygame.CONTROLLERBUTTONDOWN),
            ]
        )
        pygame.event.clear()
        for index in range(pygame.joystick.get_count()):
            self._add(index)

    def _take(self, event: Any) -> None:
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
        elif event.type == pygame.CONTROLLERBUTTONDOWN and event.button < len(PAD_BUTTONS):
            device.note_button(PAD_BUTTONS[event.button])
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
        if profile is not None and any(isinstance(key, int) and key >= handle.axis_count for key in profile.axes):
            self.notices.append(f"{handle.name}: has {handle.axis_count} axes, too few for the profile {profile.name}")
            profile = None
        self.devices[handle.instance] = Device(handle, profile)
        self.notices.append(f"{handle.name}: {_describe(profile)}")


def _describe(profile: Profile | None) -> str:
    if profile is None:
        return "no profile for it; `jounce devices --calibrate` makes one"
    return f"{profile.kind}, profile {profile.name}" + ("" if profile.verified else " (not verified on hardware)")
