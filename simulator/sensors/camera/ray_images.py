"""Depth, object and label images by rays, without OpenGL.

One ray for each pixel, through its center, at one time: the shutter is global, and its time is the time of the measurement. Depth is the
distance along the optical axis, not the range: range = depth * sqrt(x^2 + y^2 + 1) with x, y of `geometry`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.spatial import rotated
from simulator.base.arrays import Array
from simulator.base.jit import kernel
from simulator.sensors.camera.geometry import R_SC, Intrinsics, all_pixels, rays_of
from simulator.sensors.ray_threads import RayThreads, SensorRays
from terrain.objects.labels import LABELS
from terrain.rays.caster import OWN_VEHICLE, RayCaster

NOTHING = -1
"""Number of the object of a pixel that shows nothing."""


class RayImages(NamedTuple):
    """Images of (height, width)."""

    depth: NDArray[np.float32]
    """m, along the optical axis; inf = nothing"""
    object: NDArray[np.int32]
    """number of the object; 0 = ground, -1 = nothing, -2 = own vehicle"""
    label: NDArray[np.uint8]
    """number of the label, see `terrain.objects.labels`"""


class PixelRays:
    """Rays of all pixels of a camera, computed once."""

    def __init__(self, camera: Intrinsics) -> None:
        self.camera = camera
        rays = rays_of(camera, all_pixels(camera))
        self.seen: NDArray[np.bool_] = np.isfinite(rays[:, 0])
        """(pixels,) False for pixels without a ray, see `geometry`"""
        self.stretch: Array = np.linalg.norm(rays[self.seen], axis=1)
        """(rays,) range divided by depth"""
        self.directions_S: Array = (rays[self.seen] / self.stretch[:, None]) @ R_SC.T
        """(rays, 3) unit vectors in S"""

    def spread(self, values: NDArray, missing: float) -> NDArray:
        """Return an image of one value per ray; pixels without a ray are `missing`."""
        out = np.full(len(self.seen), missing, values.dtype)
        out[self.seen] = values
        return out.reshape(self.camera.height, self.camera.width)


def turned_rays(R: Array, directions: Array) -> Array:
    """Return R d for directions d (n, 3)."""
    out = np.empty_like(directions)
    _turn(np.ascontiguousarray(R), directions, out)
    return out


@kernel
def _turn(R, directions, out):
    """Write the products; a product of matrices would wake threads of BLAS, whose waiting takes a hundred times as long."""
    for n in range(len(out)):
        d = rotated(R, (directions[n, 0], directions[n, 1], directions[n, 2]))
        out[n, 0], out[n, 1], out[n, 2] = d[0], d[1], d[2]


def cast_images(
    rays: PixelRays,
    caster: RayCaster,
    p_WS: Array,
    R_WS: Array,
    max_range: float,
    time: float,
    own: Array | None = None,
    threads: RayThreads | None = None,
) -> RayImages:
    """Return the images of a camera at p_WS (3,) [m], R_WS (3, 3), at `time` [s]. Beyond `max_range` [m] nothing is seen.

    As in colors, porous objects, such as bushes, are solid, and the ground has no roughness, no ruts.

    own : range of each ray to the own vehicle [m], see `own_vehicle`; None: without the vehicle
    """
    limit = max_range if own is None else np.minimum(max_range, own)  # nothing behind the own vehicle is seen
    cast = SensorRays(p_WS, turned_rays(R_WS, rays.directions_S), limit, time)
    hits, _ = (threads or RayThreads(1)).cast(caster, cast, roughness=False, porous=True, ruts=False)
    if own is not None:
        nearer = np.isinf(hits.range) & (own <= max_range)
        hits = hits._replace(range=np.where(nearer, own, hits.range), object=np.where(nearer, OWN_VEHICLE, hits.object))
    return RayImages(
        rays.spread((hits.range / rays.stretch).astype(np.float32), np.inf),
        rays.spread(hits.object.astype(np.int32), NOTHING),
        rays.spread(caster.labels(hits), LABELS["none"]),
    )
