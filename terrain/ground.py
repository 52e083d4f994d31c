"""Ground at a point: height, normal, hardness and soil at (x, y), smooth enough for a tire.

World frame W: x forward (east on maps), y left (north), z up, m. Grids are [row, column] = [y, x]. Node [0, 0] is at the
origin of the grid; values belong to nodes, not to areas between them.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel
from simulator.base.records import Record
from terrain.features.kernels import Features, no_features
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
FARTHEST = 1e15
"""m. Limit of coordinates: beyond it, also for infinite ones, the ground is evaluated here, where all results are finite."""


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
        return GroundArrays(self.p, self.heights, self.hardness, self.soil_ids, self.soils, self.roughness, self.features, air=self.air)

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

    def height(self, x: float, y: float) -> float:
        """Return the height in m at one point, for Python callers; a Python loop over many points is slow."""
        from terrain.composite_height import composed_height  # that module imports this one

        return float(composed_height(self.arrays, float(x), float(y)))

    def road(self, name: str) -> Road:
        """Return the road of that name. Raises KeyError."""
        for road in self.roads:
            if road.name == name:
                return road
        raise KeyError(name)


@inline
def grid_place(x, origin, spacing, count):
    """Return cell index i and position t in [0, 1) of coordinate x along one axis of a grid of `count` nodes with constant borders.

    Two cells beyond the border all nodes of the interpolation have the border value, and the position is clamped there. The
    result is constant and C1 outside, and no number, not even NaN, leads to an index out of range.
    """
    u = (x - origin) / spacing
    if not u > -2.0:
        u = -2.0
    elif not u < count + 1.0:
        u = count + 1.0
    low = math.floor(u)
    return int(low), u - low


@inline
def nodes_around(x, origin, spacing, count, mirrored):
    """Return the nodes i - 1, i, i + 1, i + 2 around coordinate x along one axis of a grid of `count` nodes, and the position t in [0, 1) after i."""
    u = (x - origin) / spacing
    if not (1.0 <= u < count - 2.0):
        return _nodes_at_the_border(u, count, mirrored)
    low = math.floor(u)
    i = int(low)
    return i - 1, i, i + 1, i + 2, u - low


@kernel
def _nodes_at_the_border(u, count, mirrored):
    """Return the result of `nodes_around` near the border and outside, u in nodes; no number, not even NaN, leads to an index out of range.

    Constant border: see `grid_place`. Mirror images: node -1 - k is node k and node count + k is node count - 1 - k, so the axes of symmetry are half
    a cell outside the outermost nodes, and the inside is the same for both. The map repeats after 2 count nodes.
    """
    if not mirrored:
        i, t = grid_place(u, 0.0, 1.0, count)
        last = count - 1
        return min(max(i - 1, 0), last), min(max(i, 0), last), min(max(i + 1, 0), last), min(max(i + 2, 0), last), t
    period = 2.0 * count
    u -= period * math.floor(u / period)
    if not u >= 0.0:
        u = 0.0
    elif not u <= period:
        u = period
    low = math.floor(u)
    i = int(low)
    return _folded(i - 1, count), _folded(i, count), _folded(i + 1, count), _folded(i + 2, count), u - low


@inline
def _folded(k, count):
    """Return the node of the grid whose mirror image is node k, -count <= k <= 3 count - 1."""
    if k >= count:
        k = 2 * count - 1 - k
    return k if k >= 0 else -1 - k


@inline
def within_reach(x):
    """Return a coordinate clamped to +-FARTHEST."""
    return min(max(x, -FARTHEST), FARTHEST)


@inline
def cubic_weights(t):
    """Return the Catmull-Rom weights of the four nodes around position t in [0, 1] between the middle two (Catmull and Rom 1974)."""
    a = 0.5 * t
    b = a * t
    c = b * t
    return 2.0 * b - a - c, 1.0 - 5.0 * b + 3.0 * c, a + 4.0 * b - 3.0 * c, c - b


@inline
def cubic_slopes(t):
    """Return the derivatives of `cubic_weights` with respect to t."""
    c = 1.5 * t * t
    return 2.0 * t - 0.5 - c, 3.0 * c - 5.0 * t, 0.5 + 4.0 * t - 3.0 * c, c - t


@inline
def base_and_slopes(p, heights, x, y):
    """Return (z [m], dz/dx, dz/dy) of the base grid at x, y (m, in W).

        z = height + slope . (x, y) + sum_j sum_i b_j(v) a_i(u) h[j, i]

    with Catmull-Rom weights a, b of 4 x 4 nodes. The surface has continuous first derivatives (C1), passes through all nodes and is exact
    for planes. Computation is in double precision, heights are stored in single precision. Outside the grid, h continues as its mirror image or
    with constant border values (`mirrored` in `GROUND`), C1 there, too, and the plane continues. All x, y except NaN give finite results.
    `p` is a record of `GROUND`.
    """
    g = p[0]
    ny, nx = heights.shape
    x, y = within_reach(x), within_reach(y)
    i0, i1, i2, i3, u = nodes_around(x, g["origin"][0], g["spacing"][0], nx, g["mirrored"])
    j0, j1, j2, j3, v = nodes_around(y, g["origin"][1], g["spacing"][1], ny, g["mirrored"])
    a0, a1, a2, a3 = cubic_weights(u)
    d0, d1, d2, d3 = cubic_slopes(u)
    b0, b1, b2, b3 = cubic_weights(v)
    e0, e1, e2, e3 = cubic_slopes(v)
    z = zx = zy = 0.0
    for row, b, e in ((j0, b0, e0), (j1, b1, e1), (j2, b2, e2), (j3, b3, e3)):
        h0, h1, h2, h3 = float(heights[row, i0]), float(heights[row, i1]), float(heights[row, i2]), float(heights[row, i3])
        across = a0 * h0 + a1 * h1 + a2 * h2 + a3 * h3
        z += b * across
        zy += e * across
        zx += b * (d0 * h0 + d1 * h1 + d2 * h2 + d3 * h3)
    zx = g["slope"][0] + zx / g["spacing"][0]
    zy = g["slope"][1] + zy / g["spacing"][1]
    return g["height"] + g["slope"][0] * x + g["slope"][1] * y + z, zx, zy


@kernel
def base_height(p, heights, x, y):
    """Return the height z in m of the base grid at x, y (m, in W), see `base_and_slopes`."""
    z, _, _ = base_and_slopes(p, heights, x, y)
    return z


@kernel
def height_and_normal(p, heights, x, y, n):
    """Return the height z in m of the base grid at x, y (m, in W); n (3,) receives its unit normal, in W, pointing up; see `base_and_slopes`.

    The surface for wheels is in `terrain.composite_height`.
    """
    z, zx, zy = base_and_slopes(p, heights, x, y)
    length = math.sqrt(1.0 + zx * zx + zy * zy)
    n[0], n[1], n[2] = -zx / length, -zy / length, 1.0 / length
    return z


@kernel
def soil_under(p, hardness, soil_ids, soils, x, y, out):
    """Compute the soil at x, y (m, in W) into `out`, a length-1 record of `SOIL`: the blend of the 3 x 3 nodes around the point.

    The weights are those of a quadratic B-spline: positive, with sum one, and C1 in x and y. The blend stays in the range of its
    nodes, and a change of soil between two nodes is spread over two cells. `hardness` comes from its own grid, all other values
    from the soils of the nodes as in `add_share`. Outside the grid, the soil continues like the heights. Among nodes of equal hardness the result is
    that hardness, bit for bit, so that a tire model can skip the part with zero weight.
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
