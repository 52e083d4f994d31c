"""Reflectance of the surfaces that beams meet: of objects by their material, of the ground by the name of its soil or surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from terrain.ground import Ground
from terrain.nearest_node import nearest_nodes
from terrain.objects.object_set import ObjectSet

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

    def of(self, objects: ObjectSet, number: NDArray[np.int64], x: Array, y: Array) -> Array:
        """Return the reflectances (n,) at points x, y (n,) [m] of objects by number (n,); 0 = the ground, negative: 0."""
        out = np.where(number == 0, self._pairs[0, 0], 0.0)
        if not self._uniform:
            on_ground = np.flatnonzero(number == 0)
            row, column = nearest_nodes(self._ground, x[on_ground], y[on_ground])
            is_soft = self._ground.hardness[row, column] < 0.5
            out[on_ground] = self._pairs[self._ground.soil_ids[row, column], is_soft.astype(int)]
        if len(objects):
            hit = np.flatnonzero(number > 0)
            out[hit] = objects.records["reflectance"][number[hit] - objects.first]
        return out
