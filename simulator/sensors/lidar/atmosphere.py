"""Extinction of a laser beam in fog and rain, and false returns from droplets.

Fog: extinction from the meteorological visibility V [Koschmieder 1924: contrast 2 % at 550 nm], with the exponent q of the wavelength l
[Kim, McArthur and Korevaar 2001, Comparison of laser beam propagation at 785 nm and 1550 nm in fog and haze for optical wireless communications]:

    alpha = 3.912 / V (l / 550 nm)^-q,   q = 1.6 (V > 50 km), 1.3 (> 6 km), 0.16 V + 0.34 (> 1 km), V - 0.5 (> 0.5 km), else 0;   V in km

Rain: drops with the distribution N0 exp(-L D), N0 = 8000 / (m3 mm), L = 4.1 R^-0.21 / mm, R in mm/h [Marshall and Palmer 1948, The distribution of raindrops
with size], each with an extinction cross section of twice its area (large spheres, van de Hulst 1957, Light scattering by small particles):

    alpha = integral of N0 exp(-L D) 2 pi D^2 / 4 dD = pi N0 / L^3

False returns: droplets scatter back 1 / S of what they weaken, S = 19 sr [lidar ratio of water droplets; O'Connor, Illingworth and Hogan 2004, A technique for
autocalibration of cloud lidar]. A drop in a beam of area A reflects like a surface with the reflectance pi (pi D^2 / 2) / (S A); the fog within the length of a
pulse c tau / 2 like one with pi alpha c tau / (2 S). Drops are rare: the rate of drops that are detected, per meter, is A times the number of drops that are
large enough. The many droplets of fog add with random phases, so their power is exponentially distributed [Goodman 1976, Some fundamental properties of
speckle]: the rate is exp(-threshold / reflectance) per length of a pulse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Array
from simulator.weather import CONTRAST, DROPS, rain_extinction, rain_slope

LIDAR_RATIO = 19.0
"""sr, extinction over backscatter of water droplets."""
APERTURE = 0.01
"""m. Diameter of a beam at the sensor; assumed."""
STEPS = 400
"""Number of ranges of a table of false returns; more are slower to build."""


def fog_extinction(visibility: float, wavelength: float) -> float:
    """Return the extinction [1/m] of fog or haze with a visibility [m] at a wavelength [m]; 0 for an infinite visibility."""
    km = visibility / 1e3
    if km > 6.0:
        q = 1.6 if km > 50.0 else 1.3
    elif km > 1.0:
        q = 0.16 * km + 0.34
    else:
        q = max(km - 0.5, 0.0)
    return CONTRAST / visibility * (wavelength / 550e-9) ** -q


@dataclass(frozen=True, eq=False)
class FalseReturns:
    """Cumulative rates of false returns over the range, for one weather and one unit."""

    range: Array
    """(STEPS,) m"""
    rain: Array
    """(STEPS,) mean number of drops detected from the minimum range to a range"""
    fog: Array
    """(STEPS,) the same of fog"""
    drop: Array
    """(STEPS,) m, smallest drop that is detected"""
    slope: float
    """1/m, L of the drops"""
    haze: Array
    """(STEPS,) apparent reflectance of fog"""

    def draw(self, random: np.random.Generator, count: int, threshold: Array) -> tuple[Array, Array]:
        """Return ranges [m] and apparent reflectances (count, 2) of the first false return from rain and from fog; inf, 0 without one.

        `threshold` is the smallest apparent reflectance that is detected at the ranges of the table. The number of random numbers depends on `count` only.
        """
        chance, size = random.standard_exponential((2, count, 2))
        ranges, strengths = np.full((count, 2), np.inf), np.zeros((count, 2))
        for kind, rate in enumerate((self.rain, self.fog)):
            seen = np.flatnonzero(chance[:, kind] < rate[-1])
            r = np.interp(chance[seen, kind], rate, self.range)
            limit, excess = np.interp(r, self.range, threshold), size[seen, kind]
            ranges[seen, kind] = r
            if kind == 0:
                strengths[seen, 0] = limit * (1.0 + excess / (self.slope * np.interp(r, self.range, self.drop))) ** 2
            else:
                strengths[seen, 1] = limit + excess * np.interp(r, self.range, self.haze)
        return ranges, strengths


def false_returns(ranges: Array, threshold: Array, rain_rate: float, fog: float, divergence: float, pulse: float) -> FalseReturns:
    """Return the rates of false returns.

    Parameters
    ----------
    ranges : (n,) m, increasing
    threshold : (n,) smallest apparent reflectance that is detected there
    rain_rate : mm/h
    fog : extinction of fog [1/m]
    divergence : full angle of a beam [rad]
    pulse : c tau / 2 [m]
    """
    loss = np.exp(-2.0 * (fog + rain_extinction(rain_rate)) * ranges)
    area = 0.25 * math.pi * (APERTURE + divergence * ranges) ** 2
    drop = np.sqrt(threshold / loss * LIDAR_RATIO * area * 2.0) / math.pi
    slope = rain_slope(rain_rate) if rain_rate > 0.0 else math.inf
    rain = area * DROPS / slope * np.exp(-slope * drop) if rain_rate > 0.0 else np.zeros_like(ranges)
    haze = math.pi * fog * pulse / LIDAR_RATIO * loss
    with np.errstate(divide="ignore", over="ignore"):
        droplets = np.exp(-threshold / haze) / pulse
    return FalseReturns(ranges, _integral(rain, ranges), _integral(droplets, ranges), drop, slope, haze)


def _integral(rate: Array, ranges: Array) -> Array:
    """Return the integral of a rate from the first range to each range, by trapezoids."""
    return np.concatenate(((0.0,), np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(ranges))))
