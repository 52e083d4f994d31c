"""Verbs of one run: run, rerun, info, datasheet, compare."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between, times, yaml_value
from simulator.base.errors import JounceError
from simulator.cli.commands.options import (
    add_console_host,
    add_history,
    add_json,
    add_log,
    add_out,
    add_plugin,
    add_session,
    add_tls,
    command,
    wants_history,
)
from simulator.cli.output_options import add_single_file, check_single_file
from simulator.console import PORT


def add_run(commands: Commands) -> None:
    """Add the verb `run`."""
    p = commands.add_parser("run", help="simulate a maneuver faster than real time; write log, metrics, plots")
    p.add_argument(
        "maneuver",
        nargs="?",
        help="maneuver, series, search or session, name or file, for example double_lane_change (default: maneuver of the session)",
    )
    p.add_argument(
        "--driver",
        type=yaml_value,
        metavar="NAME|FILE.fmu|{...}",
        help="automatic driver: its type, an FMU, or YAML such as '{type: fmu, file: my.fmu}' (default: driver of the maneuver)",
    )
    add_out(p)
    add_log(p)
    p.add_argument("--csv", action="store_true", help="telemetry as CSV, too")
    p.add_argument(
        "--plots",
        choices=("all", "none"),
        help="plots and report.html of each run: %(choices)s (default: all for a maneuver, none for a series or search)",
    )
    p.add_argument(
        "--frames",
        nargs="?",
        type=number_between(1, 60, whole=True),
        const=8,
        default=0,
        metavar="N",
        help="number of rendered images of the drive in report.html (default: 0; 8 without a number)",
    )
    p.add_argument(
        "--figure",
        nargs="?",
        type=times,
        const=(),
        metavar="S,...",
        help="animation figure.gif of chase view, lidar, obstacle map and track, and a PNG file at these simulated times [s] (default: neither)",
    )
    add_session(p)
    add_json(p)
    p.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from simulator.configuration.file_lookup import is_session
    from simulator.run.series import main_series, series_file

    if arguments.maneuver and arguments.session is None and is_session(arguments.maneuver):
        arguments.session, arguments.maneuver = arguments.maneuver, None
    series = series_file(arguments.maneuver) if arguments.maneuver else None
    if series is not None:
        return main_series(series, arguments)
    from simulator.run.run import main_run

    return main_run(arguments)


def add_rerun(commands: Commands) -> None:
    """Add the verb `rerun`."""
    p = commands.add_parser("rerun", help="re-simulate a logged run and compare all bits of the results")
    p.add_argument("place", metavar="FOLDER|FILE", help="folder of a run or drive, or its log")
    add_out(p)
    add_plugin(p)
    add_json(p)
    p.set_defaults(run=command("simulator.run.rerun:main_rerun", "place", "out", "json"))


def add_info(commands: Commands) -> None:
    """Add the verb `info`."""
    p = commands.add_parser("info", help="show duration and exit status of a run; repair a truncated log")
    p.add_argument("place", metavar="FOLDER|FILE", help="folder of a run or drive, or a log in it (.parquet, .rows)")
    p.add_argument("--columns", action="store_true", help="list of the log columns with unit, frame and description")
    add_json(p)
    p.set_defaults(run=command("simulator.run.info:main_info", "place", "columns", "json"))


def add_results(commands: Commands) -> None:
    """Add the verb `results`."""
    p = commands.add_parser("results", help="show your times on the timed courses")
    p.add_argument("course", nargs="?", help="course, for example circuit_race (default: all)")
    add_json(p)
    p.set_defaults(run=command("simulator.run.results_command:main_results", "course", "json"))


def add_console(commands: Commands) -> None:
    """Add the verb `console`."""
    p = commands.add_parser("console", help="show a finished run in a browser: plots, map, platform, events")
    p.add_argument("place", metavar="FOLDER|FILE", help="folder of a run or drive, or a log in it (.parquet, .rows)")
    p.add_argument(
        "--port",
        "--address",
        default=str(PORT),
        metavar="[HOST:]PORT",
        help="address to listen at, 0: a free port (default: %(default)s of this machine only)",
    )
    add_tls(p)
    add_console_host(p)
    p.set_defaults(run=command("simulator.tools.console.command:main_console", "place", "port", "tls", "console_host"))


def add_sensors(commands: Commands) -> None:
    """Add the verb `sensors`."""
    p = commands.add_parser("sensors", help="list, plot and export the sensor data of a run")
    p.add_argument("place", metavar="FOLDER|FILE", help="folder of a run or drive, or its sensors.mcap")
    p.add_argument("--sensor", action="append", default=[], metavar="NAME", help="sensor to show or export (default: all); repeatable")
    p.add_argument("--at", type=float, metavar="S", help="simulated time of the pictures [s] (default: middle of the run)")
    p.add_argument("--export", choices=("pcd", "png", "npy"), help="one file per message, no page: %(choices)s (default: none)")
    p.add_argument("--from", dest="first", type=float, metavar="S", help="--export: first simulated time [s] (default: start of the run)")
    p.add_argument("--to", dest="last", type=float, metavar="S", help="--export: last simulated time [s] (default: end of the run)")
    add_single_file(
        p,
        "html",
        "HTML file of the page",
        "sensors.html in the folder of the run",
        "folder of sensors.html or of the exported files (default: folder of the run; --export: export in it)",
    )
    add_json(p)
    p.set_defaults(run=_sensors)


def _sensors(arguments: argparse.Namespace) -> int:
    from simulator.tools.sensors.command import main_sensors

    if arguments.export and arguments.html:
        raise JounceError("--export and --html exclude each other; hint: use --out FOLDER for the exported files")
    if arguments.export and arguments.at is not None:
        raise JounceError("--export and --at exclude each other; hint: use --from S and --to S for the exported files")
    if not arguments.export and (arguments.first is not None or arguments.last is not None):
        raise JounceError("--from and --to need --export; hint: use --at S for the time of the pictures")
    check_single_file(arguments, "html")
    return main_sensors(arguments)


def add_datasheet(commands: Commands) -> None:
    """Add the verb `datasheet`."""
    p = commands.add_parser("datasheet", help="measure a vehicle in maneuvers; compare with published values")
    p.add_argument("vehicle", nargs="*", metavar="VEHICLE", help="vehicle names or files, for example hmmwv; several: one comparison page")
    p.add_argument("--quick", action="store_true", help="no series and searches")
    p.add_argument(
        "--variants",
        nargs="+",
        metavar="VEHICLE",
        help="vehicles based on one of these, for a short table of differences (default: none)",
    )
    p.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME,...",
        help="selected items: names or patterns with * and ?, for example mass,toe_*,grade_* (default: all); repeatable",
    )
    p.add_argument(
        "--reference", metavar="NAME", help="datasheet name or file with published values (default: that of the vehicle or its base)"
    )
    p.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="vehicle.KEY.PATH=VALUE",
        help="override of a vehicle value, for example vehicle.chassis.mass=2600; repeatable",
    )
    add_plugin(p)
    add_out(p, default="a new folder under runs/; with --history docs/history")
    add_json(p)
    add_history(p, "items")
    p.set_defaults(run=_datasheet)


def _datasheet(arguments: argparse.Namespace) -> int:
    if wants_history(arguments):
        from simulator.validation.history.command import main_facts_history

        return main_facts_history(arguments)
    if not arguments.vehicle:
        raise JounceError("datasheet: no vehicle; expected a vehicle name or file; hint: jounce datasheet hmmwv")
    from simulator.validation.datasheet.command import main_facts

    return main_facts(arguments)


def add_compare(commands: Commands) -> None:
    """Add the verb `compare`."""
    p = commands.add_parser("compare", help="compare runs and tables of other programs: differences, bands")
    p.add_argument(
        "runs",
        nargs="+",
        metavar="RUN",
        help="folder of a run, its log (.parquet), or a table (.csv); the first is the reference. With --matrix: folders of runs, folders of "
        "such folders, or the folder of a sweep",
    )
    p.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="FILE|THEIRS=BUILTIN",
        help="columns of a table: comparison name or file, or one column, for example AVz=w_WB_B_z_degps, "
        "Steer=-steering_wheel_angle_deg (default: none); repeatable",
    )
    p.add_argument(
        "--band",
        action="append",
        default=[],
        metavar="FILE|CHANNEL=+-X",
        help="permitted difference from the reference: roll_deg=+-0.5, w_WB_B_z_degps=+-1+5%%, or the bands of a comparison file "
        "(iso_19364, iso_19365) (default: none); repeatable",
    )
    p.add_argument(
        "--align",
        metavar="CHANNEL|S",
        help="time shift of the others: channel for the best fit, or seconds (default: none)",
    )
    p.add_argument(
        "--channels",
        action="append",
        default=[],
        metavar="NAME,...",
        help="channels to compare: names, fields, patterns (default: main channels of the vehicle); repeatable",
    )
    p.add_argument(
        "--min-compared",
        type=number_between(0.0, 1.0),
        metavar="FRACTION",
        help="fraction of the reference that must be compared to satisfy a band (default: 0.8, or that of the band in its file)",
    )
    p.add_argument("--matrix", action="store_true", help="table of vehicles and maneuvers with verdicts")
    p.add_argument(
        "--metrics",
        action="append",
        default=[],
        metavar="NAME,...",
        help="--matrix: metrics to show (default: metrics with limits); repeatable",
    )
    add_single_file(
        p,
        "html",
        "HTML file of the page, with the JSON file next to it",
        "comparison.html, or matrix.html, in the folder of --out",
        "output folder (default: a new folder under runs/)",
    )
    add_json(p)
    p.set_defaults(run=_compare)


def _compare(arguments: argparse.Namespace) -> int:
    from simulator.validation.compare.command import main_compare

    check_single_file(arguments, "html")
    return main_compare(arguments)
