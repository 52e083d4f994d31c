"""Walls and steps that no wheel climbs: objects instead of features of the surface, so that the body and the wheels meet their faces.

A feature lower than `CLIMBED` stays surface: the tires feel its face.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Sequence

import numpy as np

from simulator.base.errors import HighFeatureWarning
from simulator.base.values import Values
from terrain.objects.world_object import Box, Material, WorldObject

CLIMBED = 0.5
"""m. Height up to which walls and steps stay surface: just above the radius of the largest shipped wheel, 0.47 m."""
LONGEST = 5.0
"""m. Longest box along a wall on a ground that is not level."""
BELOW = 0.5
"""m. Depth of the boxes below the lowest ground along them."""
CONCRETE = Material(friction=0.7, color=(0.62, 0.61, 0.58), reflectance=0.4)
"""Material of walls and steps [assumed]."""


def is_object(feature: Values) -> bool:
    """Return whether a feature of a terrain file, checked by `FEATURES`, is an object."""
    return feature["type"] in ("wall", "step") and feature["height"] > CLIMBED


def objects_of(features: Sequence[Values], height: Callable[[float, float], float], taken: Sequence[str] = ()) -> list[WorldObject]:
    """Return the objects of the features that are objects, and warn that they are no surface.

    Parameters
    ----------
    features : features of a terrain file, checked by `FEATURES`
    height : ground height at x, y without these features [m]
    taken : names of other objects
    """
    out: list[WorldObject] = []
    for feature in filter(is_object, features):
        made = _walls(feature, height) if feature["type"] == "wall" else [_step(feature, height)]
        out += made
        warnings.warn(
            f"{feature.file}: {feature.key}: a {feature['type']} of {feature['height']:g} m is higher than {CLIMBED:g} m, which no wheel "
            f"climbs: it becomes {len(made)} object{'s' if len(made) > 1 else ''}, and the vehicle collides with it",
            HighFeatureWarning,
            stacklevel=3,
        )
    names, known = [], set(taken)
    for one in out:
        number, name = 1, one.name
        while name in known:
            number += 1
            name = f"{one.name} {number}"
        known.add(name)
        names.append(name)
    return [
        WorldObject(name, one.shape, one.position, one.yaw, 0.0, 0.0, one.label, one.material) for name, one in zip(names, out, strict=True)
    ]


def _walls(feature: Values, height: Callable[[float, float], float]) -> list[WorldObject]:
    """Return boxes along the line of a wall. At a corner, both boxes reach to the outer edge."""
    points, thickness = feature["points"], float(feature["thickness"])
    closed = len(points) > 3 and bool((points[0] == points[-1]).all())
    out = []
    last = len(points) - 2
    for n, (p, q) in enumerate(itertools.pairwise(points)):
        reach = 0.5 * thickness * (q - p) / np.hypot(*(q - p))
        start, end = p - reach * (n > 0 or closed), q + reach * (n < last or closed)
        length = float(np.hypot(*(end - start)))
        ground = [height(*(start + t * (end - start))) for t in np.linspace(0.0, 1.0, 2 + math.ceil(length))]
        count = 1 if max(ground) - min(ground) < 1e-6 else math.ceil(length / LONGEST)
        for k in range(count):
            a, b = start + (end - start) * k / count, start + (end - start) * (k + 1) / count
            out.append(_box("wall", a, b, thickness, float(feature["height"]), height))
    return out


def _step(feature: Values, height: Callable[[float, float], float]) -> WorldObject:
    """Return the box of a step."""
    half = 0.5 * float(feature["depth"]) * np.array((math.cos(feature["yaw"]), math.sin(feature["yaw"])))
    at = np.asarray(feature["at"], float)
    return _box("step", at - half, at + half, float(feature["length"]), float(feature["height"]), height)


def _box(name: str, start: np.ndarray, end: np.ndarray, width: float, high: float, height: Callable[[float, float], float]) -> WorldObject:
    """Return a box from start to end, `high` above the mean ground between them, with its foot below the ground."""
    ground = [height(*(start + t * (end - start))) for t in np.linspace(0.0, 1.0, 5)]
    low, top = min(ground) - BELOW, float(np.mean(ground)) + high
    x, y = 0.5 * (start + end)
    size = (float(np.hypot(*(end - start))), width, top - low)
    yaw = math.atan2(*(end - start)[::-1])
    return WorldObject(name, Box(size), (float(x), float(y), 0.5 * (low + top)), yaw, label="barrier", material=CONCRETE)
