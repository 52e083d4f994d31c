"""Light of a world: sun, sky, air and lamps, one record that all shaders read (block `Light` of common.glsl)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.view.textures import SUN
from simulator.weather import Weather

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
    ("spare", (), "1", "fills the row of four"),
    ("lamp_place", (LAMPS, 4), "m", "place in W, and range"),
    ("lamp_beam", (LAMPS, 4), "1", "unit vector along the beam in W, and cosine of half its angle, -1 = all directions"),
    ("lamp_light", (LAMPS, 4), "1", "linear red, green, blue at a distance of 10 m; not used"),
)
"""Rows of the block, in the order and with the alignment of std140."""
BLOCK = np.dtype([(name, "f4", shape) for name, shape, _, _ in LIGHT])


class Light(NamedTuple):
    """Light of a world that does not change during a drive."""

    sun: NDArray[np.float64] = SUN
    exposure: float = 1.0
    sunlight: tuple[float, float, float] = (1.18, 1.08, 0.90)
    clouds: float = 0.4
    zenith: tuple[float, float, float] = (0.085, 0.20, 0.46)
    fog: float = 0.0
    horizon: tuple[float, float, float] = (0.52, 0.63, 0.74)
    wet: float = 0.0
    glow: tuple[float, float, float] = (0.30, 0.22, 0.10)
    snow: float = 0.0
    skylight: tuple[float, float, float] = (0.27, 0.34, 0.44)
    night: float = 0.0
    groundlight: tuple[float, float, float] = (0.16, 0.135, 0.10)

    @classmethod
    def of(cls, weather: Weather) -> Light:
        """Return the light of a weather."""
        return cls()

    def block(self) -> NDArray[Any]:
        """Return a record of `BLOCK` without lamps."""
        out = np.zeros(1, BLOCK)
        for name, value in self._asdict().items():
            out[0][name] = value
        return out
