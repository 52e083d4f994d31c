"""Reflectance of the surfaces that beams meet: of objects by their material, of the ground by the name of its soil or surface."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel
from terrain.ground import Ground
from terrain.objects.object_set import ObjectSet

FloatArray = NDArray[np.float64]
REFLECTANCE = {
    "wet": 0.08,
    "asphalt": 0.17,
    "concrete": 0.35,
    "gravel": 0.25,
    "snow": 0.85,
    "ice": 0.30,
    "basalt": 0.10,
    "regolith": 0.15,
    "mars": 0.30,
    "sand": 0.40,
    "grass": 0.45,
    "clay": 0.28,
    "loam": 0.28,
}
"""Diffuse reflectance near 900 nm by a word in the name; the first word counts. Rounded from spectral libraries [Baldridge et al. 2009, The ASTER spectral
library version 2.0]; samples of one material differ by half."""
PLAIN = 0.25
"""Reflectance of ground with any other name; assumed."""


def reflectance_of(name: str) -> float:
    """Return the reflectance of a soil or surface by its name."""
    return next((value for word, value in REFLECTANCE.items() if word in name.lower()), PLAIN)


class Reflectance:
    """Reflectances of a ground and of objects.

    Parameters
    ----------
    ground_value : reflectance of the ground everywhere; None: by the names of its soils; "gravel on sand" is gravel where the ground is hard, else sand
    """

    def __init__(self, ground: Ground, ground_value: float | None = None) -> None:
        self._ground = ground
        names = [name.partition(" on ") for name in ground.soil_names]
        pairs = [(reflectance_of(hard), reflectance_of(soft or hard)) for hard, _, soft in names]
        if ground_value is not None or not pairs:
            pairs = [(PLAIN if ground_value is None else ground_value,) * 2] * max(len(pairs), 1)
        self._pairs = np.array(pairs)
        self._uniform = bool((self._pairs == self._pairs[0, 0]).all())

    def of(self, objects: ObjectSet, number: NDArray[np.int64], x: FloatArray, y: FloatArray) -> FloatArray:
        """Return the reflectances (n,) at points x, y (n,) [m] of objects by number (n,); 0 = the ground, negative: 0."""
        out = np.where(number == 0, self._pairs[0, 0], 0.0)
        if not self._uniform:
            g = self._ground
            ground_reflectance(g.p, g.hardness, g.soil_ids, self._pairs, number, x, y, out)
        if len(objects):
            hit = np.flatnonzero(number > 0)
            out[hit] = objects.records["reflectance"][number[hit] - objects.first]
        return out


@kernel
def ground_reflectance(p, hardness, soil_ids, pairs, number, x, y, out):
    """Write the reflectances of the nearest nodes to out (n,) where number (n,) is 0; pairs (soils, 2) are those of hard and of soft ground."""
    g = p[0]
    ny, nx = soil_ids.shape
    for n in range(len(number)):
        if number[n] == 0:
            i = _node(x[n], g["origin"][0], g["spacing"][0], nx, g["mirrored"])
            j = _node(y[n], g["origin"][1], g["spacing"][1], ny, g["mirrored"])
            out[n] = pairs[soil_ids[j, i], 0 if hardness[j, i] >= 0.5 else 1]


@inline
def _node(x, origin, spacing, count, mirrored):
    """Return the nearest node to x; beyond the map, of its mirror image or at its border."""
    k = math.floor((x - origin) / spacing + 0.5)
    if mirrored:
        k %= 2 * count
        return 2 * count - 1 - k if k >= count else k
    return min(max(k, 0), count - 1)
