"""Vehicles whose suspension cannot come from tables: the reasons, as errors in the vehicle file."""

from __future__ import annotations

from simulator.base.errors import ConfigError
from simulator.base.records import Record
from vehicles.mechanism_parameters import MechanismParameters


def errors_of_axles(mechanism: MechanismParameters) -> list[ConfigError]:
    """Return one error for each axle whose sides are coupled: a corner would then depend on two thetas."""
    found = []
    for axle, coupled in enumerate(mechanism.corners[0]["coupled"]):
        if coupled:
            corner = mechanism.designs[mechanism.axles.on(axle)[0]]
            found.append(ConfigError(corner.file, corner.key, corner.kind, "an axle of independent sides, as required by tables"))
    return found


def errors_of_tables(file: str, mechanism: MechanismParameters, steering: Record, actuators: Record) -> list[ConfigError]:
    """Return everything in a vehicle file that rules out suspension tables; empty if the vehicle can have them.

    steering : (n,) of STEERING, actuators : of ACTUATORS
    """
    found = errors_of_axles(mechanism)
    if len(steering) > 1:
        expected = "suspension_kinematics: closed_form, because tables support one steered axle"
        found.append(ConfigError(file, "steering.axles", "further steered axles", expected))
    if actuators[0]["rear_max"] > 0.0:
        expected = "suspension_kinematics: closed_form, because tables support no steered last axle"
        found.append(ConfigError(file, "actuators.rear_steering", "a steered axle", expected))
    return found
