"""`jounce devices`: list input devices with profiles and live axes, list their force feedback, and calibrate a device interactively."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.live import Live
from rich.table import Table

from simulator.base.errors import DeviceError, JounceError, OutputError
from simulator.base.json_output import json_text
from simulator.driver.force_feedback.command import abilities, feel_table, play_test
from simulator.driver.input_devices.device_profiles import (
    load_profiles,
    profile_folders,
    read_profile,
    system,
    usb_id,
    user_profiles_folder,
)
from simulator.driver.input_devices.devices import Device, DeviceHub

SETTLE = 0.25
"""s for devices to report their state. Smaller: a slow wheel is listed with zeros."""
CLEAR = 0.25
"""Minimum travel, in raw units, of an axis that the wizard accepts."""
_BUTTONS = {
    "selector_up": "shift up (reverse, neutral, drive)",
    "selector_down": "shift down",
    "parking_brake": "parking brake",
    "reset": "reset",
    "pause": "pause",
    "camera": "camera",
}


def add_devices_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `jounce devices`."""
    parser.add_argument("--watch", action="store_true", help="live values of the axes, until Ctrl-C")
    parser.add_argument("--json", action="store_true", help="output as one JSON object")
    parser.add_argument("--calibrate", action="store_true", help="new profile from an interactive calibration")
    parser.add_argument("--force-feedback", action="store_true", help="list of the force feedback and rumble of the devices")
    parser.add_argument("--test", action="store_true", help="as --force-feedback, with a short, weak test")
    parser.add_argument(
        "--device",
        type=int,
        default=None,
        metavar="N",
        help="number of the device to calibrate or test, as listed (default: the only device)",
    )
    parser.add_argument(
        "--out", type=Path, default=None, metavar="FOLDER", help="folder of the profile (default: the user's config folder)"
    )
    parser.add_argument("--name", default=None, metavar="NAME", help="name of the profile file, NAME.yaml (default: name of the device)")
    parser.add_argument("--overwrite", action="store_true", help="permission to overwrite an existing profile file")


def main_devices(arguments: argparse.Namespace) -> int:
    """List, test or calibrate devices. Return the exit status: 0 also without devices, 2 when a device or file cannot be used."""
    console = Console(stderr=bool(arguments.json), soft_wrap=True)
    try:
        hub = DeviceHub(load_profiles(profile_folders())[0])
    except JounceError as error:
        print(f"jounce: {error}", file=sys.stderr)
        return 2
    try:
        _settle(hub)
        show_feedback = arguments.force_feedback or arguments.test
        found = abilities(hub.devices.values()) if show_feedback else []
        if arguments.json:
            data = [_device_data(device) for device in hub.devices.values()]
            data = [{**fact, "feel": one.facts()} for fact, one in zip(data, found, strict=True)] if show_feedback else data
            print(json_text({"devices": data}))
        elif not hub.devices:
            console.print("No wheel, pedals or game controller found; only the keyboard is available.")
        elif show_feedback:
            console.print(feel_table(found))
            if arguments.test:
                play_test(found, arguments.device, console.print)
        elif arguments.calibrate:
            _calibrate(hub, arguments, console)
        elif arguments.watch:
            _watch(hub, console)
        else:
            console.print(_table(hub))
    except JounceError as error:
        print(f"jounce: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 0
    finally:
        hub.close()
    return 0


def _settle(hub: DeviceHub, seconds: float = SETTLE) -> None:
    for _ in _polls(hub, seconds):
        pass


def _polls(hub: DeviceHub, seconds: float) -> Iterator[None]:
    """Poll every 10 ms for `seconds`; yield after each poll."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        hub.poll()
        yield
        time.sleep(0.01)


def _device_data(device: Device) -> dict[str, Any]:
    """Return the data of a device as a dict."""
    profile, handle = device.profile, device.handle
    return {
        "name": handle.name,
        "guid": handle.guid,
        "usb": usb_id(handle.guid),
        "game_controller": handle.is_gamepad,
        "profile": profile.name if profile else None,
        "kind": profile.kind if profile else None,
        "file": profile.file if profile else None,
        "verified": profile.verified if profile else None,
        "axes": [round(value, 4) for value in _raw(device)],
        "steering": device.steering(),
        "throttle": device.pedal("throttle"),
        "brake": device.pedal("brake"),
        "refused_values": device.faults,
    }


def _table(hub: DeviceHub) -> Table:
    table = Table(title="Input devices")
    for name in ("", "device", "USB or GUID", "profile", "raw axes", "steering", "throttle", "brake"):
        table.add_column(name, overflow="fold", justify="right" if name in ("steering", "throttle", "brake") else "left")
    for number, device in enumerate(hub.devices.values(), start=1):
        data = _device_data(device)
        profile = f"{data['kind']}: {data['profile']}" if data["profile"] else "none (try --calibrate)"
        if data["verified"] is False:
            profile += " [dim](not verified on hardware)[/dim]"
        steering = "-" if data["steering"] is None else f"{data['steering']:+.2f}"
        axes = " ".join(f"{index}:{value:+.2f}" for index, value in enumerate(data["axes"]))
        pedals = (f"{data['throttle']:.2f}", f"{data['brake']:.2f}")
        table.add_row(str(number), data["name"], data["usb"] or data["guid"], profile, axes, steering, *pedals)
    table.caption = "steering: + = left. A pedal shows 0 until it is moved."
    return table


def _watch(hub: DeviceHub, console: Console) -> None:
    with Live(_table(hub), console=console, refresh_per_second=20) as live:
        while True:
            _settle(hub, 0.05)
            live.update(_table(hub))


def _raw(device: Device) -> list[float]:
    return [device.handle.axis(index) for index in range(device.handle.axis_count)]


def _calibrate(hub: DeviceHub, arguments: argparse.Namespace, console: Console) -> None:
    device = _pick(hub, arguments.device, console)
    name = device.handle.name
    stem = arguments.name or re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    folder = arguments.out or user_profiles_folder()
    if folder is None:
        raise OutputError("the user has no home folder for the profile; hint: use --out FOLDER, or set HOME")
    file: Path = folder / (stem if stem.endswith((".yaml", ".yml")) else f"{stem}.yaml")
    if file.exists() and not arguments.overwrite:
        raise OutputError(f"{file}: file exists; hint: use --overwrite to replace the file, or --name for another file")
    console.print(f"Calibrating {name}. For each line, do what it says, then press Enter. Press Ctrl-C to quit without writing.")
    profile = _Wizard(hub, device, console).run()
    read_profile(profile, file)
    _write(file, profile)
    console.print(f"Wrote {file}. Jounce uses this profile from now on." if arguments.out is None else f"Wrote {file}.")


def _pick(hub: DeviceHub, number: int | None, console: Console) -> Device:
    devices = list(hub.devices.values())
    if number is None and len(devices) > 1:
        console.print(_table(hub))
        answer = _answer(console, "Number of the device to calibrate")
        number = int(answer) if answer.isdecimal() else 0
    number = 1 if number is None else number
    if not 1 <= number <= len(devices):
        raise DeviceError(f"device {number}: unknown device; expected a number from 1 to {len(devices)}")
    return devices[number - 1]


def _answer(console: Console, question: str) -> str:
    """Read one line from the user. Raises DeviceError at the end of the input."""
    console.print(f"  {question}: ", end="")
    line = sys.stdin.readline()
    if not line:
        raise DeviceError("calibration: end of input before the last question; no file was written")
    return line.strip()


class _Wizard:
    """Sequence of questions; the user answers each with a movement, held while Enter is pressed."""

    def __init__(self, hub: DeviceHub, device: Device, console: Console) -> None:
        self.hub, self.device, self.console = hub, device, console
        self.taken: set[int] = set()

    def run(self) -> dict[str, Any]:
        """Return the profile as a dict."""
        handle = self.device.handle
        steering = self.steering()
        throttle, brake = self.pedal("throttle"), self.pedal("brake")
        if steering is None and throttle is None and brake is None:
            raise DeviceError("calibration: no control moved; no file was written")
        usb = usb_id(handle.guid)
        profile: dict[str, Any] = {
            "name": handle.name,
            "kind": "pedals" if steering is None else "wheel",
            "verified": True,
            "source": "calibrated with jounce devices",
            "match": ({"usb": [usb]} if usb else {"guids": [handle.guid]}) | {"systems": [system()]},
        }
        if steering is not None:
            profile["rotation_deg"] = self.rotation()
        controls = {"steering": steering, "throttle": throttle, "brake": brake}
        profile |= {name: value for name, value in controls.items() if value is not None}
        buttons = {name: self.button(text) for name, text in _BUTTONS.items()}
        return profile | {"buttons": {name: [number] for name, number in buttons.items() if number is not None}}

    def steering(self) -> dict[str, Any] | None:
        """Return the steering axis with both ends and the center.

        The two ends are compared with each other, not with the rest position, because an axis also jumps when it reports its first value.
        """
        left = self.sample("Turn fully left and hold (pedals without a wheel: only press Enter)")
        right = self.sample("Turn fully right and hold")
        axis = self.farthest(left, right)
        if axis is None:
            return None
        center = self.sample("Center the wheel")
        self.taken.add(axis)
        return {"axis": axis, "left": left[axis], "center": center[axis], "right": right[axis]}

    def pedal(self, name: str) -> dict[str, Any] | None:
        """Return the axis of a pedal with both ends. The released end is read after the press, because the axis has reported by then."""
        pressed = self.sample(f"Press the {name} fully and hold (no such pedal: only press Enter)")
        released = self.sample(f"Release the {name}")
        axis = self.farthest(pressed, released)
        if axis is None:
            return None
        if abs(released[axis]) > CLEAR:  # a pedal that rests at the center may share its axis with another pedal
            self.taken.add(axis)
        return {"axis": axis, "released": released[axis], "pressed": pressed[axis]}

    def rotation(self) -> float:
        """Return the rotation from lock to lock in degrees."""
        answer = _answer(self.console, "Degrees from lock to lock [900]")
        try:
            return float(answer or 900.0)
        except ValueError:
            raise DeviceError(f"calibration: invalid rotation; expected a number in degrees; got {answer!r}; no file was written") from None

    def button(self, text: str) -> int | None:
        """Return the number of the first button pressed before Enter, or None."""
        _answer(self.console, f"Press the button for {text}, or only Enter")
        pressed_buttons = [button for _ in _polls(self.hub, 0.1) for button in self.device.buttons]
        return next((button for button in pressed_buttons if isinstance(button, int)), None)

    def sample(self, question: str) -> list[float]:
        """Return the raw axes at the time Enter is pressed."""
        _answer(self.console, question)
        _settle(self.hub, 0.1)
        return [round(min(1.0, max(-1.0, value)), 3) for value in _raw(self.device)]

    def farthest(self, now: list[float], before: list[float]) -> int | None:
        """Return the free axis that moved most, or None if none moved clearly."""
        free = [index for index in range(len(now)) if index not in self.taken]
        axis = max(free, key=lambda index: abs(now[index] - before[index]), default=None)
        return axis if axis is not None and abs(now[axis] - before[axis]) > CLEAR else None


def _write(file: Path, profile: dict[str, Any]) -> None:
    """Write the file completely or not at all."""
    text = "# Generated by jounce devices --calibrate. Raw values as in SDL, in [-1, 1].\n" + yaml.safe_dump(profile, sort_keys=False)
    file = Path(os.path.realpath(file))  # a symbolic link stays
    part = file.with_suffix(".part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        os.replace(part, file)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise OutputError(f"{file}: cannot write the file ({error.strerror})") from None
