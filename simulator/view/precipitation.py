"""Rendering of rain and snowfall around the camera, and of drops and wipers on the windshield."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.view.detail import Detail
from simulator.view.gl_objects import Mesh, Program
from simulator.view.light import Light

BOX = 11.0
"""m. Side of the cube around the camera that has drops; larger: drops farther away, but thinner."""
AHEAD = 4.8
"""m. Distance of the center of the cube before the camera."""
FULL = 12.0
"""mm/h from which all drops fall; a lower rate has fewer."""
WIND = (0.9, 0.5)
"""m/s. Horizontal drift of drops and flakes (assumed)."""
RAIN_SPEED, SNOW_SPEED = 7.5, 1.3
"""m/s. Speed of fall of drops of 2.5 mm [Gunn and Kinzer, J. Meteorology 6 (1949)] and of flakes."""
SHUTTER = 0.035
"""s. Time during which a drop draws its streak."""
GLASS = 1.3
"""m. What is nearer to the driver's eyes than this is inside, and has no drops."""
WIPE = 1.0
"""s. Duration of a stroke of the wipers forth and back."""


class Precipitation:
    """Rain and snowfall of a scene; nothing in a dry one. The drops depend only on the simulated time and on the camera."""

    def __init__(self, light: Light, detail: Detail) -> None:
        self._snows = light.snowfall > light.rain
        rate = max(light.rain, light.snowfall * 6.0)
        self.falls = rate > 0.0
        if not self.falls:
            return
        count = max(1, round(detail.drops * min(math.sqrt(rate / FULL), 1.0)))
        self._program = Program("drops", define=("FLAKES",) if self._snows else ())
        self._mesh = Mesh(np.array([[-1, 0], [1, 0], [1, 1], [-1, 0], [1, 1], [-1, 1]]), (2,), instance=(4,))
        self._mesh.upload_instances(np.random.default_rng(11).random((count, 4)))
        self._count = count
        self._velocity = np.array((*WIND, -SNOW_SPEED if self._snows else -RAIN_SPEED))
        self._glass = None if self._snows else Program("windshield")
        self._pause = float(np.interp(light.rain, (0.5, 2.0, 8.0), (6.0, 2.0, 0.0)))
        self._screen = Mesh(np.array([[-1, -1], [3, -1], [-1, 3]]), (2,))

    def draw(self, view: NDArray, eye: NDArray, R_WC: NDArray, motion: NDArray, time: float, inside: bool) -> None:
        """Draw what falls, over the image.

        view : matrix (4, 4) from W to clip space;  R_WC : axes of the camera
        motion : velocity (3,) of the camera in W [m/s]
        inside : True = the camera is in the cabin, where nothing falls
        """
        center = eye - AHEAD * R_WC[:, 2]
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glDepthMask(gl.GL_FALSE)
        self._program.use().set(
            clip_of_world=view, eye=eye, center=center, box=BOX, fallen=np.mod(self._velocity * time, BOX),
            streak=(self._velocity - motion) * SHUTTER, clear=2.0 if inside else 0.7,
        )  # fmt: skip
        self._mesh.draw_instances(self._count)
        gl.glDepthMask(gl.GL_TRUE)
        gl.glDisable(gl.GL_BLEND)

    def draw_windshield(self, view: NDArray, eye: NDArray, R_WB: NDArray) -> None:
        """Draw drops and wipers over the image of the driver's camera. R_WB: attitude of the vehicle."""
        if self._glass is None:
            return
        fixed, ahead = np.eye(4), np.eye(4)
        fixed[:3, 3], ahead[:3, :3] = eye, R_WB.T
        far = view @ np.array((*(eye + GLASS * R_WB[:, 0]), 1.0))
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glDepthMask(gl.GL_FALSE)
        self._glass.use().set(
            vehicle_of_clip=ahead @ np.linalg.inv(view @ fixed), depth=float(far[2] / far[3]), pause=self._pause, wipe=WIPE
        )
        self._screen.draw()
        gl.glDepthMask(gl.GL_TRUE)
        gl.glDisable(gl.GL_BLEND)
