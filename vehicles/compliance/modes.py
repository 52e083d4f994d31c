"""The modes that compliance brings: how a step of a vehicle multiplies small displacements of its bushings and the twist of its column.

As in `vehicles.step_jacobian` nothing is assumed of the scheme: the matrix of a step is found by differences of the step itself, displacements and
rates of the bushings and the steering arm among its coordinates. An eigenvalue z of a step of h seconds is the mode ln(z) / h.
"""

from __future__ import annotations

import cmath
from typing import NamedTuple

import numpy as np

from terrain.ground import GroundArrays
from vehicles.step_jacobian import CHASSIS, coordinates, elastic_coordinates, step_matrix
from vehicles.vehicle import Vehicle

GONE = 1e-6
"""A factor per step below which nothing is left of a mode: it is no mode but a number that the step overwrites."""


class ElasticMode(NamedTuple):
    """What a step makes of a mode.

    kind : "bushings" with the axle, or "column"; share : of these coordinates in it
    factor : complex, by which a step multiplies it
    eigenvalue : 1/s, complex, of which that is the answer over the step
    """

    kind: str
    share: float
    factor: complex
    eigenvalue: complex


def elastic_modes(vehicle: Vehicle, ground: GroundArrays, speed: float, h: float) -> list[ElasticMode]:
    """Modes of a vehicle at a speed straight ahead in which bushings or column take the largest part, fastest last.

    vehicle : is reset and left as it is afterwards
    """
    probe = vehicle.new_instance()
    probe.reset(ground, speed=speed)
    model, wheels, axles = probe.model, probe.size.wheels, probe.description.mechanism.axles
    treads = CHASSIS + 3 * wheels + wheels * int(model.treads.laws["numbers"].max())
    bushings = elastic_coordinates(model)
    arm = np.arange(coordinates(wheels) - 2, coordinates(wheels)) if probe.steering_is_free else np.empty(0, np.int_)
    kept = np.concatenate([np.arange(treads), bushings, arm])
    values, right = np.linalg.eig(step_matrix(model, probe.piece, ground, h, kept))
    part = np.abs(np.linalg.pinv(right).T * right)
    part /= part.sum(axis=0)
    groups = {f"bushings, {name}": bushings[np.isin((bushings - CHASSIS) % wheels, axles.on(n))] for n, name in enumerate(axles.names)}
    groups["column"] = arm
    groups["the rest"] = np.arange(treads)
    shares = np.array([part[np.isin(kept, members)].sum(axis=0) for members in groups.values()])
    found = [
        ElasticMode(kind, float(shares[row, k]), complex(z), cmath.log(complex(z)) / h)
        for k, z in enumerate(values)
        if abs(z) > GONE and (kind := list(groups)[row := int(shares[:, k].argmax())]) != "the rest"
    ]
    return sorted(found, key=lambda mode: (abs(mode.eigenvalue), mode.eigenvalue.imag))
