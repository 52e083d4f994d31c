"""`jounce run`: a maneuver without window and clock, as fast as the machine can, leaving telemetry, metrics and plots."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from simulator.base.console import print_error, print_line
from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.base.machine import taken
from simulator.base.signals import StopRequest, on_signal, words
from simulator.builder.builder import SessionParts, build
from simulator.builder.warm_up import compile_kernels
from simulator.configuration.configuration import Configuration
from simulator.configuration.from_arguments import session_of
from simulator.configuration.overrides import option
from simulator.driver.contract import Driver
from simulator.driver.make_driver import driver_kind, new_driver, without_a_person
from simulator.driver.path import Spawn
from simulator.maneuvers.analyses.contract import Curve
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.maneuvers.metrics import evaluated
from simulator.maneuvers.phase_driver import DONE, how_ended
from simulator.maneuvers.plots.kinds import columns_of
from simulator.maneuvers.report.page import RunInfo
from simulator.maneuvers.report.time_series import columns_shown
from simulator.maneuvers.report.write_report import write_metrics, write_page, write_report
from simulator.maneuvers.source_marks import mark_words
from simulator.outlets.telemetry import TelemetryOutlet, measuring
from simulator.run.folder import RunFolder
from simulator.run.frames import PERIOD, States, drawn_states
from simulator.run.provenance import told_of
from simulator.run.run_configuration import open_log
from simulator.session import Outlet, PartError, Session
from simulator.telemetry.log import Log

FEWEST_ROWS = 10
"""Rows of telemetry below which there is no run to evaluate."""

NOTHING_FOUND: dict[str, Any] = {"checks": [], "shown": [], "table": []}
"""Of a run with too few rows."""
NO_MANEUVER = "nothing to run: name a maneuver, or a session that names one (see jounce run --help)"


def run_maneuver(
    configuration: Configuration,
    out: Path | None,
    progress: Callable[[float, float], None] | None = None,
    say: Callable[[str], None] = print_error,
    pictures: bool = True,
    frames: int = 0,
) -> dict[str, Any]:
    """Drive a maneuver and write everything into a folder.

    Parameters
    ----------
    configuration : says which maneuver, and all the rest
    out : folder to write into, made if need be; a new one under ``runs`` when not given
    progress : called with simulated time and duration [s]
    say : called with a line when something is compiled or fails
    pictures : whether those of the maneuver are drawn, and report.html is made
    frames : pictures of the drive itself, for report.html

    Returns
    -------
    {"folder", "files", "result", "machine", "dropped"}: what was dropped from outside, one line each; a run that ended early has
    `ended_early` in its result, with time and reason, and does not pass

    Raises
    ------
    JounceError : a file or setting cannot be used, there is no maneuver, or the folder cannot be written
    Ended : by a signal; the telemetry is complete up to there
    """
    compile_kernels(say)
    parts = build(configuration)
    if parts.maneuver is None:
        raise JounceError(NO_MANEUVER)
    maneuver = parts.maneuver
    maneuver.pictures = maneuver.pictures if pictures else ()
    parts.cueing.arm()
    session = parts.session(driver_of(parts))
    session.reset()
    session.warm()
    session.raise_platform()
    folder = RunFolder(out)
    measured = measuring(session, maneuver, (*columns_of(maneuver.pictures), *columns_shown()) if pictures else ())
    states = States(parts.ticks(PERIOD))
    began = time.perf_counter()
    try:
        run = _driven(parts, session, folder, [measured, states] if frames else [measured], progress)
        for trouble in (*parts.vehicle.troubles, *run.dropped):
            say(trouble)
        if run.early is not None:
            say(f"the run ended early: {run.early['reason']}")
        wall = time.perf_counter() - began
        machine = {"real_time_factor": session.time / wall, **taken(wall), "log_failure": run.log_failure}
        told = None
        if pictures:
            shown = drawn_states(parts, states.spread(frames), say) if frames else []
            told = told_of(parts, session, folder.path, machine, run.dropped, shown)
        outcome = _report(_evaluated(parts, measured.log(), run.early), folder.path, machine, told)
        return outcome | {"dropped": run.dropped}
    finally:
        folder.release()


class _Driven(NamedTuple):
    """How a run went."""

    early: dict[str, Any] | None
    """Simulated time and reason of an early end."""
    dropped: list[str]
    """What was dropped from outside, one line each."""
    log_failure: str | None


def _driven(
    parts: SessionParts, session: Session, folder: RunFolder, more: Sequence[Outlet], progress: Callable[[float, float], None] | None
) -> _Driven:
    """Drive the maneuver with `more` outlets beside its own, which are all closed when it is over.

    Raises JounceError, Ended : as `run_maneuver`; a folder in which nothing began is gone
    """
    assert parts.maneuver is not None
    duration, asked = parts.maneuver.duration, StopRequest()

    def keep_going(session: Session) -> bool:
        if progress is not None:
            progress(session.time, duration)
        return asked.first is None

    with on_signal(asked):
        try:
            session.outlets += parts.outlets(folder.path)
            log = open_log(parts, session, folder, armed=True, raised=True)
            session.outlets += more
            folder.began()
            early = _simulate(session, duration, keep_going, folder) or _given_up(session)
            dropped = [str(failure) for failure in session.failures]
            if dropped:
                log.writer.about["dropped"] = "; ".join(dropped)
            if early is not None:
                log.writer.ended = early["reason"]
            elif asked.first is not None:
                log.writer.ended = words(asked.first)
        finally:
            session.close()
            folder.abandon()
    asked.raise_if_asked()
    return _Driven(early, dropped, log.writer.failure)


def driver_of(parts: SessionParts) -> Driver:
    """Whoever follows the maneuver, unless the session asks for a driver from outside."""
    who = without_a_person(parts.options.driver)
    kind = driver_kind(who.name)
    if kind is None:
        raise JounceError(f"driver {who.name}: a person drives with it, and a run is faster than people (jounce drive)")
    return new_driver(kind, parts.ground, parts.maneuver, paced=False, seed=parts.seed, said=who.parameters, traits=parts.traits)


def _simulate(session: Session, duration: float, keep_going: Callable[[Session], bool], folder: RunFolder) -> dict[str, Any] | None:
    """Drive to the end, or to what ended it early: its simulated time and reason, also left in the folder.

    Raises what the telemetry raised: without it a run is of no use.
    """
    session.publish()
    try:
        session.run(duration, keep_going)
    except PartError as error:
        file = folder.note_failure(error)
        return {"time_s": session.time, "reason": f"{error} (traceback in {file})" if file else str(error)}
    for failure in session.failures:
        if isinstance(failure, PartError) and isinstance(failure.part, TelemetryOutlet):
            raise failure
    if session.latest is None:
        return None
    session.latest.write(folder.path)
    return {"time_s": session.latest.time, "reason": session.latest.message}


def _given_up(session: Session) -> dict[str, Any] | None:
    """Time and reason, when the maneuver was given up by a condition of its own."""
    ended = how_ended(session.driver)
    return {"time_s": session.time, "reason": ended} if ended not in ("", DONE) else None


class _Evaluated(NamedTuple):
    """What came of a run."""

    maneuver: Maneuver
    measured: Log
    spawn: Spawn | tuple[float, float, float]
    result: dict[str, Any]
    curves: Mapping[str, Curve]

    @property
    def whole(self) -> bool:
        """Whether there are rows enough to evaluate and draw."""
        return self.measured.rows >= FEWEST_ROWS


def _evaluated(parts: SessionParts, measured: Log, early: dict[str, Any] | None) -> _Evaluated:
    maneuver, spawn = parts.maneuver, parts.ground.spawn
    assert maneuver is not None
    if early is not None:
        maneuver.title += f" (ended early, at {early['time_s']:.3g} s)"
    result: dict[str, Any] = {**NOTHING_FOUND, "maneuver": maneuver.name, "title": maneuver.title, "remarks": list(maneuver.remarks)}
    curves: dict[str, Curve] = {}
    if measured.rows >= FEWEST_ROWS:
        result, curves = evaluated(maneuver, measured, spawn, parts.traits if maneuver.asked else None)
    if early is not None:
        result |= {"pass": False, "ended_early": early}
    return _Evaluated(maneuver, measured, spawn, result, curves)


def _report(run: _Evaluated, folder: Path, machine: dict[str, Any], told: RunInfo | None) -> dict[str, Any]:
    """Write what the run leaves besides its log; what `run_maneuver` gives, but for what was dropped."""
    if run.whole:
        files, left_out = write_report(
            folder, run.maneuver, run.measured, run.result, curves=run.curves, machine=machine, spawn=run.spawn, info=told
        )
    else:
        files, left_out = [write_metrics(folder, run.result, machine)], []
        if told is not None:
            files.append(write_page(folder, run.result, told, None))
    return {
        "folder": folder,
        "files": [folder / "telemetry.parquet", *files],
        "result": run.result,
        "machine": machine,
        "left_out": left_out,
    }


def main_run(arguments: Any) -> int:
    """Command line of `jounce run`; exit code 1 when a limit of the maneuver is not kept or the run or its log ended early, else 0."""
    options = [*option("maneuver", "maneuver", arguments.maneuver), *option("--csv", "outlets.telemetry.csv", arguments.csv or None)]
    if arguments.frames and arguments.pictures == "none":
        raise JounceError("--frames: pictures of the drive stand in report.html, and --pictures none leaves that out")
    configuration = session_of(arguments, options)
    if not configuration.has("maneuver"):
        raise JounceError(NO_MANEUVER)
    title = Path(configuration.name("maneuver")).stem
    with Progress(title, shown=not arguments.json and sys.stderr.isatty()) as progress:
        outcome = run_maneuver(
            configuration,
            Path(arguments.out) if arguments.out else None,
            progress,
            say=print_error if arguments.json else print_line,
            pictures=arguments.pictures != "none",
            frames=arguments.frames,
        )
    if arguments.json:
        shown = {"folder": str(outcome["folder"]), **{key: outcome[key] for key in ("result", "machine", "dropped")}}
        print(json_text(shown))
    else:
        _print_outcome(outcome)
    return 1 if outcome["result"]["pass"] is False or outcome["machine"]["log_failure"] is not None or outcome["dropped"] else 0


class Progress:
    """A bar on the error stream, from the first call on, so that lines about compiling come before it; it vanishes at the end."""

    def __init__(self, name: str, shown: bool) -> None:
        self._name, self._shown = name, shown
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, t: float, end: float) -> None:
        """Simulated time and duration [s]."""
        if not self._shown:
            return
        if self._bar is None:
            self._begin(end)
        self._bar.update(self._task, completed=t)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _begin(self, end: float) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.completed:.0f} / {task.total:.0f} s"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(self._name, total=end)
        self._bar.start()


def _print_outcome(outcome: dict[str, Any]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    result = outcome["result"]
    table = Table(title=result.get("title", result.get("maneuver", "")), title_justify="left", box=SIMPLE_HEAD, padding=0)
    table.add_column("metric", overflow="fold")
    for heading in ("value", "limits", "margin"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    marks = dict.fromkeys(row["mark"] for row in told_rows(result) if row["mark"])
    numbers = {mark: str(n) for n, mark in enumerate(marks, 1)}
    if marks:
        table.add_column("mark", justify="right", no_wrap=True)
    for row in told_rows(result):
        limits = "" if row["verdict"] == "info" else f"{_short(row['min'])} .. {_short(row['max'])}"
        verdict = {"pass": "pass", "fail": "FAIL", "info": ""}[row["verdict"]]
        cells = [row["metric"], "-" if row["value"] is None else _short(row["value"]), limits, _short(row["margin"]), verdict]
        table.add_row(*cells, *([numbers.get(row["mark"], "")] if marks else []))
    console = Console(markup=False)  # a folder may be called [/a]
    console.print(table)
    for mark, number in numbers.items():
        console.print(f" {number}: {mark_words(mark)}", highlight=False)
    verdict = "no limits given" if result["pass"] is None else "passed" if result["pass"] else "FAILED"
    factor = outcome["machine"]["real_time_factor"]
    console.print(f"{verdict}, {factor:.0f} times real time; telemetry, metrics, plots and report.html in {outcome['folder']}")
    for remark in result.get("remarks", ()):
        console.print(f"note: {remark}", highlight=False)
    for line in outcome["left_out"]:
        console.print(f"no picture of {line}")


def told_rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows for the terminal: those with limits and those that the maneuver asks for, if there are any; metrics.json has all."""
    rows = [row for row in result["table"] if row["verdict"] != "info" or (row["mark"] and row["value"] is not None)]
    return rows or result["table"]


def _short(number: float | None) -> str:
    return "" if number is None else f"{number + 0.0:.4g}"
