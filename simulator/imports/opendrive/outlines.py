"""Convex parts of outlines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array

MAX_HULL = 30
"""Maximum number of corners of a part: a hull has at most 64 vertices, top and bottom."""
MAX_CORNERS = 300
"""Maximum number of corners of an outline that is divided; of a longer one, the hull of evenly chosen corners remains."""
HOLLOW = 0.01
"""1. Part of the area of its convex hull that an outline may lack and still be one part."""


def convex_parts(corners: Array) -> list[NDArray[np.intp]]:
    """Return the rows of the corners (n, 2) of convex parts that cover a polygon: the polygon, or triangles."""
    from scipy.spatial import ConvexHull, QhullError

    area = 0.5 * float(np.sum(corners[:, 0] * np.roll(corners[:, 1], -1) - np.roll(corners[:, 0], -1) * corners[:, 1]))
    try:
        hull = ConvexHull(corners)
    except QhullError:  # all corners on a line
        return []
    rows = hull.vertices
    if abs(area) >= (1.0 - HOLLOW) * hull.volume or len(corners) > MAX_CORNERS:
        return [rows if len(rows) <= MAX_HULL else rows[np.linspace(0, len(rows) - 1, MAX_HULL).astype(int)]]
    return _ears(corners, np.arange(len(corners)) if area > 0.0 else np.arange(len(corners))[::-1])


def _ears(corners: Array, order: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Return triangles of a polygon whose corners are counterclockwise, by cutting ears."""
    rest, out = order.tolist(), []
    while len(rest) > 3:
        for k in range(len(rest)):
            a, b, c = rest[k - 1], rest[k], rest[(k + 1) % len(rest)]
            others = corners[[n for n in rest if n not in (a, b, c)]]
            if _turn(corners[a], corners[b], corners[c]) > 0.0 and not _inside(others, corners[a], corners[b], corners[c]).any():
                break
        else:
            k = 0  # an outline that crosses itself
        triangle = np.array((rest[k - 1], rest[k], rest[(k + 1) % len(rest)]))
        if abs(_turn(*corners[triangle])) > 1e-6:
            out.append(triangle)
        del rest[k]
    last = np.array(rest)
    return [*out, last] if abs(_turn(*corners[last])) > 1e-6 else out


def _turn(a: Array, b: Array, c: Array) -> float:
    """Return twice the area of a triangle, positive if it is counterclockwise."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _inside(points: Array, a: Array, b: Array, c: Array) -> NDArray[np.bool_]:
    sides = [(q[0] - p[0]) * (points[:, 1] - p[1]) - (q[1] - p[1]) * (points[:, 0] - p[0]) for p, q in ((a, b), (b, c), (c, a))]
    return np.asarray((sides[0] > 0.0) & (sides[1] > 0.0) & (sides[2] > 0.0), bool)
