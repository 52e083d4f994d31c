"""Route along lanes: from a place through named places and lanes, as one center line with speed limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simulator.base.algebra.path_length import path_length
from simulator.base.arrays import Array
from simulator.base.errors import JounceError
from simulator.base.suggestions import did_you_mean
from terrain.roads.network import RoadNetwork

STEP = 0.5
"""m between two points of the center line."""
FARTHEST, WIDEST = 5.0, math.radians(60.0)
"""m, rad. Largest distance of the start from the center line of a lane, and largest angle between them."""
CHANGE = 40.0
"""m. Length over which a route changes to a neighbor lane, if the lane is that long."""
Pose = tuple[float, float, float]


class CenterLine(NamedTuple):
    """Center line of a route."""

    points: Array
    """(n, 2) m, STEP apart or less"""
    station: Array
    """(n,) m"""
    limits: Array
    """(n,) m/s, speed limits"""
    lanes: list[int]
    """Numbers of its lanes."""


def center_line(network: RoadNetwork, start: Pose, names: Sequence[str], places: Mapping[str, Pose]) -> CenterLine:
    """Return the center line from a start (x, y [m], yaw [rad]) through places or to the end of lanes, in this order.

    Raises JounceError: the start is not on a lane, an unknown name, or no way.
    """
    stops = [_start(network, start), *(_stop(network, name, places) for name in names)]
    pieces: list[tuple[int, float, float]] = []  # lane, from, to [m]
    for (lane, station), (target, end) in pairwise(stops):
        way = _way(network, lane, station, target, end)
        for n, number in enumerate(way):
            length = float(network.arrays.lanes["length"][number])
            pieces.append((number, station if n == 0 else 0.0, end if n == len(way) - 1 else length))
    return _joined(network, pieces)


def _start(network: RoadNetwork, pose: Pose) -> tuple[int, float]:
    """Return lane and station of the start. Raises JounceError."""
    x, y, yaw = pose
    lane, station = network.nearest(x, y, yaw)
    at_x, at_y, direction = network.pose(lane, station)
    away, turn = math.dist((x, y), (at_x, at_y)), abs(math.remainder(yaw - direction, math.tau))
    if away > FARTHEST or turn > WIDEST:
        raise JounceError(
            f"the start is {away:.1f} m and {math.degrees(turn):.0f} deg from lane {network.lanes[lane].name}; "
            f"expected at most {FARTHEST:g} m and {math.degrees(WIDEST):.0f} deg"
        )
    return lane, station


def _stop(network: RoadNetwork, name: str, places: Mapping[str, Pose]) -> tuple[int, float]:
    """Return lane and station of a place, on a lane in its direction if one is near, or of the end of a lane. Raises JounceError."""
    if name in network.numbers:
        number = network.numbers[name]
        if network.lanes[number].walk:
            raise JounceError(f"lane {name} is for persons; expected a lane for vehicles")
        return number, float(network.arrays.lanes["length"][number])
    if name not in places:
        known = [*places, *(lane.name for lane in network.lanes if not lane.walk)]
        raise JounceError(f"unknown name {name!r}; expected a place or a lane of the terrain{did_you_mean(name, known)}")
    try:
        return _start(network, places[name])
    except JounceError:
        return network.nearest(*places[name][:2])


def _way(network: RoadNetwork, lane: int, station: float, target: int, end: float) -> list[int]:
    """Return the lanes from a station to another one that is more than STEP ahead; else once around. Raises JounceError."""
    if lane != target:
        return network.route(lane, target)
    if end - station > STEP:
        return [lane]
    ways = []
    for name in network.lanes[lane].successors:
        try:
            ways.append([lane, *network.route(network.numbers[name], target)])
        except JounceError:
            continue
    if not ways:
        raise JounceError(f"road network: no way from the end of lane {network.lanes[lane].name!r} back to it")
    return min(ways, key=lambda way: float(network.arrays.lanes["length"][way].sum()))


def _joined(network: RoadNetwork, pieces: list[tuple[int, float, float]]) -> CenterLine:
    """Return the center line of parts of lanes, of which each continues the one before or is beside it."""
    points: list[Array] = []
    limits: list[Array] = []
    began: float | None = None
    for n, (lane, first, end) in enumerate(pieces):
        begin = first if began is None else began
        after = pieces[n + 1][0] if n + 1 < len(pieces) else -1
        row = network.arrays.lanes[lane]
        began = None
        if after >= 0 and after in (row["left"], row["right"]):
            length = min(CHANGE, max(end - begin, 1.0))
            s = begin + np.linspace(0.0, length, max(2, math.ceil(length / STEP)))
            own = network.along(lane, s)
            other = network.along(after, network.project(after, *own[0]) + s - begin)
            share = np.linspace(0.0, 1.0, len(s))[:, None]
            share = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
            part = (1.0 - share) * own + share * other
            began = network.project(after, *part[-1])
        else:
            count = max(2, math.ceil((end - begin) / STEP) + 1)
            part = network.along(lane, np.linspace(begin, max(end, begin), count))
        points.append(part)
        limits.append(np.full(len(part), float(row["speed_limit"])))
    line, limit = np.concatenate(points), np.concatenate(limits)
    kept = np.concatenate((np.hypot(*np.diff(line, axis=0).T) > 1e-3, [True]))
    line, limit = line[kept], limit[kept]
    return CenterLine(line, path_length(*line.T), limit, [lane for lane, _, _ in pieces])
