"""Mapper that knows the true ground and objects, as in [Cameron 2013]: a perfect sensor with a complete view.

The cells are those of `terrain.truth_map`. They lie on a fixed raster of the world: the layers of the ground and of objects at rest are computed
once, in square tiles, and a map is cut from them. Objects that move are drawn into each map, where they are and where they will be
within a time, at their present velocity.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import CONTRACT, OBSTACLE, MapperInput, MapperKind, MapperSettings, ObstacleMap
from simulator.autonomy.object_outlines import AtRest, ObjectOutlines
from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.base.arrays import Array
from simulator.base.errors import JounceError
from simulator.base.fields import Field, Fields, Flag, Number
from terrain.ground import Ground
from terrain.nearest_node import nearest_nodes
from terrain.objects.object_set import ObjectSet
from terrain.truth_map import draw_outline, ground_heights, map_of
from vehicles.tires.rigid_wheel import WheelSoil, driven_wheel
from vehicles.tires.wheel_on_soil import packing_of

TILE = 64
"""Cells along a side of a tile."""
SMALLEST_STRENGTH = 0.02
"""1. Ground that is weaker has a cost of 1 on any slope."""


# Largest tractive force of a vehicle over its weight, by the soil: an estimate for maps, from the pull of a rigid driven wheel on virgin soil.
#
# All wheels are driven. A tire that is flatter than a rigid wheel sinks less, and the rear wheels roll in the ruts of the front wheels: the
# estimate is on the safe side. Without the resistance of the rear wheels, it is what the HMMWV pulls on level snow, but plans with it end on
# snow slopes: 4 instead of 7 of 40 goals of Verti-Bench were reached.
SLIP = 0.4
"""1. Slip of a wheel that pulls at its limit."""


def soil_strength(soil: Any, vehicle: VehicleTraits) -> tuple[float, float]:
    """Return strength and grip of a soil, a record of table SOIL without its hard surface; 0 for one that does not carry the vehicle."""
    load, width = vehicle.wheel_load, vehicle.tire_width
    below = WheelSoil(
        k=float(soil["k_c"]) / width + float(soil["k_phi"]),
        n=float(soil["n"]),
        cohesion=float(soil["cohesion"]),
        friction_angle=float(soil["friction_angle"]),
        shear_modulus=float(soil["shear_modulus"]),
        c1=float(soil["c1"]),
        c2=float(soil["c2"]),
        exit_ratio=float(soil["exit_ratio"]),
        unit_weight=float(soil["unit_weight"]),
        packing=float(packing_of(np.array([soil]))),
    )
    try:
        forces = driven_wheel(below, vehicle.wheel_radius, width, load, SLIP)
    except JounceError:
        return 0.0, 0.0
    thrust = float(soil["tread_strength"]) * forces.thrust
    return (thrust - forces.resistance) / load, thrust / load


class StrengthMap:
    """Strength and grip of the ground at points, of the nearest node of its soil grids."""

    def __init__(self, ground: Ground, vehicle: VehicleTraits) -> None:
        self._ground = ground
        self._soft = np.array([soil_strength(one, vehicle) for one in ground.soils]).T
        self._hard = np.array(ground.soils["friction"], float)

    def at(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return strength and grip (2, ...) at points x, y (same shape) [m]."""
        row, column = nearest_nodes(self._ground, x, y)
        hardness, soil = np.asarray(self._ground.hardness[row, column], float), self._ground.soil_ids[row, column]
        return hardness * self._hard[soil] + (1.0 - hardness) * self._soft[:, soil]


class GroundTile(NamedTuple):
    """Layers of the ground in a tile, each (TILE, TILE)."""

    elevation: Array
    slope: Array
    step: Array
    strength: Array
    grip: Array
    cost: Array
    state: NDArray[np.uint8]


class ObjectTile(NamedTuple):
    """Layers of the objects at rest in a tile, each (TILE, TILE)."""

    height: Array
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
        empty = (np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape))
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
        elevation, slope, step, strength, grip, cost, state = layers
        return ObstacleMap(seen.time, origin, self._cell, elevation, slope, step, things.height, strength, cost, state, grip)

    def _ground_tile(self, column: int, row: int) -> GroundTile:
        """Return the layers of the ground in a tile."""
        tile = self._tiles.get((column, row))
        if tile is None:
            around = np.arange(-1, TILE + 1) + 0.5
            x, y = np.meshgrid((column * TILE + around) * self._cell, (row * TILE + around) * self._cell)
            heights = ground_heights(self._ground, x.ravel(), y.ravel()).reshape(x.shape)
            true = map_of(heights, (column * TILE * self._cell, row * TILE * self._cell), self._cell, (), self.limits)
            strength, grip = self._strength.at(x[1:-1, 1:-1], y[1:-1, 1:-1])
            with np.errstate(invalid="ignore"):
                steep = true.slope / np.arctan(np.maximum(strength, SMALLEST_STRENGTH))
                cost = np.fmin(1.0, np.maximum(true.cost, steep))
            cost[np.isnan(true.cost)] = np.nan
            if self._bounded:
                x_min, x_max, y_min, y_max = self._ground.bounds
                outside = ~((x > x_min) & (x < x_max) & (y > y_min) & (y < y_max))[1:-1, 1:-1]
                true.state[outside], cost[outside] = OBSTACLE, 1.0
            tile = self._tiles[column, row] = GroundTile(true.elevation, true.slope, true.step, strength, grip, cost, true.state)
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
