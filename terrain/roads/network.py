"""Network of lanes: center lines with widths and speed limits, their neighbors and successors, and where lanes of a crossing meet.

A lane is a directed polyline. Its end joins the begin of its successors. Lanes with the same number of a crossing lead through it. Sidewalks
and pedestrian crossings are lanes too, of the kind WALK, which persons use in both directions. The structure holds what OpenDRIVE describes:
a lane of a lane section is a lane, a connecting road of a junction is a lane of a crossing.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from simulator.base.algebra.path_length import path_length
from simulator.base.arrays import Array
from simulator.base.errors import JounceError
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record

DRIVE, WALK = range(2)
"""Kinds of lanes."""

LANE = (
    # name          shape  unit   description
    ("kind", (), "1", "DRIVE or WALK", "i8"),
    ("first", (), "1", "first row of `points`", "i8"),
    ("count", (), "1", "number of points", "i8"),
    ("length", (), "m", "length of the center line"),
    ("width", (), "m", "width"),
    ("speed_limit", (), "m/s", "speed limit"),
    ("left", (), "1", "number of the lane on the left with the same direction; -1 = none", "i8"),
    ("right", (), "1", "number of the lane on the right with the same direction; -1 = none", "i8"),
    ("first_next", (), "1", "first row of `next_lanes`", "i8"),
    ("nexts", (), "1", "number of successors", "i8"),
    ("crossing", (), "1", "number of the crossing that the lane leads through; -1 = none", "i8"),
    ("yields", (), "1", "1 = vehicles on this lane of a crossing give way to those on lanes with 0; equal: to the right", "i8"),
    ("first_conflict", (), "1", "first row of `conflicts`", "i8"),
    ("conflicts", (), "1", "number of conflicts", "i8"),
)
POINT = (
    # name   shape  unit   description
    ("p_W", (2,), "m", "x, y of a point of a center line, in W"),
    ("station", (), "m", "length of the center line up to the point"),
)
CONFLICT = (
    # name   shape  unit   description
    ("lane", (), "1", "number of the other lane", "i8"),
    ("begin", (), "m", "station of this lane where it first comes closer to the other one than half of both widths"),
    ("end", (), "m", "station of this lane behind which it no longer does"),
    ("other_begin", (), "m", "the same on the other lane"),
    ("other_end", (), "m", "the same on the other lane"),
)


@dataclass(frozen=True)
class Lane:
    """A lane.

    Attributes
    ----------
    points : (n, 2) x, y of the center line in the direction of travel, n at least 2 [m]
    width : m
    speed_limit : m/s
    successors, left, right : names of lanes; left and right have the same direction
    crossing : name of the crossing that it leads through, if any
    yields : whether its vehicles give way at the crossing
    walk : whether persons use it, not vehicles
    """

    name: str
    points: Array
    width: float
    speed_limit: float = math.inf
    successors: tuple[str, ...] = ()
    left: str | None = None
    right: str | None = None
    crossing: str | None = None
    yields: bool = False
    walk: bool = False


class NetworkArrays(NamedTuple):
    """Records for kernels: rows of LANE, POINT and CONFLICT, and the numbers of successors (n,)."""

    lanes: Record
    points: Record
    conflicts: Record
    next_lanes: np.ndarray


@dataclass(eq=False)
class RoadNetwork:
    """Lanes and how they join.

    Parameters
    ----------
    lanes : their names are distinct

    Attributes
    ----------
    arrays : for kernels; lane k of `lanes` is number k
    """

    lanes: Sequence[Lane]
    arrays: NetworkArrays = field(init=False)

    def __post_init__(self) -> None:
        """Make the records. Raises JounceError: a name that is not in the network, or a lane of one point."""
        self.numbers = {lane.name: number for number, lane in enumerate(self.lanes)}
        if len(self.numbers) < len(self.lanes):
            raise JounceError("road network: two lanes have one name; expected distinct names")
        self.arrays = self._arrays()

    def number(self, name: str | None) -> int:
        """Return the number of a lane, -1 for None. Raises JounceError: there is none with this name."""
        if name is None:
            return -1
        if name not in self.numbers:
            raise JounceError(f"road network: no lane {name!r}")
        return self.numbers[name]

    def _arrays(self) -> NetworkArrays:
        crossings = {name: k for k, name in enumerate(sorted({lane.crossing for lane in self.lanes if lane.crossing is not None}))}
        rows = record(LANE, len(self.lanes))
        points = record(POINT, sum(len(lane.points) for lane in self.lanes))
        next_lanes: list[int] = []
        first = 0
        for lane, row in zip(self.lanes, rows, strict=True):
            if len(lane.points) < 2:
                raise JounceError(f"road network: lane {lane.name!r} has {len(lane.points)} points; expected at least 2")
            part = points[first : first + len(lane.points)]
            part["p_W"], part["station"] = lane.points, path_length(*np.asarray(lane.points, float).T)
            row["kind"], row["first"], row["count"] = WALK if lane.walk else DRIVE, first, len(lane.points)
            row["length"], row["width"], row["speed_limit"] = part["station"][-1], lane.width, lane.speed_limit
            row["left"], row["right"] = self.number(lane.left), self.number(lane.right)
            row["crossing"], row["yields"] = -1 if lane.crossing is None else crossings[lane.crossing], lane.yields
            row["first_next"], row["nexts"] = len(next_lanes), len(lane.successors)
            next_lanes += [self.number(name) for name in lane.successors]
            first += len(lane.points)
        conflicts = self._conflicts(rows)
        return NetworkArrays(rows, points, conflicts, np.array(next_lanes, np.int64))

    def _conflicts(self, rows: Record) -> Record:
        """Return rows of CONFLICT between lanes of one crossing that do not begin at the same place, and of lanes that persons cross."""
        found: list[tuple[float, ...]] = []
        boxes = np.array([(*np.min(lane.points, axis=0), *np.max(lane.points, axis=0)) for lane in self.lanes])
        for k, (lane, row) in enumerate(zip(self.lanes, rows, strict=True)):
            row["first_conflict"] = len(found)
            reach = 0.5 * (rows["width"] + row["width"])
            near = ((boxes[:, :2] - reach[:, None] < boxes[k, 2:]) & (boxes[:, 2:] + reach[:, None] > boxes[k, :2])).all(axis=1)
            for n in np.flatnonzero(near).tolist():
                if n != k and _may_meet(lane, self.lanes[n]):
                    meeting = _meeting(lane, self.lanes[n])
                    if meeting is not None:
                        found.append((n, *meeting))
            row["conflicts"] = len(found) - int(row["first_conflict"])
        out = record(CONFLICT, len(found))
        out[:] = found
        return out

    def nearest(self, x: float, y: float, yaw: float | None = None, walk: bool = False) -> tuple[int, float]:
        """Return number and station [m] of the lane nearest to a place [m]; with a `yaw` [rad], among those within 90 degrees of it.

        Raises JounceError: there is none.
        """
        best, at = math.inf, (-1, 0.0)
        for k, lane in enumerate(self.lanes):
            if lane.walk == walk:
                station, distance, direction = _project(np.asarray(lane.points, float), x, y)
                if distance < best and (yaw is None or math.cos(direction - yaw) > 0.0):
                    best, at = distance, (k, station)
        if at[0] < 0:
            raise JounceError("road network: no lane for this place and heading")
        return at

    def route(self, start: int, end: int) -> list[int]:
        """Return the numbers of the lanes of the quickest way between two lanes, both included; a change to a neighbor lane costs its length.

        Raises JounceError: no way leads there.
        """
        a, costs, previous, queue = self.arrays, {start: 0.0}, {start: -1}, [(0.0, start)]
        while queue:
            cost, lane = heapq.heappop(queue)
            if lane == end:
                break
            if cost > costs[lane]:
                continue
            row = a.lanes[lane]
            time = float(row["length"]) / min(float(row["speed_limit"]), 50.0)
            neighbors = [int(row[side]) for side in ("left", "right") if row[side] >= 0]
            for after in [*a.next_lanes[row["first_next"] : row["first_next"] + row["nexts"]].tolist(), *neighbors]:
                if cost + time < costs.get(after, math.inf):
                    costs[after], previous[after] = cost + time, lane
                    heapq.heappush(queue, (cost + time, after))
        if end not in previous:
            raise JounceError(f"road network: no way from lane {self.lanes[start].name!r} to lane {self.lanes[end].name!r}")
        way = [end]
        while previous[way[-1]] >= 0:
            way.append(previous[way[-1]])
        return way[::-1]


def _may_meet(a: Lane, b: Lane) -> bool:
    """Return whether a conflict of two lanes matters: both lead through one crossing, or persons cross a lane for vehicles."""
    if a.walk or b.walk:
        return a.walk != b.walk
    return a.crossing is not None and a.crossing == b.crossing and not np.allclose(a.points[0], b.points[0], atol=0.1)


def _meeting(a: Lane, b: Lane) -> tuple[float, float, float, float] | None:
    """Return begin and end of the part of lane a that is closer to b than half of both widths, and of b [m]; None: there is none."""
    sa, pa = _dense(a)
    sb, pb = _dense(b)
    close = np.hypot(*(pa[:, None] - pb[None]).transpose(2, 0, 1)) < 0.5 * (a.width + b.width)
    on_a, on_b = np.flatnonzero(close.any(axis=1)), np.flatnonzero(close.any(axis=0))
    if len(on_a) == 0:
        return None
    return float(sa[on_a[0]]), float(sa[on_a[-1]]), float(sb[on_b[0]]), float(sb[on_b[-1]])


def _dense(lane: Lane, step: float = 0.5) -> tuple[Array, Array]:
    """Return stations (n,) and points (n, 2) of a center line at about `step` m."""
    points = np.asarray(lane.points, float)
    s = path_length(*points.T)
    even = np.linspace(0.0, s[-1], max(2, math.ceil(s[-1] / step) + 1))
    return even, np.column_stack((np.interp(even, s, points[:, 0]), np.interp(even, s, points[:, 1])))


def _project(points: Array, x: float, y: float) -> tuple[float, float, float]:
    """Return station [m], distance [m] and direction [rad] of the point of a polyline nearest to a place."""
    a, step = points[:-1], np.diff(points, axis=0)
    lengths = np.hypot(*step.T)
    along = np.clip(((x - a[:, 0]) * step[:, 0] + (y - a[:, 1]) * step[:, 1]) / np.maximum(lengths**2, 1e-12), 0.0, 1.0)
    foot = a + along[:, None] * step
    distance = np.hypot(foot[:, 0] - x, foot[:, 1] - y)
    k = int(np.argmin(distance))
    return float(lengths[:k].sum() + along[k] * lengths[k]), float(distance[k]), float(math.atan2(step[k, 1], step[k, 0]))


@inline
def segment_of(network, lane, station):
    """Return the row of the point of a lane behind which `station` [m] is."""
    row = network.lanes[lane]
    low, high = row["first"], row["first"] + row["count"] - 2
    while low < high:
        middle = (low + high + 1) // 2
        if network.points[middle]["station"] <= station:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def lane_pose(network, lane, station):
    """Return x, y [m] and direction [rad] of a lane at a station [m]; beyond its ends the first and the last segment go on straight.

    network : NetworkArrays
    """
    k = segment_of(network, lane, station)
    a, b = network.points[k], network.points[k + 1]
    dx, dy = b["p_W"][0] - a["p_W"][0], b["p_W"][1] - a["p_W"][1]
    part = (station - a["station"]) / max(b["station"] - a["station"], 1e-9)
    return a["p_W"][0] + part * dx, a["p_W"][1] + part * dy, math.atan2(dy, dx)
