"""What all human drivers share: the levers and the key, worked by buttons and keys, and writing a command."""

from __future__ import annotations

import math

from simulator.base.records import Record
from simulator.driver.input_devices.shaping import clip
from vehicles.drivetrain.shift_schedule import MOST_GEARS

SHIFT_SPEED = 1.5
"""m/s. Above this, drive and reverse are refused when they are against the direction of travel. Larger: the gearbox is hurt."""
REVERSE, NEUTRAL, DRIVE = -1, 0, 1
_POSITIONS = {"reverse": REVERSE, "neutral": NEUTRAL, "drive": DRIVE}

SWITCHES = ("low_range", "center_lock", "starter")
"""Actions that turn on what is off, and off what is on."""


class Lever:
    """Selector (reverse, neutral, drive), gear asked for, parking brake, key and the switches of the transfer case. One lever is shared by all
    devices of a driver.

    Parameters
    ----------
    gears : forward gears of a hand gearbox; 0: the gearbox is automatic
    """

    def __init__(self, gears: int = 0) -> None:
        self.gears = gears
        self.selector = DRIVE
        self.gear = 0
        """0: the gearbox, or the automatic driver of a hand gearbox, chooses."""
        self.starter = 0
        self.parking_brake = 0.0
        self.low_range = self.center_lock = 0

    def take(self, action: str, speed: float) -> str | None:
        """Obey an action at `speed` (m/s, + = forward). Returns what is left to tell others: the action, `shift_refused`, or None."""
        if action == "parking_brake":
            self.parking_brake = 1.0 - self.parking_brake
            return None
        if action in ("gear_up", "gear_down"):
            self.gear = min(max(self.gear + (1 if action == "gear_up" else -1), 0), self.gears or MOST_GEARS)
            return None
        if action in SWITCHES:
            setattr(self, action, 1 - getattr(self, action))
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
        out[0]["selector"], out[0]["gear"], out[0]["starter"] = self.selector, self.gear, self.starter
        out[0]["parking_brake"] = self.parking_brake
        out[0]["low_range"], out[0]["center_lock"] = self.low_range, self.center_lock

    def by_hand(self, out: Record, clutch: float | None, gate: int | None) -> None:
        """After `write`, for a hand gearbox: the clutch pedal [0, 1] and the gear into which an H-pattern is put (0 none, -1 reverse); None
        where a device has no such thing."""
        if self.gears == 0:
            return
        if clutch is not None:
            out[0]["clutch"], out[0]["manual_clutch"] = clip(clutch, 0.0, 1.0), 1
        if gate is not None:
            out[0]["selector"], out[0]["gear"] = min(max(gate, -1), 1), max(gate, 0)


def write_pedals(out: Record, steering: float, throttle: float, brake: float) -> None:
    """Fill steering and pedals of a command, clipped; what is not a number becomes neutral."""
    out[0]["steering"] = clip(steering, -1.0, 1.0) if math.isfinite(steering) else 0.0
    out[0]["throttle"] = clip(throttle, 0.0, 1.0)
    out[0]["brake"] = clip(brake, 0.0, 1.0)
