"""Section of a vehicle file for an axle with double wishbones."""

from __future__ import annotations

import numpy as np

from simulator.base.algebra.array_vectors import cross, norm, unit
from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Field, Group
from simulator.base.values import Values
from vehicles.compliance.elastic_axle import CARRIER, Joint, Linkage, Rod
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.axle_section import Axle
from vehicles.suspension.axle_table import ARM, ROD, axle_fields
from vehicles.suspension.double_wishbone.corner import DoubleWishboneCorner
from vehicles.suspension.double_wishbone.geometry import universal_axes
from vehicles.suspension.hinge import Hinge

POINTS = {
    "SPINDLE": "wheel center",
    "UPRIGHT": "center of mass of the knuckle",
    "UCA_F": "upper control arm, front bushing",
    "UCA_B": "upper control arm, rear bushing",
    "UCA_U": "upper control arm, outer joint",
    "UCA_CM": "upper control arm, center of mass",
    "LCA_F": "lower control arm, front bushing",
    "LCA_B": "lower control arm, rear bushing",
    "LCA_U": "lower control arm, outer joint",
    "LCA_CM": "lower control arm, center of mass",
    "SHOCK_C": "shock absorber on the chassis",
    "SHOCK_A": "shock absorber on the lower arm",
    "SPRING_C": "spring on the chassis",
    "SPRING_A": "spring on the lower arm",
    "TIEROD_C": "tie rod on the steering link, or on the chassis",
    "TIEROD_U": "tie rod on the upright",
}
"""Hardpoints, with the names of the data source."""

ARMS = {"lower_arm": ("LCA_F", "LCA_B", "LCA_U", "LCA_CM"), "upper_arm": ("UCA_F", "UCA_B", "UCA_U", "UCA_CM")}
"""Front and rear bushing, ball joint and center of mass of the arms."""

RODS = {
    "upright": ("LCA_U", "UCA_U"),
    "tierod": ("TIEROD_U", "TIEROD_C"),
    "shock_lower": ("SHOCK_A", "SHOCK_C"),
    "shock_upper": ("SHOCK_A", "SHOCK_C"),
}
"""End points of the rods; the halves of the shock absorber lie on one line."""

JOINTS = (
    ("LCA_F", "LCA_B"), ("UCA_F", "UCA_B"), ("UCA_U", "LCA_U"), ("TIEROD_U", "TIEROD_C"), ("SHOCK_A", "SHOCK_C"), ("SPRING_A", "SPRING_C"),
)  # fmt: skip
"""End points of the hinges and rods."""

FIELDS = axle_fields(
    POINTS,
    (
        Field("lower_arm", Group(ARM), "lower control arm, at LCA_CM"),
        Field("upper_arm", Group(ARM), "upper control arm, at UCA_CM"),
        Field("upright", Group(ROD), "rod from LCA_U to UCA_U; default: massless", None),
        Field("tierod", Group(ROD), "rod from TIEROD_U to TIEROD_C; default: massless", None),
        Field("shock_lower", Group(ROD), "lower half of the shock absorber, from SHOCK_A to SHOCK_C; default: massless", None),
        Field("shock_upper", Group(ROD), "upper half of the shock absorber, from SHOCK_A to SHOCK_C; default: massless", None),
    ),
)


class DoubleWishboneAxle(Axle):
    """Arms, upright, tie rod and two halves of a shock absorber; rods without an entry in the file are massless."""

    joints = JOINTS
    fields = FIELDS
    bushes = ("LCA_F", "LCA_B", "UCA_F", "UCA_B", "SHOCK_C", "SPRING_C")
    elastic = Linkage(
        ("lower_arm", "upper_arm"),
        (
            *(Joint(name, "lower_arm", along=("LCA_B", "LCA_F")) for name in ("LCA_F", "LCA_B")),
            *(Joint(name, "upper_arm", along=("UCA_B", "UCA_F")) for name in ("UCA_F", "UCA_B")),
            Joint("LCA_U", "lower_arm", CARRIER),
            Joint("UCA_U", "upper_arm", CARRIER),
        ),
        (Rod("TIEROD_U", CARRIER, "TIEROD_C"),),
        spring=Rod("SPRING_A", "lower_arm", "SPRING_C"),
    )

    def check_points(self, points: Values) -> None:
        p = self.points
        with ErrorCollector() as faults:
            for front, rear, ball in (("LCA_F", "LCA_B", "LCA_U"), ("UCA_F", "UCA_B", "UCA_U")):
                if norm(cross(p[front] - p[rear], p[ball] - p[rear])) < 1e-6:
                    faults.add(points.error(ball, f"a point that is not on the line through {front} and {rear}"))

    def read_bodies(self, bodies: Values) -> dict[str, RigidBody]:
        axle_bodies: dict[str, RigidBody] = {}
        with ErrorCollector() as faults:
            with faults.part():
                axle_bodies |= super().read_bodies(bodies)
            for name, points in ARMS.items():
                with faults.part():
                    axle_bodies[name] = self.arm(bodies, name, points)
            for name, (start, end) in RODS.items():
                with faults.part():
                    axle_bodies[name] = self._rod(bodies, name, self.points[start], self.points[end])
        return axle_bodies

    def _rod(self, bodies: Values, name: str, start: Vector, end: Vector) -> RigidBody:
        """Return a rod, massless without an entry in the file."""
        return self.rod(bodies, name, start, end) if name in bodies else RigidBody(name, 0.0, 0.5 * (start + end), np.zeros((3, 3)))

    def corner(self, mirror: bool) -> DoubleWishboneCorner:
        p, bodies = self.side(mirror)
        lower, upper = p["LCA_F"] - p["LCA_B"], p["UCA_F"] - p["UCA_B"]
        for name, axis in (("LCA_F", lower), ("UCA_F", upper)):
            if norm(axis) < 1e-6:
                raise ConfigError(
                    self.file,
                    f"{self.key}.hardpoints_left.{name}",
                    self.points[name].tolist(),
                    "a point that differs from the rear bushing",
                )
        hinge = Hinge(p["LCA_B"], unit(lower)).axis
        return DoubleWishboneCorner(
            lower_arm_point=p["LCA_B"],
            lower_arm_axis=hinge,
            upper_arm_point=p["UCA_B"],
            upper_arm_axis=unit(upper),
            D=p["LCA_U"],
            F=p["UCA_U"],
            K=p["TIEROD_U"],
            Q=p["TIEROD_C"],
            B=p["SHOCK_A"],
            J=p["SHOCK_C"],
            S=p["SPRING_A"],
            U=p["SPRING_C"],
            W=p["SPINDLE"],
            axle=np.array([0.0, 1.0, 0.0]),
            upright_axes=universal_axes(p["UCA_U"] - p["LCA_U"], hinge),
            tierod_axes=universal_axes(p["TIEROD_C"] - p["TIEROD_U"], hinge),
            shock_axes=universal_axes(p["SHOCK_C"] - p["SHOCK_A"], hinge),
            bodies=bodies,
            file=self.file,
            key=self.key,
        )


AXLE = DoubleWishboneAxle
