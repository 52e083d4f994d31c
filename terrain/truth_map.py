"""True maps of a window of a world: elevation, slope, step, objects, labels and occupancy of square cells.

Cell (row j, column i) is the square from origin + (i, j) cell to origin + (i + 1, j + 1) cell. Its elevation is that of the ground at its center.
Slopes are central differences over two cells, the step is the largest difference from one of the 4 neighbors. A cell is unknown if its elevation or that of
one of these neighbors is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.call_checks import NUMBER, PAIR, checks, instance
from simulator.base.errors import JounceError
from terrain.composite_height import composed_heights
from terrain.ground import Ground
from terrain.objects.labels import LABELS
from terrain.objects.object_set import ObjectSet
from terrain.outlines import Outline, outlines

FREE, OBSTACLE, UNKNOWN = range(3)
"""States of a cell."""
MAX_CELLS = 1 << 24


@dataclass(frozen=True)
class Limits:
    """Limits of what a vehicle can drive over."""

    slope: float = math.radians(30.0)
    """rad"""
    step: float = 0.3
    """m"""
    object_height: float = 0.25
    """m, height above the ground from which an object is an obstacle"""
    vehicle_height: float = 2.3
    """m, clearance under which a vehicle passes"""


@dataclass(frozen=True, eq=False)
class TruthMap:
    """Maps of a window; all arrays are (ny, nx), row along y."""

    origin: tuple[float, float]
    """m, x and y of the south-west corner of cell (0, 0), in W"""
    cell: float
    """m, side length"""
    elevation: Array
    """m; NaN = no data"""
    slope: Array
    """rad; NaN = unknown"""
    step: Array
    """m; NaN = unknown"""
    object_height: Array
    """m, top above the ground of the highest object under which the vehicle does not pass; 0 = none"""
    label: NDArray[np.uint8]
    """number of the label of that object, else ground; none where the elevation is NaN"""
    object: NDArray[np.bool_]
    """True = an object that is an obstacle meets the cell"""
    state: NDArray[np.uint8]
    """FREE, OBSTACLE or UNKNOWN"""
    cost: Array
    """1, the larger of slope and step over their limits, at most 1; 1 = obstacle; NaN = unknown"""

    def lethal(self, unknown_blocks: bool = False) -> NDArray[np.bool_]:
        """Return the cells that a vehicle must not touch."""
        return (self.state == OBSTACLE) | (unknown_blocks & (self.state == UNKNOWN))

    def blocked_for_disc(self, radius: float, unknown_blocks: bool = False) -> NDArray[np.bool_]:
        """Return the cells with the center of a lethal cell within the radius [m] of their own center. Outside the map nothing is lethal."""
        return cells_near(self.lethal(unknown_blocks), self.cell, radius)

    def blocked_for_vehicle(
        self, heading: float, front: float, rear: float, half_width: float, unknown_blocks: bool = False
    ) -> NDArray[np.bool_]:
        """Return the cells on which a vehicle covers the center of a lethal cell, with its reference point on the center of the cell.

        heading [rad] is counter-clockwise from x; front, rear [m] are the distances of the ends of the vehicle from its reference point.
        """
        return cells_covering(self.lethal(unknown_blocks), self.cell, heading, front, rear, half_width)


@checks(ground=instance(Ground, "a ground, as of load_ground"), center=PAIR, extent=PAIR, cell=NUMBER, time=NUMBER)
def truth_map(
    ground: Ground,
    center: tuple[float, float],
    extent: tuple[float, float],
    cell: float = 0.25,
    *,
    objects: ObjectSet | None = None,
    time: float = 0.0,
    limits: Limits | None = None,
) -> TruthMap:
    """Return the maps of a window.

    Parameters
    ----------
    center : x, y of its center, in W [m]
    extent : its lengths along x and y [m], rounded to cells
    cell : side length of a cell [m]
    objects : default: those of the ground. Pass `Session.objects` for breakaway objects that a session has moved.
    time : time [s] at which moving objects are placed
    limits : default: `Limits()`

    Raises
    ------
    JounceError : a number that is not finite, or a window without cells or with too many
    """
    numbers = (*center, *extent, cell, time)
    if not np.isfinite(numbers).all() or not cell > 0.0:
        raise JounceError(f"map: center {center}, extent {extent}, cell {cell}; expected finite numbers in m, cell above 0")
    nx, ny = (round(length / cell) for length in extent)
    if not (nx > 0 and ny > 0 and nx * ny <= MAX_CELLS):
        raise JounceError(f"map: extent {extent} with cells of {cell:g} m; expected 1 to {MAX_CELLS} cells")
    origin = center[0] - 0.5 * nx * cell, center[1] - 0.5 * ny * cell
    x, y = np.meshgrid(origin[0] + (np.arange(-1, nx + 1) + 0.5) * cell, origin[1] + (np.arange(-1, ny + 1) + 0.5) * cell)
    found = ground.objects if objects is None else objects
    prints = outlines(found, time)
    below = [print_.points.mean(axis=0) for print_ in prints]
    grounds = ground_heights(ground, *np.array(below).reshape(-1, 2).T)
    prints = [Outline(p.points, p.radius, p.bottom, p.top, p.label, float(z)) for p, z in zip(prints, grounds, strict=True)]
    return map_of(ground_heights(ground, x.ravel(), y.ravel()).reshape(x.shape), origin, cell, prints, limits or Limits())


def map_of(heights: Array, origin: tuple[float, float], cell: float, objects: Iterable[Outline], limits: Limits) -> TruthMap:
    """Return the maps from heights (ny + 2, nx + 2) [m] at the centers of the cells and of one ring around them; NaN = no data."""
    z = np.asarray(heights, float)
    here, west, east, south, north = z[1:-1, 1:-1], z[1:-1, :-2], z[1:-1, 2:], z[:-2, 1:-1], z[2:, 1:-1]
    slope = np.arctan(np.hypot((east - west) / (2.0 * cell), (north - south) / (2.0 * cell)))
    step = np.max([np.abs(other - here) for other in (west, east, south, north)], axis=0)
    unknown = np.isnan(here + west + east + south + north)
    slope[unknown] = step[unknown] = np.nan
    height, label = np.zeros(here.shape), np.where(np.isnan(here), LABELS["none"], LABELS["ground"]).astype(np.uint8)
    solid = np.zeros(here.shape, bool)
    for one in objects:
        draw_outline(one, origin, cell, limits, (height, label, solid))
    with np.errstate(invalid="ignore"):
        steep = (slope > limits.slope) | (step > limits.step)
        cost = np.minimum(1.0, np.maximum(slope / limits.slope, step / limits.step))
    obstacle = solid | (~unknown & steep)
    state = np.where(obstacle, OBSTACLE, np.where(unknown, UNKNOWN, FREE)).astype(np.uint8)
    return TruthMap(origin, cell, here, slope, step, height, label, solid, state, np.where(obstacle, 1.0, cost))


def draw_outline(
    one: Outline,
    origin: tuple[float, float],
    cell: float,
    limits: Limits,
    maps: tuple[Array, NDArray[np.uint8], NDArray[np.bool_]],
) -> None:
    """Write one object to the maps of height [m], label and obstacles, each (ny, nx)."""
    height, label, solid = maps
    if not one.bottom - one.ground < limits.vehicle_height:
        return
    low, high = one.reach()
    ny, nx = height.shape
    first, last = np.floor((low - origin) / cell).astype(int), np.floor((high - origin) / cell).astype(int)
    i0, j0 = np.clip(first - 1, 0, (nx, ny))
    i1, j1 = np.clip(last + 2, 0, (nx, ny))
    if i0 >= i1 or j0 >= j1:
        return
    x, y = np.meshgrid(origin[0] + (np.arange(i0, i1) + 0.5) * cell, origin[1] + (np.arange(j0, j1) + 0.5) * cell)
    covered, top = one.covers(x, y, cell), one.top - one.ground
    part = np.s_[j0:j1, i0:i1]
    higher = covered & (top > height[part])
    height[part][higher], label[part][higher] = top, one.label
    if top > limits.object_height:
        solid[part] |= covered


def cells_near(lethal: NDArray[np.bool_], cell: float, radius: float) -> NDArray[np.bool_]:
    """Return the cells with the center of a lethal cell within the radius [m] of their own center."""
    reach = math.floor(radius / cell)
    x, y = _offsets(cell, reach)
    return _any_at(lethal, np.hypot(x, y) <= radius, reach)


def cells_covering(
    lethal: NDArray[np.bool_], cell: float, heading: float, front: float, rear: float, half_width: float
) -> NDArray[np.bool_]:
    """Return the cells on which a rectangle with this heading [rad] covers the center of a lethal cell, see `TruthMap.blocked_for_vehicle`."""
    reach = math.floor(math.hypot(max(front, rear), half_width) / cell)
    x, y = _offsets(cell, reach)
    c, s = math.cos(heading), math.sin(heading)
    along, across = c * x + s * y, c * y - s * x
    return _any_at(lethal, (-rear <= along) & (along <= front) & (np.abs(across) <= half_width), reach)


def _offsets(cell: float, reach: int) -> tuple[Array, Array]:
    """Return the distances x, y [m] of the cells around one."""
    x, y = np.meshgrid(np.arange(-reach, reach + 1) * cell, np.arange(-reach, reach + 1) * cell)
    return x, y


def _any_at(lethal: NDArray[np.bool_], pattern: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Return the cells from which any cell of a pattern (2 reach + 1, 2 reach + 1), centered on the cell, is lethal."""
    around = np.pad(lethal, reach)
    ny, nx = lethal.shape
    out = np.zeros(lethal.shape, bool)
    for j, i in np.argwhere(pattern):
        out |= around[j : j + ny, i : i + nx]
    return out


def ground_heights(ground: Ground, x: Array, y: Array) -> Array:
    """Return the heights (n,) [m] of the ground at points x, y (n,) [m], without objects and ruts."""
    out = np.empty(len(x))
    composed_heights(ground.arrays, np.ascontiguousarray(x), np.ascontiguousarray(y), out)
    return out
