"""Mapper that knows the true ground and objects, as in [Cameron 2013]: a perfect sensor with a complete view.

The cells are those of `terrain.truth_map`. They lie on a fixed raster of the world: the layers of the ground and of objects at rest are computed
once, in square tiles, and a map is cut from them. Objects that move are drawn into each map, where they are and where they will be
within a time, at their present velocity.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import CONTRACT, OBSTACLE, MapperInput, MapperKind, MapperSettings, ObstacleMap
from simulator.autonomy.mappers.traction import StrengthMap
from simulator.autonomy.object_outlines import AtRest, ObjectOutlines
from simulator.base.fields import Field, Fields, Flag, Number
from terrain.objects.object_set import ObjectSet
from terrain.truth_map import draw_outline, ground_heights, map_of

TILE = 64
"""Cells along a side of a tile."""
SMALLEST_STRENGTH = 0.02
"""1. Ground that is weaker has a cost of 1 on any slope."""

FloatArray = NDArray[np.float64]


class GroundTile(NamedTuple):
    """Layers of the ground in a tile, each (TILE, TILE)."""

    elevation: FloatArray
    slope: FloatArray
    step: FloatArray
    strength: FloatArray
    cost: FloatArray
    state: NDArray[np.uint8]


class ObjectTile(NamedTuple):
    """Layers of the objects at rest in a tile, each (TILE, TILE)."""

    height: FloatArray
    label: NDArray[np.uint8]
    solid: NDArray[np.bool_]


@dataclass
class _ObjectTiles:
    """Objects at rest, and the tiles drawn so far."""

    rest: AtRest
    low: NDArray[np.int64]
    """(n, 2) first tile column and row of each outline"""
    high: NDArray[np.int64]
    tiles: dict[tuple[int, int], ObjectTile]


class TruthMapper:
    """Mapper of the true world around a vehicle."""

    def __init__(self, settings: MapperSettings) -> None:
        values = settings.values
        self._cell, self._prediction = float(values["cell"]), float(values["prediction"])
        self._bounded = bool(values["bounded"])
        self._count = max(2, round(float(values["extent"]) / self._cell))
        usual = settings.vehicle.limits(self._cell)
        given = {"slope": values.get("max_slope"), "step": values.get("max_step"), "object_height": values.get("max_object")}
        self.limits = replace(usual, **{name: float(value) for name, value in given.items() if value is not None})
        self._ground, self._strength = settings.ground, StrengthMap(settings.ground, settings.vehicle)
        self._tiles: dict[tuple[int, int], GroundTile] = {}
        self._outlines = ObjectOutlines(settings.ground)
        self._objects: _ObjectTiles | None = None

    def update(self, seen: MapperInput) -> ObstacleMap:
        """Return the map around the vehicle."""
        i0, j0 = (math.floor(place / self._cell + 0.5) - self._count // 2 for place in seen.position)
        origin, shape = (i0 * self._cell, j0 * self._cell), (self._count, self._count)
        empty = (np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape))
        layers = GroundTile(*empty, np.empty(shape, np.uint8))
        things = ObjectTile(np.empty(shape), np.empty(shape, np.uint8), np.empty(shape, bool))
        objects = self._object_tiles(seen.objects)
        for row in range(j0 // TILE, (j0 + self._count - 1) // TILE + 1):
            for column in range(i0 // TILE, (i0 + self._count - 1) // TILE + 1):
                _paste(layers, self._ground_tile(column, row), column * TILE - i0, row * TILE - j0)
                _paste(things, self._object_tile(objects, column, row), column * TILE - i0, row * TILE - j0)
        for one in self._outlines.moving(seen.objects, seen.time, self._prediction):
            draw_outline(one, origin, self._cell, self.limits, things)
        layers.state[things.solid], layers.cost[things.solid] = OBSTACLE, 1.0
        elevation, slope, step, strength, cost, state = layers
        return ObstacleMap(seen.time, origin, self._cell, elevation, slope, step, things.height, strength, cost, state)

    def _ground_tile(self, column: int, row: int) -> GroundTile:
        """Return the layers of the ground in a tile."""
        tile = self._tiles.get((column, row))
        if tile is None:
            around = np.arange(-1, TILE + 1) + 0.5
            x, y = np.meshgrid((column * TILE + around) * self._cell, (row * TILE + around) * self._cell)
            heights = ground_heights(self._ground, x.ravel(), y.ravel()).reshape(x.shape)
            true = map_of(heights, (column * TILE * self._cell, row * TILE * self._cell), self._cell, (), self.limits)
            strength = self._strength.at(x[1:-1, 1:-1], y[1:-1, 1:-1])
            with np.errstate(invalid="ignore"):
                steep = true.slope / np.arctan(np.maximum(strength, SMALLEST_STRENGTH))
                cost = np.fmin(1.0, np.maximum(true.cost, steep))
            cost[np.isnan(true.cost)] = np.nan
            if self._bounded:
                x_min, x_max, y_min, y_max = self._ground.bounds
                outside = ~((x > x_min) & (x < x_max) & (y > y_min) & (y < y_max))[1:-1, 1:-1]
                true.state[outside], cost[outside] = OBSTACLE, 1.0
            tile = self._tiles[column, row] = GroundTile(true.elevation, true.slope, true.step, strength, cost, true.state)
        return tile

    def _object_tiles(self, objects: ObjectSet) -> _ObjectTiles:
        """Return the objects at rest; after a change of the objects, nothing drawn before is valid."""
        rest = self._outlines.at_rest(objects)
        if self._objects is None or self._objects.rest is not rest:
            low, high = (np.floor(reach / (self._cell * TILE)).astype(np.int64) for reach in (rest.low, rest.high))
            self._objects = _ObjectTiles(rest, low, high, {})
        return self._objects

    def _object_tile(self, objects: _ObjectTiles, column: int, row: int) -> ObjectTile:
        """Return the layers of the objects at rest in a tile."""
        tile = objects.tiles.get((column, row))
        if tile is None:
            shape = TILE, TILE
            tile = objects.tiles[column, row] = ObjectTile(np.zeros(shape), np.zeros(shape, np.uint8), np.zeros(shape, bool))
            meets = (objects.low <= (column, row)).all(axis=1) & (objects.high >= (column, row)).all(axis=1)
            origin = column * TILE * self._cell, row * TILE * self._cell
            for n in np.flatnonzero(meets):
                draw_outline(objects.rest.outlines[n], origin, self._cell, self.limits, tile)
        return tile


def _paste(window: Iterable[NDArray], tile: Iterable[NDArray], column: int, row: int) -> None:
    """Copy the layers of a tile, whose first cell is at (row, column) of the window, into the layers of the window."""
    for whole, part in zip(window, tile, strict=True):
        ny, nx = whole.shape
        j0, j1, i0, i1 = max(row, 0), min(row + TILE, ny), max(column, 0), min(column + TILE, nx)
        whole[j0:j1, i0:i1] = part[j0 - row : j1 - row, i0 - column : i1 - column]


PARAMETERS: Fields = (
    Field("extent", Number("m", 10.0, 400.0), "length and width of the map", 80.0, written="m"),
    Field("cell", Number("m", 0.05, 5.0), "side length of a cell", 0.25, written="m"),
    Field("prediction", Number("s", 0.0, 10.0), "time for which the places of moving objects are predicted", 4.0, written="s"),
    Field("bounded", Flag(), "true: ground outside the elevation data of the terrain is an obstacle", False),
    Field("max_slope", Number("rad", 0.01, 1.5), "slope of an obstacle (default: of the vehicle)", None, written="deg"),
    Field("max_step", Number("m", 0.01, 5.0), "step of an obstacle (default: of the vehicle)", None, written="m"),
    Field("max_object", Number("m", 0.0, 5.0), "height of an object that is an obstacle (default: of the vehicle)", None, written="m"),
)
KIND = MapperKind("truth", TruthMapper, CONTRACT, PARAMETERS, meaning="true ground and objects around the vehicle")
