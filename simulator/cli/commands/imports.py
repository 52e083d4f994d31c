"""Verb of files of other programs: import. Each kind of file is a subcommand."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between, some_text
from simulator.cli.commands.options import add_json, command


def add_import(commands: Commands) -> None:
    """Add the verb `import`."""
    p = commands.add_parser("import", help="create terrains and other files from files of other programs")
    verbs = p.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True)
    _add_opendrive(verbs)
    _add_chrono(verbs)
    _add_gpx(verbs)
    _add_urdf(verbs)


def _add_source(p: argparse.ArgumentParser, file: str, files: str) -> None:
    """Add the options of all imports: the file, --out, --overwrite and --json."""
    p.add_argument("file", metavar="FILE", help=file)
    p.add_argument("--out", type=some_text, metavar="DIR", required=True, help=f"folder of the result: {files}")
    p.add_argument("--overwrite", action="store_true", help="permission to replace existing files")
    add_json(p)


def _add_opendrive(verbs: Commands) -> None:
    p = verbs.add_parser("opendrive", help="create a terrain with lanes and objects from roads of OpenDRIVE")
    _add_source(p, "OpenDRIVE file (.xodr)", "NAME.yaml, NAME_heights.npy, NAME_soils.png, NAME_lanes.csv, NAME_objects.csv")
    p.add_argument(
        "--cell", type=number_between(0.05, 10.0), metavar="M", help="node spacing [m] (default: 0.25, more for a large network)"
    )
    p.add_argument(
        "--ground",
        metavar="NAME",
        default="fitted",
        help="ground around the roads: fitted (a membrane between them), flat (at the lowest height of the roads), or a terrain name or file (default: fitted)",
    )
    p.add_argument(
        "--shoulder",
        type=number_between(0.0, 100.0),
        metavar="M",
        default=6.0,
        help="width over which a road meets the ground [m] (default: 6)",
    )
    p.add_argument(
        "--level", choices=("lower", "upper"), default="lower", help="road that is kept where one leads above another (default: lower)"
    )
    p.set_defaults(run=command("simulator.imports.opendrive.command:main_opendrive"))


def _add_chrono(verbs: Commands) -> None:
    p = verbs.add_parser("chrono", help="create a vehicle from JSON files of Project Chrono")
    _add_source(p, "vehicle of Project Chrono (.json)", "NAME.yaml, NAME_drivetrain.yaml, NAME_tires.yaml, mechanisms of multi-link axles")
    p.add_argument("--data", metavar="DIR", help="data folder of the file names (default: closest folder above FILE with them)")
    p.add_argument(
        "--tire", metavar="FILE", nargs="+", help="tire, or front and rear tire: .json, or names of Jounce (default: that of FILE)"
    )
    p.add_argument("--engine", metavar="FILE", help="engine (.json) (default: that of FILE)")
    p.add_argument("--transmission", metavar="FILE", help="transmission (.json) (default: that of FILE)")
    p.add_argument("--drivetrain", metavar="NAME", help="drivetrain of Jounce in place of engine, transmission, driveline and brakes")
    p.set_defaults(run=command("simulator.imports.chrono.command:main_chrono"))


def _add_gpx(verbs: Commands) -> None:
    p = verbs.add_parser("gpx", help="create a maneuver along a track or route of a GPX file")
    _add_source(p, "GPX file", "NAME.yaml")
    p.add_argument(
        "--terrain",
        metavar="NAME",
        default="flat",
        help="terrain name or file; with a position on Earth, the path lies where it was (default: flat)",
    )
    p.add_argument("--vehicle", metavar="NAME", default="sedan", help="vehicle name or file (default: sedan)")
    p.add_argument("--track", metavar="NAME", help="track or route: name, or number from 1 on (default: that with most points)")
    p.add_argument(
        "--speed",
        type=_speed,
        metavar="KPH",
        default="50",
        help="speed limit [km/h], less in bends; or `recorded`: by the time stamps (default: 50)",
    )
    p.add_argument(
        "--laps",
        type=number_between(1, 50, whole=True),
        metavar="N",
        help="number of timed laps of a closed track (default: once along it)",
    )
    p.add_argument(
        "--smooth",
        type=number_between(0.0, 100.0),
        metavar="M",
        help="standard deviation of the smoothing [m] (default: distance of the points, 3 to 15; 0 for a route)",
    )
    p.add_argument(
        "--spacing", type=number_between(2.0, 100.0), metavar="M", default=6.0, help="distance of the waypoints [m] (default: 6)"
    )
    p.set_defaults(run=command("simulator.imports.gpx.command:main_gpx"))


def _speed(text: str) -> str:
    """Return a speed in km/h, or `recorded`. Raises ArgumentTypeError."""
    return text if text == "recorded" else str(number_between(4.0, 216.0)(text))


def _add_urdf(verbs: Commands) -> None:
    p = verbs.add_parser("urdf", help="create a mechanism from URDF or URDF+")
    _add_source(p, "URDF or URDF+ file", "NAME.yaml")
    p.set_defaults(run=command("simulator.imports.urdf.command:main_urdf"))
