"""Command `python -m research bench`: its options, and the module of each table."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between
from simulator.base.console import print_line
from simulator.base.errors import JounceError
from simulator.cli.commands.options import add_history, add_json, add_out, add_plugin, add_session_file, wants_history

TABLES = ("tick", "formulations", "integrators", "driven", "mechanisms", "sweep", "sensors", "console")
PAGES = ("formulations", "integrators", "driven", "mechanisms")
"""Tables that --markdown writes; the others are valid for this machine only."""
REPEATS = {"mechanisms": 100, "console": 20}
"""Default number of repeats of the tables with another one than 7."""


def add_bench(commands: Commands) -> None:
    """Add the command `bench`."""
    p = commands.add_parser("bench", help="measure computation times of methods and of the program, the delay of an operator's stop")
    p.add_argument("table", nargs="?", default="tick", choices=TABLES, help="table: %(choices)s (default: tick)")
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
    p.add_argument("--samples", action="store_true", help="formulations, with --json: loop errors at each sample of the drift, too")
    p.add_argument(
        "--baseline",
        metavar="CHECKOUT",
        help="tick: folder of another checkout, for a comparison of step and evaluation in 15 repeats (default: none)",
    )
    p.add_argument(
        "--markdown",
        metavar="FILE",
        help=f"page to write the table into, for example docs/theory/integrators.md; {', '.join(PAGES)} only (default: none)",
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
    add_out(p, "--history: folder of the history", "docs/history")
    add_history(p, "tick: costs")
    p.set_defaults(run=_bench)


def _check(arguments: argparse.Namespace, history: bool) -> None:
    """Raise JounceError for options that exclude each other."""
    table = arguments.table
    tick = table == "tick"
    if arguments.samples and not (arguments.json and table == "formulations"):
        raise JounceError("--samples needs the table formulations and --json")
    if arguments.baseline is not None and (not tick or arguments.markdown):
        raise JounceError("--baseline needs the table tick, without --markdown")
    if (arguments.session or arguments.set) and (not tick or arguments.baseline is not None):
        raise JounceError("--session and --set need the table tick, without --baseline")
    if table != "sweep" and (arguments.scheduler is not None or arguments.max_empty_runs is not None):
        raise JounceError("--scheduler and --max-empty-runs need the table sweep")
    if arguments.vehicles and table != "driven":
        raise JounceError("--vehicles needs the table driven")
    if arguments.viewers is not None and table != "console":
        raise JounceError("--viewers needs the table console")
    if arguments.markdown and table not in PAGES:
        raise JounceError(f"--markdown needs one of the tables {', '.join(PAGES)}; the others are valid for this machine only")
    if history and (not tick or arguments.baseline is not None or arguments.session or arguments.set):
        raise JounceError("--history needs the table tick, without --baseline, --session and --set")
    if arguments.out and not history:
        raise JounceError("--out needs --history")


def _bench(arguments: argparse.Namespace) -> int:
    history = wants_history(arguments)
    _check(arguments, history)
    default = REPEATS.get(arguments.table, 7 if arguments.baseline is None else 15)
    repeats = default if arguments.repeats is None else arguments.repeats
    if history:
        from research.costs.history_command import main_bench_history

        return main_bench_history(arguments, repeats)
    if arguments.baseline is not None:
        from research.costs.checkout_comparison import run_baseline_command

        return run_baseline_command(arguments.baseline, repeats, arguments.json, (lambda text: None) if arguments.json else print_line)
    return _of_methods(arguments, repeats) if arguments.table in PAGES else _of_the_program(arguments, repeats)


def _of_methods(arguments: argparse.Namespace, repeats: int) -> int:
    """Run a table of methods of multibody dynamics and return the exit code."""
    if arguments.table == "integrators":
        from research.benchmarks.integrators import main_integrators

        return main_integrators(arguments.json, arguments.markdown)
    if arguments.table == "driven":
        from research.benchmarks.integrators_on_a_drive import CARS, main_driven

        return main_driven(tuple(arguments.vehicles or CARS), arguments.json, arguments.markdown)
    if arguments.table == "formulations":
        from research.benchmarks.formulations import main_formulations

        return main_formulations(repeats, arguments.json, arguments.markdown, arguments.samples)
    from research.benchmarks.mechanisms import main_mechanisms

    return main_mechanisms(repeats, arguments.json, arguments.markdown)


def _of_the_program(arguments: argparse.Namespace, repeats: int) -> int:
    """Run a table of costs of the program and return the exit code."""
    if arguments.table == "sweep":
        from research.costs.sweep_cost import MAX_EMPTY_RUNS, run_sweep_bench_command

        return run_sweep_bench_command(repeats, arguments.json, arguments.scheduler, arguments.max_empty_runs or MAX_EMPTY_RUNS)
    if arguments.table == "sensors":
        from research.costs.sensor_cost import main_bench_sensors

        return main_bench_sensors(repeats, arguments.json)
    if arguments.table == "console":
        from research.costs.console_stop import main_bench_console

        return main_bench_console(repeats, arguments.viewers or 0, arguments.json)
    from research.costs.tick_cost import main_bench

    return main_bench(repeats, arguments)
