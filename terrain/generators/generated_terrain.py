"""Output of a terrain generator before it is written: heights, soils, features, markings and start positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from terrain.objects.world_object import WorldObject
from terrain.roads.network import Lane

Bits = NDArray[np.uint8]


@dataclass(frozen=True)
class Place:
    """Start position of a drive: x, y in m, heading in deg (+ = left of the x axis), and a note on the terrain ahead."""

    at: Any
    yaw_deg: float = 0.0
    note: str = ""


@dataclass(frozen=True)
class Cover:
    """Ground at the nodes with one index: name of a file in configs/soils, and whether the ground is a hard surface."""

    name: str
    hard: bool

    @property
    def key(self) -> str:
        """Key of the terrain file for this ground."""
        return "surface" if self.hard else "soil"


@dataclass(frozen=True)
class Entry:
    """An entry of a list of a terrain file, and its comment."""

    mapping: Mapping[str, Any]
    note: str = ""


@dataclass(frozen=True)
class Grid:
    """Nodes of a map: corner (x, y) and distance in m, and the number of nodes along x and y."""

    corner: tuple[float, float]
    spacing: float
    columns: int
    rows: int

    @staticmethod
    def over(low: tuple[float, float], high: tuple[float, float], spacing: float) -> Grid:
        """Return the grid from one corner to the other, or just short of it."""
        columns, rows = (int((b - a) / spacing + 1e-6) + 1 for a, b in zip(low, high, strict=True))
        return Grid(low, spacing, columns, rows)

    @property
    def x(self) -> Array:
        """x of the columns, (columns,) m."""
        return np.asarray(self.corner[0] + self.spacing * np.arange(self.columns), np.float64)

    @property
    def y(self) -> Array:
        """y of the rows, (rows,) m."""
        return np.asarray(self.corner[1] + self.spacing * np.arange(self.rows), np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of arrays over the grid."""
        return self.rows, self.columns

    def part(self, x: tuple[float, float], y: tuple[float, float]) -> tuple[slice, slice]:
        """Return rows and columns of the nodes within a rectangle."""
        rows, columns = (
            slice(max(0, int(np.ceil((a - c) / self.spacing - 1e-6))), max(0, int(np.floor((b - c) / self.spacing + 1e-6)) + 1))
            for (a, b), c in ((y, self.corner[1]), (x, self.corner[0]))
        )
        return rows, columns


@dataclass(frozen=True)
class GeneratedTerrain:
    """A terrain before it is written.

    Attributes
    ----------
    about : description lines, with the assumed dimensions
    heights : (rows, columns) m
    cover : (rows, columns) index of `covers`
    features, marks, roads : lists of a terrain file
    places : start positions by name; a drive begins at the first one
    sections : other keys of the terrain file
    objects : for the table of objects; z is `table_text.ON_GROUND` for an object that stands on the ground
    lanes : for the table of lanes
    """

    about: Sequence[str]
    grid: Grid
    heights: Array
    cover: Bits
    covers: Sequence[Cover]
    places: Mapping[str, Place]
    features: Sequence[Entry] = ()
    marks: Sequence[Entry] = ()
    roads: Sequence[Entry] = ()
    sections: Mapping[str, Any] = field(default_factory=dict)
    objects: Sequence[WorldObject] = ()
    lanes: Sequence[Lane] = ()
