"""Weather of a session: rain, snow, visibility, clouds, date, time and place. Sensors and the picture read it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Number, Text

CONTRAST = 3.912
"""-ln(0.02): contrast at the limit of visibility."""
DROPS = 8e6
"""N0 [1/m4] of the distribution of drops. [Marshall and Palmer, J. Meteorology 5 (1948)]"""
SNOW_EXTINCTION = 3.9e-3
"""1/m per mm/h of water: 400 m visibility in heavy snow of 2.5 mm/h. [Rasmussen et al., J. Applied Meteorology 38 (1999)]"""
OVERCAST_RATE = 0.5
"""mm/h of rain or snow from which the default sky is overcast (assumed)."""
SOAKING_RATE = 5.0
"""mm/h of rain from which the ground is entirely wet by default (assumed)."""
FAIR = 0.35
"""Default cloud cover without rain or snow (assumed)."""
PLACE = (math.radians(45.0), 0.0)
"""Latitude and longitude [rad] of a terrain without a position on Earth; also that of GNSS receivers."""
YEARS = (1900, 2100)
"""First and last year of a date: for them, the position of the sun is good enough."""


@dataclass(frozen=True)
class Day(Text):
    """ISO date."""

    expected: str = f"a date from the year {YEARS[0]} to {YEARS[1]}, such as 2026-06-21"

    def read(self, value: Any, file: object, key: str) -> str:
        try:
            day = datetime.strptime(value, "%Y-%m-%d").date()
        except (TypeError, ValueError):
            raise ConfigError(file, key, value, self.expected) from None
        if not YEARS[0] <= day.year <= YEARS[1]:
            raise ConfigError(file, key, value, self.expected)
        return day.isoformat()


_RATE = Number("m/s", 0.0, 200.0 / 3.6e6)
_SHARE = Number("1", 0.0, 1.0)
DATE = "2026-09-21"
"""Default date: with the default time and place, the sun is 34 degrees high in the south-west, and hills have light and shadow."""

FIELDS = (
    Field("rain", _RATE, "rain rate", 0.0, written="mmph"),
    Field(
        "visibility",
        Number("m", 10.0, 1e6),
        "visibility by Koschmieder: distance at which 2 % of the contrast remain (default: unlimited)",
        None,
    ),
    Field("time_of_day", Number("h", 0.0, 24.0, below=24.0), "local mean solar time, 14.5 is half past two", 14.5, written="h"),
    Field("date", Day(), "date at the start, from the year 1900 to 2100", DATE),
    Field(
        "latitude",
        Number("rad", -math.pi / 2, math.pi / 2),
        "latitude for the sun (default: that of the terrain, else 45)",
        None,
        written="deg",
    ),
    Field(
        "longitude", Number("rad", -math.pi, math.pi), "longitude for the sun (default: that of the terrain, else 0)", None, written="deg"
    ),
    Field("clouds", _SHARE, "cloud cover, 0 = clear, 1 = overcast (default: 1 with rain or snow, else 0.35)", None),
    Field("snowfall", _RATE, "snowfall, as water", 0.0, written="mmph"),
    Field("snow", _SHARE, "share of the ground under fresh snow, for the picture; grip is that of the terrain", 0.0),
    Field("wet", _SHARE, "wetness of the ground, for the picture (default: from the rain, 1 from 5 mm/h)", None),
)
"""Keys of the section `weather` of a session."""


class Weather(NamedTuple):
    """Weather, constant during a session."""

    rain: float = 0.0
    """Rain rate [m/s]; 1 mm/h is 2.78e-7 m/s."""
    visibility: float = math.inf
    """Distance at which 2 % of the contrast remain [m], Koschmieder: extinction 3.912 / visibility at 550 nm."""
    time_of_day: float = 14.5
    """Local mean solar time [h]."""
    date: str = DATE
    """Date at the start, ISO 8601."""
    latitude: float | None = None
    """Latitude [rad]; None: that of the terrain."""
    longitude: float | None = None
    """Longitude [rad], to the east; None: that of the terrain."""
    clouds: float | None = None
    """Cloud cover, 0 to 1; None: from rain and snowfall."""
    snowfall: float = 0.0
    """Snowfall as water [m/s]."""
    snow: float = 0.0
    """Share of the ground under fresh snow."""
    wet: float | None = None
    """Wetness of the ground, 0 to 1; None: from the rain."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Weather:
        """Return the weather of a section read with FIELDS."""
        given = {field.name: values[field.name] for field in FIELDS if field.name in values}
        return cls(**given)

    @property
    def rain_mmph(self) -> float:
        """Rain rate [mm/h], the unit of weather reports and of rain models."""
        return 3.6e6 * self.rain

    @property
    def snowfall_mmph(self) -> float:
        """Snowfall as water [mm/h]."""
        return 3.6e6 * self.snowfall

    @property
    def cloud_cover(self) -> float:
        """Cloud cover, 0 to 1."""
        if self.clouds is not None:
            return self.clouds
        return FAIR + (1.0 - FAIR) * min((self.rain_mmph + self.snowfall_mmph) / OVERCAST_RATE, 1.0)

    @property
    def wetness(self) -> float:
        """Wetness of the ground, 0 to 1."""
        return math.sqrt(min(self.rain_mmph / SOAKING_RATE, 1.0)) if self.wet is None else self.wet

    @property
    def extinction(self) -> float:
        """Extinction of visible light by fog, rain and snowfall [1/m]."""
        return CONTRAST / self.visibility + rain_extinction(self.rain_mmph) + SNOW_EXTINCTION * self.snowfall_mmph

    def utc(self, longitude: float) -> datetime:
        """Return the UTC of the start of a session on a terrain at a longitude [rad], unless the weather has one: mean solar time there."""
        midnight = datetime.strptime(self.date, "%Y-%m-%d").replace(tzinfo=UTC)
        east = longitude if self.longitude is None else self.longitude
        return midnight + timedelta(hours=self.time_of_day - math.degrees(east) / 15.0)


def rain_slope(rate: float) -> float:
    """Return L [1/m] of the distribution of drops at a rain rate [mm/h] > 0."""
    return 4100.0 * rate**-0.21


def rain_extinction(rate: float) -> float:
    """Return the extinction [1/m] of rain at a rate [mm/h]."""
    return math.pi * DROPS / rain_slope(rate) ** 3 if rate > 0.0 else 0.0


CLEAR = Weather()
"""No rain, unlimited visibility, a few clouds, half past two in the afternoon of a day in September."""
