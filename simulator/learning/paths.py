"""Paths of many vehicles in one array: where each vehicle is on its path, and the curvature ahead of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.jit import kernel
from simulator.driver.path import Path
from simulator.driver.path_kernels import Line, line_at, nearest
from terrain.ground import Ground


class Paths(NamedTuple):
    """Paths one after the other."""

    points: Array
    """(all points, 4) x, y [m], heading [rad], curvature [1/m]"""
    first: NDArray[np.int64]
    """(paths + 1,) first point of each path, then their number"""
    spacing: Array
    """(paths,) m"""
    length: Array
    """(paths,) m"""


def joined(paths: Sequence[Path]) -> Paths:
    """Return paths in one array."""
    points = [np.column_stack((one.x, one.y, one.heading, one.curvature)) for one in paths]
    first = np.cumsum([0, *map(len, points)]).astype(np.int64)
    return Paths(np.concatenate(points), first, np.array([one.spacing for one in paths]), np.array([one.length for one in paths]))


@kernel
def follow(paths, changes, chosen, world, places, ahead, station, out):
    """Fill the rows of `out` of the chosen vehicles: offset from the path [m, + = left], heading to it [rad], and the curvature [1/m] ahead.

    changes : (0, 3) no lane changes; world : (n,) path of each; places : (m, 3) x, y, yaw; ahead : (k,) m; station : (n,) m, where each was, and is
    after the call; out : (m, 2 + k)
    """
    for i in range(len(chosen)):
        k = chosen[i]
        path = world[k]
        line = Line(paths.points[paths.first[path] : paths.first[path + 1]], changes, paths.spacing[path])
        x, y, yaw = places[i, 0], places[i, 1], places[i, 2]
        s = nearest(line, x, y, station[k])
        station[k] = s
        px, py, heading, _, _ = line_at(line, s)
        out[i, 0] = (y - py) * math.cos(heading) - (x - px) * math.sin(heading)
        out[i, 1] = math.atan2(math.sin(yaw - heading), math.cos(yaw - heading))
        for j in range(len(ahead)):
            out[i, 2 + j] = line_at(line, s + ahead[j])[3]


NO_CHANGES = np.zeros((0, 3))


def closed_road(ground: Ground, laps: int) -> tuple[Path, float]:
    """Return a path along the first road of a ground, which is closed, for some laps, and the length of a lap [m]."""
    points = ground.roads[0].points[:, :2]
    every = max(1, round(5.0 / float(np.hypot(*np.diff(points, axis=0).T).mean())))
    path = Path.around(points[: -1 - every // 2 : every], laps)
    return path, (path.length + path.spacing) / laps


def cut(path: Path, station: float, length: float) -> Path:
    """Return the part of a path from a station on."""
    first = int(station / path.spacing)
    end = first + max(2, math.ceil(length / path.spacing))
    return Path(path.x[first:end], path.y[first:end], path.heading[first:end], path.curvature[first:end], path.spacing)
