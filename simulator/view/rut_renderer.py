"""Draws the ruts: a texture of their depths around the vehicle, by which the land is shaded, and opened where a finer mesh lies in the opening."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.view.gl_objects import Mesh, Texture
from simulator.view.quadtree import distance, tile_triangles
from simulator.view.rut_tiles import FAR, REACH, SIDE, RutTiles, slots_of
from terrain.rut_grid import SPACING, TILE, TILE_SIDE, UNIT

CELLS = (TILE + 1, TILE // 2)
"""Cells along a side of a piece of the mesh, for a graphics card and for the processor."""
PIECE = TILE_SIDE + SPACING
"""m. Side of a piece: a tile, and the strip before it up to the nodes of the last one, over which its first nodes fade out."""
UNIT_OF_TEXTURE = 6


class Ruts:
    """The ruts on the graphics device."""

    def __init__(self, software: bool) -> None:
        self._cells = CELLS[software]
        self._texture = Texture(np.zeros((SIDE * TILE, SIDE * TILE), np.uint16), gl.GL_REPEAT, mipmaps=False)
        side = np.arange(self._cells + 1, dtype=np.float32)
        nodes = np.dstack(np.meshgrid(side, side)).reshape(-1, 2)
        self._mesh = Mesh(nodes, (2,), tile_triangles(self._cells), instance=(4,))
        self._places = np.zeros((SIDE * SIDE, 2), np.int32)
        self._driven = np.zeros(SIDE * SIDE, bool)
        self.uniforms: dict[str, object] = {
            "ruts": UNIT_OF_TEXTURE,
            "rut_grid": (1.0 / (SIDE * TILE_SIDE), 0.5 / (SIDE * TILE), UNIT * 65535.0, FAR),
            "rut_reach": REACH,
        }

    def put(self, tiles: RutTiles) -> None:
        """Show tiles, in the place of those that were there."""
        slots = slots_of(tiles.places)
        self._places[slots], self._driven[slots] = tiles.places, tiles.depths.any(axis=(1, 2))
        for slot, depths in zip(slots.tolist(), tiles.depths, strict=True):
            self._texture.put(TILE * (slot // SIDE), TILE * (slot % SIDE), depths)

    def clear(self) -> None:
        """Nobody has driven anywhere."""
        slots = np.flatnonzero(self._driven)
        self.put(RutTiles(self._places[slots], np.zeros((len(slots), TILE, TILE), np.uint16)))

    def corners(self, focus: tuple[float, float], within: float) -> NDArray[np.float64]:
        """Corners (n, 2) in m of the pieces with ruts within so many meters of a place."""
        corners = self._places[self._driven].astype(np.float64) * TILE_SIDE - SPACING
        return corners[distance(corners, PIECE, focus) < within]

    def under(self, corners: NDArray[np.float64], side: NDArray[np.float64], focus: tuple[float, float]) -> NDArray[np.bool_]:
        """Which of the squares (n, 2), side (n, 1) in m, have ruts in them."""
        driven = self.corners(focus, FAR)
        if not len(driven):
            return np.zeros(len(corners), bool)
        low, high = corners[:, None, :] - PIECE, (corners + side)[:, None, :]
        inside: NDArray[np.bool_] = (driven > low) & (driven < high)
        return np.any(np.all(inside, axis=2), axis=1)

    def bind(self) -> None:
        """Put the texture where the shaders look for it."""
        self._texture.bind(UNIT_OF_TEXTURE)

    def draw(self, focus: tuple[float, float]) -> int:
        """Draw the sunken mesh near the vehicle with the program in use; number of its triangles."""
        corners = self.corners(focus, REACH)
        if len(corners):
            tiles = np.empty((len(corners), 4), np.float32)
            tiles[:, :2], tiles[:, 2:] = corners, (PIECE / self._cells, PIECE)
            self._mesh.upload_instances(tiles)
            self._mesh.draw_instances(len(corners))
        return len(corners) * 2 * self._cells**2
