"""Strip chart of the motion felt on the platform and by the driver in the vehicle: six motions over the last seconds. No OpenGL here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    """Motions of the last seconds, one point per GRAIN of frame time.

    Attributes
    ----------
    rows : (6, 2, POINTS) m/s2 and deg/s of ROWS, of the vehicle and of the platform, the latest last; NaN without data
    """

    def __init__(self) -> None:
        self.rows: NDArray[np.float64] = np.full((6, 2, POINTS), np.nan)
        self._last = -math.inf

    def add(self, state: Any, now: float) -> None:
        """Add a state (fields of EXTRAS) at `now` [s], the clock of the frames; after a gap of SPAN the chart restarts."""
        if not 0.0 <= now - self._last < SPAN:
            self.rows[:] = np.nan
            self._last = now - SPACING
        steps = int((now - self._last) / SPACING + 1e-6)
        if steps < 1:
            return
        self._last += steps * SPACING
        self.rows[..., :-steps] = self.rows[..., steps:]
        for source, name in enumerate(("car_feels", "cab_feels")):
            values = np.asarray(state[name], dtype=float)
            shown = np.where(np.isfinite(values), values, 0.0)
            shown[3:] = np.degrees(shown[3:])
            self.rows[:, source, -steps:] = shown[:, None]

    def scale(self, row: int) -> float:
        """Return the range of a row, one of SCALES."""
        seen = self.rows[row]
        largest = float(np.nanmax(np.abs(seen), initial=0.0)) if np.isfinite(seen).any() else 0.0
        smallest = SCALES[0] if row < 3 else SCALES[3]
        return next((scale for scale in SCALES if scale >= max(largest, smallest)), SCALES[-1])
