"""Section of a vehicle file for an axle with MacPherson struts."""

from __future__ import annotations

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ErrorCollector
from simulator.base.fields import Field, Group
from simulator.base.values import Values
from vehicles.body_fields import BODY, read_body
from vehicles.compliance.elastic_axle import CARRIER, Joint, Linkage, Rod
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.axle_section import Axle, unit
from vehicles.suspension.axle_table import ARM, axle_fields
from vehicles.suspension.macpherson.block import MACPHERSON_BLOCK
from vehicles.suspension.macpherson.corner import MacPhersonCorner
from vehicles.suspension.wheel_axis import WHEEL_AXIS, WheelAxis

POINTS = {
    "SPINDLE": "wheel center",
    "UPRIGHT": "center of mass of the knuckle with the tube of the strut",
    "STRUT_CM": "center of mass of the strut's rod with its attached parts",
    "LCA_F": "lower control arm, front bushing",
    "LCA_B": "lower control arm, rear bushing",
    "LCA_U": "lower control arm, outer joint",
    "LCA_CM": "lower control arm, center of mass",
    "SHOCK_C": "top of the strut, its joint on the chassis; upper end of the shock absorber",
    "SHOCK_U": "lower end of the strut's axis, on the knuckle; lower end of the shock absorber",
    "SPRING_C": "upper end of the spring, on the axis of the strut",
    "SPRING_U": "lower end of the spring, on the axis of the strut",
    "TIEROD_C": "tie rod on the rack, or on the chassis",
    "TIEROD_U": "tie rod on the knuckle",
}
"""Hardpoints, with the names of the data source; the spring surrounds the strut."""

FIELDS = (
    *axle_fields(
        POINTS,
        (
            Field("lower_arm", Group(ARM), "lower control arm, at LCA_CM"),
            Field("strut", Group(BODY), "rod of the strut, upper mount and upper part of the spring, at STRUT_CM"),
        ),
    ),
    WHEEL_AXIS,
)

MAX_OFFSET = 1e-5
"""m. Largest distance of an end of the spring from the axis of the strut."""


class MacPhersonAxle(Axle):
    """Lower arm, strut and knuckle; the tie rod is massless."""

    joints = (("LCA_F", "LCA_B"), ("LCA_U", "SHOCK_C"), ("SHOCK_U", "SHOCK_C"), ("SPRING_U", "SPRING_C"), ("TIEROD_U", "TIEROD_C"))
    bushes = ("LCA_F", "LCA_B", "SHOCK_C", "SHOCK_C", "SHOCK_C", "SPRING_C")
    block = MACPHERSON_BLOCK
    links_as = "strut"
    fields = FIELDS
    elastic = Linkage(
        ("lower_arm",),
        (
            *(Joint(name, "lower_arm", along=("LCA_B", "LCA_F")) for name in ("LCA_F", "LCA_B")),
            Joint("LCA_U", "lower_arm", CARRIER),
            Joint("SHOCK_C", CARRIER, along=("SHOCK_U", "SHOCK_C")),
        ),
        (Rod("TIEROD_U", CARRIER, "TIEROD_C"),),
    )

    def __init__(self, values: Values) -> None:
        self.wheel_axis = values.get("wheel_axis", WheelAxis())
        super().__init__(values)

    def check_points(self, points: Values) -> None:
        p = self.points
        u = unit(p["SHOCK_U"] - p["SHOCK_C"])
        with ErrorCollector() as faults:
            if np.linalg.norm(np.cross(p["LCA_F"] - p["LCA_B"], p["LCA_U"] - p["LCA_B"])) < 1e-6:
                faults.add(points.error("LCA_U", "a point that is not on the line through LCA_F and LCA_B"))
            for name in ("SPRING_C", "SPRING_U"):
                if np.linalg.norm(np.cross(p[name] - p["SHOCK_C"], u)) > MAX_OFFSET:
                    faults.add(points.error(name, "a point on the line through SHOCK_C and SHOCK_U"))
            if not (p["LCA_U"] - p["SHOCK_C"]) @ u > 0.0:
                faults.add(points.error("LCA_U", "a point below the top of the strut"))

    def read_bodies(self, bodies: Values) -> dict[str, RigidBody]:
        axle_bodies: dict[str, RigidBody] = {}
        with ErrorCollector() as faults:
            with faults.part():
                axle_bodies |= super().read_bodies(bodies)
                axle_bodies["wheel"] = self.wheel_axis.turned(axle_bodies["wheel"])
            with faults.part():
                axle_bodies["lower_arm"] = self.arm(bodies, "lower_arm", ("LCA_F", "LCA_B", "LCA_U", "LCA_CM"))
            with faults.part():
                axle_bodies["strut"] = read_body("strut", bodies["strut"], self.points["STRUT_CM"])
        return axle_bodies

    def corner(self, mirror: bool) -> MacPhersonCorner:
        p, bodies = self.side(mirror)
        axle: Vector = self.wheel_axis.axle(mirror)
        return MacPhersonCorner(
            arm_point=p["LCA_B"],
            arm_axis=unit(p["LCA_F"] - p["LCA_B"]),
            D=p["LCA_U"],
            J=p["SHOCK_C"],
            V=p["SHOCK_U"],
            K=p["TIEROD_U"],
            Q=p["TIEROD_C"],
            S=p["SPRING_U"],
            U=p["SPRING_C"],
            B=p["SHOCK_U"],
            W=p["SPINDLE"],
            axle=axle,
            bodies=bodies,
            file=self.file,
            key=self.key,
        )


AXLE = MacPhersonAxle
