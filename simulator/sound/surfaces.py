"""Loose gravel under the wheels, from the names of the surfaces of a ground: the state of a vehicle has only friction and hardness."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrain.ground import Ground
from terrain.nearest_node import nearest_nodes

LOOSENESS = {"gravel": 1.0}
"""Looseness of hard surfaces by their look."""


class Surfaces:
    """Looseness of the surfaces of a ground."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._loose = np.array([LOOSENESS.get(name.partition(" ")[0], 0.0) for name in ground.soil_names])
        self._any = bool(self._loose.any())

    def looseness(self, x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
        """Return the looseness at points x, y (same shape) [m]: 1 = gravel."""
        if not self._any:
            return np.zeros(np.shape(x))
        return self._loose[self._ground.soil_ids[nearest_nodes(self._ground, x, y)]]
