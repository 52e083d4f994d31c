"""Triangle meshes: boxes, sheets, tubes, bodies of revolution. No OpenGL here.

A vertex is ten floats: position (3) in m, outward unit normal (3), sRGB color (3), gloss. Meshes are (n, 10) arrays, three
vertices per triangle, counterclockwise seen from the outside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.base.arrays import Array

LAYOUT = (3, 3, 3, 1)
"""Floats per vertex attribute: position, normal, color, gloss."""
STOP_LAMP, REVERSE_LAMP, HEAD_LAMP = 2.0, 4.0, 6.0
"""Added to the gloss of lamps that are lit while the driver brakes, in reverse gear, and at night."""
PAINTED = 8.0
"""Added to the gloss of what has the paint of its vehicle."""
TURN_SIGNAL = 10.0
"""Added to the gloss of turn signals, of the side on which they are."""


class Builder:
    """Collects triangles. Color and gloss of `paint` apply to everything added afterwards."""

    def __init__(self) -> None:
        self._parts: list[Array] = []
        self.paint((128, 128, 128))

    def paint(self, color: Sequence[int], gloss: float = 0.0) -> Builder:
        """Set color (sRGB, 0..255) and gloss (0 matte, 1 glass) for everything added afterwards."""
        self._look = np.array([*(c / 255.0 for c in color), gloss])
        return self

    def triangles(self, points: Any, normals: Any = None, gloss: Any = None) -> Builder:
        """Add triangles (n, 3, 3) with normals (n, 3, 3); flat without normals. gloss (n, 3): default: that of `paint`."""
        p = np.asarray(points, float).reshape(-1, 3, 3)
        keep = np.ones(len(p), bool)
        if normals is None:
            n = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
            size = np.linalg.norm(n, axis=1)
            keep = size > 1e-10
            normals = np.repeat((n[keep] / size[keep, None])[:, None, :], 3, axis=1)
        vertices = np.empty((int(keep.sum()) * 3, 10))
        vertices[:, :3] = p[keep].reshape(-1, 3)
        vertices[:, 3:6] = np.asarray(normals).reshape(-1, 3)
        vertices[:, 6:] = self._look
        if gloss is not None:
            vertices[:, 9] = np.asarray(gloss)[keep].ravel()
        self._parts.append(vertices)
        return self

    def polygon(self, points: Any) -> Builder:
        """Add a flat convex polygon (n, 3), counterclockwise from the outside."""
        p = np.asarray(points, float)
        return self.triangles([(p[0], p[k], p[k + 1]) for k in range(1, len(p) - 1)])

    def sheet(self, grid: Any, smooth: bool = False, normals: Any = None, keep: Any = None, gloss: Any = None) -> Builder:
        """Add a surface through a grid of points (m, n, 3); its outside is in the direction (along rows) x (along columns).

        smooth: round, with normals from the grid, or `normals` (m, n, 3); keep: cells (m - 1, n - 1) that the surface has;
        gloss: of the points (m, n), by default that of `paint`
        """
        g = np.asarray(grid, float)
        if normals is None and smooth:
            normals = np.cross(np.gradient(g, axis=0), np.gradient(g, axis=1))
            normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-12)
        corners = (np.s_[:-1, :-1], np.s_[1:, :-1], np.s_[1:, 1:], np.s_[:-1, :-1], np.s_[1:, 1:], np.s_[:-1, 1:])
        keep = np.ones(tuple(k - 1 for k in g.shape[:2]), bool) if keep is None else np.asarray(keep)

        def of_corners(values: Any) -> Array:
            return np.stack([np.asarray(values, float)[at][keep] for at in corners], axis=1)

        quads = of_corners(g).reshape(-1, 3, 3)
        if normals is None:
            return self.triangles(quads, gloss=None if gloss is None else of_corners(gloss).reshape(-1, 3))
        round_ = of_corners(normals).reshape(-1, 3, 3)
        area = np.linalg.norm(np.cross(quads[:, 1] - quads[:, 0], quads[:, 2] - quads[:, 0]), axis=1)
        return self.triangles(quads[area > 1e-9], round_[area > 1e-9])

    def box(self, low: Any, high: Any) -> Builder:
        """Add a box between two corners."""
        x, y, z = ((a, b) for a, b in zip(low, high, strict=True))
        return self.hexahedron([(x[i], y[j], z[k]) for k in (0, 1) for j, i in ((0, 0), (0, 1), (1, 1), (1, 0))])

    def hexahedron(self, corners: Any) -> Builder:
        """Add a hexahedron from its lower and upper four corners, each counterclockwise from above."""
        p = np.asarray(corners, float)
        for face in ((3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)):
            self.polygon(p[list(face)])
        return self

    def revolve(self, profile: Any, count: int, axis: int = 1, center: Any = (0.0, 0.0, 0.0), smooth: bool = True) -> Builder:
        """Add a body of revolution about a coordinate axis; profile (n, 2) is [position along the axis, radius], outside on its left."""
        q = np.asarray(profile, float)
        angle = np.linspace(0.0, 2.0 * math.pi, count + 1)
        first, second = (axis + 1) % 3, (axis + 2) % 3
        grid = np.empty((len(q), count + 1, 3))
        grid[..., axis] = q[:, :1]
        grid[..., first], grid[..., second] = q[:, 1:] * np.cos(angle), q[:, 1:] * np.sin(angle)
        if not smooth:
            return self.sheet(grid + center)
        slope = np.gradient(q, axis=0)
        normal = np.empty_like(grid)
        normal[..., axis] = -slope[:, 1:]
        normal[..., first], normal[..., second] = slope[:, :1] * np.cos(angle), slope[:, :1] * np.sin(angle)
        normal /= np.maximum(np.linalg.norm(normal, axis=2, keepdims=True), 1e-12)
        a, b, c, d = (slice(None, -1),) * 2, (slice(None, -1), slice(1, None)), (slice(1, None),) * 2, (slice(1, None), slice(None, -1))
        order = (a, b, c, a, c, d)
        points = np.stack([(grid + center)[s] for s in order], axis=2).reshape(-1, 3, 3)
        normals = np.stack([normal[s] for s in order], axis=2).reshape(-1, 3, 3)
        size = np.linalg.norm(np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]), axis=1)
        return self.triangles(points[size > 1e-10], normals[size > 1e-10])

    def tube(self, path: Any, radius: float, sides: int = 8) -> Builder:
        """Add a round bar along a path (n, 3), closed at its ends."""
        p = np.asarray(path, float)
        t = np.gradient(p, axis=0)
        t /= np.linalg.norm(t, axis=1, keepdims=True)
        helper = np.where(np.abs(t[:, 2:]) < 0.9, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]])
        u = np.cross(helper, t)
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        v = np.cross(t, u)
        angle = np.linspace(0.0, 2.0 * math.pi, sides + 1)
        out = u[:, None, :] * np.cos(angle)[:, None] + v[:, None, :] * np.sin(angle)[:, None]
        ring = p[:, None, :] + radius * out
        a, b, c, d = (g for g in (np.s_[:-1, :-1], np.s_[:-1, 1:], np.s_[1:, 1:], np.s_[1:, :-1]))
        order = (a, b, c, a, c, d)
        self.triangles(np.stack([ring[s] for s in order], 2).reshape(-1, 3, 3), np.stack([out[s] for s in order], 2).reshape(-1, 3, 3))
        return self.polygon(ring[0, :-1][::-1]).polygon(ring[-1, :-1])

    def add(self, mesh: Array) -> Builder:
        """Add another mesh without changes."""
        self._parts.append(mesh)
        return self

    def mesh(self) -> Array:
        """Return all triangles as one mesh."""
        return np.vstack(self._parts)


def mirrored(mesh: Array) -> Array:
    """Return the mesh mirrored to the other side (y -> -y), still counterclockwise from the outside."""
    out = mesh.reshape(-1, 3, 10)[:, ::-1].reshape(-1, 10).copy()
    out[:, 1] *= -1.0
    out[:, 4] *= -1.0
    return out


def moved(mesh: Array, R: Any = None, p: Any = (0.0, 0.0, 0.0)) -> Array:
    """Return the mesh rotated by R (3, 3) and shifted by p."""
    out = mesh.copy()
    if R is not None:
        out[:, :3], out[:, 3:6] = mesh[:, :3] @ np.asarray(R).T, mesh[:, 3:6] @ np.asarray(R).T
    out[:, :3] += p
    return out


def capsule(sides: int = 10, rings: int = 2) -> Array:
    """Return a round bar with round ends for the shader `link`: (n, 6) [0, 0, position along 0..1, direction of the skin (3)]."""
    angle = np.linspace(0.0, 2.0 * math.pi, sides + 1)
    tilt = np.concatenate((np.linspace(-0.5 * math.pi, 0.0, rings + 1), np.linspace(0.0, 0.5 * math.pi, rings + 1)))
    position = np.repeat([0.0, 1.0], rings + 1)
    skin = np.stack(
        np.broadcast_arrays(np.cos(tilt)[:, None] * np.cos(angle), np.cos(tilt)[:, None] * np.sin(angle), np.sin(tilt)[:, None]), axis=2
    )
    grid = np.concatenate((np.zeros((*skin.shape[:2], 2)), np.broadcast_to(position[:, None, None], (*skin.shape[:2], 1)), skin), axis=2)
    return _skin(grid)


def cone(sides: int = 14) -> Array:
    """Return the head of an arrow for the shader `link`: (n, 6) [place on the unit circle x, y, position along 0..1, direction of the skin (3)]."""
    angle = np.linspace(0.0, 2.0 * math.pi, sides + 1)
    x, y, zero, one = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    center = np.stack((zero, zero, zero, zero, zero, -one), axis=1)
    under, ring = np.stack((x, y, zero, zero, zero, -one), axis=1), np.stack((x, y, zero, x, y, 0.4 * one), axis=1)
    tip = np.stack((zero, zero, one, x, y, 0.4 * one), axis=1)
    return np.vstack((_skin(np.stack((center, under))), _skin(np.stack((ring, tip)))))


def coil(turns: float = 6.0, per_turn: int = 14, sides: int = 5) -> Array:
    """Return a helical spring for the shader `link`.

    (n, 6) [center of the wire on the unit helix x, y, position along 0..1, direction of the skin].
    """
    s = np.linspace(0.0, 1.0, int(turns * per_turn) + 1)
    phase = 2.0 * math.pi * turns * s
    # flat end turns, as of real springs
    position = np.clip((s - 0.5) * 1.12 + 0.5, 0.02, 0.98)
    angle = np.linspace(0.0, 2.0 * math.pi, sides + 1)
    x, y = np.cos(phase)[:, None], np.sin(phase)[:, None]
    skin = np.stack(np.broadcast_arrays(np.cos(angle) * x, np.cos(angle) * y, np.sin(angle) + 0.0 * x), axis=2)
    grid = np.concatenate((np.broadcast_to(np.stack((x, y, position[:, None]), 2), skin.shape), skin), axis=2)
    return _skin(grid[:, ::-1])


def _skin(grid: Array) -> Array:
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]
    return np.stack((a, b, c, a, c, d), axis=2).reshape(-1, grid.shape[-1])


def simplified(mesh: Array, cell: float) -> Array:
    """Return the mesh without details smaller than `cell` [m]: all vertices in a cube of this side are at their mean [Rossignac and Borrel 1993]."""
    cells = np.floor(mesh[:, :3] / cell).astype(np.int64)
    _, cube = np.unique(cells, axis=0, return_inverse=True)
    cube = cube.ravel()
    count = np.bincount(cube)
    middle = np.column_stack([np.bincount(cube, mesh[:, k]) / count for k in range(3)])
    corners = cube.reshape(-1, 3)
    stays = (corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2]) & (corners[:, 2] != corners[:, 0])
    # of triangles that have become equal, the last one is visible
    turned = np.take_along_axis(corners, (np.argmin(corners, axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    order = np.flatnonzero(stays)[::-1]
    _, last = np.unique(turned[order], axis=0, return_index=True)
    rows = np.sort(order[last])
    out = mesh.reshape(-1, 3, mesh.shape[1])[rows].reshape(-1, mesh.shape[1]).copy()
    out[:, :3] = middle[corners[rows].ravel()]
    return out
