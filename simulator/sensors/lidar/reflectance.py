"""Reflectance of the surfaces that beams meet: of objects by their material, of the ground by the name of its soil or surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.jit import kernel
from terrain.base_grid import nodes_around
from terrain.ground import Ground
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

    def of(self, objects: ObjectSet, number: NDArray[np.int64], lines: tuple[Array, Array], ranges: Array) -> Array:
        """Return the reflectances (n,) of what rays meet at ranges (n,) [m], by the number (n,) of the object: 0 = the ground, negative: 0.

        lines : origins (n, 3) [m] and unit directions (n, 3)
        """
        ground, out = self._ground, np.empty(len(number))
        of_objects = np.ascontiguousarray(objects.records["reflectance"])
        _reflect(
            ground.p,
            ground.soil_ids,
            ground.hardness,
            self._pairs,
            self._uniform,
            (of_objects, objects.first),
            lines,
            (number, ranges),
            out,
        )
        return out


@kernel
def _reflect(p, soil_ids, hardness, pairs, uniform, objects, lines, hits, out):
    """Write reflectances to out (n,): of objects (reflectances by row, first number), of the nearest node of the ground."""
    of_objects, first = objects
    origins, directions = lines
    numbers, ranges = hits
    g, (rows, columns) = p[0], soil_ids.shape
    for n in range(len(out)):
        number, r = numbers[n], ranges[n]
        if number > 0:
            out[n] = of_objects[number - first]
        elif number < 0:
            out[n] = 0.0
        elif uniform:
            out[n] = pairs[0, 0]
        else:
            x, y = origins[n, 0] + r * directions[n, 0], origins[n, 1] + r * directions[n, 1]
            _, i, after_i, _, s = nodes_around(x, g["origin"][0], g["spacing"][0], columns, g["mirrored"])
            _, j, after_j, _, t = nodes_around(y, g["origin"][1], g["spacing"][1], rows, g["mirrored"])
            column, row = (i if s < 0.5 else after_i), (j if t < 0.5 else after_j)
            out[n] = pairs[soil_ids[row, column], 1 if hardness[row, column] < 0.5 else 0]
