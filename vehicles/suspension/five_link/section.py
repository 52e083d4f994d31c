"""Section of a vehicle file for an axle with five links per side."""

from __future__ import annotations

import numpy as np

from simulator.base.errors import ErrorCollector
from simulator.base.fields import Choice, Field, Group
from simulator.base.values import Values
from vehicles.compliance.elastic_axle import CARRIER, Linkage, Rod
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.axle_section import Axle
from vehicles.suspension.axle_table import ROD, axle_fields
from vehicles.suspension.five_link.block import FIVE_LINK_BLOCK
from vehicles.suspension.five_link.corner import FiveLinkCorner
from vehicles.suspension.five_link.kinematics import BODIES, LINKS

LINK_ENDS = {name: (f"{name.upper()}_C", f"{name.upper()}_U") for name in LINKS}
"""Hardpoints of the links of a five-link axle, on chassis (C) and upright (U)."""

POINTS = {
    "SPINDLE": "wheel center",
    "UPRIGHT": "center of mass of the knuckle",
    **{
        point: f"{name.replace('_', ' ')} link on the {place}"
        for name, ends in LINK_ENDS.items()
        for point, place in zip(ends, ("chassis", "upright"), strict=True)
    },
    "SHOCK_C": "shock absorber on the chassis",
    "SHOCK_A": "shock absorber on the suspension",
    "SPRING_C": "spring on the chassis",
    "SPRING_A": "spring on the suspension",
}

FIELDS = axle_fields(
    POINTS,
    tuple(Field(name, Group(ROD), f"link from {start} to {end}") for name, (start, end) in LINK_ENDS.items()),
    (Field("mounted_on", Choice(BODIES), "body that carries the lower end of the strut"),),
)


class FiveLinkAxle(Axle):
    """Five links; spring and shock absorber are mounted on the carrier or on a link (`mounted_on`)."""

    joints = (*LINK_ENDS.values(), ("SHOCK_A", "SHOCK_C"), ("SPRING_A", "SPRING_C"))
    bushes = ("LOWER_FRONT_C", "LOWER_REAR_C", "UPPER_FRONT_C", "UPPER_REAR_C", "SHOCK_C", "SPRING_C")
    block = FIVE_LINK_BLOCK
    fields = FIELDS
    unsteered = "the toe link of a five-link axle is not steered"

    def read_bodies(self, bodies: Values) -> dict[str, RigidBody]:
        axle_bodies: dict[str, RigidBody] = {}
        with ErrorCollector() as faults:
            with faults.part():
                axle_bodies |= super().read_bodies(bodies)
            for name, (start, end) in LINK_ENDS.items():
                with faults.part():
                    axle_bodies[name] = self.rod(bodies, name, self.points[start], self.points[end])
        return axle_bodies

    def read_struts(self) -> None:
        self.spring_on, self.shock_on = (BODIES.index(strut["mounted_on"]) for strut in (self.spring, self.shock))
        if BODIES[self.spring_on] == CARRIER:  # a link with a spring is more than a rod; its bushings are not modeled
            rods = tuple(Rod(end, CARRIER, start) for start, end in LINK_ENDS.values())
            self.elastic = Linkage((), (), rods, spring=Rod("SPRING_A", CARRIER, "SPRING_C"))
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
