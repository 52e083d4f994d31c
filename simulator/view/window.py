"""Window process: draws the states from the host and passes keys to the host."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from simulator.base.records import Record
from simulator.view.adaptive_resolution import Quality
from simulator.view.camera import CAMERAS
from simulator.view.drive_lock import HostWatch
from simulator.view.gl_context import is_software, window_context
from simulator.view.make_terrain_data import make_terrain_data
from simulator.view.object_follower import ObjectFollower
from simulator.view.shared_state import KeyWriter, NoKeys, ViewReader
from simulator.view.terrain_data import TerrainData
from simulator.view.timeline import Timeline

SIZE = (1280, 720)
CAPTION = "Jounce"
SILENCE = 2.0
"""s without publications after which the window displays a message."""
MIN_FRAME_TIME = 1.0 / 250.0
"""s. Minimum frame time, so that a graphics driver without vertical synchronization does not occupy a core."""
SOFTWARE_FRAME_TIME = 1.0 / 60.0
"""s. Minimum frame time of a software renderer."""
NORMAL_DPI = 96.0
"""Dots per inch of a screen on which text has its normal size."""
BINDINGS = {
    "LEFT": "left", "A": "left", "RIGHT": "right", "D": "right", "UP": "up", "W": "up", "DOWN": "down", "S": "down", "SPACE": "space",
    "R": "reset", "T": "upright", "P": "pause", "C": "camera", "_1": "camera_1", "_2": "camera_2", "_3": "camera_3",
    "PAGEUP": "selector_up", "E": "selector_up", "PAGEDOWN": "selector_down", "Q": "selector_down",
    "X": "shift_up", "Z": "shift_down", "I": "starter", "F": "drive", "N": "neutral", "V": "reverse",
    "B": "parking_brake", "L": "low_range", "K": "center_lock", "M": "motion", "ESCAPE": "escape",
    "PLUS": "intensity_up", "EQUAL": "intensity_up", "NUM_ADD": "intensity_up", "MINUS": "intensity_down", "NUM_SUBTRACT": "intensity_down",
    "J": "washout_next", "PERIOD": "washout_up", "COMMA": "washout_down", "Y": "driver", "U": "last_seconds",
    "RETURN": "horn", "_0": "mute", "BRACKETRIGHT": "volume_up", "BRACKETLEFT": "volume_down",
}  # fmt: skip
"""pyglet's name of each key, and its meaning, an entry of `simulator.view.shared_state.KEYS`."""
HELP_KEYS = ("H", "F1")
"""Keys that show and hide the list of keys; used only by the window."""
MOTION_CHART_KEY = "G"
"""Key that shows and hides the strip chart of the motion; used only by the window."""
INSETS_KEY = "O"
"""Key that shows and hides the images of camera and lidar; used only by the window."""


def run_window(
    block: str,
    keys: str,
    ground: Any,
    geometry: Mapping[str, Any],
    host: HostWatch,
    title: str = "",
    camera: str = CAMERAS[0],
    read_only: bool = False,
) -> None:
    """Open the window and draw until it is closed, or the host leaves or exits.

    Parameters
    ----------
    block, keys : names of the view block and of the key block, both created by the host
    ground : a `terrain.ground.Ground`, or a `TerrainData` made from one
    geometry : rows of `simulator.view.vehicle_geometry.GEOMETRY`
    host : watch on the host process
    title : text for the title bar, after the name of the program
    camera : first camera
    read_only : True if the keys of this window are not used

    Raises DeviceError when a block or the display is missing.
    """
    reader = ViewReader(block)
    writer: KeyWriter | NoKeys = NoKeys() if read_only else KeyWriter(keys)
    caption = f"{CAPTION} - {title}" if title else CAPTION
    closed_by_user = False
    try:
        view = _View(reader, writer, ground if isinstance(ground, TerrainData) else make_terrain_data(ground), geometry, host, caption)
        view.scene.camera.kind = camera
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
        terrain: TerrainData,
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
        self.motion_chart_key, self.insets_key = getattr(key, MOTION_CHART_KEY), getattr(key, INSETS_KEY)
        software = is_software(renderer())
        if software and self.window.config.samples:
            # four samples per pixel would halve the frame rate of a software renderer
            self.window.close()
            self.window = window_context(*SIZE, caption, samples=1)
        self.shortest = SOFTWARE_FRAME_TIME if software else MIN_FRAME_TIME
        from simulator.view.inset_renderer import Insets

        self.scene = Scene(terrain, geometry)
        self.scene.hud.insets = Insets.of_drive(host.folder)
        self.scene.show_ghost(host.folder)
        self.scene.hud.timeline = Timeline.of_drive(host.folder)
        self.objects = ObjectFollower(reader, host.folder)
        self.quality = Quality() if software else None
        self.last = time.perf_counter()
        self.last_data = self.last
        self.generation = -1
        self.window.push_handlers(
            on_draw=self.draw,
            on_key_press=self.press,
            on_key_release=self.release,
            on_mouse_press=self.press_mouse,
            on_mouse_drag=self.drag_mouse,
            on_deactivate=writer.release_all,
            on_close=self.close,
        )

    def run(self) -> None:
        import pyglet

        pyglet.app.run(interval=0)
        if self.scene.hud.insets is not None:
            self.scene.hud.insets.close()
        self.window.close()

    def leave(self) -> None:
        """End after this frame, because windows must not be closed while pyglet iterates over them."""
        import pyglet

        pyglet.app.exit()

    def close(self) -> bool:
        """Close the window on request of the driver."""
        self.closed_by_user = True
        self.leave()
        return True

    def draw(self) -> None:
        """Draw one frame."""
        now = time.perf_counter()
        if now - self.last < self.shortest:
            time.sleep(self.shortest - (now - self.last))
            now = time.perf_counter()
        dt, self.last = min(now - self.last, 0.1), now
        if self.reader.closed or self.host.gone or not self.writer.owns:
            self.leave()
            return
        if self.reader.read():
            self.last_data = now
        self.scene.show_ruts(self.reader.new_ruts())
        self.objects.update(self.scene)
        state = self.reader.interpolated(now)
        if self.reader.generation != self.generation:
            self.generation = self.reader.generation
            self.scene.camera.cut()
        if self.reader.published:
            if now - self.last_data > SILENCE:
                _show(state, "no data from the host")
            width, height = self.window.get_framebuffer_size()
            self.scene.hud.ratio = max(self.window.dpi / NORMAL_DPI, width / max(self.window.get_size()[0], 1))
            self.scene.draw(state, dt, 0, width, height)
            self._adapt_resolution(now)
        self.writer.beat()

    def _adapt_resolution(self, began: float) -> None:
        if self.quality is not None:
            from pyglet import gl

            gl.glFinish()
            self.scene.scale = self.quality.frame(time.perf_counter() - began)

    def press(self, symbol: int, modifiers: int) -> bool:
        """Process a key press: cameras are changed in the window, every key is passed to the host."""
        meaning = self.meaning.get(symbol)
        if symbol in self.help_keys:
            self.scene.hud.help = not self.scene.hud.help
            return True
        if symbol == self.motion_chart_key:
            self._switch_charts()
            return True
        if symbol == self.insets_key:
            self.scene.hud.shows_insets = not self.scene.hud.shows_insets
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

    def _switch_charts(self) -> None:
        """Show or hide the plots of a recorded drive, or the strip chart of the motion."""
        hud = self.scene.hud
        if hud.timeline is not None:
            hud.shows_plots = not hud.shows_plots
        else:
            hud.shows_motion_chart = not hud.shows_motion_chart

    def press_mouse(self, x: int, y: int, button: int, modifiers: int) -> None:
        """Select a place of the time line of a replay."""
        self._point(x, y)

    def drag_mouse(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        """Select a place of the time line of a replay; the mouse may leave the time line while it drags."""
        self._point(x, None)

    def _point(self, x: float, y: float | None) -> None:
        bar = self.scene.hud.bar
        if bar is None:
            return
        (width, height), pixels = self.window.get_size(), self.window.get_framebuffer_size()
        x *= pixels[0] / width
        if y is None or bar.y <= pixels[1] - y * pixels[1] / height <= bar.y + bar.height:
            self.writer.point(min(max((x - bar.x) / bar.width, 0.0), 1.0))

    def release(self, symbol: int, modifiers: int) -> bool:
        """Process a key release."""
        meaning = self.meaning.get(symbol)
        if meaning is not None:
            self.writer.set(meaning, False)
        return meaning is not None


def _show(state: Record, text: str) -> None:
    state[0]["message"] = text.encode()
