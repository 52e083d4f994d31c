"""Rendering of the instruments: one draw call with quads in pixels."""

from __future__ import annotations

import time

import numpy as np
from pyglet import gl

from simulator.base.records import Record
from simulator.view.gl_objects import Mesh, Program, Texture
from simulator.view.instrument_layout import canvas_scale
from simulator.view.instruments import Canvas, Dials, Font, FrameRate, InstrumentInputs, asset, instruments, keys_help
from simulator.view.motion_strip_chart import MotionStripChart


class CanvasRenderer:
    """Renderer of the quads of a canvas, over the current frame buffer."""

    def __init__(self, font: Font) -> None:
        self._program = Program("hud")
        self._atlas = Texture(font.pixels, gl.GL_CLAMP_TO_EDGE, mipmaps=False)
        self._mesh = Mesh(np.zeros((6, 12)), (2, 2, 4, 4))

    def draw(self, canvas: Canvas, width: float, height: float) -> None:
        """Draw a canvas of this size [pixels of the canvas]."""
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        self._program.use().set(size=(width, height), glyphs=self._atlas.bind(0))
        self._mesh.upload(canvas.vertices())
        self._mesh.draw()
        gl.glDisable(gl.GL_BLEND)


class Hud:
    """Instruments on the graphics device."""

    def __init__(self, of: Dials) -> None:
        self.dials = of
        font = Font(asset("fonts/hud.npz"))
        self.canvas = Canvas(font)
        self.visible = True
        self.live = True
        """False for single images, whose frame rate would be meaningless."""
        self.camera = ""
        self.ratio = 1.0
        """Pixels per unit of a screen of normal density."""
        self.help = False
        """True: the list of keys instead of the instruments."""
        self.shows_motion_chart = False
        """True: the strip chart of the motion is displayed."""
        self._motion_chart = MotionStripChart()
        self._renderer = CanvasRenderer(font)
        self._rate = FrameRate(time.perf_counter)

    def draw(self, state: Record, width: int, height: int) -> None:
        """Draw the instruments for a state (fields of STATE) over the current frame buffer."""
        rate = self._rate.frame() if self.live else 0.0
        self._motion_chart.add(state[0], time.perf_counter() if self.live else float(state[0]["time"]))
        if not self.visible:
            return
        self.canvas.clear()
        scale = canvas_scale(width, height, self.ratio, self.help)
        if self.help:
            keys_help(self.canvas, width / scale, height / scale)
        else:
            shown = InstrumentInputs(rate, self.camera, self.dials, self._motion_chart if self.shows_motion_chart else None)
            instruments(self.canvas, state, width / scale, height / scale, shown)
        self._renderer.draw(self.canvas, width / scale, height / scale)
