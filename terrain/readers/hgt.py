"""SRTM tiles (.hgt): big-endian 16-bit heights in m on a degree square, north row first, border rows on the lines of the degrees.

The name says the south-west corner, the size the spacing: 3601 x 3601 samples of one arc second, 1201 x 1201 of three. -32768 is a void.
Source: NASA/USGS, SRTM topography documentation, 2.1.3.
"""

from __future__ import annotations

import re

import numpy as np

from simulator.base.inputfile import read_bytes
from terrain.readers.contract import LONLAT, ElevationSource, Raster
from terrain.readers.request import RasterSamples, ReadRequest, heights_of

SIDES = {2 * n * n: n for n in (1201, 3601)}
"""Samples along a side by the size of the file [bytes]."""
VOID = -32768
NAME = re.compile(r"^([NS])(\d{1,2})([EW])(\d{1,3})", re.IGNORECASE)


def read(asked: ReadRequest) -> ElevationSource:
    """Heights of a tile. Raises ConfigError: the size is that of no tile, or nothing says where it lies."""
    content = read_bytes(asked.path, "an SRTM tile", max(SIDES))
    n = SIDES.get(len(content))
    if n is None:
        raise asked.wrong(f"{len(content)} bytes", " or ".join(f"{size} bytes ({n} x {n} samples)" for size, n in SIDES.items()))
    values = np.frombuffer(content, ">i2").astype(np.int16).reshape(n, n)
    longitude, latitude = _corner(asked)
    heights = heights_of(asked, RasterSamples(values, values == VOID))
    step = 1.0 / (n - 1)
    corner = np.array((longitude, latitude + 1.0))
    return Raster(heights, corner, np.array((step, 0.0)), np.array((0.0, -step)), LONLAT, "EPSG:4326")


def _corner(asked: ReadRequest) -> tuple[float, float]:
    """Longitude and latitude of the south-west corner [degrees]."""
    if "corner" in asked.said:
        longitude, latitude = asked.said["corner"]
        return float(longitude), float(latitude)
    found = NAME.match(asked.path.name)
    if found is None or int(found[2]) > 90 or int(found[4]) > 180:
        raise asked.wrong(asked.path.name, "a name such as N47E008.hgt, which is the south-west corner (or corner: [longitude, latitude])")
    signs = (-1.0 if found[3] in "Ww" else 1.0), (-1.0 if found[1] in "Ss" else 1.0)
    return signs[0] * int(found[4]), signs[1] * int(found[2])
