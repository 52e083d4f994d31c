"""Verb of published navigation benchmarks: score."""

from __future__ import annotations

from simulator.base.argument_types import Commands, number_between, yaml_value
from simulator.cli.commands.options import add_json, add_out, add_plugin, command

NAMES = ("verti_bench", "barn")
"""Benchmarks."""
VARIANTS = ("as_simulated", "as_written", "x8_forward", "x5_reversing")
"""Variants of Verti-Bench, and of BARN; the first one of each is its default."""


def add_score(commands: Commands) -> None:
    """Add the verb `score`."""
    p = commands.add_parser("score", help="drive the tasks of a published navigation benchmark with a planner (docs/benchmarks.md)")
    p.add_argument("benchmark", choices=NAMES, metavar="BENCHMARK", help=f"benchmark: {', '.join(NAMES)}")
    p.add_argument("folder", metavar="FOLDER", help="folder of its worlds, as for `jounce terrain import` (docs/benchmark_worlds.md)")
    p.add_argument("--worlds", metavar="N,...", help="numbers or ranges of worlds, for example 5,61 or 1-20 (default: all in the folder)")
    p.add_argument("--tasks", metavar="N,...", help="numbers or ranges of the tasks of each world, from 0 (default: all)")
    p.add_argument("--variant", choices=VARIANTS, help="variant of the benchmark (default: as_simulated, x8_forward)")
    p.add_argument("--vehicle", metavar="NAME", help="vehicle name or file (default: set by the benchmark)")
    p.add_argument(
        "--planner", type=yaml_value, metavar="NAME", help="planner, or its keys in braces (docs/autonomy.md) (default: hybrid_a_star)"
    )
    p.add_argument("--map", choices=("truth", "lidar"), help="obstacle map of the planner (default: truth)")
    p.add_argument(
        "--speed", type=number_between(0.1, 60.0), metavar="M_PER_S", help="requested speed [m/s] (default: set by the benchmark)"
    )
    p.add_argument(
        "--limit", type=number_between(1.0, 3600.0), metavar="S", help="time limit of a task [s] (default: that of the benchmark)"
    )
    p.add_argument("--seed", type=number_between(0, 2**31, whole=True), default=1, metavar="N", help="random seed (default: 1)")
    p.add_argument(
        "--workers", type=number_between(1, 4096, whole=True), metavar="N", help="number of parallel drives (default: number of CPU cores)"
    )
    add_out(p, "output folder, new or of an interrupted score that continues")
    add_plugin(p)
    add_json(p)
    p.set_defaults(run=command("simulator.scores.score_command:main_score"))
