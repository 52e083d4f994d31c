"""Background thread that does work from a queue of limited size, for outlets: a tick never waits for a disk or a network."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections import deque
from collections.abc import Callable

from simulator.base.plugin_thread import share_python, take_priority

PERIOD = 0.2
"""Maximum wall time [s] that a thread waits for a signal."""


class WorkThread:
    """Thread that calls functions in the order of `add`. All methods are for one other thread.

    Parameters
    ----------
    name : name of the thread
    limit : size of the work that waits, from which on further work is refused
    on_failure : called in the thread with the error of a function; no further function is called
    """

    def __init__(self, name: str, limit: int, on_failure: Callable[[BaseException], None]) -> None:
        self._limit, self._on_failure = limit, on_failure
        self._queue: deque[tuple[int, Callable[[], None]]] = deque()
        self._put = self._done = 0  # each is written by one thread only
        # not threading.Event: Ctrl-C inside its methods can leave its lock acquired forever
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._space: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._ending = self._stopped = False
        share_python(1)
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def add(self, work: Callable[[], None], size: int, wait: bool) -> bool:
        """Let the thread call a function; if the queue is full, `wait` for space or return False. Ignored after a failure and after `close`."""
        while self._put - self._done > self._limit and not self._stopped:
            if not wait:
                return False
            _signal(self._wake)
            _await(self._space)
        if not self._ending and not self._stopped:
            self._queue.append((size, work))
            self._put += size
            _signal(self._wake)
        return True

    def close(self, last: Callable[[], None], timeout: float) -> bool:
        """Do what waits, then `last`, and end; return False if the thread has not ended after `timeout` [s]. A second call has no effect."""
        if not self._ending:
            self._queue.append((0, last))
            self._ending = True
            _signal(self._wake)
            self._thread.join(timeout)
            share_python(-1)
            if self._thread.is_alive():
                self._stop()
        return not self._thread.is_alive()

    def _work(self) -> None:
        """Body of the thread."""
        while not self._stopped:
            _await(self._wake)
            take_priority()
            is_ending = self._ending  # read before the last pass
            try:
                while self._queue:
                    size, work = self._queue.popleft()
                    work()
                    self._done += size
                    _signal(self._space)
            except BaseException as error:  # otherwise the other thread would wait forever for space
                self._stop()
                self._on_failure(error)
            if is_ending:
                return

    def _stop(self) -> None:
        """Refuse further work and discard what waits."""
        self._stopped = True
        self._queue.clear()
        _signal(self._space)


def _signal(signals: queue.SimpleQueue[None]) -> None:
    if signals.empty():
        signals.put(None)


def _await(signals: queue.SimpleQueue[None]) -> None:
    """Wait for a signal, but not longer than PERIOD."""
    with contextlib.suppress(queue.Empty):
        signals.get(timeout=PERIOD)
