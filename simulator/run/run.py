"""`jounce run`: simulation of a maneuver without window and clock, as fast as possible, with telemetry, metrics and plots."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simulator.assistance.assistance import occurrence_text
from simulator.autonomy.goal_driver import GoalDriver
from simulator.autonomy.map_picture import write_map_picture
from simulator.autonomy.outcome import KEY, Outcome, outcome_in_log, outcome_of
from simulator.base.console import print_error, print_line
from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.base.machine import computation_info
from simulator.base.progress_bar import TimeProgress
from simulator.base.rates import shown_time
from simulator.base.signals import StopOrExit, on_signal, signal_message
from simulator.builder.builder import build
from simulator.builder.session_parts import SessionParts
from simulator.builder.warm_up import compile_for_session
from simulator.configuration.configuration import Configuration
from simulator.configuration.from_arguments import session_of
from simulator.configuration.overrides import option
from simulator.driver.contract import Driver, SensingDriver
from simulator.driver.make_driver import driver_kind, without_a_person
from simulator.driver.path import Spawn
from simulator.faults.planned_fault import since
from simulator.maneuvers.analyses.contract import Curve
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.maneuvers.metrics import FEWEST_ROWS, evaluated, too_short
from simulator.maneuvers.phase_driver import DONE, how_ended
from simulator.maneuvers.plots.kinds import columns_of
from simulator.maneuvers.report.page import RunInfo, columns_shown, violation
from simulator.maneuvers.report.write_report import write_metrics, write_page, write_report
from simulator.maneuvers.source_marks import mark_words
from simulator.outlets.telemetry import MemoryRecorder, TelemetryOutlet, measuring, session_grip
from simulator.platform_phases import raise_platform
from simulator.run.drive_figure import write_figures
from simulator.run.drive_recorder import DriveRecorder
from simulator.run.folder import RunFolder
from simulator.run.frames import PERIOD, States, drawn_states
from simulator.run.provenance import run_info
from simulator.run.run_configuration import DROPPED, open_log
from simulator.session import Outlet, PartError, Session
from simulator.telemetry.log import Log

NOTHING_FOUND: dict[str, Any] = {"pass": None, "metrics": {}, "checks": [], "shown": [], "table": []}
"""Result of a run with too few rows."""
NO_MANEUVER = "no maneuver to run; expected a maneuver, or a session with one; hint: see 'jounce run --help'"


def run_maneuver(
    configuration: Configuration,
    out: Path | None,
    progress: Callable[[float, float], None] | None = None,
    say: Callable[[str], None] = print_error,
    pictures: bool = True,
    frames: int = 0,
    on_stage: Callable[[str], None] = lambda text: None,
    figure: Sequence[float] | None = None,
) -> dict[str, Any]:
    """Run a maneuver and write all results into a folder.

    Parameters
    ----------
    configuration : configuration with a maneuver
    out : folder to write into, created if necessary; default: a new one under ``runs``
    progress : called with simulated time and duration [s]
    say : called with a message when kernels are compiled or a part fails
    pictures : True to draw the plots of the maneuver and write report.html
    frames : number of rendered images of the run in report.html
    figure : times [s] of the figures of the drive, in addition to its animation; None: neither
    on_stage : called with what the run does after the simulation, for example "drawing plots"

    Returns
    -------
    {"folder", "files", "result", "machine", "dropped"}: `dropped` has one line for each stopped plugin; the result of a run that ended
    early has `ended_early` with time and reason, and does not pass

    Raises
    ------
    JounceError : a file or setting is invalid, there is no maneuver, or the folder is not writable
    Ended : a signal ended the run; the telemetry is complete up to that time
    """
    parts, session = _started(configuration, pictures, say)
    folder = RunFolder(out)
    recorders = _Recorders(parts, session, pictures, frames > 0, figure is not None)
    began = time.perf_counter()
    try:
        run = _simulate_maneuver(parts, session, folder, recorders.outlets, progress)
        _print_troubles(parts, session, run, say)
        wall = time.perf_counter() - began
        machine = {"real_time_factor": session.time / wall, **computation_info(wall), "log_failure": run.log_failure}
        info = None
        if pictures:
            if frames:
                on_stage("rendering images")
            shown = drawn_states(parts, recorders.states.spread(frames), say) if frames else []
            info = run_info(parts, session, folder.path, machine, run.dropped, shown)
            info = _with_map(info, session.driver, recorders.measured, folder.path, run.outcome)
        on_stage("computing metrics")
        evaluated_run = _evaluated(parts, session, recorders.measured.log(), run)
        on_stage("drawing plots" if pictures else "writing metrics")
        report = _report(evaluated_run, folder.path, machine, info)
        if recorders.drive is not None and figure is not None:
            on_stage("drawing figures")
            recorders.drive.keep_end(session)
            report["files"] += write_figures(folder.path, recorders.drive, parts, figure, say)
        return report | {"dropped": run.dropped}
    finally:
        folder.release()


def _started(configuration: Configuration, pictures: bool, say: Callable[[str], None]) -> tuple[SessionParts, Session]:
    """Return the parts and the session of a maneuver, at its start, with the platform raised. Raises JounceError: no maneuver.

    Without `pictures`, the maneuver has no plots.
    """
    compile_for_session(configuration, say)
    parts = build(configuration)
    if parts.maneuver is None:
        raise JounceError(NO_MANEUVER)
    parts.maneuver.pictures = parts.maneuver.pictures if pictures else ()
    parts.cueing.procedure.arm()
    session = parts.session(driver_of(parts))
    session.reset()
    session.warm()
    raise_platform(session)
    return parts, session


class _Recorders:
    """Outlets of a run for its evaluation and report, in addition to the log.

    Parameters
    ----------
    pictures : True to record for the plots of the maneuver
    frames : True to record for images of the run
    figure : True to record for figures of the drive
    """

    def __init__(self, parts: SessionParts, session: Session, pictures: bool, frames: bool, figure: bool) -> None:
        maneuver = parts.maneuver
        assert maneuver is not None
        self.measured = measuring(session, maneuver, (*columns_of(maneuver.pictures), *columns_shown()) if pictures else ())
        """Telemetry for metrics and plots."""
        self.states = States(parts.ticks(PERIOD))
        """States for the images."""
        self.drive = DriveRecorder(parts, session, maneuver.duration) if figure else None
        self.outlets: list[Outlet] = [self.measured, *([self.states] if frames else []), *([self.drive] if self.drive is not None else [])]


def _print_troubles(parts: SessionParts, session: Session, run: _Outcome, say: Callable[[str], None]) -> None:
    """Print warnings and interventions, lines of the driver, collisions, failures of parts and an early end."""
    for notice in session.seat.reports:
        say(notice)
    for occurrence in () if session.assistance is None else session.assistance.occurrences:
        say(occurrence_text(occurrence))
    for collision in (*session.collisions, *session.others.collisions):
        say(collision.message)
    for trouble in (*parts.vehicle.troubles, *session.others.troubles, *run.dropped):
        say(trouble)
    if run.early is not None:
        say(f"the run ended early: {run.early['reason']}")


def _with_map(info: RunInfo, driver: object, measured: MemoryRecorder, folder: Path, outcome: Outcome | None) -> RunInfo:
    """Draw the obstacle map of a drive to a goal with the driven path, and return `info` with its file; other runs have no map."""
    if not isinstance(driver, GoalDriver) or not driver.maps:
        return info
    log = measured.log()
    maps = [*driver.maps, *([driver.map] if driver.map is not None else [])]
    driven = np.column_stack((log["p_WB_x"], log["p_WB_y"]))
    return replace(
        info, obstacle_map=write_map_picture(folder, maps, driver.goal, driver.plan, driven, "" if outcome is None else outcome.message)
    )


class _Outcome(NamedTuple):
    """Outcome of the simulation."""

    early: dict[str, Any] | None
    """Simulated time and reason of an early end; None if there was none."""
    dropped: list[str]
    """Stopped plugins, one line each."""
    log_failure: str | None
    outcome: Outcome | None
    """Outcome of a drive to a goal."""


def _simulate_maneuver(
    parts: SessionParts, session: Session, folder: RunFolder, more: Sequence[Outlet], progress: Callable[[float, float], None] | None
) -> _Outcome:
    """Run the maneuver with `more` outlets in addition to its own; all are closed at the end.

    Raises JounceError, Ended : as `run_maneuver`; an empty folder is removed
    """
    assert parts.maneuver is not None
    duration, stop_request = parts.maneuver.duration, StopOrExit()

    def keep_going(session: Session) -> bool:
        if progress is not None:
            progress(session.time, duration)
        return not stop_request.poll() and not (session.course is not None and session.course.own.finished)

    with on_signal(stop_request):
        try:
            session.output.outlets.extend(parts.outlets(folder.path))
            parts.add_live_outlets(session)
            log = open_log(parts, session, folder, armed=True, raised=True)
            session.output.outlets.extend(more)
            folder.began()
            early = _simulate(session, duration, keep_going, folder) or _abort_of(session)
            dropped = [str(failure) for failure in session.output.failures]
            if dropped:
                log.writer.about[DROPPED] = "; ".join(dropped)
            if early is not None:
                log.writer.ended = early["reason"]
            elif stop_request.first is not None:
                log.writer.ended = signal_message(stop_request.first)
            early_end = log.writer.ended if early is not None or stop_request.first is not None else ""
            outcome = outcome_of(session.driver, early_end)
            log.writer.about |= outcome_in_log(outcome)
        finally:
            session.close()
            folder.abandon()
    stop_request.raise_if_requested()
    dropped += [str(failure) for failure in session.output.failures[len(dropped) :]]  # found at the end
    return _Outcome(early, dropped, log.writer.failure, outcome)


def driver_of(parts: SessionParts) -> Driver | SensingDriver:
    """Return the driver of the maneuver, or the plugin driver that the session requests."""
    driver = without_a_person(parts.options.driver)
    kind = driver_kind(driver.name)
    if kind is None:
        raise JounceError(f"driver {driver.name}: needs a person, but a run is faster than real time; hint: use 'jounce drive'")
    return parts.driver(kind, paced=False, parameters=driver.parameters)


def _simulate(session: Session, duration: float, keep_going: Callable[[Session], bool], folder: RunFolder) -> dict[str, Any] | None:
    """Run to the end or to an early end; return the simulated time and reason of an early end, and write them into the folder.

    Raises the error of the telemetry, because a run without telemetry is useless.
    """
    session.publish()
    try:
        session.run(duration, keep_going)
    except PartError as error:
        file = folder.note_failure(error)
        return {"time_s": shown_time(session.time), "reason": f"{error} (traceback in {file})" if file else str(error)}
    for failure in session.output.failures:
        if isinstance(failure, PartError) and isinstance(failure.part, TelemetryOutlet):
            raise failure
    if session.recovery.latest is None:
        return None
    session.recovery.latest.write(folder.path)
    return {"time_s": shown_time(session.recovery.latest.time), "reason": session.recovery.latest.message}


def _abort_of(session: Session) -> dict[str, Any] | None:
    """Return time and reason if an abort condition of the maneuver ended the run."""
    ended = how_ended(session.driver)
    return {"time_s": shown_time(session.time), "reason": ended} if ended not in ("", DONE) else None


class _Evaluated(NamedTuple):
    """Evaluation of a run."""

    maneuver: Maneuver
    measured: Log
    spawn: Spawn | tuple[float, float, float]
    result: dict[str, Any]
    curves: Mapping[str, Curve]

    @property
    def has_enough_rows(self) -> bool:
        """True if there are enough rows for an evaluation and plots."""
        return self.measured.rows >= FEWEST_ROWS


def _evaluated(parts: SessionParts, session: Session, measured: Log, run: _Outcome) -> _Evaluated:
    """Return the evaluation of a run, with its outcome, collisions and faults."""
    maneuver, spawn, early = parts.maneuver, parts.ground.spawn, run.early
    assert maneuver is not None
    if early is not None:
        maneuver.title += f" (ended early, at {early['time_s']:.3g} s)"
    result: dict[str, Any] = {**NOTHING_FOUND, "maneuver": maneuver.name, "title": maneuver.title, "remarks": list(maneuver.remarks)}
    curves: dict[str, Curve] = {}
    if measured.rows < FEWEST_ROWS:
        result["pass"] = False if maneuver.limits else None
        result["remarks"].append(too_short(measured.rows))
    else:
        result, curves = evaluated(maneuver, measured, spawn, parts.traits if maneuver.requested_analyses else None, session_grip(session))
    if early is not None:
        result |= {"pass": False, "ended_early": early}
    if parts.vehicle.train is not None:
        result["remarks"].append(
            f"metrics are those of {parts.vehicle.description.name} without its trailers, except those of coupling and trailer"
        )
    if run.outcome is not None:
        result[KEY] = run.outcome._asdict()
    if session.course is not None:
        result["timed_course"] = session.course.to_json()
        result["remarks"] += session.course.summary()
    if session.collisions:
        result["collisions"] = [one.to_json() for one in session.collisions]
    if session.injector.faults:
        result["faults"] = [fault.to_json() for fault in session.injector.faults]
    return _Evaluated(maneuver, measured, spawn, result, curves)


def _report(run: _Evaluated, folder: Path, machine: dict[str, Any], info: RunInfo | None) -> dict[str, Any]:
    """Write the results except the log; return the result of `run_maneuver` without `dropped`."""
    if run.has_enough_rows:
        files, left_out = write_report(
            folder, run.maneuver, run.measured, run.result, curves=run.curves, machine=machine, spawn=run.spawn, info=info
        )
    else:
        files, left_out = [write_metrics(folder, run.result, machine)], []
        if info is not None:
            files.append(write_page(folder, run.result, info, None))
    if info is not None and info.obstacle_map is not None:
        files.append(info.obstacle_map)
    return {
        "folder": folder,
        "files": [folder / "telemetry.parquet", *files],
        "result": run.result,
        "machine": machine,
        "left_out": left_out,
    }


def main_run(arguments: Any) -> int:
    """Run `jounce run`; exit code 1 if a limit of the maneuver is violated or the run or its log ended early, else 0."""
    options = [
        *option("maneuver", "maneuver", arguments.maneuver),
        *option("--csv", "outlets.telemetry.csv", arguments.csv or None, is_flag=True),
    ]
    if arguments.frames and arguments.plots == "none":
        raise JounceError("--frames needs report.html; hint: remove --plots none")
    configuration = session_of(arguments, options)
    if not configuration.has("maneuver"):
        raise JounceError(NO_MANEUVER)
    title = Path(configuration.name("maneuver")).stem
    with TimeProgress(title, shown=not arguments.json and sys.stderr.isatty()) as progress:
        outcome = run_maneuver(
            configuration,
            Path(arguments.out) if arguments.out else None,
            progress,
            say=print_error if arguments.json else print_line,
            pictures=arguments.plots != "none",
            frames=arguments.frames,
            on_stage=progress.stage,
            figure=arguments.figure,
        )
    if arguments.json:
        shown = {"folder": str(outcome["folder"]), **{key: outcome[key] for key in ("result", "machine", "dropped")}}
        print(json_text(shown))
    else:
        _print_outcome(outcome)
    return 1 if outcome["result"]["pass"] is False or outcome["machine"]["log_failure"] is not None or outcome["dropped"] else 0


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
    marks = dict.fromkeys(row["mark"] for row in shown_rows(result) if row["mark"])
    numbers = {mark: str(n) for n, mark in enumerate(marks, 1)}
    if marks:
        table.add_column("mark", justify="right", no_wrap=True)
    for row in shown_rows(result):
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
    console.print(
        f"{verdict}, {factor:.{0 if factor >= 9.95 else 1}f} times real time; {_written(outcome['files'])} in {outcome['folder']}"
    )
    if KEY in result:
        console.print(f"outcome: {Outcome(**result[KEY]).message}", highlight=False)
    for fault in result.get("faults", ()):
        console.print(f"fault: {fault['name']} from {fault['start_s']:g} s{since(fault)}", highlight=False)
    for check in result["checks"]:
        if "reason" in check:
            console.print(f"limit of {violation(check)}", highlight=False)
    if result.get("course_limit"):
        console.print(f"course: {result['course_limit']}", highlight=False)
    for remark in result.get("remarks", ()):
        console.print(f"note: {remark}", highlight=False)
    for line in outcome["left_out"]:
        console.print(f"no plot {line}")


def _written(files: Sequence[Path]) -> str:
    """Return the words for the files of a run."""
    words = ["telemetry", "metrics"]
    words += ["plots"] * any(file.suffix == ".png" for file in files)
    words += ["report.html"] * any(file.name == "report.html" for file in files)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def shown_rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the table rows for the terminal: metrics with limits and metrics of the analyses, else all; metrics.json has all."""
    rows = [row for row in result["table"] if row["verdict"] != "info" or (row["mark"] and row["value"] is not None)]
    return rows or result["table"]


def _short(number: float | None) -> str:
    return "" if number is None else f"{number + 0.0:.4g}"
