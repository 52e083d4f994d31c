"""Internal model of the vehicle that a driver uses to steer along a path and to convert between steering input and road-wheel angle."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ShiftPoints:
    """Shift points of a driver. Speeds are engine speeds in rad/s."""

    ratios: tuple[float, ...]
    """engine-side speed divided by driveshaft speed"""
    up: tuple[float, float]
    """upshift speed with closed and with open throttle"""
    down: tuple[float, float]
    """downshift speed with closed and with open throttle"""
    most: float
    """maximum engine speed after a downshift"""
    radii: tuple[float, ...] = ()
    """m, radii of the wheels, front left first; 0 for wheels that are not driven"""
    limit: float = math.inf
    """speed above which the engine gives no torque"""


@dataclass(frozen=True)
class InternalModel:
    """Internal model of a vehicle.

    Defaults: the shipped HMMWV as `identify_vehicle` measures it, rounded. They replace what cannot be identified. Tests drive by them.
    """

    wheelbase: float = 3.302
    """m, distance from the first to the last axle."""
    mass: float = 2930.0
    """kg, total mass."""
    steering_wheel_lock: float = 8.28
    """rad, angle of the steering wheel at steering input 1."""
    inputs: NDArray[np.float64] = field(default_factory=lambda: np.array([-1.0, 0.0, 1.0]))
    """(n,) steering inputs, rising from -1 to 1."""
    road_wheel_angles: NDArray[np.float64] = field(default_factory=lambda: np.array([-0.509, 0.0, 0.509]))
    """(n,) rad, mean heading of the steered wheels at these inputs, at rest, + = left."""
    understeer: float = 0.0027
    """rad s2/m, additional road-wheel angle per lateral acceleration, relative to a slow turn."""
    response: float = 0.174
    """s, approximate response time of the vehicle to steering."""
    throttle_acceleration: float = 2.9
    """m/s2, acceleration per unit of throttle; mean over the gears."""
    brake_acceleration: float = 13.6
    """m/s2, deceleration per unit of brake."""
    turning_length: float = 3.28
    """m, road-wheel angle divided by curvature in a slow turn: the wheelbase of a vehicle with two axles."""
    front_axle: float = 1.648
    """m, position of the first axle ahead of the reference point."""
    front_share: float = 0.464
    """1, fraction of the weight on the first axle of an equivalent vehicle with only the first and the last axle."""
    reference_height: float = 0.472
    """m, height of the reference point above level ground, at rest."""
    center_height: float = 0.716
    """m, height of the center of mass above level ground, at rest."""
    track: float = 1.822
    """m, distance from the wheels on the right to those on the left."""
    rear_slip: float = 0.0117
    """rad s2/m, slip angle per lateral acceleration of the rear axle, more precisely of the point without slip angle in a slow turn."""
    rolling: float = 0.153
    """m/s2, deceleration of the vehicle coasting in neutral, the part that does not depend on the speed."""
    drag: float = 5e-4
    """1/m, deceleration of the coasting vehicle per square of its speed."""
    gears: ShiftPoints | None = None
    """Shift points; None if unknown."""
    troubles: tuple[str, ...] = ()
    """Parts that could not be identified and are replaced by the defaults, one line each."""

    @property
    def rear_point(self) -> float:
        """Distance [m] behind the first axle of the point without slip angle in a slow turn.

        It is the turning length, but at most the wheelbase: locked differentials lengthen the turning length by slip of the front wheels,
        and move the point much less.
        """
        return min(self.turning_length, self.wheelbase)

    def steering_for(self, road_wheel_angle: float) -> float:
        """Return the steering input [-1, 1] for a mean road-wheel angle (rad); full lock for larger angles."""
        return float(np.interp(road_wheel_angle, self.road_wheel_angles, self.inputs))

    def road_wheel_angle(self, steering: float) -> float:
        """Return the mean road-wheel angle (rad) at a steering input."""
        return float(np.interp(steering, self.inputs, self.road_wheel_angles))
