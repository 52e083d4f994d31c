"""Read request: a file, the options for it, and names for messages. Conversion of samples to heights on a grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import NOTHING, ConfigError
from terrain.readers.contract import LOCAL, PIXELS, Raster

SMALLEST, LARGEST = 2, 16385
"""Minimum and maximum number of samples along a side."""
MAX_SAMPLES = 8193 * 8193
"""Maximum number of samples of one file. Larger files need more than half a gigabyte in double precision."""
HIGHEST = 12_000.0
"""m. Limit of heights on Earth; larger magnitudes are undeclared voids or another unit."""
FARTHEST = 1e8
"""m. Limit of horizontal coordinates: beyond those of all maps and of the center of the Earth."""
SUSPECTS = (-32768.0, -32767.0, -9999.0, -99999.0)
"""Common values for "no data"; they are rejected as heights unless the user declares them."""
SIDES = ("north", "south", "east", "west")


@dataclass
class ReadRequest:
    """Request to read one file.

    Attributes
    ----------
    path : path of the elevation file
    said : checked options of the section that names the file, in SI
    file, key : file and key of that section, for messages
    assumed : list that receives the assumed default values, as text; None: a missing option is an error
    indices : True if the samples are indices of soils: 8 bits are sufficient, and values are not heights
    """

    path: Path
    said: Mapping[str, Any]
    file: object
    key: str = "heights"
    assumed: list[str] | None = None
    indices: bool = False

    def need(self, key: str, usual: Any, expected: str) -> Any:
        """Return the option `key`, or `usual` if defaults may be assumed; else raise ConfigError."""
        if key in self.said:
            return self.said[key]
        if self.assumed is None:
            raise ConfigError(self.file, f"{self.key}.{key}", NOTHING, expected)
        self.assumed.append(f"{key} {' '.join(map(str, usual)) if isinstance(usual, tuple) else usual}")
        return usual

    def wrong(self, found: object, expected: str) -> ConfigError:
        """Return a ConfigError about the elevation file itself."""
        return ConfigError(self.path, "", found, expected)

    def check_size(self, columns: int, rows: int) -> None:
        """Raise ConfigError for too many or too few samples. Called before samples are read."""
        if not (min(columns, rows) >= SMALLEST and max(columns, rows) <= LARGEST and columns * rows <= MAX_SAMPLES):
            raise self.wrong((rows, columns), f"rows x columns with sides from {SMALLEST} to {LARGEST} and at most {MAX_SAMPLES} samples")


@dataclass(frozen=True)
class RasterSamples:
    """Content of an array file.

    Attributes
    ----------
    values : (rows, columns) raw samples
    voids : (rows, columns) mask of the samples that the file itself declares as voids
    scale, offset : factor and offset [m] of the file itself, applied after those of the options
    """

    values: NDArray[Any]
    voids: NDArray[np.bool_] | None = None
    note: Mapping[str, Any] = field(default_factory=dict)
    scale: float = 1.0
    offset: float = 0.0


def heights_of(request: ReadRequest, samples: RasterSamples, scaled: bool = True) -> Array:
    """Return the heights [m] of samples, NaN at voids.

    Parameters
    ----------
    scaled : True if the file is in meters by definition, so that no scale is required

    Raises
    ------
    ConfigError : undeclared voids, infinite or impossible heights
    """
    values = samples.values
    voids = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, bool)
    if samples.voids is not None:
        voids |= samples.voids
    declared = request.said.get("voids")
    if declared is not None and declared != "none":
        voids |= values == declared
    if request.indices:
        return np.where(voids, np.nan, values.astype(np.float64))
    if declared is None and values.dtype.kind in "if":
        _reject_undeclared_voids(request, values, voids)
    scale, offset = _scale(request, values, scaled)
    with np.errstate(invalid="ignore", over="ignore"):
        heights = (values.astype(np.float64) * scale + offset) * samples.scale + samples.offset
        heights[voids] = 0.0
        beyond = ~(np.abs(heights) <= HIGHEST)
        heights[voids] = np.nan
    if beyond.any() and (request.assumed is None or values.dtype.kind != "u"):
        row, column = np.argwhere(beyond)[0]
        found = f"{heights[row, column]:g} m in column {column} of row {row}"
        raise request.wrong(found, f"heights within {HIGHEST:g} m (set voids if that value means no data, or scale for another unit)")
    if voids.all():
        raise request.wrong("only voids", "at least one height")
    return heights


def _reject_undeclared_voids(request: ReadRequest, values: NDArray[Any], voids: NDArray[np.bool_]) -> None:
    """Raise ConfigError for values that are probably undeclared voids."""
    for suspect in SUSPECTS:
        found = (values == suspect) & ~voids
        if found.any():
            row, column = np.argwhere(found)[0]
            raise request.wrong(
                f"{int(found.sum())} samples of {suspect:g}, the first in column {column} of row {row} that the file does not declare as voids",
                f"the key voids: {suspect:g} (jounce terrain import {request.path.name} --set voids={suspect:g} --out NAME fills voids), "
                "or voids: none if these are heights",
            )


def _scale(request: ReadRequest, values: NDArray[Any], scaled: bool) -> tuple[float, float]:
    """Return factor and offset [m] from samples to heights."""
    said = request.said
    if "range" in said:
        if "scale" in said or "offset" in said:
            raise ConfigError(request.file, f"{request.key}.range", said["range"], "either range, or scale and offset, not both")
        if values.dtype != np.uint16:
            raise ConfigError(
                request.file,
                f"{request.key}.range",
                said["range"],
                f"no range, because it applies to 16-bit samples only (samples are {values.dtype})",
            )
        low, high = said["range"]
        return float(high - low) / 65535.0, float(low)
    if scaled:
        return float(said.get("scale", 1.0)), float(said.get("offset", 0.0))
    expected = "a number in m: height per count or height of count zero (or the key range: heights of counts 0 and 65535)"
    return float(request.need("scale", 1.0, expected)), float(request.need("offset", 0.0, expected))


def raster_of(request: ReadRequest, heights: Array, note: Mapping[str, Any], kind: str = LOCAL) -> Raster:
    """Return the raster of an array file, with the orientation and position given by the options."""
    said = request.said
    first_row = request.need("first_row", "north", f"the side of the first row: {', '.join(SIDES)}")
    runs = said.get("row_runs", "east")
    if (runs in ("east", "west")) != (first_row in ("north", "south")):
        raise ConfigError(request.file, f"{request.key}.first_row", first_row, f"a side that matches row_runs: {runs}")
    oriented = _reoriented(heights, first_row, runs)
    counts = np.array(oriented.shape[::-1]) - 1.0
    if "extent" in said:
        if "spacing" in said:
            raise ConfigError(request.file, f"{request.key}.extent", said["extent"], "either spacing or extent, not both")
        spacing = said["extent"] / counts
    else:
        spacing = np.asarray(
            request.need(
                "spacing",
                (1.0, 1.0),
                "distance of samples along x and y in m (or the key extent: distance from the first to the last sample)",
            )
        )
    origin = np.asarray(request.need("origin", (0.0, 0.0), "x, y of the south-west sample in m"), np.float64)
    usual = request.assumed is not None and "spacing" not in said and "extent" not in said
    along = np.array((spacing[0], 0.0)), np.array((0.0, spacing[1]))
    return Raster(oriented, origin, *along, PIXELS if usual else kind, note=note)


def _reoriented(values: Array, first_row: str, runs: str) -> Array:
    """Return an array with rows from the south, each from the west, for any orientation of `values`."""
    if runs in ("north", "south"):
        return _reoriented(values.T, _opposite(runs), "east" if first_row == "west" else "west")
    oriented = values[::-1] if first_row == "north" else values
    return np.ascontiguousarray(oriented[:, ::-1] if runs == "west" else oriented)


def _opposite(runs: str) -> str:
    """Return the side opposite to `runs`, on which columns start."""
    return {"north": "south", "south": "north"}[runs]


def missing(request: ReadRequest, package: str) -> ConfigError:
    """Return the ConfigError for a missing library."""
    from simulator.base.installation import install_extra

    return request.wrong(f"package {package} not installed", f"an installed package (run {install_extra('terrain')})")
