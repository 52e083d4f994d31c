"""Largest tractive force of a vehicle over its weight, by the soil: an estimate for maps, from the pull of a rigid driven wheel on virgin soil.

All wheels are driven. A tire that is flatter than a rigid wheel sinks less, and the rear wheels roll in the ruts of the front wheels: the
estimate is on the safe side. Without the resistance of the rear wheels, it is what the HMMWV pulls on level snow, but plans with it end on
snow slopes: 4 instead of 7 of 40 goals of Verti-Bench were reached.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.base.errors import JounceError
from terrain.ground import Ground
from terrain.nearest_node import nearest_nodes
from vehicles.tires.rigid_wheel import WheelSoil, driven_wheel

SLIP = 0.4
"""1. Slip of a wheel that pulls at its limit."""


def soil_strength(soil: Any, vehicle: VehicleTraits) -> float:
    """Return the strength of a soil, a record of table SOIL without its hard surface; 0 for one that does not carry the vehicle."""
    load, width = vehicle.wheel_load, vehicle.tire_width
    below = WheelSoil(
        k=float(soil["k_c"]) / width + float(soil["k_phi"]),
        n=float(soil["n"]),
        cohesion=float(soil["cohesion"]),
        friction_angle=float(soil["friction_angle"]),
        shear_modulus=float(soil["shear_modulus"]),
        c1=float(soil["c1"]),
        c2=float(soil["c2"]),
        exit_ratio=float(soil["exit_ratio"]),
        unit_weight=float(soil["unit_weight"]),
    )
    try:
        forces = driven_wheel(below, vehicle.wheel_radius, width, load, SLIP)
    except JounceError:
        return 0.0
    return (float(soil["tread_strength"]) * forces.thrust - forces.resistance) / load


class StrengthMap:
    """Strength of the ground at points, of the nearest node of its soil grids."""

    def __init__(self, ground: Ground, vehicle: VehicleTraits) -> None:
        self._ground = ground
        self._soft = np.array([soil_strength(one, vehicle) for one in ground.soils])
        self._hard = np.array(ground.soils["friction"], float)

    def at(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the strength at points x, y (same shape) [m]."""
        row, column = nearest_nodes(self._ground, x, y)
        hardness, soil = np.asarray(self._ground.hardness[row, column], float), self._ground.soil_ids[row, column]
        return hardness * self._hard[soil] + (1.0 - hardness) * self._soft[soil]
