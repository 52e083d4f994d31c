"""Real time: absolute deadlines, a short spin before each, and honest counting when the machine does not keep up."""

from __future__ import annotations

import gc
import math
import os
import sys
import time
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SPIN = 200e-6
"""s. The last part of every wait is spent looking at the clock. Larger: wastes the core, and a real-time thread is throttled by the
system. Smaller: late wake-ups show."""

CATCH_UP = 5
"""Ticks of debt that are made up by not sleeping; a larger debt is dropped, and counted."""

WINDOW = 1.0
"""s over which the real-time factor is measured."""


SHOWN = (0.1e-3, 0.2e-3, 0.5e-3, 1e-3, 2e-3, 5e-3, 10e-3)
"""s. Upper ends of the bins that are shown; the last one has none."""

_FINE = 24
"""Bins per factor of ten in which lateness is counted: a quantile is right within 10 %."""
_ENDS = tuple(sorted({*SHOWN, *(1e-6 * 10.0 ** (i / _FINE) for i in range(7 * _FINE + 1))}))
"""s. Upper ends of those bins, from 1 us to 10 s."""


class Lateness:
    """How late ticks began: counts in bins, in memory that does not grow."""

    def __init__(self) -> None:
        self.count = 0
        self.worst = 0.0
        """Largest lateness [s]."""
        self._counts = [0] * (len(_ENDS) + 1)

    def add(self, late: float) -> None:
        """Count one tick that began `late` s after its time."""
        self.count += 1
        self._counts[bisect_left(_ENDS, late)] += 1
        self.worst = max(self.worst, late)

    def bins(self) -> list[tuple[float, int]]:
        """(upper end [s], ticks) of the bins shown; the last end is infinite."""
        out, first = [], 0
        for end in (*SHOWN, math.inf):
            last = bisect_left(_ENDS, end) + 1
            out.append((end, sum(self._counts[first:last])))
            first = last
        return out

    def quantile(self, share: float) -> float:
        """Lateness [s] that `share` of the ticks do not exceed, at most 10 % too large; 0 without ticks."""
        wanted, seen = share * self.count, 0
        for end, count in zip(_ENDS, self._counts, strict=False):
            seen += count
            if count and seen >= wanted:
                return min(end, self.worst)
        return self.worst

    def to_json(self) -> dict[str, Any]:
        """For files: ticks, bins, quantiles; null for the end of the last bin."""
        return {
            "ticks": self.count,
            "bins": [{"to_ms": 1e3 * end if end < math.inf else None, "ticks": count} for end, count in self.bins()],
            **{f"p{percent:g}_ms": 1e3 * self.quantile(percent / 100.0) for percent in (50.0, 99.0, 99.9)},
            "max_ms": 1e3 * self.worst,
        }


def lateness_text(said: Mapping[str, Any]) -> str:
    """What `Lateness.to_json` says, for people: three lines.

    >>> lateness = Lateness()
    >>> for late in (20e-6, 30e-6, 300e-6, 40e-3):
    ...     lateness.add(late)
    >>> print(lateness_text(lateness.to_json()))
    lateness of 4 ticks: p50 0.032 ms, p99 40.000 ms, p99.9 40.000 ms, max 40.000 ms
      ms     <= 0.1  0.2  0.5  1  2  5  10  more
      ticks       2    0    1  0  0  0   0     1
    """
    ends = ["more" if b["to_ms"] is None else f"{b['to_ms']:g}" for b in said["bins"]]
    ends[0] = f"<= {ends[0]}"
    counts = [str(b["ticks"]) for b in said["bins"]]
    widths = [max(len(end), len(count)) + 2 for end, count in zip(ends, counts, strict=True)]
    quantiles = ", ".join(f"{name} {said[name + '_ms']:.3f} ms" for name in ("p50", "p99", "p99.9", "max"))
    return "\n".join(
        [
            f"lateness of {said['ticks']} ticks: {quantiles}",
            "  ms   " + "".join(end.rjust(width) for end, width in zip(ends, widths, strict=True)),
            "  ticks" + "".join(count.rjust(width) for count, width in zip(counts, widths, strict=True)),
        ]
    )


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
    """Simulated over wall time in the last TERRAIN_CACHE."""
    lateness: Lateness = field(default_factory=Lateness)
    """How late the ticks began since the start."""
    late_lately: float = 0.0
    """Largest lateness of a tick [s] since somebody set this to zero."""
    _deadline: float = 0.0
    _window: tuple[float, int] = (0.0, 0)
    _ticks: int = 0
    _began: float = 0.0

    @property
    def worst_lateness(self) -> float:
        """Largest lateness of a tick since the start [s]."""
        return self.lateness.worst

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
        self.lateness.add(late)
        self.late_lately = max(self.late_lately, late)
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
