"""Real-time clock: absolute deadlines, a short busy wait before each deadline, and statistics of late ticks."""

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
"""s. Last part of every wait, which is a busy wait. Larger: uses more of the core, and the system throttles a real-time thread. Smaller:
late wake-ups make ticks late."""

CATCH_UP = 5
"""Ticks of delay that are caught up by not sleeping; a larger delay is dropped, and counted."""

WINDOW = 1.0
"""s over which the real-time factor is measured."""


BIN_ENDS = (0.1e-3, 0.2e-3, 0.5e-3, 1e-3, 2e-3, 5e-3, 10e-3)
"""s. Upper ends of the displayed bins; the last bin has no upper end."""

_FINE = 24
"""Internal bins per decade of lateness; the error of a quantile is at most 10 %."""
_ENDS = tuple(sorted({*BIN_ENDS, *(1e-6 * 10.0 ** (i / _FINE) for i in range(7 * _FINE + 1))}))
"""s. Upper ends of the internal bins, from 1 us to 10 s."""


class Lateness:
    """Histogram of times of ticks, such as their lateness, in constant memory."""

    def __init__(self) -> None:
        self.count = 0
        self.worst = 0.0
        """Largest lateness [s]."""
        self._counts = [0] * (len(_ENDS) + 1)

    def add(self, late: float) -> None:
        """Count one tick that began `late` s after its deadline."""
        self.count += 1
        self._counts[bisect_left(_ENDS, late)] += 1
        self.worst = max(self.worst, late)

    def bins(self) -> list[tuple[float, int]]:
        """Return (upper end [s], ticks) of the displayed bins; the last end is infinite."""
        out, first = [], 0
        for end in (*BIN_ENDS, math.inf):
            last = bisect_left(_ENDS, end) + 1
            out.append((end, sum(self._counts[first:last])))
            first = last
        return out

    def quantile(self, share: float) -> float:
        """Return the lateness [s] that the fraction `share` of the ticks does not exceed, at most 10 % too large; 0 without ticks."""
        required, total = share * self.count, 0
        for end, count in zip(_ENDS, self._counts, strict=False):
            total += count
            if count and total >= required:
                return min(end, self.worst)
        return self.worst

    def to_json(self) -> dict[str, Any]:
        """Return ticks, bins and quantiles for files; the upper end of the last bin is null."""
        return {
            "ticks": self.count,
            "bins": [{"to_ms": 1e3 * end if end < math.inf else None, "ticks": count} for end, count in self.bins()],
            **{f"p{percent:g}_ms": 1e3 * self.quantile(percent / 100.0) for percent in (50.0, 99.0, 99.9)},
            "max_ms": 1e3 * self.worst,
        }


def lateness_text(summary: Mapping[str, Any]) -> str:
    """Return the output of `Lateness.to_json` as three lines of text.

    >>> lateness = Lateness()
    >>> for late in (20e-6, 30e-6, 300e-6, 40e-3):
    ...     lateness.add(late)
    >>> print(lateness_text(lateness.to_json()))
    lateness of 4 ticks: p50 0.032 ms, p99 40.000 ms, p99.9 40.000 ms, max 40.000 ms
      ms     <= 0.1  0.2  0.5  1  2  5  10  more
      ticks       2    0    1  0  0  0   0     1
    """
    ends = ["more" if b["to_ms"] is None else f"{b['to_ms']:g}" for b in summary["bins"]]
    ends[0] = f"<= {ends[0]}"
    counts = [str(b["ticks"]) for b in summary["bins"]]
    widths = [max(len(end), len(count)) + 2 for end, count in zip(ends, counts, strict=True)]
    quantiles = ", ".join(f"{name} {summary[name + '_ms']:.3f} ms" for name in ("p50", "p99", "p99.9", "max"))
    return "\n".join(
        [
            f"lateness of {summary['ticks']} ticks: {quantiles}",
            "  ms   " + "".join(end.rjust(width) for end, width in zip(ends, widths, strict=True)),
            "  ticks" + "".join(count.rjust(width) for count, width in zip(counts, widths, strict=True)),
        ]
    )


@dataclass
class Clock:
    """Paces ticks of `h` seconds against the wall clock.

    Deadlines are absolute, so that one late wake-up does not shift all later ticks. After a tick that begins late by at most CATCH_UP
    ticks, the next tick follows at once. A larger delay is dropped: simulated time then falls behind wall time.
    """

    h: float
    overruns: int = 0
    """Ticks that began more than one tick late."""
    dropped: float = 0.0
    """Total dropped wall time [s]."""
    real_time_factor: float = 1.0
    """Simulated time divided by wall time over the last WINDOW."""
    lateness: Lateness = field(default_factory=Lateness)
    """Histogram of the lateness since the start."""
    cost: Lateness = field(default_factory=Lateness)
    """Histogram of the computation time of the ticks since the start, with the work of the host between two ticks."""
    last_lateness: float = 0.0
    """Lateness of the last tick [s]."""
    recent_lateness: float = 0.0
    """Largest lateness of a tick [s] since the last reset to zero by a reader."""
    _deadline: float = 0.0
    _window: tuple[float, int] = (0.0, 0)
    _ticks: int = 0
    _began: float = 0.0
    _woke: float = 0.0
    """Time at which the last wait ended; 0 before the first one."""

    @property
    def worst_lateness(self) -> float:
        """Largest lateness of a tick since the start [s]."""
        return self.lateness.worst

    @property
    def paced(self) -> float:
        """Time of all ticks since the start [s]: the elapsed wall time if every tick had been on time."""
        return self._ticks * self.h

    @property
    def elapsed(self) -> float:
        """Wall time since the start [s]."""
        return time.perf_counter() - self._began

    def start(self) -> None:
        """Set the deadline of the first tick to now."""
        self._began = time.perf_counter()
        self._deadline, self._woke = time.perf_counter(), 0.0
        self._window = (self._deadline, self._ticks)

    def wait(self) -> None:
        """Return when the next tick is due."""
        now = time.perf_counter()
        if self._woke:
            self.cost.add(now - self._woke)
        ahead = self._deadline - now
        if ahead > SPIN:
            time.sleep(ahead - SPIN)
        while (now := time.perf_counter()) < self._deadline:
            pass
        self._woke = now
        late = now - self._deadline
        self.lateness.add(late)
        self.last_lateness = late
        self.recent_lateness = max(self.recent_lateness, late)
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
    """Prepare this process for a steady tick rate, as far as the system allows. Return one line for each setting that failed.

    Collect garbage once and then never again (a collection takes longer than a hundred ticks), and set real-time priority.
    """
    gc.collect()
    gc.freeze()
    gc.disable()
    if sys.platform.startswith("linux") and not take_real_time_priority():
        return ["no real-time priority (SCHED_FIFO); ticks may be late while other programs are busy"]
    return []


def take_real_time_priority(priority: int = 50) -> bool:
    """Set real-time priority for this process, and its threads from now on, and return True; False if the system does not permit it."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except (OSError, AttributeError):
        return False
    return True


def release_process() -> None:
    """Undo `prepare_process` after the last tick, so that writing results runs with normal priority."""
    gc.enable()
    gc.unfreeze()
    if sys.platform.startswith("linux"):
        try:
            if os.sched_getscheduler(0) != os.SCHED_OTHER:
                os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        except OSError:
            gc.collect()
