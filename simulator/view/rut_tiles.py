"""The ruts around the vehicle for those who draw them: a square of tiles that goes with it, in the view block behind the states.

A tile has one place in the square, its index modulo SIDE along both axes, so the square never moves: what comes in takes the place of what is
left behind. Each place is guarded by two tickets as the states are; a view takes what has changed since it looked last, a late one everything.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrain.rut_grid import TILE, TILE_SIDE

SIDE = 128
"""Tiles along a side: 102 m, half of it in each direction."""
FAR = (0.5 * SIDE - 4.0) * TILE_SIDE
"""m from the vehicle up to which ruts are drawn."""
REACH = 14.0
"""m up to which they are sunk into the ground; farther away they are shaded only."""
MOST = 64
"""Tiles that a view takes at a time: a frame with many of them would be a long one."""
_BYTES_OF_PLACE = 4 + 4 + 8 + 2 * TILE * TILE
BYTES = SIDE * SIDE * _BYTES_OF_PLACE
"""Of the whole square."""


class RutTiles(NamedTuple):
    """Some tiles."""

    places: NDArray[np.int32]
    """(n, 2) their indices"""
    depths: NDArray[np.uint16]
    """(n, TILE, TILE) in UNIT, as in `terrain.rut_grid`; zero where nobody has driven"""


NOTHING = RutTiles(np.zeros((0, 2), np.int32), np.zeros((0, TILE, TILE), np.uint16))


class RutSquare:
    """The square in a piece of memory of BYTES, all zero at first."""

    def __init__(self, buffer: memoryview, offset: int) -> None:
        count = SIDE * SIDE
        self._begin = np.frombuffer(buffer, np.uint32, count, offset)
        self._end = np.frombuffer(buffer, np.uint32, count, offset + 4 * count)
        self._places = np.frombuffer(buffer, np.int32, 2 * count, offset + 8 * count).reshape(count, 2)
        self._depths = np.frombuffer(buffer, np.uint16, count * TILE * TILE, offset + 16 * count).reshape(count, TILE, TILE)
        self._seen = np.zeros(count, np.uint32)

    def put(self, tiles: RutTiles) -> None:
        """Show tiles; of one that is there twice the last one counts."""
        slots = slots_of(tiles.places)
        tickets = self._begin[slots] + np.uint32(1)
        self._begin[slots] = tickets
        self._places[slots], self._depths[slots] = tiles.places, tiles.depths
        self._end[slots] = tickets

    def take(self) -> RutTiles:
        """What has changed since it was taken last, at most MOST tiles; one that is being written comes the next time."""
        end = self._end.copy()
        slots = np.flatnonzero(end != self._seen)[:MOST]
        if not len(slots):
            return NOTHING
        places, depths = self._places[slots], self._depths[slots]
        whole = self._begin[slots] == end[slots]
        self._seen[slots[whole]] = end[slots[whole]]
        return RutTiles(places[whole], depths[whole])


def slots_of(places: NDArray[np.int32]) -> NDArray[np.int64]:
    """Numbers of the places in the square of tiles with such indices."""
    return (places[:, 1] % SIDE).astype(np.int64) * SIDE + places[:, 0] % SIDE
