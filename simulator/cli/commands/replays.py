"""Verbs of recorded drives: replay, render."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between
from simulator.cli.commands.options import add_plugin, command
from simulator.view.camera_names import CAMERAS

PLACE = "folder of a run or drive, or its log"


def add_replay(commands: Commands) -> None:
    """Add the verb `replay`."""
    p = commands.add_parser("replay", help="play a recorded drive in the window: pause, scrub, slow motion, events")
    p.add_argument("place", metavar="FOLDER|FILE", help=PLACE)
    _add_times(p)
    p.add_argument("--speed", type=number_between(0.125, 4.0), default=1.0, metavar="X", help="playback speed, 0.125 to 4 (default: 1)")
    p.add_argument("--camera", choices=CAMERAS, default="chase", help="first camera: %(choices)s (default: chase)")
    p.add_argument("--no-sound", action="store_true", help="no sound")
    p.add_argument("--volume", type=number_between(0.0, 1.0), metavar="V", help="volume, 0 to 1 (default: as in the settings, 0.5)")
    p.add_argument("--sound-device", metavar="NAME", help="sound device: name, part of it, or null (default: device of the system)")
    add_plugin(p)
    p.set_defaults(run=command("simulator.host.replay_command:main_replay"))


def add_render(commands: Commands) -> None:
    """Add the verb `render`."""
    p = commands.add_parser("render", help="render a recorded drive as a video or its sound, without a window")
    p.add_argument("place", metavar="FOLDER|FILE", help=PLACE)
    p.add_argument(
        "--video",
        metavar="FILE|FOLDER",
        help="video file (.mp4, .mkv, .webm), animation (.gif, .webp), or folder of PNG files (default: none)",
    )
    p.add_argument("--wav", metavar="FILE", help="sound of the drive, 16 bit stereo at 48 kHz (default: none)")
    p.add_argument(
        "--listener",
        choices=("recorded", "inside", "outside"),
        help="place of the listener: %(choices)s (default: --wav as the cameras of the drive, --video as its camera)",
    )
    p.add_argument("--volume", type=number_between(0.0, 1.0), default=0.5, metavar="V", help="volume of the sound, 0 to 1 (default: 0.5)")
    p.add_argument("--no-sound", action="store_true", help="video file without sound")
    _add_times(p)
    p.add_argument("--size", type=_size, default=(1280, 720), metavar="WxH", help="pixels of an image (default: 1280x720)")
    p.add_argument(
        "--fps", type=number_between(0.01, 240.0), default=30.0, metavar="HZ", help="images per second, 0.01 to 240 (default: 30)"
    )
    p.add_argument("--speed", type=number_between(0.01, 100.0), default=1.0, metavar="X", help="slow or fast motion (default: 1)")
    p.add_argument("--camera", choices=CAMERAS, default="chase", help="camera: %(choices)s (default: chase)")
    p.add_argument("--no-instruments", action="store_true", help="images without instruments")
    add_plugin(p)
    p.set_defaults(run=command("simulator.run.render:main_render"))


def _add_times(p: argparse.ArgumentParser) -> None:
    second = number_between(0.0, 1e6)
    p.add_argument("--from", dest="first", type=second, default=0.0, metavar="S", help="start, time in the recording [s] (default: 0)")
    p.add_argument("--to", dest="last", type=second, metavar="S", help="end, time in the recording [s] (default: its end)")


def _size(text: str) -> tuple[int, int]:
    """Parse WxH, an argument type."""
    side = number_between(16, 8192, whole=True)
    width, cross, height = text.lower().partition("x")
    if not cross:
        raise argparse.ArgumentTypeError(f"invalid value; expected WIDTHxHEIGHT in pixels, for example 1280x720; got {text}")
    return int(side(width)), int(side(height))
