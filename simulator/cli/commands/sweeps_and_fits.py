"""The verbs of many runs: sweep, fit, optimise."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between
from simulator.base.errors import JounceError
from simulator.cli.commands.options import add_plugin, add_scheduler, add_search


def add_sweep(commands: Commands) -> None:
    """The verb `sweep`."""
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
    add_plugin(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    add_scheduler(p)
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


def add_fit(commands: Commands) -> None:
    """The verb `fit`."""
    p = commands.add_parser(
        "fit", help="fit parameters to what was measured, by least squares: values, intervals, and what the data cannot tell apart"
    )
    p.add_argument("file", metavar="FILE", help="fit by name or file, for example sine_steer")
    p.add_argument(
        "--synthetic",
        type=number_between(1, 100_000, whole=True),
        metavar="N",
        help="instead, fit data of the model's own with noise so often, the values at the start planted: how often the intervals hold them",
    )
    p.add_argument(
        "--seed",
        type=number_between(0, 2**32, whole=True),
        default=1,
        metavar="N",
        help="of the noise of the first synthetic case (default: 1)",
    )
    add_search(p)
    p.set_defaults(run=_fit)


def _fit(arguments: argparse.Namespace) -> int:
    from simulator.fitting.fit_command import main_fit

    return main_fit(arguments)


def add_optimize(commands: Commands) -> None:
    """The verb `optimise`."""
    p = commands.add_parser("optimise", help="find the keys with which a metric is least or greatest, within limits, by CMA-ES")
    p.add_argument("file", metavar="FILE", help="optimisation by name or file, for example step_steer_response")
    add_search(p)
    p.set_defaults(run=_optimise)


def _optimise(arguments: argparse.Namespace) -> int:
    from simulator.fitting.optimize_command import main_optimize

    return main_optimize(arguments)
