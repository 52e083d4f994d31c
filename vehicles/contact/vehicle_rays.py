"""Rays against a vehicle: the convex parts of its body, which objects meet as well, and its wheels as cylinders."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.arrays import Array
from simulator.base.records import Record
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import Breakaway, ConvexHull, Cylinder, WorldObject
from terrain.rays.caster import OWN_VEHICLE, Hits
from terrain.rays.objects_only import meet_sphere, objects_only


class VehicleRays:
    """Casts rays, in B, against a vehicle.

    Parameters
    ----------
    contact : record of `vehicles.contact.records.OBJECT_CONTACT`
    without : point in B [m]; parts of the body that contain it are left out

    Attributes
    ----------
    left_out : number of these parts
    has_wheels : True if there are wheels
    """

    def __init__(self, contact: Record, without: ArrayLike | None = None) -> None:
        c = contact[0]
        all_parts = [part["points"][: part["count"]].copy() for part in c["parts"][: c["count"]]]
        parts = all_parts if without is None else [points for points in all_parts if not _contains(points, np.asarray(without, float))]
        self.left_out = len(all_parts) - len(parts)
        bodies = [WorldObject(f"part {n}", ConvexHull(points), (0.0, 0.0, 0.0), label="vehicle") for n, points in enumerate(parts)]
        sizes = [(n, float(r), float(half)) for n, (r, half) in enumerate(c["wheels"]) if r > 0.0 and half > 0.0]
        # a wheel turns and moves on the chassis: a broken object is not in the bins, and where its record says
        wheels = [
            WorldObject(f"wheel {n}", Cylinder(r, 2.0 * half), (0.0, 0.0, 0.0), label="vehicle", motion=Breakaway(1.0))
            for n, r, half in sizes
        ]
        self._objects, self._wheels, self._parts = ObjectSet((*bodies, *wheels)), sizes, len(parts)
        self.has_wheels = bool(wheels)
        self._objects.records["present"][len(bodies) :] = 0
        self._caster = objects_only(self._objects)

    def place_wheels(self, p_BK: Array, R_BK: Array) -> None:
        """Put the wheels on their carriers: centers p_BK (wheels, 3) [m] and axes R_BK (wheels, 3, 3), of all wheels of the vehicle."""
        for row, (n, _, half) in enumerate(self._wheels):
            s = self._objects.states[row]
            self._objects.records[self._parts + row]["present"] = s["broken"] = 1
            s["R_WO"] = np.column_stack((R_BK[n, :, 0], -R_BK[n, :, 2], R_BK[n, :, 1]))  # z of the cylinder is the axle
            s["p_WO"] = p_BK[n] - half * R_BK[n, :, 1]

    def near_wheels(self, origin: Array, directions: Array, p_BK: Array, margin: float) -> NDArray[np.bool_]:
        """Return whether rays from one point (3,) with unit directions (n, 3), in B, pass within `margin` [m] of a wheel at p_BK (wheels, 3) [m]."""
        near = np.zeros(len(directions), np.bool_)
        for n, radius, half in self._wheels:
            near |= meet_sphere(directions, p_BK[n] - origin, math.hypot(radius, half) + margin)
        return near

    def cast(self, origins: ArrayLike, directions: ArrayLike, max_range: ArrayLike) -> Hits:
        """Return the hits of rays, in B; the object is OWN_VEHICLE. Wheels count after `place_wheels`. Arguments: see `RayCaster.cast`."""
        hits = self._caster.cast(origins, directions, max_range, ground=False)
        return hits._replace(object=np.where(hits.object > 0, OWN_VEHICLE, hits.object))


def is_inside_body(contact: Record, point: ArrayLike) -> bool:
    """Return True if a point in B [m] is inside a part of the body. `contact`: see `VehicleRays`."""
    c = contact[0]
    return any(_contains(part["points"][: part["count"]], np.asarray(point, float)) for part in c["parts"][: c["count"]])


def _contains(points: Array, at: Array) -> bool:
    """Return True if a point is inside the convex hull of points (n, 3), in m."""
    from scipy.spatial import ConvexHull as Hull

    faces = Hull(points).equations
    return bool((faces[:, :3] @ at + faces[:, 3] <= 0.0).all())
