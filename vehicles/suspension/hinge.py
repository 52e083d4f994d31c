"""Points, directions and inertias that rotate about a hinge on the chassis, as functions of the hinge angle."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simulator.base.algebra.array_vectors import cross, cross_matrix
from simulator.base.arrays import Vector
from simulator.base.jit import inline

SIX = np.array([0, 4, 8, 1, 2, 5])
"""Indices of xx, yy, zz, xy, xz, yz in a matrix (9,)."""


@dataclass(frozen=True)
class Hinge:
    """A hinge line through `on` [m] along the unit vector `axis`."""

    on: Vector
    axis: Vector

    def foot(self, point: Vector) -> Vector:
        """Return the foot of the perpendicular from a point on the hinge line."""
        return self.on + self.axis * np.dot(point - self.on, self.axis)

    def point(self, point: Vector) -> Vector:
        """Return (3, 3): foot, radius, axis x radius."""
        foot = self.foot(point)
        return np.array([foot, point - foot, cross(self.axis, point - foot)])

    def direction(self, a: Vector) -> Vector:
        """Return (3, 3): part along the axis, part across it, axis x part across."""
        along = self.axis * np.dot(a, self.axis)
        return np.array([along, a - along, cross(self.axis, a - along)])

    def inertia(self, inertia: Vector) -> Vector:
        """Return (5, 6): coefficients of 1, cos, sin, cos 2, sin 2 of the hinge angle x in R(x) I R(x)^T.

        With R = P + C cos x + K sin x (P along the axis, C = 1 - P, K the cross product with the axis).
        """
        P = self.axis[:, None] * self.axis
        parts = np.array([P, np.eye(3) - P, cross_matrix(self.axis)])
        (PP, PC, PK), (_, CC, CK), (_, _, KK) = (parts @ inertia)[:, None] @ parts.transpose(0, 2, 1)
        harmonics = (PP + 0.5 * (CC + KK), PC + PC.T, PK + PK.T, 0.5 * (CC - KK), 0.5 * (CK + CK.T))
        return np.array(harmonics).reshape(5, 9)[:, SIX]


def turn_to_distance(axis: Hinge, point: Vector, other: Vector, distance: float) -> float | None:
    """Return the angle [rad] by which a point must rotate about an axis to have a distance from another point.

    Of the two solutions, the one on the present side of the dead point is returned. None: there is no solution.
    """
    foot, r, k = axis.point(point)
    q = other - foot
    along, across = float(q @ r), float(q @ k)
    reach = 0.5 * float(q @ q + r @ r - distance * distance) / math.hypot(along, across)
    if not -1.0 < reach < 1.0:
        return None
    return math.atan2(across, along) - math.copysign(math.acos(reach), across)


def rotation(axis: Vector, angle: float) -> Vector:
    """Return the rotation matrix (3, 3) of an angle about a unit vector."""
    K = cross_matrix(axis)
    return np.asarray(np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K))


def six_of(M: Vector) -> Vector:
    """Return xx, yy, zz, xy, xz, yz of a symmetric matrix."""
    return M.ravel()[SIX]


@inline
def hinged_inertia(field, c, s, i):
    """Return the inertia (xx, yy, zz, xy, xz, yz) of a hinged arm: a rotation about a fixed axis adds only the first two harmonics."""
    c2 = c * c - s * s
    s2 = 2.0 * s * c
    return (
        field[0, 0, i] + c * field[1, 0, i] + s * field[2, 0, i] + c2 * field[3, 0, i] + s2 * field[4, 0, i],
        field[0, 1, i] + c * field[1, 1, i] + s * field[2, 1, i] + c2 * field[3, 1, i] + s2 * field[4, 1, i],
        field[0, 2, i] + c * field[1, 2, i] + s * field[2, 2, i] + c2 * field[3, 2, i] + s2 * field[4, 2, i],
        field[0, 3, i] + c * field[1, 3, i] + s * field[2, 3, i] + c2 * field[3, 3, i] + s2 * field[4, 3, i],
        field[0, 4, i] + c * field[1, 4, i] + s * field[2, 4, i] + c2 * field[3, 4, i] + s2 * field[4, 4, i],
        field[0, 5, i] + c * field[1, 5, i] + s * field[2, 5, i] + c2 * field[3, 5, i] + s2 * field[4, 5, i],
    )
