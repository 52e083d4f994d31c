"""Unit meshes of the shapes of objects. No OpenGL here.

A vertex is seven floats: position (3), outward unit normal (3), end. The shader draws it at `position * size[:3] + (0, 0, end * size[3])` in
O, so that one mesh serves all objects of a shape: only a capsule has ends, which its length moves apart.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.view.meshes import Array, Builder
from terrain.objects.records import BOX, CAPSULE, CYLINDER, SPHERE

Triangles = NDArray[np.float64]
LAYOUT = (3, 3, 1)
"""Floats per vertex attribute: position, normal, end."""
DETAILS = ((5, 2), (8, 4), (12, 6), (20, 10))
"""Sides around the axis, and rings from pole to pole, of round shapes, from far to near."""
EXACT_DETAILS = ((16, 8), (32, 16), (64, 32), (128, 64))
"""As DETAILS, for images of sensors. A polygon of N sides is up to r pi^2 / (2 N^2) inside the circle of radius r: less than 1e-4 of the distance, and
along an oblique line of sight less than 1e-3, as long as the radius is less than `object_culling.EXACT_ROUND` of the distance."""


def unit_meshes(detail: tuple[int, int]) -> dict[int, Array]:
    """Return the unit mesh (n, 7) of each shape: box of half edges 1, cylinder and sphere of radius 1, capsule of radius 1 without length."""
    sides, rings = detail
    latitude = np.linspace(-0.5 * math.pi, 0.5 * math.pi, rings + 1)
    equator = rings // 2
    split = np.insert(latitude, equator, 0.0)  # the cylinder of a capsule is between two rings at the equator
    ends = np.repeat((-1.0, 1.0), (equator + 1, len(split) - equator - 1))
    return {
        BOX: _with_end(Builder().box((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)).mesh()),
        CYLINDER: _cylinder(sides),
        SPHERE: _round(latitude, np.zeros(rings + 1), sides),
        CAPSULE: _round(split, ends, sides),
    }


def indexed(mesh: Array) -> tuple[Array, NDArray[np.uint32]]:
    """Return the different vertices of a mesh and the index of each corner, so that shared vertices are computed once."""
    vertices, index = np.unique(np.round(mesh, 9), axis=0, return_inverse=True)
    return vertices, index.ravel().astype(np.uint32)


def flat_triangles(corners: Triangles) -> Array:
    """Return the vertices (3 n, 6), position and normal of the plane, of triangles (n, 3, 3); triangles without area are omitted."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(normals, axis=1)
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    solid = size > 1e-12 * longest**2
    normals = np.repeat(normals[solid] / size[solid, None], 3, axis=0)
    return np.hstack((corners[solid].reshape(-1, 3), normals))


def hull_triangles(vertices: Triangles) -> Triangles:
    """Return the triangles (n, 3, 3) of the convex hull of points (m, 3), counterclockwise seen from the outside."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(vertices)
    corners = vertices[hull.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inwards = (normals * hull.equations[:, :3]).sum(axis=1) < 0.0
    corners[inwards] = corners[inwards][:, ::-1]
    return np.ascontiguousarray(corners)


def _cylinder(sides: int) -> Array:
    angle = np.linspace(0.0, math.tau, sides + 1)
    out = np.stack((np.cos(angle), np.sin(angle), np.zeros(sides + 1)), axis=1)
    low, high = out, out + (0.0, 0.0, 1.0)
    points = np.stack((low[:-1], low[1:], high[1:], low[:-1], high[1:], high[:-1]), axis=1)
    normals = np.stack((out[:-1], out[1:], out[1:], out[:-1], out[1:], out[:-1]), axis=1)
    b = Builder().triangles(points.reshape(-1, 3, 3), normals.reshape(-1, 3, 3))
    return _with_end(b.polygon(low[:-1][::-1]).polygon(high[:-1]).mesh())


def _round(latitude: Array, end: Array, sides: int) -> Array:
    """Return a sphere of radius 1 with rings at these latitudes [rad], each of which belongs to an end."""
    angle = np.linspace(0.0, math.tau, sides + 1)
    c, s = np.cos(latitude)[:, None], np.sin(latitude)[:, None]
    skin = np.stack(np.broadcast_arrays(c * np.cos(angle), c * np.sin(angle), s), axis=2)
    grid = np.concatenate((skin, skin, np.broadcast_to(end[:, None, None], (*skin.shape[:2], 1))), axis=2)
    low, high = grid[:-1], grid[1:]
    first = np.stack((low[:, :-1], low[:, 1:], high[:, 1:]), axis=2)[1:]  # no area at the south pole
    second = np.stack((low[:, :-1], high[:, 1:], high[:, :-1]), axis=2)[:-1]
    return np.concatenate((first.reshape(-1, 7), second.reshape(-1, 7)))


def _with_end(mesh: Array) -> Array:
    return np.hstack((mesh[:, :6], np.zeros((len(mesh), 1))))
