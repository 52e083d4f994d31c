"""Light of a world: sun, sky, air and lamps, one record that all shaders read (block `Light` of common.glsl)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.view.atmosphere import sky_light
from simulator.view.sun_position import direction, sun_position
from simulator.view.textures import SUN
from simulator.weather import PLACE, Weather

Color = tuple[float, float, float]
LUMINANCE = np.array((0.2126, 0.7152, 0.0722))
"""Parts of red, green and blue in the brightness that the eye sees."""

LAMPS = 16
"""Maximum number of lamps that light the surroundings in one image."""

LIGHT = (
    # name            shape       unit    description
    ("sun", (3,), "1", "unit vector towards the sun or the moon, in W"),
    ("exposure", (), "1", "factor of the linear light before the tone curve"),
    ("sunlight", (3,), "1", "linear light of the sun on a surface that faces it"),
    ("clouds", (), "1", "cloud cover, 0 = clear, 1 = overcast"),
    ("zenith", (3,), "1", "linear light of the sky at the zenith"),
    ("fog", (), "1/m", "extinction of the air by fog, rain and snow"),
    ("horizon", (3,), "1", "linear light of the sky at the horizon"),
    ("wet", (), "1", "wetness of the ground, 0 = dry, 1 = puddles"),
    ("glow", (3,), "1", "linear light of the air around the sun"),
    ("snow", (), "1", "share of the ground under fresh snow"),
    ("skylight", (3,), "1", "linear ambient light from above"),
    ("night", (), "1", "0 = day, 1 = night: lit windows, lamps and stars"),
    ("groundlight", (3,), "1", "linear ambient light from the ground"),
    ("time", (), "s", "simulated time, for what moves in the wind"),
    ("lamps", (), "1", "number of lamps"),
    ("rain", (), "mm/h", "rain rate"),
    ("snowfall", (), "mm/h", "snow fall, as water"),
    ("disc", (), "1", "sine of the elevation of the disc of the sun or moon"),
    ("lamp_place", (LAMPS, 4), "m", "place in W, and 1 / range^2; the first lamp is the low beam of the vehicle"),
    ("lamp_beam", (LAMPS, 4), "1", "unit vector along the beam in W, and cosine of half its angle; 0, 0, 0, -1 = all directions"),
    ("lamp_light", (LAMPS, 4), "1", "linear red, green, blue at a distance of 1 m; not used"),
)
"""Rows of the block, in the order and with the alignment of std140."""
BLOCK = np.dtype([(name, "f4", shape) for name, shape, _, _ in LIGHT])
LAMPS_LIT = 0.3
"""Value of `night` above which lamps are lit: the sun is about half a degree below the horizon."""
LOWEST_SUN = 0.12
"""Minimum height of the direction of light: a lower sun would cast shadows of more than 8 times the height."""
DUSK = math.radians(-6.0)
"""Elevation of the sun below which the moon lights the ground: the end of civil twilight."""
MOON = (math.radians(18.0), math.radians(55.0))
"""Limits of the elevation of the moon, which is opposite of the sun (a full moon every night; the real phases are not modeled)."""
NIGHT_SKY = {
    "sunlight": (1.1e-3, 1.3e-3, 1.6e-3), "zenith": (1.5e-4, 2.6e-4, 5.6e-4), "horizon": (5.0e-4, 7.0e-4, 1.05e-3),
    "glow": (2.0e-4, 2.0e-4, 2.0e-4), "skylight": (4.2e-4, 5.6e-4, 9.0e-4), "groundlight": (2.2e-4, 2.2e-4, 2.4e-4),
}  # fmt: skip
"""Light of a night with a full moon, relative to `Light` as at day; brighter than real by about 500, which the eye sees as a bright night (assumed)."""
TWILIGHT = {"zenith": 0.85, "skylight": 0.85, "horizon": 0.65}
"""Parts of the light of the sky that are blue when the sun is below the horizon: light scattered repeatedly, which the model omits (assumed)."""
ADAPTATION = 0.65
"""Part of a change of brightness that the exposure takes back, as an exponent: 0 = none, 1 = all; 0.65: a dusk is darker than a day (assumed)."""
FOG_HEIGHT = 120.0
"""m. Thickness of a layer of fog, rain or snow as far as sunlight is concerned (assumed)."""
OVERCAST = 0.20
"""Light through a closed cloud cover divided by that of a clear day (assumed; measured 0.1 to 0.3)."""
DARK_RAIN = 40.0
"""mm/h of rain that halve the light below the clouds (assumed)."""


class Light(NamedTuple):
    """Light of a world that does not change during a drive. The defaults are those of a clear afternoon, the reference of all others."""

    sun: NDArray[np.float64] = SUN
    exposure: float = 1.0
    sunlight: Color = (1.18, 1.08, 0.90)
    clouds: float = 0.35
    zenith: Color = (0.085, 0.20, 0.46)
    fog: float = 0.0
    horizon: Color = (0.52, 0.63, 0.74)
    wet: float = 0.0
    glow: Color = (0.30, 0.22, 0.10)
    snow: float = 0.0
    skylight: Color = (0.27, 0.34, 0.44)
    night: float = 0.0
    groundlight: Color = (0.16, 0.135, 0.10)
    rain: float = 0.0
    snowfall: float = 0.0
    disc: float = float(SUN[2])

    @classmethod
    def of(cls, weather: Weather, convergence: float = 0.0) -> Light:
        """Return the light of a weather.

        convergence : bearing of the y axis of the world from true north, clockwise [rad]
        """
        latitude, longitude = weather.latitude, weather.longitude
        place = PLACE[0] if latitude is None else latitude, PLACE[1] if longitude is None else longitude
        elevation, azimuth = sun_position(weather.utc(place[1]), *place)
        colors = _below_clouds(_clear_sky(elevation), weather)
        night = _smoothstep(math.radians(5.0), math.radians(-9.0), elevation)
        if elevation < DUSK:
            elevation, azimuth = min(max(-elevation, MOON[0]), MOON[1]), azimuth + math.pi
        disc = math.sin(elevation)
        sun = direction(math.asin(max(disc, LOWEST_SUN)), azimuth - convergence)
        exposure = (1.0 + weather.snow * (0.4 * _closed(weather) - 0.25)) * (
            _brightness(DAY, float(SUN[2])) / max(_brightness(colors, sun[2]), 1e-6)
        ) ** ADAPTATION
        return cls(
            sun=sun, exposure=exposure, clouds=weather.cloud_cover, fog=weather.extinction,
            wet=weather.wetness, snow=weather.snow, night=night, rain=weather.rain_mmph, snowfall=weather.snowfall_mmph, disc=disc,
            **{name: tuple(color.tolist()) for name, color in colors.items()},
        )  # fmt: skip

    @property
    def lamps_lit(self) -> bool:
        """Whether the lamps of vehicles and streets are lit."""
        return self.night > LAMPS_LIT

    def defines(self, lamps: int) -> tuple[str, ...]:
        """Return the defines of the shaders: what the weather does not have costs nothing. lamps: maximum number of lamps."""
        wanted = (("NIGHT", self.lamps_lit), (f"LIT_LAMPS {lamps}", self.lamps_lit), ("WET", self.wet > 0.0), ("SNOWY", self.snow > 0.0))
        return tuple(name for name, used in wanted if used)

    def block(self) -> NDArray[Any]:
        """Return a record of `BLOCK` without lamps."""
        out = np.zeros(1, BLOCK)
        for name, value in self._asdict().items():
            out[0][name] = value
        return out


DAY = {name: np.array(Light._field_defaults[name]) for name in NIGHT_SKY}
"""Colors of the clear afternoon."""


def _clear_sky(elevation: float) -> dict[str, NDArray[np.float64]]:
    """Return the colors below a clear sky: those of the afternoon, changed as the model of the atmosphere changes."""
    now, then = sky_light(elevation), sky_light(math.asin(SUN[2]))
    pairs = {"sunlight": (now.sun, then.sun), "skylight": (now.ambient, then.ambient)}
    pairs |= {name: (getattr(now, name), getattr(then, name)) for name in ("zenith", "horizon", "glow")}
    out = {name: DAY[name] * one / other for name, (one, other) in pairs.items()}
    late = _smoothstep(math.radians(9.0), math.radians(-2.0), elevation)
    for name, part in TWILIGHT.items():
        blue = float(out[name] @ LUMINANCE) * np.array((0.80, 0.98, 1.50))
        out[name] = out[name] + (blue - out[name]) * part * late
    out = {name: color + NIGHT_SKY[name] for name, color in out.items()}
    out["groundlight"] = _ground(out, max(math.sin(elevation), 0.0))
    return out


def _ground(colors: Mapping[str, NDArray[np.float64]], height: float) -> NDArray[np.float64]:
    """Return the light that the ground sends up; height: sine of the elevation of the sun."""
    lit, reference = colors["sunlight"] * height + colors["skylight"], DAY["sunlight"] * SUN[2] + DAY["skylight"]
    result: NDArray[np.float64] = DAY["groundlight"] * lit / reference
    return result


def _below_clouds(colors: dict[str, NDArray[np.float64]], weather: Weather) -> dict[str, NDArray[np.float64]]:
    """Return the colors below clouds and in fog: a closed cover hides the sun, and its gray sky lights all directions."""
    total = _gray(colors, OVERCAST / (1.0 + weather.rain_mmph / DARK_RAIN))
    cover = _closed(weather)
    gray = {"zenith": 1.15 * total, "horizon": 0.85 * total, "skylight": total, "glow": 0.0 * total, "sunlight": 0.0 * total}
    colors = {name: color + (gray.get(name, color) - color) * cover for name, color in colors.items()}
    thick = 1.0 - math.exp(-weather.extinction * FOG_HEIGHT)
    total = _gray(colors, 0.8)
    gray = {"zenith": total, "horizon": total, "skylight": total, "glow": 0.0 * total, "sunlight": 0.0 * total}
    colors = {name: color + (gray.get(name, color) - color) * thick for name, color in colors.items()}
    return colors | {"groundlight": _ground(colors, float(SUN[2]))}


def _closed(weather: Weather) -> float:
    """Return how far the clouds hide the sun, from 0 to 1."""
    return _smoothstep(0.55, 1.0, weather.cloud_cover)


def _gray(colors: Mapping[str, NDArray[np.float64]], part: float) -> NDArray[np.float64]:
    """Return the light (3,) of a sky that spreads a part of all light evenly, nearly without color."""
    total = part * (0.6 * colors["sunlight"] + colors["skylight"])
    gray = float(total @ LUMINANCE)
    result: NDArray[np.float64] = 0.35 * total + 0.65 * gray * np.array((0.96, 1.0, 1.06))
    return result


def _brightness(colors: Mapping[str, NDArray[np.float64]], height: float) -> float:
    """Return the luminance of a level white surface below a sun of a height (sine of its elevation)."""
    return float((colors["sunlight"] * height + colors["skylight"]) @ LUMINANCE)


def _smoothstep(start: float, end: float, value: float) -> float:
    t = min(max((value - start) / (end - start), 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)
