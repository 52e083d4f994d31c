"""Attitudes and directions in files: angles about fixed axes, axes of any length."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Vector


def rotation_of_angles(roll: float, pitch: float, yaw: float) -> Vector:
    """Return R (3, 3) = Rz(yaw) Ry(pitch) Rx(roll): rotations about the fixed x, y and z axes in this order [rad]."""
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def direction(axis: Vector) -> Vector | None:
    """Return the unit vector (3,) along `axis`, or None for a vector too short to have a direction."""
    largest = float(np.abs(axis).max())
    if largest < 1e-12:
        return None
    scaled = axis / largest
    return scaled / np.linalg.norm(scaled)
