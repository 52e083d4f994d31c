"""Images of the insets: a point cloud from above. No OpenGL here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

REACH = 40.0
"""m. Half side of the square that the image shows."""
SIDE = 216
"""Pixels along a side."""
HEIGHTS = (-3.0, 3.0)
"""m. Heights in sensor axes of the first and the last color."""
RINGS = (10.0, 20.0, 30.0)
"""m. Radii of the circles."""
_BACK, _RING = (16, 20, 24), (52, 60, 66)
_COLORS = np.array(((40, 90, 200), (40, 190, 200), (90, 210, 80), (240, 200, 60), (230, 70, 50)), float)


def top_view(points: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return an image (SIDE, SIDE, 3) of points (3, n) x, y, z in sensor axes [m]: x up, y to the left, colors by z, the highest point in front."""
    image = _empty().copy()
    with np.errstate(invalid="ignore"):
        there = (np.abs(points[0]) < REACH) & (np.abs(points[1]) < REACH) & np.isfinite(points[2])
    x, y, z = points[:, there].astype(float)
    order = np.argsort(z, kind="stable")
    row, column = (((REACH - one[order]) * (SIDE / (2.0 * REACH))).astype(int).clip(0, SIDE - 1) for one in (x, y))
    image[row, column] = colors_of(z[order])
    return image


def cloud_of(arrays: Mapping[str, NDArray[Any]]) -> NDArray[Any] | None:
    """Return the point cloud of a measurement, a structured array with x, y, z, as (n,); None without one."""
    return next((one.reshape(-1) for one in arrays.values() if is_cloud(one.dtype)), None)


def is_cloud(dtype: np.dtype) -> bool:
    """Return whether an array of this type is a point cloud."""
    return {"x", "y", "z"} <= set(dtype.names or ())


def colors_of(z: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the colors (n, 3) of heights (n,) [m], from blue to red."""
    share = np.clip((z - HEIGHTS[0]) / (HEIGHTS[1] - HEIGHTS[0]), 0.0, 1.0) * (len(_COLORS) - 1)
    return np.column_stack([np.interp(share, np.arange(len(_COLORS)), part) for part in _COLORS.T]).astype(np.uint8)


def _empty() -> NDArray[np.uint8]:
    """Return the image without points: circles around the sensor, and a mark for the sensor that points forward."""
    image = np.full((SIDE, SIDE, 3), _BACK, np.uint8)
    across = np.abs(np.arange(SIDE) - 0.5 * (SIDE - 1)) * (2.0 * REACH / SIDE)
    distance = np.hypot(across[:, None], across[None, :])
    for radius in RINGS:
        image[np.abs(distance - radius) < REACH / SIDE] = _RING
    middle = SIDE // 2
    image[middle - 4 : middle + 4, middle - 1 : middle + 1] = 255
    return image
