"""The window: a process of its own that draws what the host publishes and hands the keyboard back."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from simulator.base.records import Record
from simulator.view.adaptive_resolution import Quality
from simulator.view.camera import CAMERAS
from simulator.view.drive_lock import HostWatch
from simulator.view.gl_context import is_software, window_context
from simulator.view.shared_state import KeyWriter, NoKeys, ViewReader
from simulator.view.terrain_data import TerrainData, land_of

SIZE = (1280, 720)
CAPTION = "Jounce"
SILENCE = 2.0
"""s. A host that has published nothing for so long is said to be silent."""
SHORTEST = 1.0 / 250.0
"""s. No frame is shorter, so that a driver without vertical synchronization does not eat a processor."""
SOFTWARE = 1.0 / 60.0
"""s. The same where the processor draws."""
USUAL_DPI = 96.0
"""Dots per inch of a screen on which letters have their usual size."""
BINDINGS = {
    "LEFT": "left", "A": "left", "RIGHT": "right", "D": "right", "UP": "up", "W": "up", "DOWN": "down", "S": "down", "SPACE": "space",
    "R": "reset", "T": "upright", "P": "pause", "C": "camera", "_1": "camera_1", "_2": "camera_2", "_3": "camera_3", "PAGEUP": "gear_up", "E": "gear_up",
    "PAGEDOWN": "gear_down", "Q": "gear_down", "X": "shift_up", "Z": "shift_down", "I": "starter", "F": "drive", "N": "neutral", "V": "reverse",
    "B": "parking_brake", "L": "low_range", "K": "center_lock", "M": "motion", "ESCAPE": "escape",
    "PLUS": "intensity_up", "EQUAL": "intensity_up", "NUM_ADD": "intensity_up", "MINUS": "intensity_down", "NUM_SUBTRACT": "intensity_down",
    "J": "washout_next", "PERIOD": "washout_up", "COMMA": "washout_down",
}  # fmt: skip
"""pyglet's name of a key and its meaning, a row of block.KEYS."""
HELP_KEYS = ("H", "F1")
"""Keys that show and hide the list of keys, the window's own business."""
FELT_KEY = "G"
"""Key that shows and hides what is felt, likewise."""


def run_window(
    block: str, keys: str, ground: Any, geometry: Mapping[str, Any], host: HostWatch, title: str = "", looks_on: bool = False
) -> None:
    """Open the window and draw until it is closed, or the host leaves or is gone.

    Parameters
    ----------
    block, keys : names of the view block and of the key block, both made by the host
    ground : a `terrain.ground.Ground`, or a `TerrainData` made from one
    geometry : rows of `simulator.view.vehicle_geometry.GEOMETRY`
    host : whether the host still lives
    title : what stands in the title bar beside the program's name
    looks_on : the keys of another window count

    Raises DeviceError when a block or the display is missing.
    """
    reader = ViewReader(block)
    writer: KeyWriter | NoKeys = NoKeys() if looks_on else KeyWriter(keys)
    caption = f"{CAPTION} - {title}" if title else CAPTION
    closed_by_user = False
    try:
        view = _View(reader, writer, ground if isinstance(ground, TerrainData) else land_of(ground), geometry, host, caption)
        view.run()
        closed_by_user = view.closed_by_user
    finally:
        writer.close(closed_by_user)
        reader.close()


class _View:
    """State of an open window."""

    def __init__(
        self,
        reader: ViewReader,
        writer: KeyWriter | NoKeys,
        land: TerrainData,
        geometry: Mapping[str, Any],
        host: HostWatch,
        caption: str,
    ) -> None:
        self.reader, self.writer, self.host = reader, writer, host
        self.closed_by_user = False
        self.window = window_context(*SIZE, caption, samples=4)
        from pyglet.window import key

        from simulator.view.gl_objects import renderer
        from simulator.view.scene import Scene

        self.meaning = {getattr(key, name): meaning for name, meaning in BINDINGS.items()}
        self.help_keys = [getattr(key, name) for name in HELP_KEYS]
        self.felt_key = getattr(key, FELT_KEY)
        software = is_software(renderer())
        if software and self.window.config.samples:
            # four samples per pixel cost the processor half its frame rate
            self.window.close()
            self.window = window_context(*SIZE, caption, samples=1)
        self.shortest = SOFTWARE if software else SHORTEST
        self.scene = Scene(land, geometry)
        self.quality = Quality() if software else None
        self.last = time.perf_counter()
        self.heard = self.last
        self.generation = -1
        self.window.push_handlers(
            on_draw=self.draw,
            on_key_press=self.press,
            on_key_release=self.release,
            on_deactivate=writer.release_all,
            on_close=self.close,
        )

    def run(self) -> None:
        import pyglet

        pyglet.app.run(interval=0)
        self.window.close()

    def leave(self) -> None:
        """End after this frame; windows must not be closed while pyglet goes through them."""
        import pyglet

        pyglet.app.exit()

    def close(self) -> bool:
        """The driver closes the window."""
        self.closed_by_user = True
        self.leave()
        return True

    def draw(self) -> None:
        """One frame."""
        now = time.perf_counter()
        if now - self.last < self.shortest:
            time.sleep(self.shortest - (now - self.last))
            now = time.perf_counter()
        dt, self.last = min(now - self.last, 0.1), now
        if self.reader.closed or self.host.gone or not self.writer.owns:
            self.leave()
            return
        if self.reader.read():
            self.heard = now
        self.scene.show_ruts(self.reader.new_ruts())
        state = self.reader.interpolated(now)
        if self.reader.generation != self.generation:
            self.generation = self.reader.generation
            self.scene.camera.cut()
        if self.reader.published:
            if now - self.heard > SILENCE:
                _say(state, "the host is silent")
            width, height = self.window.get_framebuffer_size()
            self.scene.hud.ratio = max(self.window.dpi / USUAL_DPI, width / max(self.window.get_size()[0], 1))
            self.scene.draw(state, dt, 0, width, height)
            self._judge(now)
        self.writer.beat()

    def _judge(self, began: float) -> None:
        if self.quality is not None:
            from pyglet import gl

            gl.glFinish()
            self.scene.scale = self.quality.frame(time.perf_counter() - began)

    def press(self, symbol: int, modifiers: int) -> bool:
        """Key down: cameras are the window's own business, everything is handed on."""
        meaning = self.meaning.get(symbol)
        if symbol in self.help_keys:
            self.scene.hud.help = not self.scene.hud.help
            return True
        if symbol == self.felt_key:
            self.scene.hud.felt = not self.scene.hud.felt
            return True
        if meaning is None:
            return False
        self.writer.set(meaning, True)
        if meaning == "camera":
            self.scene.camera.next()
        elif meaning.startswith("camera_"):
            self.scene.camera.kind = CAMERAS[int(meaning[-1]) - 1]
            self.scene.camera.cut()
        elif meaning == "escape":
            self.close()
        return True

    def release(self, symbol: int, modifiers: int) -> bool:
        """Key up."""
        meaning = self.meaning.get(symbol)
        if meaning is not None:
            self.writer.set(meaning, False)
        return meaning is not None


def _say(state: Record, text: str) -> None:
    state[0]["message"] = text.encode()
