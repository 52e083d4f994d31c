"""The verbs of one run: run, rerun, info, facts, compare."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between
from simulator.base.errors import JounceError
from simulator.cli.commands.options import add_history, add_log, add_plugin, add_session, wants_history


def add_run(commands: Commands) -> None:
    """The verb `run`."""
    p = commands.add_parser("run", help="drive a maneuver faster than real time; telemetry, metrics, plots and a page")
    p.add_argument(
        "maneuver",
        nargs="?",
        help="maneuver, series or search by name or file, for example double_lane_change (default: the maneuver of the session)",
    )
    p.add_argument("--out", metavar="DIR", help="folder to write into (default: a new one under runs/)")
    add_log(p)
    p.add_argument("--csv", action="store_true", help="also write the telemetry as CSV")
    p.add_argument(
        "--pictures",
        choices=("all", "none"),
        help="whether runs leave pictures and report.html (default: those of a maneuver do, those of a series or search do not)",
    )
    p.add_argument(
        "--frames",
        nargs="?",
        type=number_between(1, 60, whole=True),
        const=8,
        default=0,
        metavar="N",
        help="pictures of the drive itself in report.html, so many from its beginning to its end (8 without a number)",
    )
    add_session(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from simulator.run.series import main_series, series_file

    series = series_file(arguments.maneuver) if arguments.maneuver else None
    if series is not None:
        return main_series(series, arguments)
    from simulator.run.run import main_run

    return main_run(arguments)


def add_rerun(commands: Commands) -> None:
    """The verb `rerun`."""
    p = commands.add_parser("rerun", help="drive a run once more from what its log holds, and compare: every number must be the same")
    p.add_argument("place", metavar="FOLDER|FILE", help="folder of a run or drive, or its log")
    p.add_argument("--out", metavar="DIR", help="folder to write into (default: a new one under runs/)")
    add_plugin(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_rerun)


def _rerun(arguments: argparse.Namespace) -> int:
    from simulator.run.rerun import main_rerun

    return main_rerun(arguments.place, arguments.out, arguments.json)


def add_info(commands: Commands) -> None:
    """The verb `info`."""
    p = commands.add_parser("info", help="what a run or drive has left: how long, how it ended; a log that was cut off is made whole")
    p.add_argument("place", metavar="FOLDER|FILE", help="folder of a run or drive, or a log in it (.parquet, .rows)")
    p.add_argument("--columns", action="store_true", help="list the columns of the log with unit, frame and meaning")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_info)


def _info(arguments: argparse.Namespace) -> int:
    from simulator.run.info import main_info

    return main_info(arguments.place, arguments.columns, arguments.json)


def add_facts(commands: Commands) -> None:
    """The verb `facts`."""
    p = commands.add_parser(
        "facts", help="drive a vehicle through the library of maneuvers: one page of what it does, beside published figures"
    )
    p.add_argument(
        "vehicle", nargs="*", metavar="VEHICLE", help="vehicle by name or file, for example hmmwv; several: one page, side by side"
    )
    p.add_argument("--quick", action="store_true", help="without series and searches")
    p.add_argument(
        "--variants",
        nargs="+",
        metavar="VEHICLE",
        help="vehicles that build on one of these: a short table of what they do otherwise",
    )
    p.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME,...",
        help="these facts alone: names or patterns with * and ?, for example mass,toe_*,grade_* (default: all); may be given again",
    )
    p.add_argument(
        "--figures", metavar="NAME", help="file of published figures by name or path (default: that of the vehicle, or of its base)"
    )
    p.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="vehicle.KEY.PATH=VALUE",
        help="another value of the vehicle, for example vehicle.chassis.mass=2600; may be given again",
    )
    add_plugin(p)
    p.add_argument("--out", metavar="DIR", help="folder to write into (default: a new one under runs/, with --history docs/history)")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    add_history(p, "the facts")
    p.set_defaults(run=_facts)


def _facts(arguments: argparse.Namespace) -> int:
    if wants_history(arguments):
        from simulator.validation.history.command import main_facts_history

        return main_facts_history(arguments)
    if not arguments.vehicle:
        raise JounceError("facts: of which vehicle? For example jounce facts hmmwv")
    from simulator.validation.datasheet.command import main_facts

    return main_facts(arguments)


def add_compare(commands: Commands) -> None:
    """The verb `compare`."""
    p = commands.add_parser(
        "compare",
        help="runs, and tables of other programs, over each other: differences, bands, verdicts; or vehicles x maneuvers (--matrix)",
    )
    p.add_argument(
        "runs",
        nargs="+",
        metavar="RUN",
        help="folder of a run, its log (.parquet), or a table (.csv); the first is the reference. With --matrix folders of runs, folders of "
        "such folders, or the folder of a sweep",
    )
    p.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="FILE|THEIRS=BUILTIN",
        help="what the columns of a table are: a comparison file by name or path, or one column, for example AVz=w_WB_B_z_degps, "
        "Steer=-steering_wheel_angle_deg; may be given again",
    )
    p.add_argument(
        "--band",
        action="append",
        default=[],
        metavar="FILE|CHANNEL=+-X",
        help="how far from the reference the others may be: roll_deg=+-0.5, w_WB_B_z_degps=+-1+5%%, or the bands of a comparison file "
        "(iso_19364, iso_19365); may be given again",
    )
    p.add_argument(
        "--align",
        metavar="CHANNEL|S",
        help="shift the times of the others to where this channel fits best, or by so many seconds (default: as the files are)",
    )
    p.add_argument(
        "--channels",
        action="append",
        default=[],
        metavar="NAME,...",
        help="channels to compare: names, fields, patterns (default: the usual)",
    )
    p.add_argument("--matrix", action="store_true", help="a table of vehicles and maneuvers with verdicts instead")
    p.add_argument(
        "--metrics", action="append", default=[], metavar="NAME,...", help="matrix: metrics to show (default: those with limits)"
    )
    p.add_argument("--out", metavar="PAGE.html", help="page to write, the same as .json beside it (default: in a new folder under runs/)")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_compare)


def _compare(arguments: argparse.Namespace) -> int:
    from simulator.validation.compare.command import main_compare

    return main_compare(arguments)
