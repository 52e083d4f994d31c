"""`jounce info`: description of a run folder, with recovery of the log and the sensor data of a killed run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from simulator.autonomy.outcome import KEY as OUTCOME
from simulator.autonomy.outcome import OUTCOMES, Outcome
from simulator.base.console import print_error
from simulator.base.errors import one_line
from simulator.base.json_output import json_text
from simulator.clock import lateness_text
from simulator.collision import collision_text
from simulator.telemetry.event_file import read_events
from simulator.telemetry.metadata import recorded_json, whole_number
from simulator.telemetry.recover import LogInfo, read_logs
from simulator.telemetry.run_folder import RUTS_NAME
from simulator.telemetry.sensor_file.inventory import inspect_files
from simulator.telemetry.sensor_file.recorder import size_text
from terrain.rut_grid import SPACING, UNIT, read_ruts

WELL = "well"
DECODERS: dict[str, Callable[[Any], object]] = {
    "lateness": lateness_text,
    "real_time": dict,
    "configuration": dict,
    "collisions": lambda collisions: [f"{one['number']} {collision_text(one)}" for one in collisions],
    OUTCOME: lambda outcome: Outcome(**outcome).message,
}
"""Values in JSON in the metadata of a log, each with a function that fails for a value of another shape."""


def main_info(name: str, with_columns: bool = False, to_json: bool = False) -> int:
    """Run `jounce info`; return 0, or 2 if a log is broken or cannot be recovered. Raises ConfigError."""
    path = Path(name)
    logs = read_logs(path)
    if to_json:
        print(json_text({"place": str(path), "logs": [described(log) for log in logs]}))
    else:
        print("\n\n".join(text_of(log, with_columns) for log in logs))
    troubles = [log for log in logs if log.trouble]
    for log in troubles:
        print_error(f"{one_line(log.trouble)}{'; the raw log remains' if log.file.suffix == '.rows' else ''}")
    return 2 if troubles else 0


def described(log: LogInfo) -> dict[str, Any]:
    """Return the description of a log for JSON; null for missing data."""
    about = {key: value for key, value in log.about.items() if key not in DECODERS}
    recorded_values = {key: recorded_json(log.about, key, log.file, decode) for key, decode in DECODERS.items()}
    about.pop("rows_lost", None)
    failure, events = about.pop("log_failure", None), read_events(log.file)
    return {
        "file": str(log.file),
        "recovered": log.recovered,
        "rows": log.rows,
        "rows_lost": whole_number(log.about, "rows_lost", log.file),
        "simulated_s": _simulated(log),
        "wall_s": _span(log.numbers.get("wall_time")),
        "started": about.pop("started", None),
        "ended": about.get("ended"),
        "ended_well": about.pop("ended", None) == WELL and failure is None,
        "log_failure": failure,
        "outcome": recorded_values[OUTCOME] or _outcome(log),
        "resets": _last(log.numbers.get("resets")),
        "paused_s": _paused(log),
        "incidents": _incidents(log),
        "collisions": recorded_values["collisions"] if log.about.get("collisions") else _touched(log),
        "events": None if events is None else [event.to_json() for event in events],
        "lateness": recorded_values["lateness"],
        "real_time": recorded_values["real_time"],
        "ruts": _ruts(log.file.with_name(RUTS_NAME)),
        "sensor_files": [one.to_json() for one in inspect_files(log.file)],
        "about": about,
        "configuration": recorded_values["configuration"],
        "columns": log.columns,
    }


def text_of(log: LogInfo, with_columns: bool = False) -> str:
    """Return the description of a log as text."""
    facts = described(log)
    lines = [f"{log.file}{'  (recovered now from the raw log of a killed run)' if log.recovered else ''}"]
    lost = f", {facts['rows_lost']} lost" if facts["rows_lost"] else ""
    rows = [("rows", f"{log.rows} of {len(log.columns)} columns{lost}")]
    if facts["simulated_s"] is not None:
        wall = f" in {facts['wall_s']:.1f} s of wall time" if facts["wall_s"] is not None else ""
        rows.append(("time", f"{facts['simulated_s']:.2f} s simulated{wall}"))
    rows.append(("began", facts["started"] or "unknown"))
    rows.append(("ended", facts["ended"] or "unknown"))
    if facts["outcome"]:
        rows.append(("outcome", Outcome(**facts["outcome"]).message))
    if facts["log_failure"]:
        rows.append(("log", f"ended early: {facts['log_failure']}"))
    rows += list(facts["about"].items())
    if facts["resets"] is not None:
        rows.append(("resets", f"{facts['resets']}; incidents {facts['incidents']}; paused {facts['paused_s'] or 0.0:.1f} s"))
    if isinstance(facts["collisions"], list):
        rows += [(f"collision {one['number']}", collision_text(one)) for one in facts["collisions"]]
    elif facts["collisions"]:
        rows.append(("collisions", str(facts["collisions"])))
    if facts["events"]:
        rows.append(("events", _events_text(facts["events"])))
    if facts["ruts"]:
        rows.append(("ruts", "{area_m2:.1f} m2, at most {deepest_m:.3f} m deep, in {file}".format(**facts["ruts"])))
    rows += [("sensors", _sensor_text(one)) for one in facts["sensor_files"]]
    width = max(len(name) for name, _ in rows)
    lines += [f"  {name:<{width}}  {value}" for name, value in rows if value != ""]
    lines = [one_line(line) for line in lines]
    real_time = facts["real_time"] or {}
    lateness = facts["lateness"] or real_time.get("lateness")
    if lateness:
        lines += [f"  {line}" for line in lateness_text(lateness).splitlines()]
    if "late_ticks" in real_time:
        lines.append(f"  late ticks: {real_time['late_ticks']}; wall time dropped: {real_time['dropped_s']:.2f} s")
    if with_columns:
        lines += [
            one_line(f"  {name} [{c.get('unit', '')}] {c.get('frame', '')}  {c.get('meaning', '')}") for name, c in log.columns.items()
        ]
    return "\n".join(lines)


def _events_text(events: list[dict[str, Any]]) -> str:
    """Return the number of events, and of those of each origin."""
    origins = Counter(event["origin"] for event in events)
    return f"{len(events)} ({', '.join(f'{count} of the {origin}' for origin, count in sorted(origins.items()))})"


def _sensor_text(file: dict[str, Any]) -> str:
    """Return the description of a file of sensor data."""
    if file["trouble"]:
        return str(file["trouble"])
    repaired = "  (repaired now)" if file["recovered"] else ""
    return f"{file['messages']} messages, {size_text(file['size'])}, in {file['file']}{repaired}"


def _simulated(log: LogInfo) -> float | None:
    """Return the simulated time [s] over all resets; None if the log does not contain it."""
    time = log.numbers.get("time")
    if time is None or not np.isfinite(time).all():
        return None
    steps = np.diff(time)
    return float(steps[steps > 0.0].sum())


def _ruts(file: Path) -> dict[str, Any] | None:
    """Return the description of the rut file; None if there is none. Raises ConfigError: it cannot be read."""
    if not file.is_file():
        return None
    _, depths = read_ruts(file)
    area = float(np.count_nonzero(depths)) * SPACING**2
    return {"file": str(file), "area_m2": area, "deepest_m": UNIT * float(depths.max(initial=0))}


def _span(column: np.ndarray | None) -> float | None:
    return None if column is None else float(column[-1] - column[0]) if len(column) else 0.0


def _last(column: np.ndarray | None) -> int | None:
    if column is None or not len(column):
        return None if column is None else 0
    return int(column[-1]) if np.isfinite(column[-1]) else None


def _paused(log: LogInfo) -> float | None:
    paused, wall = log.numbers.get("paused"), log.numbers.get("wall_time")
    if paused is None or wall is None:
        return None
    return float(np.diff(wall)[paused[1:] != 0].sum())


def _incidents(log: LogInfo) -> int | None:
    """Return the number of incidents; the column contains incident numbers."""
    incident = log.numbers.get("incident")
    return None if incident is None else len(np.setdiff1d(incident, 0))


def _outcome(log: LogInfo) -> dict[str, str] | None:
    """Return the outcome of a drive to a goal from the column, for the log of a killed run; None if there is none."""
    number = _last(log.numbers.get("planner_outcome"))
    return None if number is None or not 0 <= number < len(OUTCOMES) else Outcome(OUTCOMES[number])._asdict()


def _touched(log: LogInfo) -> int | None:
    """Return the number of collisions from the column; None if the ground has no objects. The log of a killed run has no more."""
    return _last(log.numbers.get("collision_count"))
