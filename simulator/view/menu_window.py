"""Keys and mouse of a pyglet window for a menu."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simulator.view.key_bindings import name_of
from simulator.view.menu import Menu


def key_name(symbol: int) -> str | None:
    """Return the name of a key of pyglet in `key_bindings`; None for a key without one."""
    from pyglet.window import key

    return name_of(key.symbol_string(symbol))


class MenuMouse:
    """Mouse events of a window for the menu that is open.

    Parameters
    ----------
    window : pyglet window
    menu : returns the open menu; None without one
    scale : returns the pixels of the image per pixel of the canvas of the menu
    """

    def __init__(self, window: Any, menu: Callable[[], Menu | None], scale: Callable[[], float]) -> None:
        self._window, self._menu, self._scale = window, menu, scale
        window.push_handlers(on_mouse_motion=self.move, on_mouse_drag=self.drag, on_mouse_press=self.press, on_mouse_scroll=self.scroll)

    def move(self, x: float, y: float, dx: float, dy: float) -> bool:
        """Select the row under the mouse."""
        menu = self._menu()
        if menu is None:
            return False
        menu.point(*self._place(x, y))
        return True

    def drag(self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int) -> bool:
        """Select the row under the mouse while a button is down."""
        return self.move(x, y, dx, dy)

    def press(self, x: float, y: float, button: int, modifiers: int) -> bool:
        """Choose the row under the mouse; the right button leaves the page."""
        from pyglet.window import mouse

        menu = self._menu()
        if menu is None:
            return False
        if button == mouse.LEFT:
            menu.click(*self._place(x, y))
        elif button == mouse.RIGHT:
            menu.back()
        return True

    def scroll(self, x: float, y: float, scroll_x: float, scroll_y: float) -> bool:
        """Scroll the page."""
        menu = self._menu()
        if menu is None or scroll_y == 0:
            return False
        menu.scroll(scroll_y)
        return True

    def _place(self, x: float, y: float) -> tuple[float, float]:
        """Return the place on the canvas, whose y axis points down."""
        width, height = self._window.get_size()
        pixels = self._window.get_framebuffer_size()[0] / max(width, 1)
        scale = self._scale()
        return x * pixels / scale, (height - y) * pixels / scale
