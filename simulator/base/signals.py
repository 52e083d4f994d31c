"""Handling of Ctrl-C, `kill` and a closed terminal, from the start of the program to its end.

A thread reads the signals from the wake-up pipe of Python, because the main thread can be inside the compiler for minutes. Unless a
listener is registered (`on_signal`), the program cleans up, prints one line and exits at once.
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

MESSAGES = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "the terminal was closed"}
"""Message by the name of the signal."""

_SHOW_CURSOR = b"\r\x1b[K\x1b[?25h"

_state = threading.RLock()
_listener: Callable[[int], None] | None = None
_installed = False


class EndedBySignal(BaseException):
    """Raised when a command ends in an orderly way after a signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class StopRequest:
    """Listener that records signals, for code that polls."""

    def __init__(self) -> None:
        self.first: int | None = None
        """Number of the first signal; None: no signal."""
        self.count = 0

    def __call__(self, number: int) -> None:
        """Record a signal."""
        self.first = number if self.first is None else self.first
        self.count += 1

    def raise_if_requested(self) -> None:
        """Raise EndedBySignal if a signal was recorded."""
        if self.first is not None:
            raise EndedBySignal(self.first)


PATIENCE = 1.0
"""s. Time that a second signal gives a program to react to the first one; longer: the user waits, shorter: a slow run leaves half a log."""


class StopOrExit(StopRequest):
    """Listener of a program without a platform: the second signal ends a program that does not react, for example in a driver that hangs."""

    def __init__(self) -> None:
        super().__init__()
        self._seen = threading.Event()

    def __call__(self, number: int) -> None:
        """Record a signal; exit at the second one, unless the program has polled since the first."""
        super().__call__(number)
        if self.count > 1 and not self._seen.wait(PATIENCE):
            exit_now(number)

    def poll(self) -> bool:
        """Return whether a signal was recorded; a program that polls reacts."""
        if self.first is not None:
            self._seen.set()
        return self.first is not None


def signal_message(number: int) -> str:
    """Return the message about a signal."""
    return MESSAGES[signal.Signals(number).name]


def exit_code(number: int) -> int:
    """Return the exit code: 130 after Ctrl-C, else 143."""
    return 128 + (signal.SIGINT if number == signal.SIGINT else signal.SIGTERM)


def install() -> Callable[[], None]:
    """Install the signal handlers, and return a function that removes them. No effect outside the main thread or at a second call."""
    global _installed  # noqa: PLW0603 (a process has one set of signal handlers)
    if _installed or threading.current_thread() is not threading.main_thread():
        return _do_nothing
    _installed = True
    open_missing()  # otherwise the pipe gets the descriptor of a missing standard stream
    handler, stop_thread = _start_thread() if os.name == "posix" else (_handle_in_main_thread, _do_nothing)
    before = {}
    for name in MESSAGES:
        number = getattr(signal, name, None)
        if number is not None and not (name == "SIGHUP" and signal.getsignal(number) == signal.SIG_IGN):  # nohup ignores SIGHUP
            before[number] = signal.signal(number, handler)

    def undo() -> None:
        global _installed  # noqa: PLW0603
        for number, handler in before.items():
            signal.signal(number, handler)
        stop_thread()
        _installed = False

    return undo


def _start_thread() -> tuple[Callable, Callable[[], None]]:
    """Start the thread that reads the wake-up pipe; return the handler to install and a function that ends the thread."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_read_signals, args=(reading,), name="signals", daemon=True).start()

    def stop() -> None:
        signal.set_wakeup_fd(-1)
        os.close(writing)

    return _ignore, stop


def ignore_signals() -> None:
    """Ignore signals from now on, so that they do not change the exit code. No effect if the handlers are not installed."""
    for name in MESSAGES if _installed else ():
        number = getattr(signal, name, None)
        if number is not None:
            signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def on_signal(listener: Callable[[int], None]) -> Iterator[None]:
    """Within the block, call `listener` with the number of each signal, in another thread, instead of exiting at once."""
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


def exit_now(number: int) -> None:
    """Clean up and end the program immediately."""
    cleanup.remove_all()
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr is not None and sys.stderr.isatty():
            os.write(2, _SHOW_CURSOR)
        os.write(2, f"jounce: {signal_message(number)}\n".encode())
    os._exit(exit_code(number))


def block_if_exiting() -> None:
    """Block forever if a signal is ending the program: an error at that time may be due to the children that were killed."""
    with _state:
        """The thread that ends the program never releases the lock."""


def _read_signals(reading: int) -> None:
    """Read signal numbers from the pipe; runs in the thread."""
    known = {getattr(signal, name, None) for name in MESSAGES}
    while data := os.read(reading, 64):
        for number in data:
            if number in known:
                _dispatch(number)
    os.close(reading)


def _dispatch(number: int) -> None:
    """Call the listener, or exit if there is none."""
    with _state:
        listener = _listener
        if listener is None:
            exit_now(number)
        else:
            listener(number)


def _do_nothing() -> None:
    """Do nothing."""


def _ignore(_number: int, _frame: object) -> None:
    """Do nothing: the thread handles the signal."""


def _handle_in_main_thread(number: int, _frame: object) -> None:
    """Handle a signal on systems without a wake-up pipe (Windows)."""
    _dispatch(number)
