"""What a set of data was driven in, as a configuration that can be driven again: by its maneuver, or by the commands that were recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.builder.builder import SessionParts, build
from simulator.configuration.configuration import Configuration
from simulator.configuration.layers import Origin
from simulator.configuration.overrides import Override
from simulator.fitting.fit_file import DRIVE, Data, file_of
from simulator.fitting.keys import configured, put
from simulator.fitting.measurements import Measured
from simulator.maneuvers.maneuver_file import DRIVER_PERIOD
from simulator.run.run_configuration import read_recorded
from simulator.telemetry.log import Log, read_log

Array = NDArray[np.float64]

PEDALS = {"steering": 0.0, "throttle": 0.0, "brake": 0.0}
"""Of a command, what a script can do."""
RESTING = {
    "parking_brake": 0.0, "selector": 1.0, "gear": 0.0, "low_range": 0.0, "center_lock": 0.0, "clutch": 0.0, "manual_clutch": 0.0, "starter": 0.0,
    "drawbar": 0.0, "steering_torque": 0.0, "steering_free": 0.0,
}  # fmt: skip
"""What it leaves as it is, and where that has to be."""
UNDISTURBED = ("resets", "paused", "incident")
STRAIGHT = 1e-12
"""1. A row of a script that lies so near to the line between its neighbours says nothing."""


def configuration_of(data: Data, file: str) -> Configuration:
    """What a set of data was driven in, before anybody changes it; without the commands. Raises ConfigError."""
    if "run" not in data.said:
        return configured(data.base, file)
    if "session" in data.base:
        said = data.base["session"]
        raise ConfigError(file, said.where, said.value, "nothing: a run has its own")
    found = read_recorded(file_of(data, file))[1]
    put(data.base, file, found)
    return found


def drives_commands(data: Data) -> bool:
    """Whether the recorded commands are driven, and not a maneuver."""
    said = data.said.get("drive")
    return bool(said == DRIVE[0] if said else "run" in data.said or data.said.get("commands"))


def driven(data: Data, file: str, measured: Measured) -> Configuration:
    """The configuration that drives as it was driven when the data were measured, with everything filled in. Raises ConfigError."""
    one = configuration_of(data, file)
    if drives_commands(data):
        _put_commands(one, data, file, measured)
    if not one.has("maneuver"):
        raise ConfigError(file, f"{data.key}.maneuver", "nothing", "a maneuver, or commands to drive by")
    build(one)
    one.expand_all()
    return one


def _put_commands(one: Configuration, data: Data, file: str, measured: Measured) -> None:
    """A maneuver that does what the driver did, in the place of the one that is there."""
    parts = build(one)
    place = file_of(data, file)
    if "run" in data.said:
        times, columns = commands_of(place)
    else:
        times, columns = measured.times, _inputs(measured, parts)
    content = _script(times, columns)
    if parts.maneuver is not None:
        start = parts.maneuver.start
        content["start"] = {"speed": start.speed, "position": [float(x) for x in start.position], "heading": start.heading}
    if "run" not in data.said:
        content["start"] = {"speed": data.said["speed"]}
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
    one.names["maneuver"] = content["name"]


def commands_of(place: Path) -> tuple[Array, dict[str, Array]]:
    """Times [s] and steering, throttle and brake from each of them on, of a run: (n,) each, one for each look of the driver. Raises ConfigError:
    the log does not hold them, or more was done than these."""
    log = read_log(place, wall=False)
    file = place / "telemetry.parquet" if place.is_dir() else place
    missing = [name for name in ("time", *(f"command_{name}" for name in (*PEDALS, *RESTING))) if name not in log]
    if missing:
        raise ConfigError(file, "", f"no {', '.join(missing)}", "a log with all columns of the command (`drive: maneuver` needs none)")
    for name in UNDISTURBED:
        if name in log and np.any(log[name]):
            raise ConfigError(file, name, int(log[name].max()), "a drive that was not begun again, paused or held")
    for name, resting in RESTING.items():
        if np.any(log[f"command_{name}"] != resting):
            expected = "a drive in which only steering, throttle and brake were moved (`drive: maneuver` drives any maneuver again)"
            raise ConfigError(file, f"command_{name}", float(log[f"command_{name}"][log[f"command_{name}"] != resting][0]), expected)
    stride = _stride(log, file)
    times = log["time"][::stride][:-1]
    # in a log each command stands beside the state that it led to
    return times, {name: log[f"command_{name}"][::stride][1:] for name in PEDALS}


def _stride(log: Log, file: Path) -> int:
    """Rows between two looks of the driver. Raises ConfigError: there are fewer."""
    every = float(np.median(np.diff(log["time"]))) if log.rows > 2 else np.inf
    stride = round(DRIVER_PERIOD / every)
    if stride < 1 or abs(stride * every - DRIVER_PERIOD) > 1e-6:
        raise ConfigError(file, "time", f"rows every {every:g} s", f"a row at least every {DRIVER_PERIOD:g} s, one for each command")
    return stride


def _inputs(measured: Measured, parts: SessionParts) -> dict[str, Array]:
    """Steering as the share of its lock, and the pedals."""
    said = dict(measured.commands)
    if "steering_wheel_angle" in said:
        said["steering"] = said.pop("steering_wheel_angle") / parts.traits.steering_wheel_lock
    columns = {name: said.get(name, np.zeros(len(measured.times))) for name in PEDALS}
    return {name: np.clip(column, -1.0 if name == "steering" else 0.0, 1.0) for name, column in columns.items()}


def _script(times: Array, columns: dict[str, Array]) -> dict[str, Any]:
    """A maneuver of these commands: straight lines between them, without the rows that lie on one."""
    rows = np.column_stack([times, *(columns[name] for name in PEDALS)])
    keep = np.ones(len(rows), dtype=bool)
    share = ((rows[1:-1, :1] - rows[:-2, :1]) / (rows[2:, :1] - rows[:-2, :1])) if len(rows) > 2 else np.empty((0, 1))
    between = rows[:-2, 1:] + share * (rows[2:, 1:] - rows[:-2, 1:])
    keep[1:-1] = np.any(np.abs(rows[1:-1, 1:] - between) > STRAIGHT, axis=1)
    script = [{"at": float(row[0]), **{name: float(x) for name, x in zip(PEDALS, row[1:], strict=True)}} for row in rows[keep]]
    ticks = round(float(times[-1] + DRIVER_PERIOD) / DRIVER_PERIOD)
    return {"name": "recorded", "title": "the recorded commands", "duration": ticks * DRIVER_PERIOD, "script": script, "pictures": []}
