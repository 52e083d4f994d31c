"""OpenCRG roads (.crg): reader; see `terrain.readers.crg_file` for the file format and `terrain.readers.crg_road` for the geometry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from terrain.readers.contract import LOCAL, ElevationSource
from terrain.readers.crg_file import read_crg_file
from terrain.readers.crg_road import CrgRoad
from terrain.readers.request import FARTHEST, HIGHEST, ReadRequest


@dataclass(frozen=True)
class CrgSurface:
    """A road as elevation source: x and y are those of its reference line."""

    road: CrgRoad
    kind: str = LOCAL
    crs: str = ""

    def heights(self, x: Array, y: Array) -> Array:
        return self.road.heights(x, y)

    def smooth(self, x: Array, y: Array) -> Array:
        return self.road.heights(x, y)

    def inside(self, x: Array, y: Array) -> NDArray[np.bool_]:
        u, v = self.road.coordinates(x, y).T
        return self.on_road(u, v)

    def on_road(self, u: Array, v: Array) -> NDArray[np.bool_]:
        """Return True for positions within the data."""
        road = self.road
        return (u >= road.u0) & (u <= road.u1) & (v >= road.v[0]) & (v <= road.v[-1])

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        road = self.road
        u = np.asarray(road.u0 + road.step * np.arange(road.n), np.float64)
        edges = np.concatenate([road.places(u, np.full(road.n, float(v))) for v in (road.v[0], road.v[-1])])
        return float(edges[:, 0].min()), float(edges[:, 0].max()), float(edges[:, 1].min()), float(edges[:, 1].max())

    @property
    def step(self) -> tuple[float, float]:
        finest = min(self.road.step, float(np.diff(self.road.v).min()))
        return finest, finest

    def about(self) -> dict[str, Any]:
        road, z = self.road, self.road.z
        return {
            "samples": [road.n, len(road.v)],
            "u": [road.u0, road.u1],
            "v": [float(road.v[0]), float(road.v[-1])],
            "increment": road.step,
            "grid_heights": [float(np.nanmin(z)), float(np.nanmax(z))] if np.isfinite(z).any() else [],
            "voids": int(np.isnan(z).sum()),
        }


def read(request: ReadRequest) -> ElevationSource:
    """Read a road. Raises ConfigError as `read_crg_file`."""
    with np.errstate(over="ignore", invalid="ignore"):
        road = CrgRoad(read_crg_file(request.path), raw=not request.said.get("modifiers", True))
        _check(request, road)
    return CrgSurface(road)


def _check(request: ReadRequest, road: CrgRoad) -> None:
    """Raise ConfigError if header, slope, banking, modifiers or options give a road heights or positions that are none."""
    line = road.height + road.lift
    edges = [line + road.bank * side for side in (road.v[0], road.v[-1])]
    grid = [float(np.nanmin(road.z)), float(np.nanmax(road.z))]
    options = [road.options.get(key, 0.0) for key in ("border_offset_u", "border_offset_v")]
    height = max(float(np.abs(part).max()) for part in (line, *edges, line + grid[0], line + grid[1], options))
    if np.isnan(height):
        raise request.wrong("missing heights at the start of the road or at its reference point", "a height at both")
    if not height <= HIGHEST:
        raise request.wrong(f"a height of {height:g} m from header, slope, banking or modifiers", f"heights within {HIGHEST:g} m")
    place = max(float(np.abs(part).max()) for part in (road.line.xy, road.line.first, road.line.last, road.v))
    if not place <= FARTHEST:
        raise request.wrong(f"a position of {place:g} m", f"positions within {FARTHEST:g} m")
