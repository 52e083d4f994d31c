"""The verbs about soils: soil, soilbin."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between
from simulator.base.errors import JounceError


def _add_wheel(p: argparse.ArgumentParser) -> None:
    """A wheel, and other numbers in its file and in that of the soil."""
    p.add_argument("--tire", metavar="NAME", help="tire by name or file (default: tmeasy_hmmwv)")
    p.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="another number of a file, tire.KEY=VALUE or soil.KEY=VALUE, for example soil.n=0.9; may be given again",
    )
    p.add_argument("--json", action="store_true", help="print one JSON object")


def add_soil(commands: Commands) -> None:
    """The verb `soil`."""
    p = commands.add_parser(
        "soil", help="a soil: pressure and shear, and pull, resistance, sinkage and torque of a wheel over slip and load"
    )
    p.add_argument("soil", metavar="NAME", help="soil by name or file, for example lete_sand")
    _add_wheel(p)
    p.add_argument("--load", type=number_between(0.01, 1e6), metavar="N", help="load on the wheel [N] (default: the tire's nominal load)")
    p.add_argument("--radius", type=number_between(0.01, 10.0), metavar="M", help="another radius of the wheel [m]")
    p.add_argument("--width", type=number_between(0.01, 10.0), metavar="M", help="another width of the wheel [m]")
    p.add_argument("--inflation", type=number_between(1.0, 1e4), metavar="KPA", help="another inflation of the tire [kPa]")
    p.add_argument("--out", metavar="PLACE", help="picture (.png) or folder for it (default: NAME.png in the current folder)")
    p.set_defaults(run=_soil)


def _soil(arguments: argparse.Namespace) -> int:
    from simulator.tools.soil.soil_command import main_soil

    return main_soil(arguments)


def add_soilbin(commands: Commands) -> None:
    """The verb `soilbin`."""
    p = commands.add_parser("soilbin", help="drive one wheel over a soil at set slips, loads, angles and inflations")
    p.add_argument("soil", metavar="SOIL", help="soil by name or file")
    _add_wheel(p)
    several = "numbers, or FROM:TO:COUNT"
    p.add_argument(
        "--slip", nargs="+", metavar="S", help=f"of the tread against the way, -1 locked, 0.5 twice as fast: {several} (default: -1 to 0.8)"
    )
    p.add_argument("--load", nargs="+", metavar="N", help=f"[N]: {several} (default: the tire's nominal load)")
    p.add_argument("--slip-angle", nargs="+", metavar="DEG", help=f"of the way to the left of the wheel's heading: {several} (default: 0)")
    p.add_argument("--inflation", nargs="+", metavar="KPA", help=f"[kPa]: {several} (default: the tire's)")
    p.add_argument("--speed", type=number_between(0.01, 50.0), metavar="MPS", help="of the carriage [m/s] (default: 5)")
    p.add_argument("--csv", metavar="FILE", help="write all that was found, in SI")
    p.add_argument(
        "--fit",
        metavar="TESTS.csv",
        help="find the numbers of the soil with which the wheel does what was measured, beginning at SOIL: columns slip, load_N, slip_angle_deg and "
        "drawbar_pull_N, side_force_N, sinkage_mm, torque_Nm as far as there are",
    )
    p.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="COLUMN=VALUE",
        help="--fit: the rows that have this value alone; may be given again",
    )
    p.add_argument(
        "--free",
        action="append",
        default=[],
        metavar="NAME,...",
        help="--fit: numbers of the soil to find (default: all that one wheel can tell)",
    )
    p.add_argument("--out", metavar="DIR", help="--fit: folder for the soil file and the page (default: a new one under runs/)")
    p.set_defaults(run=_soilbin)


def _soilbin(arguments: argparse.Namespace) -> int:
    if arguments.fit is not None:
        from simulator.fitting.soil_fit_command import main_soil_fit

        return main_soil_fit(arguments)
    if arguments.where or arguments.free or arguments.out:
        raise JounceError("--where, --free and --out go with --fit")
    from simulator.tools.soil.soilbin_command import main_soilbin

    return main_soilbin(arguments)
