"""The air over a ground: a wind that is the same everywhere, and gusts that it carries along.

Gusts are a random field of plane waves [Kraichnan 1970, Physics of Fluids 13, 22] with the energy of von Karman's spectrum of isotropic turbulence,

    E(k) ~ k^4 / (k^2 + k_0^2)^(17/6),    k_0 = 0.747 / L,    integral of E = 3/2 s^2

of the standard deviation s of each component and the length L: each wave has an amplitude across its direction, so the field is free of divergence,
and a wave number of its own share of the spectrum. The field is carried along by the wind as it is [Taylor 1938], so a car that drives through it
meets it faster than one that stands. Its upward part is left out: so close to the ground there is none. By seed, the same bits for the same seed.
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
"""m. Shorter waves are within the length of a car, which does not feel them."""
LONGEST = 25.0
"""Longest wave over the length L."""
FASTEST_WIND = 150.0
"""m/s. No storm is faster."""

AIR = (
    # name      shape       unit   what it is
    ("wind", (3,), "m/s", "velocity of the air without gusts, in W"),
    ("waves", (), "1", "waves of the gusts in use", "i8"),
    ("wave", (WAVES, 3), "rad/m", "their wave vectors, in W"),
    ("phase", (WAVES,), "rad", "their phases at the origin at time 0"),
    ("gust", (WAVES, 2), "m/s", "their amplitudes along x and y of W"),
)
GUSTS = (
    Field("speed", Number("m/s", 0.0, 50.0), "standard deviation of each level component of the gusts"),
    Field("length", Number("m", 2.0, 5000.0), "length L of von Karman's spectrum", 60.0),
    Field("seed", Number("", 0, 2**32 - 1, whole=True), "another seed, other gusts of the same kind", 1),
)
"""Of the section `gusts` of a terrain file and of the world of a session."""
WIND = (
    Field("wind", Number("m/s", -FASTEST_WIND, FASTEST_WIND, shape=(3,)), "velocity of the air", (0.0, 0.0, 0.0), "the world"),
    Field("gusts", Group(GUSTS), "what comes on top of that, carried along by it; none when left out", None),
)
"""Of a terrain file."""


def still_air() -> Record:
    """No wind."""
    return record(AIR)


def moving_air(wind: tuple[float, ...], gusts: dict[str, float] | None = None) -> Record:
    """Record of AIR with a wind [m/s] in W and gusts as GUSTS describes them."""
    air = record(AIR)
    air[0]["wind"] = wind
    if gusts is None or gusts["speed"] == 0.0:
        return air
    random, length = np.random.default_rng(int(gusts["seed"])), float(gusts["length"])
    edges = np.geomspace(2.0 * math.pi / (LONGEST * length), 2.0 * math.pi / SHORTEST, WAVES + 1)
    shares = _energy_below(edges, length)
    k = np.exp(np.log(edges[:-1]) + random.random(WAVES) * np.log(edges[1:] / edges[:-1]))
    direction, other = _directions(random), _directions(random)
    across = np.cross(direction, other)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    # of a wave 2 sqrt(e) cos(...) the mean energy is e; all of them together have 3/2 s^2
    amplitude = 2.0 * np.sqrt(1.5 * gusts["speed"] ** 2 * np.diff(shares) / (shares[-1] - shares[0]))
    air[0]["waves"] = WAVES
    air[0]["wave"], air[0]["phase"] = k[:, None] * direction, random.random(WAVES) * 2.0 * math.pi
    air[0]["gust"] = (amplitude[:, None] * across)[:, :2]
    return air


def _directions(random: np.random.Generator) -> np.ndarray:
    """(WAVES, 3) unit vectors, no direction more likely than another."""
    v = random.standard_normal((WAVES, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def _energy_below(k: np.ndarray, length: float) -> np.ndarray:
    """Integral of von Karman's E up to the wave numbers k [rad/m], but for a factor."""
    fine = np.geomspace(1e-3 / length, k[-1], 4000)
    e = fine**4 / (fine**2 + (0.747 / length) ** 2) ** (17.0 / 6.0)
    total = np.concatenate(([0.0], np.cumsum(0.5 * (e[1:] + e[:-1]) * np.diff(fine))))
    return np.interp(k, fine, total)


@inline
def air_velocity(air, p, t):
    """Velocity (3) [m/s] of the air at the place p (3) and time t [s], in W; air : (1,) of AIR."""
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
