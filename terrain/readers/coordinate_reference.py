"""Coordinate reference systems: by code (EPSG:32633) or text (WKT), with pyproj."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.errors import ConfigError
from terrain.readers.contract import LONLAT, MAP, FloatArray
from terrain.readers.request import ReadRequest

FOREIGN = "other units"
"""Kind of map coordinates in units other than meters."""


def named(request: ReadRequest, crs: str) -> tuple[str, str]:
    """Return kind and code of the reference system that the user gives for a file. Raises ConfigError for an unknown name."""
    return kind_of(crs, request.file, f"{request.key}.crs"), crs


def of_text(text: str) -> tuple[str, str]:
    """Return kind and text of a reference system in WKT, without a lookup."""
    start = text.lstrip().upper()
    return (LONLAT if start.startswith(("GEOGCS", "GEOGCRS", "GEODCRS")) else MAP), text.strip()


def kind_of(crs: str, file: object, key: str) -> str:
    """Return the kind of the coordinates of a reference system. Raises ConfigError."""
    found = system(crs, file, key)
    if found.is_geographic:
        return LONLAT
    factors = {axis.unit_conversion_factor for axis in found.axis_info[:2]}
    return MAP if factors == {1.0} else FOREIGN


def system(crs: str, file: object, key: str) -> Any:
    """Return the pyproj object of a reference system. Raises ConfigError if the name is unknown or pyproj is not installed."""
    try:
        import pyproj
    except ImportError:
        from simulator.base.installation import install_extra

        raise ConfigError(file, key, crs, f"an installed package pyproj for reference systems (run {install_extra('terrain')})") from None
    try:
        return pyproj.CRS.from_user_input(crs)
    except pyproj.exceptions.CRSError:
        raise ConfigError(file, key, crs, "a reference system such as EPSG:32633, or WKT") from None


def transformed(x: FloatArray, y: FloatArray, crs: str, to: str, file: object, key: str) -> tuple[FloatArray, FloatArray]:
    """Transform points to another reference system; longitude before latitude, east before north.

    Raises
    ------
    ConfigError : a point is outside the range of the other system
    """
    here, there = system(crs, file, key), system(to, file, key)
    if here == there:
        return x, y
    import pyproj

    out = pyproj.Transformer.from_crs(here, there, always_xy=True).transform(x, y)
    found = np.asarray(out[0], np.float64), np.asarray(out[1], np.float64)
    if not np.isfinite(found[0] + found[1]).all():
        raise ConfigError(file, key, crs, f"points within the range of {to}")
    return found


def utm_of(longitude: float, latitude: float) -> str:
    """Return the code of the UTM zone of a point [degrees], on WGS 84."""
    zone = min(int((longitude + 180.0) / 6.0) % 60 + 1, 60)
    return f"EPSG:{32600 + zone if latitude >= 0.0 else 32700 + zone}"
