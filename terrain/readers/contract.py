"""What a reader gives: heights of points, in the coordinates of their file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

SNAP = 5e-7
"""Cells. As near to a sample or to the border as that is on it: coordinates are written with so many digits. Larger: heights change by more
than 1e-6 of the slope; smaller: a point on a sample beside a void has no height."""
LONLAT, LOCAL, PIXELS, MAP = "lonlat", "local", "pixels", "map"
"""Kinds of coordinates: degrees of longitude and latitude, metres of our own, samples from the south-west one, metres on a map."""


class ElevationSource(Protocol):
    """Heights of a file."""

    @property
    def kind(self) -> str:
        """Of its coordinates."""

    @property
    def crs(self) -> str:
        """Code or text of their reference system; empty when the file says none."""

    def heights(self, x: Values, y: Values) -> Values:
        """Raw heights [m] of points (m,), bilinear between samples; NaN where there are none."""

    def smooth(self, x: Values, y: Values) -> Values:
        """The same as a surface to drive on: C1 between samples where there are samples."""

    def inside(self, x: Values, y: Values) -> NDArray[np.bool_]:
        """Whether points lie within the data; one without a height there is in a void."""

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """x_min, x_max, y_min, y_max of the data."""

    @property
    def step(self) -> tuple[float, float]:
        """Distance of samples along x and y; of what has none, a distance at which nothing that matters is lost."""

    def about(self) -> dict[str, Any]:
        """What there is to say of it: size, spacing, range, voids."""


@dataclass(frozen=True)
class Raster:
    """Samples on a grid.

    Attributes
    ----------
    samples : (rows, columns) heights [m], NaN at voids
    corner : x, y of samples[0, 0]
    along_row, along_column : x, y from a sample to the next one of its row, and of its column
    note : what else is to say of the file
    """

    samples: Values
    corner: Values
    along_row: Values
    along_column: Values
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
        """Samples without a height."""
        return int(np.isnan(self.samples).sum())

    def northward(self) -> Raster | None:
        """The same with rows that run to the east and columns to the north; None: it lies askew."""
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

    def _places(self, x: Values, y: Values) -> tuple[Values, Values]:
        """Column and row of points, with fractions."""
        (a, c), (b, d) = self.along_row, self.along_column
        dx, dy, area = x - self.corner[0], y - self.corner[1], a * d - b * c
        out = []
        for place in ((d * dx - b * dy) / area, (a * dy - c * dx) / area):
            near = np.rint(place)
            out.append(np.where(np.abs(place - near) < SNAP, near, place))
        return out[0], out[1]

    def inside(self, x: Values, y: Values) -> NDArray[np.bool_]:
        column, row = self._places(x, y)
        rows, columns = self.samples.shape
        return (column >= 0.0) & (column <= columns - 1) & (row >= 0.0) & (row <= rows - 1)

    def heights(self, x: Values, y: Values) -> Values:
        return self._blended(x, y, (0, 1), lambda t: (1.0 - t, t))

    def nearest(self, x: Values, y: Values) -> Values:
        """Samples nearest to points; NaN outside, half a cell beyond the outermost ones."""
        column, row = self._places(x, y)
        rows, columns = self.samples.shape
        i, j = np.rint(column), np.rint(row)
        inside = (i >= 0) & (i < columns) & (j >= 0) & (j < rows)
        out = np.full(len(x), np.nan)
        out[inside] = self.samples[j[inside].astype(np.intp), i[inside].astype(np.intp)]
        return out

    def smooth(self, x: Values, y: Values) -> Values:
        return self._blended(x, y, (-1, 0, 1, 2), _catmull_rom)

    def _blended(self, x: Values, y: Values, taps: tuple[int, ...], weights: Any) -> Values:
        """Sum of samples around points by weights along each axis; a sample of weight 0 may be a void."""
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
        held = self.samples[~np.isnan(self.samples)]
        said: dict[str, Any] = {
            "samples": [columns, rows],
            "spacing": [math.hypot(*self.along_row), math.hypot(*self.along_column)],
            "heights": [float(held.min()), float(held.max())] if held.size else [],
            "voids": voids,
        }
        if voids:
            j, i = np.argwhere(np.isnan(self.samples))[0]
            said["first_void"] = (self.corner + i * self.along_row + j * self.along_column).tolist()
        return said | dict(self.note)


def _catmull_rom(t: Values) -> tuple[Values, Values, Values, Values]:
    """Weights of the four samples around a place."""
    return (
        0.5 * t * (t * (2.0 - t) - 1.0),
        0.5 * (t * t * (3.0 * t - 5.0) + 2.0),
        0.5 * t * (t * (4.0 - 3.0 * t) + 1.0),
        0.5 * t * t * (t - 1.0),
    )
