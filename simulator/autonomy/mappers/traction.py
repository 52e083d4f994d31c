"""Largest tractive force of a vehicle over its weight, by the soil: an estimate for maps, from the equations of a rigid wheel.

    z   = (3 W / ((3 - n) k b sqrt(D)))^(2 / (2 n + 1))      sinkage, k = k_c / b + k_phi          [Bekker 1969]
    R   = b k z^(n + 1) / (n + 1)                            compaction resistance
    H   = (b l c + W tan phi) (1 - K / (s l) (1 - exp(-s l / K)))     thrust at the slip s, l = sqrt(D z)    [Janosi and Hanamoto 1961]

The strength is (H - R) / W, with all wheels driven. A tire that is flatter than a rigid wheel sinks less: the estimate is on the safe side.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.vehicle_traits import VehicleTraits
from terrain.ground import Ground
from terrain.nearest_node import nearest_nodes

SLIP = 0.4
"""1. Slip of a wheel that pulls at its limit."""
LARGEST_EXPONENT = 2.0
"""1. Larger exponents of sinkage are outside the range of the equation of the sinkage."""


def soil_strength(soil: Any, vehicle: VehicleTraits) -> float:
    """Return the strength of a soil, a record of table SOIL without its hard surface."""
    load, width, diameter = vehicle.wheel_load, vehicle.tire_width, 2.0 * vehicle.wheel_radius
    n = min(float(soil["n"]), LARGEST_EXPONENT)
    k = max(float(soil["k_c"]) / width + float(soil["k_phi"]), 1.0)
    sinkage = (3.0 * load / ((3.0 - n) * k * width * math.sqrt(diameter))) ** (2.0 / (2.0 * n + 1.0))
    sinkage = min(sinkage, vehicle.wheel_radius)
    length = max(math.sqrt(diameter * sinkage), 0.3 * vehicle.wheel_radius)
    resistance = width * k * sinkage ** (n + 1.0) / (n + 1.0)
    shear = SLIP * length / float(soil["shear_modulus"])
    mobilized = 1.0 - (1.0 - math.exp(-shear)) / shear
    strength = width * length * float(soil["cohesion"]) + load * math.tan(float(soil["friction_angle"]))
    return (float(soil["tread_strength"]) * strength * mobilized - resistance) / load


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
