"""A finished run as the console shows it: one time axis over restarts and pauses, events on it, track, plots, states."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, JounceError, UnreadableError, one_line
from simulator.events.event import Event
from simulator.run.info import described
from simulator.telemetry.channels import Layout
from simulator.telemetry.event_file import read_events
from simulator.telemetry.parquet import read_telemetry
from simulator.telemetry.recover import LogInfo, read_logs
from simulator.telemetry.rows import RowsFile
from washout.platform_procedure import PLATFORM_STATES

STATES = (
    "time", "p_WB_x", "p_WB_y", "yaw", "v_WB_B_x", "a_WG_B_x", "a_WG_B_y", "steering_wheel_angle", "command_throttle", "command_brake",
    "command_parking_brake", "gear", "engine_speed", "paused", "incident", "resets", "platform_state", "platform_p_NP_x", "platform_p_NP_y",
    "platform_p_NP_z", "platform_roll", "platform_pitch", "platform_yaw", "platform_legs_0", "platform_legs_1", "platform_legs_2",
    "platform_legs_3", "platform_legs_4", "platform_legs_5", "lateness", "collision_count",
)  # fmt: skip
"""Columns that the drawings of the page need, as far as the log has them."""
FIRST_PLOTS = ("v_WB_B_x", "a_WG_B_y", "steering_wheel_angle", "platform_p_NP_z", "lateness")
TRACK_POINTS, JUMP = 4000, 20.0
"""Maximum number of points of the track; distance of two rows [m] that the vehicle has not driven: a restart."""
FACTS = ("vehicle", "terrain", "maneuver", "driver", "washout", "platform", "started", "version", "machine", "seed")
MAX_EVENTS = 2000
STEP = 0.001
"""Step of a run that does not name it [s]."""


CACHE_BYTES = 1 << 28
"""Size of all cached columns: 90 columns of an hour at 100 Hz."""


class LogColumns:
    """Columns of one log. May be used by several threads.

    Parameters
    ----------
    file : telemetry file (.parquet), or raw log (.rows) of a run that is active or was killed
    rows : number of rows; a raw log may grow
    """

    def __init__(self, file: Path, rows: int) -> None:
        self.file, self.rows = file, rows
        self._cached: OrderedDict[str, NDArray[np.float64]] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, name: str) -> NDArray[np.float64]:
        """Return a column (rows,). Raises ConfigError: no such column, or the file cannot be read any more."""
        with self._lock:
            if name not in self._cached:
                self._cached[name] = self._read(name).astype(float)[: self.rows]
            self._cached.move_to_end(name)
            found = self._cached[name]
            while len(self._cached) > 1 and sum(column.nbytes for column in self._cached.values()) > CACHE_BYTES:
                self._cached.popitem(last=False)
            return found

    def _read(self, name: str) -> NDArray:
        found = _raw_column(self.file, name) if self.file.suffix == ".rows" else read_telemetry(self.file, [name]).get(name)
        if found is None or len(found) < self.rows or found.dtype.kind not in "fiub":
            raise ConfigError(self.file, name, "no such column, or not all of its rows", "a column with numbers")
        return found


def _raw_column(file: Path, name: str) -> NDArray | None:
    log = RowsFile(file)
    layout = Layout([column for column in log.layout.columns if column.name == name], log.layout.row_bytes)
    if not layout.columns:
        return None
    parts = [layout.split(group)[name].copy() for group in log.groups()]
    return np.concatenate(parts) if parts else np.empty(0)


def window(axis: NDArray[np.float64], first: float, last: float) -> slice:
    """Return the rows of a time window, with one row more at each end, so that lines cross the edges of a plot."""
    begin = max(0, int(np.searchsorted(axis, first, "left")) - 1)
    end = min(len(axis), int(np.searchsorted(axis, last, "right")) + 1)
    return slice(begin, max(begin, end))


def intervals(count: int, most: int) -> NDArray[np.intp] | None:
    """Return the first rows (k,) of k <= `most` intervals of `count` rows; None if every row is shown."""
    if count <= 2 * most:
        return None
    return np.linspace(0, count, most, endpoint=False).astype(np.intp)


def times(axis: NDArray[np.float64], firsts: NDArray[np.intp] | None) -> NDArray[np.float64]:
    """Return the times (n,) or (2 k,) of `extremes`: beginning and middle of each interval."""
    if firsts is None:
        return axis
    ends = np.append(firsts[1:], len(axis))
    return np.stack([axis[firsts], axis[(firsts + ends) // 2]], axis=1).ravel()


def extremes(values: NDArray[np.float64], firsts: NDArray[np.intp] | None) -> NDArray[np.float64]:
    """Return all values (n,), or (2 k,) minimum and maximum of each interval, the one that comes first in front; NaN if all values are."""
    if firsts is None:
        return values
    low, high = np.fmin.reduceat(values, firsts), np.fmax.reduceat(values, firsts)
    # a column that falls within an interval begins with the maximum
    falls = values[firsts] > values[np.append(firsts[1:], len(values)) - 1]
    return np.stack([np.where(falls, high, low), np.where(falls, low, high)], axis=1).ravel()


def open_run(place: Path) -> tuple[RecordedRun, list[Path]]:
    """Return the run of a folder or a log, and further logs of the folder. Raises JounceError: there is no usable log."""
    if not place.exists():
        raise ConfigError(place, "", "nothing", "a run folder or a telemetry file")
    first, *others = read_logs(place)
    if not first.columns:
        raise JounceError(one_line(first.trouble) or f"{place}: no columns; expected a telemetry file")
    return RecordedRun(first), [log.file for log in others if log.columns]


class RecordedRun:
    """The run of one log.

    Parameters
    ----------
    log : description of the log

    Attributes
    ----------
    axis : (rows,) time of each row since the beginning of the log [s], which increases also over restarts and pauses
    columns : unit and meaning by name, of columns with numbers

    Raises ConfigError: the log is empty or foreign.
    """

    def __init__(self, log: LogInfo) -> None:
        self.log, self.columns = log, log.columns
        if "time" not in log.numbers or log.numbers["time"].dtype.kind not in "fiu":
            raise UnreadableError(log.file, "", "no column time with numbers", "a telemetry file of a run")
        if log.rows == 0:
            raise UnreadableError(log.file, "", "no rows", "a log with at least one row")
        self.read = LogColumns(log.file, log.rows)
        self.axis = even_axis(np.asarray(log.numbers["time"], dtype=float))
        self._states = [name for name in STATES if name in self.columns]

    def plot(self, names: Sequence[str], first: float, last: float, width: int) -> list[NDArray[np.float64]]:
        """Return times (n,) and columns (n,) of a time window, as many as a plot of `width` points can show. Raises ConfigError."""
        rows = window(self.axis, first, last)
        firsts = intervals(rows.stop - rows.start, width)
        return [times(self.axis[rows], firsts), *(extremes(self.read(name)[rows], firsts) for name in names)]

    def states(self, first: float, last: float, count: int) -> list[NDArray[np.float64]]:
        """Return times (n,) and the columns of STATES (n,) at `count` or fewer rows, evenly spread over a time window."""
        rows = window(self.axis, first, last)
        chosen = np.unique(np.linspace(rows.start, rows.stop - 1, min(count, rows.stop - rows.start)).round().astype(int))
        return [self.axis[chosen], *(self.read(name)[chosen] for name in self._states)]

    def description(self) -> dict[str, Any]:
        """Return what the page needs at the beginning, in JSON types."""
        facts = described(self.log)
        about = self.log.about
        configuration = facts["configuration"] if isinstance(facts["configuration"], dict) else {}
        platform = configuration.get("platform")
        legs = [platform.get("shortest_leg"), platform.get("longest_leg")] if isinstance(platform, dict) else [None, None]
        return {
            "title": str(self.log.file),
            "rows": self.log.rows,
            "axis": [self.axis[0], self.axis[-1]],
            "columns": [[name, words.get("unit", ""), words.get("meaning", "")] for name, words in self.columns.items()],
            "states": self._states,
            "platform_states": PLATFORM_STATES,
            "legs": legs,
            "plots": [name for name in FIRST_PLOTS if name in self.columns] or [next(iter(self.columns))],
            "facts": [[key, about[key]] for key in FACTS if about.get(key)] + _results(facts),
            "events": self._events(configuration),
            "track": self._track(),
        }

    def _events(self, configuration: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the events with their times on the axis; incidents and collisions from the columns if there is no file of events."""
        events = read_events(self.log.file)
        if events is None:
            return [*self._changes("incident", "incident"), *self._changes("collision_count", "collision")]
        maneuver = configuration.get("maneuver")
        step = configuration.get("step") or (maneuver.get("step") if isinstance(maneuver, dict) else None) or STEP
        return [{"at": self._at(event, step), **event.to_json()} for event in events[:MAX_EVENTS]]

    def _at(self, event: Event, step: float) -> float:
        at = self.axis[0] if event.waits else self.axis[0] + step * max(0, event.tick)
        return float(min(at, self.axis[-1]))

    def _changes(self, column: str, kind: str) -> list[dict[str, Any]]:
        """Return an event for each larger number of a column that counts."""
        if column not in self.columns:
            return []
        numbers = self.read(column)
        rows = np.flatnonzero((np.diff(numbers) != 0.0) & (numbers[1:] > 0.0))[:MAX_EVENTS] + 1
        return [
            {
                "at": self.axis[row],
                "tick": None,
                "time_s": self.read("time")[row],
                "origin": "log",
                "kind": kind,
                "value": int(numbers[row]),
            }
            for row in rows
        ]

    def _track(self) -> list[list[float]]:
        """Return the points of the track: x, y, 1 after a jump, time on the axis; empty if the log has no positions."""
        if not {"p_WB_x", "p_WB_y"} <= self.columns.keys():
            return []
        x, y = self.read("p_WB_x"), self.read("p_WB_y")
        steps = np.nan_to_num(np.hypot(np.diff(x), np.diff(y)))
        jumps = np.append(False, steps > JUMP)
        path = np.append(0.0, np.cumsum(np.where(steps > JUMP, 0.0, steps)))
        number = np.floor(path / max(path[-1] / TRACK_POINTS, 0.1))
        shown = np.flatnonzero(np.append(True, np.diff(number) > 0.0) | jumps)
        return np.stack([x[shown], y[shown], jumps[shown], self.axis[shown]], axis=1).round(3).tolist()


def even_axis(time: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the time since the first row (n,) that increases with every row: a pause and a restart take one period of the log."""
    steps = np.diff(time)
    forward = steps[steps > 0.0]
    period = float(np.median(forward)) if len(forward) else 0.01
    return np.append(0.0, np.cumsum(np.where(steps > 0.0, steps, period))).round(
        9
    )  # otherwise events lie a rounding error beside their rows


def _results(facts: dict[str, Any]) -> list[list[str]]:
    """Return results of the run as texts."""
    rows = [["ended", str(facts["ended"] or "unknown")]]
    if facts["outcome"]:
        rows.append(["outcome", str(facts["outcome"]["word"])])
    for key in ("rows_lost", "resets", "incidents"):
        if facts[key]:
            rows.append([key.replace("_", " "), str(facts[key])])
    lateness = facts["lateness"]
    if isinstance(lateness, dict) and "p99_ms" in lateness:
        rows.append(["lateness p99", f"{lateness['p99_ms']:.3f} ms"])
    return rows
