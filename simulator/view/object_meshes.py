"""Unit meshes of the shapes of objects. No OpenGL here.

A vertex is seven floats: position (3), outward unit normal (3), end. The shader draws it at `position * size[:3] + (0, 0, end * size[3])` in
O, so that one mesh serves all objects of a shape: round ends move apart by the length.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.view.meshes import Builder
from terrain.objects.shapes import SIMPLE

Triangles = NDArray[np.float64]
LAYOUT = (3, 3, 1)
"""Floats per vertex attribute: position, normal, end."""
EXACT = 1e-9
"""1. Smallest difference of two places of a unit mesh."""
DETAILS = ((5, 2), (8, 4), (12, 6), (20, 10))
"""Sides around the axis, and rings from pole to pole, of round shapes, from far to near."""
EXACT_DETAILS = ((16, 8), (32, 16), (64, 32), (128, 64))
"""As DETAILS, for images of sensors. A polygon of N sides is up to r pi^2 / (2 N^2) inside the circle of radius r: less than 1e-4 of the distance, and
along an oblique line of sight less than 1e-3, as long as the radius is less than `object_culling.EXACT_ROUND` of the distance."""


def unit_meshes(detail: tuple[int, int]) -> dict[int, Array]:
    """Return the unit mesh (n, 7) of each simple shape by its code: half edges, radii and height 1, and no length between round ends."""
    sides, rings = detail
    box = np.hstack((Builder().box((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)).mesh()[:, :6], np.zeros((36, 1))))
    profiles = {shape.code: shape.profile(rings) for shape in SIMPLE.values()}
    return {code: box if profile is None else _turned(profile, sides) for code, profile in profiles.items()}


def indexed(mesh: Array) -> tuple[Array, NDArray[np.uint32]]:
    """Return the different vertices of a mesh and the index of each corner, so that shared vertices are computed once."""
    vertices, index = np.unique(np.round(mesh, 9), axis=0, return_inverse=True)
    return vertices, index.ravel().astype(np.uint32)


def color_codes(colors: Array) -> Array:
    """Return the codes (n,) of sRGB colors (n, 3) for the shader, in place of the end of a round shape; 0 for NaN.

    A code is exact in single precision: blue is at most 254.
    """
    levels = np.minimum(np.round(np.nan_to_num(colors) * 255.0), (255.0, 255.0, 254.0))
    return np.where(np.isnan(colors[:, 0]), 0.0, 2.0 + levels @ (1.0, 256.0, 65536.0))


def flat_triangles(corners: Triangles, of_triangles: Array | None = None) -> Array:
    """Return the vertices (3 n, 6 + k), position and normal of the plane, of triangles (n, 3, 3), and numbers (n, k) of their triangles;
    triangles without area are omitted."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(normals, axis=1)
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    solid = size > 1e-12 * longest**2
    normals = np.repeat(normals[solid] / size[solid, None], 3, axis=0)
    more = np.zeros((len(corners), 0)) if of_triangles is None else of_triangles
    return np.hstack((corners[solid].reshape(-1, 3), normals, np.repeat(more[solid], 3, axis=0)))


def hull_triangles(vertices: Triangles) -> Triangles:
    """Return the triangles (n, 3, 3) of the convex hull of points (m, 3), counterclockwise seen from the outside."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(vertices)
    corners = vertices[hull.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inwards = (normals * hull.equations[:, :3]).sum(axis=1) < 0.0
    corners[inwards] = corners[inwards][:, ::-1]
    return np.ascontiguousarray(corners)


def _turned(profile: Triangles, sides: int) -> Array:
    """Return the triangles of a profile (see `terrain.objects.shapes.Shape.profile`) that turns about z, without those of no area."""
    r, z, out, up, end = profile.T[:, :, None]
    angle = np.linspace(0.0, math.tau, sides + 1)
    c, s = np.cos(angle), np.sin(angle)
    grid = np.stack(np.broadcast_arrays(r * c, r * s, z, out * c, out * s, up, end), axis=2)
    low, high, is_round = grid[:-1], grid[1:], r[:, 0] > EXACT
    apart = np.abs(np.diff(profile[:, [0, 1, 4]], axis=0)).max(axis=1) > EXACT
    first = np.stack((low[:, :-1], low[:, 1:], high[:, 1:]), axis=2)[apart & is_round[:-1]]
    second = np.stack((low[:, :-1], high[:, 1:], high[:, :-1]), axis=2)[apart & is_round[1:]]
    return np.concatenate((first.reshape(-1, 7), second.reshape(-1, 7)))
