"""Reverse gear by the brake, as in games: at rest, the brake selects reverse, and brake and throttle change roles until the way back."""

from __future__ import annotations

from simulator.base.records import Record
from simulator.driver.input_devices.controls import DRIVE, REVERSE, Lever

AT_REST = 0.2
"""m/s. Speed below which the vehicle counts as at rest."""
HOLD = 0.4
"""s at rest, with the brake pressed and the throttle released, before the selector changes. Shorter: a stop becomes a reversal."""
PRESSED, RELEASED = 0.3, 0.05
"""1, 1. Pedal positions above and below which a pedal counts as pressed and as released."""
THROTTLE_RATE = 2.0
"""1/s. Limit of the throttle after a change, as the pedal is pressed then."""


class ReverseByBrake:
    """Change of direction by the brake. The pedals of the driver become those of the command by `apply`.

    Parameters
    ----------
    lever : selector, which any device may also move; reverse that was selected with the lever does not change the pedals
    """

    def __init__(self, lever: Lever) -> None:
        self._lever = lever
        self._changed = False
        """True while brake and throttle have changed roles."""
        self._held, self._most = 0.0, 1.0

    def begin(self) -> None:
        """Begin a drive."""
        self._changed, self._held, self._most = False, 0.0, 1.0

    def apply(self, dt: float, speed: float, out: Record) -> None:
        """Change pedals and selector of a command `dt` seconds after the last call, at `speed` [m/s]."""
        c = out[0]
        self._changed = self._changed and self._lever.selector == REVERSE
        forward, back = float(c["throttle"]), float(c["brake"])
        wanted, other = (forward, back) if self._changed else (back, forward)
        waits = abs(speed) < AT_REST and wanted > PRESSED and other < RELEASED
        self._held = self._held + dt if waits and (self._changed or self._lever.selector == DRIVE) else 0.0
        self._most = min(1.0, self._most + THROTTLE_RATE * dt)
        if self._held > HOLD:
            self._changed, self._held, self._most = not self._changed, 0.0, 0.0
            self._lever.selector = REVERSE if self._changed else DRIVE
            c["selector"] = self._lever.selector
        if self._changed:
            c["throttle"], c["brake"] = back, forward
        c["throttle"] = min(float(c["throttle"]), self._most)
