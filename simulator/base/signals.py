"""Ctrl-C, `kill` and a closed terminal, heard from the first moment of the program to its last.

A thread of its own hears them, through the pipe into which Python's C level writes: the main thread may be inside the compiler for
minutes. Unless somebody asked to be told instead (`on_signal`), the program then leaves at once, with one line and nothing left behind.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator

from simulator.base import cleanup
from simulator.base.console import open_missing

WORDS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "the terminal was closed"}
"""What is said, by the name of the signal."""

_SHOW_CURSOR = b"\r\x1b[K\x1b[?25h"

_state = threading.RLock()
_listener: Callable[[int], None] | None = None
_installed = False


class EndedBySignal(BaseException):
    """A command was ended by a signal, in an orderly way."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class StopRequest:
    """Notes what came from outside, for those that look now and then."""

    def __init__(self) -> None:
        self.first: int | None = None
        """The first signal."""
        self.count = 0

    def __call__(self, number: int) -> None:
        """A signal came."""
        self.first = number if self.first is None else self.first
        self.count += 1

    def raise_if_requested(self) -> None:
        """Raise Ended if a signal came."""
        if self.first is not None:
            raise EndedBySignal(self.first)


def words(number: int) -> str:
    """What is said about a signal."""
    return WORDS[signal.Signals(number).name]


def exit_code(number: int) -> int:
    """130 after Ctrl-C, 143 otherwise."""
    return 128 + (signal.SIGINT if number == signal.SIGINT else signal.SIGTERM)


def install() -> Callable[[], None]:
    """Hear signals from now on; calling what is returned undoes it. Does nothing outside the main thread, or a second time."""
    global _installed  # noqa: PLW0603 (a process has one set of signal handlers)
    if _installed or threading.current_thread() is not threading.main_thread():
        return _nothing
    _installed = True
    open_missing()  # or the pipe below takes the place of a standard stream
    handler, stop_hearing = _start_hearing() if os.name == "posix" else (_in_main_thread, _nothing)
    before = {}
    for name in WORDS:
        number = getattr(signal, name, None)
        if number is not None and not (name == "SIGHUP" and signal.getsignal(number) == signal.SIG_IGN):  # as nohup leaves it
            before[number] = signal.signal(number, handler)

    def undo() -> None:
        global _installed  # noqa: PLW0603
        for number, handler in before.items():
            signal.signal(number, handler)
        stop_hearing()
        _installed = False

    return undo


def _start_hearing() -> tuple[Callable, Callable[[], None]]:
    """A thread at the pipe of the signals; the handler to install, and how to end the thread."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_hear, args=(reading,), name="signals", daemon=True).start()

    def stop() -> None:
        signal.set_wakeup_fd(-1)
        os.close(writing)

    return _elsewhere, stop


def ignore_signals() -> None:
    """The program is about to end with its own code, which a signal must not change any more. Does nothing where none are heard."""
    for name in WORDS if _installed else ():
        number = getattr(signal, name, None)
        if number is not None:
            signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def on_signal(listener: Callable[[int], None]) -> Iterator[None]:
    """Have `listener` called with the number of every signal instead of leaving at once; it is called in another thread."""
    global _listener  # noqa: PLW0603
    undo = install()
    with _state:
        before, _listener = _listener, listener
    try:
        yield
    finally:
        with _state:
            _listener = before
        undo()


def leave(number: int) -> None:
    """End the program now, whatever it is doing."""
    cleanup.remove_all()
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr is not None and sys.stderr.isatty():
            os.write(2, _SHOW_CURSOR)
        os.write(2, f"jounce: {words(number)}\n".encode())
    os._exit(exit_code(number))


def block_if_exiting() -> None:
    """Not return if a signal is ending the program right now: what fails then may fail because of it, since it ends the children first."""
    with _state:
        """The thread that hears holds it until the end."""


def _hear(reading: int) -> None:
    known = {getattr(signal, name, None) for name in WORDS}
    while data := os.read(reading, 64):
        for number in data:
            if number in known:
                _received(number)
    os.close(reading)


def _received(number: int) -> None:
    with _state:
        listener = _listener
        if listener is None:
            leave(number)
        else:
            listener(number)


def _nothing() -> None:
    """What undoes nothing."""


def _elsewhere(_number: int, _frame: object) -> None:
    """The thread that listens has heard it too."""


def _in_main_thread(number: int, _frame: object) -> None:
    """Where there is no pipe to listen at (Windows)."""
    _received(number)
