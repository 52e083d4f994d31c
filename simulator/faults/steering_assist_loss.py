"""Loss of the power assistance of the steering: the driver turns the wheels with the torque of the hands alone."""

from __future__ import annotations

from simulator.base.values import Values
from simulator.faults.contract import FaultContext, FaultKind, FaultTargets


class SteeringAssistLoss:
    """Loss of the assist torque."""

    def __init__(self, values: Values, context: FaultContext) -> None:
        if context.vehicle.model.steering[0]["assist_points"] < 2:
            raise values.error("type", "a fault of this vehicle; its steering has no power assistance (steering.assist)")

    def apply(self, level: float, on: FaultTargets) -> None:
        """Reduce the assist torque."""
        on.parameters.model.steering["assist_torque"] *= 1.0 - level


KIND = FaultKind("steering_assist_loss", (), SteeringAssistLoss, ramp=0.3, meaning="loss of the power assistance of the steering")
