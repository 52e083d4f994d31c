"""Strip chart of the motion felt on the platform and by the driver in the vehicle: six motions over the last seconds. No OpenGL here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.view.shared_state import MOTION_BLOCKS

SPAN = 8.0
"""s, time range of the chart."""
SPACING = 0.05
"""s between two points of the chart."""
POINTS = round(SPAN / SPACING)
ROWS = ("surge", "sway", "heave", "roll", "pitch", "yaw")
UNITS = ("m/s\u00b2", "\u00b0/s")
SCALES = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0, 200.0)
"""Ranges of a row, m/s2 and deg/s; a row has the smallest range that contains all of its values."""


class MotionStripChart:
    """Motions of the last seconds, one point per SPACING of frame time, with the least and the greatest value of all ticks.

    Attributes
    ----------
    low, high : (6, 2, POINTS) m/s2 and deg/s of ROWS, of the vehicle and of the platform, the latest last; NaN without data
    """

    def __init__(self) -> None:
        self.low: NDArray[np.float64] = np.full((6, 2, POINTS), np.nan)
        self.high = self.low.copy()
        self._last, self._blocks = -math.inf, 0
        self._waiting: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        """Extremes since the last point."""

    def add(self, state: Any, now: float) -> None:
        """Add a state (fields of EXTRAS) at `now` [s], the clock of the frames; after a gap of SPAN the chart restarts."""
        self._waiting.append(self._extremes(state))
        if not 0.0 <= now - self._last < SPAN:
            self.low[:] = self.high[:] = np.nan
            self._last = now - SPACING
            del self._waiting[:-1]
        steps = int((now - self._last) / SPACING + 1e-6)
        if steps < 1:
            return
        self._last += steps * SPACING
        low, high = (np.array(values) for values in zip(*self._waiting, strict=True))
        self._waiting.clear()
        for rows, values in ((self.low, low.min(axis=0)), (self.high, high.max(axis=0))):
            rows[..., :-steps] = rows[..., steps:]
            rows[..., -steps:] = values.T[:, :, None]

    def _extremes(self, state: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the least and the greatest values (2, 6) of the ticks since the last state; without them, those of the state."""
        blocks = int(state["motion_blocks"])
        new, self._blocks = min(max(blocks - self._blocks, 0), MOTION_BLOCKS), blocks
        present = np.array([state["car_feels"], state["cab_feels"]], dtype=float)
        low, high = present, present
        if new:
            rows = np.arange(blocks - new, blocks) % MOTION_BLOCKS
            low, high = np.asarray(state["motion_low"])[rows].min(axis=0), np.asarray(state["motion_high"])[rows].max(axis=0)
        return shown(low), shown(high)

    def scale(self, row: int) -> float:
        """Return the range of a row, one of SCALES."""
        seen = np.stack((self.low[row], self.high[row]))
        largest = float(np.nanmax(np.abs(seen), initial=0.0)) if np.isfinite(seen).any() else 0.0
        smallest = SCALES[0] if row < 3 else SCALES[3]
        return next((scale for scale in SCALES if scale >= max(largest, smallest)), SCALES[-1])

    def track(self, row: int, source: int) -> NDArray[np.float64]:
        """Return the values (2 POINTS,) of a line through both extremes of every point."""
        both = np.stack((self.low[row, source], self.high[row, source]), axis=1)
        both[1::2] = both[1::2, ::-1]
        return both.reshape(-1)


def shown(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values (2, 6) of EXTRAS in the units of the chart; what is not finite becomes zero."""
    finite = np.where(np.isfinite(values), values, 0.0)
    finite[:, 3:] = np.degrees(finite[:, 3:])
    return finite
