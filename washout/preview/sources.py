"""Preview of the vehicle motion, for predictive washouts."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from washout.contract import PREVIEW_POINTS


class Preview(Protocol):
    """Predictor of the motion of the vehicle."""

    step: float
    """Time between two points [s]."""

    def predict(self, time: float, f_H_B: NDArray[np.float64], w_WB_B: NDArray[np.float64]) -> int:
        """Fill specific force (n, 3) [m/s2] and angular rate (n, 3) [rad/s] at the driver's head at time + step, time + 2 step ...

        Returns the number of valid points from the first one; 0 if no prediction is available.
        """


ROUNDING = 1e-6
"""Fraction of a step by which a point may be after the end of a recording, because times are sums of ticks."""


class RecordedPreview:
    """Preview from a recorded run; the motion of the vehicle in a maneuver does not depend on the platform.

    Parameters
    ----------
    times : (n,) increasing [s]
    f_H_B, w_WB_B : (n, 3) specific force at the driver's head [m/s2] and angular velocity [rad/s], in B
    step : time between two points of the preview [s]
    points : number of points, at most PREVIEW_POINTS

    Raises
    ------
    ValueError : inconsistent shapes, numbers that are not finite, or times that do not increase
    """

    def __init__(
        self, times: NDArray[np.float64], f_H_B: NDArray[np.float64], w_WB_B: NDArray[np.float64], step: float, points: int
    ) -> None:
        if f_H_B.shape != (len(times), 3) or w_WB_B.shape != (len(times), 3):
            raise ValueError(
                f"wrong shape of f_H_B or w_WB_B; expected ({len(times)}, 3) for {len(times)} times; got {f_H_B.shape} and {w_WB_B.shape}"
            )
        if not (np.isfinite(f_H_B).all() and np.isfinite(w_WB_B).all() and (np.diff(times) > 0.0).all()):
            raise ValueError("invalid recording for a preview; expected finite numbers at increasing times")
        if not (step > 0.0 and 1 <= points <= PREVIEW_POINTS):
            raise ValueError(
                f"invalid preview; expected 1 to {PREVIEW_POINTS} points and a step above 0 s; got {points} points and a step of {step} s"
            )
        self.step, self._points = step, points
        self._times = np.ascontiguousarray(times)
        self._columns = np.ascontiguousarray(
            np.hstack([f_H_B, w_WB_B]).T
        )  # contiguous columns, so that `predict` does not copy the recording

    def predict(self, time: float, f_H_B: NDArray[np.float64], w_WB_B: NDArray[np.float64]) -> int:
        """Fill the preview as in `Preview`; points outside the recording are not valid."""
        ahead = time + self.step * np.arange(1, self._points + 1)
        end = self._times[-1] + ROUNDING * self.step
        count = int(np.searchsorted(ahead, end, side="right")) if ahead[0] >= self._times[0] else 0
        for j in range(3):
            f_H_B[:count, j] = np.interp(ahead[:count], self._times, self._columns[j])
            w_WB_B[:count, j] = np.interp(ahead[:count], self._times, self._columns[j + 3])
        return count
