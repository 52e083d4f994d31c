"""Process of the start screen: python -m simulator.start_screen; reads values as JSON, prints the choice as JSON.

The window and the devices are in a process of their own, so that the drive begins without the libraries of the window. The end of the
standard input ends the process: the program that has started it is gone.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.start_screen.choice import initial_choice
from simulator.start_screen.last_drive import LastDrivePages
from simulator.start_screen.live_picture import LivePicture
from simulator.start_screen.open_start_screen import CHOICE, FOLDER, LAST_KEY, WATCH, LastDrive
from simulator.start_screen.pages import Devices, StartPage
from simulator.view.gl_context import show_full_screen, window_context
from simulator.view.instruments import INK, PANEL, SMALL, Canvas, Font, asset, wrapped
from simulator.view.menu import Menu, menu_scale
from simulator.view.menu_window import MenuMouse, key_name
from simulator.view.settings_pages import LiveSettings
from simulator.view.user_settings import load_settings
from simulator.view.window import CAPTION, NORMAL_DPI, SIZE

FRAME_TIME = 1.0 / 60.0
"""s between two looks at keys, mouse and devices."""
PLACE = 0.03
"""Place of the menu, left of the vehicle in the picture."""
BACKGROUND = (0.16, 0.18, 0.20, 1.0)


class StartScreen:
    """Window with the start page, until the user drives or quits."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.window = window_context(*SIZE, CAPTION, samples=1)
        self.live = LiveSettings(load_settings())
        from simulator.view.instrument_renderer import CanvasRenderer

        self.canvas = Canvas(Font(asset("fonts/hud.npz")))
        from simulator.view.menu_pictures import Backdrop, MenuPictures

        self.renderer, self.pictures = CanvasRenderer(self.canvas.font), MenuPictures()
        self.devices = Devices()
        self.drives = self.watches = self.ended = False
        choice = initial_choice(self.live.value.start, given, given.get(FOLDER, ""))
        recorded = LastDrivePages(LastDrive(**given.get(LAST_KEY, {})), self.watch, lambda: self.menu)
        self.page = StartPage(choice, self.live, self.devices, lambda: self.menu, self.drive, recorded)
        self.menu = Menu(self.page, self.end, shade=False, place=PLACE)
        self.live_picture, self.backdrop = LivePicture(given.get(FOLDER, "")), Backdrop()
        self.drawn: tuple[Any, ...] = ()
        self.window.push_handlers(on_key_press=self.press, on_expose=self.expose)
        MenuMouse(self.window, lambda: self.menu, lambda: self.scale)

    @property
    def scale(self) -> float:
        """Pixels of the image per pixel of the canvas."""
        width, height = self.window.get_framebuffer_size()
        ratio = max(self.window.dpi / NORMAL_DPI, width / max(self.window.get_size()[0], 1))
        return menu_scale(width, height, ratio, self.live.value.text_scale)

    def run(self) -> dict[str, str] | None:
        """Return the choice; None if the user quits."""
        while not (self.ended or self.drives or self.watches or self.window.has_exit):
            began = time.perf_counter()
            self.window.switch_to()
            self.window.dispatch_events()
            show_full_screen(self.window, self.live.value.full_screen)
            self.devices.poll()
            for name in self.devices.menu_keys():
                self.menu.button(name)
            if self.draw():
                self.window.flip()
            time.sleep(max(FRAME_TIME - (time.perf_counter() - began), 0.0))
        self.menu.page.close()  # ends the rendering of a video
        self.live_picture.close()
        self.devices.close()
        self.window.close()
        if not (self.drives or self.watches):
            return None
        if self.drives:
            self.live.change(start=self.page.choice)
        return self.page.choice

    def draw(self) -> bool:
        """Draw one frame if it differs from the last one; return whether it does."""
        from pyglet import gl

        width, height = self.window.get_framebuffer_size()
        scale = self.scale
        self.live_picture.show(self.page.choice)
        image = self.live_picture.take()
        self.canvas.clear()
        self.menu.draw(self.canvas, width / scale, height / scale)
        if self.live_picture.text:
            draw_note(self.canvas, self.live_picture.text, width / scale, height / scale)
        content = (width, height, scale, self.canvas.vertices().tobytes(), tuple(self.menu.pictures))
        if image is None and content == self.drawn:
            return False
        self.drawn = content
        if image is not None:
            self.backdrop.show(image)
        gl.glViewport(0, 0, width, height)
        gl.glClearColor(*BACKGROUND)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)
        self.backdrop.draw(width, height)
        self.renderer.draw(self.canvas, width / scale, height / scale)
        self.pictures.draw(self.menu.pictures, width / scale, height / scale)
        return True

    def expose(self) -> None:
        """Draw the next frame in any case: the window was covered."""
        self.drawn = ()

    def press(self, symbol: int, modifiers: int) -> bool:
        """Process a key."""
        name = key_name(symbol)
        if name is None or self.menu.key(name):
            return True
        if name in self.live.value.keys["full_screen"]:
            self.live.change(full_screen=not self.live.value.full_screen)
        return True

    def drive(self) -> None:
        """End with the choice."""
        self.drives = True

    def watch(self) -> None:
        """End with the choice, to watch the last drive."""
        self.watches = True

    def end(self) -> None:
        """End without a choice."""
        self.ended = True


def draw_note(c: Canvas, text: str, width: float, height: float) -> None:
    """Add a line at the lower edge of the image."""
    lines = wrapped(text, lambda part: c.font.width(part, SMALL), width - 80.0)[:2]
    c.box(20.0, height - 20.0 - 18.0 * len(lines), width - 40.0, 12.0 + 18.0 * len(lines), (*PANEL[:3], 0.75), 6.0)
    for k, line in enumerate(lines):
        c.text(width - 32.0, height - 14.0 - 18.0 * (len(lines) - k), line, SMALL, INK, 1.0)


def main() -> int:
    """Return 0 after a choice, which is then on the standard output, or after the user has quit; 2 with a line for each mistake."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the program that has started this one
    given: dict[str, Any] = json.loads(sys.stdin.readline() or "{}")
    try:
        screen = StartScreen(given)
        threading.Thread(target=_watch, args=(screen,), daemon=True).start()
        choice = screen.run()
    except JounceError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    print(json_text({CHOICE: choice, WATCH: screen.watches} if screen.watches else {CHOICE: choice}), flush=True)
    return 0


def _watch(screen: StartScreen) -> None:
    """End the screen when the standard input ends; runs in a thread."""
    for _ in sys.stdin:
        pass
    screen.end()


if __name__ == "__main__":
    sys.exit(main())
