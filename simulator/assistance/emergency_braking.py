"""Forward collision warning and emergency braking.

The necessary deceleration a of the most urgent object decides: a warning, when a driver who reacts after `reaction` would need `warning_at`;
partial braking from `partial_at`, full braking from `full_at`. Each stage lasts until no collision is predicted for CLEAR. A vehicle that was
braked to rest is held until the driver presses a pedal. The brake follows the requested deceleration: feedforward, plus an integral of the
error. It rises no faster than a foot presses, and stays below locking wheels as the brake of a driver with keys does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from simulator.assistance.section import BrakingOptions
from simulator.base.records import Record
from simulator.driver.input_devices.handling import Handling
from simulator.driver.input_devices.pedal_care import PedalCare
from simulator.driver.internal_model import InternalModel

READY, WARNING, PARTIAL, FULL, HOLD, OVERRIDDEN, OFF = range(7)
STAGES = ("ready", "warning", "partial braking", "full braking", "hold", "overridden", "off")
BRAKES = (PARTIAL, FULL, HOLD)
"""Stages that brake or hold the vehicle."""
CLEAR = 0.1
"""s without a predicted collision after which a stage ends, and after which an override ends. Longer: it brakes on when the way is free."""
AT_REST = 0.1
"""m/s. Speed below which a braked vehicle counts as stopped."""
STEERS = 0.5
"""s after a fast steering in which nothing begins: the driver evades [assumed]."""
STOPPING = 2.0
"""m/s. Speed below which a braked vehicle is braked to rest."""
HOLDING_BRAKE = 0.4
"""1. Brake pedal that holds a stopped vehicle."""
PRESSED = 0.05
"""1. Position, or change of the position, of a pedal that counts as pressed."""
PRESS_RATE = 2.0
"""1/s. Rate of the brake, that of the feet of the automatic drivers (`SpeedGains.pedal_rate`)."""
INTEGRAL = 1.5
"""1/s. Rate of the requested deceleration per error. Larger: it swings with the load of the wheels."""
MAX_CORRECTION = 0.5
"""1. Limit of the integral, relative to the request: the brakes of a laden vehicle may be so much weaker than identified."""
BRAKE_SLIP = 0.1
"""1. Slip of the wheels at which the brake stays, if the vehicle has no anti-lock brakes: locked wheels steer and stop worse."""


class DriverInput(NamedTuple):
    """What the driver does, and whether the driver means to override."""

    throttle: float
    brake: float
    steering: float
    """rad, angle of the steering wheel"""
    deliberate: bool
    """False: an automatic driver that keeps a speed; its throttle overrides nothing."""


class EmergencyBraking:
    """State of the emergency braking of one vehicle.

    Attributes
    ----------
    stage : READY ... OFF
    brake : pedal that it requests, 0 = none
    blocks : whether the throttle does not count: from an intervention on, until the driver presses it anew or the way is free
    """

    def __init__(self, options: BrakingOptions, traits: InternalModel, handling: Handling) -> None:
        self.options, self._gain, self._handling = options, traits.brake_acceleration, handling
        self._requests = {PARTIAL: options.partial, FULL: options.full}
        self.begin()

    def begin(self) -> None:
        """Be ready, at the begin of a drive."""
        self.stage = READY if self.options.on else OFF
        self.brake, self.blocks = 0.0, False
        self._integral, self._is_limited, self._clear = 0.0, False, math.inf
        self._care = PedalCare(self._handling, 1.0, BRAKE_SLIP)
        self._wheel = self._throttle = math.nan
        self._first_wheel = self._lowest_throttle = self._steers = 0.0

    @property
    def brakes(self) -> bool:
        """Whether it brakes or holds the vehicle."""
        return self.stage in BRAKES

    def switch(self, on: bool) -> None:
        """Turn it on or off."""
        if on != (self.stage != OFF):
            self.stage = READY if on else OFF

    def step(self, dt: float, readout: Record, threat: Record | None, is_free: bool, driver: DriverInput) -> None:
        """Advance by dt [s] with the most urgent object, a row of TARGET; `is_free`: nothing is close ahead."""
        wheel_rate = 0.0 if math.isnan(self._wheel) or dt <= 0.0 else (driver.steering - self._wheel) / dt
        kicks = not math.isnan(self._throttle) and self._throttle < self.options.kick_down <= driver.throttle
        self._wheel, self._throttle = driver.steering, driver.throttle
        self._steers = STEERS if abs(wheel_rate) > self.options.steering_rate else max(self._steers - dt, 0.0)
        self._clear = 0.0 if threat is not None else self._clear + dt
        if self.stage != OFF:
            self._advance(float(readout[0]["v_WB_B"][0]), threat, driver)
            if WARNING <= self.stage <= HOLD and self._is_overridden(kicks, driver):
                self.stage = OVERRIDDEN
        self._lowest_throttle = min(self._lowest_throttle, driver.throttle)
        presses = driver.deliberate and driver.throttle > self._lowest_throttle + PRESSED
        if self.brakes:
            self.blocks = True
        elif is_free or presses or self.stage in (OVERRIDDEN, OFF):
            self.blocks = False
        self._press(dt, readout)

    def _advance(self, speed: float, threat: Record | None, driver: DriverInput) -> None:
        """Go to the stage for the most urgent object."""
        p, was = self.options, self.stage
        if was in (PARTIAL, FULL) and speed < AT_REST:
            self.stage, self._lowest_throttle = HOLD, driver.throttle
        elif was in (PARTIAL, FULL) and driver.brake > self._pedal(was) + PRESSED:
            self.stage = WARNING  # the driver brakes harder
        elif was in (PARTIAL, FULL) and speed < STOPPING:
            pass
        elif was in (WARNING, PARTIAL, FULL, OVERRIDDEN) and self._clear >= CLEAR:
            self.stage = READY
        elif threat is not None and was <= FULL and (was != READY or p.min_speed <= speed <= p.max_speed):
            stage = WARNING if threat["warned"] >= p.warning_at else READY
            if threat["collision_time"] <= p.max_time and threat["required"] >= p.partial_at:
                braking = FULL if threat["required"] >= p.full_at else PARTIAL
                stage = WARNING if driver.brake >= self._pedal(braking) else braking
            self.stage = READY if was == READY and self._steers > 0.0 else max(stage, was)
            if was == READY != self.stage:
                self._first_wheel, self._lowest_throttle = driver.steering, driver.throttle

    def _is_overridden(self, kicks: bool, driver: DriverInput) -> bool:
        """Return whether the driver overrides a warning or an intervention."""
        p = self.options
        if self.stage == HOLD:
            return driver.brake > PRESSED or (driver.deliberate and driver.throttle > self._lowest_throttle + PRESSED)
        steers = self._steers == STEERS or abs(driver.steering - self._first_wheel) > p.steering_angle
        return steers or (driver.deliberate and kicks)

    def _pedal(self, stage: int) -> float:
        """Return the brake pedal of a stage."""
        return (self._requests[stage] + self._integral) / self._gain

    def _press(self, dt: float, readout: Record) -> None:
        """Move the brake."""
        step = PRESS_RATE * dt
        if self.stage not in (PARTIAL, FULL):
            self._integral, self._is_limited = 0.0, False
            self.brake = self.brake + min(max(HOLDING_BRAKE - self.brake, -step), step) if self.stage == HOLD else 0.0
            return
        request, pedal = self._requests[self.stage], min(self._pedal(self.stage), 1.0)
        error = request + float(readout[0]["a_WB_B"][0])
        if self.brake >= 0.95 * pedal and not (error > 0.0 and (pedal == 1.0 or self._is_limited)):
            most = MAX_CORRECTION * request
            self._integral = min(max(self._integral + INTEGRAL * error * dt, -most), most)
        given = max(min(pedal, self.brake + step), 0.0)
        self.brake = self._care.limit(readout, 0.0, given, dt)[1]
        self._is_limited = self.brake < given
