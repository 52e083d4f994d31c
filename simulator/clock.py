"""Real time: absolute deadlines, a short spin before each, and honest counting when the machine does not keep up."""

from __future__ import annotations

import gc
import os
import sys
import time
from dataclasses import dataclass

SPIN = 200e-6
"""s. The last part of every wait is spent looking at the clock. Larger: wastes the core, and a real-time thread is throttled by the
system. Smaller: late wake-ups show."""

CATCH_UP = 5
"""Ticks of debt that are made up by not sleeping; a larger debt is dropped, and counted."""

WINDOW = 1.0
"""s over which the real-time factor is measured."""


@dataclass
class Clock:
    """Paces ticks of `h` seconds against the wall clock.

    Deadlines are absolute, so that sleeping too long once does not shift all later ticks. A tick that begins late by less than
    CATCH_UP ticks is followed at once by the next; beyond that the debt is dropped: simulated time then falls behind wall time.
    """

    h: float
    overruns: int = 0
    """Ticks that began more than one tick late."""
    dropped: float = 0.0
    """Wall time given up so far [s]."""
    real_time_factor: float = 1.0
    """Simulated over wall time in the last WINDOW."""
    worst_lateness: float = 0.0
    """Largest lateness of a tick since the start [s]."""
    _deadline: float = 0.0
    _window: tuple[float, int] = (0.0, 0)
    _ticks: int = 0
    _began: float = 0.0

    @property
    def paced(self) -> float:
        """Time of all ticks since the start [s]: what the wall clock would show had every tick been on time."""
        return self._ticks * self.h

    @property
    def elapsed(self) -> float:
        """Wall time since the start [s]."""
        return time.perf_counter() - self._began

    def start(self) -> None:
        """The first tick is due now."""
        self._began = time.perf_counter()
        self._deadline = time.perf_counter()
        self._window = (self._deadline, self._ticks)

    def wait(self) -> None:
        """Return when the next tick is due."""
        now = time.perf_counter()
        ahead = self._deadline - now
        if ahead > SPIN:
            time.sleep(ahead - SPIN)
        while (now := time.perf_counter()) < self._deadline:
            pass
        late = now - self._deadline
        self.worst_lateness = max(self.worst_lateness, late)
        if late > self.h:
            self.overruns += 1
            if late > CATCH_UP * self.h:
                self.dropped += late
                self._deadline = now
        self._deadline += self.h
        self._ticks += 1
        began, ticks = self._window
        if now - began >= WINDOW:
            self.real_time_factor = (self._ticks - ticks) * self.h / (now - began)
            self._window = (now, self._ticks)


def prepare_process() -> list[str]:
    """Give this process what a steady rate needs, as far as the system allows; returns a line for each thing that it does not.

    Collecting garbage once and never again (a collection takes longer than a hundred ticks), and real-time priority.
    """
    gc.collect()
    gc.freeze()
    gc.disable()
    missing = []
    if sys.platform.startswith("linux"):
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
        except (OSError, AttributeError):
            missing.append("no real-time priority (SCHED_FIFO): ticks may come late while other programs are busy")
    return missing


def release_process() -> None:
    """Undo `prepare_process` after the last tick, so that writing results is done in peace."""
    gc.enable()
    gc.unfreeze()
    if sys.platform.startswith("linux"):
        try:
            if os.sched_getscheduler(0) != os.SCHED_OTHER:
                os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        except OSError:
            gc.collect()
