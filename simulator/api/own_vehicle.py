"""Rays against the own vehicle: the convex parts of its body, where the vehicle is now."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.rotations import rotation_of_quaternion
from terrain.ground import Ground
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import ConvexHull, WorldObject
from terrain.rays.caster import OWN_VEHICLE, Hits, RayCaster
from vehicles.vehicle import Vehicle


class OwnVehicle:
    """Caster against the body of a vehicle; without its wheels."""

    def __init__(self, vehicle: Vehicle, ground: Ground) -> None:
        self._vehicle = vehicle
        contact = vehicle.model.object_contact[0]
        parts = [part["points"][: part["count"]].copy() for part in contact["parts"][: contact["count"]]]
        hulls = [WorldObject(f"part {n}", ConvexHull(points), (0.0, 0.0, 0.0), label="vehicle") for n, points in enumerate(parts)]
        self._caster = RayCaster(ground, ObjectSet(hulls))

    def nearest(self, hits: Hits, origins: ArrayLike, directions: ArrayLike, max_range: ArrayLike) -> Hits:
        """Return the hits of rays (arguments of `RayCaster.cast`), with those on the vehicle where they are nearer."""
        R_WB, state = np.empty((3, 3)), self._vehicle.space.state[0]
        rotation_of_quaternion(state["q_WB"], R_WB)
        start: NDArray[np.float64] = (np.asarray(origins, float) - state["p_WB"]) @ R_WB
        own = self._caster.cast(start, np.asarray(directions, float) @ R_WB, max_range, ground=False)
        nearer = own.range < hits.range
        return Hits(
            np.where(nearer, own.range, hits.range),
            np.where(nearer, OWN_VEHICLE, hits.object),
            np.where(nearer[:, None], own.normal @ R_WB.T, hits.normal),
        )
