"""The grid on which ruts are remembered, and the file of them that a run leaves.

Nodes lie SPACING apart at whole multiples of it in W; TILE x TILE of them are a tile: node [0, 0] of the tile (i, j) lies at x, y = SPACING TILE (i, j).
A node keeps the greatest depth [m] to which a wheel pressed soil of hardness 0 there, in units of UNIT.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.npy_reader import read_npz

SPACING = 0.05
"""m between two nodes."""
BITS = 4
TILE = 1 << BITS
"""Nodes along a side of a tile."""
TILE_SIDE = TILE * SPACING
"""m"""
UNIT = 1e-4
"""m. Deepest possible rut: 6.5 m."""
MOST = 1 << 22
"""Largest index of a tile in a file, 3000 km from the origin."""
_FILE = "the ruts that a run has left"

Places = NDArray[np.int32]
Depths = NDArray[np.uint16]


def write_ruts(stream: BinaryIO, terrain: str, places: Places, depths: Depths) -> None:
    """Write tiles, places (n, 2) and depths (n, TILE, TILE), as an .npz file beside `terrain`, the name of the ground, `spacing` and `unit` [m]."""
    grid = {"spacing": np.array(SPACING), "unit": np.array(UNIT)}
    np.savez_compressed(stream, terrain=np.array(terrain), places=places, depths=depths, **grid)  # type: ignore[arg-type]


def read_ruts(file: Path, terrain: str | None = None) -> tuple[Places, Depths]:
    """Places (n, 2) and depths (n, TILE, TILE) of the tiles in a file that `write_ruts` wrote.

    Raises ConfigError: no such file, not one of ruts, or those of another ground than that of the name `terrain`.
    """
    arrays = read_npz(file, _FILE)
    for name, kind, shape in (("places", np.int32, (2,)), ("depths", np.uint16, (TILE, TILE))):
        if name not in arrays or arrays[name].dtype != kind or arrays[name].shape[1:] != shape:
            found = f"{arrays[name].dtype} {arrays[name].shape}" if name in arrays else "nothing"
            raise ConfigError(file, name, found, f"{np.dtype(kind)} of shape (n, {', '.join(map(str, shape))})")
    for name, value in (("spacing", SPACING), ("unit", UNIT)):
        if name not in arrays or arrays[name].shape or arrays[name] != value:
            raise ConfigError(file, name, str(arrays.get(name, "nothing")), f"{value:g} m")
    places, depths = arrays["places"], arrays["depths"]
    if len(places) != len(depths):
        raise ConfigError(file, "depths", len(depths), f"as many tiles as places, {len(places)}")
    farthest = int(np.abs(places.astype(np.int64)).max(initial=0))
    if farthest > MOST:
        raise ConfigError(file, "places", farthest, f"tiles at most {MOST} from the origin")
    named = str(arrays.get("terrain", ""))
    if terrain is not None and named != terrain:
        raise ConfigError(file, "terrain", named, f"{terrain}, on which is driven now")
    return places, depths
