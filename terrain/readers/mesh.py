"""Heights of a triangle mesh: at a point, the height of the topmost triangle; exact at any point, independent of a later grid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.suggestions import did_you_mean
from terrain.readers.contract import LOCAL
from terrain.readers.request import FARTHEST, HIGHEST

EDGE = 1e-9
"""Tolerance of barycentric coordinates, so that rounding does not lose a point on a common edge."""
STEEP = 1e-12
"""Ratio of the horizontal area of a triangle to its bounding box below which it is a vertical wall without points over it."""
MAX_PAIRS = 4_000_000
"""Number of pairs of a triangle and a point in one batch; larger batches need more memory."""
CELLS = 512
"""Maximum number of buckets along an axis into which points are sorted."""
MAX_TRIANGLES = 20_000_000


class Look(NamedTuple):
    """Material of a part."""

    color: tuple[float, float, float]
    """sRGB, 0 to 1"""
    roughness: float
    transparent: bool
    textured: bool
    """The color is multiplied by that of a picture"""


@dataclass(frozen=True)
class Part:
    """Triangles with common names: of object, group, material, node."""

    names: tuple[str, ...]
    triangles: Array
    """(n, 3, 3) corners"""
    look: Look | None = None
    """Appearance; None: the file gives none"""
    normals: Array | None = None
    """(n, 3, 3) unit normals of the corners, if they were asked for and the file has them"""


@dataclass(frozen=True)
class Mesh:
    """Triangles (n, 3, 3) as a surface in plan view, z up, in m."""

    triangles: Array
    names: tuple[str, ...]
    kind: str = LOCAL
    crs: str = ""
    owners: NDArray[np.intp] | None = None
    """(n,) row of `owner_names` of each triangle"""
    owner_names: tuple[tuple[str, ...], ...] = ()
    """names of each part of the file"""

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        x, y = self.triangles[..., 0], self.triangles[..., 1]
        return float(x.min()), float(x.max()), float(y.min()), float(y.max())

    @property
    def step(self) -> tuple[float, float]:
        x0, x1, y0, y1 = self.bounds
        finest = max(0.05, max(x1 - x0, y1 - y0) / 4000.0)
        return finest, finest

    def inside(self, x: Array, y: Array) -> NDArray[np.bool_]:
        x0, x1, y0, y1 = self.bounds
        return (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)

    def smooth(self, x: Array, y: Array) -> Array:
        return self.heights(x, y)

    def heights(self, x: Array, y: Array) -> Array:
        out = np.full(len(x), -np.inf)
        for point, z, _ in self._hits(x, y):
            np.maximum.at(out, point, z)
        out[np.isinf(out)] = np.nan
        return out

    def layers(self, x: Array, y: Array) -> tuple[NDArray[np.intp], Array, NDArray[np.bool_]]:
        """Return all surfaces at points (m,): (index of the point, height [m], True for a normal that points up), sorted by point and height."""
        parts = list(self._hits(x, y))
        point = np.concatenate([np.zeros(0, np.intp), *(part[0] for part in parts)])
        z = np.concatenate([np.zeros(0), *(part[1] for part in parts)])
        up = np.concatenate([np.zeros(0, bool), *(part[2] for part in parts)])
        order = np.lexsort((z, point))
        return point[order], z[order], up[order]

    def _hits(self, x: Array, y: Array) -> Iterator[tuple[NDArray[np.intp], Array, NDArray[np.bool_]]]:
        """Yield the points over triangles in batches, as `layers`, not sorted."""
        buckets = _Buckets.of(np.column_stack((x, y)), self.bounds)
        plan = self.triangles[..., :2]
        d1, d2 = plan[:, 1] - plan[:, 0], plan[:, 2] - plan[:, 0]
        area = d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0]
        flat = np.abs(area) > STEEP * np.prod(np.maximum(np.ptp(plan, axis=1), 1e-30), axis=1)
        triangles = self.triangles[flat]
        first, last = buckets.cells(triangles[..., :2].min(axis=1)), buckets.cells(triangles[..., :2].max(axis=1))
        for batch in _batches(first, last, buckets):
            yield _points_over(triangles[batch], buckets, first[batch], last[batch])

    def about(self) -> dict[str, Any]:
        z = self.triangles[..., 2]
        return {"triangles": len(self.triangles), "parts": list(self.names), "heights": [float(z.min()), float(z.max())]}


@dataclass(frozen=True)
class _Buckets:
    """Points (m, 2) sorted into the cells of a coarse grid."""

    points: Array
    low: Array
    size: Array
    side: int
    """number of cells along either axis"""
    order: NDArray[np.intp]
    """(m,) indices of the points, sorted by cell"""
    starts: NDArray[np.intp]
    """(cells + 1,) start of each cell in `order`"""

    @staticmethod
    def of(points: Array, bounds: tuple[float, float, float, float]) -> _Buckets:
        """Return buckets of points for the bounds (x from, x to, y from, y to); points outside go to the nearest cell."""
        side = int(np.clip(np.sqrt(len(points) / 4.0), 1, CELLS))
        low = np.array((bounds[0], bounds[2]))
        size = np.maximum((np.array((bounds[1], bounds[3])) - low) / side, 1e-9)
        cell = _cells(points, low, size, side) @ np.array((side, 1))
        order = np.argsort(cell, kind="stable")
        return _Buckets(points, low, size, side, order, np.searchsorted(cell[order], np.arange(side * side + 1)))

    def cells(self, xy: Array) -> NDArray[np.intp]:
        """Return the cells (m, 2) of points (m, 2); for points outside the nearest cell."""
        return _cells(xy, self.low, self.size, self.side)


def _cells(xy: Array, low: Array, size: Array, side: int) -> NDArray[np.intp]:
    return np.clip(np.floor((xy - low) / size), 0, side - 1).astype(np.intp)


def _batches(first: NDArray[np.intp], last: NDArray[np.intp], buckets: _Buckets) -> list[NDArray[np.intp]]:
    """Return indices of triangles, which cover the cells from `first` to `last` (n, 2), in batches whose pairs fit into memory."""
    if not len(first):
        return []
    per_cell = max(1.0, float(np.diff(buckets.starts).max()))
    pairs = np.cumsum((last - first + 1).prod(axis=1) * per_cell)
    return [part for part in np.split(np.arange(len(first)), np.flatnonzero(np.diff(pairs // MAX_PAIRS)) + 1) if len(part)]


def _pairs(first: NDArray[np.intp], last: NDArray[np.intp], buckets: _Buckets) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return pairs of each triangle with each point in the cells of its bounding box."""
    wide, high = (last - first + 1).T
    which = np.repeat(np.arange(len(first)), wide * high)
    k = np.arange(len(which)) - np.repeat(np.cumsum(wide * high) - wide * high, wide * high)
    i, j = np.divmod(k, np.repeat(high, wide * high))
    cell = (first[which, 0] + i) * buckets.side + first[which, 1] + j
    counts = buckets.starts[cell + 1] - buckets.starts[cell]
    place = np.repeat(buckets.starts[cell] - np.cumsum(counts) + counts, counts)
    return np.repeat(which, counts), buckets.order[place + np.arange(len(place))]


def _points_over(
    triangles: Array, buckets: _Buckets, first: NDArray[np.intp], last: NDArray[np.intp]
) -> tuple[NDArray[np.intp], Array, NDArray[np.bool_]]:
    """Return (point, height, True for a normal that points up) of all points over triangles (n, 3, 3), which cover the cells from `first` to `last`."""
    which, point = _pairs(first, last, buckets)
    a, b, c = triangles[which].transpose(1, 0, 2)
    p = buckets.points[point] - a[:, :2]
    d1, d2 = b - a, c - a
    area = d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0]
    u = (p[:, 0] * d2[:, 1] - p[:, 1] * d2[:, 0]) / area
    v = (d1[:, 0] * p[:, 1] - d1[:, 1] * p[:, 0]) / area
    over = (u >= -EDGE) & (v >= -EDGE) & (u + v <= 1.0 + EDGE)
    z = a[:, 2] + u * d1[:, 2] + v * d2[:, 2]
    return point[over], z[over], area[over] > 0.0


def from_parts(parts: list[Part], path: Path, up: str, unit: float, ignore: tuple[str, ...]) -> Mesh:
    """Return the surface of all parts that are not ignored.

    Parameters
    ----------
    up : z, or y as in glTF: then x = X, y = -Z, z = Y
    unit : meters per unit of the file
    ignore : patterns of names with * and ?, case-insensitive

    Raises
    ------
    ConfigError : no triangles left, a pattern without a match, or a number that is not finite
    """
    names = sorted({name for part in parts for name in part.names if name})
    for pattern in ignore:
        if not any(_fits(name, pattern) for name in names):
            raise ConfigError(
                path, "ignore", pattern, f"a name in the file: {', '.join(names[:20]) or 'the file has none'}{did_you_mean(pattern, names)}"
            )
    selected = [
        part for part in parts if len(part.triangles) and not any(_fits(name, pattern) for name in part.names for pattern in ignore)
    ]
    if not selected:
        raise ConfigError(path, "", "no triangles", "at least one face that is not ignored")
    triangles = np.concatenate([part.triangles for part in selected])
    if len(triangles) > MAX_TRIANGLES:
        raise ConfigError(path, "", f"{len(triangles)} triangles", f"at most {MAX_TRIANGLES}")
    if not np.isfinite(triangles).all():
        raise ConfigError(path, "", "NaN or infinite coordinates", "finite coordinates")
    if up == "y":
        triangles = np.stack((triangles[..., 0], -triangles[..., 2], triangles[..., 1]), axis=-1)
    triangles = triangles * unit
    for axis, most in (("height", HIGHEST), ("coordinate", FARTHEST)):
        farthest = float(np.abs(triangles[..., 2] if axis == "height" else triangles[..., :2]).max())
        if farthest > most:
            raise ConfigError(path, "", f"a {axis} of {farthest:g} m", f"at most {most:g} m (is the key unit missing?)")
    owners = np.repeat(np.arange(len(selected)), [len(part.triangles) for part in selected])
    shown = tuple(sorted({name for part in selected for name in part.names if name}))
    return Mesh(triangles, shown, owners=owners, owner_names=tuple(part.names for part in selected))


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name.lower(), pattern.lower())


def triangulated(corners: Array) -> Array:
    """Return (n - 2, 3, 3) triangles of a flat polygon (n, 3), convex or not, by ear clipping."""
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


def _in_plane(corners: Array) -> Array:
    """Return the corners (n, 2) projected along the largest component of their normal, counterclockwise."""
    following = np.roll(corners, -1, axis=0)
    normal = np.cross(corners - corners[0], following - corners[0]).sum(axis=0)
    axis = int(np.abs(normal).argmax())
    plane = np.delete(corners, axis, axis=1)
    turned = normal[axis] * (-1.0 if axis == 1 else 1.0)
    return plane if turned >= 0.0 else plane * (-1.0, 1.0)


def _is_ear(plane: Array, left: list[int], k: int) -> bool:
    """Return True if the corner is convex and no other corner is in its triangle."""
    a, b, c = plane[left[k - 1]], plane[left[k]], plane[left[(k + 1) % len(left)]]
    if _turn(a, b, c) <= 0.0:
        return False
    others = [plane[m] for m in left if m not in (left[k - 1], left[k], left[(k + 1) % len(left)])]
    return not any(_turn(a, b, p) >= 0.0 and _turn(b, c, p) >= 0.0 and _turn(c, a, p) >= 0.0 for p in others)


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
