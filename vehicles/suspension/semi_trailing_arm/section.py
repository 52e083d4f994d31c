"""The section of a vehicle file for an axle with semi-trailing arms."""

from __future__ import annotations

import numpy as np

from simulator.base.errors import ConfigError, Gathered
from simulator.base.fields import Field, Group
from simulator.base.section import Section
from vehicles.compliance.structure import CARRIER, Joint, Linkage, Rod
from vehicles.multibody.description.rigid_body import RigidBody, checked_body
from vehicles.suspension.axle_section import HEAVY, LIGHT, Axle, read_inertia, warn_of
from vehicles.suspension.axle_table import BODY, axle_fields
from vehicles.suspension.semi_trailing_arm.block import SEMI_TRAILING_ARM_BLOCK
from vehicles.suspension.semi_trailing_arm.corner import SemiTrailingArmCorner
from vehicles.suspension.wheel_axis import WHEEL_AXIS, read_wheel_axis

POINTS = {
    "SPINDLE": "wheel center",
    "TA_CM": "center of mass of the arm",
    "TA_O": "outer bush of the arm",
    "TA_I": "inner bush of the arm",
    "SHOCK_C": "shock absorber on the chassis",
    "SHOCK_A": "shock absorber on the arm",
    "SPRING_C": "spring on the chassis",
    "SPRING_A": "spring on the arm",
}

FIELDS = (
    *axle_fields(POINTS, (), knuckle=Field("trailing_arm", Group(BODY), "arm with bearing and brake, its center of mass at TA_CM")),
    WHEEL_AXIS,
)

BESIDE = 0.05
"""m. Least distance of the wheel center from the line of the hinge."""


class SemiTrailingArmAxle(Axle):
    """One arm a side on a hinge through TA_O and TA_I: swept and inclined as these say."""

    hardpoints = tuple(POINTS)
    joints = (("TA_O", "TA_I"), ("SHOCK_A", "SHOCK_C"), ("SPRING_A", "SPRING_C"))
    bushes = ("TA_O", "TA_I", "TA_O", "TA_I", "SHOCK_C", "SPRING_C")
    links_as = "trailing_arm"
    block = SEMI_TRAILING_ARM_BLOCK
    fields = FIELDS
    unsteered = "a semi-trailing arm is not steered"
    elastic = Linkage(
        (),
        tuple(Joint(name, CARRIER, along=("TA_I", "TA_O")) for name in ("TA_O", "TA_I")),
        spring=Rod("SPRING_A", CARRIER, "SPRING_C"),
    )

    def __init__(self, s: Section) -> None:
        self.wheel_axis = read_wheel_axis(s)
        super().__init__(s)

    def check_points(self, h: Section) -> None:
        p = self.points
        hinge = p["TA_O"] - p["TA_I"]
        raised = np.cross(hinge / np.linalg.norm(hinge), p["SPINDLE"] - p["TA_I"])
        if abs(raised[2]) < BESIDE:
            expected = f"a point at least {BESIDE:g} m ahead of or behind the line through TA_O and TA_I"
            raise ConfigError(h.file, h.path("SPINDLE"), h.mapping["SPINDLE"], expected)

    def read_bodies(self, s: Section) -> dict[str, RigidBody]:
        found: dict[str, RigidBody] = {}
        with Gathered() as faults:
            for name, ours, point in (("trailing_arm", "knuckle", "TA_CM"), ("wheel", "wheel", "SPINDLE")):
                with faults.part(), s.section(name) as b:
                    mass = b.number("mass", above=0.0, least=LIGHT, most=HEAVY)
                    body = RigidBody(ours, mass, self.points[point], read_inertia(b, "inertia"))
                    found[ours] = checked_body(body, b.file, b.key, warn=warn_of(b))
            faults.need_all()
        return {**found, "wheel": self.wheel_axis.turned(found["wheel"])}

    def corner(self, mirror: bool) -> SemiTrailingArmCorner:
        p, bodies = self.side(mirror)
        e = (p["TA_O"] - p["TA_I"]) / np.linalg.norm(p["TA_O"] - p["TA_I"])
        raised = np.cross(e, p["SPINDLE"] - p["TA_I"])[2]
        return SemiTrailingArmCorner(
            P=p["TA_I"],
            e=e if raised > 0.0 else -e,
            Q=p["TA_I"],
            S=p["SPRING_A"],
            U=p["SPRING_C"],
            B=p["SHOCK_A"],
            J=p["SHOCK_C"],
            W=p["SPINDLE"],
            axle=self.wheel_axis.axle(mirror),
            bodies=bodies,
            file=self.file,
            key=self.key,
        )


AXLE = SemiTrailingArmAxle
