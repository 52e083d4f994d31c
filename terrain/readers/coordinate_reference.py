"""Coordinate reference systems: by code (EPSG:32633) or text (WKT), with pyproj."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from terrain.readers.contract import LONLAT, MAP
from terrain.readers.request import ReadRequest

PROBE = 1000.0
"""m on a map. Length that is compared with the length on the ground."""
STRETCH_MAX = 0.05
"""Maximum relative deviation of a length on a map; a UTM zone has 0.001, maps of continents have up to 0.04."""
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


def transformed(x: Array, y: Array, crs: str, to: str, file: object, key: str) -> tuple[Array, Array]:
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


def stretch_of(crs: str, x: float, y: float) -> float:
    """Return the meters on a map per meter on the ground at a point of the map, along x or y, whichever deviates more from 1; 1 if it is
    unknown. Web Mercator has 1.48 at 47 degrees."""
    try:
        here = system(crs, "", "")
        import pyproj

        to_degrees = pyproj.Transformer.from_crs(here, "EPSG:4326", always_xy=True)
    except (ConfigError, RuntimeError):  # unknown, not installed, or a local system; PROJ raises subclasses of RuntimeError
        return 1.0
    lon, lat = to_degrees.transform([x, x + PROBE, x], [y, y, y + PROBE])
    if not np.isfinite([*lon, *lat]).all():
        return 1.0
    geod = pyproj.Geod(ellps="WGS84")
    ratios = [PROBE / max(geod.inv(lon[0], lat[0], lon[n], lat[n])[2], 1e-3) for n in (1, 2)]
    return max(ratios, key=lambda ratio: abs(ratio - 1.0))


def check_true_lengths(crs: str, x: float, y: float, file: object, key: str) -> None:
    """Raise ConfigError for a reference system whose meters are no meters on the ground at a point of the map."""
    ratio = stretch_of(crs, x, y) if crs else 1.0
    if abs(ratio - 1.0) > STRETCH_MAX:
        expected = f"a reference system with true lengths, such as a UTM zone: there, {ratio:.3g} m on this map are 1 m on the ground"
        raise ConfigError(file, key, crs[:40], expected)


def utm_of(longitude: float, latitude: float) -> str:
    """Return the code of the UTM zone of a point [degrees], on WGS 84."""
    zone = min(int((longitude + 180.0) / 6.0) % 60 + 1, 60)
    return f"EPSG:{32600 + zone if latitude >= 0.0 else 32700 + zone}"
