"""Free room on the ground: which footprints fit between those that are there."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Array
from terrain.generators.generated_terrain import Place
from terrain.objects.footprint import CIRCLE, Rectangle, meets

BIN = 8.0
"""m. Side length of the bins of a site."""


@dataclass(frozen=True)
class Footprint:
    """Area below an object: a circle around x, y [m], or a rectangle inside this circle."""

    x: float
    y: float
    reach: float
    corners: Array | None = None
    """(4, 2) of a rectangle, None for a circle"""

    @staticmethod
    def rectangle(x: float, y: float, yaw: float, length: float, width: float) -> Footprint:
        """Return the rectangle with its center at x, y."""
        corners = Rectangle(0.5 * length, -0.5 * length, 0.5 * width).at(x, y, yaw)
        return Footprint(x, y, 0.5 * math.hypot(length, width), corners)

    def polygon(self, gap: float = 0.0) -> Array:
        """Return corners (n, 2) around the footprint; a circle is enlarged by the gap."""
        return (self.x, self.y) + (self.reach + gap) * CIRCLE if self.corners is None else self.corners


class Site:
    """Footprints that do not overlap, sorted into bins."""

    def __init__(self) -> None:
        self._bins: dict[tuple[int, int], list[Footprint]] = defaultdict(list)

    def is_free(self, one: Footprint, gap: float = 0.0) -> bool:
        """Return True if no footprint of the site is nearer than the gap [m] (of two rectangles: their circles, or an overlap)."""
        return not any(_overlap(one, other, gap) for other in self._near(one, gap))

    def take(self, one: Footprint) -> None:
        """Add a footprint."""
        for place in _bins_of(one, 0.0):
            self._bins[place].append(one)

    def take_if_free(self, one: Footprint, gap: float = 0.0) -> bool:
        """Add a footprint if it is free, and return whether it was."""
        free = self.is_free(one, gap)
        if free:
            self.take(one)
        return free

    def _near(self, one: Footprint, gap: float) -> Iterator[Footprint]:
        """Yield the footprints of the bins near a footprint; one in several bins comes several times."""
        for place in _bins_of(one, gap):
            yield from self._bins.get(place, ())


def _bins_of(one: Footprint, gap: float) -> Iterator[tuple[int, int]]:
    far = one.reach + gap
    low = math.floor((one.x - far) / BIN), math.floor((one.y - far) / BIN)
    high = math.floor((one.x + far) / BIN), math.floor((one.y + far) / BIN)
    return ((i, j) for i in range(low[0], high[0] + 1) for j in range(low[1], high[1] + 1))


def _overlap(one: Footprint, other: Footprint, gap: float) -> bool:
    """Return True if two footprints are nearer than the gap."""
    if math.hypot(one.x - other.x, one.y - other.y) >= one.reach + other.reach + gap:
        return False
    if one.corners is None and other.corners is None:
        return True
    a, b = one.polygon(gap), other.polygon(gap)
    return all(meets(box, points) for box, points in ((a, b), (b, a)) if len(box) == 4)


def clear_ahead(place: Place, length: float, radius: float) -> list[Footprint]:
    """Return circles that keep a start position and the way ahead of it free [m]."""
    (x, y), yaw = map(float, place.at), math.radians(place.yaw_deg)
    steps = np.arange(0.0, length + 0.5 * radius, radius)
    return [Footprint(x + s * math.cos(yaw), y + s * math.sin(yaw), radius) for s in steps]
