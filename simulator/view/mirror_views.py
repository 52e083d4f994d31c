"""Cameras of mirrors: what a mirror shows to an eye. No OpenGL here.

A flat glass shows the world as a window in its place would show it to the mirror image of the eye. A convex glass of radius r does so for an
eye that is nearer to it: with f = r / 2 and the distance d of the eye, the image of the eye is smaller and nearer by 1 / (1 + d / f)
[paraxial image of a spherical mirror].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.view.bodies.contract import Mirror
from simulator.view.shot import Shot, pinhole_lens

SIGHT = 400.0
"""m. Far plane."""
IN_FRONT = 0.01
"""m. Distance of the near plane from the glass, so that the rim of the mirror is not in its image."""
NEAREST = 0.03
"""m. Smallest distance of the image of the eye from the glass, for an eye that is almost in its plane."""


def mirror_shot(mirror: Mirror, eye: NDArray, X_WB: NDArray, size: tuple[int, int]) -> Shot | None:
    """Return the camera for the image of a mirror, as a picture of `size` pixels over its glass whose left side is on the glass's right.

    eye : position of the eye, in W;  X_WB : matrix (4, 4) of the vehicle

    Returns None for an eye behind the glass.
    """
    R, glass = X_WB[:3, :3], mirror.glass
    eye_B = R.T @ (np.asarray(eye, float) - X_WB[:3, 3])
    away = eye_B - glass.center
    distance = float(away @ glass.normal)
    if distance <= 0.0:
        return None
    image = (away - 2.0 * distance * glass.normal) / (1.0 + 2.0 * distance / mirror.radius)
    depth = max(-float(image @ glass.normal), NEAREST)
    axes = np.column_stack((-glass.right, glass.up, -glass.normal))
    across, high = float(image @ glass.right), -float(image @ glass.up)  # position of the glass as the image of the eye sees it
    (width, height), (half_width, half_height) = size, glass.half
    focal = 0.5 * depth * width / half_width, 0.5 * depth * height / half_height
    center = (
        0.5 * width * (1.0 - across / half_width) - 0.5,
        0.5 * height * (1.0 + high / half_height) - 0.5,
    )
    near = depth + IN_FRONT
    lens = pinhole_lens(size, focal, center, near, SIGHT)
    return Shot(X_WB[:3, 3] + R @ (glass.center + image), R @ axes, 1.0, near, lens=lens)


def is_in_view(mirror: Mirror, X_WB: NDArray, clip_of_world: NDArray) -> bool:
    """Return whether a part of a mirror may be inside an image."""
    corners = mirror.glass.corners() @ X_WB[:3, :3].T + X_WB[:3, 3]
    clip = np.column_stack((corners, np.ones(4))) @ clip_of_world.T
    return not any((side * clip[:, k] > clip[:, 3]).all() for k in range(3) for side in (1.0, -1.0))
