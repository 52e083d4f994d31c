"""A five-link corner in its design position."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.records import Record
from vehicles.multibody.description.mechanism import Spring
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.suspension.blocks import AxleCallbacks, Blocks
from vehicles.suspension.corner_design import CornerDesign, Places, Reach
from vehicles.suspension.five_link.block import FIVE_LINK_BLOCK
from vehicles.suspension.five_link.design_points import FiveLinkPoints
from vehicles.suspension.five_link.geometry import link_axes, write_five_link
from vehicles.suspension.five_link.kinematics import BODIES, LINKS, LOWER_REAR

PAST_STOPS = 0.03
"""m. Range of tables beyond the travel stops."""

WITHOUT_STOPS = (-0.1, 0.1)
"""m. Range of the tables of a corner without stops."""


def add_five_links(parts: Parts, name: str, corner: FiveLinkPoints, chassis: str, struts: Record, i: int) -> None:
    """Implement `CornerDesign.add_to`: links on universal joints, and the knuckle with its wheel on the lower rear link."""
    names = {body: f"{name}_{'knuckle' if body == 'carrier' else body}" for body in BODIES}
    for n, link in enumerate(LINKS):
        parts.add_body(names[link], corner.bodies[link])
        independent = None if n == LOWER_REAR else False
        parts.add_joint("universal", chassis, names[link], corner.chassis_joints[n], link_axes(corner, n), independent=independent)
    knuckle = names["carrier"]
    parts.add_body(knuckle, corner.bodies["knuckle"])
    parts.add_joint("spherical", names["lower_rear"], knuckle, corner.carrier_joints[LOWER_REAR])
    for n, link in enumerate(LINKS):
        if n != LOWER_REAR:
            parts.add_loop(names[link], "ball", (names[link], knuckle), corner.carrier_joints[n])
    wheel = f"{name}_wheel"
    parts.add_body(wheel, corner.bodies["wheel"])
    parts.add_joint("revolute", knuckle, wheel, corner.W, corner.axle, independent=True)
    s = struts[0]
    rate, free_length, damping = (float(s[field][i]) for field in ("spring_rate", "spring_free_length", "rebound_damping"))
    spring_body, shock_body = names[BODIES[corner.spring_on]], names[BODIES[corner.shock_on]]
    parts.springs.append(Spring(f"{name}_spring", chassis, corner.U, spring_body, corner.S, rate, free_length))
    parts.springs.append(Spring(f"{name}_damper", chassis, corner.J, shock_body, corner.B, 0.0, 0.0, damping))


@dataclass(frozen=True)
class FiveLinkCorner(FiveLinkPoints, CornerDesign):
    """A five-link corner in the design position."""

    kind: ClassVar[str] = "five_link"
    block: ClassVar[AxleCallbacks | None] = FIVE_LINK_BLOCK

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
