"""Tables of a road network for the traffic: speeds by curvature, priorities at crossings, joints of sidewalks."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from terrain.roads.network import RoadNetwork

SIDEWAYS = 2.0
"""m/s2. Lateral acceleration in curves [usual for drivers in towns: 2 to 3]."""
BRAKING = 1.5
"""m/s2. Deceleration towards curves."""
FASTEST = 40.0
"""m/s. Speed on a lane without a limit."""
SLOWEST = 2.0
"""m/s. Speed in the tightest curve."""
WINDOW = 3.0
"""m. The curvature is the mean over this distance to both sides."""
STRAIGHT = math.radians(30.0)
"""A lane of a crossing that bends less leads straight on."""
SAME_WAY = math.radians(45.0)
"""Directions that differ by less are opposite, or the same."""
ASIDE = 2.6
"""m. Distance of two center lines from which on vehicles pass each other: a width of 2 m, and a margin for turning."""
JOINED = 1.0
"""m. Lanes for persons that end within this distance of each other join."""


def lane_boxes(network: RoadNetwork) -> Array:
    """Return the minimum and the maximum x, y of each lane (lanes, 4) [m]."""
    return np.array([(*np.min(one.points, axis=0), *np.max(one.points, axis=0)) for one in network.lanes], float).reshape(-1, 4)


def speed_table(network: RoadNetwork) -> tuple[Array, NDArray[np.int64]]:
    """Return the speeds [m/s] in each meter of the lanes that limit and curvature allow, braking included, and where each lane begins."""
    tables = []
    for n, lane in enumerate(network.lanes):
        x, y = _even(network, n).T
        heading = np.unwrap(np.arctan2(np.diff(y), np.diff(x)))
        bend = np.zeros(len(x))
        for k in range(len(x)):
            low, high = max(0, int(k - WINDOW)), min(len(heading) - 1, int(k + WINDOW))
            bend[k] = abs(heading[high] - heading[low]) / max(high - low, 1)
        limit = min(lane.speed_limit, FASTEST)
        speed = np.clip(np.sqrt(SIDEWAYS / np.maximum(bend, 1e-9)), min(SLOWEST, limit), limit)
        for k in range(len(speed) - 2, -1, -1):
            speed[k] = min(speed[k], math.sqrt(speed[k + 1] ** 2 + 2.0 * BRAKING))
        tables.append(speed)
    return np.concatenate(tables), np.cumsum([0, *map(len, tables)])


def priorities(network: RoadNetwork) -> NDArray[np.int64]:
    """Return for each conflict whether vehicles on the other lane go first."""
    a = network.arrays
    out = np.zeros(len(a.conflicts), np.int64)
    for lane, row in zip(network.lanes, a.lanes, strict=True):
        for c in range(int(row["first_conflict"]), int(row["first_conflict"] + row["conflicts"])):
            other = network.lanes[int(a.conflicts[c]["lane"])]
            if not lane.walk and not other.walk:
                out[c] = _goes_first(lane.points, lane.yields, other.points, other.yields)
    return out


def _goes_first(own: Array, own_yields: bool, other: Array, other_yields: bool) -> bool:
    """Return whether vehicles on the other lane of a crossing go first: it does not yield, comes from the right, or is ahead and I turn left."""
    if own_yields != other_yields:
        return own_yields
    (begin, end), (other_begin, other_end) = _directions(own), _directions(other)
    across = math.remainder(other_begin - begin, math.tau)
    if abs(across) > math.pi - SAME_WAY:
        turn, other_turn = math.remainder(end - begin, math.tau), math.remainder(other_end - other_begin, math.tau)
        return turn > STRAIGHT and other_turn <= STRAIGHT
    return across > 0.0


def _directions(points: Array) -> tuple[float, float]:
    """Return the directions [rad] of the begin and the end of a center line."""
    p = np.asarray(points, float)
    return math.atan2(*(p[1] - p[0])[::-1]), math.atan2(*(p[-1] - p[-2])[::-1])


def shared_parts(network: RoadNetwork) -> Array:
    """Return for each lane the station [m] up to which it is close to another lane with the same begin; 0: there is none."""
    a, out = network.arrays, np.zeros(len(network.lanes))
    for row in a.lanes:
        group = a.next_lanes[row["first_next"] : row["first_next"] + row["nexts"]]
        lines = [_even(network, int(k)) for k in group]
        for n, (k, line) in enumerate(zip(group, lines, strict=True)):
            for other in (*lines[:n], *lines[n + 1 :]):
                near = np.hypot(*(line[:, None] - other[None]).transpose(2, 0, 1)).min(axis=1) < ASIDE
                out[k] = max(out[k], float(len(near) if near.all() else np.argmin(near)))
    return out


def _even(network: RoadNetwork, lane: int) -> Array:
    """Return the points (n, 2) of a center line in each meter."""
    row = network.arrays.lanes[lane]
    points = network.arrays.points[row["first"] : row["first"] + row["count"]]
    s = np.arange(math.ceil(float(row["length"])) + 1, dtype=float)
    return np.column_stack([np.interp(s, points["station"], points["p_W"][:, j]) for j in range(2)])


def walk_joints(network: RoadNetwork) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the lanes for persons that join each end of such lanes (joints, 2), and where those of the begin and the end of each lane begin."""
    ends = [(k, side, np.asarray(one.points, float)[-side]) for k, one in enumerate(network.lanes) if one.walk for side in (0, 1)]
    places = np.array([place for _, _, place in ends]).reshape(-1, 2)
    found: list[tuple[int, int]] = []
    first = np.zeros(2 * len(network.lanes) + 1, np.int64)
    for lane, side, place in ends:
        near = np.flatnonzero(np.hypot(*(places - place).T) < JOINED)
        joined = [ends[n][:2] for n in near if ends[n][:2] != (lane, side)]
        found += joined
        first[2 * lane + side + 1] = len(joined)
    return np.array(found, np.int64).reshape(-1, 2), np.cumsum(first)
