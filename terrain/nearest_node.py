"""Nearest nodes of the grid of a ground, for values that are not interpolated, such as the soil of a point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terrain.ground import Ground


def nearest_nodes(ground: Ground, x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return row and column of the node nearest to points x, y (same shape) [m].

    Beyond the map, the nodes are those of its mirror images or of its border, as for the heights (`terrain.base_grid.nodes_around`).
    """
    g = ground.p[0]
    rows, columns = ground.soil_ids.shape
    mirrored = bool(g["mirrored"])
    return _nodes(y, g["origin"][1], g["spacing"][1], rows, mirrored), _nodes(x, g["origin"][0], g["spacing"][0], columns, mirrored)


def _nodes(x: NDArray[np.float64], origin: float, spacing: float, count: int, mirrored: bool) -> NDArray[np.int64]:
    """Return the nodes along one axis of `count` nodes."""
    node = np.floor((x - origin) / spacing + 0.5).astype(np.int64)
    if not mirrored:
        return np.clip(node, 0, count - 1)
    node %= 2 * count
    return np.where(node >= count, 2 * count - 1 - node, node)
