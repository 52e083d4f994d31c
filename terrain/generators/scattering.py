"""Random places of objects: a given number, apart from one another and from taken ground."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from terrain.generators.site import Footprint, Site

MAX_OBJECTS = 50_000
"""Maximum number of places."""
MAX_TRIALS = 200
"""Number of random places that are tried for one object."""
SAMPLES = 40_000
"""Number of random points for the area of a region."""
Region = Callable[[Array, Array], NDArray[np.bool_]]
"""Function of x and y of points [m] that returns whether objects may stand there."""


def area_of(region: Region, low: Sequence[float], high: Sequence[float]) -> float:
    """Return the area [m2] of the part of a rectangle that is in a region, from random points."""
    x, y = np.random.default_rng(0).uniform(low, high, (SAMPLES, 2)).T
    return float(region(x, y).mean() * np.prod(np.subtract(high, low)))


def scattered(
    site: Site,
    reaches: Array,
    gap: float,
    region: Region,
    bounds: tuple[Sequence[float], Sequence[float]],
    random: np.random.Generator,
) -> Array:
    """Return places (n, 2) [m] for circles of the radii `reaches`, and take them from the site; the largest are placed first.

    Parameters
    ----------
    gap : minimum gap between two objects [m]
    bounds : corners of the rectangle around the region

    Raises
    ------
    ConfigError : too many objects, or no room for all of them
    """
    if len(reaches) > MAX_OBJECTS:
        raise ConfigError("--set", "density", f"{len(reaches)} objects", f"at most {MAX_OBJECTS}; hint: lower density or size")
    out = np.full((len(reaches), 2), np.nan)
    for done, k in enumerate(np.argsort(-reaches, kind="stable")):
        for x, y in random.uniform(*bounds, (MAX_TRIALS, 2)):
            one = Footprint(float(x), float(y), float(reaches[k]))
            if region(np.array([x]), np.array([y]))[0] and site.take_if_free(one, gap):
                out[k] = x, y
                break
        else:
            raise ConfigError(
                "--set",
                "density",
                f"{len(reaches)} objects",
                f"a density with room for all: {done} found a place; hint: lower density or gap",
            )
    return out
