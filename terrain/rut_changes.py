"""What has changed of the ruts, for those who draw them: they look at it between two ticks and leave it as it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.fast_call import compiled_call
from simulator.base.jit import kernel
from terrain.rut_grid import TILE, TILE_SIDE
from terrain.rut_memory import SoilMemory
from terrain.ruts import NO_RUTS, Ruts, locate

NOBODY = np.iinfo(np.int32).min
"""Index of a tile that is none."""
ROWS = 2
"""Rows of the square that are gone through at each look, for what has come into it and what has left it: all of a square of 128 rows in half a
second of looks 8 ms apart."""


class ChangedTiles:
    """Follows a square of tiles that goes with the vehicle.

    Parameters
    ----------
    side : tiles along a side of the square, a power of 2; each has one place in it, its index modulo `side` along both axes
    most : tiles that are told at a time
    """

    def __init__(self, side: int, most: int) -> None:
        self._told = np.full((side, side, 2), NOBODY, np.int32)
        self._found = np.zeros((most, 3), np.int32)
        self._noted, self._row = 0, 0
        self._gather = compiled_call(_gather, NO_RUTS, self._told, self._found, 0, 0, 0, 0)

    def look(self, soil: SoilMemory, x: float, y: float) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """Places (n, 2) and depths (n, TILE, TILE) of tiles that have changed, have come into the square about (x, y) [m], or are zero because
        others have left it. Nothing for numbers that are not finite."""
        ruts = soil.arrays
        if ruts.state[0]["tiles"] == 0 or not abs(x) + abs(y) < 1e6:
            return np.zeros((0, 2), np.int32), np.zeros((0, TILE, TILE), np.uint16)
        if ruts.state[0]["noted"] - self._noted > len(ruts.changed):  # what has changed since is not known any more
            self._noted = int(ruts.state[0]["noted"])
            self._told[:] = NOBODY
        center = int(x // TILE_SIDE), int(y // TILE_SIDE)
        count, self._noted, self._row = self._gather(ruts, self._told, self._found, *center, self._noted, self._row)
        found = self._found[:count]
        depths = np.zeros((count, TILE, TILE), np.uint16)
        there = found[:, 2] >= 0
        depths[there] = ruts.depths[found[there, 2]]
        return found[:, :2].copy(), depths


@kernel
def _gather(ruts, told, found, center_x, center_y, noted, row):
    """Tiles (ix, iy, number or -1) that are to be told, into `found`; their count, what was noted up to there, and the next row."""
    side, half, count = len(told), len(told) // 2, 0
    last = side - 1
    while noted < ruts.state[0]["noted"] and count < len(found):
        n = ruts.changed[noted & (len(ruts.changed) - 1)]
        noted += 1
        ix, iy = int(ruts.places[n, 0]), int(ruts.places[n, 1])
        if -half <= ix - center_x < half and -half <= iy - center_y < half:
            found[count, 0], found[count, 1], found[count, 2] = ix, iy, n
            count += 1
            told[iy & last, ix & last, 0], told[iy & last, ix & last, 1] = ix, iy
    for _ in range(ROWS):
        iy = center_y - half + row
        for ix in range(center_x - half, center_x + half):
            seen = told[iy & last, ix & last]
            n = locate(ruts, ix, iy)
            if (n >= 0 and (seen[0] != ix or seen[1] != iy)) or (n < 0 and seen[0] != NOBODY):
                if count == len(found):
                    return count, noted, row
                found[count, 0], found[count, 1], found[count, 2] = ix, iy, n
                count += 1
                seen[0], seen[1] = (ix, iy) if n >= 0 else (NOBODY, NOBODY)
        row = row + 1 if row + 1 < side else 0
    return count, noted, row


def changes_since(soil: SoilMemory, noted: int) -> tuple[NDArray[np.int32], NDArray[np.uint16], int]:
    """Places (n, 2) and depths (n, TILE, TILE) of all tiles that have changed since `noted`, as they are now; the third is the next `noted`."""
    ruts: Ruts = soil.arrays
    now = int(ruts.state[0]["noted"])
    if now - noted > len(ruts.changed):
        numbers = np.arange(int(ruts.state[0]["tiles"]))
    else:
        numbers = np.unique(ruts.changed[np.arange(noted, now) % len(ruts.changed)])
    return ruts.places[numbers], ruts.depths[numbers], now
