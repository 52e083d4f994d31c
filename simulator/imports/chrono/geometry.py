"""Masses, inertias and axes of Project Chrono in the terms of Jounce."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulator.base.algebra.array_vectors import unit
from simulator.base.arrays import Matrix, Vector
from simulator.imports.chrono.source import Part, Report

DIGITS = 10
"""Significant digits of written numbers: sums of decimal values show no rounding errors."""


def tidy(value: float) -> float:
    """Return a number with at most `DIGITS` significant digits, and zero instead of rounding errors."""
    return 0.0 if abs(value) < 1e-12 else float(f"{value:.{DIGITS}g}")


def plain(vector: Any) -> list[Any]:
    """Return an array as nested lists of tidy numbers."""
    return [plain(item) if np.ndim(item) else tidy(float(item)) for item in vector]


def inertia_of(part: Part) -> Matrix:
    """Return the inertia of a body in its axes: the moments, and the products as they stand off the diagonal of the matrix."""
    moments = part.numbers(part.first("Moments of Inertia", "Inertia"), 3, 0.0)
    matrix = np.diag(moments)
    if "Products of Inertia" in part:
        xy, xz, yz = part.numbers("Products of Inertia", 3)
        matrix += np.array([[0.0, xy, xz], [xy, 0.0, yz], [xz, yz, 0.0]])
    return matrix


def written(matrix: Matrix) -> list[Any]:
    """Return an inertia as three moments, or as a matrix if there are products."""
    products = np.abs(matrix - np.diag(np.diag(matrix))).max()
    return plain(np.diag(matrix)) if products <= 1e-9 * np.abs(matrix).max() else plain(matrix)


def is_possible(matrix: Matrix) -> bool:
    """Return whether a rigid body can have this inertia: no principal moment above the sum of the others."""
    moments = np.linalg.eigvalsh(matrix)
    return bool(moments[0] > 0.0 and moments[2] <= (moments[0] + moments[1]) * (1.0 + 1e-9))


def body_of(part: Part, key: str, mass: float, inertia: Matrix, report: Report) -> dict[str, Any]:
    """Return the section of a body."""
    section: dict[str, Any] = {"mass": tidy(mass), "inertia": written(inertia)}
    if not is_possible(inertia):
        report.add(part, key, "an inertia that no rigid body can have", "the same numbers")
        section["as_published"] = True
    return section


def rotation_of(part: Part, key: str) -> Matrix:
    """Return the rotation matrix of a unit quaternion (scalar first). Raises ConfigError: another length."""
    if key not in part:
        return np.eye(3)
    q = part.numbers(key, 4)
    length = float(np.linalg.norm(q))
    if abs(length - 1.0) > 0.01:
        part.refuse(key, list(q), "a quaternion of length 1, scalar first")
    w, x, y, z = q / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def arm_axes(front: Vector, back: Vector, outer: Vector) -> Matrix:
    """Return the axes of an arm in the suspension frame: x along the hinge to the front, z normal to the plane of the arm, upward."""
    x = unit(front - back)
    z = np.cross(back - outer, front - outer)
    z = unit(z if z[2] >= 0.0 else -z)
    return np.column_stack([x, np.cross(z, x), z])


def rod_axes(start: Vector, end: Vector) -> Matrix:
    """Return the axes of a rod: z along it."""
    z = unit(end - start)
    x = unit(np.cross(np.array([0.0, 1.0, 0.0]) if abs(z[1]) < 0.9 else np.array([1.0, 0.0, 0.0]), z))
    return np.column_stack([x, np.cross(z, x), z])


def separate(part: Part, points: dict[str, Vector], start: str, end: str) -> None:
    """Raise ConfigError if two hardpoints coincide."""
    if math.dist(points[start], points[end]) < 1e-3:
        part.refuse("", f"{start} and {end} at the same place", "two points more than 1 mm apart")
