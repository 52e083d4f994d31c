"""Surface of the roads as a height map: a mesh of the lanes, its heights at the nodes, and the ground around it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.jit import kernel
from simulator.imports.opendrive.document import LaneShape, Road
from simulator.imports.opendrive.layout import STEP, border_points, borders, frame, lane_heights, stations
from terrain.generators.generated_terrain import Grid
from terrain.void_filling import filled

DRIVING = frozenset(
    ("driving", "entry", "exit", "onRamp", "offRamp", "connectingRamp", "slipLane", "mwyEntry", "mwyExit")
    + ("bidirectional", "bus", "taxi", "HOV", "special1", "special2", "special3")
)
"""Types of lanes for vehicles, which have priority over others at the same level."""
NATURAL = frozenset(["none", "median", "restricted", "grass"])
"""Types of lanes whose ground is soil."""
WIDE_BORDER = 2.0
"""m. A lane of the type border that is wider is soil."""
MAX_NODES, USUAL_NODES = 16_000_000, 6_000_000
"""Maximum number of nodes, and the number up to which a smaller cell is chosen: 6 million nodes take 0.3 GB and a few seconds."""
MAX_ALONG = 8000
"""Maximum number of nodes along an axis."""
CELLS = (0.25, 0.5, 1.0, 2.0)
"""m. Cells to choose from."""
MARGIN = 30.0
"""m. Ground beyond the roads."""
MAX_POINTS = 6_000_000
"""Maximum number of points of the mesh."""
STRIP = 1.0
"""m. Largest width of a strip of the mesh on a road with a lateral profile."""
APART = 1.5
"""m. Surfaces with a larger difference of their heights are above each other: less than the height of an underpass, more than a curb."""
LARGEST_HOLE = 100.0
"""m2. Smaller gaps between roads are paved; the middle of a junction without ways straight on may be as large."""
BLOCK = 4.0
"""m. Approximate spacing of the membrane between the roads."""
HIGHEST = 9e3
"""m. Largest height."""


@dataclass(frozen=True)
class Mesh:
    """Triangles of the lanes.

    Attributes
    ----------
    points : (n, 3) m
    triangles : (m, 3) rows of points
    lanes : (m,) number of the lane in `kinds`
    kinds : road and lane of each number
    """

    points: Array
    triangles: NDArray[np.int32]
    lanes: NDArray[np.int32]
    kinds: list[tuple[Road, LaneShape]]


@dataclass(frozen=True)
class Surface:
    """Heights of the nodes.

    Attributes
    ----------
    heights : (rows, columns) m
    lanes : (rows, columns) number of the lane in the mesh; -1: ground
    driving : (rows, columns) whether a lane for vehicles is there
    covered : m2 of roads that lead above or below the road that is kept
    crossing : pairs of roads that lead above each other: the kept one, the other one
    """

    grid: Grid
    heights: Array
    lanes: NDArray[np.int32]
    driving: NDArray[np.bool_]
    covered: float
    crossing: list[tuple[str, str]]


def mesh_of(roads: Iterable[Road], file: str) -> Mesh:
    """Return the triangles of all lanes. Raises ConfigError: too many."""
    roads = list(roads)
    need = sum(
        (section.end - section.begin) / STEP * (len(section.left) + len(section.right) + 2) for road in roads for section in road.sections
    )
    if need > MAX_POINTS:
        raise ConfigError(
            file,
            "",
            f"roads of {sum(road.length for road in roads) / 1e3:.0f} km",
            f"roads whose lanes have less than {MAX_POINTS * STEP / 1e3:g} km in total",
        )
    points: list[Array] = []
    triangles: list[NDArray] = []
    lanes: list[NDArray] = []
    kinds: list[tuple[Road, LaneShape]] = []
    count = 0
    for road in roads:
        for lane, strip in _strips(road):
            k, n = strip.shape[:2]
            corner = count + (np.arange(k - 1)[:, None] * n + np.arange(n - 1)).ravel()
            quads = np.column_stack((corner, corner + 1, corner + n, corner + 1, corner + n + 1, corner + n)).reshape(-1, 3)
            points.append(strip.reshape(-1, 3))
            triangles.append(quads)
            lanes.append(np.full(len(quads), len(kinds)))
            kinds.append((road, lane))
            count += k * n
    if not points:
        raise ConfigError(file, "", "no lanes", "at least one lane with a width")
    return Mesh(np.concatenate(points), np.concatenate(triangles).astype(np.int32), np.concatenate(lanes).astype(np.int32), kinds)


def _strips(road: Road) -> Iterable[tuple[LaneShape, Array]]:
    """Yield each lane of a road with the points (2 or more, n, 3) of its borders and of lines between them."""
    for section in road.sections:
        if section.end - section.begin < 1e-6:
            continue
        at = frame(road, stations(section.begin, section.end))
        for lanes, rows in zip((section.left, section.right), borders(road, section, at.s), strict=True):
            points = border_points(road, lanes, rows, at)
            for k, lane in enumerate(lanes):
                width = float(np.abs(rows[k + 1] - rows[k]).max())
                if width < 1e-3:
                    continue
                inner, outer = lane_heights(lane, at.s)
                a, b = points[k] + inner[:, None] * at.up, points[k + 1] + outer[:, None] * at.up
                if not road.shape:
                    yield lane, np.array((a, b))
                    continue
                parts = np.linspace(0.0, 1.0, math.ceil(width / STRIP) + 1)
                fine = borders_between(road, lane, (rows[k], rows[k + 1]), parts, at)
                ends = (1.0 - parts)[:, None, None] * (a - fine[0]) + parts[:, None, None] * (b - fine[-1])
                yield lane, fine + ends


def borders_between(road: Road, lane: LaneShape, ends: tuple[Array, Array], parts: Array, at: object) -> Array:
    """Return the points (parts, n, 3) of lines between two borders, on the surface with the lateral profile."""
    rows = np.array([(1.0 - part) * ends[0] + part * ends[1] for part in parts])
    return border_points(road, (lane,) * (len(parts) - 1), rows, at)  # type: ignore[arg-type]


def grid_of(points: Array, cell: float | None, file: str) -> Grid:
    """Return the nodes around points (n, 3). Raises ConfigError: too many nodes, or points too high."""
    if not np.isfinite(points).all() or np.abs(points[:, 2]).max() > HIGHEST:
        raise ConfigError(file, "", "heights that are too large", f"roads from -{HIGHEST:g} to {HIGHEST:g} m")
    low, high = points[:, :2].min(axis=0) - MARGIN, points[:, :2].max(axis=0) + MARGIN
    size = high - low
    suitable = (one for one in CELLS if np.prod(size / one + 1.0) <= USUAL_NODES and size.max() / one <= MAX_ALONG)
    chosen = cell or next(suitable, CELLS[-1])
    if np.prod(size / chosen + 1.0) > MAX_NODES or size.max() / chosen > MAX_ALONG:
        expected = f"at most {MAX_NODES} nodes, and {MAX_ALONG} along each axis; hint: a larger cell"
        raise ConfigError("--cell", "", f"{chosen:g} m for an area of {size[0]:.0f} x {size[1]:.0f} m", expected)
    corner = np.floor(low)
    return Grid.over((float(corner[0]), float(corner[1])), (float(high[0]), float(high[1])), chosen)


def surface_of(mesh: Mesh, grid: Grid, ground: Callable[[Grid], Array] | None, shoulder: float, upper: bool, file: str) -> Surface:
    """Return the heights of roads and ground at the nodes. Raises ConfigError: no node is on a road.

    Parameters
    ----------
    ground : function that returns the heights of the ground at the nodes; None: a membrane between the roads
    shoulder : m over which a road meets the ground
    upper : whether to keep the upper one of two roads above each other
    """
    driving = np.array([lane.kind in DRIVING for _, lane in mesh.kinds])
    drive, rest = (_raster(mesh, grid, driving[mesh.lanes] == wanted) for wanted in (True, False))
    height, lane = _kept(drive, upper)
    other_height, other_lane = _kept(rest, upper)
    # beside, or clearly above or below, of the other kind
    better = (other_height > height + APART) if upper else (other_height < height - APART)
    takes = (other_lane >= 0) & ((lane < 0) | better)
    height, lane = np.where(takes, other_height, height), np.where(takes, other_lane, lane)
    apart = (drive[1] - drive[0] > APART) & (drive[2] >= 0)
    of = np.array([k for k, (road, _) in enumerate(mesh.kinds)])
    kept, lost = (drive[3], drive[2]) if upper else (drive[2], drive[3])
    pairs = np.unique(np.column_stack((of[kept[apart]], of[lost[apart]])), axis=0) if apart.any() else np.zeros((0, 2), int)
    crossing = sorted({(mesh.kinds[a][0].id, mesh.kinds[b][0].id) for a, b in pairs})
    free = lane < 0
    if free.all():
        raise ConfigError(file, "", "roads without an area", "roads whose reference line and lanes have a length and a width")
    holes = _holes(free, grid)
    heights, nearest = _with_ground(height, free, grid, ground, shoulder)
    if holes.any():
        heights, lane = filled(np.where(holes, np.nan, heights)), np.where(holes, lane[nearest], lane)
    return Surface(grid, heights, lane, (drive[2] >= 0) & ~takes, float(apart.sum()) * grid.spacing**2, crossing)


def _raster(mesh: Mesh, grid: Grid, chosen: NDArray[np.bool_]) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Return the lowest and the highest height of triangles at each node, and the numbers of their lanes, -1 for none."""
    heights = np.full((2, *grid.shape), np.inf, np.float32)
    heights[1] = -np.inf
    lanes = np.full((2, *grid.shape), -1, np.int32)
    triangles, of = np.ascontiguousarray(mesh.triangles[chosen]), np.ascontiguousarray(mesh.lanes[chosen])
    rasterize(mesh.points, triangles, of, np.array(grid.corner), grid.spacing, heights, lanes)
    return heights[0], heights[1], lanes[0], lanes[1]


def _kept(found: tuple[NDArray, NDArray, NDArray, NDArray], upper: bool) -> tuple[NDArray, NDArray]:
    return (found[1], found[3]) if upper else (found[0], found[2])


def _holes(free: NDArray[np.bool_], grid: Grid) -> NDArray[np.bool_]:
    """Return whether a node is in a small gap between the roads, as in the middle of a junction."""
    from scipy.ndimage import label

    part, count = label(free)
    sizes = np.bincount(part.ravel(), minlength=count + 1) * grid.spacing**2
    sizes[0] = np.inf  # the roads
    return np.asarray(sizes[part] < LARGEST_HOLE, bool)


def _with_ground(
    road: NDArray, free: NDArray[np.bool_], grid: Grid, ground: Callable[[Grid], Array] | None, shoulder: float
) -> tuple[Array, tuple[NDArray, NDArray]]:
    """Return the heights (rows, columns) of road and ground, and row and column of the nearest node with a road; `free` are those without."""
    from scipy.ndimage import distance_transform_edt

    natural = _membrane(np.where(free, np.nan, road), grid) if ground is None else ground(grid)
    distance, (row, column) = distance_transform_edt(free, sampling=grid.spacing, return_indices=True)
    t = np.clip(1.0 - distance / max(shoulder, 1e-6), 0.0, 1.0)
    weight = t * t * (3.0 - 2.0 * t)
    heights = np.where(free, weight * road[row, column] + (1.0 - weight) * natural, road)
    return np.asarray(heights, np.float64), (row, column)


def _membrane(road: NDArray, grid: Grid) -> Array:
    """Return a membrane through the roads (NaN elsewhere), computed on coarse nodes."""
    from scipy.ndimage import map_coordinates

    n = max(1, round(BLOCK / grid.spacing))
    rows, columns = (math.ceil(size / n) for size in grid.shape)
    padded = np.full((rows * n, columns * n), np.nan)
    padded[: grid.shape[0], : grid.shape[1]] = road
    blocks = padded.reshape(rows, n, columns, n)
    there = ~np.isnan(blocks)
    counts = there.sum(axis=(1, 3))
    means = np.where(counts > 0, np.where(there, blocks, 0.0).sum(axis=(1, 3)) / np.maximum(counts, 1), np.nan)
    coarse = filled(means)
    at = [(np.arange(size) - 0.5 * (n - 1)) / n for size in grid.shape]
    j, i = np.meshgrid(*at, indexing="ij")
    return np.asarray(map_coordinates(coarse, (j, i), order=1, mode="nearest"), np.float64)


@kernel
def rasterize(points, triangles, of, corner, cell, heights, lanes):
    """Write the lowest and the highest height [m] of triangles at the nodes inside them, and the numbers of these triangles.

    points : (n, 3) m; triangles : (m, 3) rows of points; of : (m,) number of each triangle
    heights, lanes : (2, rows, columns) lowest and highest height and their numbers, of nodes at corner + cell * (column, row)
    """
    low, high, low_of, high_of = heights[0], heights[1], lanes[0], lanes[1]
    rows, columns = low.shape
    for k in range(len(triangles)):
        a, b, c = triangles[k, 0], triangles[k, 1], triangles[k, 2]
        ax, ay = points[a, 0], points[a, 1]
        bx, by, cx, cy = points[b, 0] - ax, points[b, 1] - ay, points[c, 0] - ax, points[c, 1] - ay
        area = bx * cy - by * cx
        if abs(area) < 1e-12:
            continue
        i_low = max(math.ceil((ax + min(0.0, bx, cx) - corner[0]) / cell - 1e-6), 0)
        i_high = min(math.floor((ax + max(0.0, bx, cx) - corner[0]) / cell + 1e-6), columns - 1)
        j_low = max(math.ceil((ay + min(0.0, by, cy) - corner[1]) / cell - 1e-6), 0)
        j_high = min(math.floor((ay + max(0.0, by, cy) - corner[1]) / cell + 1e-6), rows - 1)
        for j in range(j_low, j_high + 1):
            for i in range(i_low, i_high + 1):
                x, y = corner[0] + i * cell - ax, corner[1] + j * cell - ay
                u, v = (x * cy - y * cx) / area, (bx * y - by * x) / area
                if u < -1e-9 or v < -1e-9 or u + v > 1.0 + 1e-9:
                    continue
                z = points[a, 2] + u * (points[b, 2] - points[a, 2]) + v * (points[c, 2] - points[a, 2])
                if z < low[j, i]:
                    low[j, i], low_of[j, i] = z, of[k]
                if z > high[j, i]:
                    high[j, i], high_of[j, i] = z, of[k]
