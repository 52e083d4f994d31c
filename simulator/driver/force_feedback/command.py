"""`jounce devices --feel`: which devices can give something back, what is missing, and a short, gentle test."""

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

KNOWN = {FF_CONSTANT: "constant force", FF_RUMBLE: "rumble", FF_GAIN: "gain", FF_AUTOCENTER: "autocenter"}
"""What is worth telling of what a node can."""
TEST_TORQUE = 0.4
"""N m of the test at most: felt by fingers, too weak to hurt."""
TEST_SHARE = 0.1
"""1. Share of the base's torque at most, whatever its profile says; half of it where the profile says no torque."""
TEST_SWING = 0.8
"""s of the test to each side."""
TEST_RATE = 60.0
"""Hz, which every driver takes."""
TEST_SHAKE, TEST_STRENGTH = 400, 0.4
"""ms and strength of each motor of a game controller."""


@dataclass(frozen=True)
class Ability:
    """What a device can give back."""

    device: Device
    node: Node | None
    """The event node with its force or its motors, if it is seen."""
    missing: str
    """Why nothing is felt, in words; empty where all is well."""

    @property
    def can(self) -> str:
        """What the system knows of it."""
        if self.node is None:
            return "unknown: a test tells" if self.device.handle.is_gamepad else "-"
        return ", ".join(word for code, word in KNOWN.items() if code in self.node.effects) or "-"

    @property
    def setting(self) -> str:
        """What the profile says."""
        profile = self.device.profile
        if profile is None:
            return "-"
        if profile.kind == "wheel" and profile.force_feedback is not None:
            f = profile.force_feedback
            return f"{f.gain:g} of the vehicle's torque, up to {f.most:g} of {f.torque:g} N m"
        if profile.kind == "gamepad" and profile.rumble is not None:
            return f"rumble {profile.rumble.strength:g}"
        return "-"

    def facts(self) -> dict[str, Any]:
        """As plain data."""
        node = self.node
        return {
            "node": None if node is None else node.path,
            "writable": None if node is None else node.writable,
            "can": [] if node is None else [word for code, word in KNOWN.items() if code in node.effects],
            "setting": self.setting,
            "missing": self.missing,
        }


def abilities(devices: Collection[Device], system: System = SYSTEM) -> list[Ability]:
    """Of each device. Never raises."""
    seen = nodes(system)
    return [_ability(device, seen) for device in devices]


def feel_table(found: Sequence[Ability]) -> Table:
    """What `jounce devices --feel` shows."""
    table = Table(title="What devices give back")
    for name in ("", "device", "event node", "can", "profile", "missing"):
        table.add_column(name, overflow="fold")
    for number, one in enumerate(found, start=1):
        node = "-" if one.node is None else one.node.path
        table.add_row(str(number), one.device.handle.name, node, one.can, one.setting, one.missing or "nothing")
    table.caption = "jounce devices --test plays a short, gentle test; --device N says on which."
    return table


def play_test(found: Sequence[Ability], number: int | None, say: Callable[[str], None], system: System = SYSTEM) -> None:
    """A weak push to the left, then one to the right; or each motor of a game controller once. Raises DeviceError."""
    able = [n for n, one in enumerate(found, start=1) if _testable(one)]
    if number is None:
        if len(able) != 1:
            these = f": {', '.join(map(str, able))}; --device N says which" if able else ""
            raise DeviceError(f"test: {len(able) or 'no'} devices can be tested{these}")
        number = able[0]
    if not 1 <= number <= len(found):
        raise DeviceError(f"device {number}: there are devices 1 to {len(found)}")
    one = found[number - 1]
    name = one.device.handle.name
    if one.device.handle.is_gamepad:
        say(f"{name}: the slow motor, then the fast one")
        _shake(one)
    elif one.node is None or not one.node.has_force:
        raise DeviceError(f"{name}: {one.missing}")
    else:
        share = _test_share(one.device)
        say(f"{name}: {100 * share:.0f} % of its torque, to the left, then to the right; hold it loosely")
        _push(one.node, share, name, system)


def _testable(one: Ability) -> bool:
    return one.device.handle.is_gamepad or (one.node is not None and one.node.has_force and one.node.writable)


def _ability(device: Device, seen: Sequence[Node]) -> Ability:
    usb, name, profile = usb_id(device.handle.guid), device.handle.name, device.profile
    wanted = FF_RUMBLE if device.handle.is_gamepad else FF_CONSTANT
    ours = [node for node in seen if (node.usb == usb if usb else node.name == name)]
    node = next((node for node in ours if wanted in node.effects), None)
    if profile is None:
        return Ability(device, node, "a profile (`jounce devices --calibrate` makes one)")
    if profile.kind == "gamepad":
        return Ability(device, node, "" if profile.rumble is not None else "`rumble` in its profile")
    if profile.kind != "wheel":
        return Ability(device, None, "a motor: pedals have none")
    if node is None:
        return Ability(
            device, None, "a driver with constant force" if ours else "an event node that you may read (group `input`, or a udev rule)"
        )
    if not node.writable:
        return Ability(device, node, permission(node.path))
    return Ability(device, node, "" if profile.force_feedback is not None else "`force_feedback: {torque: N m of the base}` in its profile")


def _test_share(device: Device) -> float:
    feedback = None if device.profile is None else device.profile.force_feedback
    return 0.5 * TEST_SHARE if feedback is None else min(TEST_SHARE, TEST_TORQUE / feedback.torque)


def _shake(one: Ability) -> None:
    for slow, fast in ((TEST_STRENGTH, 0.0), (0.0, TEST_STRENGTH)):
        if not one.device.handle.rumble(slow, fast, TEST_SHAKE):
            raise DeviceError(f"{one.device.handle.name}: it has no motors that could be started")
        time.sleep(1e-3 * TEST_SHAKE)
    one.device.handle.rumble(0.0, 0.0, 0)


def _push(node: Node, share: float, name: str, system: System) -> None:
    """One period of a sine. Raises DeviceError."""
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
        raise DeviceError(f"{name}: {error.strerror or 'it is not there any more'}") from None
    finally:
        force.close()
