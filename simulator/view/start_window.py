"""Window of a drive before its physics is compiled: python -m simulator.view.start_window; a bar with the progress.

Each line of the standard input is a JSON object with `text` and `fraction`. The window closes when the input ends.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from typing import Any

from simulator.base.errors import JounceError
from simulator.view.gl_context import window_context
from simulator.view.instruments import BLUE, DIM, INK, NORMAL, PANEL, SMALL, TRACK, Canvas, Font, asset
from simulator.view.window import CAPTION, NORMAL_DPI, SIZE

CLOSED = 3
"""Exit code after the user has closed the window."""
FRAME_TIME = 0.1
"""s between two frames: the compiler needs the processor."""
HEADING = "compiling the physics, once for this version and machine"
BACKGROUND = (0.16, 0.18, 0.20, 1.0)
PANEL_SIZE = (600.0, 132.0)


class Progress:
    """Latest line of the input."""

    def __init__(self) -> None:
        self.text, self.fraction, self.ended = "", 0.0, False

    def follow(self, lines: Any) -> None:
        """Read the lines to their end; runs in a thread."""
        for line in lines:
            try:
                message = json.loads(line)
                self.text, self.fraction = str(message["text"]), float(message["fraction"])
            except (ValueError, KeyError, TypeError):
                continue
        self.ended = True


def draw_progress(c: Canvas, progress: Progress, width: float, height: float) -> None:
    """Add the panel with the progress at the center of the image."""
    w, h = PANEL_SIZE
    x, y = 0.5 * (width - w), 0.5 * (height - h)
    share = min(max(progress.fraction, 0.0), 1.0)
    c.box(x, y, w, h, PANEL, 10.0)
    c.text(x + 0.5 * w, y + 18.0, HEADING, NORMAL, INK, 0.5)
    c.box(x + 24.0, y + 58.0, w - 48.0, 14.0, TRACK, 7.0)
    c.box(x + 24.0, y + 58.0, max((w - 48.0) * share, 14.0), 14.0, BLUE, 7.0)
    c.text(x + 24.0, y + 88.0, progress.text, SMALL, DIM)
    c.text(x + w - 24.0, y + 88.0, f"{100.0 * share:.0f} %", SMALL, DIM, 1.0)


def main() -> int:
    """Return 0 after the end of the input, CLOSED when the user has closed the window, 2 when it cannot be opened."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    progress = Progress()
    threading.Thread(target=progress.follow, args=(sys.stdin,), daemon=True).start()
    try:
        window = window_context(*SIZE, CAPTION, samples=1)
    except JounceError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    from pyglet import gl

    from simulator.view.instrument_renderer import CanvasRenderer

    canvas = Canvas(Font(asset("fonts/hud.npz")))
    renderer = CanvasRenderer(canvas.font)
    while not progress.ended:
        window.switch_to()
        window.dispatch_events()
        if window.has_exit:
            return CLOSED
        width, height = window.get_framebuffer_size()
        scale = min(max(window.dpi / NORMAL_DPI, 1.0), width / PANEL_SIZE[0], height / PANEL_SIZE[1])
        gl.glViewport(0, 0, width, height)
        gl.glClearColor(*BACKGROUND)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)
        canvas.clear()
        draw_progress(canvas, progress, width / scale, height / scale)
        renderer.draw(canvas, width / scale, height / scale)
        window.flip()
        time.sleep(FRAME_TIME)
    return 0


if __name__ == "__main__":
    sys.exit(main())
