"""Figures of a vehicle for keys and sticks, from its records and the internal model of its driver."""

from __future__ import annotations

import math

from simulator.base.constants import STANDARD_GRAVITY
from simulator.driver.input_devices.handling import Handling
from simulator.driver.internal_model import InternalModel
from vehicles.corner_layout import axle_of
from vehicles.drivetrain.contract import CONVENTIONAL
from vehicles.drivetrain.conventional.friction_clutch import CLOSES_AT
from vehicles.vehicle import Vehicle

STABILITY_USED = 0.42
"""1. Lateral acceleration of a held key over that at which the vehicle would tip over on its wheels [assumed]. Larger: nervous."""
MAX_LATERAL_ACCELERATION = 0.6 * STANDARD_GRAVITY
"""m/s2. Largest lateral acceleration of a held key, three quarters of the grip of usual tires on asphalt [assumed]."""

START_GRIP = 0.8
"""1. Grip of a dry road for the throttle of a start [assumed]. Larger: the wheels spin; smaller: a slow start."""


def handling_of(vehicle: Vehicle, traits: InternalModel) -> Handling:
    """Return the figures of a vehicle with these traits."""
    drivetrain, tires = vehicle.model.drivetrain, vehicle.model.tires
    axles = tuple(axle_of(drivetrain, wheel) for wheel in range(len(tires)))
    driven = tuple(bool(math.isfinite(drivetrain[0]["final_ratio"][axle])) for axle in axles)
    controllers = vehicle.description.controllers
    kinds = {unit.kind.name for unit, one in zip(controllers.units, controllers.records, strict=True) if one["active"]}
    stability = traits.track / (2.0 * max(traits.center_height, 0.1))
    return Handling(
        length=traits.turning_length,
        full_angle=float(min(abs(traits.road_wheel_angles[0]), abs(traits.road_wheel_angles[-1]))),
        understeer=traits.understeer,
        steering_wheel_lock=traits.steering_wheel_lock,
        lateral_acceleration=min(STABILITY_USED * stability * STANDARD_GRAVITY, MAX_LATERAL_ACCELERATION),
        radii=tuple(float(radius) for radius in tires["radius"]),
        driven=driven,
        axles=axles,
        start_speed=_start_speed(vehicle, driven, axles),
        start_throttle=_start_throttle(vehicle, traits, driven, axles),
        controls_brake="abs" in kinds,
        controls_throttle="traction" in kinds,
    )


def _start_speed(vehicle: Vehicle, driven: tuple[bool, ...], axles: tuple[int, ...]) -> float:
    """Return the tread speed [m/s] of the driven wheels at which the automatic clutch controller closes the clutch in first gear."""
    p, radius = vehicle.model.drivetrain[0], vehicle.model.tires["radius"]
    if p["has_clutch"] == 0 or not any(driven):
        return 0.0
    wheel = driven.index(True)
    shaft = CLOSES_AT * float(p["grip_speed"][0]) * float(p["forward_ratios"][0])
    return shaft * float(p["final_ratio"][axles[wheel]]) * float(radius[wheel])


def _start_throttle(vehicle: Vehicle, traits: InternalModel, driven: tuple[bool, ...], axles: tuple[int, ...]) -> float:
    """Return the throttle at which the engine, in first gear at its largest torque, reaches the grip of the driven wheels."""
    p, radius = vehicle.model.drivetrain[0], vehicle.model.tires["radius"]
    torque = float(p["engine_map_open"].max())
    if p["kind"] != CONVENTIONAL or not any(driven) or not torque > 0.0:
        return 1.0
    wheel = driven.index(True)
    by_converter = 1.0 if p["has_clutch"] != 0 else max(1.0, float(p["converter_torque_ratio"].max()))
    at_wheels = torque * by_converter / float(p["forward_ratios"][0] * p["final_ratio"][axles[wheel]])
    last, shares = max(axles), {0: traits.front_share, max(axles): 1.0 - traits.front_share}
    load = 1.0 if last == 0 else sum(shares.get(axle, 0.0) for axle in {axle for axle, on in zip(axles, driven, strict=True) if on})
    return min(1.0, START_GRIP * STANDARD_GRAVITY * traits.mass * load * float(radius[wheel]) / at_wheels)
