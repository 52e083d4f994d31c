"""Gears of a driver who shifts by himself: by the speed of the engine and the pedal, with hysteresis, and not too often."""

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
"""1. An engine that has just shifted up turns faster by this factor than where he shifts down. Smaller: he hunts between two gears on a slope."""
DWELL = 0.5
"""s that a gear stays at least."""
KICK_DOWN = 0.95
"""1. Throttle from which he takes the lowest gear that the engine allows."""
EASY, HARD = 0.5, 0.95
"""1. Share of the speed of largest power at which he shifts up with the throttle closed and open."""
CREEPING = 1.0
"""m/s of the driven wheels below which he does not ask whether they spin."""
ABOVE_IDLE = 1.2
"""1. He shifts down at this multiple of the idling speed at the latest."""


def gear_numbers(vehicle: Vehicle) -> ShiftPoints:
    """Out of the gearbox and the engine's full load. Raises JounceError: the engine has no power at any speed of its map."""
    p = vehicle.model.drivetrain[0]
    ratios = tuple(float(ratio) for ratio in p["forward_ratios"][: int(p["gears"])])
    points = int(p["engine_points"])
    speed, torque = p["engine_map_speed"][:points], p["engine_map_open"][:points]
    # the map is straight between its points, the power is not: look between them
    fine = np.linspace(float(speed[0]), min(float(speed[-1]), float(p["maximum_speed"])), 1001)
    power = fine * np.interp(fine, speed, torque)
    if not power.max() > 0.0:
        raise JounceError(f"{vehicle.description.name}: its engine has no power, so nobody knows where to shift")
    rated = float(fine[int(np.argmax(power))])
    widest = max((high / low for low, high in pairwise(ratios)), default=1.0)
    idle = ABOVE_IDLE * float(p["idle_speed"])
    up = tuple(max(share * rated, idle * widest * HYSTERESIS) for share in (EASY, HARD))
    down = tuple(speed / (widest * HYSTERESIS) for speed in up)
    drivetrain, radius = vehicle.model.drivetrain, vehicle.model.tires["radius"]
    radii = tuple(float(radius[i]) if wheel_share(drivetrain, axle_of(drivetrain, i)) > 0.0 else 0.0 for i in range(len(radius)))
    return ShiftPoints(ratios, (up[0], up[1]), (down[0], down[1]), up[1], radii)


def rolling_share(numbers: ShiftPoints, readout: Record) -> float:
    """Forward speed over that of the treads of the driven wheels, from 0 to 1; 1 where they hardly turn or nobody knows them."""
    treads = [radius * spin for radius, spin in zip(numbers.radii, readout[0]["wheel_spin"], strict=False) if radius > 0.0]
    tread = sum(treads) / len(treads) if treads else 0.0
    return min(1.0, max(0.0, float(readout[0]["v_WB_B"][0]) / tread)) if tread > CREEPING else 1.0


class GearShifter:
    """Asks for a gear, look by look.

    Shifts up above and down below the speeds of `ShiftPoints`, between which straight lines lead from the closed to the open throttle; with
    the pedal down, to the lowest gear in which the engine stays below `most`. Before DWELL is over, and while a hand gearbox is between two
    gears, nothing changes. He feels it when wheels spin: a higher gear that he would leave again once they roll he does not take.
    """

    def __init__(self, numbers: ShiftPoints) -> None:
        self.numbers = numbers
        self.gear = 1
        self._since: float | None = None

    def wanted(self, t: float, engine_speed: float, throttle: float, engaged: int = 1, rolling: float = 1.0) -> int:
        """Forward gear to drive in at time t [s], an engine speed [rad/s], a throttle [0, 1] and the gear engaged, 0: none.

        rolling : of the driven wheels, see `rolling_share`
        """
        n, now = self.numbers, self.gear
        if engaged == 0:
            self._since = t
            return now
        if self._since is not None and t - self._since < DWELL - 1e-9:
            return now
        up, down = (low + throttle * (high - low) for low, high in (n.up, n.down))
        if engine_speed > up and now < len(n.ratios):
            after = rolling * engine_speed * n.ratios[now - 1] / n.ratios[now]
            if after > math.sqrt(HYSTERESIS) * down:
                self.gear = now + 1
        elif throttle >= KICK_DOWN:
            while self.gear > 1 and engine_speed * n.ratios[now - 1] / n.ratios[self.gear - 2] < n.most / HYSTERESIS:
                self.gear -= 1
        elif engine_speed < down and now > 1:
            self.gear = now - 1
        if self.gear != now or self._since is None:
            self._since = t
        return self.gear

    def seen(self, t: float, readout: Record, throttle: float) -> int:
        """The same by what he sees of the vehicle, a READOUT."""
        r = readout[0]
        return self.wanted(t, float(r["engine_speed"]), throttle, int(r["gear"]), rolling_share(self.numbers, readout))
