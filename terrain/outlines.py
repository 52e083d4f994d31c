"""Outlines of objects on a map: the cells over which an object stands, its height above the ground and its label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.records import record
from terrain.objects.object_set import ObjectSet
from terrain.objects.pose import POSE
from terrain.rays.cast import place_objects


@dataclass(frozen=True, eq=False)
class Outline:
    """Outline of an object from above: a convex polygon widened by a radius."""

    points: Array
    """(n, 2) m, corners in order, in W; one or two if the outline is round"""
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

    def covers(self, x: Array, y: Array, cell: float) -> NDArray[np.bool_]:
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

    def reach(self) -> tuple[Array, Array]:
        """Return the minimum and maximum x, y (2,)."""
        return self.points.min(axis=0) - self.radius, self.points.max(axis=0) + self.radius


def outlines(objects: ObjectSet, time: float = 0.0, grounds: Array | None = None, rows: NDArray[np.int64] | None = None) -> list[Outline]:
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
            points, radius, bottom, top = objects.objects[row].shape.outline(poses[n]["p_WO"], poses[n]["R_WO"])
            out.append(Outline(points, radius, bottom, top, int(objects.records[row]["label"]), ground))
    return out


def _distance_to_segment_of_squares(ends: Array, x: Array, y: Array, half: float) -> Array:
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
