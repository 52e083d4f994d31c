"""Changes of the ruts, for renderers: read between two ticks, without side effects on the ruts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.fast_call import compiled_call
from simulator.base.jit import kernel
from terrain.rut_grid import TILE, TILE_SIDE
from terrain.rut_memory import SoilMemory
from terrain.ruts import NO_RUTS, Ruts, locate

NO_TILE = np.iinfo(np.int32).min
"""Index of an empty place."""
ROWS = 2
"""Rows of the square that are checked per call for tiles that entered or left it. A square of 128 rows takes half a second of calls
8 ms apart."""


class ChangedTiles:
    """Tracks a square of tiles that moves with the vehicle.

    Parameters
    ----------
    side : tiles along a side of the square, a power of 2; a tile is stored at its index modulo `side` along both axes
    most : maximum number of tiles per call
    """

    def __init__(self, side: int, most: int) -> None:
        self._reported = np.full((side, side, 2), NO_TILE, np.int32)
        self._found = np.zeros((most, 3), np.int32)
        self._noted, self._row = 0, 0
        self._gather = compiled_call(_gather, NO_RUTS, self._reported, self._found, 0, 0, 0, 0)

    def changed_tiles(self, soil: SoilMemory, x: float, y: float) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """Return places (n, 2) and depths (n, TILE, TILE) of changed tiles.

        These are tiles that changed or that entered the square about (x, y) [m], and tiles of zeros for those that left it. The result is empty if x
        or y is not finite.
        """
        ruts = soil.arrays
        if ruts.state[0]["tiles"] == 0 or not abs(x) + abs(y) < 1e6:
            return np.zeros((0, 2), np.int32), np.zeros((0, TILE, TILE), np.uint16)
        if ruts.state[0]["noted"] - self._noted > len(ruts.changed):  # the change buffer has overflowed
            self._noted = int(ruts.state[0]["noted"])
            self._reported[:] = NO_TILE
        center = int(x // TILE_SIDE), int(y // TILE_SIDE)
        count, self._noted, self._row = self._gather(ruts, self._reported, self._found, *center, self._noted, self._row)
        found = self._found[:count]
        depths = np.zeros((count, TILE, TILE), np.uint16)
        there = found[:, 2] >= 0
        depths[there] = ruts.depths[found[there, 2]]
        return found[:, :2].copy(), depths


@kernel
def _gather(ruts, reported, found, center_x, center_y, noted, row):
    """Collect tiles (ix, iy, number or -1) to report in `found`; return their count, the number of processed changes, and the next row."""
    side, half, count = len(reported), len(reported) // 2, 0
    last = side - 1
    while noted < ruts.state[0]["noted"] and count < len(found):
        n = ruts.changed[noted & (len(ruts.changed) - 1)]
        noted += 1
        ix, iy = int(ruts.places[n, 0]), int(ruts.places[n, 1])
        if -half <= ix - center_x < half and -half <= iy - center_y < half:
            found[count, 0], found[count, 1], found[count, 2] = ix, iy, n
            count += 1
            reported[iy & last, ix & last, 0], reported[iy & last, ix & last, 1] = ix, iy
    for _ in range(ROWS):
        iy = center_y - half + row
        for ix in range(center_x - half, center_x + half):
            entry = reported[iy & last, ix & last]
            n = locate(ruts, ix, iy)
            if (n >= 0 and (entry[0] != ix or entry[1] != iy)) or (n < 0 and entry[0] != NO_TILE):
                if count == len(found):
                    return count, noted, row
                found[count, 0], found[count, 1], found[count, 2] = ix, iy, n
                count += 1
                entry[0], entry[1] = (ix, iy) if n >= 0 else (NO_TILE, NO_TILE)
        row = row + 1 if row + 1 < side else 0
    return count, noted, row


def changes_since(soil: SoilMemory, noted: int) -> tuple[NDArray[np.int32], NDArray[np.uint16], int]:
    """Return indices (n, 2) and depths (n, TILE, TILE) of the tiles that changed since change `noted`, and the present number of changes."""
    ruts: Ruts = soil.arrays
    now = int(ruts.state[0]["noted"])
    if now - noted > len(ruts.changed):
        numbers = np.arange(int(ruts.state[0]["tiles"]))
    else:
        numbers = np.unique(ruts.changed[np.arange(noted, now) % len(ruts.changed)])
    return ruts.places[numbers], ruts.depths[numbers], now
