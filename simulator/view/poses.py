"""Poses of the drawn parts of a vehicle. No OpenGL here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def pose(R: NDArray, p: Any) -> NDArray[np.float64]:
    """Return the (4, 4) matrix of a rotation and a position."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, p
    return X


def spin(angle: float) -> NDArray[np.float64]:
    """Return the rotation of a wheel about its axle y; + rolls forward."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def _about_x(angle: float) -> NDArray[np.float64]:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def steering_wheel_rotation(tilt: float, angle: float) -> NDArray[np.float64]:
    """Return the rotation from a steering wheel, whose axle is x, to B: turned by `angle` [rad], its axle tilted down by `tilt` [rad]."""
    return spin(tilt) @ _about_x(-angle)
