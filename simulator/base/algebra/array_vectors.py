"""Functions of single vectors (3,) as arrays: ten times as fast as the functions of NumPy, with the same bits."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Vector

_AXES = np.eye(3)


def cross(a: Vector, b: Vector) -> Vector:
    """Return a x b."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def cross_matrix(a: Vector) -> Vector:
    """Return the matrix (3, 3) with the product a x b for a vector b."""
    return np.array([cross(a, axis) for axis in _AXES]).T


def norm(a: Vector) -> float:
    """Return |a|."""
    flat = a.ravel()
    return math.sqrt(flat.dot(flat))


def unit(a: Vector) -> Vector:
    """Return a / |a|."""
    return a / norm(a)
