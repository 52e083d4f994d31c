"""`jounce sweep FILE`: the runs of a sweep file, driven by the cores of this machine or by a cluster, and what is said on the way."""

from __future__ import annotations

import sys
import time
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.base.console import complain, tell
from simulator.base.jsontext import json_text
from simulator.build import find_config
from simulator.record.files import new_run_folder
from simulator.signals import Ended
from simulator.sweep.case import Resolved, resolve
from simulator.sweep.design import Design, read_design
from simulator.sweep.engine import sweep
from simulator.sweep.executor import Executor, ExecutorLostError
from simulator.sweep.local import LocalProcesses, cores
from simulator.sweep.shown import Shown, time_in_words
from simulator.sweep.sweep_file import NAMED
from simulator.sweep.table import failures
from simulator.warm import compile_kernels

MOST_TOLD = 5
"""Reasons of failures that are told."""


def main_sweep(arguments: Any) -> int:
    """Command line of `jounce sweep FILE`; exit code 1 when a run has no result, else 0.

    Raises JounceError: the file or what it says cannot be used, or the folder; Ended.
    """
    say = complain if arguments.json else tell
    file = find_config("sweeps", arguments.file)
    design = read_design(file)
    channels = [name.strip() for text in arguments.channels for name in text.split(",") if name.strip()] or list(design.channels)
    compile_kernels(say)
    say(f"{design.title}: {len(design.points)} runs")
    for remark in design.remarks:
        say(f"note: {remark}")
    cases = _resolved(design, file, channels, arguments.plugin)
    folder = Path(arguments.out) if arguments.out else new_run_folder()
    executor = executor_of(arguments, say)
    began = time.monotonic()
    with Shown(design.name, say, bar=sys.stderr.isatty() and not arguments.json) as shown:
        try:
            table = sweep(cases, folder, executor, channels=channels, plugins=arguments.plugin, progress=shown)
        except (Ended, ExecutorLostError):
            shown.hide()
            say(f"{shown.last.done} of {len(cases)} runs are in {folder}; to go on: {_again(arguments, folder)}")
            raise
        finally:
            executor.close()
    return _tell(arguments.json, cases, table, time.monotonic() - began)


def _resolved(design: Design, file: Path, channels: list[str], plugins: list[str]) -> Resolved:
    """The runs of a file. Raises ConfigError, which says in which block of it something is wrong."""
    starts = [section.first for section in design.sections]

    def key_of(number: int | None, key: str) -> str:
        if number is None:
            return key if key in NAMED else f"set.{key}"
        return f"vary[{bisect_right(starts, number) - 1}].{key}"

    about = design.about()
    return resolve(design.base, design.points, file, varied=design.varied, about=about, channels=channels, plugins=plugins, key_of=key_of)


def executor_of(arguments: Any, say: Callable[[str], None]) -> Executor:
    """Who drives, as the options of a command line say. Raises JounceError: there is no such cluster."""
    if arguments.scheduler is not None:
        from simulator.sweep.on_dask import DaskCluster

        return DaskCluster(arguments.scheduler, say)
    return LocalProcesses(int(arguments.processes or cores()))


def _tell(as_json: bool, cases: Resolved, table: Path, wall: float) -> int:
    """What came of it; the exit code."""
    reasons = failures(table)
    failed = sum(reasons.values())
    if as_json:
        said = {"folder": str(table.parent), "table": str(table), "runs": len(cases), "failed": failed, "wall_time_s": wall}
        print(json_text({**said, "failures": [{"reason": reason, "runs": count} for reason, count in reasons.items()]}))
    else:
        verdict = f"{failed} failed" if failed else "none failed"
        print(f"{len(cases)} runs, {verdict}, in {time_in_words(wall)}; the table is {table}")
        for reason, count in list(reasons.items())[:MOST_TOLD]:
            print(f"  {count} x {reason}")
        if len(reasons) > MOST_TOLD:
            print(f"  and {len(reasons) - MOST_TOLD} other reasons: column `failure` of the table")
    return 1 if failed else 0


def _again(arguments: Any, folder: Path) -> str:
    """The command that goes on in a folder."""
    scheduler = f" --scheduler {arguments.scheduler}" if arguments.scheduler else ""
    return f"jounce sweep {arguments.file} --out {folder}{scheduler}"
