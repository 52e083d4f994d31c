"""What all human drivers share: the selector lever and parking brake, worked by buttons and keys, and writing a command."""

from __future__ import annotations

import math

from simulator.base.records import Record
from simulator.driver.shaping import clip

SHIFT_SPEED = 1.5
"""m/s. Above this, drive and reverse are refused when they are against the direction of travel. Larger: the gearbox is hurt."""
REVERSE, NEUTRAL, DRIVE = -1, 0, 1
_POSITIONS = {"reverse": REVERSE, "neutral": NEUTRAL, "drive": DRIVE}


class Lever:
    """Selector (reverse, neutral, drive), parking brake and the switches of the transfer case. One lever is shared by all devices of a driver."""

    def __init__(self) -> None:
        self.selector = DRIVE
        self.parking_brake = 0.0
        self.low_range = self.center_lock = 0

    def take(self, action: str, speed: float) -> str | None:
        """Obey an action at `speed` (m/s, + = forward). Returns what is left to tell others: the action, `shift_refused`, or None."""
        if action == "parking_brake":
            self.parking_brake = 1.0 - self.parking_brake
            return None
        if action == "low_range":
            self.low_range = 1 - self.low_range
            return None
        if action == "center_lock":
            self.center_lock = 1 - self.center_lock
            return None
        if action == "selector_up":
            wanted = min(self.selector + 1, DRIVE)
        elif action == "selector_down":
            wanted = max(self.selector - 1, REVERSE)
        elif action in _POSITIONS:
            wanted = _POSITIONS[action]
        else:
            return action
        if wanted != self.selector and wanted * speed < -SHIFT_SPEED:
            return "shift_refused"
        self.selector = wanted
        return None

    def write(self, out: Record) -> None:
        """Fill the lever's part of a command."""
        out[0]["selector"] = self.selector
        out[0]["parking_brake"] = self.parking_brake
        out[0]["low_range"], out[0]["center_lock"] = self.low_range, self.center_lock


def write_pedals(out: Record, steering: float, throttle: float, brake: float) -> None:
    """Fill steering and pedals of a command, clipped; what is not a number becomes neutral."""
    out[0]["steering"] = clip(steering, -1.0, 1.0) if math.isfinite(steering) else 0.0
    out[0]["throttle"] = clip(throttle, 0.0, 1.0)
    out[0]["brake"] = clip(brake, 0.0, 1.0)
