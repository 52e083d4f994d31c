"""Where the poses of a stream are to be at any instant: a smooth curve through packets that come unevenly, late or not at all.

Packets are numbered in even steps of the sender's time; the wall clock only says when they came. The curve is a quadratic B-spline
over the numbers, whose velocity is continuous and whose acceleration is that from packet to packet, never more. It is read `LAG` behind
the newest packet, which is what such a spline needs plus a margin for uneven arrival. A missing packet is put on the line between
its neighbors, one that is late is foretold at constant velocity.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

KEPT = 64
"""Poses remembered."""

NEEDED = 3
"""Poses from which place and velocity are known."""

LARGEST_GAP = 9
"""Steps between two poses that are bridged. More: the curve begins anew."""

LAG_STEPS, LAG_MARGIN, SMALLEST_MARGIN = 1.5, 0.5, 0.002
"""1, 1, s. Steps between the newest pose and the place read when it comes: what the spline needs, and the margin for late packets."""

PULL = 0.05
"""1. Share by which the reading is brought nearer to `LAG` behind with every packet. Larger: follows drift and trembles with arrivals."""

SHORTEST_INTERVAL, LONGEST_INTERVAL = 0.0005, 0.05
"""s. Intervals between poses are taken to lie between these."""

LARGEST_ERROR, LARGEST_ERROR_STEPS = 0.02, 2.5
"""s, 1. A reading that is further off, after a burst or a pause of the sender, jumps."""


class PoseCurve:
    """Poses by number; see the module's text. `add` every packet's pose, then `read` at the place that `advance` has moved."""

    def __init__(self) -> None:
        self.interval = SHORTEST_INTERVAL
        """Time between poses [s]."""
        self._poses = np.zeros((KEPT, 6))
        self._oldest = self._newest = 0
        self._count = 0
        self._place = 0.0

    @property
    def ready(self) -> bool:
        """Whether place and velocity are known."""
        return self._count >= NEEDED

    @property
    def lag(self) -> float:
        """Delay [s] between a packet that comes in time and its pose being read."""
        return LAG_STEPS * self.interval + max(LAG_MARGIN * self.interval, SMALLEST_MARGIN)

    def forget(self) -> None:
        """Begin anew with the next pose."""
        self._count = 0

    @property
    def foretells(self) -> bool:
        """Whether what is read rests on poses that have not come."""
        return self._place + 1.5 >= self._newest + 1

    def joins(self, steps: int, interval: float) -> bool:
        """Whether a pose `steps` after the last one, with `interval` seconds between steps, goes on with the curve."""
        return self._count > 0 and 0 < steps <= LARGEST_GAP and bounded(interval) == self.interval

    def add(self, pose: NDArray[np.float64], steps: int, interval: float) -> None:
        """Next pose (6,); one that does not join begins a new curve."""
        if not self.joins(steps, interval):
            self._count = 0
            self._oldest = self._newest + 1
            self.interval = bounded(interval)
            steps = 1
        before = self._poses[self._newest % KEPT].copy()
        for k in range(1, steps + 1):
            self._newest += 1
            self._poses[self._newest % KEPT] = before + k / steps * (pose - before) if k < steps else pose
        self._count += 1
        self._oldest = max(self._oldest, self._newest - KEPT + 1)

    def error(self, age: float) -> float:
        """Seconds that the place is behind the one to be read `age` seconds after the newest pose came."""
        return (self._newest - self._place) * self.interval + age - self.lag

    def settle(self, age: float) -> None:
        """Put the place where it is to be `age` seconds after the newest pose came."""
        self._place += self.error(age) / self.interval

    def pull(self, age: float) -> None:
        """The same, but gently, unless it is far off."""
        error = self.error(age)
        far = abs(error) > max(LARGEST_ERROR, LARGEST_ERROR_STEPS * self.interval)
        self._place += (1.0 if far else PULL) * error / self.interval

    def advance(self, h: float) -> None:
        """h seconds pass."""
        self._place += h / self.interval

    def read(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Pose (6,) [m, rad] and its rates (6,) at the place."""
        middle = math.floor(self._place + 0.5)
        u = self._place + 0.5 - middle
        a, b, c = self._pose(middle - 1), self._pose(middle), self._pose(middle + 1)
        pose = 0.5 * (1.0 - u) ** 2 * a + (0.5 + u - u * u) * b + 0.5 * u * u * c
        return pose, ((u - 1.0) * a + (1.0 - 2.0 * u) * b + u * c) / self.interval

    def _pose(self, number: int) -> NDArray[np.float64]:
        """Pose of a number, on a straight line beyond the ends."""
        end, inner = (self._newest, self._newest - 1) if number > self._newest else (self._oldest, self._oldest + 1)
        if self._oldest <= number <= self._newest or self._newest == self._oldest:
            return self._poses[min(self._newest, max(self._oldest, number)) % KEPT]
        return self._poses[end % KEPT] + abs(number - end) * (self._poses[end % KEPT] - self._poses[inner % KEPT])


def bounded(interval: float) -> float:
    """An interval [s] as it is used."""
    return min(LONGEST_INTERVAL, max(SHORTEST_INTERVAL, interval))
