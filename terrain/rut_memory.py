"""Rut memory of one drive: active tiles for kernels, a store of evicted tiles, and the rut file of a run.

Tiles that are evicted from the pool wait in a ring buffer. `load_tiles_around`, called at fixed ticks, moves them to a compressed store and
loads tiles near the vehicle back into the pool. It depends on ticks only, never on wall-clock time, so a drive gives identical bits on all
machines.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fast_call import compiled_call
from terrain.ground import Ground
from terrain.rut_grid import TILE, TILE_SIDE, read_ruts, write_ruts
from terrain.ruts import NO_RUTS, Ruts, depth_across, merge_tile, new_ruts

TILES = 1 << 18
"""Tiles of the pool: two ruts of 50 km or more, 140 MB if all tiles are in use."""
RING = 4096
"""Capacity of the ring buffer: more tiles than a vehicle drives over, or `load_tiles_around` loads, between two calls."""
CHANGES = 1 << 13
"""Number of stored change records for the renderer: about ten seconds of a drive."""
BLOCK_BITS = 5
BLOCK = 1 << BLOCK_BITS
"""Tiles along a side of a block; blocks are loaded as a unit: 25.6 m. With the eight neighboring blocks, ruts are loaded at least that far around the
vehicle, which moves at most half a meter between two calls at 50 m/s."""
FEWEST = 9 * BLOCK * BLOCK
"""Minimum number of tiles of a pool: the blocks around the vehicle must fit."""
Place = tuple[int, int]


class SoilMemory:
    """Ruts of one drive.

    Parameters
    ----------
    tiles : number of tiles of the pool; 0: ruts are not stored
    ring : capacity of the ring buffer, in tiles

    Attributes
    ----------
    arrays : arrays for kernels
    """

    def __init__(self, tiles: int = TILES, ring: int = RING) -> None:
        if 0 < tiles < FEWEST:
            raise ValueError(f"invalid number of tiles: {tiles}; expected 0, or at least {FEWEST}")
        self.arrays: Ruts = new_ruts(tiles, ring, CHANGES) if tiles else NO_RUTS
        self._state = self.arrays.state[0]
        self._store: dict[Place, dict[Place, bytes]] = {}
        """Compressed tiles by block and tile index."""
        self._merge: Callable[..., None] = merge_tile

    @classmethod
    def of(cls, ground: Ground) -> SoilMemory:
        """Return an empty memory for a ground; without tiles if the ground has no soil."""
        return cls(TILES if ground.is_soft else 0)

    def rows_in_use(self) -> list[tuple[NDArray[Any], int]]:
        """Return the arrays with one row for each tile, and the number of tiles in use."""
        a, tiles = self.arrays, int(self._state["tiles"])
        ring = min(int(self._state["spilled"]), len(a.ring_depths))
        pool = [(array, tiles) for array in (a.places, a.depths, a.seen, a.stamp)]
        return [*pool, (a.ring_places, ring), (a.ring_depths, ring)] if self.remembers else []

    @property
    def remembers(self) -> bool:
        """True if the memory stores ruts."""
        return len(self.arrays.depths) > 0

    @property
    def is_virgin(self) -> bool:
        """True if no wheel has left a rut."""
        return self._state["tiles"] == 0 and not self._store

    @property
    def forgotten(self) -> int:
        """Number of tiles that were lost because the ring buffer was full."""
        return int(self._state["forgotten"])

    def warm(self) -> None:
        """Compile or load the kernels that `load_tiles_around` calls, before the real-time loop starts."""
        self._merge = compiled_call(merge_tile, self.arrays, 0, 0, self.arrays.ring_depths[:1].reshape(-1, TILE))

    def load_tiles_around(self, x: float, y: float, others: Sequence[tuple[float, float]] = ()) -> None:
        """Move evicted tiles to the store and load tiles around (x, y) [m], and around other places. Call at fixed ticks."""
        if not self.remembers:
            return
        self._state["epoch"] += 1
        if self._state["spilled"] != self._state["taken"]:
            self._drain()
        side = TILE_SIDE * BLOCK
        for place in ((x, y), *others):
            if self._store and abs(place[0]) + abs(place[1]) < 1e9:
                self._load_around(int(place[0] // side), int(place[1] // side))

    def _drain(self) -> None:
        """Move tiles from the ring buffer to the store."""
        a, s = self.arrays, self._state
        for k in range(int(s["taken"]), int(s["spilled"])):
            n = k % len(a.ring_depths)
            ix, iy = (int(v) for v in a.ring_places[n])
            block = self._store.setdefault((ix >> BLOCK_BITS, iy >> BLOCK_BITS), {})
            depths = a.ring_depths[n]
            if (ix, iy) in block:
                depths = np.maximum(depths, _unpacked(block[ix, iy]))
            block[ix, iy] = zlib.compress(depths.tobytes(), 1)
        s["taken"] = s["spilled"]

    def _load_around(self, block_x: int, block_y: int) -> None:
        """Load the stored tiles of a block and of its neighbors."""
        for by in range(block_y - 1, block_y + 2):
            for bx in range(block_x - 1, block_x + 2):
                for (ix, iy), packed in self._store.pop((bx, by), {}).items():
                    if self._state["spilled"] - self._state["taken"] == len(self.arrays.ring_depths):
                        self._drain()
                    self._merge(self.arrays, ix, iy, _unpacked(packed))

    def depth(self, x: float, y: float) -> float:
        """Return the depth of the ruts [m] at a point, for soil of hardness 0; far from the vehicle only if the tile is in the pool."""
        return float(depth_across(self.arrays, float(x), float(y), 1.0, 0.0, 0.0))

    def tiles(self) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """Return all tiles with ruts in order: indices (n, 2) and depths (n, TILE, TILE), as in `Ruts`."""
        self._drain()
        a, used = self.arrays, int(self._state["tiles"])
        stored = list(self._stored())
        places = np.concatenate((a.places[:used], np.array([place for place, _ in stored], np.int32).reshape(-1, 2)))
        depths = np.concatenate((a.depths[:used], np.array([tile for _, tile in stored], np.uint16).reshape(-1, TILE, TILE)))
        order = np.lexsort(places.T)
        places, depths = places[order], depths[order]
        if not len(places):
            return places, depths
        first = np.concatenate(([True], (places[1:] != places[:-1]).any(axis=1)))
        return places[first], np.maximum.reduceat(depths, np.flatnonzero(first))

    def _stored(self) -> Iterator[tuple[Place, NDArray[np.uint16]]]:
        for block in self._store.values():
            for place, packed in block.items():
                yield place, _unpacked(packed)

    def save(self, stream: BinaryIO, terrain: str) -> None:
        """Write all ruts to a file of `terrain.rut_grid`, with the name of the ground."""
        write_ruts(stream, terrain, *self.tiles())

    def load(self, file: Path, terrain: str) -> None:
        """Load the ruts of a file that `save` wrote. Raises ConfigError, also if the ruts belong to a ground of another name."""
        places, depths = read_ruts(file, terrain)
        if not self.remembers:
            raise ConfigError(file, "terrain", terrain, "a ground with soil")
        for (ix, iy), tile in zip(places.tolist(), depths, strict=True):
            block = self._store.setdefault((ix >> BLOCK_BITS, iy >> BLOCK_BITS), {})
            block[ix, iy] = zlib.compress(tile.tobytes(), 1)


def _unpacked(packed: bytes) -> NDArray[np.uint16]:
    return np.frombuffer(bytearray(zlib.decompress(packed)), np.uint16).reshape(TILE, TILE)
