"""The verbs of the command line: their options, and for each a few lines that load what does it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence

from simulator.arguments import Commands, Parser, Version, number_between, yaml_value
from simulator.base.console import tell
from simulator.base.errors import JounceError
from simulator.base.tenants import Choices
from simulator.driver.drivers import DRIVERS
from simulator.driver.sources import SOURCES
from simulator.lab.mechanism.options import add_motion_arguments, in_motion
from simulator.motion.protocols import PROTOCOLS
from simulator.view.layout import HELP

BEGAN = time.perf_counter()
"""When the program started, for the time to the first frame."""


def parser_of(command: str) -> Parser:
    """Parser of all commands; `command` is the one that was typed: some take their options from modules that load slowly."""
    parser = Parser(prog="jounce", description="Real-time driving simulator with exact suspension dynamics and motion cueing.")
    parser.add_argument("--version", action=Version, nargs=0, help="print the version and end")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_drive(commands)
    _add_view(commands)
    _add_run(commands)
    _add_sweep(commands)
    _add_rerun(commands)
    _add_compare(commands)
    _add_terrain(commands)
    _add_facts(commands)
    _add_tire(commands)
    _add_cueing(commands)
    _add_stream(commands)
    _add_platform(commands, loaded=command == "platform")
    _add_devices(commands, loaded=command == "devices")
    _add_info(commands)
    _add_mechanism(commands)
    _add_validate(commands)
    _add_bench(commands)
    _add_triangularize(commands)
    _add_list(commands)
    _add_check(commands)
    _add_schema(commands)
    return parser


def _add_drive(commands: Commands) -> None:
    p = commands.add_parser(
        "drive",
        help="drive in real time, with a window, a motion platform and a log",
        epilog=_keys(),
        formatter_class=argparse.RawDescriptionHelpFormatter,  # the keys keep their lines
    )
    p.add_argument(
        "--driver",
        choices=Choices(SOURCES, DRIVERS, more=("auto",)),
        metavar="NAME",
        help="who drives: %(choices)s (default: auto, a person with any device)",
    )
    p.add_argument("--offscreen", action="store_true", help="write pictures instead of opening a window; the scripted driver drives")
    p.add_argument("--no-view", action="store_true", help="neither window nor pictures; the scripted driver drives")
    p.add_argument("--no-motion", action="store_true", help="no motion platform")
    _add_host_options(p)
    p.add_argument("--to", metavar="HOST[:PORT]", help="send the motion there instead of to the built-in virtual platform")
    p.set_defaults(run=_drive)


def _keys() -> str:
    """The window's list of keys."""
    return "\n".join(["keys while driving:", *(f"  {key:<14}{meaning}" for key, meaning in HELP)])


def _add_stream(commands: Commands) -> None:
    p = commands.add_parser("stream", help="drive a maneuver in real time without a view and stream the motion to a platform")
    _add_host_options(p)
    p.add_argument("--to", metavar="HOST[:PORT]", help="where the platform listens (default: this machine)")
    p.set_defaults(run=_stream)


def _add_session_file(p: argparse.ArgumentParser) -> None:
    """What says all of a session."""
    p.add_argument("--session", metavar="NAME", help="session by name or file: vehicle, terrain, driver, platform ... (default: none)")
    p.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY.PATH=VALUE",
        help="another value in the session or in a file that it names, for example vehicle.chassis.mass=2600; may be given again",
    )


def _add_session(p: argparse.ArgumentParser) -> None:
    """The options of what drives; they stand above the session file."""
    _add_session_file(p)
    p.add_argument("--vehicle", metavar="NAME", help="vehicle by name or file (default: that of the maneuver, or hmmwv)")
    _add_plugin(p)
    _add_suspension(p)
    p.add_argument(
        "--steering",
        choices=("angle", "torque"),
        help="what the hands give to the steering wheel: %(choices)s (default: what the maneuver needs, else angle)",
    )
    p.add_argument("--terrain", metavar="NAME", help="terrain by name or file (default: that of the maneuver, or jacksboro)")
    p.add_argument("--platform", metavar="NAME", help="motion platform by name or file (default: small_hexapod)")
    p.add_argument("--washout", metavar="NAME", help="motion cueing by name or file (default: small_hexapod)")
    _add_tenants(p)


def _add_host_options(p: argparse.ArgumentParser) -> None:
    _add_session(p)
    p.add_argument("--maneuver", metavar="NAME", help="what the scripted driver does (default: scripted_drive)")
    p.add_argument(
        "--duration",
        type=number_between(0.001, 1e6),
        metavar="S",
        help="simulated time to drive [s] (default: until the window is closed, or the maneuver ends)",
    )
    p.add_argument(
        "--protocol", choices=Choices(PROTOCOLS), metavar="NAME", help="packets of the motion stream: %(choices)s (default: native)"
    )
    p.add_argument(
        "--rate", type=number_between(1.0, 1000.0), metavar="HZ", help="packets per second (default: the protocol's, 250 native)"
    )
    p.add_argument(
        "--stream",
        type=yaml_value,
        action="append",
        metavar="PROTOCOL@HOST[:PORT]|{...}",
        help="send these packets there too: words, or YAML such as '{protocol: outgauge, to: 192.168.1.7, rate: 30}'; may be given more than "
        "once (with `stream`, in place of the one of --to where nothing is said of that one)",
    )
    _add_log(p)
    p.add_argument("--out", metavar="DIR", help="folder for the log and the pictures (default: a new one under runs/)")


def _add_log(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--channels",
        action="append",
        default=[],
        metavar="NAME,...",
        help="columns of the log: names, fields, patterns with * and ?, for example v_WB_B,F_C_*_z (default: all); may be given again",
    )
    p.add_argument("--log-rate", type=number_between(0.1, 20_000.0), metavar="HZ", help="rows of the log per second (default: 100)")


def _add_plugin(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="PATH",
        help="Python file that registers what it brings: an axle, a tire, a washout, a sensor, a protocol, an outlet, an input source, a "
        "driver, a terrain; run before anything else, may be given more than once",
    )


def _add_tenants(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--sensor",
        type=yaml_value,
        action="append",
        metavar="NAME|{...}",
        help="measure with a sensor and log it: its type, or YAML such as '{type: imu, rate: 200, mount: {position: [0, 0, 1]}}'; may be "
        "given more than once",
    )
    p.add_argument(
        "--outlet",
        type=yaml_value,
        action="append",
        metavar="NAME|{...}",
        help="serve an outlet that a plugin has brought; as --sensor",
    )


def plugins_of(argv: Sequence[str]) -> list[str]:
    """The files of the option --plugin, which have to be loaded before what they bring may be named."""
    p = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    p.add_argument("--plugin", action="append", default=[])
    try:
        return list(p.parse_known_args(argv)[0].plugin)
    except argparse.ArgumentError:
        return []  # the command's own parser says what is wrong with it


def _add_suspension(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--suspension", choices=("closed_form", "table"), help="how the suspension's motion is found (default: as the vehicle's file says)"
    )


def _add_platform(commands: Commands, loaded: bool) -> None:
    p = commands.add_parser("platform", help="virtual motion platform: receives a motion stream and reports what it got")
    if loaded:
        from simulator.rig_process import add_platform_arguments, main_platform

        add_platform_arguments(p)
        p.set_defaults(run=main_platform)


def _add_devices(commands: Commands, loaded: bool) -> None:
    p = commands.add_parser("devices", help="list and calibrate steering wheels, pedals and game controllers")
    if loaded:
        from simulator.driver.calibrate import add_devices_arguments, main_devices

        add_devices_arguments(p)
        p.set_defaults(run=main_devices)


def _add_info(commands: Commands) -> None:
    p = commands.add_parser("info", help="what a run or drive has left: how long, how it ended; a log that was cut off is made whole")
    p.add_argument("place", metavar="FOLDER|FILE", help="folder of a run or drive, or a log in it (.parquet, .rows)")
    p.add_argument("--columns", action="store_true", help="list the columns of the log with unit, frame and meaning")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_info)


def _info(arguments: argparse.Namespace) -> int:
    from simulator.info import main_info

    return main_info(arguments.place, arguments.columns, arguments.json)


def _drive(arguments: argparse.Namespace) -> int:
    from simulator.drive import main_drive

    return main_drive(arguments, BEGAN)


def _stream(arguments: argparse.Namespace) -> int:
    from simulator.drive import main_stream

    return main_stream(arguments, BEGAN)


def _add_view(commands: Commands) -> None:
    p = commands.add_parser("view", help="open a new window on a drive that runs, after its own died")
    p.add_argument("drive", nargs="?", type=int, metavar="PID", help="process id of the drive (default: the only one)")
    p.set_defaults(run=_view)


def _view(arguments: argparse.Namespace) -> int:
    from simulator.view.attach import main_view

    return main_view(arguments.drive)


def _add_run(commands: Commands) -> None:
    p = commands.add_parser("run", help="drive a maneuver faster than real time; telemetry, metrics, plots and a page")
    p.add_argument(
        "maneuver",
        nargs="?",
        help="maneuver, series or search by name or file, for example double_lane_change (default: the maneuver of the session)",
    )
    p.add_argument("--out", metavar="DIR", help="folder to write into (default: a new one under runs/)")
    _add_log(p)
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
    _add_session(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_run)


def _add_sweep(commands: Commands) -> None:
    p = commands.add_parser(
        "sweep",
        help="drive all runs of a sweep file, as many at a time as there are cores: one table; whatever is killed, the same command goes on; "
        "`sweep report DIR` makes a page of it",
    )
    p.add_argument(
        "file", metavar="FILE", help="sweep by name or file, for example step_steer_scatter; or the word report, and a folder behind it"
    )
    p.add_argument("folder", nargs="?", metavar="DIR", help="report: folder of a sweep, done or half done; the page is report.html in it")
    p.add_argument(
        "--metric", nargs="+", default=[], metavar="NAME", help="report: metrics to draw, names or patterns (default: as the file says)"
    )
    p.add_argument("--open", action="store_true", help="report: open the page in the browser")
    p.add_argument("--out", metavar="DIR", help="folder to write into, or to go on in (default: a new one under runs/)")
    p.add_argument(
        "--processes", type=number_between(1, 4096, whole=True), metavar="N", help="runs at a time (default: the cores of this machine)"
    )
    p.add_argument(
        "--channels",
        action="append",
        default=[],
        metavar="NAME,...",
        help="keep these columns of the log of every run: names, fields, patterns with * and ? (default: those of the file); may be given again",
    )
    _add_plugin(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="have the workers of a Dask cluster drive, whose scheduler is there, for example tcp://10.0.0.5:8786 (docs/cluster.md)",
    )
    p.set_defaults(run=_sweep)


def _sweep(arguments: argparse.Namespace) -> int:
    if arguments.file == "report":
        from simulator.sweep.report_command import main_report

        if any((arguments.out, arguments.processes, arguments.channels, arguments.scheduler, arguments.json)):
            raise JounceError(
                "with `jounce sweep report` go a folder, --metric, --open and --plugin only; the page is report.html in the folder"
            )
        return main_report(arguments.folder, arguments.metric, arguments.open)
    if arguments.folder is not None or arguments.metric or arguments.open:
        raise JounceError("a folder, --metric and --open go with `jounce sweep report` only")
    from simulator.sweep.command import main_sweep

    return main_sweep(arguments)


def _add_rerun(commands: Commands) -> None:
    p = commands.add_parser("rerun", help="drive a run once more from what its log holds, and compare: every number must be the same")
    p.add_argument("place", metavar="FOLDER|FILE", help="folder of a run or drive, or its log")
    p.add_argument("--out", metavar="DIR", help="folder to write into (default: a new one under runs/)")
    _add_plugin(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_rerun)


def _rerun(arguments: argparse.Namespace) -> int:
    from simulator.rerun import main_rerun

    return main_rerun(arguments.place, arguments.out, arguments.json)


def _add_compare(commands: Commands) -> None:
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
        metavar="FILE|THEIRS=OURS",
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
    from simulator.compare.command import main_compare

    return main_compare(arguments)


def _add_tire(commands: Commands) -> None:
    p = commands.add_parser("tire", help="curves of a tire as a picture, and a table of its stiffnesses, peaks and relaxation")
    p.add_argument("file", metavar="FILE", help="tire by name or file (.yaml), or a tire property file (.tir)")
    _add_plugin(p)
    p.add_argument("--out", metavar="OUT.png", help="where to draw the curves (default: the tire's name in the current folder)")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_tire)


def _tire(arguments: argparse.Namespace) -> int:
    from simulator.lab.tires.command import main_tire

    return main_tire(arguments)


def _add_terrain(commands: Commands) -> None:
    terrain = commands.add_parser("terrain", help="files of heights of others, and terrains made of them: what they hold, pictures, import")
    verbs = terrain.add_subparsers(title="what", metavar="WHAT", required=True)

    p = verbs.add_parser("info", help="size, spacing, range, voids and reference system of a file, and heights at points")
    _add_heights_file(
        p, "terrain by name or file (.yaml), or a file of heights: .tif, .hgt, .asc, .raw, .png, .npy, .crg, .obj, .gltf, .glb"
    )
    p.add_argument(
        "--at",
        metavar="POINTS.csv",
        help="heights at points: columns x,y (those of the file, of a terrain its own in m), easting,northing, lon,lat, or u,v along a road",
    )
    p.add_argument(
        "--raw", action="store_true", help="of a terrain the heights of its base grid alone; of an OpenCRG road those of the header"
    )
    p.set_defaults(run=_terrain_info)

    p = verbs.add_parser("import", help="make a terrain (.yaml and .npy) of a file of heights; voids are filled, and said")
    _add_heights_file(p, "file of heights")
    p.add_argument("--out", metavar="NAME", required=True, help="terrain to make: NAME.yaml and NAME.npy")
    p.add_argument("--crs", metavar="EPSG:N", help="reference system of the terrain, in m (default: the file's, of degrees their UTM zone)")
    p.add_argument("--spacing", type=number_between(0.01, 1000.0), metavar="M", help="distance of nodes (default: of the samples)")
    p.add_argument(
        "--window",
        nargs=4,
        type=number_between(-1e9, 1e9),
        metavar=("XMIN", "YMIN", "XMAX", "YMAX"),
        help="a part of the file alone, in its coordinates",
    )
    of = p.add_mutually_exclusive_group()
    of.add_argument("--surface", metavar="NAME", default="asphalt", help="hard surface all over (default: asphalt)")
    of.add_argument("--soil", metavar="NAME", help="soil all over")
    p.set_defaults(run=_terrain_import)

    p = verbs.add_parser("show", help="a picture of a terrain or a file of heights, lit from the north-west")
    _add_heights_file(p, "terrain by name or file (.yaml), or a file of heights")
    p.add_argument("--out", metavar="OUT.png", help="where to draw it (default: the file's name in the current folder)")
    p.set_defaults(run=_terrain_show)


def _add_heights_file(p: argparse.ArgumentParser, what: str) -> None:
    """A file of heights and what can be said of it."""
    p.add_argument("file", metavar="FILE", help=what)
    p.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="what a file of heights does not say of itself, a key of the section heights of a terrain file, for example spacing=[0.5,0.5], "
        "up=z or 'ignore=[roof*]'; may be given again",
    )
    p.add_argument("--json", action="store_true", help="print one JSON object")


def _terrain_info(arguments: argparse.Namespace) -> int:
    from simulator.lab.terrain.info_command import main_info

    return main_info(arguments)


def _terrain_import(arguments: argparse.Namespace) -> int:
    from simulator.lab.terrain.import_command import main_import

    return main_import(arguments)


def _terrain_show(arguments: argparse.Namespace) -> int:
    from simulator.lab.terrain.show_command import main_show

    return main_show(arguments)


def _add_cueing(commands: Commands) -> None:
    p = commands.add_parser(
        "cueing",
        help="what a head feels of a washout on its platform: the objective test, or recorded drives through washouts side by side; "
        "`cueing tune RUN ...` finds a set",
    )
    p.add_argument(
        "runs",
        nargs="*",
        metavar="RUN",
        help="folder of a run or drive, or its log, recorded with --log-rate 1000 (default: no drive, the objective test); the word tune "
        "before them looks for a set of numbers of the washout that suits them",
    )
    p.add_argument("--washout", nargs="+", metavar="NAME", help="washouts by name or file (default: small_hexapod)")
    p.add_argument("--platform", nargs="+", metavar="NAME", help="a platform for all, or one for each washout (default: small_hexapod)")
    p.add_argument(
        "--gain",
        type=number_between(0.01, 2.0),
        metavar="K",
        help="drives: scale of the car's force that is held against (default: the force_gain of each washout)",
    )
    p.add_argument(
        "--amplitude",
        nargs="+",
        type=number_between(1e-4, 20.0),
        metavar="A",
        help="objective test: sizes of the sines, 1 being 1 m/s2 and 6 degrees or 1 degree a second (default: 1 0.25)",
    )
    p.add_argument(
        "--sets",
        type=number_between(10, 1e6),
        default=600,
        metavar="N",
        help="tune: sets of numbers to try, beginning with those of the washout (default: 600)",
    )
    p.add_argument("--attendant-gravity", action="store_true", help="objective test: roll and pitch come with their share of gravity")
    _add_plugin(p)
    p.add_argument("--out", metavar="DIR", help="folder to write into (default: a new one under runs/)")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_cueing)


def _cueing(arguments: argparse.Namespace) -> int:
    if arguments.runs[:1] == ["tune"]:
        from simulator.lab.cueing.tune_command import main_tune

        return main_tune(arguments)
    from simulator.lab.cueing.command import main_cueing

    return main_cueing(arguments)


def _add_facts(commands: Commands) -> None:
    p = commands.add_parser(
        "facts", help="drive a vehicle through the library of maneuvers: one page of what it does, beside published figures"
    )
    p.add_argument(
        "vehicle", nargs="*", metavar="VEHICLE", help="vehicle by name or file, for example hmmwv; several: one page, side by side"
    )
    p.add_argument("--quick", action="store_true", help="without series and searches")
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
    _add_plugin(p)
    p.add_argument("--out", metavar="DIR", help="folder to write into (default: a new one under runs/, with --history docs/history)")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    _add_history(p, "the facts")
    p.set_defaults(run=_facts)


def _add_history(p: argparse.ArgumentParser, what: str) -> None:
    """The options by which figures are kept from version to version."""
    p.add_argument(
        "--history", action="store_true", help=f"{what} of earlier versions and what changed, out of docs/history; nothing is measured"
    )
    do = p.add_mutually_exclusive_group()
    do.add_argument("--add", action="store_true", help="--history: measure, add them to it and draw its page")
    do.add_argument(
        "--check", action="store_true", help="--history: measure, and end with 1 when something has changed since its last entry"
    )


def _wants_history(arguments: argparse.Namespace) -> bool:
    """Whether it is about the history. Raises JounceError: only its other options are there."""
    if (arguments.add or arguments.check) and not arguments.history:
        raise JounceError("--add and --check go with --history")
    return bool(arguments.history)


def _facts(arguments: argparse.Namespace) -> int:
    if _wants_history(arguments):
        from simulator.history.command import main_facts_history

        return main_facts_history(arguments)
    if not arguments.vehicle:
        raise JounceError("facts: of which vehicle? For example jounce facts hmmwv")
    from simulator.facts.command import main_facts

    return main_facts(arguments)


def _run(arguments: argparse.Namespace) -> int:
    from simulator.run_series import main_series, series_file

    series = series_file(arguments.maneuver) if arguments.maneuver else None
    if series is not None:
        return main_series(series, arguments)
    from simulator.run import main_run

    return main_run(arguments)


def _add_mechanism(commands: Commands) -> None:
    p = commands.add_parser(
        "mechanism", help="check a mechanism: mobility, redundant constraints, loop closure, accelerations; sweep, run and draw it"
    )
    p.add_argument("file", metavar="NAME", help="mechanism by name or file (.yaml, or .urdf, URDF+ included), for example four_bar")
    p.add_argument("--state", metavar="FILE.yaml", help="another state, written as the state section of a mechanism file")
    p.add_argument(
        "--set", metavar="JOINT=VALUE", action="append", default=[], help="put a joint elsewhere and close the loops; may be given again"
    )
    p.add_argument("--assemble", action="store_true", help="close the loops of a state that is off them, instead of refusing it")
    _add_formulation(p, {"all": "ce, ta and fa, compared"})
    p.add_argument("--json", action="store_true", help="print one JSON object")
    add_motion_arguments(p)
    p.set_defaults(run=_mechanism)


def _mechanism(arguments: argparse.Namespace) -> int:
    if in_motion(arguments):
        from simulator.lab.mechanism.motion_command import main_motion

        return main_motion(arguments)
    from simulator.lab.mechanism.check import main_mechanism

    return main_mechanism(arguments.file, arguments.state, arguments.set, arguments.assemble, arguments.formulation, as_json=arguments.json)


def _add_validate(commands: Commands) -> None:
    validate = commands.add_parser("validate", help="compare the vehicle with reference data")
    kinds = validate.add_subparsers(title="what", metavar="WHAT", required=True)

    p = kinds.add_parser("all", help="everything there is to compare with: makes docs/validation.md; ends with 1 when something fails")
    p.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME,...",
        help="these parts alone, told and not written, but with --out; may be given again",
    )
    p.add_argument("--out", metavar="DIR", help="folder for the page and its pictures (default: docs)")
    p.add_argument("--check", action="store_true", help="write nothing, end with 1 when the page in docs is not what would be written")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_all)

    p = kinds.add_parser("accelerations", help="constrained accelerations of states in an .npz file")
    p.add_argument("file", help="states (.npz)")
    p.add_argument("--model", required=True, metavar="MODEL.yaml", help="bodies, joints and loops of the mechanism")
    _add_formulation(p, {"closed-form": "closed form of the vehicle", "table": "its tables"})
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_accelerations)

    p = kinds.add_parser("kinematics", help="corner positions and motions in a .json or .csv file")
    p.add_argument("file", help="reference states (.json) or positions (.csv)")
    p.add_argument("--axle", choices=("front", "rear"), help="axle of a CSV file whose name does not say it")
    p.add_argument("--vehicle", default="hmmwv_chrono", help="vehicle by name or file (default: hmmwv_chrono)")
    _add_plugin(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_kinematics)

    p = kinds.add_parser("mechanism", help="accelerations of any mechanism at states, or reference rows of the mechanisms shipped")
    p.add_argument("file", metavar="NAME", help="mechanism by name or file (.urdf, URDF+ included, or .yaml)")
    p.add_argument(
        "states",
        metavar="STATES",
        help="states and their accelerations (.npz); or rows (.csv) of a Stewart platform, a five-link suspension, a landing gear",
    )
    _add_formulation(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_mechanism)

    p = kinds.add_parser("tire", help="forces and moments of a tire at rows of a .csv file")
    p.add_argument("rows", metavar="ROWS.csv", help="conditions, and forces and moments there")
    p.add_argument(
        "file",
        metavar="FILE",
        help="tire property file (.tir), tire by name or file (.yaml), numbers of tires (.json), or a folder with the .tir files of the rows",
    )
    p.add_argument(
        "--reading",
        choices=("angles", "tangents"),
        help="what the Magic Formula takes: columns ending in _lin or in _tan (default: that which fits the whole file better)",
    )
    _add_plugin(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_tire)

    p = kinds.add_parser("trajectory", help="drive with recorded inputs and compare with the recorded motion")
    p.add_argument("file", help="recording (.csv.gz or .csv, its description in the .json beside it)")
    p.add_argument(
        "--from", dest="start", type=float, metavar="T0", help="begin with the state recorded at T0 [s] (default: at rest, as spawned)"
    )
    p.add_argument("--to", dest="end", type=float, metavar="T1", help="end with the sample at T1 [s] (default: the last one)")
    p.add_argument("--vehicle", default="hmmwv_chrono", help="vehicle by name or file (default: hmmwv_chrono)")
    _add_plugin(p)
    p.add_argument("--plot", metavar="OUT.png", help="draw the channels that count")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_trajectory)


def _add_formulation(p: argparse.ArgumentParser, special: Mapping[str, str] | None = None) -> None:
    """The option --formulation; `special` are names with their meanings that come before the general ones. The first is the default."""
    kinds = {
        **(special or {}),
        "ce": "constraint embedding",
        "ta": "tree augmented",
        "fa": "fully augmented, sparse",
        "fa-dense": "the same, dense",
        "recursive": "the recursive form of ta",
    }
    default = next(iter(kinds))
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in kinds.items())
    p.add_argument("--formulation", default=default, choices=tuple(kinds), help=f"{meanings} (default: {default})")


def _add_bench(commands: Commands) -> None:
    p = commands.add_parser("bench", help="measure the cost of the parts of a tick on this machine, or make another table")
    p.add_argument(
        "table",
        nargs="?",
        default="tick",
        choices=("tick", "formulations", "integrators", "mechanisms", "sweep"),
        help="which table (default: tick)",
    )
    _add_session_file(p)
    _add_plugin(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.add_argument(
        "--repeats",
        type=number_between(1, 100_000, whole=True),
        metavar="N",
        help="repeats whose median is shown, and for mechanisms the least (default: 7, mechanisms: 100)",
    )
    p.add_argument("--view", action="store_true", help="tick: also measure frames per second, off the screen")
    p.add_argument(
        "--samples", action="store_true", help="formulations: with --json also the gap of the loops at every sample of the drift"
    )
    p.add_argument(
        "--against", metavar="CHECKOUT", help="tick: step and evaluation beside those of the code in another checkout (default: 15 repeats)"
    )
    p.add_argument(
        "--markdown", metavar="FILE", help="write the table into a page, for example docs/integrators.md; not for tick and sweep"
    )
    p.add_argument("--scheduler", metavar="ADDRESS", help="sweep: also with the workers of the Dask cluster whose scheduler is there")
    p.add_argument(
        "--most-empty",
        type=number_between(1000, 100_000, whole=True),
        metavar="N",
        help="sweep: no more empty runs at a time (default: 100000)",
    )
    p.add_argument("--out", metavar="DIR", help="--history: folder of it (default: docs/history)")
    _add_history(p, "tick: the costs")
    p.set_defaults(run=_bench)


def _add_triangularize(commands: Commands) -> None:
    p = commands.add_parser("triangularize", help="turn the equations of a mechanism into a triangular system and a kernel that solves it")
    p.add_argument("file", metavar="FILE", help="equations by name or file, for example landing_gear, or a mechanism (.yaml, .urdf)")
    p.add_argument("--loop", metavar="NAME", help="of a mechanism: this loop and those that share dependent coordinates with it")
    p.add_argument(
        "--engine",
        default="auto",
        choices=("auto", "sympy", "singular"),
        help="program that finds the basis (default: Singular if installed)",
    )
    p.add_argument("--at", metavar="NAME=VALUE,...", help="parameters at which real solutions are counted (default: those in the file)")
    p.add_argument("--write", metavar="MODULE.py", help="write the kernel")
    p.add_argument("--basis", metavar="FILE.txt", help="write the whole basis, one polynomial a line")
    p.add_argument("--json", action="store_true", help="print one JSON object, the polynomials included")
    p.set_defaults(run=_triangularize)


def _add_list(commands: Commands) -> None:
    p = commands.add_parser("list", help="what there is: kinds of files, the shipped ones of a kind, kinds of axles, tread laws")
    p.add_argument("kind", nargs="?", metavar="KIND", help="for example vehicles (default: the kinds there are)")
    _add_plugin(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_list)


def _list(arguments: argparse.Namespace) -> int:
    from simulator.catalog.answers import main_list

    return main_list(arguments.kind, arguments.json)


def _add_check(commands: Commands) -> None:
    p = commands.add_parser("check", help="check files, and what they name: all that is wrong, with file, line and key")
    p.add_argument("files", nargs="+", metavar="FILE", help="a vehicle, terrain, maneuver ... (.yaml), or a mechanism (.urdf)")
    p.add_argument(
        "--kind", metavar="KIND", help="what they are, as `jounce list` says (default: by their folder, their base or their keys)"
    )
    _add_plugin(p)
    p.set_defaults(run=_check)


def _check(arguments: argparse.Namespace) -> int:
    from simulator.catalog.answers import main_check

    return main_check(arguments.files, arguments.kind)


def _add_schema(commands: Commands) -> None:
    p = commands.add_parser("schema", help="JSON Schemas of the files, for editors; or the pages of the file reference")
    p.add_argument("kind", nargs="?", metavar="KIND", help="for example terrains (default: all)")
    p.add_argument("--out", metavar="DIR", help="folder to write into (default: the standard output)")
    p.add_argument("--markdown", action="store_true", help="pages of the reference instead, as in docs/reference")
    _add_plugin(p)
    p.set_defaults(run=_schema)


def _schema(arguments: argparse.Namespace) -> int:
    from simulator.catalog.answers import main_schema

    return main_schema(arguments.kind, arguments.out, arguments.markdown)


def _triangularize(arguments: argparse.Namespace) -> int:
    from simulator.lab.triangular.triangularize import main_triangularize

    return main_triangularize(arguments)


def _validate_all(arguments: argparse.Namespace) -> int:
    from simulator.validation.command import main_all

    return main_all(arguments)


def _validate_accelerations(arguments: argparse.Namespace) -> int:
    from simulator.build import read_yaml
    from simulator.lab.validate.accelerations import compare_accelerations

    model = read_yaml(arguments.model)
    return _report(compare_accelerations(arguments.file, model, arguments.model, arguments.formulation), arguments.json)


def _validate_kinematics(arguments: argparse.Namespace) -> int:
    from simulator.build import vehicle_description
    from simulator.lab.validate.kinematics import compare_kinematics

    return _report(compare_kinematics(arguments.file, vehicle_description(arguments.vehicle), arguments.axle), arguments.json)


def _validate_tire(arguments: argparse.Namespace) -> int:
    from simulator.lab.validate.tire_rows import compare_tire

    return _report(compare_tire(arguments.rows, arguments.file, arguments.reading), arguments.json)


def _validate_mechanism(arguments: argparse.Namespace) -> int:
    from simulator.build import load_mechanism
    from simulator.lab.validate.mechanism_rows import compare_rows
    from simulator.lab.validate.mechanism_states import compare_mechanism

    mechanism, _ = load_mechanism(arguments.file)
    if arguments.states.endswith(".csv"):
        return _report(compare_rows(arguments.states, mechanism), arguments.json)
    return _report(compare_mechanism(arguments.states, mechanism, arguments.formulation), arguments.json)


def _validate_trajectory(arguments: argparse.Namespace) -> int:
    from simulator.build import build_vehicle
    from simulator.lab.validate.recording import Recording
    from simulator.lab.validate.trajectory import compare_trajectory, plot_trajectory

    comparison = compare_trajectory(Recording(arguments.file), build_vehicle(arguments.vehicle), arguments.start, arguments.end)
    if arguments.plot:
        plot_trajectory(comparison, arguments.plot)
    return _report(comparison, arguments.json)


def _report(comparison: object, as_json: bool) -> int:
    from simulator.lab.validate.outcome import Comparison

    assert isinstance(comparison, Comparison)
    print(comparison.as_json() if as_json else comparison.as_text())
    return 0 if comparison.passed else 1


def _check_bench(arguments: argparse.Namespace, history: bool) -> None:
    """Raises JounceError: options that do not go together."""
    tick = arguments.table == "tick"
    if arguments.view and not tick:
        raise JounceError("--view goes with the table of the tick only")
    if arguments.samples and not (arguments.json and arguments.table == "formulations"):
        raise JounceError("--samples goes with the table of the formulations and --json only")
    if arguments.against is not None and (not tick or arguments.view or arguments.markdown):
        raise JounceError("--against goes with the table of the tick only, without --view and --markdown")
    if (arguments.session or arguments.set) and (not tick or arguments.against is not None):
        raise JounceError("--session and --set go with the table of the tick only, without --against")
    if arguments.table != "sweep" and (arguments.scheduler is not None or arguments.most_empty is not None):
        raise JounceError("--scheduler and --most-empty go with the table of the sweep only")
    if arguments.markdown and arguments.table in ("tick", "sweep"):
        raise JounceError("--markdown does not go with the tables of the tick and the sweep, which hold for this machine only")
    if history and (not tick or arguments.against is not None or arguments.view or arguments.session or arguments.set):
        raise JounceError("--history goes with the table of the tick only, without --against, --view, --session and --set")
    if arguments.out and not history:
        raise JounceError("--out goes with --history")


def _bench(arguments: argparse.Namespace) -> int:
    history = _wants_history(arguments)
    _check_bench(arguments, history)
    usual = 100 if arguments.table == "mechanisms" else 7 if arguments.against is None else 15
    repeats = usual if arguments.repeats is None else arguments.repeats
    if history:
        from simulator.history.command import main_bench_history

        return main_bench_history(arguments, repeats)
    if arguments.table == "integrators":
        from simulator.lab.bench.integrators import main_integrators

        return main_integrators(arguments.json, arguments.markdown)
    if arguments.table == "formulations":
        from simulator.lab.bench.formulations import main_formulations

        return main_formulations(repeats, arguments.json, arguments.markdown, arguments.samples)
    if arguments.table == "mechanisms":
        from simulator.lab.bench.mechanisms import main_mechanisms

        return main_mechanisms(repeats, arguments.json, arguments.markdown)
    if arguments.table == "sweep":
        from simulator.sweep.bench import main_sweep_bench

        return main_sweep_bench(repeats, arguments.json, arguments.scheduler, arguments.most_empty or 100_000)
    if arguments.against is not None:
        from simulator.lab.bench.against import main_against

        return main_against(arguments.against, repeats, arguments.json, (lambda text: None) if arguments.json else tell)
    from simulator.lab.bench.tick_cost import main_bench

    return main_bench(repeats, arguments)
