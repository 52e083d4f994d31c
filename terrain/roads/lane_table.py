"""`lanes`: a CSV file with the lanes of a terrain, one point of a center line per row. The first row of a lane has its other cells, too.

name,x_m,y_m,width_m,speed_limit_kph,successors,kind,left,right,crossing,yields
main,0,0,3.5,50,turn,,,,,
,120,0,,,,,,,,
turn,120,0,3.5,20,side,,,,crossing_1,1
,124,1,,,,,,,,
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Field, FileName
from simulator.base.suggestions import did_you_mean
from simulator.base.table_text import TableRows
from terrain.kinds import find_file
from terrain.roads.network import Lane, RoadNetwork

LANES = Field("lanes", FileName("the path of a CSV file"), "CSV file with the lanes of the roads, for traffic and routes", None)
"""Field of all terrain files."""
NEEDED, OTHERS = ("name", "x_m", "y_m", "width_m"), ("speed_limit_kph", "successors", "kind", "left", "right", "crossing", "yields")
COLUMNS = NEEDED + OTHERS
KINDS = ("drive", "walk")
RANGES = {"x_m": (-1e6, 1e6), "y_m": (-1e6, 1e6), "width_m": (0.3, 50.0), "speed_limit_kph": (1.0, 400.0)}
MAX_BYTES = 1 << 27
MAX_ERRORS = 100
"""Number of errors after which the rest of the table is not checked."""
MAX_GAP, MAX_TURN = 0.1, math.radians(5.0)
"""m, rad. Largest distance of the begin of a lane from the end of the one before it, and for vehicles, largest angle between them."""
DIGITS = 4
"""Decimals of a number."""


@dataclass
class _Rows:
    """Rows of a lane: its cells, their line in the file, and the points so far."""

    cells: Mapping[str, str]
    line: int
    points: list[tuple[float, float]] = field(default_factory=list)


def read_lanes(name: str, file: str, folder: Path) -> RoadNetwork:
    """Return the network of a table of lanes; `name` is its path, relative to `file` or in `folder`.

    Raises ConfigError: the file is missing, or it has no network, all errors at once.
    """
    path = find_file(name, file, folder, "a table of lanes")
    rows = TableRows(path, "a CSV table of lanes", MAX_BYTES)
    for column in NEEDED:
        if column not in rows.names:
            raise ConfigError(path, column, rows.names, f"a column {column}; expected columns: {', '.join(COLUMNS)}")
    for column in rows.names:
        if column not in COLUMNS or rows.names.count(column) > 1:
            raise ConfigError(path, column, column, f"one of the columns {', '.join(COLUMNS)}, once{did_you_mean(column, COLUMNS)}")
    found = _found(rows, path)
    lanes: list[Lane] = []
    with ErrorCollector() as faults:
        for name_of_lane, one in found.items():
            with faults.part():
                lanes.append(_lane(name_of_lane, one, path))
        faults.need_all()
        if not lanes:
            faults.add(ConfigError(path, "name", "no rows", "the points of at least one lane"))
        by_name = {lane.name: lane for lane in lanes}
        for lane in by_name.values():
            with faults.part():
                _check_names(lane, by_name, f"line {found[lane.name].line}", path)
    return RoadNetwork(lanes)


def _found(rows: TableRows, path: Path) -> dict[str, _Rows]:
    """Return the rows of each lane. Raises ConfigError."""
    found: dict[str, _Rows] = {}
    present = ""
    with ErrorCollector() as faults:
        for cells in rows:
            with faults.part():
                name, line = cells["name"] or present, f"line {rows.line}"
                if not name:
                    raise ConfigError(path, f"{line}: name", "nothing", "the name of a lane")
                if name != present and name in found:
                    raise ConfigError(path, f"{line}: name", name, f"a name that no other lane has; it is also in line {found[name].line}")
                one = found.setdefault(name, _Rows(cells, rows.line))
                present = name
                again = [key for key in COLUMNS[3:] if one.line != rows.line and cells.get(key, "") not in ("", one.cells.get(key, ""))]
                if again:
                    raise ConfigError(path, f"{line}: {again[0]}", cells[again[0]], f"an empty cell; line {one.line} has it for the lane")
                one.points.append((_number(cells, "x_m", line, path), _number(cells, "y_m", line, path)))
            if len(faults.errors) >= MAX_ERRORS:
                break
    return found


def _lane(name: str, rows: _Rows, path: Path) -> Lane:
    """Return a lane. Raises ConfigError."""
    cells, line = {key: rows.cells.get(key, "") for key in COLUMNS}, f"line {rows.line}"
    with ErrorCollector() as faults:
        if any(mark in name for mark in " \t;"):
            faults.add(ConfigError(path, f"{line}: name", name, "a name without blanks and semicolons"))
        if cells["kind"] not in ("", *KINDS):
            faults.add(ConfigError(path, f"{line}: kind", cells["kind"], f"{' or '.join(KINDS)}{did_you_mean(cells['kind'], KINDS)}"))
        if cells["yields"] not in ("", "0", "1"):
            faults.add(ConfigError(path, f"{line}: yields", cells["yields"], "0 or 1"))
        if len(rows.points) < 2:
            faults.add(ConfigError(path, f"{line}: name", f"{len(rows.points)} point of lane {name}", "at least two rows for a lane"))
        elif not np.hypot(*np.diff(rows.points, axis=0).T).min() > 0.0:
            faults.add(ConfigError(path, f"{line}: x_m", f"lane {name}", "no two points of a lane at one place, one after the other"))
        with faults.part():
            width = _number(cells, "width_m", line, path)
        with faults.part():
            speed = _number(cells, "speed_limit_kph", line, path) / 3.6 if cells["speed_limit_kph"] else math.inf
    return Lane(
        name, np.array(rows.points), width, speed, tuple(cells["successors"].replace(";", " ").split()), cells["left"] or None,
        cells["right"] or None, cells["crossing"] or None, cells["yields"] == "1", cells["kind"] == "walk",
    )  # fmt: skip


def _check_names(lane: Lane, lanes: Mapping[str, Lane], line: str, path: Path) -> None:
    """Check that the lanes that a lane names exist and fit to it. Raises ConfigError."""
    with ErrorCollector() as faults:
        for key, names in (("successors", lane.successors), ("left", [lane.left]), ("right", [lane.right])):
            for name in filter(None, names):
                if name not in lanes:
                    faults.add(
                        ConfigError(path, f"{line}: {key}", name, f"the name of a lane of the file{did_you_mean(name, tuple(lanes))}")
                    )
                elif lanes[name].walk != lane.walk or (name == lane.name and key != "successors"):
                    faults.add(ConfigError(path, f"{line}: {key}", name, f"another lane of the same kind as {lane.name}"))
                elif key == "successors" and (problem := misfit(lane, lanes[name])):
                    faults.add(ConfigError(path, f"{line}: successors", name, f"a lane that begins where {lane.name} ends; {problem}"))
                elif key != "successors" and not is_beside(lane, lanes[name], 1.0 if key == "left" else -1.0):
                    faults.add(
                        ConfigError(path, f"{line}: {key}", name, f"a lane in the same direction, next to the middle of {lane.name}")
                    )


def misfit(lane: Lane, after: Lane) -> str:
    """Return why a lane does not continue another one; empty if it does."""
    gap = math.dist(lane.points[-1], after.points[0])
    if gap > MAX_GAP:
        return f"it begins {gap:.2f} m from there; at most {MAX_GAP:g} m"
    (ax, ay), (bx, by) = lane.points[-1] - lane.points[-2], after.points[1] - after.points[0]
    turn = abs(math.remainder(math.atan2(by, bx) - math.atan2(ay, ax), math.tau))
    if turn > MAX_TURN and not lane.walk:
        return f"its direction differs by {math.degrees(turn):.1f} deg; at most {math.degrees(MAX_TURN):g} deg"
    return ""


def is_beside(lane: Lane, other: Lane, side: float) -> bool:
    """Return whether another lane leads in the same direction, next to the middle of a lane; side : 1 to its left, -1 to its right."""
    (x, y), ahead = _middle(lane.points)
    steps = np.diff(other.points, axis=0)
    f = np.clip(((np.array((x, y)) - other.points[:-1]) * steps).sum(axis=1) / (steps * steps).sum(axis=1), 0.0, 1.0)
    offsets = other.points[:-1] + f[:, None] * steps - (x, y)
    nearest = int(np.argmin(np.hypot(*offsets.T)))
    left = ahead[0] * offsets[nearest, 1] - ahead[1] * offsets[nearest, 0]
    return bool(np.hypot(*offsets[nearest]) <= lane.width + other.width and side * left > 0.0 and steps[nearest] @ ahead > 0.0)


def _middle(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the point half way along a polyline, and the direction there."""
    steps = np.diff(points, axis=0)
    lengths = np.hypot(*steps.T)
    ends = np.cumsum(lengths)
    n = int(np.searchsorted(ends, 0.5 * ends[-1]))
    ahead = steps[n] / lengths[n]
    return points[n + 1] - (ends[n] - 0.5 * ends[-1]) * ahead, ahead


def _number(cells: Mapping[str, str], key: str, line: str, path: Path) -> float:
    """Return the number of a cell. Raises ConfigError."""
    low, high = RANGES[key]
    unit = {"m": "m", "kph": "km/h"}[key.rpartition("_")[2]]
    try:
        value = float(cells[key])
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        got = value if math.isfinite(value) else cells[key] or "an empty cell"
        raise ConfigError(path, f"{line}: {key}", got, f"a number in {unit}, from {low:g} to {high:g}")
    return value


def lane_text(lanes: Iterable[Lane]) -> str:
    """Return the CSV text of lanes."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for lane in lanes:
        speed = "" if math.isinf(lane.speed_limit) else _cell(3.6 * lane.speed_limit)
        kind, yields = "walk" if lane.walk else "", "1" if lane.yields else ""
        others = _cell(lane.width), speed, " ".join(lane.successors), kind, lane.left or "", lane.right or "", lane.crossing or "", yields
        for n, (x, y) in enumerate(np.asarray(lane.points, float)):
            writer.writerow([lane.name if n == 0 else "", _cell(x), _cell(y), *(others if n == 0 else [""] * len(others))])
    return out.getvalue()


def _cell(value: float) -> str:
    return f"{value:.{DIGITS}f}".rstrip("0").rstrip(".")
