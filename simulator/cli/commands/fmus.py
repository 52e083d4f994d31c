"""The verb fmu."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between, some_text
from simulator.cli.commands.options import add_json, add_session_file, command


def add_fmu(commands: Commands) -> None:
    """Add the verb `fmu`."""
    fmu = commands.add_parser("fmu", help="write a vehicle, tire or washout as FMU for co-simulation (FMI 2, 3)")
    verbs = fmu.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True)
    _add_vehicle(verbs)
    _add_tire(verbs)
    _add_washout(verbs)


def _add_vehicle(verbs: Commands) -> None:
    p = verbs.add_parser("vehicle", help="vehicle on its ground: inputs are the commands, outputs are log columns")
    p.add_argument("name", metavar="NAME", nargs="?", default="hmmwv", help="vehicle name or file (default: hmmwv)")
    add_session_file(p)
    p.add_argument("--terrain", metavar="NAME", help="terrain name or file (default: terrain of the session, else jacksboro)")
    p.add_argument(
        "--channels",
        action="append",
        type=some_text,
        default=[],
        metavar="NAME,...",
        help="outputs: log columns by names, fields, patterns with * and ? (default: pose, motion, wheels, engine, controls); repeatable",
    )
    p.add_argument("--speed", type=number_between(0.0, 150.0), metavar="V", default=0.0, help="start speed [m/s] (default: 0)")
    _add_files(p, "vehicle")


def _add_tire(verbs: Commands) -> None:
    p = verbs.add_parser("tire", help="tire on a rig: inputs are load, velocities and spin, outputs are forces")
    p.add_argument("name", metavar="NAME", help="tire name or file (.yaml), or a tire property file (.tir)")
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override of a key of the tire file; repeatable")
    p.add_argument("--step", type=number_between(5e-5, 0.01), metavar="S", default=0.001, help="tick [s] (default: 0.001)")
    _add_files(p, "tire")


def _add_washout(verbs: Commands) -> None:
    p = verbs.add_parser("washout", help="washout with limiter: inputs are force and rate, outputs are pose and legs")
    p.add_argument("name", metavar="NAME", nargs="?", default="small_hexapod", help="washout name or file (default: small_hexapod)")
    add_session_file(p)
    p.add_argument("--platform", metavar="NAME", help="motion platform name or file (default: small_hexapod)")
    _add_files(p, "washout")


def _add_files(p: argparse.ArgumentParser, kind: str) -> None:
    """Add the options of the files."""
    p.add_argument("--out", type=some_text, metavar="DIR", required=True, help="folder of the files NAME_fmi2.fmu and NAME_fmi3.fmu")
    p.add_argument("--fmi", type=int, choices=(2, 3), help="version of the standard (default: a file for each)")
    p.add_argument("--overwrite", action="store_true", help="replacement of existing files")
    add_json(p)
    p.set_defaults(run=command("simulator.fmi.command:main_fmu"), kind=kind)
