"""Outlines of objects on a map: the cells over which an object stands, its height above the ground and its label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import record
from terrain.objects.footprint import CIRCLE
from terrain.objects.object_set import ObjectSet
from terrain.objects.pose import POSE
from terrain.objects.world_object import Box, Capsule, ConvexHull, Cylinder, Sphere, TriangleMesh, WorldObject
from terrain.rays.cast import place_objects

FloatArray = NDArray[np.float64]
UPRIGHT = 1e-12
"""1 - cosine of the tilt below which a box or a cylinder stands upright: its outline is a rectangle or a disc."""


@dataclass(frozen=True, eq=False)
class Outline:
    """Outline of an object from above: a convex polygon widened by a radius."""

    points: FloatArray
    """(n, 2) m, corners in order, in W; one or two for a disc and a capsule"""
    radius: float
    """m; 0 = the polygon itself"""
    bottom: float
    """m, lowest z"""
    top: float
    """m, highest z"""
    label: int
    """number of the label"""
    ground: float
    """m, height of the ground below the origin of the object"""

    def covers(self, x: FloatArray, y: FloatArray, cell: float) -> NDArray[np.bool_]:
        """Return whether the open outline meets the open square cells with centers x and y (same shape)."""
        if self.radius > 0.0:
            return _distance_to_segment_of_squares(self.points, x, y, 0.5 * cell) < self.radius
        edges = np.roll(self.points, -1, axis=0) - self.points
        meets = np.ones(x.shape, bool)
        for a, b in ((1.0, 0.0), (0.0, 1.0), *np.stack((-edges[:, 1], edges[:, 0]), axis=1)):  # separating axes
            own = self.points @ (a, b)
            center, half = a * x + b * y, 0.5 * cell * (abs(a) + abs(b))
            meets &= (center - half < own.max()) & (center + half > own.min())
        return meets

    def reach(self) -> tuple[FloatArray, FloatArray]:
        """Return the minimum and maximum x, y (2,)."""
        return self.points.min(axis=0) - self.radius, self.points.max(axis=0) + self.radius


def outlines(
    objects: ObjectSet, time: float = 0.0, grounds: FloatArray | None = None, rows: NDArray[np.int64] | None = None
) -> list[Outline]:
    """Return the outlines of the present objects of `rows`, default all, at a time [s].

    grounds (n,) are the heights of the ground below these objects [m], default 0.
    """
    rows = np.arange(len(objects)) if rows is None else np.ascontiguousarray(rows, np.int64)
    poses = record(POSE, max(1, len(rows)))
    place_objects(objects.world, rows, poses, float(time))
    out = []
    for n, row in enumerate(rows):
        if objects.records[row]["present"]:
            ground = 0.0 if grounds is None else float(grounds[n])
            out.append(_outline(objects.objects[row], poses[n]["p_WO"], poses[n]["R_WO"], int(objects.records[row]["label"]), ground))
    return out


def _outline(one: WorldObject, p: FloatArray, R: FloatArray, label: int, ground: float) -> Outline:
    shape = one.shape
    if isinstance(shape, Sphere):
        return Outline(p[None, :2].copy(), shape.radius, p[2] - shape.radius, p[2] + shape.radius, label, ground)
    if isinstance(shape, Cylinder) and abs(R[2, 2] - 1.0) < UPRIGHT:
        return Outline(p[None, :2].copy(), shape.radius, p[2], p[2] + shape.height, label, ground)
    if isinstance(shape, Capsule):
        ends = p + np.array((-0.5, 0.5))[:, None] * shape.length * R[:, 2]
        return Outline(ends[:, :2], shape.radius, ends[:, 2].min() - shape.radius, ends[:, 2].max() + shape.radius, label, ground)
    corners = p + _corners(shape) @ R.T
    if isinstance(shape, Box) and abs(R[2, 2] - 1.0) < UPRIGHT:
        outline = corners[:4, :2]
    else:
        from scipy.spatial import ConvexHull as Hull

        flat = corners[:, :2]
        outline = flat[Hull(flat).vertices]
    return Outline(outline, 0.0, corners[:, 2].min(), corners[:, 2].max(), label, ground)


def _corners(shape: Box | Cylinder | ConvexHull | TriangleMesh) -> FloatArray:
    """Return the corners (n, 3) in O; the first four of a box are those of its bottom, in order."""
    if isinstance(shape, Cylinder):
        return np.concatenate([np.column_stack((shape.radius * CIRCLE, np.full(len(CIRCLE), z))) for z in (0.0, shape.height)])
    if isinstance(shape, Box):
        square = np.array(((-1, -1), (1, -1), (1, 1), (-1, 1)), float)
        return 0.5 * np.asarray(shape.size, float) * np.concatenate([np.column_stack((square, np.full(4, z))) for z in (-1.0, 1.0)])
    if isinstance(shape, ConvexHull):
        return np.asarray(shape.points, float)
    return np.asarray(shape.triangles, float).reshape(-1, 3)


def _distance_to_segment_of_squares(ends: FloatArray, x: FloatArray, y: FloatArray, half: float) -> FloatArray:
    """Return the distance of squares, with centers x, y and half their side, from a point or a segment, ends (1 or 2, 2)."""
    out = np.full(x.shape, np.inf)
    for px, py in ends:
        out = np.minimum(out, np.hypot(np.maximum(np.abs(x - px) - half, 0.0), np.maximum(np.abs(y - py) - half, 0.0)))
    if len(ends) == 1 or (ends[0] == ends[1]).all():
        return out
    (ax, ay), (dx, dy) = ends[0], ends[1] - ends[0]
    sides = []
    for sx, sy in ((-half, -half), (half, -half), (-half, half), (half, half)):
        t = np.clip(((x + sx - ax) * dx + (y + sy - ay) * dy) / (dx * dx + dy * dy), 0.0, 1.0)
        out = np.minimum(out, np.hypot(x + sx - ax - t * dx, y + sy - ay - t * dy))
        sides.append((x + sx - ax) * dy - (y + sy - ay) * dx)
    low, high = ends.min(axis=0), ends.max(axis=0)
    crosses = (np.min(sides, axis=0) < 0.0) & (np.max(sides, axis=0) > 0.0)  # separating axes of a segment and a square
    crosses &= (x + half > low[0]) & (x - half < high[0]) & (y + half > low[1]) & (y - half < high[1])
    return np.where(crosses, 0.0, out)
