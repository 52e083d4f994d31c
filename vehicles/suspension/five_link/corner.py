"""A five-link corner in its design position."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.blocks import AxleCallbacks, Blocks
from vehicles.suspension.corner_design import CornerDesign, Places, Reach
from vehicles.suspension.five_link.block import FIVE_LINK_BLOCK
from vehicles.suspension.five_link.geometry import write_five_link
from vehicles.suspension.five_link.mechanism import add_five_links

Vector = NDArray[np.float64]

PAST_STOPS = 0.03
"""m. Range of tables beyond the travel stops."""

WITHOUT_STOPS = (-0.1, 0.1)
"""m. Range of the tables of a corner without stops."""


@dataclass(frozen=True)
class FiveLinkCorner(CornerDesign):
    """A five-link corner in the design position, in chassis axes and relative to the chassis reference point [m].

    Links in the order of `LINKS`. The universal joint of a link is on the chassis, its first axis is the chassis' x; the ball joint
    is on the carrier. `spring_on` and `shock_on` are the indices in BODIES of the bodies with S and B, the lower ends of spring
    and shock absorber; U and J are the upper ends. `bodies` holds the links, knuckle and wheel; links are round.
    """

    kind: ClassVar[str] = "five_link"
    block: ClassVar[AxleCallbacks | None] = FIVE_LINK_BLOCK
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

    @property
    def Q(self) -> Vector:  # type: ignore[override]
        """Inner joint of the toe link."""
        return np.asarray(self.chassis_joints[-1], float)

    def write(self, corners: Record, parameters: Record, i: int) -> None:
        write_five_link(corners, parameters, i, self)

    def add_to(self, parts: Parts, name: str, chassis: str, inner: str, struts: Record, i: int) -> None:
        add_five_links(parts, name, self, chassis, struts, i)

    def reach(self, corners: Record, i: int) -> Reach:
        low, high = corners[0]["travel"][:, i]
        return Reach((low, high), (low, high), PAST_STOPS, WITHOUT_STOPS, 0.0)

    def gap(self, corners: Record, blocks: Blocks, inputs: Record, i: int) -> float:
        low, high = corners[0]["travel"][:, i]
        return 0.0 if low < inputs[0]["theta"][i] < high else math.inf

    def gaps(self, corners: Record, places: Places, i: int) -> Vector:
        low, high = corners[0]["travel"][:, i]
        theta = places.inputs["theta"][:, i]
        return np.where((low < theta) & (theta < high), 0.0, math.inf)

    def turns_of_steering(self, places: Places, i: int) -> Vector:
        return np.zeros(len(places.inputs))
