"""Masses and their places of a vehicle, added up from its description body by body, beside what its mechanism does with them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.validation.suite.result import Array
from vehicles.vehicle import Vehicle


class Masses(NamedTuple):
    """Of a vehicle in its design position."""

    mass: float
    """kg, of everything."""
    com: Array
    """(3,) m, center of mass from the chassis reference point, in B."""


def masses(vehicle: Vehicle) -> Masses:
    """Chassis with its load, and the bodies of every corner."""
    mechanism = vehicle.description.mechanism
    chassis = mechanism.chassis[0]
    mass, moment = float(chassis["mass"]), float(chassis["mass"]) * np.asarray(chassis["com"], float)
    for corner in mechanism.designs:
        for body in corner.bodies.values():
            mass, moment = mass + body.mass, moment + body.mass * np.asarray(body.p_BoBcm, float)
    return Masses(mass, moment / mass)
