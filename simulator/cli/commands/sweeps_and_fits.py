"""Verbs of many runs: sweep, fit, optimize."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between
from simulator.base.errors import JounceError
from simulator.cli.commands.options import add_json, add_out, add_plugin, add_processes, add_search, command


def add_sweep(commands: Commands) -> None:
    """Add the verb `sweep`."""
    p = commands.add_parser("sweep", help="simulate all runs of a sweep file in parallel, or report a sweep")
    p.add_argument(
        "file", metavar="FILE", help="sweep name or file, for example step_steer_scatter; or the word report, followed by a folder"
    )
    p.add_argument("folder", nargs="?", metavar="DIR", help="report: folder of a sweep, complete or not; the page is report.html in it")
    p.add_argument(
        "--metric",
        nargs="+",
        default=[],
        metavar="NAME",
        help="report: metrics to plot, names or patterns (default: set by the sweep file)",
    )
    p.add_argument("--open", action="store_true", help="report: page opened in the browser")
    add_out(p, "output folder, new or of an interrupted sweep that continues")
    add_processes(p)
    p.add_argument(
        "--channels",
        action="append",
        default=[],
        metavar="NAME,...",
        help="log columns of each run: names, fields, patterns with * and ? (default: set by the sweep file); repeatable",
    )
    add_plugin(p)
    add_json(p)
    p.set_defaults(run=_sweep)


def _sweep(arguments: argparse.Namespace) -> int:
    if arguments.file == "report":
        from simulator.sweep.report_command import main_report

        if any((arguments.out, arguments.processes, arguments.channels, arguments.scheduler, arguments.json)):
            raise JounceError("sweep report: expected a folder, --metric, --open and --plugin only; the page is report.html in the folder")
        return main_report(arguments.folder, arguments.metric, arguments.open)
    if arguments.folder is not None or arguments.metric or arguments.open:
        raise JounceError("a second argument, --metric and --open need `jounce sweep report DIR`")
    from simulator.sweep.command import main_sweep

    return main_sweep(arguments)


def add_fit(commands: Commands) -> None:
    """Add the verb `fit`."""
    p = commands.add_parser("fit", help="fit parameters to measurements by least squares")
    p.add_argument("file", metavar="FILE", help="fit name or file, for example sine_steer")
    p.add_argument(
        "--synthetic",
        type=number_between(1, 100_000, whole=True),
        metavar="N",
        help="number of fits to synthetic data with noise, to test how often the intervals contain the true values (default: none)",
    )
    p.add_argument(
        "--seed",
        type=number_between(0, 2**32, whole=True),
        default=1,
        metavar="N",
        help="random seed of the noise of the first synthetic case (default: 1)",
    )
    add_search(p)
    p.set_defaults(run=command("simulator.fitting.fit_command:main_fit"))


def add_optimize(commands: Commands) -> None:
    """Add the verb `optimize`."""
    p = commands.add_parser("optimize", help="minimize or maximize a metric within limits (CMA-ES)")
    p.add_argument("file", metavar="FILE", help="optimization name or file, for example step_steer_response")
    add_search(p)
    p.set_defaults(run=command("simulator.fitting.optimize_command:main_optimize"))
