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


SAME_PLACE = 0.1
"""m. Lanes of a crossing that begin within this distance begin at the same place."""


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
        """Make the records. Raises JounceError: no lane, a name that is not in the network, or a lane of one point."""
        if not self.lanes:
            raise JounceError("road network: no lanes")
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
        conflicts = self._conflicts(rows, points)
        return NetworkArrays(rows, points, conflicts, np.array(next_lanes, np.int64))

    def _conflicts(self, rows: Record, points: Record) -> Record:
        """Return rows of CONFLICT between lanes of one crossing that do not begin at the same place, and of lanes that persons cross."""
        parts = np.split(points, rows["first"][1:])
        dense = [_dense(part["station"], part["p_W"]) for part in parts]
        first = np.cumsum([0, *(len(s) for s, _ in dense)])
        stations, places = (np.concatenate([one[k] for one in dense]) for k in (0, 1))
        names = {name: k for k, name in enumerate({lane.crossing for lane in self.lanes} - {None})}
        crossing = np.array([names.get(lane.crossing, -1) for lane in self.lanes])
        boxes = np.column_stack((np.minimum.reduceat(places, first[:-1]), np.maximum.reduceat(places, first[:-1]), places[first[:-1]]))
        lanes = rows["kind"], crossing, np.ascontiguousarray(rows["width"]), boxes
        pairs = np.zeros((pairs_that_may_meet(*lanes, np.zeros((0, 2), np.int64)), 2), np.int64)
        pairs_that_may_meet(*lanes, pairs)
        meetings = np.zeros((len(pairs), 4))
        meet(pairs, first, stations, places, lanes[2], meetings)
        found = meetings[:, 0] >= 0.0
        pairs, meetings = pairs[found], meetings[found]
        both = np.concatenate((pairs, pairs[:, ::-1]))
        values = np.concatenate((meetings, meetings[:, [2, 3, 0, 1]]))
        order = np.lexsort((both[:, 1], both[:, 0]))
        out = record(CONFLICT, len(order))
        out["lane"] = both[order, 1]
        for k, name in enumerate(("begin", "end", "other_begin", "other_end")):
            out[name] = values[order, k]
        rows["conflicts"] = np.bincount(both[:, 0], minlength=len(rows))
        rows["first_conflict"] = np.cumsum(rows["conflicts"]) - rows["conflicts"]
        return out

    def nearest(self, x: float, y: float, yaw: float | None = None, walk: bool = False) -> tuple[int, float]:
        """Return number and station [m] of the lane nearest to a place [m]; with a `yaw` [rad], among those within 90 degrees of it.

        Raises JounceError: there is none.
        """
        lanes, points = self.arrays.lanes, self.arrays.points
        owner = np.repeat(np.arange(len(lanes)), lanes["count"])
        distance, station, step = _feet(points, x, y)
        suits = (owner[1:] == owner[:-1]) & (lanes["kind"][owner[:-1]] == (WALK if walk else DRIVE))
        if yaw is not None:
            suits &= math.cos(yaw) * step[:, 0] + math.sin(yaw) * step[:, 1] > 0.0
        if not suits.any():
            raise JounceError("road network: no lane for this place and heading")
        k = int(np.argmin(np.where(suits, distance, np.inf)))
        return int(owner[k]), float(station[k])

    def along(self, lane: int, stations: Array) -> Array:
        """Return points (n, 2) [m] of a lane at stations (n,) [m]; its ends for stations beyond them."""
        part = self._points_of(lane)
        return np.column_stack([np.interp(stations, part["station"], part["p_W"][:, k]) for k in (0, 1)])

    def pose(self, lane: int, station: float) -> tuple[float, float, float]:
        """Return x, y [m] and direction [rad] of a lane at a station [m]."""
        x, y, yaw = lane_pose(self.arrays, lane, float(station))
        return float(x), float(y), float(yaw)

    def project(self, lane: int, x: float, y: float) -> float:
        """Return the station [m] of the point of a lane nearest to a place [m]."""
        distance, station, _ = _feet(self._points_of(lane), x, y)
        return float(station[np.argmin(distance)])

    def _points_of(self, lane: int) -> Record:
        row = self.arrays.lanes[lane]
        return self.arrays.points[row["first"] : row["first"] + row["count"]]

    def connected_parts(self, walk: bool = False) -> list[list[int]]:
        """Return the lanes of each part of the network in which every lane is reachable from every other one, the largest part first."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        a, count = self.arrays, len(self.lanes)
        source = np.repeat(np.arange(count), a.lanes["nexts"])
        sides = [(k, int(row[side])) for k, row in enumerate(a.lanes) for side in ("left", "right") if row[side] >= 0]
        joins = np.concatenate((np.column_stack((source, a.next_lanes)), np.array(sides, np.int64).reshape(-1, 2)))
        graph = coo_array((np.ones(len(joins)), (joins[:, 0], joins[:, 1])), shape=(count, count))
        part = connected_components(graph.tocsr(), directed=True, connection="strong")[1]
        kind = WALK if walk else DRIVE
        groups = [np.flatnonzero((part == n) & (a.lanes["kind"] == kind)).tolist() for n in range(part.max(initial=-1) + 1)]
        return sorted(filter(None, groups), key=lambda group: (-len(group), group))

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


def _feet(points: Record, x: float, y: float) -> tuple[Array, Array, Array]:
    """Return the distances (n,) [m] of the segments between rows of POINT from a place, the stations (n,) [m] of their nearest points, and the
    segments (n, 2) [m]."""
    p = points["p_W"]
    step = np.diff(p, axis=0)
    long2 = np.maximum((step**2).sum(axis=1), 1e-12)
    part = np.clip(((x - p[:-1, 0]) * step[:, 0] + (y - p[:-1, 1]) * step[:, 1]) / long2, 0.0, 1.0)
    distance = np.hypot(p[:-1, 0] + part * step[:, 0] - x, p[:-1, 1] + part * step[:, 1] - y)
    return distance, points["station"][:-1] + part * np.sqrt(long2), step


def _dense(stations: Array, points: Array, step: float = 0.5) -> tuple[Array, Array]:
    """Return stations (n,) and points (n, 2) of a center line at about `step` m."""
    even = np.linspace(0.0, stations[-1], max(2, math.ceil(stations[-1] / step) + 1))
    return even, np.column_stack((np.interp(even, stations, points[:, 0]), np.interp(even, stations, points[:, 1])))


@kernel
def pairs_that_may_meet(kinds, crossings, widths, boxes, out):
    """Write pairs of lanes whose conflict matters and whose boxes meet to `out` (n, 2), the smaller number first, and return their number.

    Lanes of one crossing matter, unless they begin at the same place, and lanes that persons cross. More pairs than `out` has rows are counted only.

    boxes : (lanes, 6) x, y of the south-west corner, the north-east corner and the begin
    """
    found = 0
    for a in range(len(kinds)):
        for b in range(a + 1, len(kinds)):
            same = kinds[a] == kinds[b]
            if same and (kinds[a] != DRIVE or crossings[a] < 0 or crossings[a] != crossings[b]):
                continue
            reach = 0.5 * (widths[a] + widths[b])
            if boxes[a, 0] - reach >= boxes[b, 2] or boxes[b, 0] - reach >= boxes[a, 2]:
                continue
            if boxes[a, 1] - reach >= boxes[b, 3] or boxes[b, 1] - reach >= boxes[a, 3]:
                continue
            if same and max(abs(boxes[a, 4] - boxes[b, 4]), abs(boxes[a, 5] - boxes[b, 5])) <= SAME_PLACE:
                continue
            if found < len(out):
                out[found, 0], out[found, 1] = a, b
            found += 1
    return found


@kernel
def meet(pairs, first, stations, points, widths, out):
    """Compute where two lanes are closer to each other than half of both widths, for pairs (n, 2) of lanes.

    first : (lanes + 1,) first row of each lane in `stations` (m,) and `points` (m, 2)
    out : (n, 4) begin and end on the first lane, begin and end on the second one [m]; -1: they do not meet
    """
    for n in range(len(pairs)):
        a, b = pairs[n, 0], pairs[n, 1]
        reach2 = (0.5 * (widths[a] + widths[b])) ** 2
        low_a, high_a, low_b, high_b = math.inf, -1.0, math.inf, -1.0
        for i in range(first[a], first[a + 1]):
            for k in range(first[b], first[b + 1]):
                dx, dy = points[i, 0] - points[k, 0], points[i, 1] - points[k, 1]
                if dx * dx + dy * dy < reach2:
                    low_a, high_a = min(low_a, stations[i]), max(high_a, stations[i])
                    low_b, high_b = min(low_b, stations[k]), max(high_b, stations[k])
        out[n, 0], out[n, 1], out[n, 2], out[n, 3] = low_a, high_a, low_b, high_b
        if high_a < 0.0:
            out[n, 0] = -1.0


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
