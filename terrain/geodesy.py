"""WGS 84: local east, north, up to latitude, longitude and height, and back; velocities in the local axes at a point.

The local frame is the tangent plane of the ellipsoid at its origin. Away from the origin, "up" and "north" differ from those of the frame:
by 0.03 degrees of the vertical at 3 km, and more for north near a pole.

    X = (N + h) cos(lat) cos(lon),  Y = (N + h) cos(lat) sin(lon),  Z = (N (1 - e2) + h) sin(lat),  N = a / sqrt(1 - e2 sin2(lat))

The way back is Bowring's iteration of the parametric latitude; two steps are exact to 1e-9 m from the deepest mine to the highest flight
(Bowring, Survey Review 23, 1976).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import kernel

A = 6378137.0
"""m. Semi-major axis of WGS 84."""
F = 1.0 / 298.257223563
"""Flattening of WGS 84."""
E2 = F * (2.0 - F)
"""Square of the first eccentricity."""
B = A * (1.0 - F)
"""m. Semi-minor axis."""
STEPS = 3
"""Iterations of the latitude."""


@kernel
def to_ecef(latitude, longitude, height, out):
    """Write earth-centered coordinates X, Y, Z [m] of a latitude and longitude [rad] and a height above the ellipsoid [m] to out (3,)."""
    s, c = math.sin(latitude), math.cos(latitude)
    n = A / math.sqrt(1.0 - E2 * s * s)
    out[0] = (n + height) * c * math.cos(longitude)
    out[1] = (n + height) * c * math.sin(longitude)
    out[2] = (n * (1.0 - E2) + height) * s


@kernel
def to_geodetic(p, out):
    """Write latitude, longitude [rad] and height above the ellipsoid [m] of earth-centered coordinates p (3,) [m] to out (3,)."""
    r = math.hypot(p[0], p[1])
    u = math.atan2(p[2] * A, r * B)  # parametric latitude
    latitude = 0.0
    for _ in range(STEPS):
        s, c = math.sin(u), math.cos(u)
        latitude = math.atan2(p[2] + E2 / (1.0 - E2) * B * s * s * s, r - E2 * A * c * c * c)
        u = math.atan2((1.0 - F) * math.sin(latitude), math.cos(latitude))
    s, c = math.sin(latitude), math.cos(latitude)
    n = A / math.sqrt(1.0 - E2 * s * s)
    out[0], out[1] = latitude, math.atan2(p[1], p[0])
    out[2] = r * c + p[2] * s - n * (1.0 - E2 * s * s)


@kernel
def local_axes(latitude, longitude, out):
    """Write east, north and up at a latitude and longitude [rad], in earth-centered axes, to the columns of out (3, 3)."""
    sa, ca, so, co = math.sin(latitude), math.cos(latitude), math.sin(longitude), math.cos(longitude)
    out[0, 0], out[1, 0], out[2, 0] = -so, co, 0.0
    out[0, 1], out[1, 1], out[2, 1] = -sa * co, -sa * so, ca
    out[0, 2], out[1, 2], out[2, 2] = ca * co, ca * so, sa


class Location(Protocol):
    """Position of a terrain on Earth."""

    def local_frame(self) -> LocalFrame:
        """Return the position of the world frame. Raises ConfigError."""


@dataclass(frozen=True)
class LocalFrame:
    """Position of the world frame on Earth.

    Parameters
    ----------
    latitude, longitude : of the point x = y = z = 0 [rad]
    height : height of that point above the ellipsoid [m]
    convergence : bearing of the y axis of the world from true north, clockwise [rad]
    """

    latitude: float
    longitude: float
    height: float
    convergence: float = 0.0

    def fix(self, p_W: NDArray[np.float64], v_W: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return (latitude [rad], longitude [rad], height [m]) of a point, and its velocity (3,) [m/s] to local east, north and up.

        Parameters
        ----------
        p_W, v_W : (3,) position [m] and velocity [m/s] in the world
        """
        axes, own, origin, place = np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty(3)
        local_axes(self.latitude, self.longitude, axes)
        to_ecef(self.latitude, self.longitude, self.height, origin)
        turned = axes @ self.to_true_north()
        to_geodetic(origin + turned @ p_W, place)
        local_axes(place[0], place[1], own)
        return place, own.T @ (turned @ v_W)

    def point(self, latitude: float, longitude: float, height: float) -> NDArray[np.float64]:
        """Return x, y, z (3,) [m] in the world of a latitude and longitude [rad] and a height above the ellipsoid [m]."""
        axes, origin, place = np.empty((3, 3)), np.empty(3), np.empty(3)
        local_axes(self.latitude, self.longitude, axes)
        to_ecef(self.latitude, self.longitude, self.height, origin)
        to_ecef(latitude, longitude, height, place)
        return self.to_true_north().T @ (axes.T @ (place - origin))

    def local_frame(self) -> LocalFrame:
        """Return this frame: it is a `Location`."""
        return self

    def to_true_north(self) -> NDArray[np.float64]:
        """Return the rotation (3, 3) from world axes to east, north and up at the origin."""
        c, s = math.cos(self.convergence), math.sin(self.convergence)
        return np.array(((c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)))


def course_of(v_east: float, v_north: float) -> float:
    """Return the course over ground, clockwise from true north, from 0 to below 2 pi [rad]."""
    course = math.atan2(v_east, v_north) % math.tau
    return 0.0 if course >= math.tau else course
