"""What packets of games share: their axes, their clocks, their order of wheels."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray

FRONT_FIRST = (0, 1, -2, -1)
"""Our corners FL, FR, RL, RR; of a vehicle with more axles those of the first and the last."""

REAR_FIRST = (-2, -1, 0, 1)
"""The same in the order RL, RR, FL, FR."""

ENDLESS = 1 << 32
"""Milliseconds in 32 bits begin anew after so many: 49.7 days."""


def right_forward_up(v: Any) -> tuple[float, float, float]:
    """(X right, Y forward, Z up), right-handed, of a vector (x forward, y left, z up)."""
    return -float(v[1]), float(v[0]), float(v[2])


def right_up_forward(v: Any) -> tuple[float, float, float]:
    """(X right, Y up, Z forward), left-handed, of a vector (x forward, y left, z up)."""
    return -float(v[1]), float(v[2]), float(v[0])


def turns_left_handed(w: Any) -> tuple[float, float, float]:
    """Turning about (X right, Y up, Z forward) in the sense of left-handed axes, of one about (x forward, y left, z up) in that of
    right-handed ones: (+ = nose down, + = to the right, + = left side down)."""
    return float(w[1]), -float(w[2]), -float(w[0])


def wheels(values: NDArray[Any], order: tuple[int, ...]) -> list[float]:
    """Values of the four wheels of a game, of those (n,) of a vehicle, in that order."""
    return [float(values[corner]) for corner in order]


def within(value: float, limit: float) -> float:
    """A number cut at +-limit; one that is none stays none."""
    return value if math.isnan(value) else min(limit, max(-limit, value))


class Trip:
    """Time and way since the stream began, which a reset of the simulation does not set back: receivers drop packets that seem old."""

    def __init__(self) -> None:
        self._last = math.nan
        self.time = 0.0
        """s; that of the simulation until its first jump back."""
        self.distance = 0.0
        """m."""

    def advance(self, time: float, speed: float) -> None:
        """The simulation says `time` [s] and `speed` [m/s]."""
        if math.isnan(self._last):
            self.time = max(0.0, time)
        elif time > self._last:
            self.time += time - self._last
            self.distance += speed * (time - self._last)
        self._last = time

    @property
    def milliseconds(self) -> int:
        """The time in 32 bits."""
        return round(1000.0 * self.time) % ENDLESS
