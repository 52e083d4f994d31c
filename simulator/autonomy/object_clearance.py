"""Distance of a vehicle from the true objects around it, as seen from above."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from simulator.autonomy.contract import Pose
from simulator.autonomy.object_outlines import ObjectOutlines
from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.base.arrays import Array
from terrain.ground import Ground
from terrain.objects.object_set import ObjectSet
from terrain.outlines import Outline

RANGE = 20.0
"""m. Distance beyond which objects do not count."""


class ObjectClearance:
    """Distance of a vehicle from objects higher than it can drive over and lower than its roof.

    Parameters
    ----------
    vehicle : its outline is a rectangle
    ground : below the objects
    """

    def __init__(self, vehicle: VehicleTraits, ground: Ground) -> None:
        self._outlines, self._limits = ObjectOutlines(ground), vehicle.limits(1.0)
        self._low = np.array((-vehicle.rear, -0.5 * vehicle.width))
        self._high = np.array((vehicle.front, 0.5 * vehicle.width))
        self._reach = math.hypot(max(vehicle.front, vehicle.rear), 0.5 * vehicle.width)

    def at(self, objects: ObjectSet, time: float, pose: Pose) -> float:
        """Return the distance [m] at a time [s] and a pose; 0 = touch, RANGE = that distance or more."""
        least = RANGE
        for bound, one in self._near(objects, time, np.array(pose[:2])):
            if bound >= least:
                break
            least = min(least, self._distance(one, pose))
        return least

    def _near(self, objects: ObjectSet, time: float, at: Array) -> Iterator[tuple[float, Outline]]:
        """Return a lower bound of the distance [m] of each object, and its outline, by the bound."""
        rest, moving = self._outlines.at_rest(objects), self._outlines.moving(objects, time)
        low = np.concatenate([rest.low, *(one.reach()[0][None] for one in moving)])
        high = np.concatenate([rest.high, *(one.reach()[1][None] for one in moving)])
        bounds = np.hypot(*np.maximum(np.maximum(low - at, at - high), 0.0).T) - self._reach
        for n in np.argsort(bounds):
            one = rest.outlines[n] if n < len(rest.outlines) else moving[n - len(rest.outlines)]
            if one.bottom - one.ground < self._limits.vehicle_height and one.top - one.ground > self._limits.object_height:
                yield float(bounds[n]), one

    def _distance(self, one: Outline, pose: Pose) -> float:
        """Return the distance [m] of the rectangle from an outline."""
        c, s = math.cos(pose.yaw), math.sin(pose.yaw)
        points = (one.points - pose[:2]) @ np.array(((c, -s), (s, c)))
        if len(points) > 1 and self._overlaps(points):
            return 0.0
        own = np.array(((self._low[0], self._low[1]), (self._high[0], self._low[1]), self._high, (self._low[0], self._high[1])))
        least = min(_least_distance(points, own), _least_distance(own, points))
        if (np.maximum(self._low - points, points - self._high) <= 0.0).all(axis=1).any():
            least = 0.0
        return max(least - one.radius, 0.0)

    def _overlaps(self, points: Array) -> bool:
        """Return whether a convex polygon (n, 2) meets the rectangle: no axis separates them."""
        if not ((points.min(axis=0) <= self._high) & (points.max(axis=0) >= self._low)).all():
            return False
        edges = np.roll(points, -1, axis=0) - points
        normals = np.column_stack((-edges[:, 1], edges[:, 0]))
        own = points @ normals.T
        center, half = 0.5 * (self._low + self._high) @ normals.T, 0.5 * (self._high - self._low) @ np.abs(normals.T)
        return bool(((center - half <= own.max(axis=0)) & (center + half >= own.min(axis=0))).all())


def _least_distance(points: Array, corners: Array) -> float:
    """Return the least distance [m] of points (n, 2) from the edges of a polygon, a segment or a point, corners (k, 2)."""
    edges = np.roll(corners, -1, axis=0) - corners
    away = points[:, None] - corners
    squares = np.maximum((edges**2).sum(axis=1), 1e-300)
    along = np.clip((away * edges).sum(axis=2) / squares, 0.0, 1.0)
    return float(np.sqrt(((away - along[..., None] * edges) ** 2).sum(axis=2).min()))
