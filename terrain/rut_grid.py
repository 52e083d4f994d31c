"""Grid of the rut memory, and the rut file of a run.

Nodes are at integer multiples of SPACING in W. A tile has TILE x TILE nodes; node [0, 0] of the tile (i, j) is at x, y = SPACING TILE (i, j).
A node stores the maximum depth [m] to which a wheel pressed soil of hardness 0, in units of UNIT.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import NOTHING, ConfigError
from simulator.base.npy_reader import read_npz

SPACING = 0.05
"""m. Distance between two nodes."""
BITS = 4
TILE = 1 << BITS
"""Nodes along a side of a tile."""
TILE_SIDE = TILE * SPACING
"""m. Side length of a tile."""
UNIT = 1e-4
"""m. The maximum rut depth is 6.5 m."""
MOST = 1 << 22
"""Maximum index of a tile in a file, 3000 km from the origin."""
_FILE = "a rut file of a run"

Places = NDArray[np.int32]
Depths = NDArray[np.uint16]


def write_ruts(stream: BinaryIO, terrain: str, places: Places, depths: Depths) -> None:
    """Write tiles, places (n, 2) and depths (n, TILE, TILE), to an .npz file with `terrain` (name of the ground), `spacing` and `unit` [m]."""
    grid = {"spacing": np.array(SPACING), "unit": np.array(UNIT)}
    np.savez_compressed(stream, terrain=np.array(terrain), places=places, depths=depths, **grid)  # type: ignore[arg-type]


def read_ruts(file: Path, terrain: str | None = None) -> tuple[Places, Depths]:
    """Read places (n, 2) and depths (n, TILE, TILE) of the tiles in a file that `write_ruts` wrote.

    Raises
    ------
    ConfigError : file not found, not a rut file, or the ruts of a ground with a name other than `terrain`
    """
    arrays = read_npz(file, _FILE)
    for name, kind, shape in (("places", np.int32, (2,)), ("depths", np.uint16, (TILE, TILE))):
        if name not in arrays or arrays[name].dtype != kind or arrays[name].shape[1:] != shape:
            found = f"{arrays[name].dtype} {arrays[name].shape}" if name in arrays else NOTHING
            raise ConfigError(file, name, found, f"an array of {np.dtype(kind)} of shape (n, {', '.join(map(str, shape))})")
    for name, value in (("spacing", SPACING), ("unit", UNIT)):
        if name not in arrays or arrays[name].shape or arrays[name] != value:
            raise ConfigError(file, name, str(arrays.get(name, NOTHING)), f"{value:g} m")
    places, depths = arrays["places"], arrays["depths"]
    if len(places) != len(depths):
        raise ConfigError(file, "depths", len(depths), f"{len(places)} tiles, one per place")
    farthest = int(np.abs(places.astype(np.int64)).max(initial=0))
    if farthest > MOST:
        raise ConfigError(file, "places", farthest, f"tile indices of at most {MOST}")
    named = str(arrays.get("terrain", ""))
    if terrain is not None and named != terrain:
        raise ConfigError(file, "terrain", named, f"{terrain}, the terrain of this run")
    return places, depths
