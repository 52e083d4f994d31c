"""`jounce run` of a series or a search: maneuvers in order, each in its own folder, and a summary."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from simulator.base.console import print_error, print_line
from simulator.base.errors import ConfigError, ErrorCollector, JounceError
from simulator.base.json_output import json_text
from simulator.base.progress_bar import TimeProgress
from simulator.base.signals import EndedBySignal
from simulator.base.status_line import StatusLine
from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import find_config
from simulator.configuration.configuration import Configuration
from simulator.configuration.from_arguments import session_of
from simulator.configuration.layers import read_layers
from simulator.configuration.overrides import changes, option
from simulator.maneuvers.maneuver_file import load_maneuver
from simulator.maneuvers.parameters import KEY, unknown_parameter
from simulator.maneuvers.plots.series_summary import draw_summary
from simulator.maneuvers.series_file import FOUND, PARTS, Outcome, Run, Series, values_of
from simulator.run.folder import RunFolder
from simulator.run.run import run_maneuver, shown_rows
from simulator.telemetry.atomic_files import write_text

SUMMARY = "series.json"
NARROW_OUTLINE = {"width_m": 1.0, "length_m": 2.0, "front_m": 1.0}
"""Outline with which the values of a series are checked before its vehicles are known; it fits through every gate."""


def series_file(name: str) -> Path | None:
    """Return the file of a series by name or path; None if the name is not a series."""
    if Path(name).suffix.lower() in (".yaml", ".yml"):
        file = Path(name)
        content = read_yaml(file) if file.is_file() else None
        return file if isinstance(content, Mapping) and ("series" in content or "search" in content) else None
    try:
        return find_config("series", name)
    except ConfigError:
        return None


def load_series(file: str | Path) -> Series:
    """Return a series after a check of its maneuvers. Raises ConfigError."""
    content = read_layers("series", Path(file)).content
    series = Series(content, str(file))
    steps = content.get("series") or [content["search"]]
    with ErrorCollector() as faults:
        for part in PARTS:
            with faults.part():
                _check_part(part, content.get(part), str(file), part)
        for n, step in enumerate(steps):
            with faults.part():
                _check_step(step, str(file), f"series[{n}]" if "series" in content else "search")
    return series


def _check_part(part: str, name: Any, file: str, key: str) -> None:
    """Check that a vehicle or a terrain exists. Raises ConfigError."""
    if name is None or (isinstance(name, str) and "$" in name):
        return
    try:
        find_config(f"{part}s", name if isinstance(name, str) else str(name), file)
    except ConfigError:
        raise ConfigError(file, key, name, f"name or path of a {part}") from None


def _check_step(step: Mapping[str, Any], file: str, key: str) -> None:
    """Check that the maneuver exists and has the parameters of the step, with these values. Raises ConfigError."""
    name = step["run"]
    try:
        path = find_config("maneuvers", name, file)
    except ConfigError:
        raise ConfigError(file, f"{key}.run", name, "name or path of a maneuver") from None
    maneuver = read_layers("maneuvers", path).content
    known = maneuver.get("parameters") or {}
    values = values_of(step)
    with ErrorCollector() as faults:
        for where, parameter, _ in values:
            with faults.part():
                if parameter not in known and parameter not in PARTS:
                    raise ConfigError(file, f"{key}.{where}", parameter, unknown_parameter(parameter, known, name))
        if "parameter" in step and step["parameter"] not in known:
            faults.add(ConfigError(file, f"{key}.parameter", step["parameter"], unknown_parameter(step["parameter"], known, name)))
    first = {parameter: choices[0] for _, parameter, choices in values if choices and parameter not in PARTS}
    with ErrorCollector() as faults:
        for where, parameter, choices in values:
            for value in choices:
                with faults.part():
                    if parameter in PARTS:
                        _check_part(parameter, value, file, f"{key}.{where}")
                    else:
                        with _about(file, f"{key}.{where}", value, path):
                            load_maneuver({"body": NARROW_OUTLINE, **maneuver, KEY: {**known, **first, parameter: value}}, path)


@contextmanager
def _about(file: str, key: str, value: Any, path: Path) -> Iterator[None]:
    """Let errors of a maneuver name the value of a series that determines it."""
    try:
        yield
    except ConfigError as error:
        one = error.errors[0]
        raise ConfigError(file, key, value, f"{one.expected} ({one.key} of {path.name})") from None


def run_series(
    series: Series,
    configuration: Callable[[Run], Configuration],
    out: Path | None,
    say: Callable[[str], None],
    on_result: Callable[[Run, Mapping[str, Any]], None],
    progress: Callable[[Run], Callable[[float, float], None] | None],
    pictures: bool = False,
    on_stage: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Run all maneuvers of a series.

    Parameters
    ----------
    configuration : returns the configuration of a run
    out : folder to write into; default: a new one under ``runs``
    say : called with a message when kernels are compiled or a part fails
    on_result : called with each run and its result
    progress : returns for each run the function that is called with simulated time and duration [s]
    pictures : True to draw the plots of every run in addition to the summary plot
    on_stage : called with what a run does after the simulation, and the series after the last run

    Returns
    -------
    {"folder", "result"}: the result as in series.json; `complete` is True if all runs were executed

    Raises
    ------
    ConfigError, JounceError, Ended : as `run_maneuver`; the folder contains the completed runs
    """
    folder = RunFolder(out)
    runs: list[dict[str, Any]] = []
    try:
        for run in series.runs():
            path = folder.path / f"{len(runs) + 1:02d}_{run.label}"
            outcome = run_maneuver(configuration(run), path, progress(run), say, pictures=pictures, on_stage=on_stage)
            folder.began()
            result = outcome["result"]
            series.note(Outcome(run, result["pass"], result.get("metrics", {})))
            runs.append({"folder": path.name, "counts": run.counts, "parameters": dict(run.parameters), **_short(result)})
            on_result(run, result)
            _write(folder.path, series, runs, complete=False)
        summary = _write(folder.path, series, runs, complete=True)
        on_stage("drawing the plot of the series")
        draw_summary(folder.path, series.title, summary["runs"])
        return {"folder": folder.path, "result": summary}
    except EndedBySignal:
        if runs:
            say(f"{len(runs)} runs completed: {folder.path / SUMMARY}")
        raise
    finally:
        folder.abandon()
        folder.release()


def _short(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a result that the summary contains."""
    return {key: result[key] for key in ("maneuver", "pass", "ended_early", "checks", "metrics") if key in result} | {
        "remarks": list(result.get("remarks", ())),
        "shown": [row["metric"] for row in shown_rows(dict(result)) if row["value"] is not None],
    }


def _write(folder: Path, series: Series, runs: list[dict[str, Any]], complete: bool) -> dict[str, Any]:
    """Write the summary of the completed runs into the folder."""
    summary = {
        "series": series.name,
        "title": series.title,
        "complete": complete,
        "pass": series.passed,
        "found": series.found,
        "handed_on": series.taken,
        "runs": runs,
    }
    write_text(folder / SUMMARY, json_text({"result": summary}, indent=2) + "\n")
    return summary


def main_series(file: Path, arguments: Any) -> int:
    """Run `jounce run` for a series; exit code 1 if the series does not pass, else 0."""
    for name, value in (("--frames", arguments.frames or None), ("--figure", arguments.figure)):
        if value is not None:
            raise JounceError(f"{name}: not available for a series; expected a single maneuver")
    series = load_series(file)

    def configuration(run: Run) -> Configuration:
        named = [option(f"series {series.name}", name, getattr(series, name)) for name in PARTS]
        path = find_config("maneuvers", run.maneuver, str(file))
        given = changes({f"maneuver.parameters.{name}": value for name, value in run.parameters.items() if name not in PARTS})
        named += [option(f"series {series.name}", name, str(run.parameters[name])) for name in PARTS if name in run.parameters]
        effective = [options for options in named if all(getattr(arguments, str(item.path[0]), None) is None for item in options)]
        csv = option("--csv", "outlets.telemetry.csv", arguments.csv or None, is_flag=True)
        return session_of(
            arguments, [*(item for options in effective for item in options), *option("maneuver", "maneuver", str(path)), *csv, *given]
        )

    shown = not arguments.json and sys.stderr.isatty()
    bars: list[TimeProgress] = []

    def progress(run: Run) -> Callable[[float, float], None]:
        bars.append(TimeProgress(run.label, shown=shown))
        return bars[-1]

    def on_result(run: Run, result: Mapping[str, Any]) -> None:
        bars.pop().__exit__()
        if not arguments.json:
            print(_line(run, result), flush=True)

    with StatusLine(arguments.json) as status:
        outcome = run_series(
            series,
            configuration,
            Path(arguments.out) if arguments.out else None,
            print_error if arguments.json else print_line,
            on_result,
            progress,
            pictures=arguments.plots == "all",
            on_stage=lambda text: bars[-1].stage(text) if bars else status(text),
        )
    result = outcome["result"]
    if arguments.json:
        print(json_text({"folder": str(outcome["folder"]), "result": result}))
    else:
        _print_summary(result, outcome["folder"])
    return 1 if result["pass"] is False else 0


def _line(run: Run, result: Mapping[str, Any]) -> str:
    """Return a run in one line: its verdict and the violated limits."""
    verdict = {True: "passed", False: "FAILED", None: "done"}[result["pass"]]
    if result["pass"] is False and not run.counts:
        verdict = "failed"
    wrong = [f"{check['metric']} {_shown(check['value'])}" for check in result["checks"] if not check["pass"]]
    early = [f"ended at {result['ended_early']['time_s']:.3g} s: {result['ended_early']['reason']}"] if "ended_early" in result else []
    parameters = ", ".join(f"{name} {_shown(value)}" for name, value in run.parameters.items())
    return f"{verdict:<7} {run.maneuver}{f' ({parameters})' if parameters else ''}{': ' if wrong or early else ''}{'; '.join([*early, *wrong])}"


def _shown(value: Any) -> str:
    return "-" if value is None else value if isinstance(value, str) else f"{value:.4g}"


def _print_summary(result: Mapping[str, Any], folder: Path) -> None:
    for name, value in result["handed_on"].items():
        print(f"parameter for later steps: {name} = {_shown(value)}")
    for metrics in result["found"]:
        others = ", ".join(f"{name} {_shown(value)}" for name, value in metrics.items() if name not in FOUND)
        best = "no passing value" if metrics["value"] is None else f"{metrics['value']:.4g} (tolerance {metrics['tolerance']:g})"
        if metrics["value"] == metrics["highest_tried"]:
            best = f"{metrics['value']:.4g} or more (highest tested value)"
        print(f"highest {metrics['parameter']}{f' with {others}' if others else ''}: {best}")
        if metrics["failed_below"]:
            print(f"  failed at the lower values {', '.join(map(_shown, metrics['failed_below']))}; the result is not a monotonic limit")
    for remark in dict.fromkeys(remark for run in result["runs"] for remark in run["remarks"]):
        print(f"note: {remark}")
    verdict = {True: "passed", False: "FAILED", None: "no limits given"}[result["pass"]]
    print(f"{result['title']}: {verdict}; {len(result['runs'])} runs, summary and a folder for each in {folder}")
