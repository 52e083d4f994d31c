"""`jounce run`: a maneuver without window and clock, as fast as the machine can, leaving telemetry, metrics and plots."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.base.jsontext import json_text
from simulator.build import build_cueing, build_ground, build_maneuver, build_vehicle
from simulator.maneuvers.maneuver import Maneuver
from simulator.maneuvers.metrics import COLUMNS, evaluate
from simulator.maneuvers.report import write_report
from simulator.outlets import Telemetry
from simulator.record.files import run_folder
from simulator.record.owner import FolderLock
from simulator.record.writer import read_telemetry
from simulator.session import Session

LOG_PERIOD = 0.01
"""s between two rows of telemetry."""


def run_maneuver(
    name: str,
    out: Path | None,
    csv: bool = False,
    progress: Callable[[float, float], None] | None = None,
    suspension: str | None = None,
    vehicle_name: str | None = None,
) -> dict[str, Any]:
    """Drive a maneuver and write everything into a folder.

    Parameters
    ----------
    name : maneuver by name or file
    out : folder to write into, made if need be; a new one under ``runs`` when not given
    csv : also write the telemetry as CSV
    progress : called with simulated time and duration [s]
    suspension : "closed_form" or "table"; as the vehicle's file says when not given
    vehicle_name : vehicle by name or file; that of the maneuver when not given

    Returns
    -------
    {"folder", "files", "result", "machine"}

    Raises
    ------
    ConfigError, OutputError, JounceError
    """
    maneuver = build_maneuver(name, vehicle_name)
    vehicle = build_vehicle(maneuver.vehicle, maneuver.file, suspension, maneuver.step)
    ground = build_ground(maneuver.terrain, maneuver.file)
    cueing = build_cueing("small_hexapod", "small_hexapod", maneuver.step)
    cueing.arm()
    session = Session(vehicle, ground, maneuver.driver(ground.spawn), cueing, [], maneuver.step)
    session.reset()
    session.warm()
    folder = run_folder(out)
    with FolderLock(folder) as lock:  # until the last plot
        every = max(1, round(LOG_PERIOD / maneuver.step))
        about = {"vehicle": maneuver.vehicle, "terrain": maneuver.terrain, "maneuver": maneuver.name}
        telemetry = Telemetry(folder, session.readout, session.command, every, csv, about=about, lock=lock)
        session.outlets.append(telemetry)
        began = time.perf_counter()
        try:
            session.publish()
            session.run(maneuver.duration, (lambda t: progress(t, maneuver.duration)) if progress else None)
        except BaseException as error:
            telemetry.writer.ended = f"{type(error).__name__} {error}".strip()
            raise
        finally:
            session.close()
        return _report(maneuver, session, folder, time.perf_counter() - began, telemetry.writer.failure)


def _report(maneuver: Maneuver, session: Session, folder: Path, wall: float, log_failure: str | None) -> dict[str, Any]:
    telemetry = read_telemetry(folder / "telemetry.parquet", COLUMNS)
    result = evaluate(maneuver, telemetry, session.ground.spawn)
    machine = {
        "real_time_factor": session.time / wall,
        "wall_time_s": wall,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "log_failure": log_failure,
    }
    files = write_report(folder, maneuver, telemetry, result, machine=machine, spawn=session.ground.spawn)
    return {"folder": folder, "files": [folder / "telemetry.parquet", *files], "result": result, "machine": machine}


def main_run(name: str, out: str | None, csv: bool, as_json: bool, suspension: str | None = None, vehicle: str | None = None) -> int:
    """Command line of `jounce run`; exit code 1 when a limit of the maneuver is not kept or the log ended early, else 0."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f} / {task.total:.0f} s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=as_json or not sys.stderr.isatty(), transient=True) as bar:
        task = bar.add_task(Path(name).stem, total=None)
        folder = Path(out) if out else None
        outcome = run_maneuver(name, folder, csv, lambda t, end: bar.update(task, completed=t, total=end), suspension, vehicle)
    if as_json:
        print(json_text({"folder": str(outcome["folder"]), "result": outcome["result"], "machine": outcome["machine"]}))
    else:
        _print_outcome(outcome)
    return 1 if outcome["result"]["pass"] is False or outcome["machine"]["log_failure"] is not None else 0


def _print_outcome(outcome: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    result = outcome["result"]
    table = Table("check", "value", "limits", "", title=result.get("title", result.get("maneuver", "")), title_justify="left")
    for check in result["checks"]:
        low, high = check.get("min"), check.get("max")
        limits = " .. ".join("" if bound is None else f"{bound:g}" for bound in (low, high))
        value = check.get("value")
        table.add_row(check["metric"], "-" if value is None else f"{value:.4g}", limits, "pass" if check["pass"] else "FAIL")
    for key in () if result["checks"] else result["shown"]:
        value = result["metrics"][key]
        table.add_row(key, "-" if value is None else f"{value:.4g}", "", "")
    console = Console(markup=False)  # a folder may be called [/a]
    console.print(table)
    verdict = "no limits given" if result["pass"] is None else "passed" if result["pass"] else "FAILED"
    factor = outcome["machine"]["real_time_factor"]
    console.print(f"{verdict}, {factor:.0f} times real time; telemetry, metrics and plots in {outcome['folder']}")
