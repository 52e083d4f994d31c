"""Section of a vehicle file for an axle with semi-trailing arms, with or without a knuckle on a kingpin.

Without a kingpin the arm carries the wheel (`vehicles.suspension.semi_trailing_arm`). With a kingpin the arm carries a knuckle, whose
angle the tie rod determines (`vehicles.suspension.steered_trailing_arm`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.base.algebra.array_vectors import cross, norm, unit
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Field, Fields, Group
from simulator.base.values import Values
from vehicles.body_fields import BODY, POINT
from vehicles.compliance.elastic_axle import CARRIER, Joint, Linkage, Rod
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.axle_section import Axle
from vehicles.suspension.axle_table import FRAME, KNUCKLE, axle_fields
from vehicles.suspension.corner_design import CornerDesign
from vehicles.suspension.semi_trailing_arm.block import SEMI_TRAILING_ARM_BLOCK
from vehicles.suspension.semi_trailing_arm.corner import SemiTrailingArmCorner
from vehicles.suspension.steered_trailing_arm.corner import SteeredTrailingArmCorner
from vehicles.suspension.wheel_axis import WHEEL_AXIS, WheelAxis

POINTS = {
    "SPINDLE": "wheel center",
    "TA_CM": "center of mass of the arm",
    "TA_O": "outer bushing of the arm",
    "TA_I": "inner bushing of the arm",
    "SHOCK_C": "shock absorber on the chassis",
    "SHOCK_A": "shock absorber on the arm",
    "SPRING_C": "spring on the chassis",
    "SPRING_A": "spring on the arm",
}

KINGPIN = {
    "KINGPIN_U": "kingpin in the arm, upper end",
    "KINGPIN_L": "kingpin in the arm, lower end",
    "TIEROD_C": "tie rod on rack or steering link, or on the chassis",
    "TIEROD_U": "tie rod on the knuckle",
    "UPRIGHT": "center of mass of the knuckle",
}
"""Hardpoints of a knuckle that rotates in the arm: all of them or none."""

ARM_FIELD = Field("trailing_arm", Group(BODY), "arm, with its center of mass at TA_CM; without a kingpin including bearing and brake")


def _fields() -> Fields:
    """Return the table of the kind: that of an axle, with optional points and body of a knuckle."""
    more = {
        "hardpoints_left": tuple(Field(name, POINT, meaning, None, FRAME) for name, meaning in KINGPIN.items()),
        "bodies": (
            Field(
                "knuckle", KNUCKLE.kind, "parts that rotate about the kingpin except the wheel, with their center of mass at UPRIGHT", None
            ),
        ),
    }
    merged = (
        Field(one.name, Group((*one.kind.fields, *more[one.name])), one.meaning) if one.name in more else one  # type: ignore[attr-defined]
        for one in axle_fields(POINTS, (), knuckle=ARM_FIELD)
    )
    return (*merged, WHEEL_AXIS)


MIN_WHEEL_OFFSET = 0.05
"""m. Smallest distance of the wheel center from the line of the hinge."""
MIN_STEERING_ARM = 0.01
"""m. Smallest distance of a tie rod from the kingpin."""


class SemiTrailingArmAxle(Axle):
    """One arm per side on a hinge through TA_O and TA_I, which define sweep and inclination."""

    joints = (("TA_O", "TA_I"), ("SHOCK_A", "SHOCK_C"), ("SPRING_A", "SPRING_C"))
    bushes = ("TA_O", "TA_I", "TA_O", "TA_I", "SHOCK_C", "SPRING_C")
    centers: Mapping[str, str] = {"trailing_arm": "TA_CM", "wheel": "SPINDLE"}
    links_as = "trailing_arm"
    block = SEMI_TRAILING_ARM_BLOCK
    fields = _fields()
    unsteered = f"a trailing arm is steered by a knuckle on a kingpin: add {', '.join(KINGPIN)} to its hardpoints_left, and the knuckle to its bodies"
    elastic = Linkage(
        (),
        tuple(Joint(name, CARRIER, along=("TA_I", "TA_O")) for name in ("TA_O", "TA_I")),
        spring=Rod("SPRING_A", CARRIER, "SPRING_C"),
    )
    elastic_with_kingpin = Linkage(
        ("trailing_arm",),
        (
            *(Joint(name, "trailing_arm", along=("TA_I", "TA_O")) for name in ("TA_O", "TA_I")),
            *(Joint(name, CARRIER, "trailing_arm") for name in ("KINGPIN_L", "KINGPIN_U")),
        ),
        (Rod("TIEROD_U", CARRIER, "TIEROD_C"),),
        Rod("SPRING_A", "trailing_arm", "SPRING_C"),
    )

    def __init__(self, values: Values) -> None:
        self.wheel_axis = values.get("wheel_axis", WheelAxis())
        points = values["hardpoints_left"]
        self.with_kingpin = _has_kingpin(points)
        if self.with_kingpin:
            for name in KINGPIN:
                points.needed(name, f"all points of a knuckle on a kingpin: {', '.join(KINGPIN)}")
            self.centers = {"trailing_arm": "TA_CM", "knuckle": "UPRIGHT", "wheel": "SPINDLE"}
            self.joints = (*self.joints, ("KINGPIN_U", "KINGPIN_L"), ("TIEROD_U", "TIEROD_C"))  # type: ignore[assignment]
            self.elastic, self.links_as = self.elastic_with_kingpin, "trailing_arm_with_kingpin"
        super().__init__(values)

    @classmethod
    def why_unsteered(cls, values: Values) -> str:
        return "" if _has_kingpin(values["hardpoints_left"]) else cls.unsteered

    def check_points(self, points: Values) -> None:
        p = self.points
        hinge = p["TA_O"] - p["TA_I"]
        raised = np.cross(hinge / np.linalg.norm(hinge), p["SPINDLE"] - p["TA_I"])
        with ErrorCollector() as faults:
            if abs(raised[2]) < MIN_WHEEL_OFFSET:
                expected = f"a point at least {MIN_WHEEL_OFFSET:g} m ahead of or behind the line through TA_O and TA_I"
                faults.add(points.error("SPINDLE", expected))
            if not self.with_kingpin:
                return
            if not p["KINGPIN_U"][2] > p["KINGPIN_L"][2]:
                faults.add(points.error("KINGPIN_U", "a point above KINGPIN_L"))
            n = unit(p["KINGPIN_U"] - p["KINGPIN_L"])
            if norm(cross(n, p["TIEROD_U"] - p["KINGPIN_L"])) < MIN_STEERING_ARM:
                expected = f"a point at least {MIN_STEERING_ARM:g} m from the line through KINGPIN_L and KINGPIN_U"
                faults.add(points.error("TIEROD_U", expected))

    def read_bodies(self, bodies: Values) -> dict[str, RigidBody]:
        if not self.with_kingpin and "knuckle" in bodies:
            expected = f"no knuckle without a kingpin ({', '.join(KINGPIN)} among the hardpoints), since the arm carries the wheel"
            raise ConfigError(bodies.file, bodies.path("knuckle"), "a body", expected)
        if self.with_kingpin:
            bodies.needed("knuckle", f"the knuckle on the kingpin ({', '.join(KINGPIN)} among the hardpoints)")
        arm, *others = super().read_bodies(bodies).values()
        arm = replace(arm, name="arm" if self.with_kingpin else "knuckle")
        axle_bodies = {body.name: body for body in (arm, *others)}
        return {**axle_bodies, "wheel": self.wheel_axis.turned(axle_bodies["wheel"])}

    def corner(self, mirror: bool) -> CornerDesign:
        p, bodies = self.side(mirror)
        e = (p["TA_O"] - p["TA_I"]) / np.linalg.norm(p["TA_O"] - p["TA_I"])
        raised = np.cross(e, p["SPINDLE"] - p["TA_I"])[2]
        common: dict[str, Any] = {
            "P": p["TA_I"],
            "e": e if raised > 0.0 else -e,
            "S": p["SPRING_A"],
            "U": p["SPRING_C"],
            "B": p["SHOCK_A"],
            "J": p["SHOCK_C"],
            "W": p["SPINDLE"],
            "axle": self.wheel_axis.axle(mirror),
            "bodies": bodies,
            "file": self.file,
            "key": self.key,
        }
        if not self.with_kingpin:
            return SemiTrailingArmCorner(Q=p["TA_I"], **common)
        return SteeredTrailingArmCorner(A=p["KINGPIN_L"], T=p["KINGPIN_U"], K=p["TIEROD_U"], Q=p["TIEROD_C"], **common)


def _has_kingpin(points: Values) -> bool:
    return any(name in points for name in KINGPIN)


AXLE = SemiTrailingArmAxle
