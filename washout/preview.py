"""What is to come, for washouts that look ahead: who foresees it fills the preview of what the washout sees."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from washout.contract import PREVIEW_POINTS


class Preview(Protocol):
    """Whoever foresees the motion of the vehicle."""

    step: float
    """Time between two points [s]."""

    def predict(self, time: float, f_H_B: NDArray[np.float64], w_WB_B: NDArray[np.float64]) -> int:
        """Fill specific force (n, 3) [m/s2] and angular rate (n, 3) [rad/s] at the driver's head at time + step, time + 2 step ...

        Returns how many points from the first on are valid; 0 when nothing is known.
        """


ROUNDING = 1e-6
"""Share of a step by which a point may lie beyond the end of a recording: times are sums of ticks."""


class RecordedPreview:
    """Foresees a drive that was recorded before: a maneuver is driven alike whatever the platform does.

    Parameters
    ----------
    times : (n,) rising [s]
    f_H_B, w_WB_B : (n, 3) specific force at the driver's head [m/s2] and angular velocity [rad/s], in B
    step : time between two points of the preview [s]
    points : how many of them, at most PREVIEW_POINTS

    Raises ValueError when the arrays do not fit together, hold what is not finite, or times do not rise.
    """

    def __init__(
        self, times: NDArray[np.float64], f_H_B: NDArray[np.float64], w_WB_B: NDArray[np.float64], step: float, points: int
    ) -> None:
        if f_H_B.shape != (len(times), 3) or w_WB_B.shape != (len(times), 3):
            raise ValueError(f"{len(times)} times go with arrays ({len(times)}, 3), got {f_H_B.shape} and {w_WB_B.shape}")
        if not (np.isfinite(f_H_B).all() and np.isfinite(w_WB_B).all() and (np.diff(times) > 0.0).all()):
            raise ValueError("a preview needs finite numbers at rising times")
        if not (step > 0.0 and 1 <= points <= PREVIEW_POINTS):
            raise ValueError(f"got {points} points every {step} s, expected 1 to {PREVIEW_POINTS} points and a step above 0")
        self.step, self._points = step, points
        self._times = np.ascontiguousarray(times)
        self._columns = np.ascontiguousarray(np.hstack([f_H_B, w_WB_B]).T)  # or each look would copy the whole recording

    def predict(self, time: float, f_H_B: NDArray[np.float64], w_WB_B: NDArray[np.float64]) -> int:
        """As `Preview`; a point beyond the ends of the recording is not valid."""
        ahead = time + self.step * np.arange(1, self._points + 1)
        end = self._times[-1] + ROUNDING * self.step
        count = int(np.searchsorted(ahead, end, side="right")) if ahead[0] >= self._times[0] else 0
        for j in range(3):
            f_H_B[:count, j] = np.interp(ahead[:count], self._times, self._columns[j])
            w_WB_B[:count, j] = np.interp(ahead[:count], self._times, self._columns[j + 3])
        return count
