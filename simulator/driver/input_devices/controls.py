"""Controls shared by all human drivers: selector, gear, parking brake, starter and switches; and functions that write a command."""

from __future__ import annotations

import math

from simulator.base.records import Record
from simulator.driver.input_devices.shaping import clip
from vehicles.drivetrain.conventional.shift_schedule import MAX_GEARS

SHIFT_SPEED = 1.5
"""m/s. Above this speed, drive and reverse are refused against the direction of travel. Larger: overloads the gearbox."""
REVERSE, NEUTRAL, DRIVE = -1, 0, 1
_POSITIONS = {"reverse": REVERSE, "neutral": NEUTRAL, "drive": DRIVE}

SWITCHES = ("low_range", "center_lock", "starter")
"""Actions that toggle a switch."""


class Lever:
    """Selector (reverse, neutral, drive), requested gear, parking brake, starter and switches of the transfer case. All devices of a driver
    share it.

    Parameters
    ----------
    gears : forward gears of a manual transmission; 0 for an automatic one
    """

    def __init__(self, gears: int = 0) -> None:
        self.gears = gears
        self.selector = DRIVE
        self.gear = 0
        """Requested gear; 0: chosen by the gearbox, or by the automatic shifting of a manual transmission."""
        self.starter = 0
        self.parking_brake = 0.0
        self.low_range = self.center_lock = 0

    def begin(self) -> None:
        """Select the gear in which a drive starts."""
        self.selector, self.gear = DRIVE, 0

    def take_over(self, command: Record) -> None:
        """Continue from the levers of a COMMAND of another driver."""
        c = command[0]
        self.selector, self.gear = int(c["selector"]), int(c["gear"]) if self.gears else 0
        self.parking_brake, self.starter = float(c["parking_brake"] > 0.0), 0
        self.low_range, self.center_lock = int(c["low_range"]), int(c["center_lock"])

    def take(self, action: str, speed: float) -> str | None:
        """Process an action at `speed` (m/s, + = forward). Return the action if it is none of the lever, `shift_refused`, or None."""
        if action == "parking_brake":
            self.parking_brake = 1.0 - self.parking_brake
            return None
        if action in ("gear_up", "gear_down"):
            self.gear = min(max(self.gear + (1 if action == "gear_up" else -1), 0), self.gears or MAX_GEARS)
            return None
        if action in SWITCHES:
            setattr(self, action, 1 - getattr(self, action))
            return None
        if action == "selector_up":
            requested = min(self.selector + 1, DRIVE)
        elif action == "selector_down":
            requested = max(self.selector - 1, REVERSE)
        elif action in _POSITIONS:
            requested = _POSITIONS[action]
        else:
            return action
        if requested != self.selector and requested * speed < -SHIFT_SPEED:
            return "shift_refused"
        self.selector = requested
        return None

    def write(self, out: Record) -> None:
        """Write selector, gear, starter, parking brake and switches to a command."""
        out[0]["selector"], out[0]["gear"], out[0]["starter"] = self.selector, self.gear, self.starter
        out[0]["parking_brake"] = self.parking_brake
        out[0]["low_range"], out[0]["center_lock"] = self.low_range, self.center_lock

    def write_manual(self, out: Record, clutch: float | None, gate: int | None) -> None:
        """Write clutch and gate of a manual transmission to a command; call after `write`.

        Takes the clutch pedal [0, 1] and the gear selected in an H-pattern (0 none, -1 reverse); None if the device has no such control.
        """
        if self.gears == 0:
            return
        if clutch is not None:
            out[0]["clutch"], out[0]["manual_clutch"] = clip(clutch, 0.0, 1.0), 1
        if gate is not None:
            out[0]["selector"], out[0]["gear"] = min(max(gate, -1), 1), max(gate, 0)


def write_pedals(out: Record, steering: float, throttle: float, brake: float) -> None:
    """Write steering and pedals to a command, clipped; NaN becomes neutral."""
    out[0]["steering"] = clip(steering, -1.0, 1.0) if math.isfinite(steering) else 0.0
    out[0]["throttle"] = clip(throttle, 0.0, 1.0)
    out[0]["brake"] = clip(brake, 0.0, 1.0)
