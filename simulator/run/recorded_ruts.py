"""Ruts of a recorded drive, which appear where its wheels pass.

The rut file of a run contains the ruts at its end. A node of it appears in a replay when a wheel first comes near it, at its last depth: a
rut that later wheels have deepened is as deep as at the end from the first pass on.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.view.rut_tiles import NOTHING, SIDE, RutTiles
from terrain.rut_grid import SPACING, TILE, TILE_SIDE, read_ruts

MAX_NODE_DISTANCE = 0.45
"""m. Maximum distance of a node of a rut from the contact point of the wheel that pressed it; farther nodes are there from the start."""
NEIGHBORS = 8
"""Number of contact points near a node among which the first one counts."""
SHOWN_TILES = SIDE // 2 - 2
"""Tiles around the vehicle whose ruts are shown, in each direction."""
LOOK = 2.0
"""m that the vehicle moves until the tiles around it are determined again."""
Place = tuple[int, int]


class RecordedRuts:
    """Follows the ruts of a recording.

    Parameters
    ----------
    file : rut file of the run
    contacts : (rows, wheels, 2) contact points of the wheels in the world

    Raises ConfigError: the file is unusable.
    """

    def __init__(self, file: Path, contacts: NDArray[np.float64]) -> None:
        from scipy.spatial import cKDTree

        places, self._depths = read_ruts(file)
        self._index = {(int(i), int(j)): n for n, (i, j) in enumerate(places)}
        self._places = places
        self._wheels = contacts.shape[1]
        self._tree = cKDTree(contacts.reshape(-1, 2))
        self._contacts = contacts
        self._first_rows: dict[Place, NDArray[np.int64]] = {}
        self._shown: set[Place] = set()
        self._row, self._middle = -1, np.full(2, np.inf)

    def take(self, row: int) -> RutTiles:
        """Return the tiles that change from the row of the previous call to `row`, which may be an earlier one."""
        before, self._row = self._row, row
        middle = self._contacts[row].mean(axis=0)
        changed: set[Place] = set()
        if row < before or np.abs(middle - self._middle).max() > LOOK:
            self._middle = middle
            near = self._near(middle)
            changed = near if row < before else near - self._shown
            self._shown = near
        if row > before:
            passed = self._contacts[max(before, 0, row - 200) : row + 1].reshape(-1, 2)
            changed |= self._shown & _around(np.unique(np.floor(passed / TILE_SIDE).astype(int), axis=0).tolist())
        return self._tiles(sorted(changed), row)

    def _near(self, middle: NDArray[np.float64]) -> set[Place]:
        """Return the tiles with ruts near a point."""
        away = np.abs(self._places - np.floor(middle / TILE_SIDE)).max(axis=1)
        return {(int(i), int(j)) for i, j in self._places[away < SHOWN_TILES]}

    def _tiles(self, places: list[Place], row: int) -> RutTiles:
        if not places:
            return NOTHING
        depths = np.array([np.where(self._first_row(place) <= row, self._depths[self._index[place]], 0) for place in places], np.uint16)
        return RutTiles(np.array(places, np.int32), depths)

    def _first_row(self, place: Place) -> NDArray[np.int64]:
        """Return the row (TILE, TILE) at which a wheel first comes near each node of a tile."""
        if place not in self._first_rows:
            along = SPACING * np.arange(TILE)
            x, y = np.meshgrid(place[0] * TILE_SIDE + along, place[1] * TILE_SIDE + along)
            nodes = np.column_stack((x.ravel(), y.ravel()))
            _, neighbors = self._tree.query(nodes, NEIGHBORS, distance_upper_bound=MAX_NODE_DISTANCE)
            rows = np.where(neighbors < self._tree.n, neighbors // self._wheels, self._tree.n).min(axis=1)
            rows[rows == self._tree.n] = 0
            self._first_rows[place] = rows.reshape(TILE, TILE)
        return self._first_rows[place]


def _around(places: Iterable[list[int]]) -> set[Place]:
    """Return tiles and their neighbors."""
    return {(i + di, j + dj) for i, j in places for di in (-1, 0, 1) for dj in (-1, 0, 1)}
