"""GeoTIFF (.tif, .tiff), through rasterio: compressions, predictors, tiles, reference system, no data.

A height belongs to the middle of a pixel (PixelIsArea) or to the tie point (PixelIsPoint); rasterio gives corners of pixels for both.
"""

from __future__ import annotations

import logging
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.inputfile import checked_size
from terrain.readers.contract import LONLAT, MAP, ElevationSource, Raster
from terrain.readers.coordinate_reference import FOREIGN, named
from terrain.readers.request import RasterSamples, ReadRequest, heights_of, missing, raster_of

EXPECTED = "a GeoTIFF of heights"
MOST_BYTES = 1 << 32
METRES = ("", "m", "metre", "metres", "meter", "meters")
COARSE = ("uint8", "int8")
PLACES = ("first_row", "row_runs", "origin", "spacing", "extent")
"""Keys that say where an array lies."""


def read(asked: ReadRequest) -> ElevationSource:
    """Heights of the one band. Raises ConfigError: damaged, colors, 8 bits, another unit."""
    rasterio = _library(asked)
    checked_size(asked.path, EXPECTED, MOST_BYTES)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
            with rasterio.Env(), rasterio.open(asked.path, driver="GTiff") as data:
                return _raster(asked, data)
    except rasterio.errors.RasterioError as error:
        raise asked.wrong(_why(error), EXPECTED) from None


def _library(asked: ReadRequest) -> Any:
    try:
        import rasterio
    except ImportError:
        raise missing(asked, "rasterio") from None
    for name in ("rasterio._env", "rasterio._err", "rasterio._base"):  # what is wrong with a file is said once, by us
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return rasterio


def _why(error: Exception) -> str:
    """What GDAL says, which hides behind rasterio's words."""
    return str(error.__cause__ or error).splitlines()[0]


def _samples(asked: ReadRequest, data: Any) -> RasterSamples:
    asked.check_size(data.width, data.height)
    if data.count != 1:
        raise asked.wrong(f"{data.count} bands", "one band of heights; no colors")
    kind = np.dtype(data.dtypes[0])
    if kind.kind not in "iuf" or (kind.name in COARSE and not asked.indices):
        raise asked.wrong(kind, "heights of 16 bits or more (8 bits are too coarse for a road)")
    values: NDArray[Any] = data.read(1)
    voids = np.zeros(values.shape, bool)
    if data.nodata is not None:
        voids |= np.isnan(values) if np.isnan(data.nodata) else values == values.dtype.type(data.nodata)
    elif any(flag.name in ("per_dataset", "alpha") for flag in data.mask_flag_enums[0]):
        voids |= data.read_masks(1) == 0
    return RasterSamples(values, voids, {"nodata": data.nodata, "type": kind.name})


def _raster(asked: ReadRequest, data: Any) -> ElevationSource:
    samples = _samples(asked, data)
    unit = (data.units[0] or "").strip().lower()
    if unit not in METRES and "scale" not in asked.said:
        raise asked.wrong(f"heights in {unit}", "heights in m, or scale beside the file: m per unit")
    heights = heights_of(asked, samples)
    if not asked.indices:
        heights = heights * data.scales[0] + data.offsets[0]  # what the band itself says
    t = data.transform
    if data.crs is None and t.is_identity:
        return raster_of(asked, heights, samples.note)
    said = next((key for key in PLACES if key in asked.said), None)
    if said is not None:
        raise ConfigError(asked.file, f"{asked.key}.{said}", asked.said[said], "no such key for a GeoTIFF that says where it lies")
    row, column = np.array((t.a, t.d)), np.array((t.b, t.e))
    corner = np.array((t.c, t.f)) + 0.5 * (row + column)
    kind, crs = _reference(asked, data)
    return Raster(heights, corner, row, column, kind, crs, dict(samples.note) | {"raster_type": data.tags().get("AREA_OR_POINT", "Area")})


def _reference(asked: ReadRequest, data: Any) -> tuple[str, str]:
    """Kind of the coordinates and their reference system."""
    if "crs" in asked.said:
        return named(asked, asked.said["crs"])
    if data.crs is None:
        return MAP, ""
    code = data.crs.to_epsg()
    crs = f"EPSG:{code}" if code is not None else data.crs.to_wkt()
    if data.crs.is_geographic:
        return LONLAT, crs
    return (MAP if data.crs.linear_units_factor[1] == 1.0 else FOREIGN), crs
