"""Ground at a point: height, normal, hardness and soil at (x, y), smooth enough for a tire.

World frame W: x forward (east on maps), y left (north), z up, m. Grids are [row, column] = [y, x]. Node [0, 0] is at the
origin of the grid; values belong to nodes, not to areas between them.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.call_checks import ARRAY, checks
from simulator.base.errors import JounceError
from simulator.base.jit import kernel
from simulator.base.records import Record
from simulator.base.suggestions import did_you_mean
from terrain.base_grid import nodes_around, within_reach
from terrain.composite_height import composed_height, composed_heights
from terrain.features.kernels import Features, no_features
from terrain.geodesy import Location
from terrain.objects.object_set import NO_OBJECTS, ObjectSet
from terrain.objects.records import no_world
from terrain.road_markings import Mark
from terrain.roughness import Roughness, no_roughness
from terrain.ruts import NO_RUTS, Ruts
from terrain.soil import add_share, clear, finish_shares
from terrain.wind import still_air

GROUND = (
    # name      shape  unit  description
    ("origin", (2,), "m", "x, y of grid node [0, 0]"),
    ("spacing", (2,), "m", "distance of the nodes along x and along y"),
    ("height", (), "m", "height of the base plane at x = y = 0"),
    ("slope", (2,), "1", "rise of the base plane along x and along y; the height map is the deviation from that plane"),
    ("steepest", (), "1", "bound on the slope of the height map with roughness and features, in any direction"),
    ("gravity", (), "m/s2", "acceleration of free fall, along -z"),
    ("mirrored", (), "1", "ground beyond the grid: 1 = mirror images of the map, 0 = constant border heights", "i8"),
    ("stamp", (), "1", "checksum of the data of the ground; caches of heights are invalid if it changes", "i8"),
)


@dataclass(frozen=True)
class Road:
    """A road for the view and for path-following drivers; its shape is already part of the ground."""

    name: str
    surface: str
    points: NDArray[np.float64]
    """(n, 3) center line in W, m, even steps; z is the graded height without roughness"""
    width: float
    """m, width with full hardness"""
    verge: float
    """m, width of the strip on each side over which the hard surface fades into soil"""


class GroundArrays(NamedTuple):
    """Arrays of a ground for kernels, see `Ground`."""

    p: Record
    heights: NDArray[np.float32]
    hardness: NDArray[np.float32]
    soil_ids: NDArray[np.uint8]
    soils: NDArray[Any]
    roughness: Roughness = no_roughness()
    features: Features = no_features()
    ruts: Ruts = NO_RUTS
    """rut memory of one drive (`terrain.rut_memory`)"""
    air: Record = still_air()
    """(1,) of `terrain.wind.AIR`"""
    objects: Record = no_world()
    """(1,) of `terrain.objects.records.WORLD`; each drive has its own"""


@dataclass(frozen=True)
class Ground:
    """All data of one ground. Kernels use its `arrays`."""

    name: str
    p: Record
    """length-1 record of `GROUND`"""
    heights: NDArray[np.float32]
    """(ny, nx) m above the base plane"""
    hardness: NDArray[np.float32]
    """(ny, nx) 1 = hard surface, 0 = soil"""
    soil_ids: NDArray[np.uint8]
    """(ny, nx) row of `soils`"""
    soils: NDArray[Any]
    """(N,) records of table `SOIL`; a row of a hard surface contains the parameters of the soil into which the surface fades"""
    soil_names: tuple[str, ...]
    """name of each row of `soils`, "gravel on dry_sand" for a hard surface on a soil"""
    spawn: tuple[float, float, float]
    """x, y in m and yaw in rad of the default start"""
    roads: tuple[Road, ...] = ()
    margin: tuple[int, int] = (0, 0)
    """rows and columns of the grid on each side that were added to the map, see `terrain.map_edge`"""
    roughness: Roughness = field(default_factory=no_roughness)
    """on top of the grid, see `terrain.composite_height`"""
    features: Features = field(default_factory=no_features)
    """sharp features on top of grid and roughness"""
    marks: tuple[Mark, ...] = ()
    """road markings, visible only"""
    air: Record = field(default_factory=still_air)
    """(1,) of `terrain.wind.AIR`"""
    objects: ObjectSet = NO_OBJECTS
    """objects that stand on the ground or move over it"""
    location: Location | None = None
    """position on Earth; None = not specified"""
    places: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """x, y in m and yaw in rad of the named starts"""
    lanes: Any = None
    """`terrain.roads.network.RoadNetwork`, or None. The type is not imported: a change of it would compile the kernels of this module again."""

    def __post_init__(self) -> None:
        """Set the bound on the slope and the checksum of the heights.

        The slope of a Catmull-Rom surface is at most 1.25 times the largest difference along an axis, weighted by at most 1.25 across it.
        """
        along_x, along_y = (
            float(np.abs(np.diff(self.heights, axis=axis)).max(initial=0.0)) / float(spacing)
            for axis, spacing in ((1, self.p[0]["spacing"][0]), (0, self.p[0]["spacing"][1]))
        )
        on_top = float(self.roughness.p[0]["steepest"]) + float(self.features.bins[0]["steepest"])
        self.p[0]["steepest"] = 1.25**2 * math.hypot(along_x, along_y) + on_top
        self.p[0]["stamp"], stamp = 0, 0
        for part in (self.p, self.heights, *self.roughness, *self.features):
            stamp = zlib.crc32(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data, stamp)
        self.p[0]["stamp"] = stamp

    @property
    def arrays(self) -> GroundArrays:
        """Arrays for kernels, without ruts; each drive puts its own rut memory in that place."""
        return GroundArrays(
            self.p,
            self.heights,
            self.hardness,
            self.soil_ids,
            self.soils,
            self.roughness,
            self.features,
            air=self.air,
            objects=self.objects.world,
        )

    @property
    def is_soft(self) -> bool:
        """True if any node is not fully hard."""
        return float(self.hardness.min()) < 1.0

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """x_min, x_max, y_min, y_max of the map in m, without the margin; the ground continues beyond the grid, see `mirrored` in `GROUND`."""
        x, y = (float(v) for v in self.p[0]["origin"])
        dx, dy = (float(v) for v in self.p[0]["spacing"])
        (rows, columns), (ny, nx) = self.margin, self.heights.shape
        return x + dx * columns, x + dx * (nx - 1 - columns), y + dy * rows, y + dy * (ny - 1 - rows)

    @overload
    def height(self, x: float, y: float) -> float: ...
    @overload
    def height(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]: ...
    @checks(x=ARRAY, y=ARRAY)
    def height(self, x: ArrayLike, y: ArrayLike) -> float | NDArray[np.float64]:
        """Return the height [m] at points x, y [m], numbers or arrays of any shape, which are broadcast."""
        if np.ndim(x) == np.ndim(y) == 0:
            return float(composed_height(self.arrays, float(x), float(y)))  # type: ignore[arg-type]
        points_x, points_y, shape = _points(x, y)
        out = np.empty(len(points_x))
        composed_heights(self.arrays, points_x, points_y, out)
        return out.reshape(shape)

    @checks(x=ARRAY, y=ARRAY)
    def normal(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Return the unit normal (..., 3) of the ground at points x, y [m], as for `height`, from differences of heights SPAN apart."""
        points_x, points_y, shape = _points(x, y)
        rise = [
            (self.height(points_x + dx, points_y + dy) - self.height(points_x - dx, points_y - dy)) / (2.0 * SPAN)
            for dx, dy in ((SPAN, 0.0), (0.0, SPAN))
        ]
        upward = np.stack([-rise[0], -rise[1], np.ones(len(points_x))], axis=-1)
        return (upward / np.linalg.norm(upward, axis=-1, keepdims=True)).reshape((*shape, 3))

    @checks(x=ARRAY, y=ARRAY)
    def soil(self, x: ArrayLike, y: ArrayLike) -> Record:
        """Return the soil at points x, y [m], as for `height`: records of `terrain.soil.SOIL` in their shape, with "friction", "hardness" ..."""
        points_x, points_y, shape = _points(x, y)
        out = np.zeros(len(points_x), self.soils.dtype)
        for n in range(len(points_x)):
            soil_under(self.p, self.hardness, self.soil_ids, self.soils, points_x[n], points_y[n], out[n : n + 1])
        return out.reshape(shape)

    def road(self, name: str) -> Road:
        """Return the road of that name. Raises RoadError, a KeyError."""
        for road in self.roads:
            if road.name == name:
                return road
        raise RoadError(f"no road {name!r}{did_you_mean(name, [road.name for road in self.roads])}")


SPAN = 0.01
"""m. Half the distance of the heights of which the normal is computed; larger: smoother over edges."""


class RoadError(JounceError, KeyError):
    """The ground has no road of this name."""

    __str__ = JounceError.__str__  # KeyError adds quotation marks


def _points(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[int, ...]]:
    """Return the coordinates (n,) of points, and their shape. Raises JounceError: shapes that do not fit together."""
    try:
        both = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    except ValueError:
        raise JounceError(f"points: shapes {np.shape(x)} and {np.shape(y)} of x and y; expected shapes that can be broadcast") from None
    return np.ascontiguousarray(both[0]).ravel(), np.ascontiguousarray(both[1]).ravel(), both[0].shape


@kernel
def soil_under(p, hardness, soil_ids, soils, x, y, out):
    """Compute the soil at x, y (m, in W) into `out`, a length-1 record of `SOIL`: the blend of the 3 x 3 nodes around the point.

    The weights are those of a quadratic B-spline: positive, with sum one, and C1 in x and y. The blend stays in the range of its
    nodes, and a change of soil between two nodes is spread over two cells. `hardness` comes from its own grid, all other values
    from the soils of the nodes as in `add_share`. Outside the grid, the soil continues like the heights. Among nodes of equal hardness the result is
    that hardness to the last bit, so that a tire model can skip the part with zero weight.
    """
    g = p[0]
    ny, nx = hardness.shape
    i0, i1, i2, _, u = nodes_around(within_reach(x) + 0.5 * g["spacing"][0], g["origin"][0], g["spacing"][0], nx, g["mirrored"])
    j0, j1, j2, _, v = nodes_around(within_reach(y) + 0.5 * g["spacing"][1], g["origin"][1], g["spacing"][1], ny, g["mirrored"])
    a = (0.5 * (1.0 - u) * (1.0 - u), 0.5 + u * (1.0 - u), 0.5 * u * u)
    b = (0.5 * (1.0 - v) * (1.0 - v), 0.5 + v * (1.0 - v), 0.5 * v * v)
    columns = (i0, i1, i2)
    rows = (j0, j1, j2)
    soil_first = soil_ids[rows[0], columns[0]]
    hardness_first = float(hardness[rows[0], columns[0]])
    same = True
    above = 0.0
    for k in range(3):
        for m in range(3):
            above += a[m] * b[k] * (hardness[rows[k], columns[m]] - hardness_first)
            same = same and soil_ids[rows[k], columns[m]] == soil_first
    if same:
        out[0] = soils[soil_first]
    else:
        clear(out)
        for k in range(3):
            for m in range(3):
                add_share(soils, soil_ids[rows[k], columns[m]], a[m] * b[k], out)
        finish_shares(out)
    out[0]["hardness"] = min(max(hardness_first + above, 0.0), 1.0)
