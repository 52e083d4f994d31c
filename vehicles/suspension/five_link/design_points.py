"""Points, directions and bodies of a five-link corner in its design position."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.base.arrays import Vector
from vehicles.multibody.description.rigid_body import RigidBody


@dataclass(frozen=True)
class FiveLinkPoints:
    """Data of a five-link corner in the design position, in chassis axes and relative to the chassis reference point [m].

    The links are in the order of `kinematics.LINKS`. The universal joint of a link is on the chassis, its first axis is the chassis' x; the
    ball joint is on the carrier. `spring_on` and `shock_on` are the indices in `kinematics.BODIES` of the bodies with S and B, the lower
    ends of spring and shock absorber; U and J are the upper ends. `bodies` holds the links, knuckle and wheel; links are round.
    """

    chassis_joints: Vector
    carrier_joints: Vector
    spring_on: int
    S: Vector
    U: Vector
    shock_on: int
    B: Vector
    J: Vector
    W: Vector
    axle: Vector
    bodies: dict[str, RigidBody]
    file: str = "model"
    key: str = ""
