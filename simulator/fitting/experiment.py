"""Configuration of the experiment of a data set: repeats its maneuver, or replays its recorded commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.builder.builder import build
from simulator.builder.session_parts import SessionParts
from simulator.configuration.configuration import Configuration
from simulator.configuration.layers import Origin
from simulator.configuration.overrides import Override
from simulator.fitting.fit_file import DRIVE, Data, file_of
from simulator.fitting.keys import configured, put
from simulator.fitting.measurements import Measured
from simulator.maneuvers.maneuver_file import DRIVER_PERIOD
from simulator.run.run_configuration import read_recorded
from simulator.telemetry.log import Log, read_log

PEDALS = {"steering": 0.0, "throttle": 0.0, "brake": 0.0}
"""Fields of a command that a script can set."""
RESTING = {
    "parking_brake": 0.0, "selector": 1.0, "gear": 0.0, "low_range": 0.0, "center_lock": 0.0, "clutch": 0.0, "manual_clutch": 0.0, "starter": 0.0,
    "drawbar": 0.0, "steering_torque": 0.0, "steering_free": 0.0,
}  # fmt: skip
"""Values of the fields that a script does not set; a recording must have these values."""
UNDISTURBED = ("resets", "paused", "incident")
STRAIGHT = 1e-12
"""Tolerance. A row of a script that lies this close to the line between its neighbors is redundant."""


def configuration_of(data: Data, file: str) -> Configuration:
    """Return the configuration of a data set without parameter changes and without recorded commands. Raises ConfigError."""
    if "run" not in data.given:
        return configured(data.base, file)
    if "session" in data.base:
        given = data.base["session"]
        raise ConfigError(file, given.where, given.value, "no session, since the recorded run has one")
    found = read_recorded(file_of(data, file))[1]
    put(data.base, file, found)
    return found


def drives_commands(data: Data) -> bool:
    """Return whether the recorded commands are replayed rather than a maneuver repeated."""
    given = data.given.get("drive")
    return bool(given == DRIVE[0] if given else "run" in data.given or data.given.get("commands"))


def experiment_configuration(data: Data, file: str, measured: Measured) -> Configuration:
    """Return the complete configuration that repeats the experiment of a data set. Raises ConfigError."""
    one = configuration_of(data, file)
    if drives_commands(data):
        _put_commands(one, data, file, measured)
    if not one.has("maneuver"):
        raise ConfigError(file, f"{data.key}.maneuver", "nothing", "a maneuver, or recorded commands")
    build(one)
    one.expand_all()
    return one


def _put_commands(one: Configuration, data: Data, file: str, measured: Measured) -> None:
    """Replace the maneuver by one that repeats the recorded commands."""
    parts = build(one)
    place = file_of(data, file)
    if "run" in data.given:
        times, columns = commands_of(place)
    else:
        times, columns = measured.times, _inputs(measured, parts)
    content = _script(times, columns)
    if parts.maneuver is not None:
        start = parts.maneuver.start
        content["start"] = {"speed": start.speed, "position": [float(x) for x in start.position], "heading": start.heading}
    if "run" not in data.given:
        content["start"] = {"speed": data.given["speed"]}
    content |= {
        "step": parts.step,
        "seed": parts.seed,
        "vehicle": one.name("vehicle") or "vehicle",
        "terrain": one.name("terrain") or "terrain",
    }
    for key in ("duration", "driver"):
        if one.has(key):
            one.set(Override((key,), None, key))
    one.put("maneuver", content, Origin(str(place), is_file=False))
    one.named.names["maneuver"] = content["name"]


def commands_of(place: Path) -> tuple[Array, dict[str, Array]]:
    """Return the times [s] and the steering, throttle and brake commands of a run: (n,) each, one for each driver update.

    Raises ConfigError: the log lacks commands, or the driver used other controls.
    """
    log = read_log(place, wall=False)
    file = place / "telemetry.parquet" if place.is_dir() else place
    missing = [name for name in ("time", *(f"command_{name}" for name in (*PEDALS, *RESTING))) if name not in log]
    if missing:
        raise ConfigError(file, "", f"no {', '.join(missing)}", "a log with all command columns (not needed with `drive: maneuver`)")
    for name in UNDISTURBED:
        if name in log and np.any(log[name]):
            raise ConfigError(file, name, int(log[name].max()), "a run without resets, pauses and incidents")
    for name, resting in RESTING.items():
        if np.any(log[f"command_{name}"] != resting):
            expected = "a run that uses only steering, throttle and brake (`drive: maneuver` repeats any maneuver)"
            raise ConfigError(file, f"command_{name}", float(log[f"command_{name}"][log[f"command_{name}"] != resting][0]), expected)
    stride = _stride(log, file)
    times = log["time"][::stride][:-1]
    # a log row holds the state and the command that led to it
    return times, {name: log[f"command_{name}"][::stride][1:] for name in PEDALS}


def _stride(log: Log, file: Path) -> int:
    """Return the number of rows between two driver updates. Raises ConfigError: the rows are too sparse."""
    every = float(np.median(np.diff(log["time"]))) if log.rows > 2 else np.inf
    stride = round(DRIVER_PERIOD / every)
    if stride < 1 or abs(stride * every - DRIVER_PERIOD) > 1e-6:
        raise ConfigError(file, "time", f"rows every {every:g} s", f"a row at least every {DRIVER_PERIOD:g} s, one for each command")
    return stride


def _inputs(measured: Measured, parts: SessionParts) -> dict[str, Array]:
    """Return the steering as a fraction of its lock, and the pedals."""
    given = dict(measured.commands)
    if "steering_wheel_angle" in given:
        given["steering"] = given.pop("steering_wheel_angle") / parts.traits.steering_wheel_lock
    columns = {name: given.get(name, np.zeros(len(measured.times))) for name in PEDALS}
    return {name: np.clip(column, -1.0 if name == "steering" else 0.0, 1.0) for name, column in columns.items()}


def _script(times: Array, columns: dict[str, Array]) -> dict[str, Any]:
    """Return a maneuver with these commands, interpolated linearly, without redundant rows."""
    rows = np.column_stack([times, *(columns[name] for name in PEDALS)])
    keep = np.ones(len(rows), dtype=bool)
    share = ((rows[1:-1, :1] - rows[:-2, :1]) / (rows[2:, :1] - rows[:-2, :1])) if len(rows) > 2 else np.empty((0, 1))
    between = rows[:-2, 1:] + share * (rows[2:, 1:] - rows[:-2, 1:])
    keep[1:-1] = np.any(np.abs(rows[1:-1, 1:] - between) > STRAIGHT, axis=1)
    script = [{"at": float(row[0]), **{name: float(x) for name, x in zip(PEDALS, row[1:], strict=True)}} for row in rows[keep]]
    ticks = round(float(times[-1] + DRIVER_PERIOD) / DRIVER_PERIOD)
    return {"name": "recorded", "title": "the recorded commands", "duration": ticks * DRIVER_PERIOD, "script": script, "plots": []}
