"""Creation of an OpenGL 3.3 context: a window on the screen, or an offscreen surface."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

from simulator.base.errors import DeviceError

DESKTOP_SYSTEMS = ("win32", "darwin")
"""Systems whose windows need no variable that names a display."""
EGL_PACKAGES = "libegl1 libgl1"
"""Debian packages with EGL, OpenGL and Mesa's software renderer."""


WINDOW_PACKAGES = "libgl1 libxrender1"
"""Debian packages for a window under X."""


def offscreen_context() -> Any:
    """Create a hidden pyglet window: through EGL, and on the desktop on Windows and macOS, which have no EGL. Raises DeviceError: no OpenGL 3.3."""
    import pyglet

    is_desktop = sys.platform in DESKTOP_SYSTEMS
    pyglet.options.headless = not is_desktop
    pyglet.options.shadow_window = False
    pyglet.options.debug_gl = False
    try:
        import pyglet.window

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return pyglet.window.Window(16, 16, config=_config(), visible=False)
    except Exception as error:
        what, expected = (
            ("OpenGL 3.3", "a desktop and its graphics driver") if is_desktop else ("EGL with OpenGL 3.3", f"the packages {EGL_PACKAGES}")
        )
        raise DeviceError(f"offscreen rendering: cannot use {what} ({_first_line(error)}); expected {expected}") from error


def window_context(width: int, height: int, caption: str, samples: int, vsync: bool = True) -> Any:
    """Create a visible pyglet window. Raises DeviceError when there is no display or no OpenGL 3.3.

    vsync : True = a frame is shown when the screen is ready for it, if the graphics driver allows this
    """
    if not display_available():
        raise DeviceError("window: no display found (neither DISPLAY nor WAYLAND_DISPLAY is set); expected a desktop, or use --offscreen")
    import pyglet

    pyglet.options.shadow_window = False
    pyglet.options.debug_gl = False
    try:
        import pyglet.window

        look = {"caption": caption, "resizable": True, "vsync": vsync}
        try:
            return pyglet.window.Window(width, height, config=_config(samples), **look)
        except pyglet.window.NoSuchConfigException:
            return pyglet.window.Window(width, height, config=_config(), **look)
    except Exception as error:
        raise DeviceError(
            f"window: cannot open ({_first_line(error)}); expected a display with OpenGL 3.3, packages {WINDOW_PACKAGES}"
        ) from error


def show_full_screen(window: Any, fills: bool) -> bool:
    """Let a window fill its screen, or not; return whether this has changed. Call this between two frames, not in an event of the window.

    Under X this is another window, which does not hear the release of a key that is down now.
    """
    if bool(window.fullscreen) == fills:
        return False
    window.set_fullscreen(fills)
    pressed = getattr(window, "pressed_keys", None)
    if pressed is not None:  # otherwise pyglet takes the next press of such a key for a repetition
        pressed.clear()
    window.activate()
    window.switch_to()
    return True


def full_screen_on(window: Any, number: int) -> None:
    """Let a window fill the monitor with this number."""
    window.set_fullscreen(True, screen=monitors()[number])


def monitors() -> list[Any]:
    """Return the monitors of the display."""
    import pyglet

    return list(pyglet.display.get_display().get_screens())


def display_available() -> bool:
    """Return whether a display for a window exists."""
    if sys.platform in DESKTOP_SYSTEMS:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def is_software(name: str) -> bool:
    """Return whether this renderer runs on the processor."""
    return any(word in name.lower() for word in ("llvmpipe", "softpipe", "swrast", "swiftshader", "software"))


def _config(samples: int = 1) -> Any:
    from pyglet.gl import Config

    smooth = {"sample_buffers": 1, "samples": samples} if samples > 1 else {}
    return Config(major_version=3, minor_version=3, forward_compatible=True, depth_size=24, double_buffer=True, **smooth)  # type: ignore[abstract]


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
