"""Command `jounce fit FILE`: fit parameters to measurements, or to synthetic data to check the intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simulator.base.console import print_error, print_line
from simulator.base.json_output import json_text
from simulator.base.machine import version
from simulator.builder.builder import find_config
from simulator.builder.warm_up import compile_kernels
from simulator.fitting.console_progress import Terminal, command_of, searching
from simulator.fitting.fit import Fitted, fit, notes, result
from simulator.fitting.fit_check import measured_drives, units_of
from simulator.fitting.fit_file import check_data, read_fit
from simulator.fitting.fit_page import fit_page, interval_words
from simulator.fitting.interval_coverage import CoverageCase, coverage_cases, summary
from simulator.fitting.iterations import Iterations
from simulator.fitting.keys import settings_of
from simulator.fitting.least_squares import Failed, Round
from simulator.fitting.residuals import Model
from simulator.fitting.result_session import rounded, session_text, words_of
from simulator.telemetry.atomic_files import write_text

PAGE, OBJECT, APPLIED, SYNTHETIC = "fit.html", "fit.json", "fitted.yaml", "synthetic.json"
"""Names of the output files."""


def main_fit(arguments: Any) -> int:
    """Run `jounce fit`. Return exit code 1 if the search has not converged, else 0.

    Raises JounceError: the file or its content cannot be used, or no data can be compared; EndedBySignal.
    """
    file = str(find_config("fits", arguments.file))
    content = read_fit(file)
    check_data(content)
    compile_kernels(print_error if arguments.json else print_line)
    units = units_of(content)
    measured = measured_drives(content, units)
    with searching(arguments, "fit", content.name, tuple(units)) as (terminal, rounds):
        model = Model(content, measured, units, rounds)
        if arguments.synthetic is not None:
            return _synthetic(arguments, model, terminal)
        return _fit(arguments, model, rounds, terminal)


def _fit(arguments: Any, model: Model, rounds: Iterations, terminal: Terminal) -> int:
    count = 0

    def report(one: Round) -> None:
        nonlocal count
        count += 1
        values = ", ".join(f"{parameter.name} {value:.6g}" for parameter, value in zip(model.varied, model.values(one.u), strict=True))
        cost = f"no result ({one.residuals.reason})" if isinstance(one.residuals, Failed) else f"{one.cost:.6g}"
        terminal.line(f"iteration {count}: {cost}; {values}")

    fitted = fit(model, report)
    content = result(fitted)
    settings = rounded(settings_of(model.parameters, model.values(fitted.u), model.drives[0].base))
    words = words_of(settings)
    head = [f"{content['title']}: result of `jounce fit`, a session file for any run.", words]
    folder = terminal.folder
    write_text(folder / APPLIED, session_text(settings, model.drives[0].base, head))
    terminal.stage("drawing plots")
    write_text(folder / PAGE, fit_page(fitted, content, command_of("fit"), words).html())
    outcome = {"result": content, "machine": {"version": version()}}
    write_text(folder / OBJECT, json_text(outcome, indent=1) + "\n")
    if arguments.json:
        print(json_text({"folder": str(folder), **outcome}))
    else:
        _print(fitted, content)
        print(f"{PAGE}, {OBJECT} and {APPLIED} in {folder}")
    return 0 if fitted.solution.settled else 1


def _print(fitted: Fitted, content: Mapping[str, Any]) -> None:
    percent = f"{100.0 * content['level']:.3g} %"
    headings = ["parameter", "value", f"interval, {percent}", "simultaneous"]
    both = (*content["parameters"], *content["offsets"])
    rows = [[one["name"], f"{one['value']:.6g}", interval_words(one["interval"]), interval_words(one["interval_together"])] for one in both]
    print_table(content["title"], headings, rows)
    headings = ["channel", "drive", "rms at start", "rms", "noise", "unit"]
    rows = [
        [
            one["channel"], one["drive"], f"{one['rms_at_start']:.4g}", f"{one['rms']:.4g}", "-" if one["noise"] is None else f"{one['noise']:.4g}",
            one["unit"],
        ]
        for one in content["channels"]
    ]  # fmt: skip
    print_table("", headings, rows)
    search = content["search"]
    print(f"{len(search['rounds'])} iterations, {search['runs']} runs: {search['why']}")
    for line in notes(fitted):
        print(f"note: {line}")


def print_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table on the standard output, with the first column left-aligned."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title or None, title_justify="left", box=SIMPLE_HEAD, padding=0)
    table.add_column(headings[0], overflow="fold")
    for heading in headings[1:]:
        table.add_column(heading, justify="right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(markup=False).print(table)


def _synthetic(arguments: Any, model: Model, terminal: Terminal) -> int:
    names = [one.name for one in model.varied]

    def report(one: CoverageCase) -> None:
        missed = [name for name, held in zip(names, one.held, strict=True) if not held]
        values = ", ".join(f"{name} {value:.6g}" for name, value in zip(names, one.values, strict=True))
        terminal.line(f"seed {one.seed}: {values}; {'not in its interval: ' + ', '.join(missed) if missed else 'all in their intervals'}")

    content = summary(model, coverage_cases(model, arguments.synthetic, arguments.seed, report))
    write_text(terminal.folder / SYNTHETIC, json_text({"result": content}, indent=1) + "\n")
    if arguments.json:
        print(json_text({"folder": str(terminal.folder), "result": content}))
        return 0
    rows = [
        [
            one["name"],
            f"{one['planted']:.6g}",
            f"{one['mean']:.6g}",
            f"{one['deviation'] or 0.0:.3g}",
            f"{one['held']} of {content['cases']}",
        ]
        for one in content["parameters"]
    ]
    print_table(model.fit.title, ["parameter", "true", "mean", "deviation", "in its interval"], rows)
    print(
        f"all parameters in their simultaneous intervals: {content['held_together']} of {content['cases']}; {content['rounds']:.3g} iterations per fit"
    )
    print(f"{SYNTHETIC} in {terminal.folder}")
    return 0
