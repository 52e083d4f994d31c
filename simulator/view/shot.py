"""One view of the world: position, axes and lens of a camera, and their matrices."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass
class Shot:
    """Camera of one image: position and axes in W (x right, y up, z backwards), vertical angle of view in rad, near plane in m.

    inside : draws what the driver sees of the vehicle;  xray : draws the suspension through the body
    lens : matrix (4, 4) from the axes of the camera to clip space, see `pinhole_lens`; None: that of `angle`
    shows_vehicle : False = without the vehicle, whose shadow remains
    """

    eye: NDArray[np.float64]
    R_WC: NDArray[np.float64]
    angle: float
    near: float
    inside: bool = False
    xray: bool = False
    lens: NDArray[np.float64] | None = None
    shows_vehicle: bool = True


def look_at(eye: NDArray[np.float64], target: NDArray[np.float64], up: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Return the axes (3, 3) of a camera at `eye` that looks at `target`; columns right, up, backwards in W."""
    back = eye - target
    back = back / np.linalg.norm(back)
    right = np.cross(np.array([0.0, 0.0, 1.0]) if up is None else up, back)
    right = right / np.linalg.norm(right)
    return np.column_stack((right, np.cross(back, right), back))


def clip_of_world(shot: Shot, aspect: float, far: float) -> NDArray[np.float64]:
    """Return the (4, 4) matrix from W to OpenGL's clip space; aspect is width divided by height."""
    view = np.eye(4)
    view[:3, :3] = shot.R_WC.T
    view[:3, 3] = -shot.R_WC.T @ shot.eye
    if shot.lens is not None:
        return np.asarray(shot.lens @ view, np.float64)
    f = 1.0 / math.tan(0.5 * shot.angle)
    lens = _depths(shot.near, far)
    lens[0, 0], lens[1, 1] = f / aspect, f
    return lens @ view


def rotation_of(yaw: float, pitch: float, roll: float) -> NDArray[np.float64]:
    """Return Rz(yaw) Ry(pitch) Rx(roll), (3, 3); angles in rad, ISO 8855."""
    (cy, sy), (cp, sp), (cr, sr) = ((math.cos(angle), math.sin(angle)) for angle in (yaw, pitch, roll))
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])  # fmt: skip


def pinhole_lens(
    size: tuple[int, int], focal: tuple[float, float], center: tuple[float, float], near: float, far: float
) -> NDArray[np.float64]:
    """Return the matrix (4, 4) of a pinhole camera.

    size : width, height [pixels];  focal : fx, fy [pixels]
    center : pixel cx, cy of the optical axis; the centers of pixels are at integers, as in ROS and OpenCV, and not at 0.5 as in OpenGL
    near, far : planes [m]
    """
    (width, height), (fx, fy), (cx, cy) = size, focal, center
    lens = _depths(near, far)
    lens[0, 0], lens[1, 1] = 2.0 * fx / width, 2.0 * fy / height
    lens[0, 2], lens[1, 2] = 1.0 - (2.0 * cx + 1.0) / width, (2.0 * cy + 1.0) / height - 1.0
    return lens


def _depths(near: float, far: float) -> NDArray[np.float64]:
    """Return the part of a lens that maps depths to clip space."""
    lens = np.zeros((4, 4))
    lens[2, 2], lens[2, 3], lens[3, 2] = -(far + near) / (far - near), -2.0 * far * near / (far - near), -1.0
    return lens


def rotation(q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the (3, 3) matrix of a unit quaternion [w, x, y, z]; the identity for a zero quaternion."""
    w, x, y, z = (float(v) for v in q)
    n = w * w + x * x + y * y + z * z
    s = 2.0 / n if n > 0.0 else 0.0
    return np.array([
        [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
    ])  # fmt: skip


def mixed(old: Shot, new: Shot, share: float) -> Shot:
    """Return a camera between two ones, from 0 = old to 1 = new; what it shows changes half-way.

    >>> a, b = (Shot(np.full(3, eye), rotation_of(yaw, 0.0, 0.0), 1.0, 0.3) for eye, yaw in ((0.0, 0.0), (2.0, 1.0)))
    >>> half = mixed(a, b, 0.5)
    >>> half.eye.tolist(), bool(np.allclose(half.R_WC, rotation_of(0.5, 0.0, 0.0)))
    ([1.0, 1.0, 1.0], True)
    """
    turn = old.R_WC.T @ new.R_WC
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    angle = math.atan2(float(np.linalg.norm(axis)), float(np.trace(turn)) - 1.0)
    n = axis / max(float(np.linalg.norm(axis)), 1e-12)
    K = np.array([[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]])
    part = np.eye(3) + math.sin(share * angle) * K + (1.0 - math.cos(share * angle)) * K @ K
    shown = old if share < 0.5 else new
    eye, lens_angle = old.eye + share * (new.eye - old.eye), old.angle + share * (new.angle - old.angle)
    return replace(shown, eye=eye, R_WC=old.R_WC @ part, angle=lens_angle, near=min(old.near, new.near))
