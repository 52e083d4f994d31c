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


SELECTED = {-1: 0.16, 0: 0.02, 1: -0.12}
"""rad. Angle of the lever of an automatic transmission in reverse, neutral and drive, + = forward."""
GATE, SHIFT = 0.14, 0.18
"""rad. Angles of a manual lever between two gates, and from the middle of a gate to a gear."""
PEDAL = 0.26
"""rad. Travel of a pedal about its hinge above."""


def lever_rotation(moves_by: str, s: Any, manual: bool) -> NDArray[np.float64]:
    """Return the rotation of a lever about its hinge: pedals `throttle` and `brake`, or `gear`, for a row of STATE."""
    if moves_by != "gear":
        return spin(-PEDAL * min(max(float(s[moves_by]), 0.0), 1.0))
    gear = int(s["gear"])
    if not manual:
        selected = -1 if gear < 0 else min(max(int(s["selector"]), -1), 1)
        return spin(SELECTED[selected])
    if gear == 0:
        return np.eye(3)
    across, along = ((gear - 1) // 2 - 1, 1.0 if gear % 2 else -1.0) if gear > 0 else (-2, 1.0)
    return spin(SHIFT * along) @ _about_x(GATE * across)


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
