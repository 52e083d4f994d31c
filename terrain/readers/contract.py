"""Result of a reader: heights at points, in the coordinates of the file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array

SNAP = 5e-7
"""Cells. Tolerance within which a point counts as on a sample or on the border, for coordinates rounded in text files. Larger: heights change by more
than 1e-6 of the slope. Smaller: a point on a sample next to a void has no height."""
LONLAT, LOCAL, PIXELS, MAP = "lonlat", "local", "pixels", "map"
"""Kinds of coordinates: degrees of longitude and latitude, local meters, samples from the south-west one, meters on a map."""


class ElevationSource(Protocol):
    """Heights of one file."""

    @property
    def kind(self) -> str:
        """Kind of the coordinates."""

    @property
    def crs(self) -> str:
        """Code or text of the coordinate reference system; empty if the file has none."""

    def heights(self, x: Array, y: Array) -> Array:
        """Return raw heights [m] of points (m,), bilinear between samples; NaN without data."""

    def smooth(self, x: Array, y: Array) -> Array:
        """Return heights [m] of points (m,) of a surface for driving: C1 between samples, if the file has samples."""

    def inside(self, x: Array, y: Array) -> NDArray[np.bool_]:
        """Return True for points within the data; such a point without a height is in a void."""

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """x_min, x_max, y_min, y_max of the data."""

    @property
    def step(self) -> tuple[float, float]:
        """Distance of samples along x and y; for data without samples, a distance that resolves all relevant detail."""

    def about(self) -> dict[str, Any]:
        """Return a summary: size, spacing, range, voids."""


@dataclass(frozen=True)
class Raster:
    """Samples on a grid.

    Attributes
    ----------
    samples : (rows, columns) heights [m], NaN at voids
    corner : x, y of samples[0, 0]
    along_row, along_column : x, y from a sample to the next sample of the row, and of the column
    note : additional entries for `about`
    """

    samples: Array
    corner: Array
    along_row: Array
    along_column: Array
    kind: str = LOCAL
    crs: str = ""
    note: Mapping[str, Any] = field(default_factory=dict)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        rows, columns = self.samples.shape
        ends = np.array(
            [self.corner + a * (columns - 1) * self.along_row + b * (rows - 1) * self.along_column for a in (0, 1) for b in (0, 1)]
        )
        return float(ends[:, 0].min()), float(ends[:, 0].max()), float(ends[:, 1].min()), float(ends[:, 1].max())

    @property
    def step(self) -> tuple[float, float]:
        extent = np.abs(self.along_row) + np.abs(self.along_column)
        return float(extent[0]), float(extent[1])

    @property
    def voids(self) -> int:
        """Number of samples without a height."""
        return int(np.isnan(self.samples).sum())

    def northward(self) -> Raster | None:
        """Return the raster with rows to the east and columns to the north; None if its axes are rotated."""
        raster = self
        if abs(raster.along_row[0]) < abs(raster.along_row[1]):
            raster = Raster(raster.samples.T, raster.corner, raster.along_column, raster.along_row, self.kind, self.crs, self.note)
        if raster.along_row[1] != 0.0 or raster.along_column[0] != 0.0:
            return None
        samples, corner, row, column = raster.samples, raster.corner, raster.along_row, raster.along_column
        if row[0] < 0.0:
            samples, corner, row = samples[:, ::-1], corner + (samples.shape[1] - 1) * row, -row
        if column[1] < 0.0:
            samples, corner, column = samples[::-1], corner + (samples.shape[0] - 1) * column, -column
        return Raster(np.ascontiguousarray(samples), corner, row + 0.0, column + 0.0, self.kind, self.crs, self.note)

    def _places(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Return the fractional columns and rows of points."""
        (a, c), (b, d) = self.along_row, self.along_column
        dx, dy, area = x - self.corner[0], y - self.corner[1], a * d - b * c
        out = []
        for place in ((d * dx - b * dy) / area, (a * dy - c * dx) / area):
            near = np.rint(place)
            out.append(np.where(np.abs(place - near) < SNAP, near, place))
        return out[0], out[1]

    def inside(self, x: Array, y: Array) -> NDArray[np.bool_]:
        column, row = self._places(x, y)
        rows, columns = self.samples.shape
        return (column >= 0.0) & (column <= columns - 1) & (row >= 0.0) & (row <= rows - 1)

    def heights(self, x: Array, y: Array) -> Array:
        return self._blended(x, y, (0, 1), lambda t: (1.0 - t, t))

    def nearest(self, x: Array, y: Array) -> Array:
        """Return the samples nearest to points, midway the eastern and northern ones; NaN more than half a cell outside the outermost samples."""
        column, row = self._places(x, y)
        rows, columns = self.samples.shape
        inside = (column >= -0.5) & (column <= columns - 0.5) & (row >= -0.5) & (row <= rows - 0.5)
        i, j = np.minimum(np.floor(column + 0.5), columns - 1), np.minimum(np.floor(row + 0.5), rows - 1)
        out = np.full(len(x), np.nan)
        out[inside] = self.samples[j[inside].astype(np.intp), i[inside].astype(np.intp)]
        return out

    def smooth(self, x: Array, y: Array) -> Array:
        return self._blended(x, y, (-1, 0, 1, 2), _catmull_rom)

    def _blended(self, x: Array, y: Array, taps: tuple[int, ...], weights: Any) -> Array:
        """Return the weighted sum of samples around points; a sample of weight 0 may be a void."""
        column, row = self._places(x, y)
        rows, columns = self.samples.shape
        inside = (column >= 0.0) & (column <= columns - 1) & (row >= 0.0) & (row <= rows - 1)
        column, row = (np.where(inside, place, 0.0) for place in (column, row))
        i, j = (np.minimum(np.floor(place), n - 2).astype(np.intp) for place, n in ((column, columns), (row, rows)))
        a, b = weights(column - i), weights(row - j)
        out = np.where(inside, 0.0, np.nan)
        for k, v in zip(taps, b, strict=True):
            for m, u in zip(taps, a, strict=True):
                weight = u * v
                sample = self.samples[np.clip(j + k, 0, rows - 1), np.clip(i + m, 0, columns - 1)]
                out += np.where(weight == 0.0, 0.0, weight * sample)
        return np.asarray(out, np.float64)

    def about(self) -> dict[str, Any]:
        rows, columns = self.samples.shape
        voids = self.voids
        valid = self.samples[~np.isnan(self.samples)]
        summary: dict[str, Any] = {
            "samples": [columns, rows],
            "spacing": [math.hypot(*self.along_row), math.hypot(*self.along_column)],
            "heights": [float(valid.min()), float(valid.max())] if valid.size else [],
            "voids": voids,
        }
        if voids:
            j, i = np.argwhere(np.isnan(self.samples))[0]
            summary["first_void"] = (self.corner + i * self.along_row + j * self.along_column).tolist()
        return summary | dict(self.note)


def _catmull_rom(t: Array) -> tuple[Array, Array, Array, Array]:
    """Return the weights of the four samples around a position t."""
    return (
        0.5 * t * (t * (2.0 - t) - 1.0),
        0.5 * (t * t * (3.0 * t - 5.0) + 2.0),
        0.5 * t * (t * (4.0 - 3.0 * t) + 1.0),
        0.5 * t * t * (t - 1.0),
    )
