"""Draws the land: a quadtree of equal tiles around the viewer, one instanced draw, levels that melt into each other.

Tiles of level l have T x T cells of size s 2^l. A tile is split where it is nearer to the focus than twice its side, so neighbors
differ by one level at most; the vertex shader slides odd nodes onto even ones between 3.45 and 4 sides away [Strugar 2009, CDLOD].
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.view.gpu import Mesh, Program, Texture
from simulator.view.land import Land, road_texture, surface_texture

CELLS = 12
"""T, cells along a side of a tile."""
FINEST = (0.25, 2.0)
"""m. Bounds of the cell size of level 0, otherwise the spacing of the nodes."""
HORIZON = 3500.0
"""m. Land is drawn up to here."""


class Terrain:
    """The land on the graphics device."""

    def __init__(self, land: Land, grain: Texture, software: bool) -> None:
        self.land, self.grain = land, grain
        self._cell = min(max(min(land.spacing), FINEST[0]), FINEST[1])
        self._levels = max(1, math.ceil(math.log2(HORIZON / (4.0 * CELLS * self._cell))) + 1)
        side = np.arange(CELLS + 1, dtype=np.float32)
        nodes = np.dstack(np.meshgrid(side, side)).reshape(-1, 2)
        self._mesh = Mesh(nodes, (2,), _tile_triangles(), instance=(4,))
        slabs = () if land.roads else ("SLABS",)
        self._programs = [Program("terrain", define=("SMOOTH", "SHADOW", *slabs)), Program("terrain", define=slabs)]
        self._heights = Texture(land.heights, gl.GL_MIRRORED_REPEAT)
        self._surface = Texture(surface_texture(land), gl.GL_MIRRORED_REPEAT, fine=not software)
        roads, step = road_texture(land)
        self._roads = Texture(roads, gl.GL_CLAMP_TO_EDGE, mipmaps=False)
        spacing = land.spacing
        fixed = {
            "grid": (*land.origin, *spacing), "road_grid": (*land.origin, spacing[0] * step, spacing[1] * step), "plane": land.plane,
            "mirrored": 1.0 if land.mirrored else 0.0, "heights": 0, "surface": 1, "grain": 2, "roads": 3, "shadow": 4,
        }  # fmt: skip
        for program in self._programs:
            program.use().set(**fixed)
        relief = float(land.heights.max()) - float(land.heights.min())
        self._relief = (float(land.heights.min()) - 1.0, relief + 2.0)
        self.triangles = 0

    def draw(self, clip_of_world: NDArray, eye: NDArray, focus: tuple[float, float], shadow: dict[str, object]) -> None:
        """Draw what the camera sees. shadow: uniforms of the vehicle's shadow, used on the finest level."""
        tiles, level = visible_tiles(focus, self._cell, self._levels, clip_of_world, self._bounds)
        near = level == 0
        for unit, texture in enumerate((self._heights, self._surface, self.grain, self._roads)):
            texture.bind(unit)
        self.triangles = len(tiles) * CELLS * CELLS * 2
        for program, chosen in zip(self._programs, (near, ~near), strict=True):
            count = int(chosen.sum())
            if count:
                program.use().set(clip_of_world=clip_of_world, eye=eye, focus=focus)
                if chosen is near:
                    program.set(**shadow)
                self._mesh.upload_instances(tiles[chosen])
                self._mesh.draw_instances(count)

    def _bounds(self, x: NDArray, y: NDArray, half: float) -> tuple[NDArray, NDArray]:
        _, along, across = self.land.plane
        base = self.land.plane[0] + along * x + across * y
        tilt = half * (abs(along) + abs(across))
        return base + self._relief[0] - tilt, base + self._relief[0] + self._relief[1] + tilt


def _tile_triangles() -> NDArray[np.uint32]:
    """Two triangles per cell; the diagonals alternate, so that no direction of the land is favored."""
    i, j = (axis.ravel() for axis in np.meshgrid(np.arange(CELLS), np.arange(CELLS)))
    a = j * (CELLS + 1) + i
    b, c, d = a + 1, a + CELLS + 1, a + CELLS + 2
    odd = ((i + j) % 2 == 1)[:, None]
    return np.where(odd, np.column_stack((a, b, c, b, d, c)), np.column_stack((a, b, d, a, d, c))).astype(np.uint32)


def visible_tiles(
    focus: tuple[float, float], cell: float, levels: int, clip_of_world: NDArray, bounds: object = None
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Tiles (n, 4) [corner x, y, cell, side] in m and their levels: the leaves of the quadtree that may be on the screen.

    bounds: function of centers x, y and half side that returns the lowest and the highest possible ground there.
    """
    chosen, chosen_level = [], []
    side = cell * CELLS * 2.0 ** (levels - 1)
    start = np.floor(np.array(focus) / side)
    span = np.arange(-4, 5)
    corners = ((np.dstack(np.meshgrid(span, span)).reshape(-1, 2)) + start) * side
    corners = corners[_distance(corners, side, focus) < 4.0 * side]
    for level in range(levels - 1, -1, -1):
        corners = corners[_on_screen(corners, side, clip_of_world, bounds)]
        split = _distance(corners, side, focus) < 2.0 * side if level else np.zeros(len(corners), bool)
        leaves = corners[~split]
        chosen.append(np.column_stack((leaves, np.full(len(leaves), side / CELLS), np.full(len(leaves), side))))
        chosen_level.append(np.full(len(leaves), level))
        side *= 0.5
        corners = (corners[split][:, None, :] + np.array([[0, 0], [side, 0], [0, side], [side, side]])).reshape(-1, 2)
    return np.vstack(chosen).astype(np.float32), np.concatenate(chosen_level)


def _distance(corners: NDArray, side: float, focus: tuple[float, float]) -> NDArray:
    """Distance of squares from the focus."""
    away = np.maximum(np.maximum(corners - focus, np.asarray(focus) - corners - side), 0.0)
    return np.hypot(away[:, 0], away[:, 1])


def _on_screen(corners: NDArray, side: float, clip_of_world: NDArray, bounds: object) -> NDArray[np.bool_]:
    """Which boxes above the squares touch the view: not all eight corners outside the same face."""
    if not callable(bounds) or not len(corners):
        return np.ones(len(corners), bool)
    x, y = corners[:, 0] + 0.5 * side, corners[:, 1] + 0.5 * side
    low, high = bounds(x, y, 0.5 * side)
    points = np.ones((len(corners), 8, 4))
    for k in range(8):
        points[:, k, 0] = corners[:, 0] + side * (k & 1)
        points[:, k, 1] = corners[:, 1] + side * (k >> 1 & 1)
        points[:, k, 2] = high if k & 4 else low
    clip = points @ np.asarray(clip_of_world, float).T
    w = clip[..., 3]
    outside = [(clip[..., axis] * sign > w).all(axis=1) for axis in (0, 1) for sign in (1.0, -1.0)]
    return ~np.logical_or.reduce([*outside, (w < 0.0).all(axis=1)])
