"""Background threads of plugins written in Python: each plugin is called at its own rate, and the tick does not wait for the result.

The result of one call takes effect at the next call. The simulation is therefore the same whether the call takes a microsecond or nearly the
period, in real time or not. A plugin that raises, returns an invalid result or exceeds its time budget is stopped: `error` gives the
reason in one line, the plugin is not called again, and the simulation continues without it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from simulator.base.errors import JounceError

BUDGET = 0.5
"""Wall time [s] allowed for a result in real time. With a larger value, a platform or a log keeps an old value for longer."""
PATIENCE = 1.0
"""Wall time [s] allowed for a result without real time. The run waits for the result, so that it is the same on a slow machine."""
FIRST = 5.0
"""Wall time [s] allowed for the first result: the first call may compile or import modules."""
SWITCH_INTERVAL = 5e-5
"""Switch interval of Python threads [s]: the delay of a tick by a busy plugin."""


class Stopped(BaseException):
    """Exception raised in the thread of a stopped plugin."""


class PluginThread:
    """Background thread that calls a function of a plugin. Use an instance from one thread only.

    Parameters
    ----------
    name : name in messages, for example "sensor lidar"
    function : called with the arguments of `submit`; array arguments must be copies
    budget, patience : wall time allowed for a result in real time, and without real time [s]; None: PATIENCE

    Attributes
    ----------
    error : reason why the plugin was stopped, in one line; empty while it works
    missed : number of calls of `result` at which the result was not ready
    """

    saved = ("error", "missed", "busy", "_held")
    """State of a settled thread, see `simulator.base.graph_state`."""

    def __init__(self, name: str, function: Callable[..., Any], budget: float = BUDGET, patience: float | None = None) -> None:
        self.name, self.error, self.missed = name, "", 0
        self._function, self._budget, self._patience, self._first = function, budget, patience, True
        self._requests: queue.SimpleQueue[tuple[Any, ...] | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        self._submitted_at = 0.0
        self._held: tuple[Any, BaseException | None] | None = None
        """Result that `settle` has taken over."""
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._calls = self._ends = False
        """True while the function runs, and after `close`. The lock guards both, so that the exception hits only a running function."""
        self.busy = False
        """True from `submit` until the result was taken."""

    def submit(self, *arguments: Any) -> None:
        """Start a call, unless the plugin was stopped or the last call has not ended."""
        if self.error or self.busy:
            return
        if self._thread is None:
            share_python(1)
            if self._ends:  # the state before the end was restored
                self._ends, self._requests, self._results = False, queue.SimpleQueue(), queue.SimpleQueue()
            self._thread = threading.Thread(target=self._work, args=(self._requests, self._results), name=self.name, daemon=True)
            self._thread.start()
        self.busy, self._submitted_at = True, time.monotonic()
        self._requests.put(arguments)

    def result(self, wait: bool) -> Any:
        """Return the result of the last call, or None if there is no new one. With `wait` (not in real time), wait at most `patience`."""
        if self.error or not self.busy:
            return None
        left = self._submitted_at + self._allowed(wait) - time.monotonic()
        held, self._held = self._held, None
        try:
            result, error = held or (self._results.get(timeout=max(0.0, left)) if wait else self._results.get_nowait())
        except queue.Empty:
            self.missed += 1
            if wait or left < 0.0:
                self.stop(f"no result within {self._allowed(wait):g} s")
            return None
        self.busy = self._first = False
        if error is not None:
            self.stop(str(error) if isinstance(error, JounceError) else f"{type(error).__name__}: {error}".rstrip(": "))
            return None
        return result

    def settle(self) -> None:
        """Wait until no call runs; `result` returns later what the call has returned. Raises JounceError: it takes too long."""
        if self.busy and self._held is None and not self.error:
            try:
                self._held = self._results.get(timeout=self._allowed(True))
            except queue.Empty:
                raise JounceError(
                    f"{self.name}: no result within {self._allowed(True):g} s; expected one before a save or a restore"
                ) from None

    def stop(self, reason: str) -> None:
        """Make no further calls; a running call is aborted as soon as it returns to Python code."""
        self.error = f"{self.name} was dropped: {reason}"
        self.close()

    def close(self) -> None:
        """End the thread without waiting for it. A second call has no effect."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        share_python(-1)
        self._requests.put(None)
        with self._lock:
            self._ends = True
            if self._calls and thread.ident is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped))

    def _allowed(self, wait: bool) -> float:
        """Return the wall time allowed for the running call [s]."""
        usual = (PATIENCE if self._patience is None else self._patience) if wait else self._budget
        return max(FIRST, usual) if self._first else usual

    def _work(self, requests: queue.SimpleQueue[Any], results: queue.SimpleQueue[Any]) -> None:
        """Call the function for each request; runs in the thread."""
        with contextlib.suppress(Stopped):
            while (arguments := requests.get()) is not None:
                take_priority()
                with self._lock:
                    if self._ends:
                        return
                    self._calls = True
                try:
                    result, failure = self._function(*arguments), None
                except Stopped:
                    return
                except BaseException as error:  # SystemExit, too, ends only the plugin and not the drive
                    result, failure = None, error
                with self._lock:
                    self._calls = False
                results.put((result, failure))


_running = 0
_usual_interval = 0.0


def share_python(more: int) -> None:
    """Add `more` (+1 or -1) to the number of running plugin threads; while there are any, Python switches threads at SWITCH_INTERVAL."""
    global _running, _usual_interval  # noqa: PLW0603 (the interval belongs to the process)
    if _running == 0:
        _usual_interval = sys.getswitchinterval()
    _running += more
    sys.setswitchinterval(SWITCH_INTERVAL if _running else _usual_interval)


def take_priority() -> None:
    """Give this thread the lowest real-time priority if the tick thread has a real-time priority.

    Without it, other programs could preempt a plugin that holds the global interpreter lock, which delays the ticks. No effect on systems
    without real-time priorities.
    """
    with contextlib.suppress(OSError, AttributeError):
        ticks = os.sched_getscheduler(os.getpid())
        if os.sched_getscheduler(0) != ticks or ticks == os.SCHED_FIFO:
            os.sched_setscheduler(0, ticks, os.sched_param(os.sched_get_priority_min(ticks)))
