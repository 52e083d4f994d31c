"""Rendering of the terrain: equal tiles from `quadtree` around the vehicle, a few instanced draws, smooth transitions between levels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.view.detail import HIGH, Detail
from simulator.view.gl_objects import Mesh, Program, Texture, TextureArray
from simulator.view.ground_cover import relief_texture, soil_layers
from simulator.view.light import Light
from simulator.view.object_shadows import UNIT_OF_CASTERS
from simulator.view.quadtree import Counter, distance, tile_triangles, visible_tiles
from simulator.view.rut_renderer import Ruts
from simulator.view.surface_textures import LAYER_DEFINES
from simulator.view.terrain_data import TerrainData, is_glazed, road_texture, surface_texture

EXACT_CELLS = 32
"""Cells along a side of a tile, for depths: the side of a cell is less than 1/64 of its distance, or as large as that of level 0."""
FINEST = (0.25, 2.0)
"""m. Limits of the cell size of level 0, which otherwise is the spacing of the nodes."""
SHADE = 7.0
"""m. Maximum distance from the focus of tiles that can receive the vehicle's shadow."""
HORIZON = 3500.0
"""m. Maximum distance at which the terrain is drawn."""

RAGGED = 1.4
"""m. How far the border of two soils moves back and forth."""
UNITS = {"soils": 8, "relief": 9, "layers": 10}
"""Texture units of the covers of the ground."""
KINDS: tuple[tuple[str, ...], ...] = (("SMOOTH", "SHADOW"), ("SMOOTH", "WILD"), ("SMOOTH", "PAVED"), ("SMOOTH",), ("WILD",), ("PAVED",), ())
"""Variants of the shader: near or far, under the vehicle, only soil, only asphalt. A variant computes only what its tiles can show."""
RUTTED: tuple[tuple[str, ...], ...] = (("SMOOTH", "SHADOW", "RUTS"), ("SMOOTH", "RUTS"), ("RUTS",))
"""Variants of the shader for ruts: under the vehicle, near, far."""
SUNK_VARIANTS = ("SMOOTH", "SHADOW", "RUTS", "SUNK")
"""Variants of the shader for the mesh of the ruts."""
SHADED: tuple[tuple[str, ...], ...] = tuple((*kind, "CASTERS") for kind in KINDS[1:])
"""Variants of the shader for the shadows of objects. With objects, the variants under the vehicle and for ruts show them, too."""


class Terrain:
    """Terrain on the graphics device. casters: whether objects cast shadows on it; exact: for images of sensors, with `draw_numbers`."""

    def __init__(
        self,
        terrain: TerrainData,
        grain: Texture,
        layers: TextureArray,
        light: Light,
        detail: Detail,
        casters: bool = False,
        exact: bool = False,
    ) -> None:
        self.terrain, self.grain, self._layers = terrain, grain, layers
        self._cells = HIGH.terrain_cells if exact else detail.terrain_cells
        self._cell = min(max(min(terrain.spacing), FINEST[0]), FINEST[1])
        self._mesh = _tile(self._cells)
        self._exact_mesh = _tile(EXACT_CELLS) if exact else None
        soils = soil_layers(terrain)
        cut = ("CUT",) if terrain.features.cut.size else ()
        slabs = () if terrain.roads or len(terrain.features.mesh) else ("SLABS",)
        uniform = (f"SOIL {soils[0, 0]}.0",) if (soils == soils[0, 0]).all() else ()
        mirrors = ("MIRRORS",) if light.wet > 0.0 or any(map(is_glazed, terrain.soil_names)) else ()
        common = (*LAYER_DEFINES, *ground_defines(detail), *slabs, *cut, *uniform, *mirrors)
        self.ruts = Ruts(detail.rut_cells) if terrain.hardness.min() < 255 else None
        self._casters = casters
        kinds = (*KINDS, *(() if self.ruts is None else (*RUTTED, SUNK_VARIANTS)), *(SHADED if casters else ()))
        self._programs = {kind: Program("terrain", define=(*self._defines(kind), *common), uses=("ground",)) for kind in kinds}
        self._number = Program("terrain", "number", define=("SMOOTH", "EXACT", *cut)) if exact else None
        self._heights = Texture(terrain.heights, gl.GL_MIRRORED_REPEAT)
        self._surface = Texture(surface_texture(terrain, light.sun), gl.GL_CLAMP_TO_EDGE, fine=detail.fine_textures)
        self._soils = Texture(soils, gl.GL_CLAMP_TO_EDGE, mipmaps=False, nearest=True)
        self._relief = Texture(relief_texture(terrain), gl.GL_CLAMP_TO_EDGE, mipmaps=False)
        roads, step = road_texture(terrain)
        self._roads = Texture(roads, gl.GL_CLAMP_TO_EDGE, mipmaps=False)
        spacing = (terrain.spacing[0] * step, terrain.spacing[1] * step)
        self._cut = Texture(terrain.features.cut, gl.GL_CLAMP_TO_EDGE, mipmaps=False) if cut else None
        self._hard = Counter(roads[..., 3] != 0.0, terrain.origin, spacing)
        self._not_paved = Counter(roads[..., 3] < 0.999, terrain.origin, spacing)
        fixed = {
            "grid": (*terrain.origin, *terrain.spacing), "road_grid": (*terrain.origin, *spacing), "plane": terrain.plane,
            "mirrored": 1.0 if terrain.mirrored else 0.0, "heights": 0, "surface": 1, "grain": 2, "roads": 3, "shadow": 4, "cut": 5,
            "casters": UNIT_OF_CASTERS, "cut_grid": terrain.features.cut_grid, **UNITS,
            "ragged_by": tuple(RAGGED / (size * count) for size, count in zip(terrain.spacing, terrain.heights.shape[::-1], strict=True)),
        }  # fmt: skip
        for program in (*self._programs.values(), *(() if self._number is None else (self._number,))):
            program.use().set(**fixed, **(self.ruts.uniforms if self.ruts is not None else {}))
        relief = float(terrain.heights.max()) - float(terrain.heights.min())
        self._heights_between = (float(terrain.heights.min()) - 1.0, relief + 2.0)
        self._fresh = True
        self.triangles = 0

    def _defines(self, kind: tuple[str, ...]) -> tuple[str, ...]:
        """Return the defines of a variant of the shader."""
        shows_all = "SHADOW" in kind or "RUTS" in kind
        return (*kind, "CASTERS") if self._casters and shows_all else kind

    def draw(
        self, clip_of_world: NDArray, eye: NDArray, focus: tuple[float, float], shadow: dict[str, object], areas: NDArray | None = None
    ) -> None:
        """Draw the visible tiles.

        shadow : uniforms of the vehicle's shadow, used on the finest level, and of the objects' shadows
        areas : rectangles (n, 4) in which objects cast shadows
        """
        tiles, level = visible_tiles(focus, self._cell, self._cells, self._levels(self._cells), clip_of_world, self._bounds)
        self.bind()
        if self.ruts is not None:
            self.ruts.bind()
        self.triangles = len(tiles) * self._cells**2 * 2
        near = level == 0
        shaded = near & (distance(tiles[:, :2], tiles[:, 3], focus) < SHADE)
        corners, side = tiles[:, :2].astype(np.float64), tiles[:, 3:].astype(np.float64)
        shown = self.terrain.images(corners, corners + side)
        rutted = np.zeros(len(tiles), bool) if self.ruts is None else self.ruts.under(corners, side, focus)
        other = ~(shaded | rutted)
        wild = other & ~self._hard.any(*shown)
        paved = other & ~self._not_paved.any(*shown)
        mixed = other & ~(wild | paved)
        plain, near_ruts, far_ruts = shaded & ~rutted, rutted & near & ~shaded, rutted & ~near
        free = (near & wild, near & paved, near & mixed, ~near & wild, ~near & paved, ~near & mixed)
        dark = _touched(corners, side, areas)
        lit = [some & ~dark for some in free]
        chosen = (plain, *lit, shaded & rutted, near_ruts, far_ruts, *(some & dark for some in free))
        picture = {"clip_of_world": clip_of_world, "eye": eye, "focus": focus}
        if self._fresh:
            self._use_all_once(picture, shadow)
        for kind, some in zip((*KINDS, *RUTTED, *SHADED), chosen, strict=True):
            count = int(some.sum())
            if count:
                self._use(kind, picture, shadow)
                self._mesh.upload_instances(tiles[some])
                self._mesh.draw_instances(count)
        if self.ruts is not None:
            self._use(SUNK_VARIANTS, picture, shadow)
            self.triangles += self.ruts.draw(focus)

    def draw_numbers(self, clip_of_world: NDArray, eye: NDArray, focus: tuple[float, float]) -> None:
        """Draw the number 0 and depths of the visible tiles, without ruts, with the shader `number`; for an `exact` terrain."""
        assert self._number is not None and self._exact_mesh is not None
        tiles, _ = visible_tiles(focus, self._cell, EXACT_CELLS, self._levels(EXACT_CELLS), clip_of_world, self._bounds)
        self.bind()
        self._number.use().set(clip_of_world=clip_of_world, eye=eye, focus=focus, number=0.0)
        self._exact_mesh.upload_instances(tiles)
        self._exact_mesh.draw_instances(len(tiles))

    def bind(self) -> None:
        """Bind the textures of the ground."""
        for unit, texture in enumerate((self._heights, self._surface, self.grain, self._roads)):
            texture.bind(unit)
        if self._cut is not None:
            self._cut.bind(5)
        for name, image in (("soils", self._soils), ("relief", self._relief), ("layers", self._layers)):
            image.bind(UNITS[name])

    def _use_all_once(self, picture: dict[str, object], shadow: dict[str, object]) -> None:
        """Use every program once invisibly. Drivers compile a program on first use, which would delay the frame of the first rut."""
        self._fresh = False
        for kind in self._programs:
            self._use(kind, picture, shadow)
            self._mesh.upload_instances(np.zeros((1, 4), np.float32))
            self._mesh.draw_instances(1)

    def _use(self, kind: tuple[str, ...], picture: dict[str, object], shadow: dict[str, object]) -> None:
        self._programs[kind].use().set(**picture, **(shadow if self._casters or "SHADOW" in kind else {}))

    def _levels(self, cells: int) -> int:
        """Return the number of levels up to the horizon, for tiles of `cells` x `cells` cells."""
        return max(1, math.ceil(math.log2(HORIZON / (4.0 * cells * self._cell))) + 1)

    def _bounds(self, x: NDArray, y: NDArray, half: float) -> tuple[NDArray, NDArray]:
        _, along, across = self.terrain.plane
        base = self.terrain.plane[0] + along * x + across * y
        tilt = half * (abs(along) + abs(across))
        low, relief = self._heights_between
        return base + low - tilt, base + low + relief + tilt


def ground_defines(detail: Detail) -> tuple[str, ...]:
    """Return the defines of ground.glsl for a level of detail; those of the weather are in all lit programs."""
    return ("FINE",) if detail.fine_ground else ()


def _tile(cells: int) -> Mesh:
    """Return the mesh of a tile of `cells` x `cells` cells."""
    side = np.arange(cells + 1, dtype=np.float32)
    nodes = np.dstack(np.meshgrid(side, side)).reshape(-1, 2)
    return Mesh(nodes, (2,), tile_triangles(cells), instance=(4,))


def _touched(corners: NDArray, side: NDArray, areas: NDArray | None) -> NDArray[np.bool_]:
    """Return for squares (n, 2), side (n, 1) in m, whether they overlap one of the rectangles (m, 4)."""
    if areas is None or not len(areas):
        return np.zeros(len(corners), bool)
    low, high = corners[:, None, :], (corners + side)[:, None, :]
    overlap: NDArray[np.bool_] = (low < areas[:, 2:]) & (high > areas[:, :2])
    return np.any(np.all(overlap, axis=2), axis=1)
