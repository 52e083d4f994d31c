"""A semi-trailing arm in its design position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.records import Record
from vehicles.multibody.description.mechanism import Spring
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.blocks import AxleCallbacks
from vehicles.suspension.corner_design import CARRIER_NAME, CornerDesign, Reach
from vehicles.suspension.hinge import Hinge
from vehicles.suspension.semi_trailing_arm.block import SEMI_TRAILING_ARM_BLOCK
from vehicles.suspension.wheel_carrier import carrier_with_wheel

REACH = Reach(widest=(-0.8, 0.8), closes=None, past_stops=0.05, without_stops=(-0.3, 0.3), short_of_open=0.0)
"""Ranges in rad."""

ARM_RANGE = (-0.4, 0.4)
"""rad. Range of arm angles in the search for the equilibrium."""


@dataclass(frozen=True)
class SemiTrailingArmCorner(CornerDesign):
    """One side in the design position, in chassis axes and relative to the chassis reference point [m]; the arm is the body `knuckle`.

    P is a point of the hinge and e its direction, about which jounce is a right-handed rotation; S and U are lower and upper end of the
    spring, B and J those of the shock absorber.
    """

    kind: ClassVar[str] = "semi_trailing_arm"
    block: ClassVar[AxleCallbacks | None] = SEMI_TRAILING_ARM_BLOCK
    mounts: ClassVar[dict[str, str]] = {CARRIER_NAME: "arm", "trailing_arm": "arm"}
    P: Vector
    e: Vector
    Q: Vector
    S: Vector
    U: Vector
    B: Vector
    J: Vector
    W: Vector
    axle: Vector
    bodies: dict[str, RigidBody]
    file: str = "model"
    key: str = ""

    def hinged_point(self, body: str, point: Vector) -> Vector | None:
        return Hinge(self.P, self.e).point(point) if body == "trailing_arm" else None

    def write(self, corners: Record, parameters: Record, i: int) -> None:
        c, p, hinge = corners[0], parameters[0], Hinge(self.P, self.e)
        c["spin_inertia"][i], arm = carrier_with_wheel(self.bodies, self.W, self.axle, self.file, self.key)
        c["corner_mass"][i] = p["mass"][i] = arm.mass
        c["travel"][:, i] = ARM_RANGE
        c["design_frame"][:, :, i] = np.eye(3)
        c["design_wheel_x"][i], c["design_wheel_z"][i] = self.W[0], self.W[2]
        p["e"][:, i], p["J"][:, i], p["U"][:, i] = self.e, self.J, self.U
        p["inertia"][:, :, i] = hinge.inertia(arm.I_BBcm)
        for name, point in (("com", arm.p_BoBcm), ("wheel", self.W), ("shock", self.B), ("spring", self.S)):
            p[name][:, :, i] = hinge.point(point)
        p["axle"][:, i] = self.axle / np.linalg.norm(self.axle)

    def add_to(self, parts: Parts, name: str, chassis: str, inner: str, struts: Record, i: int) -> None:
        arm, wheel, s = f"{name}_arm", f"{name}_wheel", struts[0]
        parts.add_body(arm, self.bodies["knuckle"])
        parts.add_joint("revolute", chassis, arm, self.P, self.e, independent=True)
        parts.add_body(wheel, self.bodies["wheel"])
        parts.add_joint("revolute", arm, wheel, self.W, self.axle, independent=True)
        rate, free_length, damping = (float(s[row][i]) for row in ("spring_rate", "spring_free_length", "rebound_damping"))
        parts.springs.append(Spring(f"{name}_spring", chassis, self.U, arm, self.S, rate, free_length))
        parts.springs.append(Spring(f"{name}_damper", chassis, self.J, arm, self.B, 0.0, 0.0, damping))

    def reach(self, corners: Record, i: int) -> Reach:
        return REACH
