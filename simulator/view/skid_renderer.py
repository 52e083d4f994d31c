"""Rendering of skid marks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.base.records import Record
from simulator.view.gl_objects import Mesh, Program
from simulator.view.skid_marks import FADE, MAX_SEGMENTS, VERTEX, SkidMarks
from simulator.view.terrain_data import TerrainData


class Skids:
    """Skid marks on the graphics device."""

    def __init__(self, terrain: TerrainData, tire_width: NDArray) -> None:
        self._marks = SkidMarks(terrain, tire_width)
        self._program = Program("skids")
        self._mesh = Mesh(np.zeros((6 * MAX_SEGMENTS, VERTEX), np.float32), (3, 1, 1, 1))

    def draw(self, clip_of_world: NDArray, eye: NDArray, state: Record) -> None:
        """Add the marks of a state and draw all over the ground."""
        self._marks.update(state)
        if self._marks.changed:
            self._mesh.upload(self._marks.taken())
        if not self._marks.count:
            return
        self._program.use().set(clip_of_world=clip_of_world, eye=eye, now=float(state[0]["time"]), fade=FADE)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glDepthMask(gl.GL_FALSE)
        gl.glEnable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glPolygonOffset(0.0, -40.0)
        self._mesh.draw(0, 6 * self._marks.count)
        gl.glDisable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glDepthMask(gl.GL_TRUE)
        gl.glDisable(gl.GL_BLEND)
