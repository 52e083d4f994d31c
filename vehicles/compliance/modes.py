"""Modes of the bushings and the steering column, from the effect of one step on small displacements.

As in `vehicles.step_jacobian`, no assumption is made about the integration scheme. The matrix of a step is computed by differences of
the step. Displacements and rates of the bushings and the steering arm are among its coordinates. An eigenvalue z of a step of h seconds
is the mode ln(z) / h.
"""

from __future__ import annotations

import cmath
from typing import NamedTuple

import numpy as np

from terrain.ground import GroundArrays
from vehicles.step_jacobian import CHASSIS, coordinates, elastic_coordinates, step_matrix
from vehicles.vehicle import Vehicle

MIN_FACTOR = 1e-6
"""Factor per step below which an eigenvalue is not a mode but belongs to a value that the step overwrites."""


class ElasticMode(NamedTuple):
    """Mode of a vehicle in which bushings or the column dominate.

    kind : "bushings" with the axle, or "column"; share : participation of these coordinates in the mode
    factor : complex, multiplier of the mode per step
    eigenvalue : 1/s, complex, ln(factor) / h
    """

    kind: str
    share: float
    factor: complex
    eigenvalue: complex


def elastic_modes(vehicle: Vehicle, ground: GroundArrays, speed: float, h: float) -> list[ElasticMode]:
    """Return the modes of a vehicle driving straight ahead at a speed in which bushings or column dominate, sorted by magnitude.

    vehicle : not modified; the function uses a copy
    """
    probe = vehicle.new_instance()
    probe.tow(None)
    probe.reset(ground, speed=speed)
    model, wheels, axles = probe.model, probe.size.wheels, probe.description.mechanism.axles
    treads = CHASSIS + 3 * wheels + wheels * int(model.treads.laws["numbers"].max())
    bushings = elastic_coordinates(model)
    arm = np.arange(coordinates(wheels) - 2, coordinates(wheels)) if probe.steering_is_free else np.empty(0, np.int_)
    selected = np.concatenate([np.arange(treads), bushings, arm])
    values, right = np.linalg.eig(step_matrix(model, probe.piece, ground, h, selected))
    part = np.abs(np.linalg.pinv(right).T * right)
    part /= part.sum(axis=0)
    groups = {f"bushings, {name}": bushings[np.isin((bushings - CHASSIS) % wheels, axles.on(n))] for n, name in enumerate(axles.names)}
    groups["column"] = arm
    groups["the rest"] = np.arange(treads)
    shares = np.array([part[np.isin(selected, members)].sum(axis=0) for members in groups.values()])
    modes = [
        ElasticMode(kind, float(shares[row, k]), complex(z), cmath.log(complex(z)) / h)
        for k, z in enumerate(values)
        if abs(z) > MIN_FACTOR and (kind := list(groups)[row := int(shares[:, k].argmax())]) != "the rest"
    ]
    return sorted(modes, key=lambda mode: (abs(mode.eigenvalue), mode.eigenvalue.imag))
