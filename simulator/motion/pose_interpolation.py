"""Smooth curve through the poses of a stream whose packets arrive late, unevenly or not at all.

Packets are numbered in even steps of the sender's time; the wall clock only gives their arrival. The curve is a quadratic B-spline
over the numbers: its velocity is continuous, and its acceleration never exceeds that from packet to packet. The curve is read `LAG` behind
the newest packet; the spline needs this distance, plus a margin for uneven arrival. A missing packet is interpolated linearly between
its neighbors, a late packet is predicted at constant velocity.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

CAPACITY = 64
"""Number of stored poses."""

NEEDED = 3
"""Number of poses that define position and velocity."""

LARGEST_GAP = 9
"""Maximum number of steps between two poses that are interpolated. A larger gap restarts the curve."""

LAG_STEPS, LAG_MARGIN, SMALLEST_MARGIN = 1.5, 0.5, 0.002
"""1, 1, s. Steps between the newest pose and the reading position at its arrival: the needs of the spline, and the margin for late packets."""

PULL = 0.05
"""1. Fraction of the deviation from `LAG` that each packet corrects. Larger: follows drift faster, but passes on the arrival jitter."""

SHORTEST_INTERVAL, LONGEST_INTERVAL = 0.0005, 0.05
"""Limits [s] of the interval between poses."""

LARGEST_ERROR, LARGEST_ERROR_STEPS = 0.02, 2.5
"""s, 1. Deviations of the reading position above which it jumps, after a burst or a pause of the sender."""


class PoseCurve:
    """Curve through numbered poses. Call `add` with every pose, `advance` with time, then `read`."""

    def __init__(self) -> None:
        self.interval = SHORTEST_INTERVAL
        """Time between poses [s]."""
        self._poses = np.zeros((CAPACITY, 6))
        self._oldest = self._newest = 0
        self._count = 0
        self._position = 0.0

    @property
    def ready(self) -> bool:
        """True if position and velocity are known."""
        return self._count >= NEEDED

    @property
    def lag(self) -> float:
        """Delay [s] between the arrival of a punctual packet and the reading of its pose."""
        return LAG_STEPS * self.interval + max(LAG_MARGIN * self.interval, SMALLEST_MARGIN)

    def restart(self) -> None:
        """Restart with the next pose."""
        self._count = 0

    @property
    def is_predicting(self) -> bool:
        """True if the reading depends on poses that have not arrived."""
        return self._position + 1.5 >= self._newest + 1

    def joins(self, steps: int, interval: float) -> bool:
        """Return True if a pose `steps` after the last one, with `interval` seconds between steps, continues the curve."""
        return self._count > 0 and 0 < steps <= LARGEST_GAP and bounded(interval) == self.interval

    def add(self, pose: NDArray[np.float64], steps: int, interval: float) -> None:
        """Add the next pose (6,); a pose that does not continue the curve begins a new one."""
        if not self.joins(steps, interval):
            self._count = 0
            self._oldest = self._newest + 1
            self.interval = bounded(interval)
            steps = 1
        previous = self._poses[self._newest % CAPACITY].copy()
        for k in range(1, steps + 1):
            self._newest += 1
            self._poses[self._newest % CAPACITY] = previous + k / steps * (pose - previous) if k < steps else pose
        self._count += 1
        self._oldest = max(self._oldest, self._newest - CAPACITY + 1)

    def error(self, age: float) -> float:
        """Return the deviation [s] of the reading position, > 0: behind, `age` seconds after the arrival of the newest pose."""
        return (self._newest - self._position) * self.interval + age - self.lag

    def settle(self, age: float) -> None:
        """Move the reading position to its target, `age` seconds after the arrival of the newest pose."""
        self._position += self.error(age) / self.interval

    def pull(self, age: float) -> None:
        """Move the reading position smoothly toward its target, or directly if the deviation is large."""
        error = self.error(age)
        is_far = abs(error) > max(LARGEST_ERROR, LARGEST_ERROR_STEPS * self.interval)
        self._position += (1.0 if is_far else PULL) * error / self.interval

    def advance(self, h: float) -> None:
        """Advance the reading position by h seconds."""
        self._position += h / self.interval

    def read(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the pose (6,) [m, rad] and its rates (6,) at the reading position."""
        middle = math.floor(self._position + 0.5)
        u = self._position + 0.5 - middle
        a, b, c = self._pose(middle - 1), self._pose(middle), self._pose(middle + 1)
        pose = 0.5 * (1.0 - u) ** 2 * a + (0.5 + u - u * u) * b + 0.5 * u * u * c
        return pose, ((u - 1.0) * a + (1.0 - 2.0 * u) * b + u * c) / self.interval

    def _pose(self, number: int) -> NDArray[np.float64]:
        """Return the pose of a number, extrapolated linearly beyond the ends."""
        end, inner = (self._newest, self._newest - 1) if number > self._newest else (self._oldest, self._oldest + 1)
        if self._oldest <= number <= self._newest or self._newest == self._oldest:
            return self._poses[min(self._newest, max(self._oldest, number)) % CAPACITY]
        return self._poses[end % CAPACITY] + abs(number - end) * (self._poses[end % CAPACITY] - self._poses[inner % CAPACITY])


def bounded(interval: float) -> float:
    """Return an interval [s] limited to the allowed range."""
    return min(LONGEST_INTERVAL, max(SHORTEST_INTERVAL, interval))
