"""`jounce devices`: list input devices with profiles and live axes, list their force feedback, and calibrate a device interactively."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from simulator.base.errors import DeviceError, JounceError, OutputError
from simulator.base.json_output import json_text
from simulator.driver.force_feedback.command import abilities, feel_table, play_test
from simulator.driver.input_devices.calibration import Calibration, Questions, profile_file, raw_axes, save_profile, settle
from simulator.driver.input_devices.device_profiles import load_profiles, profile_folders, usb_id, user_profiles_folder
from simulator.driver.input_devices.devices import Device, DeviceHub


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
        settle(hub)
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
        "axes": [round(value, 4) for value in raw_axes(device)],
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
            settle(hub, 0.05)
            live.update(_table(hub))


def _calibrate(hub: DeviceHub, arguments: argparse.Namespace, console: Console) -> None:
    device = _pick(hub, arguments.device, console)
    folder = arguments.out or user_profiles_folder()
    if folder is None:
        raise OutputError("the user has no home folder for the profile; hint: use --out FOLDER, or set HOME")
    file = profile_file(device, folder, arguments.name)
    if file.exists() and not arguments.overwrite:
        raise OutputError(f"{file}: file exists; hint: use --overwrite to replace the file, or --name for another file")
    console.print(
        f"Calibrating {device.handle.name}. For each line, do what it says, then press Enter. Press Ctrl-C to quit without writing."
    )
    save_profile(file, _answers(Calibration(hub, device).questions(), console))
    console.print(f"Wrote {file}. Jounce uses this profile from now on." if arguments.out is None else f"Wrote {file}.")


def _answers(questions: Questions, console: Console) -> Any:
    """Let the user answer questions in the terminal; return the result."""
    try:
        question = next(questions)
        while True:
            question = questions.send(_answer(console, question))
    except StopIteration as end:
        return end.value


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
