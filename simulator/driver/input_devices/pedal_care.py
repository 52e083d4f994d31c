"""Pedals by keys, with the care of a driver: the throttle stays below spinning wheels, the brake below locking wheels.

A foot feels how far a pedal may go; a key is only up or down. The excess e is the slip of the most slipping axle over the allowed slip,
minus 1. The limit of the pedal is that of a limited integrator with a proportional part, as in a traction control:

    I' = -rate e,    limit = I - gain max(e, 0),    e in [-1, 2]

The slip of an axle is that of its wheels, weighted with their loads, so a lifted wheel does not count. Driven axles also count their slip
angle: a tire that slides to the side takes no more throttle.
"""

from __future__ import annotations

import math

from simulator.base.records import Record
from simulator.driver.input_devices.handling import Handling
from simulator.driver.input_devices.shaping import clip

MIN_SPEED, SURE_SPEED = 2.0, 5.0
"""m/s. Vehicle speeds below which the slip is not considered, and from which it is fully: the slip of a slow wheel swings with its tire. The
limit of the brake stays in between, and ends below: locked wheels hold a vehicle at rest."""
MIN_EXCESS = 0.8
"""m/s. Allowed tread speed above the vehicle speed while the vehicle starts [assumed]."""
SIDE_SLIP = 0.14
"""rad. Slip angle of a driven axle at which it takes no throttle, about that of the largest side force of a usual tire [assumed]."""
THROTTLE_RATE, THROTTLE_GAIN = 1.6, 0.25
"""1/s and 1: I' and proportional part of the throttle per excess [tuned with the sedan]."""
BRAKE_RATE, BRAKE_GAIN = 1.2, 0.25
"""1/s and 1: I' and proportional part of the brake per excess [tuned with the sedan and the HMMWV]."""
THROTTLE_LEAD, BRAKE_LEAD = 0.08, 0.0
"""s. Weights of the rate of the slip: an engine spins up faster than a driver reacts. Larger: the pedal trembles."""
RATE_TIME = 0.03
"""s. Time constant of the filter of this rate."""
MIN_THROTTLE, MIN_BRAKE = 0.08, 0.1
"""1. Smallest limits of the pedals."""
STARTED = 2.0
"""m/s. Vehicle speed below which the throttle is at most that of a start, or the speed at which the clutch has closed, if that is larger."""
AHEAD = 0.15
"""1. Largest distance of I above the pedal: a pedal that is pressed again begins with the last limit."""


class _Limit:
    """Limit of one pedal."""

    def __init__(self, rate: float, gain: float, lead: float, least: float) -> None:
        self._rate, self._gain, self._lead, self._least = rate, gain, lead, least
        self._integral, self._slip, self._slip_rate = 1.0, 0.0, 0.0

    def apply(self, pedal: float, slip: float, dt: float, weight: float = 1.0) -> float:
        """Return the pedal for a slip over the allowed slip, `dt` [s] after the previous call; weight : of the excess, 0 to 1."""
        if dt > 0.0:
            self._slip_rate += dt / (RATE_TIME + dt) * ((slip - self._slip) / dt - self._slip_rate)
        self._slip = slip
        excess = clip(slip + self._lead * self._slip_rate - 1.0, -1.0, 2.0) if pedal > 0.0 else -1.0
        self._integral = clip(self._integral - dt * self._rate * weight * excess, self._least, min(1.0, pedal + AHEAD))
        return min(pedal, max(self._least, self._integral - self._gain * weight * max(0.0, excess)))


class PedalCare:
    """Limits throttle and brake of a driver with keys.

    Parameters
    ----------
    handling : figures of the vehicle
    throttle_slip, brake_slip : allowed slip of the driven and of the braked wheels; 1 or more: full pedal
    """

    def __init__(self, handling: Handling, throttle_slip: float, brake_slip: float) -> None:
        self._handling = handling
        self._throttle_slip = math.inf if handling.controls_throttle or throttle_slip >= 1.0 else throttle_slip
        self._brake_slip = math.inf if handling.controls_brake or brake_slip >= 1.0 else brake_slip
        self._axles = [[i for i, of in enumerate(handling.axles) if of == axle] for axle in sorted(set(handling.axles))]
        self._throttle = _Limit(THROTTLE_RATE, THROTTLE_GAIN, THROTTLE_LEAD, MIN_THROTTLE)
        self._brake = _Limit(BRAKE_RATE, BRAKE_GAIN, BRAKE_LEAD, MIN_BRAKE)

    def limit(self, readout: Record, throttle: float, brake: float, dt: float) -> tuple[float, float]:
        """Return the limited (throttle, brake) for a READOUT, `dt` [s] after the previous call."""
        r = readout[0]
        velocity = float(r["v_WB_B"][0])
        if not math.isfinite(velocity):
            return throttle, brake
        speed = abs(velocity)
        driving, braking = self._slips(r, velocity)
        if math.isfinite(self._throttle_slip):
            if speed < max(STARTED, self._handling.start_speed):
                throttle = min(throttle, self._handling.start_throttle)
            throttle = self._throttle.apply(throttle, driving, dt)
        if math.isfinite(self._brake_slip):
            weight = clip((speed - MIN_SPEED) / (SURE_SPEED - MIN_SPEED), 0.0, 1.0)
            brake = self._brake.apply(brake, braking, dt, weight) if speed > MIN_SPEED else self._brake.apply(brake, 0.0, dt)
        return throttle, brake

    def _slips(self, r: Record, velocity: float) -> tuple[float, float]:
        """Return the slip of the most slipping axle over the allowed one: of driven axles under throttle, of all axles under braking."""
        handling, speed, driving, braking = self._handling, abs(velocity), 0.0, 0.0
        allowed = max(MIN_EXCESS, min(self._throttle_slip, 1.0) * speed, handling.start_speed - speed)
        for wheels in self._axles:
            loads = {i: max(0.0, float(r["F_C"][i][2])) for i in wheels}
            total = sum(loads.values())
            if not (total > 0.0 and math.isfinite(total)):
                continue
            slip = sum(load * float(r["slip_ratio"][i]) for i, load in loads.items()) / total
            braking = max(braking, -math.copysign(slip, slip * velocity) / min(self._brake_slip, 1.0))
            if handling.driven[wheels[0]]:
                tread = sum(load * abs(float(r["wheel_spin"][i])) * handling.radii[i] for i, load in loads.items()) / total
                side = sum(load * float(r["slip_angle"][i]) for i, load in loads.items()) / total
                sliding = abs(side) / SIDE_SLIP if speed > MIN_SPEED else 0.0
                driving = max(driving, math.hypot(max(0.0, tread - speed) / allowed, sliding))
        return driving, braking
