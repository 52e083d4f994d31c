"""The own vehicle in images by rays: the triangles that the window draws, so that these images agree with colors.

A camera is fixed to the chassis. Therefore the rays meet body and frame always in the same places, which are computed once. Only rays that may meet a
wheel, or the steering wheel for the driver's view, are cast for each image.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from simulator.sensors.camera.geometry import FloatArray
from simulator.sensors.contract import Mount
from simulator.sensors.rendering import MovingPart, VehicleShape
from terrain.ground import Ground
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import TriangleMesh, WorldObject
from terrain.rays.caster import RayCaster

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
    ground : any ground
    """

    def __init__(self, shape: VehicleShape, mount: Mount, directions_S: FloatArray, ground: Ground) -> None:
        self._p_BS, self._directions_B = mount.p_BS, directions_S @ mount.R_BS.T
        self._moving, self._ground = shape.moving, ground
        body = _caster(shape.body, ground).cast(self._p_BS, self._directions_B, REACH, ground=False)
        self._body: FloatArray = body.range
        self._parts: list[_Part] | None = None

    def ranges(self, readout: Record) -> FloatArray:
        """Return the range (n,) [m] of each ray to the vehicle at a READOUT record; inf = none."""
        if self._parts is None:
            parts = [_Part(part, self._ground, self._p_BS, self._directions_B, readout) for part in self._moving]
            self._parts = [part for part in parts if len(part.rows)]
        out = self._body.copy() if self._parts else self._body
        for part in self._parts:
            out[part.rows] = np.minimum(out[part.rows], part.ranges(readout))
        return out


class _Part:
    """Moving part, and the rays that may meet it."""

    def __init__(self, part: MovingPart, ground: Ground, p_BS: FloatArray, directions_B: FloatArray, readout: Record) -> None:
        triangles = part.triangles(readout)
        corners = triangles.reshape(-1, 3)
        center, radius = 0.5 * (corners.min(axis=0) + corners.max(axis=0)), 0.5 * float(np.linalg.norm(np.ptp(corners, axis=0)))
        p_BP, R_BP = part.pose(readout)
        away = p_BP + R_BP @ center - p_BS
        along = directions_B @ away
        beside = float(away @ away) - along * along
        near = radius + TRAVEL
        inside = float(away @ away) < near * near
        self.rows: NDArray[np.int64] = np.flatnonzero((beside < near * near) & ((along > 0.0) | inside))
        self._pose, self._p_BS, self._directions_B = part.pose, p_BS, directions_B[self.rows]
        self._caster = _caster(triangles, ground) if len(self.rows) else RayCaster(ground)

    def ranges(self, readout: Record) -> FloatArray:
        """Return the range of each ray of `rows` to the part."""
        p_BP, R_BP = self._pose(readout)
        hits = self._caster.cast((self._p_BS - p_BP) @ R_BP, self._directions_B @ R_BP, REACH, ground=False)
        return hits.range


def _caster(triangles: FloatArray, ground: Ground) -> RayCaster:
    one = WorldObject("own vehicle", TriangleMesh(triangles), (0.0, 0.0, 0.0), label="vehicle")
    return RayCaster(ground, ObjectSet([one]))
