"""State of the sound that the events of a drive change: volume, mute, horn. The simulation does not read it."""

from __future__ import annotations

import math
from dataclasses import dataclass

VOLUME, STEP = 0.5, 0.1
"""Volume at the start of a drive, and the change by a key."""
SHORT_HORN = 0.6
"""s. Time for which the horn sounds after a press of a button without a release."""


@dataclass
class SoundControls:
    """State of the sound."""

    volume: float = VOLUME
    """0 to 1."""
    muted: bool = False
    horn: bool = False
    """True while the key of the horn is pressed."""
    horn_until: float = -math.inf
    """Simulated time [s] until which a short horn sounds."""

    def sounds_horn(self, time: float) -> bool:
        """Return whether the horn sounds at a simulated time [s]."""
        return self.horn or self.horn_until - SHORT_HORN <= time < self.horn_until

    def volume_after(self, steps: int) -> float:
        """Return the volume after steps up (or down)."""
        return min(1.0, max(0.0, round(self.volume + STEP * steps, 2)))
