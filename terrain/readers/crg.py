"""OpenCRG roads (.crg): reader; see `terrain.readers.crg_file` for the file format and `terrain.readers.crg_road` for the geometry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrain.readers.contract import LOCAL, ElevationSource, FloatArray
from terrain.readers.crg_file import read_crg_file
from terrain.readers.crg_road import CrgRoad
from terrain.readers.request import ReadRequest


@dataclass(frozen=True)
class CrgSurface:
    """A road as elevation source: x and y are those of its reference line."""

    road: CrgRoad
    kind: str = LOCAL
    crs: str = ""

    def heights(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return self.road.heights(x, y)

    def smooth(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return self.road.heights(x, y)

    def inside(self, x: FloatArray, y: FloatArray) -> NDArray[np.bool_]:
        u, v = self.road.coordinates(x, y).T
        return self.on_road(u, v)

    def on_road(self, u: FloatArray, v: FloatArray) -> NDArray[np.bool_]:
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
    return CrgSurface(CrgRoad(read_crg_file(request.path), raw=not request.said.get("modifiers", True)))
