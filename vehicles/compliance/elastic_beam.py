"""Elastic model of a rigid axle: one body with both wheels, held by springs in fixed directions.

Small displacements from the design position, as in `vehicles.compliance.elastic_axle`, whose equation (1) applies. The beam has six of
them. The springs of the vehicle keep their lengths, because these determine the heights of both wheels; four displacements remain:
fore and aft, to the side, yaw and wind-up. A load on one wheel therefore displaces both wheels, which keep their places on the beam.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Vector
from vehicles.compliance.elastic_axle import CARRIER, Assembly, Bushing
from vehicles.suspension.axle_limits import MIRROR

RIGID = Bushing(np.inf, np.inf)


@dataclass(frozen=True)
class Tie:
    """Spring between the chassis and a point of the beam, in one direction.

    Attributes
    ----------
    point : (3,) m, in B
    direction : (3,) unit vector in B
    bushing : hardpoint on the chassis whose bushing has the stiffness; rigid without a bushing
    axial : True for the axial stiffness of the bushing, False for the radial one
    """

    point: Vector
    direction: Vector
    bushing: str
    axial: bool = True


@dataclass(frozen=True)
class ElasticBeam:
    """Beam of a rigid axle between its bushings.

    Attributes
    ----------
    ties : locating springs
    lengths : (point on the beam, direction) of the springs of the vehicle, which keep their lengths [m in B, unit vectors]
    inertia : kg m2, of the beam with both wheels about its axle
    wind_up : N m/rad, stiffness of the chassis' hold on the pitch of the beam; 0: the ties locate the beam in pitch
    """

    ties: tuple[Tie, ...]
    lengths: tuple[tuple[Vector, Vector], ...]
    inertia: float
    wind_up: float = 0.0

    @property
    def bushings(self) -> tuple[str, ...]:
        """Hardpoints at which a bushing is possible."""
        return tuple(dict.fromkeys(tie.bushing for tie in self.ties))

    def compliance(self, wheel: Vector, bushings: Mapping[str, Bushing]) -> Vector:
        """Return the displacements of both wheels per couple and force on them: (12, 12), left first, rotation before displacement.

        Parameters
        ----------
        wheel : center of the left wheel in B [m]
        bushings : by hardpoint; hardpoints without an entry are rigid
        """
        beam = Assembly([CARRIER])
        for tie in self.ties:
            bushing = bushings.get(tie.bushing, RIGID)
            beam.add_spring(tie.direction, bushing.axial if tie.axial else bushing.radial, [(CARRIER, tie.point, 1.0)])
        for point, direction in self.lengths:
            beam.add_spring(direction, np.inf, [(CARRIER, point, 1.0)])
        if self.wind_up > 0.0:
            beam.springs.append((np.eye(6)[1], self.wind_up))
        return beam.compliance(np.hstack([beam.loads_on(CARRIER, wheel), beam.loads_on(CARRIER, wheel * MIRROR)]))
