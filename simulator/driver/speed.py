"""Speed control: a list of target speeds becomes a smooth demand, and the demand becomes throttle and brake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.base.fields import Number, entry

STANDSTILL = 1.5
"""m/s. Slower than this with a demand of zero the foot stays on the brake: an automatic gearbox would creep away."""

LEAD = 1.0
"""m/s. The ramped demand goes no further ahead of the speed. Larger: the speed overshoots after a shortage of power."""

STEADY_BRAKE = 0.4
"""Brake pedal that holds a stopped vehicle."""


@dataclass(frozen=True)
class SpeedTarget:
    """Go to `speed` (m/s), changing by at most `acceleration` (m/s2), from time `at` (s) or from station `at_station` (m) on."""

    speed: float = entry(Number("m/s", 0.0, 60.0), "speed to come to", written="mps")
    acceleration: float = entry(Number("m/s2", 0.001, 15.0), "largest change of the speed", written="mps2")
    at: float | None = entry(Number("s", 0.0, 86400.0), "from this time on", None, written="s")
    at_station: float | None = entry(Number("m", -1e5, 1e5), "from this station of the path on", None, written="m")


@dataclass(frozen=True)
class SpeedNumbers:
    """How the vehicle answers its pedals, and how firmly the driver works them.

    Defaults: the shipped HMMWV, whose full throttle gives 7 m/s2 in first gear and a third of that in fourth; in between is the calmest.
    """

    throttle_acceleration: float = entry(Number("m/s2", 0.1, 50.0), "acceleration per unit of throttle", 6.0)
    brake_acceleration: float = entry(Number("m/s2", 0.1, 50.0), "deceleration per unit of brake", 8.0)
    proportional: float = entry(Number("1/s", 0.001, 10.0), "acceleration asked for per error of the speed", 1.5)
    integral: float = entry(Number("1/s2", 0.001, 10.0), "its rate per error of the speed", 0.5)
    pedal_gap: float = entry(Number("m/s2", 0.0, 5.0), "deceleration left to the engine before the foot moves to the brake", 0.4)
    pedal_rate: float = entry(Number("1/s", 0.01, 1000.0), "largest change of a pedal per second", 2.0)


class SpeedControl:
    """PI control of the forward speed with a ramped demand, feed-forward of its slope and anti-windup.

        demand'  = limited to +- acceleration          until it is the target's speed, waiting while LEAD ahead of v
        a        = demand' + Kp (demand - v) + i        acceleration asked of the pedals
        i'       = Ki (demand - v)                      but not further into the stop of a pedal

    Demand and i wait while the engine gives all it has, so the speed does not run beyond the target afterwards.
    (Back-calculation with the usual time constant Kp/Ki would let i grow to full throttle then.) The brake joins only below
    -pedal_gap, so that engine braking comes first; one foot works both pedals, so one is released before the other is pressed.
    [Astrom and Hagglund 1995, section 3.5]

    Parameters
    ----------
    targets : in the order in which they come into force; one whose time and station lie behind replaces those before it
    """

    def __init__(self, targets: Sequence[SpeedTarget], numbers: SpeedNumbers | None = None) -> None:
        self.numbers = numbers or SpeedNumbers()
        self._waiting = list(targets)
        self._target = 0.0
        self._limit = 1.0
        self._demand: float | None = None
        self._integral = 0.0
        self._time = 0.0
        self._throttle = self._brake = 0.0

    def aim(self, speed: float, acceleration: float) -> None:
        """From now on go to `speed` (m/s), changing by at most `acceleration` (m/s2)."""
        self._target, self._limit = speed, acceleration

    def pedals(self, t: float, station: float, speed: float) -> tuple[float, float]:
        """(throttle, brake) in [0, 1] at time t (s), station (m) of the path and forward speed (m/s)."""
        n = self.numbers
        while self._waiting and _begins(self._waiting[0], t, station):
            target = self._waiting.pop(0)
            self._target, self._limit = target.speed, target.acceleration
        if self._demand is None:
            self._demand, self._time = speed, t
        dt, self._time = t - self._time, t

        step = min(max(self._target - self._demand, -self._limit * dt), self._limit * dt)
        slope = step / dt if dt > 0.0 else 0.0
        self._demand += step if abs(self._demand + step - speed) < LEAD or step * (self._demand - speed) < 0.0 else 0.0
        error = self._demand - speed
        a = slope + n.proportional * error + self._integral
        throttle = min(max(a / n.throttle_acceleration, 0.0), 1.0)
        brake = min(max(-(a + n.pedal_gap) / n.brake_acceleration, 0.0), 1.0)
        if not (throttle == 1.0 and error > 0.0) and not (brake == 1.0 and error < 0.0):
            self._integral += dt * n.integral * error

        if self._target == 0.0 and self._demand == 0.0 and abs(speed) < STANDSTILL:
            throttle, brake, self._integral = 0.0, max(brake, STEADY_BRAKE), 0.0
        return self._move_foot(throttle, brake, n.pedal_rate * dt)

    def _move_foot(self, throttle: float, brake: float, most: float) -> tuple[float, float]:
        """Move the pedals towards (throttle, brake), by at most `most`, and one only when the other is released."""
        before = self._throttle, self._brake
        if before[1] == 0.0 or throttle < before[0]:
            self._throttle += min(max(throttle - before[0], -most), most)
        if before[0] == 0.0 or brake < before[1]:
            self._brake += min(max(brake - before[1], -most), most)
        return self._throttle, self._brake


def _begins(target: SpeedTarget, t: float, station: float) -> bool:
    if target.at_station is not None:
        return station >= target.at_station
    return t >= (target.at or 0.0) - 1e-9
