"""Window process: draws the states from the host and passes keys to the host."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from simulator.view.adaptive_resolution import GRAPHICS, GraphicsLevel, Quality
from simulator.view.camera import TURNED_BY_DRAG
from simulator.view.camera_names import CAMERA_EVENTS, CAMERAS, following_camera
from simulator.view.detail import LEVELS
from simulator.view.drive_lock import HostWatch
from simulator.view.gl_context import is_software, show_full_screen, window_context
from simulator.view.guide import Guide
from simulator.view.guided_cameras import FAST_KEY, FLIGHT
from simulator.view.head_tracking import HeadTracker, HeadTracking
from simulator.view.key_bindings import ACTIONS, meanings
from simulator.view.look_around import LOOK_KEYS, LookAround
from simulator.view.make_terrain_data import make_terrain_data
from simulator.view.measured_level import draw_all_once, measured_scene, state_at_start
from simulator.view.menu_window import MenuMouse, key_name
from simulator.view.object_follower import ObjectFollower
from simulator.view.pause_menu import PauseMenu
from simulator.view.settings_pages import LiveSettings
from simulator.view.shared_keys import KEYS, KeyWriter, NoKeys
from simulator.view.shared_state import MENU_PRESSES, OPEN_MENU, WINDOW_ACTIONS, ViewReader
from simulator.view.terrain_data import TerrainData
from simulator.view.timeline import Timeline
from simulator.view.user_settings import UserSettings, load_settings

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
    closed_by_user = ends_drive = False
    try:
        view = _View(reader, writer, ground if isinstance(ground, TerrainData) else make_terrain_data(ground), geometry, host, caption)
        view.scene.camera.kind = camera
        view.run()
        closed_by_user, ends_drive = view.closed_by_user, view.ends_drive
    finally:
        writer.close(closed_by_user, ends_drive)
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
        self.closed_by_user = self.ends_drive = False
        settings = load_settings()
        self.window = window_context(*SIZE, caption, samples=4, vsync=settings.vsync)
        from simulator.view.gl_objects import renderer

        self.live = LiveSettings(settings, self.change)
        graphics = GRAPHICS[self.live.value.graphics]
        software = is_software(renderer())
        samples = 1 if software and graphics.adapts else graphics.samples
        if samples == 1 and self.window.config.samples:
            # four samples per pixel would halve the frame rate of a software renderer
            self.window.close()
            self.window = window_context(*SIZE, caption, samples=1, vsync=settings.vsync)
        self.shortest = SOFTWARE_FRAME_TIME if software else MIN_FRAME_TIME
        from simulator.view.display_windows import displays_of
        from simulator.view.inset_renderer import Insets

        self.measured = self.live.value.measured
        self.scene = self._make_scene(terrain, geometry, graphics, software, renderer())
        self.scene.displays = displays_of(settings, self.window, caption)
        self.vsync = settings.vsync
        self.tracker = (
            HeadTracker(HeadTracking(settings.head_tracking_port, settings.head_tracking_address)) if settings.head_tracking else None
        )
        draw_all_once(self.scene, state_at_start(terrain, geometry), self.window.get_framebuffer_size())
        self.scene.cockpit.take_turns()
        self.scene.hud.insets = Insets.of_drive(host.folder)
        self.scene.show_ghost(host.folder)
        self.scene.hud.timeline = Timeline.of_drive(host.folder)
        self.objects = ObjectFollower(reader, host.folder)
        self.quality = Quality() if software else None
        self.look = LookAround()
        self.pause_menu = PauseMenu(self.live, self.tap, self.end_drive, read_only=isinstance(writer, NoKeys))
        self.guide_is_due = self.live.value.guide and not self.pause_menu.read_only
        self.apply(self.live.value)
        if self.measured != self.live.value.measured and not self.pause_menu.read_only:
            self.live.change(measured=self.measured)
        self.last = time.perf_counter()
        self.last_data = self.last
        self.generation = -1
        self.scrubs = False
        """True while the mouse drags on the time line of a replay."""
        self.menu_presses: NDArray[np.int64] | None = None
        """Presses in the last frame; None before the first one."""
        self.drawn_time = -1.0
        """Simulated time of the last frame [s]."""
        self.window.push_handlers(
            on_draw=self.draw,
            on_key_press=self.press,
            on_key_release=self.release,
            on_mouse_press=self.press_mouse,
            on_mouse_drag=self.drag_mouse,
            on_mouse_release=self.release_mouse,
            on_mouse_scroll=self.scroll,
            on_deactivate=self.release_all,
            on_close=self.close,
        )
        MenuMouse(self.window, lambda: self.pause_menu.menu, lambda: self.scene.hud.menu_scale(*self.window.get_framebuffer_size()))

    def _make_scene(self, terrain: TerrainData, geometry: Mapping[str, Any], graphics: GraphicsLevel, software: bool, renderer: str) -> Any:
        """Return the scene at the level of the settings; `auto` is measured once for each renderer."""
        from simulator.view.scene import Scene

        measured = self.measured
        if graphics.detail is not None:
            return Scene(terrain, geometry, detail=graphics.detail)
        if measured.get(renderer) in LEVELS:
            return Scene(terrain, geometry, detail=LEVELS[measured[renderer]])
        scene, level = measured_scene(terrain, geometry, "low" if software else "high", self.window.get_framebuffer_size())
        self.measured = {**measured, renderer: level}
        return scene

    def change(self, settings: UserSettings) -> None:
        """Let changed settings take effect here and in the host."""
        self.apply(settings)
        self.writer.note_settings(self.live.volume, settings.steering_speed)

    def apply(self, settings: UserSettings) -> None:
        """Let settings of the user take effect in this window."""
        sent = {action.name: action.sent for action in ACTIONS}
        self.meaning = {key: sent[action] or action for key, action in meanings(settings.keys).items()}
        self.scene.hud.settings = settings
        camera = self.scene.camera
        camera.shakes, camera.field_of_view = settings.camera_shake, settings.field_of_view
        camera.seat = np.array([settings.seat_forward, 0.0, settings.seat_height])
        camera.map_up = settings.map_up
        if not settings.mouse_look:
            self.look.let_go()

    def release_all(self) -> None:
        """Release keys and mouse: the window has lost the focus, or a menu opens."""
        self.writer.release_all()
        self.look.release_all()
        self.scene.camera.flight.keys.clear()

    def tap(self, key: str) -> None:
        """Press and release a key of `simulator.view.shared_keys.KEYS`."""
        self.writer.set(key, True)
        self.writer.set(key, False)

    def run(self) -> None:
        import pyglet

        pyglet.app.run(interval=0)
        if self.scene.hud.insets is not None:
            self.scene.hud.insets.close()
        if self.scene.displays is not None:
            self.scene.displays.close()
        if self.tracker is not None:
            self.tracker.close()
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

    def end_drive(self) -> None:
        """End the drive by a key or the menu."""
        self.ends_drive = True
        self.close()

    def draw(self) -> None:
        """Draw one frame."""
        now = time.perf_counter()
        if now - self.last < self.shortest:
            time.sleep(self.shortest - (now - self.last))
            now = time.perf_counter()
        passed, self.last = now - self.last, now
        dt = min(passed, 0.1)
        self._follow_screens()
        self.writer.note_shown(self.drawn_time)  # pyglet has handed over the last frame before it draws the next one
        if self.reader.closed or self.host.gone or not self.writer.owns:
            self.leave()
            return
        if self.reader.read():
            self.last_data = now
        self.scene.show_ruts(self.reader.new_ruts())
        self.objects.update(self.scene)
        state = self.reader.interpolated(now)
        self.scene.place_vehicles(self.reader.interpolated_vehicles(now))
        if self.tracker is not None:
            self.scene.head = self.tracker.update(dt)
        if self.reader.generation != self.generation:
            self.generation = self.reader.generation
            self.scene.cut()
        if self.reader.published:
            if now - self.last_data > SILENCE:
                _show(state, "no data from the host")
            width, height = self.window.get_framebuffer_size()
            self._show_guide(state, passed)
            self.pause_menu.switch.see(bool(state[0]["paused"] or state[0]["replays"]))  # the drive is paused while a replay is shown
            self._press_buttons()
            self.scene.hud.menu = self.pause_menu.menu
            self.writer.note_menu(self.pause_menu.menu is not None)
            self._follow_drive()
            self.scene.hud.ratio = max(self.window.dpi / NORMAL_DPI, width / max(self.window.get_size()[0], 1))
            self.scene.draw(state, dt, 0, width, height)
            self._adapt_resolution(now)
            self.drawn_time = float(state[0]["time"])
        self.writer.beat()

    def _follow_screens(self) -> None:
        """Follow the settings of the screen and the windows of other screens."""
        if self.scene.displays is not None:
            if self.scene.displays.dispatch():
                self.close()
        elif show_full_screen(self.window, self.live.value.full_screen):
            self.release_all()
        if self.vsync != self.live.value.vsync:
            self.vsync = self.live.value.vsync
            self.window.set_vsync(self.vsync)

    def _follow_drive(self) -> None:
        """Follow the volume of the drive and the stick for the view."""
        last = self.reader.last[0]
        if self.scene.hud.timeline is None and not self.pause_menu.read_only:
            self.live.follow_volume(float(last["volume"]), in_menu=self.pause_menu.menu is not None)
        self.scene.camera.look = self.look.target((0.0, 0.0) if self.pause_menu.menu is not None else last["look"])

    def _press_buttons(self) -> None:
        """Let the buttons of devices that were pressed since the last frame act on the menu, or open it."""
        presses, before = self.reader.last[0]["menu_presses"].copy(), self.menu_presses
        self.menu_presses = presses
        if self.pause_menu.read_only or before is None:
            return
        for key, count in zip(MENU_PRESSES, presses - before, strict=True):
            for _ in range(int(count)):
                self._press_button(key)

    def _press_button(self, key: str) -> None:
        menu, guide = self.pause_menu.menu, self.scene.hud.guide
        if key in WINDOW_ACTIONS:
            if menu is None:
                self._change_window(key)
        elif menu is None and key == OPEN_MENU:
            self._change_window("menu")
        elif menu is None and guide is not None and key != "ESCAPE":
            guide.take_key(key)
            self._end_guide()
        elif menu is not None and key == OPEN_MENU:
            self.pause_menu.close()
        elif menu is not None:
            menu.button(key)

    def _adapt_resolution(self, began: float) -> None:
        graphics = GRAPHICS[self.live.value.graphics]
        self.scene.scale = graphics.scale
        if self.quality is not None and graphics.adapts:
            from pyglet import gl

            gl.glFinish()
            self.scene.scale = min(graphics.scale, self.quality.frame(time.perf_counter() - began))

    def _show_guide(self, state: Record, passed: float) -> None:
        """Show the guide at the first drive of a person, `passed` s after the last frame, and save that they have seen it."""
        hud = self.scene.hud
        if hud.guide is None and self.guide_is_due and state[0]["by_person"]:
            hud.guide = Guide(self.live.value.keys)
        if hud.guide is None or hud.guide.over:
            return
        if not (state[0]["paused"] or hud.help or hud.menu is not None):
            hud.guide.advance(min(passed, 1.0))
        self._end_guide()

    def _end_guide(self) -> None:
        guide = self.scene.hud.guide
        if guide is not None and guide.over and self.guide_is_due:
            self.guide_is_due = False
            self.live.change(guide=False)

    def press(self, symbol: int, modifiers: int) -> bool:
        """Process a key press: menu, cameras and instruments are changed in the window, other keys are passed to the host."""
        name = key_name(symbol)
        hud, menu = self.scene.hud, self.pause_menu.menu
        if menu is not None:
            if name is not None:
                menu.key(name)
            return True
        if hud.guide is not None and hud.guide.take_key(name):
            self._end_guide()
            return True
        if self.scene.camera.kind == "free" and name in (*FLIGHT, FAST_KEY):
            self.scene.camera.flight.keys.add(name)
            return True
        meaning = self.meaning.get(name or "")
        if meaning is None:
            return False
        if meaning not in KEYS:
            self._change_window(meaning)
            return True
        self.writer.set(meaning, True)
        if meaning == "escape":
            self.end_drive()
        else:
            self._change_window(meaning)
        return True

    def _change_window(self, action: str) -> None:
        """Do an action of the window itself."""
        hud = self.scene.hud
        if action == "help":
            hud.help = not hud.help
        elif action == "motion_chart":
            self._switch_charts()
        elif action in CAMERA_EVENTS:
            self._change_camera(action)
        elif action == "insets":
            hud.shows_insets = not hud.shows_insets
        elif action in LOOK_KEYS:
            self.look.press(action)
        elif action == "full_screen":
            self.live.change(full_screen=not self.live.value.full_screen)
        elif action == "menu" and hud.help:
            hud.help = False
        elif action == "menu" and hud.timeline is not None:  # a recorded drive
            self.close()
        elif action == "menu":
            self.release_all()
            self.pause_menu.open()

    def _change_camera(self, action: str) -> None:
        """Change the camera, and report another one than the host knows of."""
        camera = self.scene.camera
        camera.select(following_camera(camera.kind, action, self.live.value.cameras))
        if action == CAMERA_EVENTS[0]:
            self.tap(CAMERA_EVENTS[1 + CAMERAS.index(camera.kind)])

    def _switch_charts(self) -> None:
        """Show or hide the plots of a recorded drive, or the strip chart of the motion."""
        hud = self.scene.hud
        if hud.timeline is not None:
            hud.shows_plots = not hud.shows_plots
        else:
            hud.shows_motion_chart = not hud.shows_motion_chart

    def press_mouse(self, x: int, y: int, button: int, modifiers: int) -> None:
        """Select a place of the time line of a replay."""
        self.scrubs = self._is_on_bar(y)
        self._point(x)

    def drag_mouse(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        """Select a place of the time line of a replay, which the mouse may leave while it drags; elsewhere, look around."""
        if self.scrubs:
            self._point(x)
        elif self.live.value.mouse_look and self.scene.camera.kind in TURNED_BY_DRAG:
            self.scene.camera.drag(dx, dy)
        elif self.live.value.mouse_look:
            self.look.drag(dx, dy)

    def release_mouse(self, x: int, y: int, button: int, modifiers: int) -> None:
        """Look to the front again."""
        self.scrubs = False
        self.look.let_go()

    def scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        """Bring orbit or map nearer."""
        if self.pause_menu.menu is None:
            self.scene.camera.zoom(scroll_y)

    def _is_on_bar(self, y: float) -> bool:
        """Return whether the mouse is on the time line of a replay."""
        bar, height, pixels = self.scene.hud.bar, self.window.get_size()[1], self.window.get_framebuffer_size()[1]
        return bar is not None and bar.y <= pixels - y * pixels / height <= bar.y + bar.height

    def _point(self, x: float) -> None:
        bar = self.scene.hud.bar
        if self.scrubs and bar is not None:
            x *= self.window.get_framebuffer_size()[0] / self.window.get_size()[0]
            self.writer.point(min(max((x - bar.x) / bar.width, 0.0), 1.0))

    def release(self, symbol: int, modifiers: int) -> bool:
        """Process a key release."""
        self.scene.camera.flight.keys.discard(key_name(symbol) or "")
        meaning = self.meaning.get(key_name(symbol) or "")
        if meaning is not None and meaning in KEYS:
            self.writer.set(meaning, False)
        elif meaning in LOOK_KEYS:
            self.look.release(meaning)
        return meaning is not None


def _show(state: Record, text: str) -> None:
    state[0]["message"] = text.encode()
