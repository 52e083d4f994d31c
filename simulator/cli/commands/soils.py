"""Verbs of soils: soil, soilbin."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between
from simulator.base.errors import JounceError
from simulator.cli.commands.options import add_json, add_out
from simulator.cli.output_options import add_single_file, single_file


def _add_wheel(p: argparse.ArgumentParser) -> None:
    """Add --tire, --set and --json."""
    p.add_argument("--tire", metavar="NAME", help="tire name or file (default: tmeasy_hmmwv)")
    p.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="override of a value, tire.KEY=VALUE or soil.KEY=VALUE, for example soil.n=0.9; repeatable",
    )
    add_json(p)


def add_soil(commands: Commands) -> None:
    """Add the verb `soil`."""
    p = commands.add_parser("soil", help="show the properties of a soil and the forces of a wheel on it")
    p.add_argument("soil", metavar="NAME", help="soil name or file, for example lete_sand")
    _add_wheel(p)
    p.add_argument("--load", type=number_between(0.01, 1e6), metavar="N", help="wheel load [N] (default: nominal load of the tire)")
    p.add_argument("--radius", type=number_between(0.01, 10.0), metavar="M", help="wheel radius [m] (default: set by the tire)")
    p.add_argument("--width", type=number_between(0.01, 10.0), metavar="M", help="wheel width [m] (default: set by the tire)")
    p.add_argument("--inflation", type=number_between(1.0, 1e4), metavar="KPA", help="tire inflation [kPa] (default: set by the tire)")
    add_single_file(p, "plot", "PNG file of the curves", "NAME.png in the current folder", "folder of NAME.png (default: none)")
    p.set_defaults(run=_soil)


def _soil(arguments: argparse.Namespace) -> int:
    from simulator.tools.soil.soil_command import main_soil

    with single_file(arguments, "plot"):
        return main_soil(arguments)


def add_soilbin(commands: Commands) -> None:
    """Add the verb `soilbin`."""
    p = commands.add_parser("soilbin", help="roll one wheel over a soil at given slips, loads and inflations")
    p.add_argument("soil", metavar="SOIL", help="soil name or file")
    _add_wheel(p)
    several = "numbers, or FROM:TO:COUNT"
    p.add_argument(
        "--slip", nargs="+", metavar="S", help=f"longitudinal slip, -1 locked, 0.5 twice as fast: {several} (default: -1 to 0.8)"
    )
    p.add_argument("--load", nargs="+", metavar="N", help=f"wheel load [N]: {several} (default: nominal load of the tire)")
    p.add_argument(
        "--slip-angle", nargs="+", metavar="DEG", help=f"slip angle [deg], positive for travel to the left: {several} (default: 0)"
    )
    p.add_argument("--inflation", nargs="+", metavar="KPA", help=f"tire inflation [kPa]: {several} (default: set by the tire)")
    p.add_argument("--speed", type=number_between(0.01, 50.0), metavar="MPS", help="speed of the carriage [m/s] (default: 5)")
    p.add_argument("--csv", metavar="FILE", help="CSV file of all results, in SI units (default: none)")
    p.add_argument(
        "--fit",
        metavar="TESTS.csv",
        help="measurements for a fit of the soil parameters that starts at SOIL: columns slip, load_N, slip_angle_deg and one or more of "
        "drawbar_pull_N, side_force_N, sinkage_mm, torque_Nm (default: none)",
    )
    p.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="COLUMN=VALUE",
        help="--fit: value that selects rows of the measurements (default: all rows); repeatable",
    )
    p.add_argument(
        "--free",
        action="append",
        default=[],
        metavar="NAME,...",
        help="--fit: soil parameters to fit (default: all that tests of one wheel identify)",
    )
    add_out(p, "--fit: folder of the soil file and the page")
    p.set_defaults(run=_soilbin)


def _soilbin(arguments: argparse.Namespace) -> int:
    if arguments.fit is not None:
        from simulator.fitting.soil_fit_command import main_soil_fit

        return main_soil_fit(arguments)
    if arguments.where or arguments.free or arguments.out:
        raise JounceError("--where, --free and --out need --fit")
    from simulator.tools.soil.soilbin_command import main_soilbin

    return main_soilbin(arguments)
