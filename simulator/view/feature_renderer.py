"""Rendering of what is built on the ground, such as curbs and obstacles, and of markings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.view.detail import Detail
from simulator.view.feature_codes import CODE_DEFINES
from simulator.view.gl_objects import Mesh, Program
from simulator.view.light import Light
from simulator.view.meshes import LAYOUT
from simulator.view.object_shadows import UNIT_OF_CASTERS
from simulator.view.shot import Shot
from simulator.view.surface_textures import LAYER_DEFINES
from simulator.view.terrain_data import CHUNK, FeatureMeshes
from simulator.view.terrain_renderer import UNITS, ground_defines

SIGHT = 500.0
"""m. Maximum distance at which features and markings are drawn."""


class Features:
    """Features and markings on the graphics device. casters: whether objects cast shadows on them."""

    def __init__(self, features: FeatureMeshes, light: Light, detail: Detail, casters: bool) -> None:
        self._chunks = features.chunks
        self._mesh = Mesh(features.mesh, LAYOUT)
        define = (*LAYER_DEFINES, *CODE_DEFINES, *ground_defines(detail), *(("CASTERS",) if casters else ()))
        self._program = Program("features", define=define, uses=("ground",))
        self._program.use().set(grain=2, shadow=4, casters=UNIT_OF_CASTERS, layers=UNITS["layers"])

    def draw(self, clip_of_world: NDArray, shot: Shot, shadow: dict[str, Any]) -> None:
        """Draw the visible features; shadow: uniforms of the shadows of the vehicle and of objects."""
        self._program.use().set(clip_of_world=clip_of_world, eye=shot.eye, **shadow)
        self.draw_meshes(shot)

    def draw_meshes(self, shot: Shot) -> None:
        """Draw the visible features with the active program, slightly nearer than the terrain, which is coarser far away."""
        away = self._chunks[:, :2] - shot.eye[:2]
        ahead = away @ -shot.R_WC[:2, 2] > -CHUNK
        gl.glEnable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glPolygonOffset(0.0, -20.0)
        for k in np.nonzero((np.hypot(*away.T) < SIGHT) & ahead)[0]:
            self._mesh.draw(int(self._chunks[k, 2]), int(self._chunks[k, 3]))
        gl.glDisable(gl.GL_POLYGON_OFFSET_FILL)
