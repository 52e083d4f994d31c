"""GeoTIFF (.tif, .tiff), read with rasterio: compression, predictors, tiles, coordinate reference system, no-data values.

A height belongs to the center of a pixel (PixelIsArea) or to the tie point (PixelIsPoint); rasterio returns corners of pixels for both.
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

EXPECTED = "a GeoTIFF elevation file"
MAX_BYTES = 1 << 32
METERS = ("", "m", "metre", "metres", "meter", "meters")
COARSE = ("uint8", "int8")
PLACES = ("first_row", "row_runs", "origin", "spacing", "extent")
"""Keys for the position of an array."""


def read(request: ReadRequest) -> ElevationSource:
    """Read the heights of a file with one band. Raises ConfigError for damaged files, colors, 8 bits, or another unit."""
    rasterio = _library(request)
    checked_size(request.path, EXPECTED, MAX_BYTES)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
            with rasterio.Env(), rasterio.open(request.path, driver="GTiff") as data:
                return _raster(request, data)
    except rasterio.errors.RasterioError as error:
        raise request.wrong(str(error.__cause__ or error).splitlines()[0], EXPECTED) from None  # the message of GDAL


def _library(request: ReadRequest) -> Any:
    """Import rasterio and silence its loggers. Raises ConfigError."""
    try:
        import rasterio
    except ImportError:
        raise missing(request, "rasterio") from None
    for name in ("rasterio._env", "rasterio._err", "rasterio._base"):  # errors of a file are reported once, as ConfigError
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return rasterio


def _samples(request: ReadRequest, data: Any) -> RasterSamples:
    """Read the samples of the band. Raises ConfigError."""
    request.check_size(data.width, data.height)
    if data.count != 1:
        raise request.wrong(f"{data.count} bands", "one band of heights, no colors")
    kind = np.dtype(data.dtypes[0])
    if kind.kind not in "iuf" or (kind.name in COARSE and not request.indices):
        raise request.wrong(kind, "heights of 16 bits or more (8 bits are too coarse for a road)")
    values: NDArray[Any] = data.read(1)
    voids = np.zeros(values.shape, bool)
    if data.nodata is not None:
        voids |= np.isnan(values) if np.isnan(data.nodata) else values == values.dtype.type(data.nodata)
    elif any(flag.name in ("per_dataset", "alpha") for flag in data.mask_flag_enums[0]):
        voids |= data.read_masks(1) == 0
    return RasterSamples(values, voids, {"nodata": data.nodata, "type": kind.name}, data.scales[0], data.offsets[0])


def _raster(request: ReadRequest, data: Any) -> ElevationSource:
    """Return the raster of an open file. Raises ConfigError."""
    samples = _samples(request, data)
    unit = (data.units[0] or "").strip().lower()
    if unit not in METERS and "scale" not in request.said:
        raise request.wrong(f"heights in {unit}", "heights in m, or the key scale (m per unit)")
    heights = heights_of(request, samples)
    t = data.transform
    if data.crs is None and t.is_identity:
        return raster_of(request, heights, samples.note)
    given = next((key for key in PLACES if key in request.said), None)
    if given is not None:
        raise ConfigError(request.file, f"{request.key}.{given}", request.said[given], "no position, because the GeoTIFF is georeferenced")
    row, column = np.array((t.a, t.d)), np.array((t.b, t.e))
    corner = np.array((t.c, t.f)) + 0.5 * (row + column)
    kind, crs = _reference(request, data)
    return Raster(heights, corner, row, column, kind, crs, dict(samples.note) | {"raster_type": data.tags().get("AREA_OR_POINT", "Area")})


def _reference(request: ReadRequest, data: Any) -> tuple[str, str]:
    """Return the kind of the coordinates and the reference system."""
    if "crs" in request.said:
        return named(request, request.said["crs"])
    if data.crs is None:
        return MAP, ""
    code = data.crs.to_epsg()
    crs = f"EPSG:{code}" if code is not None else data.crs.to_wkt()
    if data.crs.is_geographic:
        return LONLAT, crs
    return (MAP if data.crs.linear_units_factor[1] == 1.0 else FOREIGN), crs
