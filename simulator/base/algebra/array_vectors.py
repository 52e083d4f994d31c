"""Vectors (3,) as arrays, one at a time: NumPy's own functions, made for stacks of them, take ten times as long and give the same bits."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

_AXES = np.eye(3)


def cross(a: Vector, b: Vector) -> Vector:
    """a x b."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def cross_matrix(a: Vector) -> Vector:
    """Matrix (3, 3) that multiplies a vector b to a x b."""
    return np.array([cross(a, axis) for axis in _AXES]).T


def norm(a: Vector) -> float:
    """|a|."""
    along = a.ravel()
    return math.sqrt(along.dot(along))


def unit(a: Vector) -> Vector:
    """a / |a|."""
    return a / norm(a)
