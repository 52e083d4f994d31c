"""Verbs of real-time drives: drive, view, stream, platform, devices."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.base.argument_types import Commands, number_between, yaml_value
from simulator.base.console import print_error
from simulator.base.errors import JounceError, one_line
from simulator.base.registry import Choices
from simulator.cli.commands.options import add_host_options, add_log, add_out, add_session, command
from simulator.cli.output_options import check_named_file
from simulator.driver.input_devices.kinds import INPUT_SOURCE_KINDS
from simulator.driver.kinds import DRIVER_KINDS
from simulator.view.instrument_layout import HELP

if TYPE_CHECKING:
    from simulator.start_screen.open_start_screen import LastDrive

BEGAN = time.perf_counter()
"""Start time of the program, for the time to the first frame."""


def add_drive(commands: Commands) -> None:
    """Add the verb `drive`."""
    p = commands.add_parser(
        "drive",
        help="drive in real time, with a window, a motion platform and a log",
        epilog=_keys(),
        formatter_class=argparse.RawDescriptionHelpFormatter,  # keeps the lines of the keys
    )
    p.add_argument(
        "course", nargs="?", metavar="SESSION", help="session name or file, as --session, for example circuit_race (default: none)"
    )
    p.add_argument(
        "--driver",
        choices=Choices(INPUT_SOURCE_KINDS, DRIVER_KINDS, more=("auto",)),
        metavar="NAME",
        help="driver: %(choices)s (default: auto, a human with any device)",
    )
    p.add_argument("--offscreen", action="store_true", help="image files instead of a window, with the scripted driver")
    p.add_argument("--no-view", action="store_true", help="neither window nor images, with the scripted driver")
    p.add_argument("--menu", action="store_true", help="start screen before the drive, to choose vehicle, terrain, weather, driver")
    p.add_argument("--no-motion", action="store_true", help="no motion platform")
    sound = p.add_mutually_exclusive_group()
    sound.add_argument("--sound", action="store_true", help="sound also without a window (default: sound with a window)")
    sound.add_argument("--no-sound", action="store_true", help="no sound")
    p.add_argument(
        "--volume", type=number_between(0.0, 1.0), metavar="V", help="volume of the sound, 0 to 1 (default: as in the settings, 0.5)"
    )
    p.add_argument("--sound-device", metavar="NAME", help="sound device: name, part of it, or null (default: device of the system)")
    add_host_options(p)
    p.add_argument("--to", metavar="HOST[:PORT]", help="receiver of the motion stream (default: built-in virtual platform)")
    p.add_argument("--ghost", metavar="RUN", help="recorded drive on the same terrain, shown as a translucent vehicle (default: none)")
    p.add_argument(
        "--ghost-start",
        choices=("drive", "motion"),
        default="drive",
        help="the ghost begins with the drive, or moves off when the vehicle does: %(choices)s (default: drive)",
    )
    p.set_defaults(run=_drive)


def _keys() -> str:
    """Return the list of keys of the window."""
    return "\n".join(["keys while driving:", *(f"  {key:<14}{meaning}" for key, meaning in HELP)])


def _drive(arguments: argparse.Namespace) -> int:
    if arguments.course is not None and arguments.session is not None:
        raise JounceError(f"drive: two sessions, {arguments.course} and --session {arguments.session}; expected one of them")
    if arguments.menu:
        return _drive_from_start_screen(arguments)
    arguments.session = arguments.session or arguments.course
    from simulator.host.drive_command import main_drive

    return main_drive(arguments, BEGAN)


def _drive_from_start_screen(arguments: argparse.Namespace) -> int:
    """Show the start screen before each drive, until the user quits; return the exit code of the last drive or replay."""
    from simulator.start_screen.open_start_screen import CHOICE, NO_DRIVE, WATCH

    last, code, choice = NO_DRIVE, 0, _given(arguments)
    while True:
        present = argparse.Namespace(**vars(arguments))
        if not _choose(present, choice, last):
            return code
        choice = getattr(present, CHOICE)
        try:
            if getattr(present, WATCH):
                last, code = last._replace(trouble=""), _watch(last.folder)
            else:
                last, code = _drive_once(present, last)
        except JounceError as error:
            print_error(str(error))
            last, code = last._replace(trouble=one_line(str(error))), 2


def _given(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the values of the rows of the start screen from the command line."""
    given = {row: getattr(arguments, row) for row in ("course", "vehicle", "terrain", "driver", "maneuver")}
    return {row: value for row, value in given.items() if value is not None}


def _choose(arguments: argparse.Namespace, given: Mapping[str, str], last: LastDrive) -> bool:
    """Let the user choose in the start screen; return False after they have quit.

    given : values of its rows
    last : drive before this start screen
    """
    from simulator.start_screen.open_start_screen import open_start_screen

    chosen = open_start_screen(given, last)
    if chosen is None:
        return False
    overrides = chosen.pop("set")
    vars(arguments).update(chosen, set=[*overrides, *arguments.set])
    return True


def _drive_once(arguments: argparse.Namespace, last: LastDrive) -> tuple[LastDrive, int]:
    """Drive what the user has chosen; return the drive and its exit code."""
    from simulator.host.drive_command import free_folder, run_drive
    from simulator.start_screen.open_start_screen import LastDrive
    from simulator.view.user_settings import users_speed_unit

    if arguments.out is not None and last.folder:
        arguments.out = str(free_folder(Path(arguments.out)))
    result = run_drive(arguments, time.perf_counter())
    return LastDrive(str(result.folder.resolve()), result.trip.text(users_speed_unit()), "; ".join(result.troubles)), result.code


def _watch(folder: str) -> int:
    """Show a recorded drive."""
    from simulator.cli.commands.replays import add_replay

    parser = argparse.ArgumentParser()
    add_replay(parser.add_subparsers())
    arguments = parser.parse_args(["replay", folder])
    return int(arguments.run(arguments))


def add_view(commands: Commands) -> None:
    """Add the verb `view`."""
    p = commands.add_parser("view", help="open a new window for a running drive")
    p.add_argument("drive", nargs="?", type=int, metavar="PID", help="process id of the drive (default: the only running drive)")
    p.set_defaults(run=command("simulator.view.attach:main_view", "drive"))


def add_stream(commands: Commands) -> None:
    """Add the verb `stream`."""
    p = commands.add_parser("stream", help="drive a maneuver in real time without a view and stream its motion")
    add_host_options(p)
    p.add_argument("--to", metavar="HOST[:PORT]", help="receiver of the motion stream (default: this machine)")
    p.set_defaults(run=_stream)


def _stream(arguments: argparse.Namespace) -> int:
    from simulator.host.drive_command import main_stream

    return main_stream(arguments, BEGAN)


def add_serve(commands: Commands) -> None:
    """Add the verb `serve`."""
    p = commands.add_parser("serve", help="let another program drive over the network, in lock step or in real time")
    p.add_argument("--port", required=True, metavar="[HOST:]PORT", help="address to listen at (default host: only this machine)")
    p.add_argument(
        "--lock-step",
        type=number_between(1, 1_000_000, whole=True),
        metavar="N",
        help="ticks that each command advances, by TCP, faster than real time (default: 10 ms)",
    )
    p.add_argument("--real-time", action="store_true", help="in real time by TCP instead of in lock step")
    p.add_argument("--udp", action="store_true", help="in real time by UDP; without arrays")
    p.add_argument("--rate", type=number_between(0.1, 20_000.0), metavar="HZ", help="states per second in real time (default: 100)")
    p.add_argument(
        "--timeout",
        type=number_between(0.05, 86_400.0),
        default=5.0,
        metavar="S",
        help="silence of the peer after which the run ends with exit code 1 (default: 5)",
    )
    p.add_argument(
        "--state",
        action="append",
        default=[],
        metavar="NAME,...",
        help="channels of a state as for --channels, and arrays of sensors as NAME.ARRAY (default: motion, wheels, engine, pedals); repeatable",
    )
    p.add_argument(
        "--mapper",
        type=yaml_value,
        metavar="NAME|{...}",
        help="mapper of the arrays map.LAYER: its type, or YAML such as '{type: truth, cell: 0.5}' (default: truth)",
    )
    p.add_argument(
        "--duration", type=number_between(0.001, 1e6), metavar="S", help="simulated time [s] (default: until the peer ends the run)"
    )
    add_session(p)
    add_log(p)
    add_out(p)
    p.set_defaults(run=command("simulator.port.serve_command:main_serve"))


def add_platform(commands: Commands, loaded: bool) -> None:
    """Add the verb `platform`."""
    p = commands.add_parser("platform", help="run a virtual motion platform that receives a motion stream")
    if loaded:
        from simulator.virtual_platform.process import add_platform_arguments, main_platform

        add_platform_arguments(p)
        p.set_defaults(run=main_platform)


def add_devices(commands: Commands, loaded: bool) -> None:
    """Add the verb `devices`."""
    p = commands.add_parser("devices", help="list and calibrate steering wheels, pedals and game controllers")
    if loaded:
        from simulator.driver.input_devices.calibrate import add_devices_arguments

        add_devices_arguments(p)
        p.set_defaults(run=_devices)


def _devices(arguments: argparse.Namespace) -> int:
    from simulator.driver.input_devices.calibrate import main_devices

    check_named_file(arguments)
    return main_devices(arguments)
