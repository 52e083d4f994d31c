"""Objects of a generated town: buildings, fences, trees and lamp posts on the lots, parked cars at the curbs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import count, pairwise

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from terrain.generators.generated_terrain import Place
from terrain.generators.shapes import offset_polygon, polygon_distance
from terrain.generators.site import Footprint, Site, clear_ahead
from terrain.objects.table_text import ON_GROUND
from terrain.objects.trees import tree
from terrain.objects.world_object import Box, Breakaway, Cylinder, Material, WorldObject

_SHARE = Number("1", 0.0, 1.0)
TOWN_OBJECTS = (
    Field("buildings", _SHARE, "fraction of the building plots with a building", 0.85),
    Field("floors", Number("1", 1, 40, shape=(2,), whole=True), "minimum and maximum number of floors of 3 m", (2, 6)),
    Field("cars", _SHARE, "fraction of the parking places with a car", 0.5),
    Field("lamps", Number("m", 0.0, 200.0), "distance between lamp posts; 25 to 35 m are usual; 0 = none", 30.0),
    Field("trees", _SHARE, "fraction of the places for trees with a tree", 0.6),
    Field("fences", _SHARE, "fraction of the lots with a fence", 0.4),
    Field("barrels", Number("1", 0, 20, whole=True), "barrels on each street between two crossings, as obstacles", 0),
)
STRIP, LANE = 2.0, 2.75
"""m. Width of the parking strip on the left of a street, and the minimum width of the two lanes beside the strip."""
SPACE, CAR_GAP = 6.5, 0.25
"""m. Length of a parking place, and distance of a car from the curb."""
CAR = ((3.9, 4.8), (1.7, 1.85), (1.4, 1.7))
"""m. Length, width and height of cars, minimum and maximum."""
FROM_CORNER = 5.0
"""m. Distance of parked cars from a crossing; usual."""
LAMP_RADIUS, LAMP_HEIGHT, LAMP_INSET = 0.09, 7.0, 0.4
"""m. Lamp post, and its distance behind the curb. [assumed]"""
LAMP_BREAKS = Breakaway(110.0, 40e3)
"""kg, N. Steel posts yield to a car [assumed]: EN 12767 tests posts that are to yield with cars of 900 kg."""
BARREL, BARREL_BREAKS, BARREL_GAP = Cylinder(0.29, 0.9), Breakaway(18.0), 2.5
"""Plastic drum of 200 l with some ballast, and its distance from other objects [m]. [assumed]"""
TREE_INSET, TREE_PITCH = 1.0, 9.0
"""m. Distance of trees behind the sidewalk and between trees. [assumed]"""
FENCE_INSET, FENCE_HEIGHT, FENCE_WIDTH, FENCE_PART, GATE = 2.2, 1.2, 0.08, 10.0, 4.0
"""m. Distance of fences behind the sidewalk, their size, longest part and the gate in each side. [assumed]"""
SETBACK, DEPTH, FRONT, ALLEY = 3.0, 11.0, (9.0, 18.0), (0.5, 5.0)
"""m. Distance of buildings behind the sidewalk, depth, width of the front, gap between two buildings. [assumed]"""
MIN_DEPTH = 5.0
"""m. Minimum depth of a building."""
FLOOR = 3.0
"""m."""
WALLS = ((0.72, 0.66, 0.58), (0.62, 0.36, 0.28), (0.80, 0.78, 0.72), (0.55, 0.57, 0.60), (0.76, 0.60, 0.42))
PAINTS = ((0.85, 0.85, 0.86), (0.08, 0.08, 0.09), (0.45, 0.46, 0.48), (0.55, 0.07, 0.07), (0.10, 0.20, 0.45), (0.20, 0.30, 0.24))


def has_strip(parameters: Mapping) -> bool:
    """Return whether a street has room for parked cars beside two lanes."""
    return bool(parameters["street"] - STRIP >= 2.0 * LANE)


class TownPlan:
    """Objects of a town, placed one after the other where there is room."""

    def __init__(self, parameters: Mapping, seed: int, places: Iterable[Place]) -> None:
        self.parameters = parameters
        self.random = np.random.default_rng([seed, 2])
        self.site = Site()
        self.objects: list[WorldObject] = []
        self._numbers: dict[str, count] = {}
        for place in places:
            for circle in clear_ahead(place, 14.0, 2.5):
                self.site.take(circle)

    def name(self, word: str) -> str:
        """Return a new name, word and number."""
        return f"{word}_{next(self._numbers.setdefault(word, count(1)))}"

    def lot(self, corners: Array) -> None:
        """Add the objects of the lot inside the curb line `corners` (4, 2), counterclockwise."""
        walk = self.parameters["sidewalk"]
        self._buildings(offset_polygon(corners, walk + SETBACK))
        if self.random.random() < self.parameters["fences"]:
            self._fence(offset_polygon(corners, walk + FENCE_INSET))
        self._trees(corners, walk + TREE_INSET)
        self._lamps(corners)

    def street(self, line: Array, clear: float) -> None:
        """Add parked cars on the left of a street between its crossings (n, 2), more than `clear` from them."""
        for a, b in pairwise(line):
            length = float(np.hypot(*(b - a)))
            along = (b - a) / length
            left = np.array((-along[1], along[0]))
            yaw = math.atan2(along[1], along[0])
            for s in np.arange(clear + FROM_CORNER + 0.5 * SPACE, length - clear - FROM_CORNER - 0.5 * SPACE, SPACE):
                size = [float(self.random.uniform(*limits)) for limits in CAR]
                parked, turned = self.random.random() < self.parameters["cars"], self.random.random() < 0.3
                paint = PAINTS[self.random.integers(len(PAINTS))]
                x, y = a + along * s + left * (0.5 * self.parameters["street"] - CAR_GAP - 0.5 * size[1])
                if parked and self.site.take_if_free(Footprint.rectangle(x, y, yaw, size[0], size[1]), 0.3):
                    self._add("car", Box(size), (x, y), yaw - math.pi * turned, "vehicle", Material(color=paint, reflectance=0.5))

    def barrels(self, line: Array, clear: float, random: np.random.Generator) -> None:
        """Add barrels on a street between its crossings (n, 2), more than `clear` from them."""
        reach = 0.5 * self.parameters["street"] - 1.0
        for a, b in pairwise(line):
            length = float(np.hypot(*(b - a)))
            along = (b - a) / length
            for _ in range(int(self.parameters["barrels"]) if length > 2.0 * clear else 0):
                x, y = a + along * random.uniform(clear, length - clear) + np.array((-along[1], along[0])) * random.uniform(-reach, reach)
                if self.site.take_if_free(Footprint(float(x), float(y), BARREL.radius), BARREL_GAP):
                    at = float(x), float(y), ON_GROUND
                    paint = Material(color=(0.90, 0.45, 0.08))
                    self.objects.append(WorldObject(self.name("barrel"), BARREL, at, label="barrier", material=paint, motion=BARREL_BREAKS))

    def _add(
        self, word: str, shape: Box | Cylinder, place: tuple[float, float], yaw: float, label: str, material: Material | None = None
    ) -> None:
        at = float(place[0]), float(place[1]), ON_GROUND
        yaw = math.remainder(yaw, math.tau)
        self.objects.append(WorldObject(self.name(word), shape, at, yaw, label=label, material=material or Material()))

    def _buildings(self, plot: Array) -> None:
        """Add rows of buildings along the inside of a convex polygon (4, 2)."""
        sides = np.roll(plot, -1, axis=0) - plot
        narrow = min(-float(polygon_distance(plot, *np.array(plot.mean(axis=0)))) * 2.0, float(np.hypot(*sides.T).min()))
        depth = min(DEPTH, 0.5 * narrow - 1.0) if narrow > 2.0 * (MIN_DEPTH + 1.0) else narrow
        if depth < MIN_DEPTH:
            return
        low, high = self.parameters["floors"]
        for a, side in zip(plot, sides, strict=True):
            length, yaw = float(np.hypot(*side)), math.atan2(side[1], side[0])
            along = side / length
            inward = np.array((-along[1], along[0]))
            s = 0.0
            while s < length - FRONT[0]:
                front, alley = float(self.random.uniform(*FRONT)), float(self.random.uniform(*ALLEY))
                front = min(front, length - s)
                built, floors = self.random.random() < self.parameters["buildings"], int(self.random.integers(low, high + 1))
                wall = WALLS[self.random.integers(len(WALLS))]
                x, y = a + along * (s + 0.5 * front) + inward * 0.5 * depth
                ground = Footprint.rectangle(x, y, yaw, front, depth)
                inside = float(polygon_distance(plot, *ground.polygon().T).max()) <= 1e-6
                if inside and self.site.is_free(ground):
                    if built:
                        self.site.take(ground)
                        self._add("building", Box((front, depth, FLOOR * floors)), (x, y), yaw, "building", Material(color=wall))
                    s += front + alley
                else:
                    s += 1.0

    def _fence(self, line: Array) -> None:
        """Add fences along the sides of a polygon (4, 2), with a gate in the middle of each side."""
        for a, b in zip(line, np.roll(line, -1, axis=0), strict=True):
            length, yaw = float(np.hypot(*(b - a))), math.atan2(b[1] - a[1], b[0] - a[0])
            for low, high in ((0.3, 0.5 * (length - GATE)), (0.5 * (length + GATE), length - 0.3)):
                parts = math.ceil((high - low) / FENCE_PART)
                for k in range(parts):
                    start, end = (low + (high - low) * n / parts for n in (k, k + 1))
                    x, y = a + (b - a) * 0.5 * (start + end) / length
                    if self.site.take_if_free(Footprint.rectangle(x, y, yaw, end - start - 0.02, FENCE_WIDTH)):
                        self._add("fence", Box((end - start - 0.02, FENCE_WIDTH, FENCE_HEIGHT)), (x, y), yaw, "fence")

    def _trees(self, corners: Array, inset: float) -> None:
        """Add trees behind the sidewalk and in the middle of the lot."""
        line = offset_polygon(corners, inset)
        for a, b in zip(line, np.roll(line, -1, axis=0), strict=True):
            length = float(np.hypot(*(b - a)))
            for s in np.arange(4.0, length - 4.0, TREE_PITCH):
                self._tree(a + (b - a) * s / length)
        yard = offset_polygon(corners, 0.0)
        low, high = yard.min(axis=0), yard.max(axis=0)
        for _ in range(int(np.prod(high - low) / 400.0)):
            point = self.random.uniform(low, high)
            if float(polygon_distance(corners, *np.array(point))) < -(inset + SETBACK):
                self._tree(point)

    def _tree(self, point: Array) -> None:
        """Add a tree where there is room for its trunk."""
        planted = self.random.random() < self.parameters["trees"]
        height, radius = float(self.random.uniform(5.0, 9.0)), float(self.random.uniform(0.1, 0.22))
        if planted and self.site.take_if_free(Footprint(float(point[0]), float(point[1]), radius), 0.8):
            self.objects += tree(self.name("tree"), (float(point[0]), float(point[1])), height, radius)

    def _lamps(self, corners: Array) -> None:
        """Add lamp posts on the sidewalk."""
        pitch = self.parameters["lamps"]
        if pitch <= 0.0:
            return
        line = offset_polygon(corners, LAMP_INSET)
        for a, b in zip(line, np.roll(line, -1, axis=0), strict=True):
            length = float(np.hypot(*(b - a)))
            inner = length - 2.0 * (self.parameters["corner"] + 1.0)
            for k in range(max(0, int(inner / pitch)) + 1 if inner > 0.0 else 0):
                s = 0.5 * length + pitch * (k - 0.5 * int(inner / pitch))
                x, y = a + (b - a) * s / length
                if self.site.take_if_free(Footprint(float(x), float(y), LAMP_RADIUS), 0.3):
                    at = float(x), float(y), ON_GROUND
                    shape = Cylinder(LAMP_RADIUS, LAMP_HEIGHT)
                    to_street = math.atan2(a[0] - b[0], b[1] - a[1])
                    self.objects.append(WorldObject(self.name("lamp"), shape, at, to_street, label="post", motion=LAMP_BREAKS))
