"""Progress of the compilation of the kernels: the present part, the finished fraction and the time that is left.

The time of each part is that of the last compilation on this machine, and without one a usual time. It is scaled with the parts that are
done, as the machine may be busy.
"""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from simulator.base.json_output import json_text

TIMES = {
    "ground": 6.0,
    "motion cueing": 17.0,
    "virtual platform": 2.0,
    "suspension, chassis and tires": 52.0,
    "engine, gearbox, brakes and vehicle step": 14.0,
    "complete tick": 4.0,
    "drivers": 5.0,
}
"""s. Parts in their order, and their usual times on two cores."""
ONE_CORE = 1.6
"""1. Factor of the usual times on one core."""
OVERDUE = 1.25
"""1. A part that takes longer than expected is expected to take this multiple of its time so far."""
PARTIAL_FRACTION = 0.3
"""1. Fraction of the usual time below which a compilation counts as partial."""
FILE_NAME = "compile_seconds.json"


class CompileProgress:
    """Progress of one compilation.

    Parameters
    ----------
    expected : expected time of each part [s], in the order of the parts
    """

    def __init__(self, expected: Mapping[str, float], clock: Callable[[], float] = time.perf_counter) -> None:
        self._expected, self._clock = dict(expected), clock
        self._began = clock()
        self._largest = 0.0
        self.seconds: dict[str, float] = {}
        """Time of each part that is done [s]."""

    def done(self) -> tuple[str, float]:
        """End the present part; return its name and its time [s]."""
        part, seconds = self.part, self._in_part
        self.seconds[part] = seconds
        self._began = self._clock()
        return part, seconds

    @property
    def part(self) -> str:
        """Name of the present part; empty at the end."""
        return next((name for name in self._expected if name not in self.seconds), "")

    @property
    def remaining(self) -> float:
        """Expected time to the end [s]."""
        part, now = self.part, self._in_part
        later = sum(expected for name, expected in self._expected.items() if name not in self.seconds and name != part)
        present = max(self._expected.get(part, 0.0) * self._pace, OVERDUE * now) - now if part else 0.0
        return present + later * self._pace

    @property
    def fraction(self) -> float:
        """Finished fraction of the time; it never decreases, also if the rest takes longer than expected."""
        passed = sum(self.seconds.values()) + self._in_part if self.part else 1.0
        self._largest = max(self._largest, passed / (passed + self.remaining) if passed > 0.0 else 0.0)
        return self._largest

    @property
    def text(self) -> str:
        """Present part and remaining time, for example "about 40 s left: motion cueing"."""
        return f"{time_left(self.remaining)}: {self.part}" if self.part else "done"

    @property
    def _in_part(self) -> float:
        return self._clock() - self._began

    @property
    def _pace(self) -> float:
        """Times of the parts that are done relative to their expected times."""
        expected = sum(self._expected[name] for name in self.seconds)
        return sum(self.seconds.values()) / expected if expected > 0.0 else 1.0


def time_left(seconds: float) -> str:
    """Return a remaining time in words, rounded as roughly as it is known.

    >>> time_left(3.0), time_left(38.0), time_left(95.0), time_left(400.0)
    ('a few seconds left', 'about 40 s left', 'about 2 min left', 'about 7 min left')
    """
    if seconds < 5.0:
        return "a few seconds left"
    return f"about {10 * math.ceil(seconds / 10.0)} s left" if seconds <= 90.0 else f"about {math.ceil(seconds / 60.0)} min left"


def expected_times(folder: Path, cores: int) -> dict[str, float]:
    """Return the expected times of the parts: those of the last compilation in a cache folder, else the usual ones."""
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
        saved = {str(name): float(seconds) for name, seconds in json.loads((folder / FILE_NAME).read_text(encoding="utf-8")).items()}
        if saved.keys() == TIMES.keys() and all(0.0 < seconds < math.inf for seconds in saved.values()):
            return {name: saved[name] for name in TIMES}
    return {name: seconds * (1.0 if cores > 1 else ONE_CORE) for name, seconds in TIMES.items()}


def save_times(folder: Path, seconds: Mapping[str, float]) -> None:
    """Save the times of a compilation for the next one, if possible, unless most kernels were on disk already."""
    if sum(seconds.values()) < PARTIAL_FRACTION * sum(TIMES.values()):
        return
    with contextlib.suppress(OSError):
        (folder / FILE_NAME).write_text(json_text(dict(seconds)) + "\n", encoding="utf-8")
