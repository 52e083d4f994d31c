"""Verbs of mechanisms and benchmarks: mechanism, kc, bench."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between
from simulator.base.console import print_line
from simulator.base.errors import JounceError
from simulator.cli.commands.options import add_formulation, add_history, add_json, add_out, add_plugin, add_session_file, wants_history
from simulator.cli.output_options import add_single_file, single_file
from simulator.tools.mechanism.options import add_motion_arguments, in_motion

MECHANISM_HELP = "check, sweep, simulate and draw a mechanism"


def add_mechanism(commands: Commands, subcommand: str) -> None:
    """Add the verb `mechanism`: with the subcommand `triangularize` its options, else those of a check."""
    if subcommand == "triangularize":
        p = commands.add_parser("mechanism", help=MECHANISM_HELP)
        _add_triangularize(p.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True))
        return
    p = commands.add_parser(
        "mechanism", help=MECHANISM_HELP, epilog="subcommand: jounce mechanism triangularize FILE (triangular form of the loop equations)"
    )
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


def _add_triangularize(commands: Commands) -> None:
    """Add the subcommand `triangularize`."""
    p = commands.add_parser("triangularize", help="compute the triangular form of loop equations and a kernel")
    p.add_argument("file", metavar="FILE", help="equations, name or file, for example landing_gear; or a mechanism (.yaml, .urdf)")
    p.add_argument("--loop", metavar="NAME", help="loop of a mechanism, with the loops that share dependent coordinates (default: all)")
    p.add_argument(
        "--engine",
        default="auto",
        choices=("auto", "sympy", "singular"),
        help="program for the basis: %(choices)s (default: auto, Singular if installed)",
    )
    p.add_argument("--at", metavar="NAME=VALUE,...", help="parameter values for the number of real solutions (default: values of the file)")
    p.add_argument("--write", metavar="MODULE.py", help="Python module of the kernel (default: none)")
    p.add_argument("--basis", metavar="FILE.txt", help="text file of the complete basis, one polynomial a line (default: none)")
    p.add_argument("--json", action="store_true", help="output as one JSON object, with the polynomials")
    p.set_defaults(run=_triangularize)


def _triangularize(arguments: argparse.Namespace) -> int:
    from simulator.research.triangular.command import main_triangularize

    return main_triangularize(arguments)


def add_kc(commands: Commands) -> None:
    """Add the verb `kc`."""
    p = commands.add_parser("kc", help="run a kinematics and compliance test of a vehicle")
    p.add_argument("vehicle", metavar="VEHICLE", nargs="+", help="vehicle names or files; several: side by side")
    p.add_argument("--bounce", type=number_between(5.0, 500.0), metavar="MM", help="wheel travel in bounce, up and down [mm] (default: 50)")
    add_single_file(p, "html", "HTML file with plots", "kc_VEHICLE.html in the current folder", "folder of kc_VEHICLE.html (default: none)")
    p.add_argument("--csv", metavar="FILE", help="CSV file of each wheel at each position of each test (default: none)")
    add_json(p)
    add_plugin(p)
    p.set_defaults(run=_kc)


def _kc(arguments: argparse.Namespace) -> int:
    from simulator.tools.kc.command import main_kc

    with single_file(arguments, "html"):
        return main_kc(arguments)


def add_bench(commands: Commands) -> None:
    """Add the verb `bench`."""
    p = commands.add_parser("bench", help="measure computation times, real-time drives, the delay of an operator's stop")
    p.add_argument(
        "table",
        nargs="?",
        default="tick",
        choices=("tick", "formulations", "integrators", "driven", "mechanisms", "sweep", "sensors", "realtime", "console"),
        help="table: %(choices)s (default: tick)",
    )
    add_session_file(p)
    add_plugin(p)
    add_json(p)
    p.add_argument(
        "--repeats",
        type=number_between(1, 100_000, whole=True),
        metavar="N",
        help="number of repeats; the table shows the median, for mechanisms the minimum (default: 7, mechanisms: 100); "
        "console: number of stops (default: 20)",
    )
    p.add_argument("--view", action="store_true", help="tick: frame rate of the view, too, rendered off screen")
    p.add_argument("--samples", action="store_true", help="formulations, with --json: loop errors at each sample of the drift, too")
    p.add_argument(
        "--baseline",
        metavar="CHECKOUT",
        help="tick: folder of another checkout, for a comparison of step and evaluation in 15 repeats (default: none)",
    )
    p.add_argument(
        "--markdown",
        metavar="FILE",
        help="page to write the table into, for example docs/integrators.md; not for tick, sweep, sensors, console and realtime (default: none)",
    )
    p.add_argument(
        "--viewers",
        type=number_between(0, 31, whole=True),
        metavar="N",
        help="console: number of further pages, one of which reads nothing (default: 0)",
    )
    p.add_argument("--vehicles", nargs="+", metavar="NAME", help="driven: vehicles (default: hmmwv sedan_paper light_truck)")
    p.add_argument("--scheduler", metavar="ADDRESS", help="sweep: address of a Dask scheduler, for its workers, too (default: none)")
    p.add_argument(
        "--max-empty-runs",
        type=number_between(1000, 100_000, whole=True),
        metavar="N",
        help="sweep: maximum number of empty runs, after sweeps of 1000 and 10000 (default: 100000)",
    )
    p.add_argument("--seconds", type=number_between(5.0, 3600.0), metavar="S", help="realtime: duration of each drive [s] (default: 60)")
    add_out(p, "--history: folder of the history", "docs/history")
    add_history(p, "tick: costs")
    p.set_defaults(run=_bench)


def _check_bench(arguments: argparse.Namespace, history: bool) -> None:
    """Raise JounceError for options that exclude each other."""
    tick = arguments.table == "tick"
    if arguments.view and not tick:
        raise JounceError("--view needs the table tick")
    if arguments.samples and not (arguments.json and arguments.table == "formulations"):
        raise JounceError("--samples needs the table formulations and --json")
    if arguments.baseline is not None and (not tick or arguments.view or arguments.markdown):
        raise JounceError("--baseline needs the table tick, without --view and --markdown")
    if (arguments.session or arguments.set) and (not tick or arguments.baseline is not None):
        raise JounceError("--session and --set need the table tick, without --baseline")
    if arguments.table != "sweep" and (arguments.scheduler is not None or arguments.max_empty_runs is not None):
        raise JounceError("--scheduler and --max-empty-runs need the table sweep")
    if arguments.seconds is not None and arguments.table != "realtime":
        raise JounceError("--seconds needs the table realtime")
    if arguments.table == "realtime" and arguments.repeats is not None:
        raise JounceError("--repeats excludes the table realtime; hint: use --seconds")
    if arguments.vehicles and arguments.table != "driven":
        raise JounceError("--vehicles needs the table driven")
    if arguments.viewers is not None and arguments.table != "console":
        raise JounceError("--viewers needs the table console")
    if arguments.markdown and arguments.table in ("tick", "sweep", "sensors", "console", "realtime"):
        raise JounceError(
            "--markdown excludes the tables tick, sweep, sensors, console and realtime, which are valid for this machine only"
        )
    if history and (not tick or arguments.baseline is not None or arguments.view or arguments.session or arguments.set):
        raise JounceError("--history needs the table tick, without --baseline, --view, --session and --set")
    if arguments.out and not history:
        raise JounceError("--out needs --history")


def _bench(arguments: argparse.Namespace) -> int:
    history = wants_history(arguments)
    _check_bench(arguments, history)
    defaults = {"mechanisms": 100, "console": 20}
    default = defaults.get(arguments.table, 7 if arguments.baseline is None else 15)
    repeats = default if arguments.repeats is None else arguments.repeats
    if history:
        from simulator.validation.history.command import main_bench_history

        return main_bench_history(arguments, repeats)
    if arguments.table == "integrators":
        from simulator.research.benchmarks.integrators import main_integrators

        return main_integrators(arguments.json, arguments.markdown)
    if arguments.table == "driven":
        from simulator.research.benchmarks.integrators_on_a_drive import CARS, main_driven

        return main_driven(tuple(arguments.vehicles or CARS), arguments.json, arguments.markdown)
    if arguments.table == "formulations":
        from simulator.research.benchmarks.formulations import main_formulations

        return main_formulations(repeats, arguments.json, arguments.markdown, arguments.samples)
    if arguments.table == "mechanisms":
        from simulator.research.benchmarks.mechanisms import main_mechanisms

        return main_mechanisms(repeats, arguments.json, arguments.markdown)
    if arguments.table == "sweep":
        from simulator.benchmarks.sweep_cost import MAX_EMPTY_RUNS, run_sweep_bench_command

        return run_sweep_bench_command(repeats, arguments.json, arguments.scheduler, arguments.max_empty_runs or MAX_EMPTY_RUNS)
    if arguments.table == "sensors":
        from simulator.benchmarks.sensor_cost import main_bench_sensors

        return main_bench_sensors(repeats, arguments.json)
    if arguments.table == "realtime":
        from simulator.benchmarks.real_time import main_bench_realtime

        return main_bench_realtime(60.0 if arguments.seconds is None else arguments.seconds, arguments.json)
    if arguments.table == "console":
        from simulator.benchmarks.console_stop import main_bench_console

        return main_bench_console(repeats, arguments.viewers or 0, arguments.json)
    if arguments.baseline is not None:
        from simulator.benchmarks.checkout_comparison import run_baseline_command

        return run_baseline_command(arguments.baseline, repeats, arguments.json, (lambda text: None) if arguments.json else print_line)
    from simulator.benchmarks.tick_cost import main_bench

    return main_bench(repeats, arguments)


def add_paper(commands: Commands) -> None:
    """Add the verb `paper`."""
    p = commands.add_parser("paper", help="list tables and figures of the papers; compare their numbers")
    p.add_argument(
        "name",
        nargs="*",
        metavar="PAPER [table|figure N]",
        help="number or key of a paper, and one of its tables or figures: 001 table 2, 'Uchida 2012' table 4 (default: list of all)",
    )
    p.add_argument("--markdown", action="store_true", help="tables of docs/papers.md")
    add_json(p)
    p.set_defaults(run=_paper)


def _paper(arguments: argparse.Namespace) -> int:
    from simulator.research.papers.command import main_paper

    return main_paper(arguments)
