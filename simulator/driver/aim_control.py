"""Pedals and steering of a driver who knows an acceleration and a point to drive to."""

from __future__ import annotations

import math

from simulator.base.records import Record, record
from simulator.driver.internal_model import InternalModel
from simulator.driver.speed import SpeedControl, SpeedGains
from simulator.driver.steering.observation import SEEN

MAX_BRAKING = 9.0
"""m/s2. Limit of the deceleration that the driver requests."""
MAX_LEAD = 1.0
"""m/s. Largest difference between the demanded speed and the speed."""
PAUSE = 0.1
"""s between two calls after which the demand begins at the present speed: another one has worked the pedals."""
STOPPED = 0.3
"""m/s. Speed below which a driver who need not move holds the brake."""
NEAREST = 0.5
"""m. The steering stays if the point is nearer."""


class AccelerationPedals:
    """Pedals for a requested acceleration: speed control with a demand that the acceleration moves.

    Parameters
    ----------
    traits : internal model of the vehicle
    """

    def __init__(self, traits: InternalModel) -> None:
        self._speed = SpeedControl((), SpeedGains(), traits)
        self._demand, self._time = 0.0, -math.inf

    def load_kernels(self, readout: Record, command: Record) -> None:
        """Load the kernels for calls with these records in advance."""
        self._speed.load_kernels(record(SEEN), readout, command)

    def press(self, t: float, readout: Record, command: Record, acceleration: float) -> None:
        """Write the pedals for an acceleration [m/s2] at time t [s] to COMMAND."""
        speed, step = float(readout[0]["v_WB_B"][0]), t - self._time
        if not 0.0 <= step <= PAUSE:
            self._demand, step = speed, 0.0
        self._time = t
        acceleration = max(acceleration, -MAX_BRAKING)
        demand = min(max(self._demand + step * acceleration, speed - MAX_LEAD, 0.0), speed + MAX_LEAD)
        if acceleration < 0.0 and speed < STOPPED:
            demand = 0.0
        self._demand = demand
        self._speed.set_demand(demand, acceleration if demand > 0.0 else 0.0)
        self._speed.write_pedals(t, readout, command)


class AimControl:
    """Control of one vehicle.

    Parameters
    ----------
    traits : internal model of the vehicle
    """

    def __init__(self, traits: InternalModel) -> None:
        self._traits = traits
        self._pedals, self._angle = AccelerationPedals(traits), 0.0

    def steer(self, place: tuple[float, float, float], speed: float, point: tuple[float, float]) -> None:
        """Set the road-wheel angle for an arc from a place (x, y [m], yaw [rad]) to a point [m] (pure pursuit)."""
        x, y, yaw = place
        away = math.dist(point, (x, y))
        if away > NEAREST:
            curvature = 2.0 * math.sin(math.remainder(math.atan2(point[1] - y, point[0] - x) - yaw, math.tau)) / away
            self._angle = (self._traits.turning_length + self._traits.understeer * speed**2) * curvature

    def write(self, t: float, readout: Record, command: Record, acceleration: float) -> None:
        """Write steering, selector and pedals for an acceleration [m/s2] at time t [s]."""
        command[0]["selector"], command[0]["steering"] = 1, self._traits.steering_for(self._angle)
        self._pedals.press(t, readout, command, acceleration)
