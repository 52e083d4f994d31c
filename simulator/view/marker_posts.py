"""Marker posts along the roads, which make speed and distance visible. The vehicle does not collide with them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.view.meshes import Builder, moved
from simulator.view.terrain_data import TerrainData, ViewRoad

SPACING = 50.0
"""m. Distance between two pairs of posts."""
EDGE_DISTANCE = 1.5
"""m. Distance from the edge of the hard surface."""
GROUP = 8
"""Number of posts that are drawn or culled together."""
SIGHT = 420.0
"""m. Maximum distance at which groups are drawn."""
WHITE, BLACK, RED, WOOD = (232, 232, 226), (34, 34, 36), (190, 40, 30), (124, 96, 64)


def post(paved: bool) -> Array:
    """Return one post, 1 m high, its front towards -x: white with a black band and a reflector, or a wooden stake."""
    b = Builder()
    if not paved:
        return b.paint(WOOD).box((-0.05, -0.05, -0.3), (0.05, 0.05, 0.75)).mesh()
    b.paint(WHITE).box((-0.05, -0.06, -0.3), (0.05, 0.06, 0.72))
    b.paint(BLACK).box((-0.05, -0.06, 0.72), (0.05, 0.06, 0.94))
    b.paint(RED, 0.6).box((-0.058, -0.035, 0.75), (-0.05, 0.035, 0.91))
    return b.paint(WHITE).box((-0.05, -0.06, 0.94), (0.05, 0.06, 1.0)).mesh()


def places(road: ViewRoad) -> NDArray[np.float64]:
    """Return (n, 3) x, y and heading of the posts of one road, alternately left and right; no posts where the road crosses itself."""
    step = np.hypot(*np.diff(road.points, axis=0).T)
    along = np.concatenate(([0.0], np.cumsum(step)))
    out = []
    for s in np.arange(0.5 * SPACING, along[-1], SPACING):
        k = min(int(np.searchsorted(along, s)), len(step))
        (x0, y0), (x1, y1) = road.points[k - 1], road.points[k]
        heading = math.atan2(y1 - y0, x1 - x0)
        for side in (1.0, -1.0):
            reach = side * (0.5 * road.width + EDGE_DISTANCE)
            out.append((x0 - reach * math.sin(heading), y0 + reach * math.cos(heading), heading))
    return np.array(out).reshape(-1, 3)


def posts(terrain: TerrainData) -> tuple[Array, NDArray[np.float64], int]:
    """Return the mesh of all posts in W, the center (n, 2) of every group of posts, and the number of vertices of a group.

    Posts on another road are omitted.
    """
    meshes: list[Array] = []
    where: list[Any] = []
    size = len(post(True))
    for road in terrain.roads:
        model = post(road.paved)
        model = np.vstack((model, np.repeat(model[-1:], size - len(model), axis=0)))
        for x, y, heading in places(road):
            if any(other is not road and _distance(other, x, y) < 0.5 * other.width + EDGE_DISTANCE for other in terrain.roads):
                continue
            c, s = math.cos(heading), math.sin(heading)
            meshes.append(moved(model, [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]], (x, y, terrain.height(x, y))))
            where.append((x, y))
    if not meshes:
        return np.zeros((0, 10)), np.zeros((0, 2)), 0
    groups = [np.mean(where[k : k + GROUP], axis=0) for k in range(0, len(where), GROUP)]
    return np.vstack(meshes), np.array(groups), GROUP * size


def _distance(road: ViewRoad, x: float, y: float) -> float:
    return float(np.hypot(road.points[:, 0] - x, road.points[:, 1] - y).min())
