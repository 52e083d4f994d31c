"""One side of a rigid axle in its design position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.records import Record, dtype_of
from vehicles.multibody.description.mechanism import JointSpring, Spring
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.blocks import AxleCallbacks, Blocks
from vehicles.suspension.corner_design import CornerDesign, Reach
from vehicles.suspension.hinge import six_of
from vehicles.suspension.rigid_axle.block import RIGID_AXLE_BLOCK
from vehicles.suspension.rigid_axle.kinematics import MEMORY, RODS
from vehicles.suspension.rigid_axle.locating_links import RANGE, Guide
from vehicles.suspension.wheel_carrier import carrier_with_wheel

REACH = Reach(widest=(-0.5, 0.5), closes=None, past_stops=0.03, without_stops=(-0.1, 0.1), short_of_open=0.0)
"""Ranges in m."""

X, Y, Z = np.eye(3)
SLIDES = (("x", X, "prismatic", False), ("y", Y, "prismatic", False), ("z", Z, "prismatic", True), ("yaw", Z, "revolute", False))
"""Joints from the chassis to the beam before its roll and its pitch: name, axis, kind, True if independent."""


@dataclass(frozen=True)
class RigidAxleSide(CornerDesign):
    """One side in the design position, in chassis axes and relative to the chassis reference point [m].

    The body `knuckle` is half of the axle; both sides together are the complete axle. B and J are lower and upper end of the shock
    absorber, S and U those of the spring, which acts along z only for a `leaf`. Q, on the chassis, is the end of the fourth rod and
    `upper` the index of the upper rod, both for the view.
    """

    block: ClassVar[AxleCallbacks | None] = RIGID_AXLE_BLOCK
    kind: str  # type: ignore[misc]
    guide: Guide
    upper: int
    Q: Vector
    S: Vector
    U: Vector
    B: Vector
    J: Vector
    W: Vector
    bodies: dict[str, RigidBody]
    leaf: bool = False
    file: str = "model"
    key: str = ""

    @property
    def axle(self) -> Vector:  # type: ignore[override]
        """The y axis of the beam."""
        return Y

    @property
    def C(self) -> Vector:
        """Point midway between the wheel centers."""
        return np.asarray(self.W * [1.0, 0.0, 1.0])

    def write(self, corners: Record, parameters: Record, i: int) -> None:
        c, p, C, guide = corners[0], parameters[0], self.C, self.guide
        c["spin_inertia"][i], half = carrier_with_wheel(self.bodies, self.W, self.axle, self.file, self.key)
        c["corner_mass"][i] = p["mass"][i] = half.mass
        c["coupled"][i // 2] = c["carries_drive"][i // 2] = 1
        c["travel"][:, i] = -RANGE, RANGE
        c["design_frame"][:, :, i] = np.eye(3)
        c["design_wheel_x"][i], c["design_wheel_z"][i] = self.W[0], self.W[2]
        p["C"][:, i], p["half_track"][i], p["side"][i] = C, abs(self.W[1]), self.W[1]
        p["anchor"][:, :, i], p["joint"][:, :, i] = guide.anchors - C, guide.joints - C
        p["bend"][:, i], p["normal"][:, :, i], p["offset"][:, i] = guide.bend, guide.normals, guide.offset
        p["guess"][:, :, i] = self._guess()
        p["upper"][i], p["upright"][i] = self.upper, self.leaf
        p["inertia"][:, i] = six_of(half.I_BBcm)
        for name, point in (("com", half.p_BoBcm), ("shock", self.B), ("spring", self.S)):
            p[name][:, i] = point - C
        p["J"][:, i], p["U"][:, i] = self.J, self.U

    def _guess(self) -> Vector:
        at, half_track = f"{self.key}.hardpoints_left", abs(float(self.W[1]))
        if not self.guide.is_located(self.C, half_track):
            expected = "rods that locate the axle in x, y, yaw and pitch (some are in line or parallel)"
            raise ConfigError(self.file, at, "four rods", expected)
        guess = self.guide.polynomial(self.C, half_track)
        if guess is None:
            expected = f"rods that let either wheel rise and fall by {RANGE:g} m"
            raise ConfigError(self.file, at, "open", expected)
        return guess

    def add_to(self, parts: Parts, name: str, chassis: str, inner: str, struts: Record, i: int) -> None:
        """Add the axle to a multibody model.

        The left side adds the beam on massless slides and hinges with the rods, the right one is welded to it.
        """
        half, wheel, s = f"{name}_knuckle", f"{name}_wheel", struts[0]
        if self.W[1] > 0.0:
            self._add_beam(parts, name, chassis)
        else:
            parts.add_body(half, self.bodies["knuckle"])
            parts.add_joint("fixed", f"{name[:-1]}L_knuckle", half, self.C)
        parts.add_body(wheel, self.bodies["wheel"])
        parts.add_joint("revolute", half, wheel, self.W, self.axle, independent=True)
        rate, free_length, damping = (float(s[row][i]) for row in ("spring_rate", "spring_free_length", "rebound_damping"))
        if self.leaf:
            self._add_upright_spring(parts, name, chassis, rate, free_length)
        else:
            parts.springs.append(Spring(f"{name}_spring", chassis, self.U, half, self.S, rate, free_length))
        parts.springs.append(Spring(f"{name}_damper", chassis, self.J, half, self.B, 0.0, 0.0, damping))

    def _add_beam(self, parts: Parts, name: str, chassis: str) -> None:
        before = chassis
        for slide, axis, kind, independent in SLIDES:
            parts.add_body(f"{name}_{slide}", _massless(self.C))
            parts.add_joint(kind, before, f"{name}_{slide}", self.C, axis, independent=independent)
            before = f"{name}_{slide}"
        parts.add_body(f"{name}_roll", _massless(self.C))
        parts.add_joint("revolute", before, f"{name}_roll", self.C, X, independent=True)
        beam = f"{name}_knuckle"
        parts.add_body(beam, self.bodies["knuckle"])
        parts.add_joint("revolute", f"{name}_roll", beam, self.C, Y)
        guide = self.guide
        for n in range(RODS):
            ends = (chassis, beam)
            if guide.planes[n]:
                slide = f"{name}_plane"
                parts.add_body(slide, _massless(guide.joints[n]))
                along = np.cross(guide.normals[n], Z)
                parts.add_joint("prismatic", chassis, slide, guide.joints[n], along / np.linalg.norm(along))
                parts.add_loop(f"{name}_rod_{n}", "point_on_line", (beam, slide), guide.joints[n], axis_successor=Z)
            else:
                length = float(np.linalg.norm(guide.joints[n] - guide.anchors[n]))
                parts.add_loop(f"{name}_rod_{n}", "distance", ends, guide.anchors[n], guide.joints[n], length=length)

    def _add_upright_spring(self, parts: Parts, name: str, chassis: str, rate: float, free_length: float) -> None:
        """Add a slide along the chassis' z with the spring.

        The slide carries a slide along x, and the seat lies on the line along y of this slide.
        """
        foot, foot_x = f"{name}_seat", f"{name}_seat_x"
        for body in (foot, foot_x):
            parts.add_body(body, _massless(self.S))
        parts.add_joint("prismatic", chassis, foot, self.S, Z)
        parts.add_joint("prismatic", foot, foot_x, self.S, X)
        parts.add_loop(f"{name}_seat_y", "point_on_line", (f"{name}_knuckle", foot_x), self.S, axis_successor=Y)
        parts.joint_springs.append(JointSpring(foot, rate, float(self.U[2] - self.S[2]) - free_length))

    def reach(self, corners: Record, i: int) -> Reach:
        return REACH

    def gap(self, corners: Record, blocks: Blocks, inputs: Record, i: int) -> float:
        block = next(b for b in blocks.others if b["place"] == RIGID_AXLE_BLOCK.place.address and 0 <= i - b["first"] < b["count"])
        start, dtype = int(block["memory"]), dtype_of(MEMORY)
        gap = float(blocks.memory[start : start + dtype.itemsize].view(dtype)[0]["gap"][i - block["first"] + block["lane"]])
        return gap if np.isfinite(gap) else np.inf


def _massless(point: Vector) -> RigidBody:
    return RigidBody("slide", 0.0, point, np.zeros((3, 3)))
