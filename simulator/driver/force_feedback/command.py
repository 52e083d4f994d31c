"""`jounce devices --force-feedback`: list the force feedback and rumble of devices and what is missing, and play a short, weak test."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from simulator.base.errors import DeviceError
from simulator.driver.force_feedback.evdev import (
    FF_AUTOCENTER,
    FF_CONSTANT,
    FF_GAIN,
    FF_RUMBLE,
    SYSTEM,
    ConstantForce,
    Node,
    System,
    is_forbidden,
    nodes,
    permission,
)
from simulator.driver.input_devices.device_profiles import usb_id
from simulator.driver.input_devices.devices import Device

CAPABILITIES = {FF_CONSTANT: "constant force", FF_RUMBLE: "rumble", FF_GAIN: "gain", FF_AUTOCENTER: "autocenter"}
"""Displayed capabilities of a node."""
TEST_TORQUE = 0.4
"""N m. Maximum torque of the test: perceptible with the fingers, too weak to hurt."""
TEST_SHARE = 0.1
"""1. Maximum fraction of the base's torque, regardless of the profile; half of it if the profile has no torque."""
TEST_SWING = 0.8
"""s of the test to each side."""
TEST_RATE = 60.0
"""Hz. Update rate that every device driver supports."""
TEST_SHAKE, TEST_STRENGTH = 400, 0.4
"""ms and strength of each motor of a game controller."""


@dataclass(frozen=True)
class Ability:
    """Feedback capability of a device."""

    device: Device
    node: Node | None
    """Event node with its force or its motors, if readable."""
    missing: str
    """Missing requirement, as text; empty if nothing is missing."""

    @property
    def can(self) -> str:
        """Capabilities reported by the system."""
        if self.node is None:
            return "unknown, use --test" if self.device.handle.is_gamepad else "-"
        return ", ".join(word for code, word in CAPABILITIES.items() if code in self.node.effects) or "-"

    @property
    def setting(self) -> str:
        """Setting in the profile."""
        profile = self.device.profile
        if profile is None:
            return "-"
        if profile.kind == "wheel" and profile.force_feedback is not None:
            f = profile.force_feedback
            return f"gain {f.gain:g}, up to {f.max_torque:g} of {f.torque:g} N m"
        if profile.kind == "gamepad" and profile.rumble is not None:
            return f"rumble {profile.rumble.strength:g}"
        return "-"

    def facts(self) -> dict[str, Any]:
        """Return the data as a dict."""
        node = self.node
        return {
            "node": None if node is None else node.path,
            "writable": None if node is None else node.writable,
            "can": [] if node is None else [word for code, word in CAPABILITIES.items() if code in node.effects],
            "setting": self.setting,
            "missing": self.missing,
        }


def abilities(devices: Collection[Device], system: System = SYSTEM) -> list[Ability]:
    """Return the capability of each device. Never raises."""
    readable = nodes(system)
    return [_ability(device, readable) for device in devices]


def feel_table(abilities: Sequence[Ability]) -> Table:
    """Return the table of `jounce devices --force-feedback`."""
    table = Table(title="Force feedback of devices")
    for name in ("", "device", "event node", "can", "profile", "missing"):
        table.add_column(name, overflow="fold")
    for number, one in enumerate(abilities, start=1):
        node = "-" if one.node is None else one.node.path
        table.add_row(str(number), one.device.handle.name, node, one.can, one.setting, one.missing or "nothing")
    table.caption = "jounce devices --test plays a short, weak test; --device N selects the device."
    return table


def play_test(abilities: Sequence[Ability], number: int | None, say: Callable[[str], None], system: System = SYSTEM) -> None:
    """Play a weak push to the left, then to the right, or each motor of a game controller once. Raises DeviceError."""
    testable = [n for n, one in enumerate(abilities, start=1) if _testable(one)]
    if number is None:
        if len(testable) != 1:
            these = f": {', '.join(map(str, testable))}; hint: select one with --device N" if testable else ""
            raise DeviceError(f"test: {len(testable) or 'no'} testable devices{these}")
        number = testable[0]
    if not 1 <= number <= len(abilities):
        raise DeviceError(f"device {number}: unknown device; expected a number from 1 to {len(abilities)}")
    one = abilities[number - 1]
    name = one.device.handle.name
    if one.device.handle.is_gamepad:
        say(f"{name}: slow motor, then fast motor")
        _shake(one)
    elif one.node is None or not one.node.has_force:
        raise DeviceError(f"{name}: {one.missing}")
    else:
        share = _test_share(one.device)
        say(f"{name}: {100 * share:.0f} % of the maximum torque, to the left, then to the right; hold the wheel loosely")
        _push(one.node, share, name, system)


def _testable(one: Ability) -> bool:
    return one.device.handle.is_gamepad or (one.node is not None and one.node.has_force and one.node.writable)


def _ability(device: Device, readable: Sequence[Node]) -> Ability:
    usb, name, profile = usb_id(device.handle.guid), device.handle.name, device.profile
    needed = FF_RUMBLE if device.handle.is_gamepad else FF_CONSTANT
    own_nodes = [node for node in readable if (node.usb == usb if usb else node.name == name)]
    node = next((node for node in own_nodes if needed in node.effects), None)
    if profile is None:
        return Ability(device, node, "a profile (create one with `jounce devices --calibrate`)")
    if profile.kind == "gamepad":
        return Ability(device, node, "" if profile.rumble is not None else "`rumble` in the profile")
    if profile.kind != "wheel":
        return Ability(device, None, "a motor (pedals have none)")
    if node is None:
        return Ability(
            device, None, "a driver with constant force" if own_nodes else "a readable event node (group `input`, or a udev rule)"
        )
    if not node.writable:
        return Ability(device, node, permission(node.path))
    return Ability(device, node, "" if profile.force_feedback is not None else "`force_feedback: {torque: N m of the base}` in the profile")


def _test_share(device: Device) -> float:
    feedback = None if device.profile is None else device.profile.force_feedback
    return 0.5 * TEST_SHARE if feedback is None else min(TEST_SHARE, TEST_TORQUE / feedback.torque)


def _shake(one: Ability) -> None:
    for slow, fast in ((TEST_STRENGTH, 0.0), (0.0, TEST_STRENGTH)):
        if not one.device.handle.rumble(slow, fast, TEST_SHAKE):
            raise DeviceError(f"{one.device.handle.name}: cannot start the motors")
        time.sleep(1e-3 * TEST_SHAKE)
    one.device.handle.rumble(0.0, 0.0, 0)


def _push(node: Node, share: float, name: str, system: System) -> None:
    """Play one period of a sine. Raises DeviceError."""
    try:
        force = ConstantForce(node, share, TEST_RATE, system=system)
    except OSError as error:
        raise DeviceError(f"{name}: {permission(node.path) if is_forbidden(error) else error.strerror}") from None
    try:
        began = time.monotonic()
        while (t := time.monotonic() - began) < 2.0 * TEST_SWING:
            force.give(share * math.sin(math.pi * t / TEST_SWING), began + t)
            time.sleep(0.5 / TEST_RATE)
    except OSError as error:
        raise DeviceError(f"{name}: {error.strerror or 'device disconnected'}") from None
    finally:
        force.close()
