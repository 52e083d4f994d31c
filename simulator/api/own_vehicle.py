"""Rays against the own vehicle: the convex parts of its body and its wheels, where the vehicle is now."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.rotations import rotation_of_quaternion
from terrain.rays.caster import Hits
from vehicles.contact.vehicle_rays import VehicleRays
from vehicles.vehicle import Vehicle


class OwnVehicle:
    """Caster against the body and the wheels of a vehicle."""

    def __init__(self, vehicle: Vehicle) -> None:
        self._vehicle = vehicle
        self._rays = VehicleRays(vehicle.model.object_contact)

    def nearest(self, hits: Hits, origins: ArrayLike, directions: ArrayLike, max_range: ArrayLike) -> Hits:
        """Return the hits of rays (arguments of `RayCaster.cast`), with those on the vehicle where they are nearer."""
        R_WB, state, readout = np.empty((3, 3)), self._vehicle.space.state[0], self._vehicle.readout[0]
        rotation_of_quaternion(state["q_WB"], R_WB)
        self._rays.place_wheels(readout["p_BK"], readout["R_BK"])
        start: NDArray[np.float64] = (np.asarray(origins, float) - state["p_WB"]) @ R_WB
        own = self._rays.cast(start, np.asarray(directions, float) @ R_WB, max_range)
        nearer = own.range < hits.range
        return Hits(
            np.where(nearer, own.range, hits.range),
            np.where(nearer, own.object, hits.object),
            np.where(nearer[:, None], own.normal @ R_WB.T, hits.normal),
        )
