"""Tufts of grass and small plants on soil around the camera. Only images of colors show them: rays do not meet them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.view.detail import Detail
from simulator.view.dressings.leaf_textures import COLUMNS, TILES, leaf_levels
from simulator.view.dressings.plants import place_chances
from simulator.view.gl_objects import Mesh, Program, Texture
from simulator.view.object_shadows import UNIT_OF_CASTERS
from simulator.view.rut_renderer import Ruts
from simulator.view.terrain_data import TerrainData, soil_color

REACH = 28.0
"""m. Maximum distance of a tuft from the camera."""
CELL = 4.0
"""m. Side of the squares that are filled with tufts; the set changes when the camera enters another one."""
CLUMPS = 7.0
"""m. Size of the areas with more or fewer tufts."""
BARE = ("rock", "snow", "ice", "rubicon", "gravel", "mud")
"""Words in the name of a soil on which nothing grows."""
HEIGHTS = (0.12, 0.42)
"""m. Minimum and maximum height of a tuft."""
UNIT = 8
"""Texture unit."""
HERBS = ("grass", "grass", "grass", "reed", "hazel")
"""Tiles from which the place of a tuft chooses."""

Floats = NDArray[np.float64]


class Grass:
    """Tufts on the graphics device. casters: whether objects cast shadows; ruts: of the terrain, in which there is no grass."""

    def __init__(self, terrain: TerrainData, detail: Detail, casters: bool, ruts: Ruts | None) -> None:
        self._terrain, self._density, self._ruts = terrain, detail.grass, ruts
        self.shown = True
        """Whether the tufts are drawn."""
        self._growth = np.array([_growth(name) for name in terrain.soil_names] or [0.0])
        self._cell: tuple[int, int] | None = None
        self._tufts = np.zeros((0, 8), np.float32)
        self._grows = bool((self._growth > 0.0).any() and terrain.hardness.min() < 255 and self._density)
        if not self._grows:
            return
        levels = leaf_levels()
        self._leaves = Texture(levels[0], gl.GL_CLAMP_TO_EDGE, smaller=levels[1:])
        defines = (*(("CASTERS",) if casters else ()), *(() if ruts is None else ("RUTS",)), *(("WIND",) if detail.fine_plants else ()))
        self._program = Program("grass", "trees", define=defines)
        self._program.use().set(skin=UNIT, shadow=4, casters=UNIT_OF_CASTERS, reach=REACH, **({} if ruts is None else ruts.uniforms))
        corners = np.array([(x, y, card) for card in (0, 1) for x, y in ((-0.5, 0), (0.5, 0), (0.5, 1), (-0.5, 1))], np.float32)
        self._mesh = Mesh(corners, (3,), np.array([0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7]), instance=(4, 4))

    def draw(self, clip_of_world: NDArray, eye: NDArray, focus: tuple[float, float], shadow: dict[str, Any]) -> None:
        """Draw the visible tufts. focus: x, y of the vehicle [m]; shadow: uniforms of the shadows of the vehicle and of objects."""
        if not self._grows or not self.shown:
            return
        cell = int(np.floor(eye[0] / CELL)), int(np.floor(eye[1] / CELL))
        if cell != self._cell:
            self._cell, self._tufts = cell, self._around(cell)
        clip = self._tufts[:, :3] @ clip_of_world[:, :3].T + clip_of_world[:, 3]
        near = ((self._tufts[:, :3] - eye) ** 2).sum(axis=1) < REACH**2
        some = self._tufts[near & (clip[:, 3] > 0.0) & (np.abs(clip[:, 0]) < clip[:, 3] + 1.0) & (clip[:, 1] < clip[:, 3])]
        if not len(some):
            return
        if self._ruts is not None:
            self._ruts.bind()
            under = self._ruts.under(some[:, :2].astype(np.float64), np.zeros((len(some), 1)), focus)
            some[under, 4] *= -1.0
        self._leaves.bind(UNIT)
        self._program.use().set(clip_of_world=clip_of_world, eye=eye, **shadow)
        self._mesh.upload_instances(some)
        self._mesh.draw_instances(len(some))

    def _around(self, cell: tuple[int, int]) -> NDArray[np.float32]:
        """Return the tufts (n, 8) within REACH of a cell, which depend on their places only: the instances of the shader."""
        span = np.arange(-int(REACH / CELL) - 1, int(REACH / CELL) + 2)
        corners = (np.dstack(np.meshgrid(span, span)).reshape(-1, 1, 2) + np.array(cell)) * CELL
        number = max(1, round(self._density * CELL**2))
        seeds = corners + np.arange(number)[:, None] / 64.0  # places of different chances
        places = (corners + CELL * place_chances(seeds.reshape(-1, 2))[:, :2].reshape(len(corners), number, 2)).reshape(-1, 2)
        chance = place_chances(places)
        growth = self._growth_at(places)
        places, chance, growth = (values[chance[:, 3] < growth] for values in (places, chance, growth))
        tile = np.array([TILES.index(name) for name in HERBS])[(chance[:, 1] * len(HERBS)).astype(int)]
        out = np.empty((len(places), 8), np.float32)
        out[:, :2], out[:, 2], out[:, 3] = places, self._terrain.heights_at(places), 2.0 * np.pi * chance[:, 0]
        out[:, 4] = HEIGHTS[0] + (HEIGHTS[1] - HEIGHTS[0]) * chance[:, 2] * np.minimum(0.5 + growth, 1.0)
        out[:, 4] *= np.where(tile == TILES.index("hazel"), 0.5, 1.0)
        out[:, 5], out[:, 6], out[:, 7] = tile % COLUMNS, tile // COLUMNS, chance[:, 3] / np.maximum(growth, 1e-6)
        return out

    def _growth_at(self, places: Floats) -> Floats:
        """Return the share (n,) of the tufts that grow at places (n, 2): none on roads, more in some areas than in others."""
        soft, soil = self._terrain.soft_soil_at(places)
        a, b = places.T / CLUMPS
        clumps = 0.5 + 0.5 * np.sin(a + 1.7 * np.sin(0.61 * b)) * np.sin(b + 1.9 * np.sin(0.53 * a))
        return np.asarray(np.where(soft, self._growth[np.minimum(soil, len(self._growth) - 1)], 0.0) * (0.25 + 0.75 * clumps))


def _growth(soil: str) -> float:
    """Return the share of the tufts that grow on a soil, from its name: fewer on bright, sandy soils."""
    loose = soil.lower().rpartition(" on ")[2]
    if any(word in loose for word in BARE) or loose in ("asphalt", "hard", "concrete"):
        return 0.0
    return float(np.clip(1.45 - 2.0 * (soil_color(soil)[0] / 255.0) ** 2, 0.0, 0.85))
