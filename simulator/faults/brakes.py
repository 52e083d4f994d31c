"""Faults of the brakes: loss of a circuit, and fade.

The brakes of an axle lose a part of their friction torque, with hydraulics and without. Disc temperatures, pressures, the control units and
the parking brake are not changed. A circuit is that of an axle; the records of the brakes have no diagonal circuits.
"""

from __future__ import annotations

import numpy as np

from simulator.base.fields import Choice, Field, Number
from simulator.base.values import Values
from simulator.faults.contract import FaultContext, FaultKind, FaultTargets

CIRCUITS = ("front", "rear")
"""The first axle, and all others."""


def weaken(on: FaultTargets, factor: np.ndarray) -> None:
    """Multiply the torques of the service brakes of each axle by a factor (axles,)."""
    brakes = on.parameters.model.brakes[0]
    brakes["max_torque"] *= factor
    brakes["torque_per_pressure"] *= factor


class BrakeCircuitLoss:
    """Loss of pressure in one circuit."""

    def __init__(self, values: Values, context: FaultContext) -> None:
        axles = len(context.vehicle.model.brakes[0]["max_torque"])
        self._share = np.arange(axles) == 0 if values["circuit"] == "front" else np.arange(axles) > 0

    def apply(self, level: float, on: FaultTargets) -> None:
        """Release the brakes of the circuit."""
        weaken(on, 1.0 - level * self._share)


class BrakeFade:
    """Loss of friction of all brakes."""

    def __init__(self, values: Values, context: FaultContext) -> None:
        self._left = values["friction"]

    def apply(self, level: float, on: FaultTargets) -> None:
        """Reduce the friction of all brakes."""
        weaken(on, np.full(len(on.parameters.model.brakes[0]["max_torque"]), 1.0 + level * (self._left - 1.0)))


CIRCUIT_LOSS = FaultKind(
    "brake_circuit_loss",
    (Field("circuit", Choice(CIRCUITS), "circuit: front is the first axle, rear all others"),),
    BrakeCircuitLoss,
    ramp=0.5,
    subject=("circuit",),
    meaning="loss of pressure in a brake circuit: its brakes have no torque",
)
FADE = FaultKind(
    "brake_fade",
    (Field("friction", Number("1", 0.0, 1.0), "friction of the pads that is left", 0.4),),
    BrakeFade,
    ramp=5.0,
    meaning="loss of pad friction of all brakes, in addition to that by their temperatures",
)
