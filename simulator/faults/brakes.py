"""Faults of the brakes: loss of a circuit, and fade.

Brakes lose a part of their friction torque, with hydraulics and without. Disc temperatures, pressures, the control units and the parking
brake are not changed. A circuit is that of an axle, or, with a diagonal split, that of a front wheel and the rear wheel of the other side.
"""

from __future__ import annotations

import numpy as np

from simulator.base.fields import Choice, Field, Number
from simulator.base.values import Values
from simulator.faults.contract import FaultContext, FaultKind, FaultTargets
from vehicles.corner_layout import axle_of

CIRCUITS = ("front", "rear", "front_left_rear_right", "front_right_rear_left")
"""The first axle, all others, and the two circuits of a diagonal (X) split."""
DIAGONALS = {"front_left_rear_right": ("FL", "RR"), "front_right_rear_left": ("FR", "RL")}
"""Wheels of the diagonal circuits."""


class BrakeCircuitLoss:
    """Loss of pressure in one circuit."""

    def __init__(self, values: Values, context: FaultContext) -> None:
        names, circuit = context.vehicle.corner_names, values["circuit"]
        if circuit in DIAGONALS:
            if set(names) != {"FL", "FR", "RL", "RR"}:
                raise values.error(
                    "circuit", "front or rear, because a diagonal circuit needs two axles with two wheels each, not {}", len(names)
                )
            self._lost = np.array([name in DIAGONALS[circuit] for name in names], float)
        else:
            brakes = context.vehicle.model.brakes
            is_front = np.array([axle_of(brakes, wheel) == 0 for wheel in range(len(names))])
            self._lost = (is_front if circuit == "front" else ~is_front).astype(float)

    def apply(self, level: float, on: FaultTargets) -> None:
        """Release the brakes of the circuit."""
        lost = on.parameters.model.brakes[0]["lost"]
        lost[:] = np.maximum(lost, level * self._lost)


class BrakeFade:
    """Loss of friction of all brakes."""

    def __init__(self, values: Values, context: FaultContext) -> None:
        self._left = values["friction"]

    def apply(self, level: float, on: FaultTargets) -> None:
        """Reduce the friction of all brakes."""
        brakes = on.parameters.model.brakes[0]
        for name in ("max_torque", "torque_per_pressure"):
            brakes[name] *= 1.0 + level * (self._left - 1.0)


CIRCUIT_LOSS = FaultKind(
    "brake_circuit_loss",
    (Field("circuit", Choice(CIRCUITS), "circuit: front is the first axle, rear all others; the other two are those of a diagonal split"),),
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
