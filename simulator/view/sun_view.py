"""Parallel view from the sun, for shadow maps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def texture_of_clip(view: NDArray) -> NDArray[np.float64]:
    """Return the (4, 4) matrix from W to the coordinates 0 .. 1 of a texture that was drawn with the matrix `view` from W to clip space."""
    return np.array([[0.5, 0, 0, 0.5], [0, 0.5, 0, 0.5], [0, 0, 0.5, 0.5], [0, 0, 0, 1]]) @ view


def clip_of_texture(texture: NDArray) -> NDArray[np.float64]:
    """Return the matrix `view` from the result of `texture_of_clip`."""
    return np.array([[2.0, 0, 0, -1.0], [0, 2.0, 0, -1.0], [0, 0, 2.0, -1.0], [0, 0, 0, 1]]) @ texture


def sun_view(sun: NDArray, center: NDArray, half: float, half_depth: float) -> NDArray[np.float64]:
    """Return the (4, 4) matrix from W to the clip space of a parallel view from the sun onto a square of half side `half` around `center`.

    sun : unit vector towards the sun, in W
    half_depth : half the depth of the view along the direction of the sun
    """
    right, up = axes(sun)
    view = np.eye(4)
    view[:3, :3] = np.stack((right / half, up / half, -sun / half_depth))
    view[:3, 3] = -view[:3, :3] @ center
    return view


def axes(sun: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the unit vectors to the right and up of the view from the sun, in W."""
    right = np.cross([0.0, 0.0, 1.0], sun)
    right /= np.linalg.norm(right)
    return right, np.cross(sun, right)
