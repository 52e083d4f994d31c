"""The verbs of the laboratory: mechanism, bench, kc, triangularize."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between
from simulator.base.console import print_line
from simulator.base.errors import JounceError
from simulator.cli.commands.options import add_formulation, add_history, add_plugin, add_session_file, wants_history
from simulator.tools.mechanism.options import add_motion_arguments, in_motion


def add_mechanism(commands: Commands) -> None:
    """The verb `mechanism`."""
    p = commands.add_parser(
        "mechanism", help="check a mechanism: mobility, redundant constraints, loop closure, accelerations; sweep, run and draw it"
    )
    p.add_argument(
        "file", metavar="NAME", help="mechanism by name or file (.yaml, or .urdf, URDF+ included), for example four_bar; or a vehicle"
    )
    p.add_argument("--state", metavar="FILE.yaml", help="another state, written as the state section of a mechanism file")
    p.add_argument(
        "--set", metavar="JOINT=VALUE", action="append", default=[], help="put a joint elsewhere and close the loops; may be given again"
    )
    p.add_argument("--free", metavar="JOINT", action="append", default=[], help="let a prescribed joint move freely; may be given again")
    p.add_argument("--assemble", action="store_true", help="close the loops of a state that is off them, instead of refusing it")
    add_formulation(p, {"all": "ce, ta and fa, compared"})
    p.add_argument("--json", action="store_true", help="print one JSON object")
    add_motion_arguments(p)
    p.set_defaults(run=_mechanism)


def _mechanism(arguments: argparse.Namespace) -> int:
    if in_motion(arguments):
        from simulator.tools.mechanism.motion_command import main_motion

        return main_motion(arguments)
    from simulator.tools.mechanism.check import main_mechanism

    return main_mechanism(arguments)


def add_bench(commands: Commands) -> None:
    """The verb `bench`."""
    p = commands.add_parser("bench", help="measure the cost of the parts of a tick on this machine, or make another table")
    p.add_argument(
        "table",
        nargs="?",
        default="tick",
        choices=("tick", "formulations", "integrators", "driven", "mechanisms", "sweep"),
        help="which table (default: tick)",
    )
    add_session_file(p)
    add_plugin(p)
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
    p.add_argument("--vehicles", nargs="+", metavar="NAME", help="driven: cars that are driven (default: hmmwv sedan light_truck)")
    p.add_argument("--scheduler", metavar="ADDRESS", help="sweep: also with the workers of the Dask cluster whose scheduler is there")
    p.add_argument(
        "--most-empty",
        type=number_between(1000, 100_000, whole=True),
        metavar="N",
        help="sweep: empty runs of the largest sweep of such, before which smaller ones of 1000 and 10000 are driven (default: 100000)",
    )
    p.add_argument("--out", metavar="DIR", help="--history: folder of it (default: docs/history)")
    add_history(p, "tick: the costs")
    p.set_defaults(run=_bench)


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
    if arguments.vehicles and arguments.table != "driven":
        raise JounceError("--vehicles goes with the table of the driven cars only")
    if arguments.markdown and arguments.table in ("tick", "sweep"):
        raise JounceError("--markdown does not go with the tables of the tick and the sweep, which hold for this machine only")
    if history and (not tick or arguments.against is not None or arguments.view or arguments.session or arguments.set):
        raise JounceError("--history goes with the table of the tick only, without --against, --view, --session and --set")
    if arguments.out and not history:
        raise JounceError("--out goes with --history")


def _bench(arguments: argparse.Namespace) -> int:
    history = wants_history(arguments)
    _check_bench(arguments, history)
    usual = 100 if arguments.table == "mechanisms" else 7 if arguments.against is None else 15
    repeats = usual if arguments.repeats is None else arguments.repeats
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
        from simulator.benchmarks.sweep_cost import MOST_EMPTY, main_sweep_bench

        return main_sweep_bench(repeats, arguments.json, arguments.scheduler, arguments.most_empty or MOST_EMPTY)
    if arguments.against is not None:
        from simulator.benchmarks.checkout_comparison import main_against

        return main_against(arguments.against, repeats, arguments.json, (lambda text: None) if arguments.json else print_line)
    from simulator.benchmarks.tick_cost import main_bench

    return main_bench(repeats, arguments)


def add_kc(commands: Commands) -> None:
    """The verb `kc`."""
    p = commands.add_parser(
        "kc", help="kinematics-and-compliance test of a vehicle: the body held, the wheels on pads; bounce, roll, forces, torques, steering"
    )
    p.add_argument("vehicle", metavar="VEHICLE", nargs="+", help="vehicle by name or file; several are set side by side")
    p.add_argument(
        "--bounce",
        type=number_between(5.0, 500.0),
        metavar="MM",
        help="travel of the wheels either way in the test of bounce (default: 50)",
    )
    p.add_argument("--out", metavar="PAGE.html", help="page with plots (default: kc_VEHICLE.html in the current folder)")
    p.add_argument("--csv", metavar="FILE.csv", help="every wheel at every place of every test")
    p.add_argument("--json", action="store_true", help="print one JSON object with the results")
    add_plugin(p)
    p.set_defaults(run=_kc)


def _kc(arguments: argparse.Namespace) -> int:
    from simulator.tools.kc.command import main_kc

    return main_kc(arguments)


def add_triangularize(commands: Commands) -> None:
    """The verb `triangularize`."""
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


def _triangularize(arguments: argparse.Namespace) -> int:
    from simulator.research.triangular.command import main_triangularize

    return main_triangularize(arguments)
