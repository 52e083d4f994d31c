"""Nodes of a height map."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MARGIN = 60.0
"""m. Width of the margin around the grid in which the heights level out before the mirror image. Narrower: a crest or a ditch there."""
MAX_MARGIN = 1 / 8
"""Maximum width of the margin as a fraction of the grid."""


@dataclass
class Grid:
    """Nodes of a height map."""

    origin: NDArray[np.float64]
    spacing: float
    shape: tuple[int, int]
    margin: tuple[int, int] = (0, 0)
    """number of added rows and columns on each side"""

    @property
    def step(self) -> NDArray[np.float64]:
        """Spacing along x and y, (2,) [m]."""
        return np.full(2, self.spacing)

    def corners(self) -> NDArray[np.float64]:
        """Return the south-west and the north-east node, (2, 2)."""
        return self.origin + np.outer((0.0, self.spacing), np.array(self.shape[::-1]) - 1)

    def with_margin(self) -> Grid:
        """Return the grid with a margin in which the heights can level out, see `terrain.map_edge`."""
        nodes = [max(4, min(math.ceil(MARGIN / self.spacing), round(MAX_MARGIN * n))) for n in self.shape]
        rows, columns = nodes
        origin = self.origin - self.spacing * np.array((columns, rows))
        return Grid(origin, self.spacing, (self.shape[0] + 2 * rows, self.shape[1] + 2 * columns), (rows, columns))

    def axes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return x of the columns and y of the rows."""
        return self.origin[0] + self.spacing * np.arange(self.shape[1]), self.origin[1] + self.spacing * np.arange(self.shape[0])

    def holds(self, points: NDArray[np.float64]) -> bool:
        """Return True if all points are inside the grid."""
        low, high = self.corners()
        return bool(((points >= low) & (points <= high)).all())
