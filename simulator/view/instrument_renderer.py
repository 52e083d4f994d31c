"""Rendering of the instruments: one draw call with quads in pixels."""

from __future__ import annotations

import time

import numpy as np
from pyglet import gl

from simulator.base.records import Record
from simulator.view.adaptive_resolution import FrameRate
from simulator.view.gl_objects import Mesh, Program, Texture
from simulator.view.guide import Guide
from simulator.view.inset_renderer import Inset, Insets
from simulator.view.instrument_layout import TIMELINE, Box, canvas_scale, place_insets
from simulator.view.instruments import (
    INK,
    INSET_EDGE,
    INSET_TITLE,
    PANEL,
    SMALL,
    Canvas,
    Dials,
    Font,
    InstrumentInputs,
    asset,
    inset_frame,
    instruments,
    keys_help,
)
from simulator.view.menu import Menu, menu_scale
from simulator.view.motion_strip_chart import MotionStripChart
from simulator.view.shared_state import RECORDED
from simulator.view.timeline import PLOTS, Timeline, bar_of, timeline_bar, timeline_plots
from simulator.view.user_settings import UserSettings


class CanvasRenderer:
    """Renderer of the quads of a canvas, over the current frame buffer."""

    def __init__(self, font: Font) -> None:
        self._program = Program("hud", lit=False)
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
        self.settings = UserSettings()
        """Text size, unit of the speed, keys."""
        self.menu: Menu | None = None
        """Menu over the image; None: closed."""
        self.labels: list[tuple[float, float, str]] = []
        """Texts in the image: places as shares from the left and from the top, and text."""
        self.guide: Guide | None = None
        """Guide of the first drive; None: not shown."""
        self.shows_motion_chart = False
        """True: the strip chart of the motion is displayed."""
        self.insets: Insets | None = None
        """None: the drive has none."""
        self.shows_insets = True
        self.timeline: Timeline | None = None
        """Time line of a recorded drive; None: the drive itself, or only its last seconds."""
        self.shows_plots = True
        """True: the plots of a recorded drive are displayed."""
        self.bar: Box | None = None
        """Place of the time line in the last image [pixels of the image]; None without one."""
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
        scale = canvas_scale(width, height, self.ratio, self.help, self.settings.text_scale)
        placed: list[tuple[Inset, Box]] = []
        replays = bool(state[0]["replays"])
        bottom = height / scale - (TIMELINE if replays else 0.0)
        self.bar = None
        if self.help:
            keys_help(self.canvas, width / scale, height / scale, self.settings.keys, int(state[0]["replays"]) == RECORDED)
        else:
            chart = self._motion_chart if self.shows_motion_chart else None
            shown = InstrumentInputs(
                rate, self.camera, self.dials, chart, self.settings.speed_unit, self.settings.keys, self.menu is not None,
                dashboard=self.settings.dashboard_in_car or self.camera != "driver",
            )  # fmt: skip
            for x, y, text in self.labels:
                _label(self.canvas, x * width / scale, y * height / scale, text)
            panels = instruments(self.canvas, state, width / scale, bottom, shown)
            if replays:
                panels += self._draw_timeline(state, panels, width, height, scale)
            placed = self._place_insets(panels, width / scale, bottom)
            if self.guide is not None and self.menu is None:
                self.guide.draw(self.canvas, width / scale, height / scale)
        self._renderer.draw(self.canvas, width / scale, height / scale)
        for inset, box in placed:
            assert self.insets is not None
            self.insets.draw(inset, box, width / scale, height / scale)
        self._draw_menu(width, height)

    def menu_scale(self, width: float, height: float) -> float:
        """Return the pixels of the image per pixel of the canvas of the menu."""
        return menu_scale(width, height, self.ratio, self.settings.text_scale)

    def _draw_menu(self, width: float, height: float) -> None:
        """Draw the menu over all else, with its own scale."""
        if self.menu is None:
            return
        scale = self.menu_scale(width, height)
        self.canvas.clear()
        self.menu.draw(self.canvas, width / scale, height / scale)
        self._renderer.draw(self.canvas, width / scale, height / scale)

    def _draw_timeline(self, state: Record, panels: list[Box], width: int, height: int, scale: float) -> list[Box]:
        """Add the time line and the plots of a replay to the canvas; return their panels."""
        box = bar_of(width / scale, height / scale)
        self.bar = Box(*(scale * value for value in box))
        timeline_bar(self.canvas, box, state[0], self.timeline)
        if self.timeline is None or not self.shows_plots:
            return [box]
        places = (place_insets(width / scale, box.y, panels, (size,))[0] for size in PLOTS)
        place = next((free_place for free_place in places if free_place is not None), None)
        if place is None:
            return [box]
        timeline_plots(self.canvas, place, float(state[0]["replay_position"]), self.timeline)
        return [box, place]

    def _place_insets(self, panels: list[Box], width: float, height: float) -> list[tuple[Inset, Box]]:
        """Add the frames of the insets to the canvas; return the insets with the places of their images."""
        if self.insets is None or not self.shows_insets:
            return []
        self.insets.update()
        shown = self.insets.shown
        edges = 2.0 * INSET_EDGE, INSET_TITLE + INSET_EDGE
        sizes = [(one.size[0] + edges[0], one.size[1] + edges[1]) for one in shown if one.size is not None]
        boxes = place_insets(width, height, panels, sizes)
        return [(one, inset_frame(self.canvas, box, one.title)) for one, box in zip(shown, boxes, strict=True) if box is not None]


def _label(canvas: Canvas, x: float, y: float, text: str) -> None:
    """Add a text with its background, centered at x, y."""
    width = canvas.font.width(text, SMALL)
    canvas.box(x - 0.5 * width - 5.0, y - 10.0, width + 10.0, 20.0, PANEL, 5.0)
    canvas.text(x, y - 8.0, text, SMALL, INK, 0.5)
