"""Figures of a vehicle for steering and pedals by keys or a stick, which give no feedback to the hand or the foot."""

from __future__ import annotations

from dataclasses import dataclass

MIN_TURN = 0.3
"""1. Smallest road-wheel angle over that of a neutral vehicle; an oversteering vehicle would need none at its critical speed."""


@dataclass(frozen=True)
class Handling:
    """Steering and driven wheels of a vehicle. Defaults: the HMMWV."""

    length: float = 3.28
    """m, road-wheel angle divided by curvature in a slow turn"""
    full_angle: float = 0.509
    """rad, road-wheel angle at full lock"""
    understeer: float = 0.0027
    """rad s2/m, additional road-wheel angle per lateral acceleration"""
    steering_wheel_lock: float = 8.28
    """rad, angle of the steering wheel at full lock"""
    lateral_acceleration: float = 5.24
    """m/s2, that a held key reaches at high speed"""
    radii: tuple[float, ...] = (0.47, 0.47, 0.47, 0.47)
    """m, radius of each wheel"""
    driven: tuple[bool, ...] = (True, True, True, True)
    """whether each wheel is driven"""
    axles: tuple[int, ...] = (0, 0, 1, 1)
    """axle of each wheel"""
    start_speed: float = 0.0
    """m/s, tread speed of the driven wheels at which the clutch of a manual transmission is closed in first gear"""
    start_throttle: float = 1.0
    """1, throttle whose torque the driven wheels transmit at a start from rest on a dry road"""
    controls_brake: bool = False
    """True if a controller of the vehicle prevents locked wheels"""
    controls_throttle: bool = False
    """True if a controller of the vehicle prevents spinning wheels"""

    @property
    def turning_radius(self) -> float:
        """Radius [m] of a slow turn at full lock."""
        return self.length / self.full_angle

    def angle_over_neutral(self, speed: float) -> float:
        """Return the road-wheel angle for a curvature at a speed [m/s], divided by that of a neutral vehicle."""
        return max(MIN_TURN, 1.0 + self.understeer * speed * speed / self.length)


HMMWV = Handling()
"""Figures used without a vehicle."""
