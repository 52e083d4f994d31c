"""The section of a vehicle file for an axle with five links a side."""

from __future__ import annotations

import numpy as np

from simulator.base.section import Section
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.axle_section import Axle
from vehicles.suspension.five_link.block import FIVE_LINK_BLOCK
from vehicles.suspension.five_link.corner import FiveLinkCorner
from vehicles.suspension.five_link.kinematics import BODIES, LINKS

LINK_ENDS = {name: (f"{name.upper()}_C", f"{name.upper()}_U") for name in LINKS}
"""Hardpoints of the links of a five-link axle, on chassis (C) and upright (U)."""

FIVE_LINK_HARDPOINTS = (
    "SPINDLE", "UPRIGHT", *(point for ends in LINK_ENDS.values() for point in ends), "SHOCK_C", "SHOCK_A", "SPRING_C", "SPRING_A",
)  # fmt: skip
"""Spindle (wheel centre), centre of mass of the knuckle, links, and the ends of the struts on chassis (C) and suspension (A)."""


class FiveLinkAxle(Axle):
    """Five links; spring and shock absorber stand on the carrier or on a link, as `mounted_on` says."""

    hardpoints = FIVE_LINK_HARDPOINTS
    joints = (*LINK_ENDS.values(), ("SHOCK_A", "SHOCK_C"), ("SPRING_A", "SPRING_C"))
    bushes = ("LOWER_FRONT_C", "LOWER_REAR_C", "UPPER_FRONT_C", "UPPER_REAR_C", "SHOCK_C", "SPRING_C")
    block = FIVE_LINK_BLOCK
    unsteered = "the toe link of a five-link axle is not steered"

    def read_bodies(self, s: Section) -> dict[str, RigidBody]:
        found = super().read_bodies(s)
        for name, (start, end) in LINK_ENDS.items():
            found[name] = self.rod(s, name, self.points[start], self.points[end])
        return found

    def read_struts(self) -> None:
        self.spring_on, self.shock_on = (BODIES.index(strut.choice("mounted_on", BODIES)) for strut in (self.spring, self.shock))
        super().read_struts()

    def corner(self, mirror: bool) -> FiveLinkCorner:
        p, bodies = self.side(mirror)
        return FiveLinkCorner(
            chassis_joints=np.stack([p[start] for start, _ in LINK_ENDS.values()]),
            carrier_joints=np.stack([p[end] for _, end in LINK_ENDS.values()]),
            spring_on=self.spring_on,
            S=p["SPRING_A"],
            U=p["SPRING_C"],
            shock_on=self.shock_on,
            B=p["SHOCK_A"],
            J=p["SHOCK_C"],
            W=p["SPINDLE"],
            axle=np.array([0.0, 1.0, 0.0]),
            bodies=bodies,
            file=self.file,
            key=self.key,
        )


AXLE = FiveLinkAxle
