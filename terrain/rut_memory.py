"""The memory of one drive: the ruts that kernels write, what did not find room among them any more, and the file of a run.

Tiles that had to make room in the pool wait in a ring; `serve`, called at fixed ticks, takes them out into a store, packed, and brings those
near the vehicle back. That is a matter of ticks and never of the wall clock, so a drive gives the same bits on any machine.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fast_call import compiled_call
from terrain.ground import Ground
from terrain.rut_grid import TILE, TILE_SIDE, read_ruts, write_ruts
from terrain.ruts import NO_RUTS, Ruts, depth_across, merge_tile, new_ruts

TILES = 1 << 18
"""Of the pool: two ruts of 50 km and more, 140 MB when all of them are in use."""
RING = 4096
"""Tiles that may wait to be taken out: more than a vehicle drives over, or `serve` brings back, between two turns."""
CHANGES = 1 << 13
"""Changes that are kept for those who draw them: about ten seconds of a drive."""
BLOCK_BITS = 5
BLOCK = 1 << BLOCK_BITS
"""Tiles along a side of a block, which comes back as a whole: 25.6 m. With its eight neighbors the soil is known at least that far around the
vehicle, which comes no farther than half a meter between two turns at 50 m/s."""
FEWEST = 9 * BLOCK * BLOCK
"""Tiles of a pool at least: what lies around the vehicle must have room."""
_BYTES = 2 * TILE * TILE

Place = tuple[int, int]


class SoilMemory:
    """Ruts of one drive.

    Parameters
    ----------
    tiles : of the pool; 0: nothing is remembered
    ring : tiles that may wait

    Attributes
    ----------
    arrays : what kernels take
    """

    def __init__(self, tiles: int = TILES, ring: int = RING) -> None:
        if 0 < tiles < FEWEST:
            raise ValueError(f"{tiles} tiles, expected none or at least {FEWEST}")
        self.arrays: Ruts = new_ruts(tiles, ring, CHANGES) if tiles else NO_RUTS
        self._state = self.arrays.state[0]
        self._store: dict[Place, dict[Place, bytes]] = {}
        """Packed tiles by their places, by blocks."""
        self._merge: Callable[..., None] = merge_tile

    @classmethod
    def of(cls, ground: Ground) -> SoilMemory:
        """A fresh one for a ground, without tiles where no soil is."""
        return cls(TILES if ground.is_soft else 0)

    @property
    def remembers(self) -> bool:
        """Whether there is anything to write into."""
        return len(self.arrays.depths) > 0

    @property
    def is_virgin(self) -> bool:
        """Whether nobody has driven on it."""
        return self._state["tiles"] == 0 and not self._store

    @property
    def forgotten(self) -> int:
        """Tiles that were lost, as nobody served the memory in time."""
        return int(self._state["forgotten"])

    def warm(self) -> None:
        """Have what `serve` calls compiled, or loaded, before it is in a hurry."""
        self._merge = compiled_call(merge_tile, self.arrays, 0, 0, self.arrays.ring_depths[:1].reshape(-1, TILE))

    def serve(self, x: float, y: float) -> None:
        """Take out what had to make room, and bring back what lies around (x, y) [m]. At fixed ticks."""
        if not self.remembers:
            return
        self._state["epoch"] += 1
        if self._state["spilled"] != self._state["taken"]:
            self._drain()
        if self._store and abs(x) + abs(y) < 1e9:
            side = TILE_SIDE * BLOCK
            self._bring_back(int(x // side), int(y // side))

    def _drain(self) -> None:
        """Out of the ring into the store."""
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

    def _bring_back(self, block_x: int, block_y: int) -> None:
        """The tiles of a block and of its neighbors, those that are in the store."""
        for by in range(block_y - 1, block_y + 2):
            for bx in range(block_x - 1, block_x + 2):
                for (ix, iy), packed in self._store.pop((bx, by), {}).items():
                    if self._state["spilled"] - self._state["taken"] == len(self.arrays.ring_depths):
                        self._drain()
                    self._merge(self.arrays, ix, iy, _unpacked(packed))

    def depth(self, x: float, y: float) -> float:
        """Depth of the ruts [m] at a point, of soil of hardness 0; of a place far from the vehicle only while it is in the pool."""
        return float(depth_across(self.arrays, float(x), float(y), 1.0, 0.0, 0.0))

    def tiles(self) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """Everything that was driven on, in order: places (n, 2) of the tiles and their depths (n, TILE, TILE), as in `Ruts`."""
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
        """Write all ruts as a file of `terrain.rut_grid`, with the name of the ground."""
        write_ruts(stream, terrain, *self.tiles())

    def load(self, file: Path, terrain: str) -> None:
        """Begin in the ruts of a file that `save` wrote. Raises ConfigError, also where they are those of a ground of another name."""
        places, depths = read_ruts(file, terrain)
        if not self.remembers:
            raise ConfigError(file, "terrain", terrain, "a ground with soil on it")
        for (ix, iy), tile in zip(places.tolist(), depths, strict=True):
            block = self._store.setdefault((ix >> BLOCK_BITS, iy >> BLOCK_BITS), {})
            block[ix, iy] = zlib.compress(tile.tobytes(), 1)


def _unpacked(packed: bytes) -> NDArray[np.uint16]:
    return np.frombuffer(bytearray(zlib.decompress(packed)), np.uint16).reshape(TILE, TILE)
