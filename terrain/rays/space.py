"""Objects of a world, prepared for rays: a tree of those that stand, faces of convex hulls, and those that move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, record
from terrain.objects.object_set import ObjectSet
from terrain.objects.pose import POSE
from terrain.objects.records import BREAKAWAY, DEEPEST, HULL, PATH
from terrain.objects.world_object import ConvexHull
from terrain.rays.tree import Builder, Tree, Way, empty_tree, new_builder, new_way, tree_over

EVERYWHERE = 1e9
"""m. Bound on the coordinates of an object whose path may change."""


class RayObjects(NamedTuple):
    """Arrays of a world for kernels that cast rays."""

    tree: Tree
    """of the objects without a path"""
    standing: NDArray[np.int64]
    """row of each item of the tree"""
    planes: NDArray[np.float64]
    """(faces, 4) faces of all hulls, in O: outward normal and offset [m]"""
    rows: NDArray[np.int64]
    """(objects, 2) first row in `planes` of each object, and the row after its last one"""
    stack: NDArray[np.int64]
    """scratch"""
    normal: NDArray[np.float64]
    """(3,) scratch"""
    pose: Record
    """(1,) of POSE, scratch"""
    way: Way
    """scratch"""

    def for_thread(self) -> RayObjects:
        """Return the arrays with scratch of their own."""
        return self._replace(stack=np.zeros_like(self.stack), normal=np.zeros_like(self.normal), pose=self.pose.copy(), way=new_way())


class Movers(NamedTuple):
    """Objects on a path or broken off."""

    rows: NDArray[np.int64]
    range_low: NDArray[np.float64]
    """(rows, 3) m, bounds of an object on a path over all motion"""
    range_high: NDArray[np.float64]
    poses: Record
    """(rows,) of POSE, at least 1; scratch"""
    low: NDArray[np.float64]
    """(rows, 3) m, bounds at the times of all rays; scratch"""
    high: NDArray[np.float64]
    builder: Builder
    tree: Tree
    """of the rows; scratch"""


def ray_objects(objects: ObjectSet) -> RayObjects:
    """Return the arrays of a set of objects."""
    planes, rows = _faces(objects)
    standing = np.flatnonzero(objects.records["motion"] != PATH)
    low, high = (np.ascontiguousarray(objects.records[name][standing]) for name in ("low", "high"))
    return RayObjects(tree_over(low, high), standing, planes, rows, np.zeros(DEEPEST + 1, np.int64), np.zeros(3), record(POSE), new_way())


def movers(objects: ObjectSet) -> Movers:
    """Return the objects on a path or broken off."""
    r = objects.records
    away = r["motion"] == BREAKAWAY
    if away.any():
        away[away] = objects.states["broken"][r["state"][away]] != 0
    rows = np.flatnonzero(away | (r["motion"] == PATH))
    low, high = (np.ascontiguousarray(r[name][rows]) for name in ("low", "high"))
    changes = np.isin(rows, objects.steered_rows)
    low[changes], high[changes] = -EVERYWHERE, EVERYWHERE
    return Movers(
        rows,
        low,
        high,
        record(POSE, max(1, len(rows))),
        np.zeros_like(low),
        np.zeros_like(high),
        new_builder(len(rows)),
        empty_tree(len(rows)),
    )


def _faces(objects: ObjectSet) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the faces of all hulls, and the rows of each object."""
    from scipy.spatial import ConvexHull as Hull

    rows, faces, used = np.zeros((max(len(objects), 1), 2), np.int64), [np.zeros((0, 4))], 0
    for row in np.flatnonzero(objects.records["shape"] == HULL):
        shape = objects.objects[row].shape
        assert isinstance(shape, ConvexHull)
        faces.append(np.unique(Hull(np.asarray(shape.points, float)).equations, axis=0))
        rows[row] = used, used + len(faces[-1])
        used += len(faces[-1])
    return np.concatenate(faces), rows
