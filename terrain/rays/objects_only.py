"""Rays against objects without a ground, for example the parts of a vehicle in its own axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.records import record
from terrain.ground import GROUND, Ground
from terrain.objects.object_set import ObjectSet
from terrain.rays.caster import RayCaster
from terrain.soil import SOIL


def objects_only(objects: ObjectSet) -> RayCaster:
    """Return a caster for objects; call it with `ground=False`. Its ground is the smallest one, whose bounds take no time."""
    nodes = np.zeros((4, 4), np.float32)
    p = record(GROUND)
    p[0]["spacing"], p[0]["gravity"] = 1.0, 1.0
    ground = Ground("none", p, nodes, np.ones_like(nodes), np.zeros(nodes.shape, np.uint8), record(SOIL), ("none",), (0.0, 0.0, 0.0))
    return RayCaster(ground, objects)


def meet_sphere(directions: Array, center: Array, radius: float) -> NDArray[np.bool_]:
    """Return whether rays (n, 3), unit vectors from one origin, meet a sphere; center (3,) [m] relative to the origin, radius [m]."""
    along = directions @ center
    meets: NDArray[np.bool_] = float(center @ center) - np.maximum(along, 0.0) ** 2 < radius**2
    return meets
