"""Keeps the picture fluent where the processor draws it: fewer pixels when frames take too long, more when there is time again."""

from __future__ import annotations

import numpy as np

SCALES = (1.0, 0.85, 0.7, 0.55)
"""Sizes of the drawn picture per size of the shown one."""
SLOW, FAST = 1.0 / 33.0, 1.0 / 46.0
"""s. Above the first the picture gets smaller; when the next larger one is expected to stay below the second, it gets larger."""
WINDOW = 20
"""Frames over which the time is judged."""


class Quality:
    """Chooses a scale from the times of the frames."""

    def __init__(self) -> None:
        self._step = 0
        self._times: list[float] = []

    @property
    def scale(self) -> float:
        """Scale to draw with."""
        return SCALES[self._step]

    def frame(self, seconds: float) -> float:
        """A frame took so long to draw; returns the scale for the next one."""
        self._times.append(seconds)
        if len(self._times) >= WINDOW:
            typical = float(np.median(self._times))
            self._times.clear()
            if typical > SLOW and self._step + 1 < len(SCALES):
                self._step += 1
            elif self._step and typical * (SCALES[self._step - 1] / SCALES[self._step]) ** 2 < FAST:
                self._step -= 1
        return self.scale
