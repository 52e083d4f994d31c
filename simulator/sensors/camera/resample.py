"""Distorted color images: a wider image without distortion is rendered and resampled.

The table of the places is computed once from `geometry`. Colors are interpolated between the four nearest pixels (bilinear), in sRGB.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import kernel
from simulator.sensors.camera.geometry import FloatArray, Intrinsics, all_pixels, rays_of

BORDER = 2
"""Pixels around the part of the ideal image that is used."""
MOST = 4.0
"""Maximum number of pixels of the ideal image divided by that of the distorted one; a wider image has a smaller scale."""


class Resampler:
    """Makes distorted images of ideal ones.

    Attributes
    ----------
    ideal : intrinsics of the ideal image
    """

    def __init__(self, camera: Intrinsics) -> None:
        rays = rays_of(camera, all_pixels(camera))
        seen = np.isfinite(rays[:, 0])
        xy = rays[seen, :2]
        low, high = xy.min(axis=0), xy.max(axis=0)
        focal = np.array((camera.fx, camera.fy))
        pixels = float(np.prod((high - low) * focal))
        focal *= min(1.0, math.sqrt(MOST * camera.width * camera.height / max(pixels, 1.0)))
        size = np.ceil((high - low) * focal).astype(int) + 1 + 2 * BORDER
        center = BORDER - low * focal
        self.ideal = Intrinsics(int(size[0]), int(size[1]), float(focal[0]), float(focal[1]), float(center[0]), float(center[1]))
        self._places: FloatArray = np.full((len(seen), 2), -1.0)
        self._places[seen] = xy * focal + center
        self._shape = camera.height, camera.width

    def distorted(self, color: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the distorted image (height, width, 3) of an ideal one; pixels without a ray are black."""
        out = np.zeros((*self._shape, 3), np.uint8)
        resample(color, self._places, out.reshape(-1, 3))
        return out


@kernel
def resample(color, places, out):
    """Write the colors at places (n, 2) u, v of an image (height, width, 3) to `out` (n, 3); places with u < 0 are left out."""
    for n in range(len(places)):
        u, v = places[n, 0], places[n, 1]
        if u < 0.0:
            continue
        i, j = int(u), int(v)
        a, b = u - i, v - j
        for k in range(3):
            upper = (1.0 - a) * color[j, i, k] + a * color[j, i + 1, k]
            lower = (1.0 - a) * color[j + 1, i, k] + a * color[j + 1, i + 1, k]
            out[n, k] = int((1.0 - b) * upper + b * lower + 0.5)
