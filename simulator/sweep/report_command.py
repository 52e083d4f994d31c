"""Command `jounce sweep report DIR`: write the report page of a completed or running sweep."""

from __future__ import annotations

import shlex
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from simulator.base.console import print_line
from simulator.base.errors import ConfigError
from simulator.base.status_line import StatusLine
from simulator.base.suggestions import did_you_mean
from simulator.sweep.metric_section import PASSED
from simulator.sweep.read_sweep import read_results
from simulator.sweep.report_page import named_metrics, planned_runs, sweep_page
from simulator.sweep.results import Results
from simulator.telemetry.atomic_files import write_text

PAGE = "report.html"


def main_report(folder: str | None, metrics: Sequence[str], shown: bool) -> int:
    """Write the report page. Return 0.

    Parameters
    ----------
    folder : folder of the sweep
    metrics : names or patterns of the metrics to draw; empty: those of the sweep file
    shown : whether to open the page in the browser

    Raises ConfigError: the folder contains no sweep, or the sweep lacks a metric; OutputError.
    """
    if folder is None:
        raise ConfigError("jounce sweep report", "", "no folder", "the folder of a sweep, created with `jounce sweep FILE --out DIR`")
    results = read_results(folder)
    _check(results, metrics)
    names = list(metrics) or list(results.about.get("wanted", ()))
    command = shlex.join(["jounce", "sweep", "report", folder, *(["--metric", *metrics] if metrics else [])])
    page = Path(folder) / PAGE
    with StatusLine(quiet=False) as status:
        status("drawing plots")
        write_text(page, sweep_page(results, names, command).html())
    print_line(f"{len(results.runs)} of {planned_runs(results)} runs; the page is {page}")
    if shown:
        webbrowser.open(page.resolve().as_uri())
    return 0


def _check(results: Results, metrics: Sequence[str]) -> None:
    """Check that the runs have every requested metric. Raises ConfigError."""
    names = [name for name in results.metrics if name != PASSED]
    for metric in metrics:
        if names and not named_metrics(results, [metric]):
            raise ConfigError("--metric", "", metric, f"a metric of the runs or a pattern: {', '.join(names)}{did_you_mean(metric, names)}")
