"""What is asked of a reader: a file, what is said beside it, and the names for messages. Samples become heights on a grid here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from terrain.readers.contract import LOCAL, PIXELS, Raster, Values

SMALLEST, LARGEST = 2, 16385
"""Samples along a side."""
MOST_SAMPLES = 8193 * 8193
"""Of one file. More take more than half a gigabyte as numbers to calculate with."""
HIGHEST = 12_000.0
"""m. What is farther from zero is no height on Earth: a void that nobody has named, or another unit."""
SUSPECTS = (-32768.0, -32767.0, -9999.0, -99999.0)
"""Values that mean "no data" in so many files that none is taken for a height unless somebody says so."""
SIDES = ("north", "south", "east", "west")
INSTALL = "pip install 'jounce[terrain]'"


@dataclass
class ReadRequest:
    """One file to read.

    Attributes
    ----------
    path : of the file of samples
    said : checked keys of the section that names it, in SI
    file, key : of that section, for messages
    assumed : what nobody has said and is taken as usual, as words; None: whatever is missing is an error
    indices : whether the samples are indices of soils, of which 8 bits are enough and none is a height
    """

    path: Path
    said: Mapping[str, Any]
    file: object
    key: str = "heights"
    assumed: list[str] | None = None
    indices: bool = False

    def need(self, key: str, usual: Any, expected: str) -> Any:
        """What is said under a key. Raises ConfigError: nothing is, where all has to be said."""
        if key in self.said:
            return self.said[key]
        if self.assumed is None:
            raise ConfigError(self.file, f"{self.key}.{key}", "nothing", expected)
        self.assumed.append(f"{key} {' '.join(map(str, usual)) if isinstance(usual, tuple) else usual}")
        return usual

    def wrong(self, found: object, expected: str) -> ConfigError:
        """The complaint about the file of samples itself."""
        return ConfigError(self.path, "", found, expected)

    def check_size(self, columns: int, rows: int) -> None:
        """Raises ConfigError: more samples than can be meant, or fewer than make a surface. Asked before anything is read."""
        if not (min(columns, rows) >= SMALLEST and max(columns, rows) <= LARGEST and columns * rows <= MOST_SAMPLES):
            raise self.wrong((rows, columns), f"rows x columns, each from {SMALLEST} to {LARGEST}, {MOST_SAMPLES} samples at most")


@dataclass(frozen=True)
class RasterSamples:
    """What a file of an array holds.

    Attributes
    ----------
    values : (rows, columns) as they stand in the file
    voids : (rows, columns) which of them the file itself calls voids
    """

    values: NDArray[Any]
    voids: NDArray[np.bool_] | None = None
    note: Mapping[str, Any] = field(default_factory=dict)


def heights_of(asked: ReadRequest, samples: RasterSamples, scaled: bool = True) -> Values:
    """Heights [m] of samples, NaN at voids.

    scaled : whether the file says metres, so that nothing needs to be said of a scale

    Raises
    ------
    ConfigError : values that can only be voids nobody has named, infinite or impossible heights
    """
    values = samples.values
    voids = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, bool)
    if samples.voids is not None:
        voids |= samples.voids
    named = asked.said.get("voids")
    if named is not None and named != "none":
        voids |= values == named
    if asked.indices:
        return np.where(voids, np.nan, values.astype(np.float64))
    if named is None and values.dtype.kind in "if":
        _refuse_unnamed(asked, values, voids)
    scale, offset = _scale(asked, values, scaled)
    with np.errstate(invalid="ignore", over="ignore"):
        heights = values.astype(np.float64) * scale + offset
        heights[voids] = np.nan
        beyond = np.abs(heights) > HIGHEST
    if beyond.any() and (asked.assumed is None or values.dtype.kind != "u"):
        row, column = np.argwhere(beyond)[0]
        found = f"{heights[row, column]:g} m in column {column} of row {row}"
        raise asked.wrong(found, f"heights within {HIGHEST:g} m; say `voids` where that stands for no data, or `scale` for another unit")
    if voids.all():
        raise asked.wrong("voids alone", "heights")
    return heights


def _refuse_unnamed(asked: ReadRequest, values: NDArray[Any], voids: NDArray[np.bool_]) -> None:
    for suspect in SUSPECTS:
        found = (values == suspect) & ~voids
        if found.any():
            row, column = np.argwhere(found)[0]
            raise asked.wrong(
                f"{int(found.sum())} samples of {suspect:g}, the first in column {column} of row {row}, which the file does not call voids",
                f"voids: {suspect:g} beside the file (jounce terrain import {asked.path.name} --set voids={suspect:g} --out NAME fills them), "
                "or voids: none where it is a height",
            )


def _scale(asked: ReadRequest, values: NDArray[Any], scaled: bool) -> tuple[float, float]:
    """Factor and offset [m] from samples to heights."""
    said = asked.said
    if "range" in said:
        if "scale" in said or "offset" in said:
            raise ConfigError(asked.file, f"{asked.key}.range", said["range"], "either range, or scale and offset")
        if values.dtype != np.uint16:
            raise ConfigError(asked.file, f"{asked.key}.range", said["range"], f"range goes with 16-bit samples, not with {values.dtype}")
        low, high = said["range"]
        return float(high - low) / 65535.0, float(low)
    if scaled:
        return float(said.get("scale", 1.0)), float(said.get("offset", 0.0))
    expected = "a number in m: height per count, and of count zero (or range: heights of counts 0 and 65535)"
    return float(asked.need("scale", 1.0, expected)), float(asked.need("offset", 0.0, expected))


def raster_of(asked: ReadRequest, heights: Values, note: Mapping[str, Any], kind: str = LOCAL) -> Raster:
    """A grid of samples of which the file says nothing: it lies as is said beside it."""
    said = asked.said
    first_row = asked.need("first_row", "north", f"the side on which the first row lies: {', '.join(SIDES)}")
    runs = said.get("row_runs", "east")
    if (runs in ("east", "west")) != (first_row in ("north", "south")):
        raise ConfigError(
            asked.file, f"{asked.key}.first_row", first_row, f"a side across rows that run {runs}: row_runs says where they run"
        )
    laid = _laid_out(heights, first_row, runs)
    counts = np.array(laid.shape[::-1]) - 1.0
    if "extent" in said:
        if "spacing" in said:
            raise ConfigError(asked.file, f"{asked.key}.extent", said["extent"], "either spacing, or extent")
        spacing = said["extent"] / counts
    else:
        spacing = np.asarray(
            asked.need("spacing", (1.0, 1.0), "distance of samples along x and y in m (or extent, from the first to the last)")
        )
    origin = np.asarray(asked.need("origin", (0.0, 0.0), "x, y of the south-west sample in m"), np.float64)
    usual = asked.assumed is not None and "spacing" not in said and "extent" not in said
    along = np.array((spacing[0], 0.0)), np.array((0.0, spacing[1]))
    return Raster(laid, origin, *along, PIXELS if usual else kind, note=note)


def _laid_out(values: Values, first_row: str, runs: str) -> Values:
    """Rows from the south, each from the west, of an array that lies in another way."""
    if runs in ("north", "south"):
        return _laid_out(values.T, _begin(runs), "east" if first_row == "west" else "west")
    laid = values[::-1] if first_row == "north" else values
    return np.ascontiguousarray(laid[:, ::-1] if runs == "west" else laid)


def _begin(runs: str) -> str:
    """The side on which columns begin that run to the other one."""
    return {"north": "south", "south": "north"}[runs]


def missing(asked: ReadRequest, package: str) -> ConfigError:
    """The complaint that a library is not installed."""
    return asked.wrong(f"the package {package} is missing", f"it installed: {INSTALL}")
