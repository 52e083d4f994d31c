"""Adaptive cruise control and speed limiter.

The cruise control keeps the set speed and the time gap to a vehicle ahead: the Intelligent Driver Model of the driver `follow` gives the
acceleration. The throttle of the driver overrides it while it asks for more; the brake turns it off. The limiter reduces the throttle of
the driver, and never brakes.
"""

from __future__ import annotations

import math

from simulator.assistance.emergency_braking import PRESSED, DriverInput
from simulator.assistance.section import CruiseOptions, LimiterOptions
from simulator.base.field_records import filled, rows
from simulator.base.fields import Number
from simulator.base.records import Record, record
from simulator.driver.aim_control import AccelerationPedals
from simulator.driver.following_driver import PARAMETERS
from simulator.driver.internal_model import InternalModel
from simulator.traffic.car_following import plain_following_acceleration
from vehicles.command import COMMAND

MIN_SET_SPEED = 30.0 / 3.6
"""m/s. Least set speed, if it is set at a lower speed: as in cars [assumed]."""
PROPORTIONAL, INTEGRAL = 1.0, 0.3
"""1/s, 1/s2. Gains of the limiter: acceleration per speed that is left, and its rate. Larger: it hunts with the gearbox."""
NEAR_LIMIT = 1.0
"""m/s. Speed below the limit from which a kick-down overrides it, and below which an override ends."""


class CruiseControl:
    """Adaptive cruise control of one vehicle.

    Attributes
    ----------
    on : whether it is on
    speed : set speed [m/s]; NaN before the first one
    time_gap : s
    overridden : whether the driver presses the throttle further
    """

    def __init__(self, options: CruiseOptions, traits: InternalModel) -> None:
        self.options, self._pedals, self._out = options, AccelerationPedals(traits), record(COMMAND)
        numbers = tuple(one for one in PARAMETERS if isinstance(one.kind, Number))
        self._p = filled(rows(numbers), {one.name: one.default for one in numbers})
        for name in ("standstill_gap", "acceleration", "deceleration"):
            self._p[0][name] = getattr(options, name)
        self.begin()

    def begin(self) -> None:
        """Begin a drive."""
        self.on, self.overridden, self.time_gap = self.options.on, False, self.options.time_gap
        self.speed = math.nan if self.options.speed is None else self.options.speed

    def load_kernels(self, readout: Record) -> None:
        """Load the kernels in advance."""
        self._pedals.load_kernels(readout, self._out)

    def step(self, t: float, readout: Record, leader: Record | None, driver: DriverInput, command: Record) -> None:
        """Write the pedals at time t [s] to COMMAND; leader : row of TARGET of the nearest vehicle in the way, or None."""
        if driver.deliberate and driver.brake > PRESSED:
            self.on = False
        if not self.on:
            return
        speed = float(readout[0]["v_WB_B"][0])
        if math.isnan(self.speed):
            self.speed = max(speed, MIN_SET_SPEED)
        gap, leader_speed = (math.inf, 0.0) if leader is None else (float(leader["gap"]), float(leader["path_speed"]))
        self._p[0]["max_speed"], self._p[0]["time_gap"] = max(self.speed, 0.1), self.time_gap
        acceleration = plain_following_acceleration(self._p[0], speed, gap, leader_speed)
        most = self.options.deceleration if leader is None else self.options.max_deceleration
        self._pedals.press(t, readout, self._out, max(acceleration, -most))
        out, own = command[0], self._out[0]
        self.overridden = driver.deliberate and driver.throttle > max(PRESSED, float(own["throttle"]))
        if not self.overridden:
            out["throttle"], out["brake"], out["parking_brake"] = own["throttle"], own["brake"], 0.0


class SpeedLimiter:
    """Speed limiter of one vehicle.

    Attributes
    ----------
    on : whether it is on
    speed : limit [m/s]; NaN before the first one
    limits : whether it reduces the throttle
    overridden : whether the driver has pressed the throttle down
    """

    def __init__(self, options: LimiterOptions, traits: InternalModel) -> None:
        self.options, self._traits = options, (traits.throttle_acceleration, traits.rolling, traits.drag)
        self.begin()

    def begin(self) -> None:
        """Begin a drive."""
        self.on, self.limits, self.overridden = self.options.on, False, False
        self.speed = math.nan if self.options.speed is None else self.options.speed
        self._integral, self._throttle = 0.0, math.nan

    def step(self, dt: float, readout: Record, driver: DriverInput, command: Record) -> None:
        """Reduce the throttle of COMMAND, dt [s] after the last call."""
        kicks = driver.deliberate and self._throttle < self.options.kick_down <= driver.throttle
        self._throttle, self.limits = driver.throttle, False
        if not self.on:
            self.overridden, self._integral = False, 0.0
            return
        speed = float(readout[0]["v_WB_B"][0])
        if math.isnan(self.speed):
            self.speed = max(speed, MIN_SET_SPEED)
        left = self.speed - speed
        if left > NEAR_LIMIT or driver.throttle < self.options.kick_down:
            self.overridden = False
        elif kicks:
            self.overridden = True
        if self.overridden:
            return
        gain, rolling, drag = self._traits
        most = min(max((PROPORTIONAL * left + self._integral + rolling + drag * speed * speed) / gain, 0.0), 1.0)
        self.limits = bool(command[0]["throttle"] > most)
        if self.limits:
            self._integral += dt * INTEGRAL * left if most > 0.0 or left > 0.0 else 0.0
            command[0]["throttle"] = most
        else:
            self._integral -= min(dt, 1.0) * self._integral
