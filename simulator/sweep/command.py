"""Command `jounce sweep FILE`: run a sweep on local processes or on a cluster, and print progress and results."""

from __future__ import annotations

import shlex
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from simulator.base.console import print_error, print_line
from simulator.base.json_output import json_text
from simulator.base.signals import EndedBySignal
from simulator.builder.builder import find_config
from simulator.builder.warm_up import compile_kernels
from simulator.sweep.case import Resolved, Resolver
from simulator.sweep.design import Design, read_design
from simulator.sweep.engine import Progress, sweep
from simulator.sweep.executor import ExecutorLostError
from simulator.sweep.load_sweep import check_parameters
from simulator.sweep.progress import ProgressDisplay, time_in_words
from simulator.sweep.result_table import failures, outcomes
from simulator.sweep.run_sweep import executor_for
from simulator.telemetry.run_folder import new_run_folder

MAX_REASONS = 5
"""Number of failure reasons that are printed."""


def main_sweep(arguments: Any) -> int:
    """Run `jounce sweep FILE`. Return exit code 1 if a run has no result, else 0.

    Raises JounceError: the file, its content or the output folder cannot be used; EndedBySignal.
    """
    say = print_error if arguments.json else print_line
    file = find_config("sweeps", arguments.file)
    design = read_design(file)
    check_parameters(design)
    channels = [name.strip() for text in arguments.channels for name in text.split(",") if name.strip()] or list(design.channels)
    processes = None if arguments.processes is None else int(arguments.processes)
    with closing(executor_for(processes, arguments.scheduler, say)) as executor:  # report a missing cluster before minutes of checks
        compile_kernels(say)
        for line in (f"{design.title}: {len(design.points)} runs", *(f"note: {remark}" for remark in design.remarks)):
            say(line)
        bar = sys.stderr.isatty() and not arguments.json
        with ProgressDisplay("checking", say, bar, last="") as shown:
            cases = _resolved(design, file, SweepOptions(channels, arguments.plugin), shown)
        folder = Path(arguments.out) if arguments.out else new_run_folder()
        started = time.monotonic()
        with ProgressDisplay(design.name, say, bar) as shown:
            try:
                table = sweep(cases, folder, executor, channels=channels, plugins=arguments.plugin, progress=shown)
            except (EndedBySignal, ExecutorLostError):
                shown.hide()
                say(f"{shown.last.done} of {len(cases)} runs are in {folder}; continue with: {_resume_command(arguments, folder)}")
                raise
    return _print_result(arguments.json, cases, table, time.monotonic() - started)


class SweepOptions(NamedTuple):
    """Options of the command in addition to the file."""

    channels: list[str]
    plugins: list[str]


def _resolved(design: Design, file: Path, options: SweepOptions, shown: ProgressDisplay) -> Resolved:
    """Return the cases of a sweep file. Raises ConfigError with the key in the file."""
    resolver = Resolver(design.base, file, options.channels, options.plugins, design.key_of)

    def progress(number: int) -> None:
        shown(Progress(number, len(design.points), 0, None))

    return resolver.cases(design.points, design.varied, design.about(), progress=progress)


def _print_result(as_json: bool, cases: Resolved, table: Path, wall: float) -> int:
    """Print the result and return the exit code."""
    reasons = failures(table)
    failed, ended = sum(reasons.values()), outcomes(table)
    if as_json:
        summary = {"folder": str(table.parent), "table": str(table), "runs": len(cases), "failed": failed, "wall_time_s": wall}
        summary |= {"outcomes": ended} if ended else {}
        print(json_text({**summary, "failures": [{"reason": reason, "runs": count} for reason, count in reasons.items()]}))
    else:
        verdict = f"{failed} failed" if failed else "none failed"
        print(f"{len(cases)} runs, {verdict}, in {time_in_words(wall)}; the table is {table}")
        if ended:
            print("outcomes: " + ", ".join(f"{count} {word}" for word, count in ended.items()))
        for reason, count in list(reasons.items())[:MAX_REASONS]:
            print(f"  {count} x {reason}")
        if len(reasons) > MAX_REASONS:
            print(f"  and {len(reasons) - MAX_REASONS} other reasons: column `failure` of the table")
    return 1 if failed else 0


def _resume_command(arguments: Any, folder: Path) -> str:
    """Return the command that continues the sweep in a folder."""
    words = ["jounce", "sweep", arguments.file, "--out", str(folder)]
    given = [("--scheduler", [arguments.scheduler]), ("--channels", arguments.channels), ("--plugin", arguments.plugin)]
    return shlex.join(words + [word for option, values in given for value in values if value for word in (option, value)])
