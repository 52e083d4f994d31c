"""Rendering of ruts: a texture of rut depths shades the terrain, and a finer mesh replaces the terrain near the vehicle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.view.gl_objects import Mesh, Texture
from simulator.view.quadtree import distance, tile_triangles
from simulator.view.rut_tiles import MAX_DISTANCE, REACH, SIDE, RutTiles, slots_of
from terrain.rut_grid import SPACING, TILE, TILE_SIDE, UNIT

BLOCK_SIDE = TILE_SIDE + SPACING
"""m. Side of a mesh block: a tile, and the strip before it up to the nodes of the previous tile, over which its first nodes fade out."""
UNIT_OF_TEXTURE = 6


class Ruts:
    """Ruts on the graphics device. cells: cells along a side of a mesh block."""

    def __init__(self, cells: int) -> None:
        self._cells = cells
        self._texture = Texture(np.zeros((SIDE * TILE, SIDE * TILE), np.uint16), gl.GL_REPEAT, mipmaps=False)
        side = np.arange(self._cells + 1, dtype=np.float32)
        nodes = np.dstack(np.meshgrid(side, side)).reshape(-1, 2)
        self._mesh = Mesh(nodes, (2,), tile_triangles(self._cells), instance=(4,))
        self._places = np.zeros((SIDE * SIDE, 2), np.int32)
        self._has_ruts = np.zeros(SIDE * SIDE, bool)
        self.uniforms: dict[str, object] = {
            "ruts": UNIT_OF_TEXTURE,
            "rut_grid": (1.0 / (SIDE * TILE_SIDE), 0.5 / (SIDE * TILE), UNIT * 65535.0, MAX_DISTANCE),
            "rut_reach": REACH,
        }

    def put(self, tiles: RutTiles) -> None:
        """Show tiles; they replace earlier tiles in their slots."""
        slots = slots_of(tiles.places)
        self._places[slots], self._has_ruts[slots] = tiles.places, tiles.depths.any(axis=(1, 2))
        for slot, depths in zip(slots.tolist(), tiles.depths, strict=True):
            self._texture.put(TILE * (slot // SIDE), TILE * (slot % SIDE), depths)

    def clear(self) -> None:
        """Remove all ruts."""
        slots = np.flatnonzero(self._has_ruts)
        self.put(RutTiles(self._places[slots], np.zeros((len(slots), TILE, TILE), np.uint16)))

    def corners(self, focus: tuple[float, float], within: float) -> NDArray[np.float64]:
        """Return the corners (n, 2) in m of the mesh blocks with ruts within a distance [m] of a point."""
        corners = self._places[self._has_ruts].astype(np.float64) * TILE_SIDE - SPACING
        return corners[distance(corners, BLOCK_SIDE, focus) < within]

    def under(self, corners: NDArray[np.float64], side: NDArray[np.float64], focus: tuple[float, float]) -> NDArray[np.bool_]:
        """Return for squares (n, 2), side (n, 1) in m, whether they contain ruts."""
        rut_corners = self.corners(focus, MAX_DISTANCE)
        if not len(rut_corners):
            return np.zeros(len(corners), bool)
        low, high = corners[:, None, :] - BLOCK_SIDE, (corners + side)[:, None, :]
        inside: NDArray[np.bool_] = (rut_corners > low) & (rut_corners < high)
        return np.any(np.all(inside, axis=2), axis=1)

    def bind(self) -> None:
        """Bind the texture to the unit that the shaders use."""
        self._texture.bind(UNIT_OF_TEXTURE)

    def draw(self, focus: tuple[float, float]) -> int:
        """Draw the sunken mesh near the vehicle with the active program; return the number of its triangles."""
        corners = self.corners(focus, REACH)
        if len(corners):
            tiles = np.empty((len(corners), 4), np.float32)
            tiles[:, :2], tiles[:, 2:] = corners, (BLOCK_SIDE / self._cells, BLOCK_SIDE)
            self._mesh.upload_instances(tiles)
            self._mesh.draw_instances(len(corners))
        return len(corners) * 2 * self._cells**2
