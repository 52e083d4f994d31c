"""Windows of several screens: one scene drawn once for each screen, from the same state, and shown together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import app, gl

from simulator.view.displays import Display, check_screens, load_displays, plain_warp, shot_through, warp_triangles
from simulator.view.gl_context import full_screen_on, monitors, window_context
from simulator.view.gl_objects import Mesh, Program, TextureFrame
from simulator.view.shot import Shot
from simulator.view.user_settings import UserSettings, displays_file

WINDOW = (960, 540)
"""Pixels of a window that does not fill its monitor."""


class _Screen:
    """One screen: its window, the image that it shows, and the mesh on which it shows it."""

    def __init__(self, display: Display, window: Any) -> None:
        self.display, self.window = display, window
        self._frame: TextureFrame | None = None
        window.switch_to()
        self._program = Program("warp", lit=False)
        self._mesh = Mesh(warp_triangles(plain_warp() if display.warp is None else display.warp), (2, 2, 1))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        width, height = self.window.get_framebuffer_size()
        return max(int(width), 1), max(int(height), 1)

    def frame(self, home: Any) -> TextureFrame:
        """Return the surface of the image, which belongs to the context of the window `home`."""
        if self._frame is None or (self._frame.width, self._frame.height) != self.size:
            home.switch_to()
            if self._frame is not None:
                self._frame.delete()
            self._frame = TextureFrame(*self.size)
        return self._frame

    def show(self) -> None:
        """Draw the image on the mesh, in the context of the window."""
        assert self._frame is not None
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        gl.glViewport(0, 0, *self.size)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glClearColor(0.0, 0.0, 0.0, 1.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)
        self._program.use().set(image=self._frame.bind(0))
        self._mesh.draw()


def hand_over_keys(window: Any, home: Any) -> None:
    """Let a window pass its keys to the window `home`: any of the windows may have the focus. Its own Esc would close it."""

    def handler(event: str) -> Any:
        def passed(*values: Any) -> bool:
            home.dispatch_event(event, *values)
            return True

        return passed

    window.push_handlers(**{event: handler(event) for event in ("on_key_press", "on_key_release", "on_deactivate")})


class DisplayWindows:
    """Windows of the screens around the driver.

    Parameters
    ----------
    displays : screens, one of them with the instruments
    home : window of the screen with the instruments, which gets the keys of all windows
    """

    def __init__(self, displays: Sequence[Display], home: Any, caption: str) -> None:
        self._home = home
        self._screens: list[_Screen] = []
        for number, display in enumerate(displays):
            window = home if display.instruments else window_context(*WINDOW, f"{caption} - screen {number + 1}", samples=1, vsync=False)
            if window is not home:
                app.windows.discard(window)  # the event loop would draw it on its own
                hand_over_keys(window, home)
            if display.full_screen:
                full_screen_on(window, display.screen)
            self._screens.append(_Screen(display, window))
        home.switch_to()

    def draw(self, scene: Any, shot: Shot, state: Any, far: float, head: NDArray[np.float64] | None) -> None:
        """Draw the views of a state through all screens, and show those of the other windows. The instruments are drawn afterwards."""
        self._home.switch_to()
        for screen in self._screens:
            width, height = screen.size
            frame = screen.frame(self._home)
            view = shot_through(screen.display, shot, width / height, far, head)
            scene.draw_from(view, state, frame.id, width, height)
        gl.glFlush()  # the other contexts see the finished images
        for screen in self._screens:
            if screen.window is not self._home:
                screen.window.switch_to()
                screen.show()
                screen.window.flip()
        self._home.switch_to()
        next(screen for screen in self._screens if screen.window is self._home).show()

    def dispatch(self) -> bool:
        """Process the events of the other windows; return whether the user has closed one."""
        closed = False
        for screen in self._screens:
            if screen.window is not self._home:
                screen.window.switch_to()
                screen.window.dispatch_events()
                closed |= bool(screen.window.has_exit)
        self._home.switch_to()
        return closed

    def close(self) -> None:
        """Close the other windows."""
        for screen in self._screens:
            if screen.window is not self._home:
                app.windows.add(screen.window)
                screen.window.close()


def displays_of(settings: UserSettings, home: Any, caption: str) -> DisplayWindows | None:
    """Return the windows of the screens in the settings of a user; None if they name no file. Raises JounceError."""
    if not settings.displays:
        return None
    displays = load_displays(displays_file(settings))
    check_screens(displays, len(monitors()))
    return DisplayWindows(displays, home, caption)
