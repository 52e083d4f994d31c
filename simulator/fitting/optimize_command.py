"""Command `jounce optimize FILE`: find the key values that minimize or maximize a metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.base.json_output import json_text
from simulator.base.machine import version
from simulator.builder.builder import find_config
from simulator.builder.warm_up import compile_kernels
from simulator.fitting.cma_es import need_cma
from simulator.fitting.console_progress import Terminal, command_of, searching
from simulator.fitting.fit_command import print_table
from simulator.fitting.keys import settings_of
from simulator.fitting.optimization_file import read_optimization
from simulator.fitting.optimize import Search, notes, result
from simulator.fitting.optimize_page import goal_words, page_of_optimization
from simulator.fitting.result_session import rounded, session_text, words_of
from simulator.telemetry.atomic_files import write_text

PAGE, OBJECT, APPLIED = "optimization.html", "optimization.json", "optimized.yaml"
"""Names of the output files."""


def main_optimize(arguments: Any) -> int:
    """Run `jounce optimize`. Return exit code 1 if no set satisfies all limits, else 0.

    Raises JounceError: cma is not installed, the file or its content cannot be used, or the start cannot be simulated; EndedBySignal.
    """
    need_cma()
    given = read_optimization(find_config("optimizations", arguments.file))
    with searching(arguments, "optimize", given.name) as (terminal, rounds):
        compile_kernels(terminal.say)
        found = Search(given, rounds, lambda found: terminal.line(_line(found)))
        found.run()
        return _leave(arguments, found, terminal)


def _line(found: Search) -> str:
    """Return a progress line for a generation."""
    best, last = found.best, found.tried[-1]
    values = ", ".join(f"{one.name} {value:.6g}" for one, value in zip(found.file.parameters, found.values(best.u), strict=True))
    beyond = "" if best.sound else " (beyond a limit)"
    head = "start" if last.generation == 0 else f"generation {last.generation}, {len(found.tried)} sets"
    return f"{head}: best {best.goal:.6g}{beyond}; {values}"


def _leave(arguments: Any, found: Search, terminal: Terminal) -> int:
    """Write and print the result."""
    outcome = {"result": result(found), "machine": {"version": version()}}
    given: Mapping[str, Any] = outcome["result"]
    settings = rounded(settings_of(found.file.parameters, found.values(found.best.u), found.bases[0]))
    words, folder = words_of(settings), terminal.folder
    head = [f"{given['title']}: result of `jounce optimize`, a session file for any run.", words]
    write_text(folder / APPLIED, session_text(settings, found.bases[0], head))
    terminal.stage("drawing plots")
    write_text(folder / PAGE, page_of_optimization(found, given, command_of("optimize"), words).html())
    write_text(folder / OBJECT, json_text(outcome, indent=1) + "\n")
    if arguments.json:
        print(json_text({"folder": str(folder), **outcome}))
        return 0 if given["kept"] else 1
    rows = [[one["name"], f"{one['value']:.6g}", f"{one['start']:.6g}", f"{one['spread']:.3g}"] for one in given["parameters"]]
    print_table(given["title"], ["parameter", "best", "start", "spread at the end"], rows)
    goal = given["goal"]
    print(f"{goal_words(found)}: {goal['start']:.6g} at the start, {goal['best']:.6g} at best")
    print(f"{found.runs} runs: {found.why}")
    for line in notes(found):
        print(f"note: {line}")
    print(f"{PAGE}, {OBJECT} and {APPLIED} in {folder}")
    return 0 if given["kept"] else 1
