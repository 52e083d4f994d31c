"""Vehicle as mappers and planners know it: outline, wheels, steering, and limits that follow from them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.driver.internal_model import InternalModel
from terrain.truth_map import Limits
from vehicles.description import Description
from vehicles.tires.tire_file import TireSet

ENVELOPED = 0.1
"""Height of an object over which a tire rolls, divided by the radius of the wheel: no more than the deflection of a tire."""
CLIMBED = 0.25
"""Height of a step over which a wheel rolls without a jolt, divided by its radius: less than a curb for the wheels of cars and light trucks."""
STEERING_RESERVE = 0.9
"""Fraction of the largest curvature that a plan may use; the rest corrects errors."""
STABLE = 0.5
"""Fraction of the angle and of the lateral acceleration of the roll-over that a plan may use."""
GRIP = 0.4
"""Lateral acceleration of a plan over gravity, at most: half the friction of a dry road."""
STEERING_WHEEL_RATE = 10.0
"""rad/s. Rate at which a driver turns the steering wheel in a plan; the driver may be faster."""
COMFORTABLE = 3.0
"""m/s2. Deceleration of a plan, unless the brakes are weaker."""
OVERHEAD = 0.2
"""m. Room above the roof."""


@dataclass(frozen=True)
class VehicleTraits:
    """Outline, wheels and limits of a vehicle. Distances ahead of and behind the reference point B are positive."""

    front: float
    """m, distance of the front end ahead of B"""
    rear: float
    """m, distance of the rear end behind B"""
    width: float
    """m"""
    height: float
    """m, of the highest point of the body above the ground"""
    rear_axle: float
    """m, distance behind B of the point without sideslip in a slow turn, for two axles that of the rear axle"""
    wheelbase: float
    """m"""
    track: float
    """m"""
    wheel_radius: float
    """m"""
    tire_width: float
    """m"""
    wheel_load: float
    """N, mean at rest"""
    ground_clearance: float
    """m, of the lowest point of the body between the axles"""
    approach_angle: float
    """rad"""
    departure_angle: float
    """rad"""
    max_curvature: float
    """1/m, of the path of the point without sideslip"""
    curvature_rate: float
    """1/m/s, change of the curvature by steering"""
    acceleration: float
    """m/s2, forward"""
    deceleration: float
    """m/s2, by braking"""
    lateral_acceleration: float
    """m/s2"""
    max_climb: float
    """rad, steepest slope on a dry road"""
    max_roll: float
    """rad, steepest side slope"""

    @property
    def min_turning_radius(self) -> float:
        """Radius [m] of the tightest turn of a plan."""
        return 1.0 / self.max_curvature

    def limits(self, cell: float) -> Limits:
        """Return the limits of a map with cells of a side length [m]. In cells larger than a wheel, a slope that the vehicle climbs is no step."""
        slope, step = min(self.max_climb, self.approach_angle, self.departure_angle), CLIMBED * self.wheel_radius
        step = step if cell <= self.wheel_radius else max(step, cell * math.tan(slope))
        return Limits(slope, step, ENVELOPED * self.wheel_radius, self.height + OVERHEAD)


def vehicle_traits(description: Description, tires: TireSet, model: InternalModel, reduction: float = 1.0) -> VehicleTraits:
    """Return the traits of a vehicle, from its files and the driver's model of it; `reduction`: of a low range in use, 1 / its ratio."""
    tire = tires.shared
    radius, tire_width = float(np.mean(tire["radius"])), float(np.mean(tire["width"]))
    ground, first, last = -model.reference_height, model.front_axle, model.front_axle - model.wheelbase
    contact = description.body_contact[0]
    points = np.array(contact["points"][: int(contact["count"])])
    length, width, overhang = description.outline
    front = first + overhang
    stability = model.track / (2.0 * max(model.center_height, 0.1))
    sharpest = float(min(abs(model.road_wheel_angles[0]), abs(model.road_wheel_angles[-1]))) / model.turning_length
    wheel_rate = STEERING_WHEEL_RATE / model.steering_wheel_lock * sharpest
    # per unit of throttle, the pull of the vehicle on a level road is that on a slope, over gravity
    pull = min(0.9 * reduction * model.throttle_acceleration, 0.75 * STANDARD_GRAVITY)
    return VehicleTraits(
        front=front,
        rear=length - front,
        width=max(width, model.track + tire_width),
        height=float(points[:, 2].max()) - ground,
        rear_axle=model.rear_point - model.front_axle,
        wheelbase=model.wheelbase,
        track=model.track,
        wheel_radius=radius,
        tire_width=tire_width,
        wheel_load=model.mass * STANDARD_GRAVITY / len(tire),
        ground_clearance=_clearance(points, first, last, ground),
        approach_angle=_overhang_angle(points, first, ground, radius, 1.0),
        departure_angle=_overhang_angle(points, last, ground, radius, -1.0),
        max_curvature=STEERING_RESERVE * sharpest,
        curvature_rate=wheel_rate,
        acceleration=min(0.4 * model.throttle_acceleration, 2.0),
        deceleration=min(0.5 * model.brake_acceleration, COMFORTABLE),
        lateral_acceleration=STANDARD_GRAVITY * min(STABLE * stability, GRIP),
        max_climb=math.asin(min(pull / STANDARD_GRAVITY, 0.95)),
        max_roll=STABLE * math.atan(stability),
    )


def _clearance(points: np.ndarray, first: float, last: float, ground: float) -> float:
    """Return the height [m] above the ground of the lowest point of the body between the axles."""
    between = (points[:, 0] < first) & (points[:, 0] > last)
    return float((points[between] if between.any() else points)[:, 2].min()) - ground


def _overhang_angle(points: np.ndarray, axle: float, ground: float, radius: float, side: float) -> float:
    """Return the approach angle (side 1) or departure angle (side -1) [rad]: slope of the line from the tire to the lowest body point."""
    ahead = side * (points[:, 0] - axle)
    beyond = ahead > 0.2 * radius
    if not beyond.any():
        return 0.5 * math.pi
    # tangent from a point to the circle of the wheel, whose center is `radius` above the ground
    away, up = ahead[beyond], points[beyond, 2] - ground - radius
    far = np.hypot(away, up)
    turned = np.arctan2(up, away) + np.arcsin(np.minimum(radius / far, 1.0))
    return float(np.clip(turned.min(), 0.05, 0.5 * math.pi))
