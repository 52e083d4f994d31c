"""Verbs of mechanisms and of real time: mechanism, kc, bench."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between
from simulator.cli.commands.options import add_formulation, add_json, add_plugin
from simulator.cli.output_options import add_single_file, single_file
from simulator.tools.mechanism.options import add_motion_arguments, in_motion


def add_mechanism(commands: Commands) -> None:
    """Add the verb `mechanism`."""
    p = commands.add_parser("mechanism", help="check, sweep, simulate and draw a mechanism")
    p.add_argument("file", metavar="NAME", help="mechanism name or file (.yaml, .urdf, URDF+), for example four_bar; or a vehicle")
    p.add_argument(
        "--state",
        metavar="FILE.yaml",
        help="initial state, a file with the state section of a mechanism file (default: that of the mechanism)",
    )
    p.add_argument(
        "--set",
        metavar="JOINT=VALUE",
        action="append",
        default=[],
        help="value of a joint coordinate, with the loops closed (default: none); repeatable",
    )
    p.add_argument(
        "--free", metavar="JOINT", action="append", default=[], help="prescribed joint that moves freely (default: none); repeatable"
    )
    p.add_argument("--assemble", action="store_true", help="closed loops from a state with open loops, which is an error otherwise")
    add_formulation(p, {"all": "ce, ta and fa, compared"})
    add_json(p)
    add_motion_arguments(p)
    p.set_defaults(run=_mechanism)


def _mechanism(arguments: argparse.Namespace) -> int:
    if in_motion(arguments):
        from simulator.tools.mechanism.motion_command import main_motion

        return main_motion(arguments)
    from simulator.tools.mechanism.check import main_mechanism

    return main_mechanism(arguments)


def add_kc(commands: Commands) -> None:
    """Add the verb `kc`."""
    p = commands.add_parser("kc", help="run a kinematics and compliance test of a vehicle")
    p.add_argument("vehicle", metavar="VEHICLE", nargs="+", help="vehicle names or files; several: side by side")
    p.add_argument("--bounce", type=number_between(5.0, 500.0), metavar="MM", help="wheel travel in bounce, up and down [mm] (default: 50)")
    add_single_file(p, "html", "HTML file with plots", "kc_VEHICLE.html in the current folder", "folder of kc_VEHICLE.html (default: none)")
    p.add_argument("--csv", metavar="FILE", help="CSV file of each wheel at each position of each test (default: none)")
    p.add_argument("--tables", metavar="DIR", help="folder for the kinematics of each axle as a table of kc_table (default: none)")
    add_json(p)
    add_plugin(p)
    p.set_defaults(run=_kc)


def _kc(arguments: argparse.Namespace) -> int:
    from simulator.tools.kc.command import main_kc

    with single_file(arguments, "html"):
        return main_kc(arguments)


def add_bench(commands: Commands) -> None:
    """Add the verb `bench`."""
    p = commands.add_parser(
        "bench",
        help="measure real-time drives, the latency from a key to packet and frame, the time of an image and its parts, and the cost of many vehicles",
        epilog="further tables need a checkout: python -m research bench --help",
    )
    p.add_argument("table", choices=("realtime", "picture", "vehicles", "fleet", "traffic"), help="table: %(choices)s")
    p.add_argument(
        "--seconds", type=number_between(5.0, 3600.0), default=60.0, metavar="S", help="realtime: duration of each drive [s] (default: 60)"
    )
    add_json(p)
    p.set_defaults(run=_bench)


def _bench(arguments: argparse.Namespace) -> int:
    if arguments.table == "realtime":
        from simulator.benchmarks.real_time import main_bench_realtime

        return main_bench_realtime(arguments.seconds, arguments.json)
    if arguments.table == "picture":
        from simulator.benchmarks.picture import main_bench_picture

        return main_bench_picture(arguments.json)
    from simulator.benchmarks.many_vehicles import main_bench_many

    return main_bench_many(arguments.table, arguments.json)
