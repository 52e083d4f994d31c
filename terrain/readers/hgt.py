"""SRTM tiles (.hgt): big-endian 16-bit heights in m on a degree square, north row first, border rows on the lines of integer degrees.

The file name contains the south-west corner, the size gives the spacing: 3601 x 3601 samples of one arc second, 1201 x 1201 samples of three arc
seconds. -32768 is a void. Source: NASA/USGS, SRTM topography documentation, 2.1.3.
"""

from __future__ import annotations

import re

import numpy as np

from simulator.base.inputfile import read_bytes
from terrain.readers.contract import LONLAT, ElevationSource, Raster
from terrain.readers.request import RasterSamples, ReadRequest, heights_of

SIDES = {2 * n * n: n for n in (1201, 3601)}
"""Number of samples along a side by file size [bytes]."""
VOID = -32768
NAME = re.compile(r"^([NS])(\d{1,2})([EW])(\d{1,3})", re.IGNORECASE)


def read(request: ReadRequest) -> ElevationSource:
    """Read a tile. Raises ConfigError if the size or the position is unknown."""
    content = read_bytes(request.path, "an SRTM tile", max(SIDES))
    n = SIDES.get(len(content))
    if n is None:
        raise request.wrong(f"{len(content)} bytes", " or ".join(f"{size} bytes ({n} x {n} samples)" for size, n in SIDES.items()))
    values = np.frombuffer(content, ">i2").astype(np.int16).reshape(n, n)
    longitude, latitude = _corner(request)
    heights = heights_of(request, RasterSamples(values, values == VOID))
    step = 1.0 / (n - 1)
    corner = np.array((longitude, latitude + 1.0))
    return Raster(heights, corner, np.array((step, 0.0)), np.array((0.0, -step)), LONLAT, "EPSG:4326")


def _corner(request: ReadRequest) -> tuple[float, float]:
    """Return longitude and latitude of the south-west corner [degrees]."""
    if "corner" in request.said:
        longitude, latitude = request.said["corner"]
        return float(longitude), float(latitude)
    match = NAME.match(request.path.name)
    if match is None or int(match[2]) > 90 or int(match[4]) > 180:
        raise request.wrong(
            request.path.name, "a name such as N47E008.hgt with the south-west corner (or the key corner: [longitude, latitude])"
        )
    signs = (-1.0 if match[3] in "Ww" else 1.0), (-1.0 if match[1] in "Ss" else 1.0)
    return signs[0] * int(match[4]), signs[1] * int(match[2])
