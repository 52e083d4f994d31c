"""Wind and gusts: a uniform wind that carries random gusts along.

Gusts are a random field of plane waves [Kraichnan 1970, Physics of Fluids 13, 22] with the energy of von Karman's spectrum of isotropic turbulence,

    E(k) ~ k^4 / (k^2 + k_0^2)^(17/6),    k_0 = 0.747 / L,    integral of E = 3/2 s^2

where s is the standard deviation of each component and L the length scale. Each wave has an amplitude normal to its direction, so the field is free of
divergence, and a wave number from its own band of the spectrum. The wind carries the field along unchanged [Taylor 1938], so a moving car meets the
gusts faster than a car at rest. The vertical component is omitted, because it vanishes near the ground. The same seed gives identical bits.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.algebra.vectors import vector
from simulator.base.fields import Field, Group, Number
from simulator.base.jit import inline
from simulator.base.records import Record, record

WAVES = 48
SHORTEST = 2.0
"""m. Shorter waves average out over the length of a car."""
LONGEST = 25.0
"""Longest wave divided by the length scale L."""
FASTEST_WIND = 150.0
"""m/s. Maximum wind speed in a file."""

AIR = (
    # name      shape       unit   description
    ("wind", (3,), "m/s", "velocity of the air without gusts, in W"),
    ("waves", (), "1", "number of gust waves in use", "i8"),
    ("wave", (WAVES, 3), "rad/m", "wave vectors of the gusts, in W"),
    ("phase", (WAVES,), "rad", "phases of the gust waves at the origin at time 0"),
    ("gust", (WAVES, 2), "m/s", "amplitudes of the gust waves along x and y of W"),
)
GUSTS = (
    Field("speed", Number("m/s", 0.0, 50.0), "standard deviation of each horizontal component of the gusts"),
    Field("length", Number("m", 2.0, 5000.0), "length scale L of von Karman's spectrum", 60.0),
    Field("seed", Number("", 0, 2**32 - 1, whole=True), "seed of the random gusts", 1),
)
"""Fields of the section `gusts` of a terrain file and of the world of a session."""
WIND = (
    Field("wind", Number("m/s", -FASTEST_WIND, FASTEST_WIND, shape=(3,)), "velocity of the air", (0.0, 0.0, 0.0), "the world"),
    Field("gusts", Group(GUSTS), "gusts on top of the wind, carried along by it; default: none", None),
)
"""Fields of a terrain file."""


def still_air() -> Record:
    """Return a record of AIR without wind."""
    return record(AIR)


def moving_air(wind: tuple[float, ...], gusts: dict[str, float] | None = None) -> Record:
    """Return a record of AIR with a wind [m/s] in W and gusts as described by GUSTS."""
    air = record(AIR)
    air[0]["wind"] = wind
    if gusts is None or gusts["speed"] == 0.0:
        return air
    random, length = np.random.default_rng(int(gusts["seed"])), float(gusts["length"])
    edges = np.geomspace(2.0 * math.pi / (LONGEST * length), 2.0 * math.pi / SHORTEST, WAVES + 1)
    energy = _energy_below(edges, length)
    k = np.exp(np.log(edges[:-1]) + random.random(WAVES) * np.log(edges[1:] / edges[:-1]))
    direction, other = _directions(random), _directions(random)
    across = np.cross(direction, other)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    # a wave 2 sqrt(e) cos(...) has the mean energy e; the sum of all waves is 3/2 s^2
    amplitude = 2.0 * np.sqrt(1.5 * gusts["speed"] ** 2 * np.diff(energy) / (energy[-1] - energy[0]))
    air[0]["waves"] = WAVES
    air[0]["wave"], air[0]["phase"] = k[:, None] * direction, random.random(WAVES) * 2.0 * math.pi
    air[0]["gust"] = (amplitude[:, None] * across)[:, :2]
    return air


def change_wind(air: Record, wind: np.ndarray, t: float) -> None:
    """Change the wind of a record of AIR at the time t [s] to `wind` (3) [m/s] in W; the gusts move on from where they are.

    The wind carries the gusts along: k . (p - wind t) + phase must not jump.
    """
    change = wind - air[0]["wind"]
    if change.any():
        air[0]["phase"] += t * (air[0]["wave"] @ change)
        air[0]["wind"] = wind


def _directions(random: np.random.Generator) -> np.ndarray:
    """Return (WAVES, 3) isotropic random unit vectors."""
    v = random.standard_normal((WAVES, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def _energy_below(k: np.ndarray, length: float) -> np.ndarray:
    """Return the integral of von Karman's E up to the wave numbers k [rad/m], except for a constant factor."""
    fine = np.geomspace(1e-3 / length, k[-1], 4000)
    e = fine**4 / (fine**2 + (0.747 / length) ** 2) ** (17.0 / 6.0)
    total = np.concatenate(([0.0], np.cumsum(0.5 * (e[1:] + e[:-1]) * np.diff(fine))))
    return np.interp(k, fine, total)


@inline
def air_velocity(air, p, t):
    """Return the velocity (3) [m/s] of the air at the position p (3) and time t [s], in W; air : (1,) of AIR."""
    wind = vector(air[0]["wind"])
    if air[0]["waves"] == 0:
        return wind
    x, y, z = p[0] - wind[0] * t, p[1] - wind[1] * t, p[2] - wind[2] * t
    along, across = wind[0], wind[1]
    for n in range(air[0]["waves"]):
        k = air[0]["wave"][n]
        c = math.cos(k[0] * x + k[1] * y + k[2] * z + air[0]["phase"][n])
        along += air[0]["gust"][n, 0] * c
        across += air[0]["gust"][n, 1] * c
    return along, across, wind[2]
