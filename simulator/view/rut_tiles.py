"""Ruts around the vehicle for the views: a square of tiles that moves with the vehicle, in the view block after the states.

A tile has a fixed slot in the square, its index modulo SIDE along both axes. A new tile thus replaces a tile that the vehicle has left
behind. Two tickets guard each slot, as for the states. A view reads the tiles that have changed since its previous read; a new view reads
all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrain.rut_grid import TILE, TILE_SIDE

SIDE = 128
"""Tiles along a side: 102 m, half of it in each direction."""
MAX_DISTANCE = (0.5 * SIDE - 4.0) * TILE_SIDE
"""m. Maximum distance from the vehicle at which ruts are drawn."""
REACH = 14.0
"""m. Maximum distance at which the mesh is sunk into the ground; farther away ruts are only shaded."""
MAX_TILES = 64
"""Maximum number of tiles per read, which limits the time of a frame."""
_BYTES_OF_PLACE = 4 + 4 + 8 + 2 * TILE * TILE
BYTES = SIDE * SIDE * _BYTES_OF_PLACE
"""Bytes of the square."""


class RutTiles(NamedTuple):
    """Some rut tiles."""

    places: NDArray[np.int32]
    """(n, 2) tile indices"""
    depths: NDArray[np.uint16]
    """(n, TILE, TILE) rut depths in UNIT, as in `terrain.rut_grid`; zero without a rut"""


NOTHING = RutTiles(np.zeros((0, 2), np.int32), np.zeros((0, TILE, TILE), np.uint16))


class RutSquare:
    """Square of tiles in a memory block of BYTES, which is zero at first."""

    def __init__(self, buffer: memoryview, offset: int) -> None:
        count = SIDE * SIDE
        self._begin = np.frombuffer(buffer, np.uint32, count, offset)
        self._end = np.frombuffer(buffer, np.uint32, count, offset + 4 * count)
        self._places = np.frombuffer(buffer, np.int32, 2 * count, offset + 8 * count).reshape(count, 2)
        self._depths = np.frombuffer(buffer, np.uint16, count * TILE * TILE, offset + 16 * count).reshape(count, TILE, TILE)
        self._seen = np.zeros(count, np.uint32)

    def put(self, tiles: RutTiles) -> None:
        """Write tiles; of repeated tiles the last one is kept."""
        slots = slots_of(tiles.places)
        tickets = self._begin[slots] + np.uint32(1)
        self._begin[slots] = tickets
        self._places[slots], self._depths[slots] = tiles.places, tiles.depths
        self._end[slots] = tickets

    def take(self) -> RutTiles:
        """Return the tiles that have changed since the previous calls, at most MAX_TILES; a tile being written follows in the next call."""
        end = self._end.copy()
        slots = np.flatnonzero(end != self._seen)[:MAX_TILES]
        if not len(slots):
            return NOTHING
        places, depths = self._places[slots], self._depths[slots]
        complete = self._begin[slots] == end[slots]
        self._seen[slots[complete]] = end[slots[complete]]
        return RutTiles(places[complete], depths[complete])


def slots_of(places: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the slot numbers of tiles with these indices."""
    return (places[:, 1] % SIDE).astype(np.int64) * SIDE + places[:, 0] % SIDE
