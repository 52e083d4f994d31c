"""Mass distribution of objects that break off: homogeneous solids; a mesh counts as its convex hull."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Array
from simulator.base.records import Record, record
from terrain.objects.labels import usual_label
from terrain.objects.records import MAX_GROUND_POINTS, RIGID_BODY
from terrain.objects.world_object import ConvexHull, TriangleMesh, WorldObject

SLIMMEST = 1e-3
"""Smallest moment of inertia of an object divided by the largest one: that of a rod 39 times as long as wide. Smaller: thin rods spin faster."""
ROLLING = {"person": 1.0, "animal": 1.0}
"""Arm of the rolling resistance divided by the radius, by label [assumed]: a body with limbs slides and does not roll."""
USUAL_ROLLING = 0.05
"""The same for other labels [assumed]: a barrel or a cone on asphalt."""


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass distribution in O."""

    com: Array
    """(3,) m, center of mass"""
    inertia: Array
    """(3, 3) kg m2, about the center of mass"""
    reach: float
    """m, distance of the farthest point from the center of mass"""
    points: Array
    """(n, 3) m, points of which a ball of the margin of the shape may touch the ground, at most MAX_GROUND_POINTS; a cylinder: none"""


def mass_properties(one: WorldObject, mass: float) -> MassProperties:
    """Return the mass distribution of an object of `mass` [kg]."""
    shape, solid = one.shape, one.shape.solid(mass)
    if solid is None:
        assert isinstance(shape, ConvexHull | TriangleMesh)
        corners = shape.vertices
        com, inertia = _solid(corners, mass)
        return MassProperties(com, inertia, float(np.linalg.norm(corners - com, axis=1).max()), _outermost(corners))
    moments, reach, points = solid
    return MassProperties(shape.bounds()[0], np.diag(moments), reach, points)


def rigid_bodies(found: Sequence[MassProperties]) -> Record:
    """Return a record of RIGID_BODY with each mass distribution; the inertia is not too slim, see SLIMMEST."""
    out = record(RIGID_BODY, len(found))
    out["com_O"], out["reach"] = [one.com for one in found], [one.reach for one in found]
    inertia = _not_too_slim(np.array([one.inertia for one in found]))
    rows, columns = (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)
    out["inertia"], out["inverse_inertia"] = (matrix[:, rows, columns] for matrix in (inertia, np.linalg.inv(inertia)))
    return out


def rolling_arm(one: WorldObject) -> float:
    """Return the arm of the rolling resistance [m]: of round shapes a part of their radius, of others 0."""
    return ROLLING.get(usual_label(one.label), USUAL_ROLLING) * getattr(one.shape, "radius", 0.0)


def _solid(corners: Array, mass: float) -> tuple[Array, Array]:
    """Return center of mass (3,) and inertia (3, 3) of the homogeneous convex hull of points: the sum of the tetrahedra over its faces."""
    from scipy.spatial import ConvexHull as Hull

    hull = Hull(corners)
    middle = corners.mean(axis=0)
    faces = corners[hull.simplices] - middle
    volumes = np.abs(np.linalg.det(faces))  # six times the volume
    weights = volumes / volumes.sum()
    shift = weights @ faces.sum(axis=1) / 4.0
    total = faces.sum(axis=1)
    second = np.einsum("n,nki,nkj->ij", weights, faces, faces) + np.einsum("n,ni,nj->ij", weights, total, total)
    second = mass * (second / 20.0 - np.outer(shift, shift))
    return middle + shift, np.trace(second) * np.eye(3) - second


def _outermost(corners: Array) -> Array:
    """Return at most MAX_GROUND_POINTS of the vertices of a hull: the farthest ones in directions that are spread evenly."""
    if len(corners) <= MAX_GROUND_POINTS:
        return corners
    k = np.arange(MAX_GROUND_POINTS) + 0.5
    z, angle = 1.0 - 2.0 * k / MAX_GROUND_POINTS, math.pi * (3.0 - math.sqrt(5.0)) * k
    across = np.sqrt(1.0 - z * z)
    directions = np.column_stack((across * np.cos(angle), across * np.sin(angle), z))
    return corners[np.unique((corners @ directions.T).argmax(axis=0))]


def _not_too_slim(inertia: Array) -> Array:
    """Return inertias (n, 3, 3) whose smallest principal moments are at least SLIMMEST of the largest ones."""
    moments = np.linalg.eigvalsh(inertia)
    slim = moments[:, 0] < SLIMMEST * moments[:, 2]
    if slim.any():
        moments, axes = np.linalg.eigh(inertia[slim])
        moments = np.maximum(moments, SLIMMEST * moments[:, 2:])
        inertia[slim] = (axes * moments[:, None, :]) @ axes.transpose(0, 2, 1)
    return inertia
