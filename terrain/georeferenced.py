"""Elevation data in the coordinates of a terrain: x to the east, y to the north, in m from a local origin.

A file with map coordinates or degrees needs a `georeference` section: the point of the map that becomes x = y = 0. If that section
uses another coordinate reference system than the file, points are transformed one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import NOTHING, ConfigError
from simulator.base.fields import Field, Group, Number, Text
from simulator.base.values import Values
from terrain.kinds import find_file
from terrain.readers.contract import LONLAT, MAP, ElevationSource, Raster
from terrain.readers.coordinate_reference import FOREIGN, check_true_lengths, kind_of, transformed
from terrain.readers.kinds import FIELDS, check_options, read_heights
from terrain.readers.request import ReadRequest

GEOREFERENCE = Field(
    "georeference",
    Group(
        (
            Field(
                "crs", Text("a reference system such as EPSG:32633"), "coordinate reference system in m; default: that of the file", None
            ),
            Field("origin", Number("m", -1e8, 1e8, shape=(2,)), "east and north of the point that becomes x = y = 0"),
        )
    ),
    "position of the terrain on Earth; required by elevation data with map coordinates",
    None,
)


@dataclass(frozen=True)
class GeoreferencedSource:
    """An elevation source that is queried in x, y of the terrain.

    Attributes
    ----------
    shift : coordinates at x = y = 0, in the system of the file or in `crs`
    crs : reference system of x + shift; empty: that of the file
    said_by, key : file and key that give the position, for messages
    """

    source: ElevationSource
    shift: Array
    crs: str
    said_by: str
    key: str

    def in_file(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Return the coordinates in the file of points of the terrain."""
        east, north = x + self.shift[0], y + self.shift[1]
        return transformed(east, north, self.crs, self.source.crs, self.said_by, self.key) if self.crs else (east, north)

    def heights(self, x: Array, y: Array) -> Array:
        """Return bilinear heights [m], NaN at voids."""
        return self.source.heights(*self.in_file(x, y))

    def smooth(self, x: Array, y: Array) -> Array:
        """Return the heights [m] of the C1 surface."""
        return self.source.smooth(*self.in_file(x, y))

    def inside(self, x: Array, y: Array) -> NDArray[np.bool_]:
        """Return True for points within the data."""
        return self.source.inside(*self.in_file(x, y))

    @property
    def straight(self) -> Raster | None:
        """The samples if their axes are parallel to x and y of the terrain, else None."""
        raster = self.source.northward() if isinstance(self.source, Raster) and not self.crs else None
        if raster is None:
            return None
        return Raster(raster.samples, raster.corner - self.shift, raster.along_row, raster.along_column)

    @property
    def bounds(self) -> tuple[float, float, float, float] | None:
        """x_min, x_max, y_min, y_max of the terrain; None if the data are rotated against the terrain axes."""
        if self.crs:
            return None
        x0, x1, y0, y1 = self.source.bounds
        return x0 - self.shift[0], x1 - self.shift[0], y0 - self.shift[1], y1 - self.shift[1]


def placed(data: Values, georeference: Values | None, folder: Path, indices: bool = False) -> GeoreferencedSource:
    """Read the elevation data that a section describes, and place them in the coordinates of the terrain.

    Raises
    ------
    ConfigError : the file is unusable, or its position is not specified
    """
    options = {field.name: data[field.name] for field in FIELDS if field.name in data}
    check_options(Path(options["file"]), options, data.file, data.key, indices)
    path = find_file(options["file"], data.file, folder, "an elevation file")
    source = read_heights(ReadRequest(path, options, data.file, data.key, indices=indices))
    if indices and not isinstance(source, Raster):
        raise ConfigError(path, "", path.suffix, "a raster file")
    key = "georeference.crs"
    if source.kind in (LONLAT, FOREIGN, MAP) and georeference is None:
        raise ConfigError(
            data.file,
            "georeference",
            NOTHING,
            f"a section with origin (point that becomes x = y = 0; the file covers {_extent(source)}) and crs (in m)",
        )
    if source.kind not in (LONLAT, FOREIGN, MAP):
        return GeoreferencedSource(source, -data.get("at", np.zeros(2)), "", data.file, key)
    assert georeference is not None
    crs, shift = georeference.get("crs", ""), georeference["origin"]
    if source.kind == MAP or crs:
        check_true_lengths(crs or source.crs, float(shift[0]), float(shift[1]), data.file, key)
    if source.kind == MAP and (not crs or not source.crs or crs == source.crs):
        return GeoreferencedSource(source, shift, "", data.file, key)
    if not crs or kind_of(crs, data.file, key) != MAP:
        raise ConfigError(data.file, key, crs or NOTHING, f"a reference system in m, such as a UTM zone (the file uses {source.crs[:40]})")
    return GeoreferencedSource(source, shift, crs, data.file, key)


def _extent(source: ElevationSource) -> str:
    x0, x1, y0, y1 = source.bounds
    return f"{x0:.10g} to {x1:.10g} and {y0:.10g} to {y1:.10g}"


def on_nodes(of: Any, x: Array, y: Array) -> Array:
    """Evaluate a function of points at the nodes of a grid, a few rows at a time; returns (len(y), len(x))."""
    out = np.empty((len(y), len(x)))
    rows = max(1, 1_000_000 // len(x))
    for k in range(0, len(y), rows):
        part = y[k : k + rows]
        out[k : k + rows] = of(np.tile(x, len(part)), np.repeat(part, len(x))).reshape(len(part), len(x))
    return out
