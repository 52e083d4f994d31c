"""Progress on one line of a terminal. A thread writes it, so that a terminal that stops does not stop the work."""

from __future__ import annotations

import contextlib
import shutil
import sys
import threading
from collections.abc import Callable

PERIOD = 0.5
"""s between two updates."""
WIDTH = 24
"""Characters of the bar."""
CLEAR = "\r\x1b[K"


class ProgressLine:
    """Line on the error stream, cleared at the end; nothing without a terminal.

    Parameters
    ----------
    text : called in the thread; returns the line
    """

    def __init__(self, text: Callable[[], str]) -> None:
        self._text, self._ends = text, threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True) if sys.stderr.isatty() else None
        if self._thread is not None:
            self._thread.start()

    def close(self) -> None:
        """Clear the line, and write no more. A second call does nothing."""
        self._ends.set()
        if self._thread is not None:
            self._thread.join(PERIOD)

    def over(self, say: Callable[[str], None]) -> Callable[[str], None]:
        """Return `say` for lines that replace the present line."""

        def cleared(text: str) -> None:
            self._put(CLEAR)
            say(text)

        return say if self._thread is None else cleared

    def _write(self) -> None:
        while not self._ends.wait(PERIOD):
            self._put(CLEAR + self._text()[: max(0, shutil.get_terminal_size().columns - 1)])
        self._put(CLEAR)

    @staticmethod
    def _put(text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()


def bar(name: str, time: float, end: float, more: str = "") -> str:
    """Return a line with a bar.

    >>> bar("stream", 3.0, 12.0, "250 packets/s")
    'stream [######------------------] 3 / 12 s, 250 packets/s'
    """
    return f"{name} [{blocks(time / end if end > 0.0 else 0.0)}] {time:.0f} / {end:.0f} s" + f", {more}" * bool(more)


def blocks(fraction: float, width: int = WIDTH) -> str:
    """Return the inside of a bar."""
    done = min(max(round(width * fraction), 0), width)
    return "#" * done + "-" * (width - done)
