"""Shadows of objects around the camera: a depth map seen from the sun, drawn again only when it changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.view.detail import Detail
from simulator.view.gl_objects import ShadowMap
from simulator.view.object_culling import ObjectItems, Rows
from simulator.view.sun_view import axes, sun_view, texture_of_clip

UNIT_OF_CASTERS = 7
"""Texture unit of the map."""
CENTER_DISTANCE = 0.7
"""Distance of its center before the camera, divided by its half side."""
STEPS = 16
"""Number of positions of the map along a side of the square: it moves in steps of whole texels, so that edges of shadows stand still."""


class ObjectShadows:
    """Map of the shadows of objects.

    Attributes
    ----------
    uniforms : for the shaders that receive the shadows
    areas : rectangles (n, 4) x, y low and high [m] that contain the shadows
    view : matrix (4, 4) from W to the clip space of the map
    """

    def __init__(self, detail: Detail, sun: NDArray) -> None:
        self._map, self._half, self._sun = ShadowMap(detail.shadow_size), detail.shadow_half, sun
        self.view = self._view_of(np.zeros(3))
        self.uniforms: dict[str, Any] = {"casters_of_world": texture_of_clip(self.view)}
        self.areas = np.zeros((0, 4))
        self._drawn: tuple[float, ...] = ()

    def update(self, items: ObjectItems, eye: NDArray, ahead: NDArray, draw: Callable[[NDArray, Rows], None]) -> None:
        """Draw the map around a camera that looks in the direction `ahead` (3,), if it is not up to date.

        draw : draws depths of items with a matrix from W to clip space
        """
        level = np.array((ahead[0], ahead[1], 0.0)) / max(float(np.hypot(ahead[0], ahead[1])), 1e-6)
        center = self._in_steps(eye + CENTER_DISTANCE * self._half * level, 2.0 * self._half / STEPS)
        self.view = self._view_of(center)
        casters = items.casters(self.view)
        key = (*center, items.edits)
        if key == self._drawn and not items.any_moves(casters):
            return
        self._drawn = key
        self.uniforms = {"casters_of_world": texture_of_clip(self.view)}
        self.areas = items.shadow_areas(casters, self._sun)
        self._map.begin()
        gl.glEnable(gl.GL_DEPTH_CLAMP)
        gl.glEnable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glPolygonOffset(1.5, 4.0)
        draw(self.view, casters)
        gl.glDisable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glDisable(gl.GL_DEPTH_CLAMP)

    def forget(self) -> None:
        """Draw the map again at the next update."""
        self._drawn = ()
        self.areas = np.zeros((0, 4))

    def _view_of(self, center: NDArray) -> NDArray[np.float64]:
        return sun_view(self._sun, center, self._half, 3.0 * self._half)

    def bind(self) -> None:
        """Bind the map to the unit that the shaders use."""
        self._map.bind(UNIT_OF_CASTERS)

    def _in_steps(self, center: NDArray, step: float) -> NDArray[np.float64]:
        """Return a point, moved to the next position of the map, which moves in steps [m] along its axes."""
        basis = np.stack((*axes(self._sun), self._sun / np.linalg.norm(self._sun)))
        moved: NDArray[np.float64] = np.linalg.solve(basis, step * np.round(basis @ center / step))
        return moved
