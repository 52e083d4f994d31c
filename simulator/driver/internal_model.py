"""What a driver knows of the vehicle he sits in: enough to steer any car along a path, and to turn hand-wheel into road-wheel angles."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ShiftPoints:
    """What a driver goes by who shifts by himself. Speeds in rad/s of the engine."""

    ratios: tuple[float, ...]
    """driveshaft speed over that of the engine's side, first gear first, rising"""
    up: tuple[float, float]
    """speed above which he takes the next gear, throttle closed and open"""
    down: tuple[float, float]
    """speed below which he takes the gear below, throttle closed and open"""
    most: float
    """speed that the engine must not have after a shift down"""
    radii: tuple[float, ...] = ()
    """m, of the wheels, front left first; 0 of those that are not driven"""


@dataclass(frozen=True)
class InternalModel:
    """A vehicle as its driver knows it.

    Defaults: the shipped HMMWV, from steady turns on asphalt (steering input per curvature 6.8 m at 4 m/s, 7.1 m at 10 m/s, 8 to 9.9 m
    at 20 m/s, less the harder the turn) and the half-way time of its yaw rate after a quick turn of the wheel (0.11 to 0.25 s).
    """

    wheelbase: float = 3.378
    """m from the first to the last axle."""
    mass: float = 2570.0
    """kg, all of it."""
    steering_wheel_lock: float = 13.61
    """rad, angle of the steering wheel at steering input 1."""
    inputs: NDArray[np.float64] = field(default_factory=lambda: np.array([-1.0, 0.0, 1.0]))
    """(n,) steering inputs, rising from -1 to 1."""
    road_wheel_angles: NDArray[np.float64] = field(default_factory=lambda: np.array([-0.487, 0.0, 0.487]))
    """(n,) rad, mean heading of the steered wheels at these inputs, standing, + = left."""
    understeer: float = 0.0025
    """rad s2/m, road-wheel angle needed per lateral acceleration beyond that of a slow turn."""
    response: float = 0.27
    """s, about the time the vehicle needs to answer the steering."""
    throttle_acceleration: float = 6.0
    """m/s2 per unit of throttle; the mean of the gears."""
    brake_acceleration: float = 8.0
    """m/s2 of deceleration per unit of brake."""
    turning_length: float = 3.31
    """m, road-wheel angle over curvature of a slow turn: the wheelbase of a vehicle with two axles."""
    front_axle: float = 1.656
    """m, first axle ahead of the reference point."""
    front_share: float = 0.51
    """1, of the weight, what the first axle would carry if there were but it and the last one: where the center of mass is."""
    rear_slip: float = 0.0137
    """rad s2/m, slip angle per lateral acceleration of the place that has none in a slow turn: of the rear axle, where there is one."""
    rolling: float = 0.15
    """m/s2, deceleration of the coasting vehicle in neutral, the part that does not depend on its speed."""
    drag: float = 5e-4
    """1/m, and the part that grows with its square."""
    gears: ShiftPoints | None = None
    """Where to shift; None where that is not known."""
    troubles: tuple[str, ...] = ()
    """What could not be measured and is therefore as of the vehicle above, one line each."""

    def steering_for(self, road_wheel_angle: float) -> float:
        """Steering input [-1, 1] for a mean road-wheel angle (rad); full lock beyond what there is."""
        return float(np.interp(road_wheel_angle, self.road_wheel_angles, self.inputs))

    def road_wheel_angle(self, steering: float) -> float:
        """Mean road-wheel angle (rad) at a steering input."""
        return float(np.interp(steering, self.inputs, self.road_wheel_angles))
