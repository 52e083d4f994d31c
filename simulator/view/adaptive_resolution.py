"""Graphics levels, and the adaptive resolution of a software renderer: fewer pixels when frames take too long, more when there is time."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simulator.view.detail import HIGH, LOW, MEDIUM, Detail

SCALES = (1.0, 0.85, 0.7, 0.55, 0.42)
"""Sizes of the rendered image divided by that of the displayed image."""
SLOW_FRAME, FAST_FRAME = 1.0 / 33.0, 1.0 / 46.0
"""s. A longer frame time reduces the size. The size increases if the expected time of the next larger size is below the second value."""


class GraphicsLevel(NamedTuple):
    """Level of detail of the window."""

    detail: Detail | None
    """None: by a measurement, see `simulator.view.measured_level`."""
    samples: int
    """Samples per pixel, with a graphics card."""
    scale: float
    """Maximum size of the rendered image divided by that of the displayed image."""
    adapts: bool
    """True: a software renderer may draw fewer pixels."""


GRAPHICS = {
    "auto": GraphicsLevel(None, 4, 1.0, True),
    "low": GraphicsLevel(LOW, 1, 1.0, True),
    "medium": GraphicsLevel(MEDIUM, 4, 1.0, True),
    "high": GraphicsLevel(HIGH, 4, 1.0, False),
}
"""Levels by their names in the settings."""
WINDOW, LONGEST = 20, 0.8
"""Number of frames, and seconds, over which the time is evaluated."""


class Quality:
    """Selects a scale from the frame times."""

    def __init__(self) -> None:
        self._step = 0
        self._times: list[float] = []

    @property
    def scale(self) -> float:
        """Present scale."""
        return SCALES[self._step]

    def frame(self, seconds: float) -> float:
        """Add a frame time [s]; return the scale for the next frame."""
        self._times.append(seconds)
        if len(self._times) >= WINDOW or sum(self._times) > LONGEST:
            typical = float(np.median(self._times))
            self._times.clear()
            if typical > SLOW_FRAME:
                # two steps at once while frames take more than twice as long
                self._step = min(self._step + (2 if typical > 2.0 * SLOW_FRAME else 1), len(SCALES) - 1)
            elif self._step and typical * (SCALES[self._step - 1] / SCALES[self._step]) ** 2 < FAST_FRAME:
                self._step -= 1
        return self.scale


class FrameRate:
    """Frame rate, updated twice a second so that it is readable."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._since, self._frames, self.value = clock, clock(), 0, 0.0

    def frame(self) -> float:
        """Count a frame and return the frame rate."""
        self._frames += 1
        now = self._clock()
        if now - self._since >= 0.5:
            self.value = self._frames / (now - self._since)
            self._since, self._frames = now, 0
        return self.value
