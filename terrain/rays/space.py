"""Objects of a world, prepared for rays: a pyramid over the bins, faces of convex hulls, and the objects that are not where the bins say."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, record
from terrain.objects.object_set import ObjectSet
from terrain.objects.pose import POSE
from terrain.objects.records import BREAKAWAY, DEEPEST, HULL
from terrain.objects.world_object import ConvexHull
from terrain.rays.pyramid import Pyramid, pyramid_over


class RayObjects(NamedTuple):
    """Arrays of a world for kernels that cast rays."""

    pyramid: Pyramid
    """over the bins; the bounds are the lowest and highest point of the objects of a bin [m]"""
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

    def for_thread(self) -> RayObjects:
        """Return the arrays with scratch of their own."""
        return self._replace(stack=np.zeros_like(self.stack), normal=np.zeros_like(self.normal), pose=self.pose.copy())


class Movers(NamedTuple):
    """Objects that may be outside their bins."""

    rows: NDArray[np.int64]
    poses: Record
    """(rows,) of POSE, at least 1; scratch"""


def ray_objects(objects: ObjectSet) -> RayObjects:
    """Return the arrays of a set of objects."""
    planes, rows = _faces(objects)
    return RayObjects(pyramid_over(_bins(objects)), planes, rows, np.zeros(DEEPEST + 1, np.int64), np.zeros(3), record(POSE))


def movers(objects: ObjectSet) -> Movers:
    """Return the objects that may be outside their bins: on a path, or broken off."""
    r = objects.records
    away = r["motion"] == BREAKAWAY
    if away.any():
        away[away] = objects.states["broken"][r["state"][away]] != 0
    rows = np.concatenate((objects.mover_rows, np.flatnonzero(away)))
    return Movers(rows, record(POSE, max(1, len(rows))))


def _bins(objects: ObjectSet) -> NDArray[np.float32]:
    """Return the minimum and maximum z (rows, columns, 2) of each bin, rounded outward."""
    w = objects.world[0]
    count, rows = int(w["bins"].prod()), objects.item_rows
    out = np.empty((max(count, 1), 2), np.float64)
    out[:] = np.inf, -np.inf
    of = np.repeat(np.arange(count), np.diff(objects.starts))
    np.minimum.at(out[:, 0], of, objects.records["low"][rows, 2])
    np.maximum.at(out[:, 1], of, objects.records["high"][rows, 2])
    full = np.isfinite(out[:, 0])
    out[full] += (-1e-6, 1e-6) * (1.0 + np.abs(out[full]))
    return out.astype(np.float32).reshape(max(int(w["bins"][1]), 1), -1, 2)


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
