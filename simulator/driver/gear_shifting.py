"""Gear selection of a driver who shifts: by engine speed and throttle, with hysteresis and a minimum time in each gear."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.records import Record
from simulator.driver.internal_model import ShiftPoints
from vehicles.corner_layout import axle_of
from vehicles.drivetrain.driveline import wheel_share
from vehicles.vehicle import Vehicle

HYSTERESIS = 1.15
"""1. Ratio of the engine speed after an upshift to the speed of the downshift. Smaller: the driver shifts back and forth on a slope."""
DWELL = 0.5
"""s. Minimum time in a gear."""
KICK_DOWN = 0.95
"""1. Throttle from which the driver selects the lowest gear that the engine allows."""
EASY_SHIFT_POINT, HARD_SHIFT_POINT = 0.5, 0.95
"""1. Fraction of the engine speed of maximum power at which the driver shifts up, with closed and with open throttle."""
CREEPING = 1.0
"""m/s of the driven wheels below which wheel spin is ignored."""
NEAR_LIMIT = 0.98
"""1. Fraction of the limit of the engine speed from which the driver shifts up although the wheels spin."""
THROTTLE_CHANGE = 0.05
"""1. Change of the throttle after which a shift with spinning wheels no longer counts."""
ABOVE_IDLE = 1.2
"""1. Minimum downshift speed as a multiple of the idle speed."""


def gear_numbers(vehicle: Vehicle) -> ShiftPoints:
    """Return the shift points for the gearbox and the full-load torque. Raises JounceError when the engine has no positive power."""
    p = vehicle.model.drivetrain[0]
    ratios = tuple(float(ratio) for ratio in p["forward_ratios"][: int(p["gears"])])
    points = int(p["engine_points"])
    speed, torque = p["engine_map_speed"][:points], p["engine_map_open"][:points]
    # torque is linear between the points of the map, power is not: search between the points
    speeds = np.linspace(float(speed[0]), min(float(speed[-1]), float(p["maximum_speed"])), 1001)
    power = speeds * np.interp(speeds, speed, torque)
    if not power.max() > 0.0:
        raise JounceError(f"{vehicle.description.name}: cannot compute shift points; expected an engine with positive power")
    rated = float(speeds[int(np.argmax(power))])
    widest = max((high / low for low, high in pairwise(ratios)), default=1.0)
    idle = ABOVE_IDLE * float(p["idle_speed"])
    up = tuple(max(share * rated, idle * widest * HYSTERESIS) for share in (EASY_SHIFT_POINT, HARD_SHIFT_POINT))
    down = tuple(speed / (widest * HYSTERESIS) for speed in up)
    drivetrain, radius = vehicle.model.drivetrain, vehicle.model.tires["radius"]
    radii = tuple(float(radius[i]) if wheel_share(drivetrain, axle_of(drivetrain, i)) > 0.0 else 0.0 for i in range(len(radius)))
    return ShiftPoints(ratios, (up[0], up[1]), (down[0], down[1]), up[1], radii, vehicle.drivetrain.governed_speed)


def rolling_share(numbers: ShiftPoints, readout: Record) -> float:
    """Return the forward speed divided by the tread speed of the driven wheels, from 0 to 1; 1 below CREEPING or without radii."""
    treads = [radius * spin for radius, spin in zip(numbers.radii, readout[0]["wheel_spin"], strict=False) if radius > 0.0]
    tread = sum(treads) / len(treads) if treads else 0.0
    return min(1.0, max(0.0, float(readout[0]["v_WB_B"][0]) / tread)) if tread > CREEPING else 1.0


class GearShifter:
    """Selects a gear at every call.

    Shifts up above and down below the speeds of `ShiftPoints`, which are interpolated between closed and open throttle. At full throttle it
    selects the lowest gear in which the engine stays below `most`. The gear does not change before DWELL is over, nor while a manual
    gearbox is between two gears. With spinning wheels, it ignores a higher gear that it would leave again without wheel spin, unless the
    engine is at its limit. Then the downshift speed is that for closed throttle, until the throttle moves.
    """

    def __init__(self, numbers: ShiftPoints) -> None:
        self.numbers = numbers
        self.gear = 1
        self._since: float | None = None
        self._spun: float | None = None
        """Throttle of an upshift with spinning wheels."""

    def select_gear(self, t: float, engine_speed: float, throttle: float, engaged: int = 1, rolling: float = 1.0) -> int:
        """Return the forward gear for time t [s], engine speed [rad/s], throttle [0, 1] and the engaged gear, 0: none.

        rolling : of the driven wheels, see `rolling_share`
        """
        if self._since is None and engaged > 1:  # the vehicle rolls: a driver who begins does not select the first gear
            self.gear = min(engaged, len(self.numbers.ratios))
        n, now = self.numbers, self.gear
        if engaged == 0:
            self._since = t
            return now
        if self._since is not None and t - self._since < DWELL - 1e-9:
            return now
        up, down = (low + throttle * (high - low) for low, high in (n.up, n.down))
        if self._spun is not None and abs(throttle - self._spun) > THROTTLE_CHANGE:
            self._spun = None
        down = down if self._spun is None else n.down[0]
        if engine_speed > up and now < len(n.ratios):
            after = rolling * engine_speed * n.ratios[now - 1] / n.ratios[now]
            if after > math.sqrt(HYSTERESIS) * down:
                self.gear, self._spun = now + 1, None
            elif engine_speed > NEAR_LIMIT * n.limit and after > math.sqrt(HYSTERESIS) * n.down[0]:
                self.gear, self._spun = now + 1, throttle
        elif throttle >= KICK_DOWN and self._spun is None:
            while self.gear > 1 and engine_speed * n.ratios[now - 1] / n.ratios[self.gear - 2] < n.most / HYSTERESIS:
                self.gear -= 1
        elif engine_speed < down and now > 1:
            self.gear = now - 1
        if self.gear != now or self._since is None:
            self._since = t
        return self.gear

    def select_gear_from_readout(self, t: float, readout: Record, throttle: float) -> int:
        """Return the forward gear for a READOUT record."""
        r = readout[0]
        return self.select_gear(t, float(r["engine_speed"]), throttle, int(r["gear"]), rolling_share(self.numbers, readout))
