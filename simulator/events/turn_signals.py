"""State of the turn signals of the driver's vehicle. The simulation does not read it."""

from __future__ import annotations

OFF, LEFT, RIGHT, BOTH = range(4)
SIDES = ("off", "left", "right", "both")
FREQUENCY = 1.5
"""Hz. Flashes per second [UN Regulation 48: 60 to 120 a minute]."""
TURNED, STRAIGHT = 1.0, 0.35
"""rad. A turn of the steering wheel beyond TURNED to the side of the signal, and back below STRAIGHT, ends the signal."""


class TurnSignals:
    """Turn signals.

    Attributes
    ----------
    side : OFF, LEFT, RIGHT, or BOTH for the hazard lights
    """

    def __init__(self) -> None:
        self.side = OFF
        self._turned = False

    def switch(self, side: int) -> None:
        """Switch to another state."""
        self.side, self._turned = side, False

    def after(self, pressed: int) -> int:
        """Return the state after the lever of a side, or the switch of the hazard lights, was pressed: a second press ends it."""
        return OFF if self.side == pressed else pressed

    def follow(self, angle: float) -> None:
        """End the signal after the turn of the steering wheel (angle [rad], + = left)."""
        toward = angle if self.side == LEFT else -angle if self.side == RIGHT else 0.0
        self._turned = self._turned or toward > TURNED
        if self._turned and toward < STRAIGHT:
            self.switch(OFF)


def is_lit(time: float) -> bool:
    """Return whether flashing lamps are lit at a simulated time [s]."""
    return time * FREQUENCY % 1.0 < 0.5
