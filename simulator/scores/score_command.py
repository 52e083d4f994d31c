"""Command `jounce score BENCHMARK FOLDER`: drive the tasks of a benchmark, and print progress and the summary."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path
from typing import Any

from simulator.base.console import print_error, print_line
from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.base.signals import EndedBySignal
from simulator.builder.warm_up import compile_kernels
from simulator.scores.contract import ScoreOptions
from simulator.scores.kinds import benchmark_of
from simulator.scores.run_score import RESULTS, run_score
from simulator.scores.summary import summary_text
from simulator.sweep.process_executor import cores
from simulator.sweep.progress import ProgressDisplay
from simulator.telemetry.run_folder import new_run_folder

MAX_NUMBERS = 100_000
"""Numbers of worlds or tasks of an option."""
_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?")


def main_score(arguments: Any) -> int:
    """Run `jounce score` and return 0. Raises JounceError: unusable options, files or folder; EndedBySignal."""
    benchmark = benchmark_of(arguments.benchmark)
    plan = benchmark.plan(_options(arguments))
    say = print_error if arguments.json else print_line
    compile_kernels(say)
    folder = Path(arguments.out) if arguments.out else new_run_folder()
    say(f"{benchmark.title}: {len(plan.tasks)} {'task' if len(plan.tasks) == 1 else 'tasks'}")
    with ProgressDisplay(benchmark.name, say, sys.stderr.isatty() and not arguments.json) as shown:
        try:
            summary = run_score(
                benchmark, plan, folder, workers=int(arguments.workers or cores()), plugins=arguments.plugin, progress=shown
            )
        except EndedBySignal:
            shown.hide()
            say(f"{shown.last.done} of {len(plan.tasks)} tasks are in {folder}; to continue, repeat the command with --out {folder}")
            raise
    with open(folder / RESULTS, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    print_line(json_text({"folder": str(folder), **summary}) if arguments.json else summary_text(benchmark, summary, rows))
    if not arguments.json:
        print_line(f"the table is {folder / RESULTS}")
    return 0


def _options(arguments: Any) -> ScoreOptions:
    """Return the options of the command. Raises ConfigError."""
    return ScoreOptions(
        folder=Path(arguments.folder),
        worlds=numbers(arguments.worlds, "--worlds"),
        tasks=numbers(arguments.tasks, "--tasks"),
        variant=arguments.variant,
        vehicle=arguments.vehicle,
        planner=arguments.planner,
        map=arguments.map,
        speed=arguments.speed,
        limit=arguments.limit,
        seed=int(arguments.seed),
    )


def numbers(text: str | None, option: str) -> tuple[int, ...]:
    """Return the numbers of a list like 5,61 or 0-9, without duplicates, in the order given. Raises ConfigError."""
    out: dict[int, None] = {}
    for part in (text or "").split(",") if text is not None else ():
        match = _RANGE.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not (first <= last < MAX_NUMBERS):
            raise ConfigError(option, "", text, "a list such as 5,61 or 0-9")
        out |= dict.fromkeys(range(first, last + 1))
    return tuple(out)
