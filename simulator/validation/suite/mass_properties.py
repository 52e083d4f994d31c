"""Mass and center of mass of a vehicle, summed over the bodies of its description, independently of its mechanism."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Array
from vehicles.vehicle import Vehicle


class Masses(NamedTuple):
    """Mass properties of a vehicle in its design position."""

    mass: float
    """Total mass in kg."""
    com: Array
    """Center of mass (3,) in m from the chassis reference point, in B."""


def masses(vehicle: Vehicle) -> Masses:
    """Sum the chassis with its load and the bodies of all corners."""
    mechanism = vehicle.description.mechanism
    chassis = mechanism.chassis[0]
    mass, moment = float(chassis["mass"]), float(chassis["mass"]) * np.asarray(chassis["com"], float)
    for corner in mechanism.designs:
        for body in corner.bodies.values():
            mass, moment = mass + body.mass, moment + body.mass * np.asarray(body.p_BoBcm, float)
    return Masses(mass, moment / mass)
