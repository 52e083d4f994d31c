"""Rendering of the driver's place: cabin, pedals, gear lever, gauges, mirrors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.view.bodies.contract import Cabin, Pane
from simulator.view.gauges import SIZE, Cluster, FaceCanvas, Reading, draw_scales, draw_values, reading
from simulator.view.gl_objects import Mesh, Program
from simulator.view.instrument_renderer import CanvasRenderer
from simulator.view.instruments import Font, asset
from simulator.view.meshes import LAYOUT
from simulator.view.mirror_views import is_in_view, mirror_shot
from simulator.view.poses import lever_rotation, pose
from simulator.view.shot import Shot
from simulator.view.texture_frame import TextureFrame

MIRROR_PIXELS = 1300.0
"""Pixels of a mirror's image per m of its glass, at low detail."""
TEXELS = 0.8
"""Pixels of the image of the gauges per unit of their canvas: about 1.6 times those of a window of 1280 x 720."""
GLASS_GAIN = 0.88
"""Brightness of the image in a mirror."""
TURNS = 4
"""Number of images in which each mirror takes its turn once."""


class Cockpit:
    """Driver's place on the graphics device.

    fine : True = mirrors of twice the resolution, all of them in every image
    """

    def __init__(self, cabin: Cabin, cluster: Cluster, manual: bool, fine: bool) -> None:
        self.cabin, self._cluster, self._manual = cabin, cluster, manual
        self._solid = Mesh(cabin.mesh, LAYOUT)
        self._levers = [Mesh(lever.mesh, LAYOUT) for lever in cabin.levers]
        self._program = Program("screen")
        panes = (cabin.gauges, *(mirror.glass for mirror in cabin.mirrors))
        self._screens = Mesh(np.vstack([_screen(pane, mirrored=k > 0) for k, pane in enumerate(panes)]), (3, 2))
        font = Font(asset("fonts/hud.npz"))
        self._canvas, self._renderer = FaceCanvas(font), CanvasRenderer(font)
        self._scales, self._gauges = (TextureFrame(*(round(TEXELS * side) for side in SIZE)) for _ in range(2))
        self._shown: Reading | None = None
        share = MIRROR_PIXELS * (2.0 if fine else 1.0)
        self._mirrors = [TextureFrame(*(round(2.0 * share * half) for half in mirror.glass.half)) for mirror in cabin.mirrors]
        self._has_image = [False] * len(self._mirrors)
        self._turn, self._fine, self._takes_turns = 0, fine, False
        self._X_WB = np.eye(4)
        self._state: Any = None

    def take_turns(self) -> None:
        """Renew at most one mirror in each image from now on, except at high detail; without this, an image depends on nothing before it."""
        self._takes_turns = not self._fine

    def place(self, X_WB: NDArray, s: Any) -> None:
        """Set pose and state (row of STATE); call this before all others."""
        self._X_WB, self._state = X_WB, s

    def update_gauges(self, unit: str) -> None:
        """Draw the gauges if what they show has changed."""
        shown = reading(self._state, unit, self._cluster)
        if shown == self._shown:
            return
        if self._shown is None or self._shown.unit != unit:
            draw_scales(self._canvas, unit, self._cluster)
            self._scales.begin()
            self._renderer.draw(self._canvas, *SIZE)
        self._shown = shown
        draw_values(self._canvas, shown, self._cluster)
        self._gauges.begin_with(self._scales)
        self._renderer.draw(self._canvas, *SIZE)
        self._gauges.finish()

    def update_mirrors(self, shot: Shot, clip_of_world: NDArray, draw: Callable[[Shot, float, bool], None]) -> None:
        """Draw the images of the mirrors that are due.

        shot, clip_of_world : camera of the image
        draw : draws what a camera sees of the world into the current frame buffer: camera, aspect, whether it sees the vehicle from inside
        """
        self._turn = (self._turn + 1) % TURNS
        for k, (mirror, frame) in enumerate(zip(self.cabin.mirrors, self._mirrors, strict=True)):
            if not is_in_view(mirror, self._X_WB, clip_of_world):
                self._has_image[k] = False
                continue
            if self._takes_turns and self._has_image[k] and k != self._turn:
                continue
            seen = mirror_shot(mirror, shot.eye, self._X_WB, (frame.width, frame.height))
            if seen is None:
                continue
            frame.begin()
            draw(seen, frame.width / frame.height, mirror.inside)
            frame.finish()
            self._has_image[k] = True

    def forget_mirrors(self) -> None:
        """Draw all mirrors in the next image that shows them, as after an image from another camera."""
        self._has_image = [False] * len(self._mirrors)

    def draw_solids(self, program: Program, levers: bool) -> None:
        """Draw the cabin, and pedals and gear lever if they are wanted, with an active program for bodies."""
        program.set(world_of_body=self._X_WB)
        self._solid.draw()
        for lever, mesh in () if not levers else zip(self.cabin.levers, self._levers, strict=True):
            program.set(world_of_body=self._X_WB @ pose(lever_rotation(lever.moves_by, self._state, self._manual), lever.hinge))
            mesh.draw()

    def draw_reflected(self, program: Program) -> None:
        """Draw what the inside mirror shows of the cabin."""
        program.set(world_of_body=self._X_WB)
        self._solid.draw()

    def draw_screens(self, clip_of_world: NDArray) -> None:
        """Draw gauges and mirrors."""
        self._program.use().set(clip_of_body=clip_of_world @ self._X_WB, picture=self._gauges.bind(0), gain=1.0, lit=1.0)
        self._screens.draw(0, 6)
        for k, frame in enumerate(self._mirrors):
            if self._has_image[k]:
                self._program.set(picture=frame.bind(0), gain=GLASS_GAIN, lit=0.0)
                self._screens.draw(6 + 6 * k, 6)


def _screen(pane: Pane, mirrored: bool) -> NDArray[np.float64]:
    """Return two triangles (6, 5) [position, place in the picture], slightly in front of what is behind them."""
    places = np.array(((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))
    if mirrored:
        places[:, 0] = 1.0 - places[:, 0]
    return np.hstack((pane.corners(0.002), places))[[0, 1, 2, 0, 2, 3]]
