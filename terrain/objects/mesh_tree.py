"""Tree of bounding boxes of a triangle mesh, for rays and contact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, record
from terrain.objects.records import NODE, TRIANGLE

LEAF = 4
"""Maximum number of triangles of a leaf."""
BITS = 20
"""Bits of a coordinate in the Morton order."""


def mesh_tree(triangles: NDArray[np.float64]) -> tuple[Record, Record]:
    """Return (records of NODE, records of TRIANGLE) of triangles (n, 3, 3). Row 0 is the root.

    The triangles are sorted along a Morton curve of their centers [Morton 1966]. A node with more than LEAF triangles is split in the
    middle, so the depth is the logarithm of the number of triangles.
    """
    triangles = triangles[np.argsort(_morton(triangles.mean(axis=1)), kind="stable")]
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    first, last = np.array([0]), np.array([len(triangles)])
    levels, used = [], 1
    while len(first):
        nodes = record(NODE, len(first))
        inner = last - first > LEAF
        nodes["first"], nodes["count"] = first, np.where(inner, 0, last - first)
        nodes["first"][inner] = used + 2 * np.arange(inner.sum())
        cuts = np.stack((first, last), axis=1).ravel()
        cuts = cuts[:-1] if cuts[-1] == len(low) else cuts
        nodes["low"], nodes["high"] = np.minimum.reduceat(low, cuts)[::2], np.maximum.reduceat(high, cuts)[::2]
        levels.append(nodes)
        used += 2 * int(inner.sum())
        a, b = first[inner], last[inner]
        middle = (a + b) // 2
        first, last = np.stack((a, middle), axis=1).ravel(), np.stack((middle, b), axis=1).ravel()
    out = record(TRIANGLE, len(triangles))
    out["a"] = triangles[:, 0]
    out["ab"], out["ac"] = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    return np.concatenate(levels), out


def _morton(points: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return the Morton code of each point (n, 3)."""
    low, extent = points.min(axis=0), float(np.ptp(points, axis=0).max())
    cells = ((points - low) * ((1 << BITS) - 1) / max(extent, 1e-300)).astype(np.uint64)
    code = np.zeros(len(points), np.uint64)
    for bit in range(BITS):
        for axis in range(3):
            code |= ((cells[:, axis] >> np.uint64(bit)) & np.uint64(1)) << np.uint64(3 * bit + axis)
    return code
