"""Split of a mesh into the surface on which vehicles drive and the objects that stand on it or span it.

A terrain has one height at each point. Of all surfaces of the mesh above one another at a node, the drivable one is the lowest that faces
up and has enough free height above it. Nodes that no step connects with the largest area of such nodes, such as roofs, are no ground: the
surface there continues from their rims. Triangles that are not on the surface become objects, one mesh for each connected part.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from terrain.readers.mesh import Mesh
from terrain.void_filling import filled

CLEARANCE = 3.5
"""m. Default free height above a drivable surface."""
SAME = 0.05
"""m. Surfaces nearer than this are one surface."""
STEP, STEEPEST = 0.3, 1.2
"""m, m/m. Larger height differences of neighboring nodes do not connect them."""
MAX_POINTS = 500_000
"""Number of nodes in one batch."""
LOWEST = 0.3
"""m. Parts that nowhere reach this height above the surface are no objects: the surface has them."""
WELD = 1e-3
"""m. Corners nearer than this are one corner."""
MAX_OBJECTS = 5000
WORDS = {
    "building": ("build", "house", "roof", "wall", "bridge", "garage"),
    "vegetation": ("tree", "bush", "plant", "hedge", "leaf", "leaves"),
    "vehicle": ("car", "truck", "bus", "vehicle"),
    "post": ("lamp", "post", "pole", "pillar", "column", "light"),
    "fence": ("fence",),
    "rock": ("rock", "stone", "boulder"),
    "sign": ("sign",),
    "barrier": ("barrier", "guard"),
    "cone": ("cone",),
    "person": ("person", "pedestrian", "human"),
}
"""Words in the names of objects, groups, materials and nodes of a file, by label."""


@dataclass(frozen=True)
class MeshObject:
    """An object of a mesh.

    Attributes
    ----------
    name, label : as in a terrain file
    position : origin: middle of its bounding box in plan view, its lowest point [m]
    triangles : (n, 3, 3) m, relative to the position
    """

    name: str
    label: str
    position: tuple[float, float, float]
    triangles: Array


def drivable_heights(mesh: Mesh, x: Array, y: Array, clearance: float) -> tuple[Array, int]:
    """Return the heights (ny, nx) [m] of the drivable surface at nodes, and the number of nodes without one, which are filled.

    Parameters
    ----------
    x, y : (nx,), (ny,) positions of the nodes [m]
    clearance : minimum free height above the surface [m]

    Raises
    ------
    ConfigError : no node with a drivable surface
    """
    rows = max(1, MAX_POINTS // len(x))
    parts = [_lowest_free(mesh, x, y[k : k + rows], clearance) for k in range(0, len(y), rows)]
    heights = np.concatenate(parts)
    if np.isnan(heights).all():
        raise ConfigError("--objects", "", "no drivable surface", f"faces with at least {clearance:g} m free height above them")
    heights[~_connected(heights, max(STEP, STEEPEST * float(x[1] - x[0])))] = np.nan
    return filled(heights), int(np.isnan(heights).sum())


def oriented(mesh: Mesh, x: Array, y: Array) -> Mesh:
    """Return the mesh with normals that point outward: if most of its topmost faces point down, with the corners in the opposite order.

    Parameters
    ----------
    x, y : (nx,), (ny,) positions of nodes [m]
    """
    px, py = (a.ravel() for a in np.meshgrid(x[:: max(1, len(x) // 100)], y[:: max(1, len(y) // 100)]))
    point, _, up = mesh.layers(px, py)
    last = np.append(np.diff(point) > 0, True)[: len(point)]
    if not last.any() or up[last].mean() >= 0.5:
        return mesh
    return replace(mesh, triangles=np.ascontiguousarray(mesh.triangles[:, ::-1]))


def _lowest_free(mesh: Mesh, x: Array, y: Array, clearance: float) -> Array:
    """Return the height of the lowest surface that faces up and has the clearance, NaN without one."""
    px, py = (a.ravel() for a in np.meshgrid(x, y))
    point, z, up = mesh.layers(px, py)
    out = np.full(len(px), np.nan)
    if not len(point):
        return out.reshape(len(y), len(x))
    starts = np.flatnonzero(np.append(True, (np.diff(point) > 0) | (np.diff(z) > SAME)))
    faces_up = np.logical_or.reduceat(up, starts)
    bottom, top = z[starts], np.maximum.reduceat(z, starts)
    at = point[starts]
    free = np.full(len(starts), np.inf)
    same = at[1:] == at[:-1]
    free[:-1][same] = (bottom[1:] - top[:-1])[same]
    good = np.flatnonzero(faces_up & (free >= clearance))
    points, first = np.unique(at[good], return_index=True)
    out[points] = top[good[first]]
    return out.reshape(len(y), len(x))


def _connected(heights: Array, step: float) -> NDArray[np.bool_]:
    """Return whether each node belongs to the largest set of nodes whose neighbors differ by at most `step` [m]."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    number = np.arange(heights.size).reshape(heights.shape)
    pairs = []
    for here, there in (((slice(None), slice(1, None)), (slice(None), slice(None, -1))), ((slice(1, None),), (slice(None, -1),))):
        near = np.abs(heights[here] - heights[there]) <= step
        pairs.append((number[here][near], number[there][near]))
    first, last = (np.concatenate([pair[k] for pair in pairs]) for k in (0, 1))
    labels = connected_components(coo_array((np.ones(len(first), np.int8), (first, last)), (heights.size, heights.size)), directed=False)[1]
    valid = ~np.isnan(heights.ravel())
    return np.asarray((labels == np.bincount(labels[valid]).argmax()) & valid).reshape(heights.shape)


def objects_of(mesh: Mesh, x: Array, y: Array, heights: Array) -> list[MeshObject]:
    """Return the parts of a mesh that are not on a surface with heights (ny, nx) [m] at nodes x, y.

    Raises
    ------
    ConfigError : too many parts
    """
    above = _height_above(mesh.triangles, x, y, heights)
    tolerance = 0.25 + 0.5 * float(x[1] - x[0])
    rows = np.flatnonzero(np.nanmax(np.abs(above), axis=1) > tolerance)
    if not len(rows):
        return []
    rows = np.union1d(rows, _undersides(mesh.triangles, rows))
    parts = _parts(mesh.triangles[rows])
    high = np.full(parts.max() + 1, -np.inf)
    np.maximum.at(high, parts, np.nanmax(above[rows], axis=1))
    kept = np.flatnonzero(high >= LOWEST)
    if len(kept) > MAX_OBJECTS:
        raise ConfigError(
            "--objects", "", f"{len(kept)} parts", f"at most {MAX_OBJECTS}; hint: --set 'ignore=[leaves*]' leaves parts of the file out"
        )
    numbers: Counter[str] = Counter()
    return [_object(mesh, rows[parts == part], numbers) for part in kept]


def _height_above(triangles: Array, x: Array, y: Array, heights: Array) -> Array:
    """Return the height [m] of the corners and the center of each triangle above the bilinear surface, (n, 4)."""
    points = np.concatenate((triangles, triangles.mean(axis=1, keepdims=True)), axis=1)
    u = np.clip((points[..., 0] - x[0]) / (x[1] - x[0]), 0.0, len(x) - 1.0)
    v = np.clip((points[..., 1] - y[0]) / (y[1] - y[0]), 0.0, len(y) - 1.0)
    i, j = np.minimum(u.astype(np.intp), len(x) - 2), np.minimum(v.astype(np.intp), len(y) - 2)
    u, v = u - i, v - j
    south = (1.0 - u) * heights[j, i] + u * heights[j, i + 1]
    north = (1.0 - u) * heights[j + 1, i] + u * heights[j + 1, i + 1]
    return np.asarray(points[..., 2] - (1.0 - v) * south - v * north)


def _undersides(triangles: Array, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the triangles that face down and whose corners are all corners of the given ones: the bottoms of objects near the surface."""
    corner = _corners(triangles)
    known = np.isin(corner, corner[rows]).all(axis=1)
    d1, d2 = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    return np.flatnonzero(known & (d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0] < 0.0))


def _corners(triangles: Array) -> NDArray[np.intp]:
    """Return the number (n, 3) of each corner; corners at the same place have the same number."""
    numbers = np.unique(np.rint(triangles.reshape(-1, 3) / WELD).astype(np.int64), axis=0, return_inverse=True)[1]
    return np.asarray(numbers).reshape(-1, 3)


def _parts(triangles: Array) -> NDArray[np.intp]:
    """Return the number of the connected part of each triangle (n, 3, 3): parts that share corners, or of which one is inside the box of another."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    corner = _corners(triangles)
    a, b = np.concatenate((corner[:, 0], corner[:, 0])), np.concatenate((corner[:, 1], corner[:, 2]))
    count = int(corner.max()) + 1
    parts = connected_components(coo_array((np.ones(len(a), np.int8), (a, b)), (count, count)), directed=False)[1][corner[:, 0]]
    parts = np.unique(parts, return_inverse=True)[1]
    return _merged(parts, triangles)


def _merged(parts: NDArray[np.intp], triangles: Array) -> NDArray[np.intp]:
    """Return the parts with each part inside the bounding box of a larger one merged into it."""
    count = int(parts.max()) + 1
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, parts, triangles.min(axis=1))
    np.maximum.at(high, parts, triangles.max(axis=1))
    into = np.arange(count)
    for part in np.argsort((high - low).prod(axis=1), kind="stable")[::-1]:
        if into[part] == part:
            inside = (low >= low[part] - SAME).all(axis=1) & (high <= high[part] + SAME).all(axis=1)
            into[inside & (into == np.arange(count))] = part
    return np.unique(into[parts], return_inverse=True)[1]


def _object(mesh: Mesh, rows: NDArray[np.intp], numbers: Counter[str]) -> MeshObject:
    """Return the object of some triangles of a mesh."""
    triangles = mesh.triangles[rows]
    label = _label(mesh, rows)
    numbers[label] += 1
    low, high = triangles.reshape(-1, 3).min(axis=0), triangles.reshape(-1, 3).max(axis=0)
    position = np.round((0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), low[2]), 3)
    return MeshObject(
        f"{label}_{numbers[label]}", label, (float(position[0]), float(position[1]), float(position[2])), triangles - position
    )


def _label(mesh: Mesh, rows: NDArray[np.intp]) -> str:
    """Return the label that a word in the names of most of the triangles suggests."""
    if mesh.owners is None or not mesh.owner_names:
        return "other"
    owner, _ = Counter(mesh.owners[rows].tolist()).most_common(1)[0]
    text = " ".join(mesh.owner_names[owner]).lower()
    return next((label for label, words in WORDS.items() if any(word in text for word in words)), "other")


def obj_text(one: MeshObject) -> str:
    """Return the OBJ file of an object, in m, z up."""
    corners, index = np.unique(np.round(one.triangles.reshape(-1, 3), 4), axis=0, return_inverse=True)
    lines = [f"o {one.name}"]
    lines += [f"v {x:.10g} {y:.10g} {z:.10g}" for x, y, z in corners + 0.0]
    lines += [f"f {a} {b} {c}" for a, b, c in index.reshape(-1, 3) + 1 if len({a, b, c}) == 3]
    return "\n".join(lines) + "\n"
