"""Messages about the compilation of kernels, which takes minutes at the first use on a machine."""

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
"""Period of the spinner [s]."""
FRAMES = "|/-\\"

_quiet = _reports = 0


@contextlib.contextmanager
def report_compilation() -> Iterator[None]:
    """Print one line when the first kernel is compiled, and on a terminal a status line with the name of the kernel."""
    global _reports  # noqa: PLW0603 (a process has one error stream)
    with compile_events.on_compile(_Reporter()):
        _reports += 1
        try:
            yield
        finally:
            _reports -= 1


def reports() -> bool:
    """Return whether compilations are reported, as in a command."""
    return _reports > 0


@contextlib.contextmanager
def suppress_messages() -> Iterator[None]:
    """Suppress the messages within the block; the caller prints its own."""
    global _quiet  # noqa: PLW0603 (a process has one error stream)
    _quiet += 1
    try:
        yield
    finally:
        _quiet -= 1


class _Reporter:
    """Listener that prints the messages."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._began = 0.0
        self._is_printed = False
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
        if not self._is_printed:
            self._is_printed = True
            self._began = time.perf_counter()
            print_error(TEXT)
        if self._spinner is None and sys.stderr.isatty():
            self._spinner = threading.Thread(target=self._spin, daemon=True)
            self._spinner.start()

    def _spin(self) -> None:
        """Show the outermost kernel and the elapsed time on a line that is cleared at the end."""
        n = 0
        time.sleep(PERIOD)  # avoids flicker for a short compilation; the first name is set then
        while self._names:
            width = shutil.get_terminal_size().columns
            name = self._names[0].rpartition(".")[2]  # without the function around it
            text = f"{FRAMES[n % len(FRAMES)]} {time.perf_counter() - self._began:.0f} s: {name}"
            with contextlib.suppress(OSError, ValueError, IndexError):
                sys.stderr.write("\r\x1b[K" + text[: max(0, width - 1)])
                sys.stderr.flush()
            n += 1
            time.sleep(PERIOD)
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
