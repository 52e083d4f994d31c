"""Conversions shared by the packets of games: axes, clock, order of wheels."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray

FRONT_FIRST = (0, 1, -2, -1)
"""Indices of the corners FL, FR, RL, RR; for a vehicle with more axles, of its first and last axle."""

REAR_FIRST = (-2, -1, 0, 1)
"""Indices of these corners in the order RL, RR, FL, FR."""

ENDLESS = 1 << 32
"""Period of a 32-bit counter in milliseconds: 49.7 days."""


def right_forward_up(v: Any) -> tuple[float, float, float]:
    """Return (X right, Y forward, Z up), right-handed, of a vector (x forward, y left, z up)."""
    return -float(v[1]), float(v[0]), float(v[2])


def right_up_forward(v: Any) -> tuple[float, float, float]:
    """Return (X right, Y up, Z forward), left-handed, of a vector (x forward, y left, z up)."""
    return -float(v[1]), float(v[2]), float(v[0])


def turns_left_handed(w: Any) -> tuple[float, float, float]:
    """Return the rotation about (X right, Y up, Z forward) in the left-handed sense, from one about (x forward, y left, z up) in the
    right-handed sense: (+ = nose down, + = to the right, + = left side down)."""
    return float(w[1]), -float(w[2]), -float(w[0])


def wheels(values: NDArray[Any], order: tuple[int, ...]) -> list[float]:
    """Return the values of the four wheels of a game, in their order, from those (n,) of a vehicle."""
    return [float(values[corner]) for corner in order]


def within(value: float, limit: float) -> float:
    """Return a number limited to +-limit; NaN remains NaN."""
    return value if math.isnan(value) else min(limit, max(-limit, value))


class Trip:
    """Time and distance since the start of the stream, unaffected by a reset of the simulation: receivers discard packets that seem old."""

    def __init__(self) -> None:
        self._last = math.nan
        self.time = 0.0
        """Time [s]; equal to the simulated time until its first jump back."""
        self.distance = 0.0
        """Distance [m]."""

    def advance(self, time: float, speed: float) -> None:
        """Advance to the simulated `time` [s] at `speed` [m/s]."""
        if math.isnan(self._last):
            self.time = max(0.0, time)
        elif time > self._last:
            self.time += time - self._last
            self.distance += speed * (time - self._last)
        self._last = time

    @property
    def milliseconds(self) -> int:
        """Time as a 32-bit counter [ms]."""
        return round(1000.0 * self.time) % ENDLESS
