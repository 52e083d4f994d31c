"""Heights of triangles: at a point, that of the topmost triangle over it. Exact at any point, whatever the grid is made of it later."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.suggestions import did_you_mean
from terrain.readers.contract import LOCAL, Values

EDGE = 1e-9
"""Share of a triangle by which a point may lie beside it: on the edge of two, rounding must not lose it."""
STEEP = 1e-12
"""Share of the plan of a triangle in its bounding box below which it is a wall, over which no point lies."""
MOST_PAIRS = 4_000_000
"""Pairs of a triangle and a point looked at in one go; more takes more memory."""
CELLS = 512
"""Buckets along an axis into which points are sorted, at most."""
MOST_TRIANGLES = 20_000_000


@dataclass(frozen=True)
class Part:
    """Triangles that go by the same names: of object, group, material, node."""

    names: tuple[str, ...]
    triangles: Values
    """(n, 3, 3) corners"""


@dataclass(frozen=True)
class Mesh:
    """Triangles (n, 3, 3) as a surface seen from above, z up, in m."""

    triangles: Values
    names: tuple[str, ...]
    kind: str = LOCAL
    crs: str = ""

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        x, y = self.triangles[..., 0], self.triangles[..., 1]
        return float(x.min()), float(x.max()), float(y.min()), float(y.max())

    @property
    def step(self) -> tuple[float, float]:
        x0, x1, y0, y1 = self.bounds
        finest = max(0.05, max(x1 - x0, y1 - y0) / 4000.0)
        return finest, finest

    def inside(self, x: Values, y: Values) -> NDArray[np.bool_]:
        x0, x1, y0, y1 = self.bounds
        return (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)

    def smooth(self, x: Values, y: Values) -> Values:
        return self.heights(x, y)

    def heights(self, x: Values, y: Values) -> Values:
        out = np.full(len(x), -np.inf)
        buckets = _Buckets.of(np.column_stack((x, y)), self.bounds)
        plan = self.triangles[..., :2]
        d1, d2 = plan[:, 1] - plan[:, 0], plan[:, 2] - plan[:, 0]
        area = d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0]
        flat = np.abs(area) > STEEP * np.prod(np.maximum(np.ptp(plan, axis=1), 1e-30), axis=1)
        triangles = self.triangles[flat]
        first, last = buckets.cells(triangles[..., :2].min(axis=1)), buckets.cells(triangles[..., :2].max(axis=1))
        for some in _portions(first, last, buckets):
            _raise(out, triangles[some], buckets, first[some], last[some])
        out[np.isinf(out)] = np.nan
        return out

    def about(self) -> dict[str, Any]:
        z = self.triangles[..., 2]
        return {"triangles": len(self.triangles), "parts": list(self.names), "heights": [float(z.min()), float(z.max())]}


@dataclass(frozen=True)
class _Buckets:
    """Points (m, 2) sorted into the cells of a coarse grid."""

    points: Values
    low: Values
    size: Values
    side: int
    """Cells along either axis."""
    order: NDArray[np.intp]
    """(m,) the points, cell by cell"""
    starts: NDArray[np.intp]
    """(cells + 1,) where each cell begins in the order"""

    @staticmethod
    def of(points: Values, bounds: tuple[float, float, float, float]) -> _Buckets:
        """Of points over the bounds (x from, x to, y from, y to); those outside go to the nearest cell."""
        side = int(np.clip(np.sqrt(len(points) / 4.0), 1, CELLS))
        low = np.array((bounds[0], bounds[2]))
        size = np.maximum((np.array((bounds[1], bounds[3])) - low) / side, 1e-9)
        cell = _cells(points, low, size, side) @ np.array((side, 1))
        order = np.argsort(cell, kind="stable")
        return _Buckets(points, low, size, side, order, np.searchsorted(cell[order], np.arange(side * side + 1)))

    def cells(self, xy: Values) -> NDArray[np.intp]:
        """(m, 2) cell of points (m, 2), the nearest one of those outside."""
        return _cells(xy, self.low, self.size, self.side)


def _cells(xy: Values, low: Values, size: Values, side: int) -> NDArray[np.intp]:
    return np.clip(np.floor((xy - low) / size), 0, side - 1).astype(np.intp)


def _portions(first: NDArray[np.intp], last: NDArray[np.intp], buckets: _Buckets) -> list[NDArray[np.intp]]:
    """Numbers of triangles that reach from their `first` to their `last` cells (n, 2), in portions whose pairs fit into memory."""
    if not len(first):
        return []
    per_cell = max(1.0, float(np.diff(buckets.starts).max()))
    pairs = np.cumsum((last - first + 1).prod(axis=1) * per_cell)
    return [part for part in np.split(np.arange(len(first)), np.flatnonzero(np.diff(pairs // MOST_PAIRS)) + 1) if len(part)]


def _pairs(first: NDArray[np.intp], last: NDArray[np.intp], buckets: _Buckets) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Each triangle with each point in the cells that its box meets."""
    wide, high = (last - first + 1).T
    which = np.repeat(np.arange(len(first)), wide * high)
    k = np.arange(len(which)) - np.repeat(np.cumsum(wide * high) - wide * high, wide * high)
    i, j = np.divmod(k, np.repeat(high, wide * high))
    cell = (first[which, 0] + i) * buckets.side + first[which, 1] + j
    counts = buckets.starts[cell + 1] - buckets.starts[cell]
    place = np.repeat(buckets.starts[cell] - np.cumsum(counts) + counts, counts)
    return np.repeat(which, counts), buckets.order[place + np.arange(len(place))]


def _raise(out: Values, triangles: Values, buckets: _Buckets, first: NDArray[np.intp], last: NDArray[np.intp]) -> None:
    """Lift points to those triangles (n, 3, 3), in the cells from `first` to `last`, that lie higher."""
    which, point = _pairs(first, last, buckets)
    a, b, c = triangles[which].transpose(1, 0, 2)
    p = buckets.points[point] - a[:, :2]
    d1, d2 = b - a, c - a
    area = d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0]
    u = (p[:, 0] * d2[:, 1] - p[:, 1] * d2[:, 0]) / area
    v = (d1[:, 0] * p[:, 1] - d1[:, 1] * p[:, 0]) / area
    over = (u >= -EDGE) & (v >= -EDGE) & (u + v <= 1.0 + EDGE)
    z = a[:, 2] + u * d1[:, 2] + v * d2[:, 2]
    np.maximum.at(out, point[over], z[over])


def from_parts(parts: list[Part], path: Path, up: str, unit: float, ignore: tuple[str, ...]) -> Mesh:
    """The surface of the parts that are not ignored.

    Parameters
    ----------
    up : z, or y as glTF has it: then x = X, y = -Z, z = Y
    unit : metres per unit of the file
    ignore : patterns with * and ?, any case, of names

    Raises
    ------
    ConfigError : nothing is left, a pattern fits nothing, a number is not finite
    """
    names = sorted({name for part in parts for name in part.names if name})
    for pattern in ignore:
        if not any(_fits(name, pattern) for name in names):
            raise ConfigError(
                path, "ignore", pattern, f"a name in the file: {', '.join(names[:20]) or 'it has none'}{did_you_mean(pattern, names)}"
            )
    kept = [part for part in parts if len(part.triangles) and not any(_fits(name, pattern) for name in part.names for pattern in ignore)]
    if not kept:
        raise ConfigError(path, "", "no triangles", "faces that are not ignored")
    triangles = np.concatenate([part.triangles for part in kept])
    if len(triangles) > MOST_TRIANGLES:
        raise ConfigError(path, "", f"{len(triangles)} triangles", f"at most {MOST_TRIANGLES}")
    if not np.isfinite(triangles).all():
        raise ConfigError(path, "", "NaN or infinity among the corners", "finite coordinates")
    if up == "y":
        triangles = np.stack((triangles[..., 0], -triangles[..., 2], triangles[..., 1]), axis=-1)
    return Mesh(triangles * unit, tuple(sorted({name for part in kept for name in part.names if name})))


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name.lower(), pattern.lower())


def triangulated(corners: Values) -> Values:
    """(n - 2, 3, 3) triangles of a flat polygon (n, 3), bent inward or not: ears are cut off one after the other."""
    if len(corners) == 3:
        return corners[None]
    plane = _in_plane(corners)
    left, out = list(range(len(corners))), []
    while len(left) > 3:
        k = next((k for k in range(len(left)) if _is_ear(plane, left, k)), 0)
        out.append((left[k - 1], left[k], left[(k + 1) % len(left)]))
        del left[k]
    out.append((left[0], left[1], left[2]))
    return corners[np.array(out)]


def _in_plane(corners: Values) -> Values:
    """The corners (n, 2) seen along the larger part of their normal, against the clock."""
    following = np.roll(corners, -1, axis=0)
    normal = np.cross(corners - corners[0], following - corners[0]).sum(axis=0)
    axis = int(np.abs(normal).argmax())
    plane = np.delete(corners, axis, axis=1)
    turned = normal[axis] * (-1.0 if axis == 1 else 1.0)
    return plane if turned >= 0.0 else plane * (-1.0, 1.0)


def _is_ear(plane: Values, left: list[int], k: int) -> bool:
    """Whether the corner sticks out and no other one lies in its triangle."""
    a, b, c = plane[left[k - 1]], plane[left[k]], plane[left[(k + 1) % len(left)]]
    if _turn(a, b, c) <= 0.0:
        return False
    others = [plane[m] for m in left if m not in (left[k - 1], left[k], left[(k + 1) % len(left)])]
    return not any(_turn(a, b, p) >= 0.0 and _turn(b, c, p) >= 0.0 and _turn(c, a, p) >= 0.0 for p in others)


def _turn(a: Values, b: Values, c: Values) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
