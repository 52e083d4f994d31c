"""Geometry of a camera: pixels of points and rays of pixels, with the intrinsics and the distortion of ROS and OpenCV.

Axes: optical axes C (x right, y down, z forward) and sensor axes S (x forward, y left, z up) have the same origin. Pixel (u, v) is a point
sample at its integer coordinates: the center of the first pixel is (0, 0), and the image reaches from -0.5 to width - 0.5.

    x = X / Z, y = Y / Z                                                  point (X, Y, Z) in C
    r2 = x^2 + y^2, g = 1 + k1 r2 + k2 r2^2 + k3 r2^3                     plumb bob: [Brown 1966], [sensor_msgs/CameraInfo], [OpenCV calib3d]
    xd = x g + 2 p1 x y + p2 (r2 + 2 x^2)
    yd = y g + p1 (r2 + 2 y^2) + 2 p2 x y
    u = fx xd + cx, v = fy yd + cy

The inverse has no closed form. The radial part r g(r) is increasing up to the radius at which it folds; beyond it, no ray belongs to a
pixel. `undistort` begins with the inverse of the radial part, from a table, and continues with Newton's method on both equations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from simulator.base.arrays import Array

R_SC: Array = np.array(((0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)))
"""Optical axes in sensor axes: x_S = R_SC x_C."""
STEEPEST = math.radians(89.0)
"""rad. Maximum angle between a ray and the optical axis; a pinhole has no rays at 90 degrees."""
TABLE = 4096
"""Radii of the table of the radial part."""
NEWTON = 20
"""Maximum number of Newton steps; 3 to 5 are usual."""
CLOSE = 1e-12
"""Distance of normalized coordinates at which Newton's method ends: 1e-9 pixels."""
ACCEPTED = 1e-9
"""Maximum distance of the distorted solution from the pixel, in normalized coordinates."""


@dataclass(frozen=True)
class Intrinsics:
    """Size, focal lengths, principal point and distortion of a camera; see the module."""

    width: int
    height: int
    fx: float
    """focal length along u [pixels]"""
    fy: float
    """focal length along v [pixels]"""
    cx: float
    """principal point [pixels]"""
    cy: float
    k1: float = 0.0
    k2: float = 0.0
    p1: float = 0.0
    p2: float = 0.0
    k3: float = 0.0

    @property
    def K(self) -> Array:
        """Camera matrix (3, 3), `K` of CameraInfo."""
        return np.array(((self.fx, 0.0, self.cx), (0.0, self.fy, self.cy), (0.0, 0.0, 1.0)))

    @property
    def D(self) -> Array:
        """Distortion (5,): k1, k2, p1, p2, k3, the order of `D` of CameraInfo with the model plumb_bob."""
        return np.array((self.k1, self.k2, self.p1, self.p2, self.k3))

    @property
    def is_distorted(self) -> bool:
        """Whether any coefficient of the distortion differs from 0."""
        return bool(self.D.any())

    @cached_property
    def _radial(self) -> tuple[Array, Array]:
        """Radii before and after the radial distortion, both increasing."""
        r = np.tan(np.linspace(0.0, STEEPEST, TABLE))
        r2 = r * r
        slope = 1.0 + r2 * (3.0 * self.k1 + r2 * (5.0 * self.k2 + r2 * 7.0 * self.k3))
        count = TABLE if (slope > 0.0).all() else int(np.argmax(slope <= 0.0))
        r, r2 = r[:count], r2[:count]
        return r, r * (1.0 + r2 * (self.k1 + r2 * (self.k2 + r2 * self.k3)))

    @property
    def largest_radius(self) -> float:
        """Tangent of the maximum angle between a ray and the optical axis; beyond it the distortion folds."""
        return float(self._radial[0][-1])


def with_field_of_view(width: int, height: int, angle: float) -> Intrinsics:
    """Return the intrinsics of a camera without distortion and with square pixels.

    angle : horizontal field of view [rad] between the outer edges of the first and last column, f = width / (2 tan(angle / 2))
    """
    f = width / (2.0 * math.tan(0.5 * angle))
    return Intrinsics(width, height, f, f, 0.5 * (width - 1), 0.5 * (height - 1))


def distort(camera: Intrinsics, xy: ArrayLike) -> Array:
    """Return the distorted normalized coordinates (n, 2) of undistorted ones."""
    x, y = np.asarray(xy, float).reshape(-1, 2).T
    k1, k2, p1, p2, k3 = camera.D
    r2 = x * x + y * y
    g = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    return np.column_stack((x * g + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x), y * g + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y))


def undistort(camera: Intrinsics, xy: ArrayLike) -> Array:
    """Return the undistorted normalized coordinates (n, 2) of distorted ones; NaN where no ray within `largest_radius` belongs to them."""
    goal = np.asarray(xy, float).reshape(-1, 2)
    if not camera.is_distorted:
        return goal.copy()
    before, after = camera._radial
    far = np.hypot(*goal.T)
    found = goal * (np.interp(far, after, before) / np.where(far > 0.0, far, 1.0))[:, None]
    with np.errstate(all="ignore"):  # where there is no solution
        for _ in range(NEWTON):
            step = _newton_step(camera, found, goal)
            found -= step
            if not (np.abs(step) > CLOSE).any():
                break
        wrong = np.abs(distort(camera, found) - goal).max(axis=1)
        good = (wrong <= ACCEPTED) & (np.hypot(*found.T) <= camera.largest_radius) & (_determinant(camera, found) > 0.0)
    found[~good] = np.nan
    return found


def _jacobian(camera: Intrinsics, xy: Array) -> tuple[Array, Array, Array]:
    """Return d xd/dx, d xd/dy = d yd/dx and d yd/dy."""
    x, y = xy.T
    k1, k2, p1, p2, k3 = camera.D
    r2 = x * x + y * y
    g = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    slope = 2.0 * (k1 + r2 * (2.0 * k2 + r2 * 3.0 * k3))  # dg/dx = slope x
    return (
        g + slope * x * x + 2.0 * p1 * y + 6.0 * p2 * x,
        slope * x * y + 2.0 * p1 * x + 2.0 * p2 * y,
        g + slope * y * y + 6.0 * p1 * y + 2.0 * p2 * x,
    )


def _determinant(camera: Intrinsics, xy: Array) -> Array:
    a, b, c = _jacobian(camera, xy)
    return a * c - b * b


def _newton_step(camera: Intrinsics, xy: Array, goal: Array) -> Array:
    a, b, c = _jacobian(camera, xy)
    ex, ey = (distort(camera, xy) - goal).T
    return np.column_stack((c * ex - b * ey, a * ey - b * ex)) / (a * c - b * b)[:, None]


def project(camera: Intrinsics, points: ArrayLike) -> tuple[Array, Array]:
    """Return the pixels (n, 2) u, v of points (n, 3) in C [m], and their depths (n,) along z [m].

    Pixels are NaN for points behind the camera, and for points beyond `largest_radius`, whose formula has folded.
    """
    p = np.asarray(points, float).reshape(-1, 3)
    with np.errstate(all="ignore"):
        xy = p[:, :2] / p[:, 2:]
        seen = (p[:, 2] > 0.0) & ((np.hypot(*xy.T) <= camera.largest_radius) if camera.is_distorted else True)
        pixels = distort(camera, xy) * (camera.fx, camera.fy) + (camera.cx, camera.cy)
    pixels[~seen] = np.nan
    return pixels, p[:, 2].copy()


def rays_of(camera: Intrinsics, pixels: ArrayLike) -> Array:
    """Return the rays (n, 3) (x, y, 1) in C of pixels (n, 2); NaN without a ray. Its length is range divided by depth."""
    uv = np.asarray(pixels, float).reshape(-1, 2)
    xy = undistort(camera, (uv - (camera.cx, camera.cy)) / (camera.fx, camera.fy))
    return np.column_stack((xy, np.where(np.isnan(xy[:, 0]), np.nan, 1.0)))


def all_pixels(camera: Intrinsics) -> Array:
    """Return the pixels (height * width, 2), row by row from the top."""
    v, u = np.mgrid[: camera.height, : camera.width]
    return np.column_stack((u.ravel(), v.ravel())).astype(float)
