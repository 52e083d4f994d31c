"""Position of a terrain on Earth: from its georeference, or from latitude and longitude in its file."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Number
from simulator.base.values import Values
from terrain.geodesy import LocalFrame, Location
from terrain.readers.coordinate_reference import transformed

WGS84 = "EPSG:4326"
NORTHWARD = 1.0
"""m. Distance of the point whose bearing is the direction of the y axis."""

LOCATION = (
    Field(
        "latitude",
        Number("rad", -0.5 * math.pi, 0.5 * math.pi),
        "latitude of x = y = 0 on WGS 84; y points to true north; only without a georeference that has a crs",
        None,
        written="deg",
    ),
    Field("longitude", Number("rad", -math.pi, math.tau), "longitude of x = y = 0 on WGS 84, + = east", None, written="deg"),
    Field("altitude", Number("m", -1e4, 1e5), "height of z = 0 above the ellipsoid of WGS 84", 0.0),
)
"""Fields of a terrain file."""


@dataclass(frozen=True)
class MapOrigin:
    """Position of the world frame on a map.

    Parameters
    ----------
    crs : coordinate reference system of the map, in m
    origin : (2,) east and north of the point x = y = 0 [m]
    altitude : height of z = 0 above the ellipsoid [m]
    file : name of the terrain file, for messages
    """

    crs: str
    origin: NDArray[np.float64]
    altitude: float
    file: str

    def local_frame(self) -> LocalFrame:
        """Return the tangent plane at the origin, turned by the grid convergence: its y axis is that of the map at the origin.

        Lengths are those of the world: the scale of the map (0.9996 to 1.001 in a UTM zone) is not applied.

        Raises
        ------
        ConfigError : pyproj is not installed, or the origin is outside the range of the system
        """
        east, north = self.origin[0] + np.zeros(2), self.origin[1] + np.array((0.0, NORTHWARD))
        longitude, latitude = transformed(east, north, self.crs, WGS84, self.file, "georeference.crs")
        import pyproj

        bearing, _, _ = pyproj.Geod(ellps="WGS84").inv(longitude[0], latitude[0], longitude[1], latitude[1])
        return LocalFrame(math.radians(latitude[0]), math.radians(longitude[0]), self.altitude, math.radians(bearing))


def location_of(terrain: Values, on_map: Location | None) -> Location | None:
    """Return the position of a terrain with the keys LOCATION, whose georeference gives `on_map`. Raises ConfigError."""
    if "latitude" not in terrain and "longitude" not in terrain:
        return on_map
    if on_map is not None:
        key = "latitude" if "latitude" in terrain else "longitude"
        raise ConfigError(terrain.file, terrain.path(key), terrain[key], "no position, because the georeference has one")
    for key in ("latitude", "longitude"):
        terrain.needed(key, "an angle, because latitude and longitude belong together")
    return LocalFrame(terrain["latitude"], terrain["longitude"], terrain["altitude"])
