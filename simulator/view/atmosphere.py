"""Light of a clear sky by the elevation of the sun: single scattering by air and haze with the absorption of ozone, in three colors."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PLANET, TOP = 6.371e6, 6.371e6 + 6.0e4
"""m. Radius of the Earth and of the upper limit of the air."""
RAYLEIGH = np.array((5.8e-6, 13.6e-6, 33.1e-6))
"""1/m. Scattering of air at sea level for red, green, blue (680, 550, 440 nm). [Bucholtz, Applied Optics 34 (1995)]"""
MIE, MIE_ABSORPTION = 1.2e-5, 1.3e-6
"""1/m. Scattering and absorption of haze at sea level, a visual range of about 150 km (assumed)."""
OZONE = np.array((0.65e-6, 1.881e-6, 0.085e-6))
"""1/m. Absorption of ozone at its maximum, at a height of 25 km. [Bruneton and Neyret, Computer Graphics Forum 27 (2008)]"""
AIR_HEIGHT, HAZE_HEIGHT = 8000.0, 1200.0
"""m. Heights at which the density of air and of haze has fallen to 1/e."""
FORWARD = 0.76
"""Asymmetry of the scattering by haze."""
SKY_STEPS, SUN_STEPS = 40, 24
"""Number of points along a line of sight and along the way to the sun."""
GLOW = math.radians(15.0)
"""Distance from the azimuth of the sun at which the glow around it is computed."""
AGAIN = 0.22
"""Light scattered repeatedly, by direction on average, per light scattered once (assumed; makes a clear zenith as bright as measured)."""


class SkyLight(NamedTuple):
    """Radiance (3,) of a clear sky for a sun of radiance 1 outside the air, and the part of sunlight that reaches the ground."""

    sun: NDArray[np.float64]
    zenith: NDArray[np.float64]
    horizon: NDArray[np.float64]
    """2 degrees above the horizon, a right angle away from the sun"""
    glow: NDArray[np.float64]
    """What the sky 2 degrees above the horizon and GLOW beside the sun has more than `horizon`"""
    ambient: NDArray[np.float64]
    """Irradiance of a level surface by the sky, divided by pi"""


@lru_cache(16)
def sky_light(elevation: float) -> SkyLight:
    """Return the light of a clear sky for an elevation of the sun [rad]."""
    sun = np.array((math.cos(elevation), 0.0, math.sin(elevation)))
    low = math.radians(2.0)
    views = [
        (0.0, 0.0, 1.0),
        (0.0, math.cos(low), math.sin(low)),
        (math.cos(low) * math.cos(GLOW), math.cos(low) * math.sin(GLOW), math.sin(low)),
    ]
    # directions of a hemisphere with equal parts of the irradiance of a level surface
    rings, turns = (np.arange(4) + 0.5) / 4.0, (np.arange(8) + 0.5) / 8.0 * math.tau
    across = np.sqrt(rings)[:, None]
    dome = np.stack((across * np.cos(turns), across * np.sin(turns), np.sqrt(1.0 - rings)[:, None] + 0.0 * turns), axis=-1).reshape(-1, 3)
    light = _scattered(np.vstack((views, dome)), sun)
    ground = np.array((0.0, 0.0, PLANET + 2.0))
    through = np.exp(-_depth(ground[None], sun)[0]) if elevation > 0.0 else np.zeros(3)
    zenith, horizon, below = light[:3]
    return SkyLight(through, zenith, horizon, np.maximum(below - horizon, 0.0), light[3:].mean(axis=0))


def _scattered(views: NDArray[np.float64], sun: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the radiance (n, 3) of the air in directions (n, 3), seen from the ground."""
    eye = np.array((0.0, 0.0, PLANET + 2.0))
    b = views @ eye
    reach = -b + np.sqrt(b * b - eye @ eye + TOP * TOP)
    # points are denser near the eye, where the air is
    edges = np.linspace(0.0, 1.0, SKY_STEPS + 1) ** 2.5
    middle, step = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)
    points = eye + (reach[:, None] * middle)[..., None] * views[:, None]
    length = reach[:, None] * step
    height = np.linalg.norm(points, axis=2) - PLANET
    air, haze = np.exp(-height / AIR_HEIGHT), np.exp(-height / HAZE_HEIGHT)
    passed = np.cumsum(_extinction(height) * length[..., None], axis=1) - 0.5 * _extinction(height) * length[..., None]
    lit = np.exp(-_depth(points.reshape(-1, 3), sun).reshape(*height.shape, 3) - passed) * length[..., None]
    mu = (views @ sun)[:, None, None]
    g = FORWARD
    of_air = 3.0 / (16.0 * math.pi) * (1.0 + mu * mu)
    of_haze = (1.0 - g * g) / (4.0 * math.pi * (1.0 + g * g - 2.0 * g * mu) ** 1.5)
    once = RAYLEIGH * air[..., None] * (of_air + AGAIN / (4.0 * math.pi) * 3.0) + MIE * haze[..., None] * (
        of_haze + AGAIN / (4.0 * math.pi)
    )
    light: NDArray[np.float64] = (once * lit).sum(axis=1)
    return light


def _depth(points: NDArray[np.float64], sun: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the optical depth (n, 3) from points (n, 3) to the sun; very large behind the Earth."""
    b, square = points @ sun, (points * points).sum(axis=1)
    reach = -b + np.sqrt(np.maximum(b * b - square + TOP * TOP, 0.0))
    edges = np.linspace(0.0, 1.0, SUN_STEPS + 1) ** 2
    middle, step = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)
    along = points[:, None] + (reach[:, None] * middle)[..., None] * sun
    height = np.maximum(np.linalg.norm(along, axis=2) - PLANET, 0.0)
    depth = (_extinction(height) * (reach[:, None] * step)[..., None]).sum(axis=1)
    nearest = square - b * b
    behind = (b < 0.0) & (nearest < PLANET * PLANET)
    result: NDArray[np.float64] = np.where(behind[:, None], 1e3, depth)
    return result


def _extinction(height: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the extinction (..., 3) [1/m] at heights (...) [m]."""
    air, haze = np.exp(-height / AIR_HEIGHT)[..., None], np.exp(-height / HAZE_HEIGHT)[..., None]
    ozone = np.maximum(0.0, 1.0 - np.abs(height - 25e3) / 15e3)[..., None]
    return RAYLEIGH * air + (MIE + MIE_ABSORPTION) * haze + OZONE * ozone
