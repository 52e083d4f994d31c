"""Says that kernels are being compiled, by whatever command: the first use on a machine takes minutes, in which nothing else happens."""

from __future__ import annotations

import contextlib
import shutil
import sys
import threading
import time
from collections.abc import Iterator

from simulator.base import compile_events
from simulator.base.console import print_error

TEXT = "compiling the physics, once for this version and machine; this may take minutes"
PERIOD = 0.25
"""s between two looks of the spinner."""
TURNS = "|/-\\"

_quiet = 0


@contextlib.contextmanager
def announced() -> Iterator[None]:
    """One line on the error stream as soon as something is compiled, and on a terminal a line below it that shows what."""
    with compile_events.on_compile(_Announcer()):
        yield


@contextlib.contextmanager
def said_elsewhere() -> Iterator[None]:
    """Somebody else says that something is compiled."""
    global _quiet  # noqa: PLW0603 (a process has one error stream)
    _quiet += 1
    try:
        yield
    finally:
        _quiet -= 1


class _Announcer:
    def __init__(self) -> None:
        self._names: list[str] = []
        self._began = 0.0
        self._said = False
        self._spinner: threading.Thread | None = None

    def __call__(self, name: str, begins: bool) -> None:
        if not begins:
            if name in self._names:
                self._names.remove(name)
            if not self._names and self._spinner is not None:
                self._spinner.join()
                self._spinner = None
            return
        if not self._names:
            self._begin()
        self._names.append(name)

    def _begin(self) -> None:
        if _quiet:
            return
        if not self._said:
            self._said = True
            self._began = time.perf_counter()
            print_error(TEXT)
        if self._spinner is None and sys.stderr.isatty():
            self._spinner = threading.Thread(target=self._spin, daemon=True)
            self._spinner.start()

    def _spin(self) -> None:
        """Show the outermost kernel and the time so far, on one line that vanishes."""
        turn = 0
        time.sleep(PERIOD)  # so that what takes a moment does not flicker, and the first name is there
        while self._names:
            width = shutil.get_terminal_size().columns
            text = f"{TURNS[turn % len(TURNS)]} {time.perf_counter() - self._began:.0f} s: {self._names[0]}"
            with contextlib.suppress(OSError, ValueError, IndexError):
                sys.stderr.write("\r\x1b[K" + text[: max(0, width - 1)])
                sys.stderr.flush()
            turn += 1
            time.sleep(PERIOD)
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
