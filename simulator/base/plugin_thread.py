"""Tenants written in Python work aside: each in a thread of its own, asked at its own rate, and nobody waits for an answer.

What a tenant is asked at one of its turns counts from its next turn on. So the result is the same whether it takes a microsecond or nearly the
whole period, in real time or not. A tenant that raises, that answers what it must not or that does not answer within its budget is
dropped: `trouble` says why in one line, it is not asked again, and whoever used it goes on without it.
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

BUDGET = 0.5
"""s of wall time for an answer while somebody drives in real time. Larger: a platform or a log holds an old value for longer."""
PATIENCE = 1.0
"""s likewise while nobody waits in real time; until then the run waits, and comes out the same on a slow machine."""
FIRST = 5.0
"""s for the first answer: it may compile or import something."""
SWITCH_INTERVAL = 5e-5
"""s after which Python goes on with another thread although this one is busy: what a busy tenant may delay a tick."""


class Stopped(BaseException):
    """Raised in the thread of a tenant that was dropped."""


class PluginThread:
    """A function of a tenant, called in a thread of its own. Use it from one thread.

    Parameters
    ----------
    name : what it is in words, for messages: "sensor lidar"
    function : called with what `ask` is given; arrays among that must be copies
    budget : s of wall time for an answer in real time

    Attributes
    ----------
    trouble : why it was dropped, in one line; empty while it works
    late : turns at which there was no answer yet
    """

    def __init__(self, name: str, function: Callable[..., Any], budget: float = BUDGET) -> None:
        self.name, self.trouble, self.late = name, "", 0
        self._function, self._budget, self._first = function, budget, True
        self._questions: queue.SimpleQueue[tuple[Any, ...] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        self._asked_at = 0.0
        self._thread: threading.Thread | None = None
        self.busy = False
        """Whether it was asked and has not answered."""

    def ask(self, *arguments: Any) -> None:
        """Begin a call, unless it was dropped or the last one has not ended."""
        if self.trouble or self.busy:
            return
        if self._thread is None:
            share_python(1)
            self._thread = threading.Thread(target=self._work, name=self.name, daemon=True)
            self._thread.start()
        self.busy, self._asked_at = True, time.monotonic()
        self._questions.put(arguments)

    def answer(self, wait: bool) -> Any:
        """What the last call returned; None when there is no news. `wait` for it (not in real time), and for no longer than PATIENCE."""
        if self.trouble or not self.busy:
            return None
        left = self._asked_at + self._allowed(wait) - time.monotonic()
        try:
            result, error = self._answers.get(timeout=max(0.0, left)) if wait else self._answers.get_nowait()
        except queue.Empty:
            self.late += 1
            if wait or left < 0.0:
                self.drop(f"it did not answer within {self._allowed(wait):g} s")
            return None
        self.busy = self._first = False
        if error is not None:
            self.drop(f"{type(error).__name__}: {error}".rstrip(": "))
            return None
        return result

    def drop(self, reason: str) -> None:
        """Do not ask it any more; a call that still goes on is ended as soon as it comes back to Python."""
        self.trouble = f"{self.name} was dropped: {reason}"
        self.close()

    def close(self) -> None:
        """End the thread, without waiting for it. Calling it again does nothing."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        share_python(-1)
        self._questions.put(None)
        if self.busy and thread.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped))

    def _allowed(self, wait: bool) -> float:
        usual = PATIENCE if wait else self._budget
        return max(FIRST, usual) if self._first else usual

    def _work(self) -> None:
        """The thread."""
        with contextlib.suppress(Stopped):
            while (arguments := self._questions.get()) is not None:
                take_priority()
                try:
                    self._answers.put((self._function(*arguments), None))
                except Stopped:
                    return
                except BaseException as error:  # SystemExit too: it ends the tenant, not the drive
                    self._answers.put((None, error))


_at_work = 0
_usual_interval = 0.0


def share_python(more: int) -> None:
    """So many tenants more or less are at work; as long as there are any, Python goes from thread to thread quickly."""
    global _at_work, _usual_interval  # noqa: PLW0603 (a process has one such interval)
    if _at_work == 0:
        _usual_interval = sys.getswitchinterval()
    _at_work += more
    sys.setswitchinterval(SWITCH_INTERVAL if _at_work else _usual_interval)


def take_priority() -> None:
    """The least real-time priority for this thread while the ticks have one, on systems that know such: a tenant that other programs keep
    from running while it holds Python's lock would hold up the ticks too."""
    with contextlib.suppress(OSError, AttributeError):
        ticks = os.sched_getscheduler(os.getpid())
        if os.sched_getscheduler(0) != ticks or ticks == os.SCHED_FIFO:
            os.sched_setscheduler(0, ticks, os.sched_param(os.sched_get_priority_min(ticks)))
