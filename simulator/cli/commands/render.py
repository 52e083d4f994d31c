"""Verb that renders a recorded run: sound."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between


def add_render(commands: Commands) -> None:
    """Add the verb `render`."""
    p = commands.add_parser("render", help="make the sound of a recorded run as a file")
    p.add_argument("run_folder", metavar="RUN", help="folder of a run or drive, or its log")
    p.add_argument("--wav", metavar="FILE", help="sound of the run, 16 bit stereo at 48 kHz (WAV)")
    p.add_argument(
        "--listener",
        choices=("recorded", "inside", "outside"),
        default="recorded",
        help="place of the listener: %(choices)s (default: recorded, as the cameras of the drive)",
    )
    p.add_argument("--volume", type=number_between(0.0, 1.0), default=0.5, metavar="V", help="volume of the sound, 0 to 1 (default: 0.5)")
    p.set_defaults(run=_render)


def _render(arguments: argparse.Namespace) -> int:
    from simulator.run.render import main_render

    return main_render(arguments)
