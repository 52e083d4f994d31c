"""The own vehicle in images by rays: the triangles that the window draws, so that these images agree with colors.

A camera is fixed to the chassis. Therefore the rays meet body and frame always in the same places, which are computed once. Only rays that may meet a
wheel, or the steering wheel for the driver's view, are cast for each image.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.records import Record
from simulator.sensors.camera.ray_images import turned_rays
from simulator.sensors.contract import Mount
from simulator.sensors.rendering import MovingPart, VehicleShape
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import TriangleMesh, WorldObject
from terrain.rays.caster import RayCaster
from terrain.rays.objects_only import meet_sphere, objects_only

TRAVEL = 0.5
"""m. Distance that a part may move from its place at the first image."""
REACH = 100.0
"""m. Maximum range of rays to the own vehicle, more than the size of a vehicle."""


class OwnVehicle:
    """Ranges of the rays of one camera to the own vehicle.

    Parameters
    ----------
    shape : drawn vehicle
    mount : of the camera
    directions_S : (n, 3) unit vectors of the rays, in S
    """

    def __init__(self, shape: VehicleShape, mount: Mount, directions_S: Array) -> None:
        self._p_BS, self._directions_B, self._moving = mount.p_BS, directions_S @ mount.R_BS.T, shape.moving
        self._body: Array = _caster(shape.body).cast(self._p_BS, self._directions_B, REACH, ground=False).range
        self._parts: list[_Part] | None = None

    def ranges(self, readout: Record) -> Array:
        """Return the range (n,) [m] of each ray to the vehicle at a READOUT record; inf = none."""
        if self._parts is None:
            parts = [self._part(part, readout) for part in self._moving]
            self._parts = [part for part in parts if len(part.rows)]
        out = self._body.copy() if self._parts else self._body
        for part in self._parts:
            out[part.rows] = np.minimum(out[part.rows], part.ranges(self._p_BS, readout))
        return out

    def _part(self, part: MovingPart, readout: Record) -> _Part:
        """Return a moving part with the rays that may meet it."""
        triangles = part.triangles(readout)
        corners = triangles.reshape(-1, 3)
        center, radius = 0.5 * (corners.min(axis=0) + corners.max(axis=0)), 0.5 * float(np.linalg.norm(np.ptp(corners, axis=0)))
        p_BP, R_BP = part.pose(readout)
        rows = np.flatnonzero(meet_sphere(self._directions_B, p_BP + R_BP @ center - self._p_BS, radius + TRAVEL))
        return _Part(part, rows, self._directions_B[rows], _caster(triangles))


class _Part(NamedTuple):
    """Moving part, and the rays that may meet it."""

    part: MovingPart
    rows: NDArray[np.int64]
    """(m,) numbers of the rays"""
    directions_B: Array
    """(m, 3) unit vectors"""
    caster: RayCaster

    def ranges(self, p_BS: Array, readout: Record) -> Array:
        """Return the range (m,) [m] of each ray from p_BS (3,) to the part."""
        p_BP, R_BP = self.part.pose(readout)
        return self.caster.cast((p_BS - p_BP) @ R_BP, turned_rays(R_BP.T, self.directions_B), REACH, ground=False).range


def _caster(triangles: Array) -> RayCaster:
    return objects_only(ObjectSet([WorldObject("own vehicle", TriangleMesh(triangles), (0.0, 0.0, 0.0), label="vehicle")]))
