"""Position of the sun in the sky by the low-precision formulas of the Astronomical Almanac: 0.01 degrees between 1950 and 2050."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

J2000 = datetime(2000, 1, 1, 12, tzinfo=UTC)
"""Epoch of the formulas."""


def sun_position(at: datetime, latitude: float, longitude: float) -> tuple[float, float]:
    """Return the elevation and the azimuth of the sun [rad], without refraction; azimuth clockwise from north, 0 to 2 pi.

    [Astronomical Almanac, page C5, low-precision formulas for the sun's coordinates; sidereal time: page B6]

    at : time with a time zone
    latitude, longitude : [rad], to the north and to the east
    """
    days = (at - J2000).total_seconds() / 86400.0
    mean_longitude = math.radians(280.460 + 0.9856474 * days)
    anomaly = math.radians(357.528 + 0.9856003 * days)
    ecliptic = mean_longitude + math.radians(1.915) * math.sin(anomaly) + math.radians(0.020) * math.sin(2.0 * anomaly)
    obliquity = math.radians(23.439 - 4.0e-7 * days)
    right_ascension = math.atan2(math.cos(obliquity) * math.sin(ecliptic), math.cos(ecliptic))
    sine = math.sin(obliquity) * math.sin(ecliptic)
    cosine = math.sqrt(1.0 - sine * sine)
    hour_angle = math.radians(280.46062 + 360.98564737 * days) + longitude - right_ascension
    up = math.sin(latitude) * sine + math.cos(latitude) * cosine * math.cos(hour_angle)
    north = math.cos(latitude) * sine - math.sin(latitude) * cosine * math.cos(hour_angle)
    return math.asin(max(-1.0, min(1.0, up))), math.atan2(-cosine * math.sin(hour_angle), north) % math.tau


def direction(elevation: float, azimuth: float) -> NDArray[np.float64]:
    """Return the unit vector to the east, north and up of an elevation and an azimuth [rad]."""
    return np.array((math.sin(azimuth) * math.cos(elevation), math.cos(azimuth) * math.cos(elevation), math.sin(elevation)))
