"""Parameters of the specialized mechanisms from a general `Mechanism`, so that one file describes both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.records import Record, record
from simulator.validation.linkages.five_link import FIVE_LINK
from simulator.validation.linkages.stewart import STEWART
from vehicles.multibody.description.mechanism import WORLD, Joint, Loop, Mechanism
from vehicles.multibody.description.rigid_body import RigidBody

X, Y, Z = np.eye(3)

TOLERANCE = 1e-9
"""m, kg m2, 1. Tolerance for coincident points and parallel axes, for rounded numbers in files."""


def stewart_parameters(mechanism: Mechanism) -> Record:
    """Return the STEWART record of a free body on six legs: each a universal joint on the world about x and y, a slider along z, and a
    ball joint.

    In the design position, at zero coordinates, the legs are vertical. Raises ConfigError with the element that does not fit a Stewart
    platform.
    """
    design = _DesignPosition(mechanism, legs=6)
    p = record(STEWART)
    for i, (loop, body, top) in enumerate(design.legs()):
        slider = mechanism.carrier(body)
        if slider.kind != "prismatic":
            design.refuse(f"joints.{slider.name}.type", slider.kind, "prismatic (slider of a leg)")
        base = design.base_joint(slider.parent)
        foot = design.joint_point(base)
        length = top - foot
        design.check_axes(base, (X, Y))
        design.check_axes(slider, (Z,))
        if not np.linalg.norm(length - length[2] * Z) < TOLERANCE or not length[2] > 0.0:
            design.refuse(f"loops.{loop.name}", top.tolist(), "a ball joint vertically above the base joint in the design position")
        lower, upper = design.body(slider.parent), design.body(body)
        center_l, transverse_l, axial_l = design.rod(lower, foot, Z)
        center_u, transverse_u, axial_u = design.rod(upper, foot, Z)
        p[0]["base_joints"][i], p[0]["platform_joints"][i] = foot, design.in_platform(loop)
        p[0]["rest_length"][i] = length[2]
        p[0]["lower_mass"][i], p[0]["upper_mass"][i] = lower.mass, upper.mass
        p[0]["lower_center"][i], p[0]["upper_center"][i] = center_l, length[2] - center_u
        p[0]["transverse_inertia"][i], p[0]["axial_inertia"][i] = transverse_l + transverse_u, axial_l + axial_u
    p[0]["platform_mass"], p[0]["platform_inertia"] = design.platform.mass, design.platform.I_BBcm
    p[0]["gravity"] = mechanism.gravity
    return p


def five_link_parameters(mechanism: Mechanism) -> Record:
    """Return the FIVE_LINK record of a free body on five rods, closed in the design position.

    The first axis of their universal joints is x of the world, the second is perpendicular to x and to the rod. Raises ConfigError with
    the element that does not fit a five-link suspension.
    """
    design = _DesignPosition(mechanism, legs=5)
    p = record(FIVE_LINK)
    for i, (loop, body, outer) in enumerate(design.legs()):
        joint = design.base_joint(body)
        inner = design.joint_point(joint)
        length = float(np.linalg.norm(outer - inner))
        if not length > TOLERANCE:
            design.refuse(f"loops.{loop.name}", outer.tolist(), "a ball joint away from the universal joint")
        along = (outer - inner) / length
        square = np.cross(X, along)
        if not np.linalg.norm(square) > TOLERANCE:
            design.refuse(f"loops.{loop.name}", outer.tolist(), "a link not parallel to x, where its universal joint is singular")
        design.check_axes(joint, (X, square / np.linalg.norm(square)), either_way=True)
        drawn_at = design.p_WP + design.R_WP @ design.in_platform(loop)
        if not np.linalg.norm(drawn_at - outer) < TOLERANCE:
            design.refuse(f"loops.{loop.name}", outer.tolist(), "a loop that is closed in the design position")
        link = design.body(body)
        p[0]["chassis_joints"][i], p[0]["carrier_joints"][i], p[0]["length"][i] = inner, design.in_platform(loop), length
        p[0]["link_mass"][i] = link.mass
        p[0]["link_center"][i], p[0]["transverse_inertia"][i], p[0]["axial_inertia"][i] = design.rod(link, inner, along)
    p[0]["carrier_mass"], p[0]["carrier_inertia"] = design.platform.mass, design.platform.I_BBcm
    p[0]["design_pose"][:3] = design.p_WP
    p[0]["gravity"] = mechanism.gravity
    return p


class _DesignPosition:
    """A free platform on legs in its design position, at zero coordinates; P has the axes of the body and its center of mass as origin."""

    def __init__(self, mechanism: Mechanism, legs: int) -> None:
        self.mechanism, self.legs_wanted = mechanism, legs
        free = [joint.child for joint in mechanism.joints if joint.kind == "free"]
        if len(free) != 1:
            self.refuse("joints", free, "one free joint for the platform")
        for part in ("couplings", "springs", "joint_springs", "forces", "joint_forces"):
            if getattr(mechanism, part):
                self.refuse(part, len(getattr(mechanism, part)), "no entry, because forces are an input of this model")
        self.platform = self.body(free[0])
        origin, self.R_WP = self.place(free[0])
        self.p_WP = origin + self.R_WP @ self.platform.p_BoBcm

    def refuse(self, key: str, value: object, expected: str) -> NoReturn:
        raise ConfigError(self.mechanism.file, key, value, expected)

    def body(self, name: str) -> RigidBody:
        return next(body for body in self.mechanism.bodies if body.name == name)

    def place(self, name: str) -> tuple[Vector, Vector]:
        """Return origin and attitude of a body in the world, at zero coordinates."""
        if name == WORLD:
            return np.zeros(3), np.eye(3)
        joint = self.mechanism.carrier(name)
        p, R = self.place(joint.parent)
        R_WB = R @ joint.R_PF @ joint.R_BM.T
        return p + R @ joint.p_PF - R_WB @ joint.p_BM, R_WB

    def joint_point(self, joint: Joint) -> Vector:
        p, R = self.place(joint.parent)
        return p + R @ joint.p_PF

    def check_axes(self, joint: Joint, expected: tuple[Vector, ...], either_way: bool = False) -> None:
        """Raise ConfigError for a joint with other axes in the world; with `either_way` the axes may have the opposite sign."""
        _, R = self.place(joint.parent)
        axes = joint.axes @ (R @ joint.R_PF).T
        for axis, want in zip(axes, expected, strict=True):
            along = axis @ want
            if np.linalg.norm(axis - (np.sign(along) if either_way else 1.0) * want) > TOLERANCE:
                self.refuse(f"joints.{joint.name}", axes.tolist(), "axes " + ", ".join(str(w.round(6).tolist()) for w in expected))

    def base_joint(self, body: str) -> Joint:
        """Return the universal joint between the body and the world."""
        joint = self.mechanism.carrier(body)
        if (joint.kind, joint.parent) != ("universal", WORLD):
            self.refuse(f"joints.{joint.name}", f"{joint.kind} on {joint.parent}", "a universal joint on the world")
        return joint

    def legs(self) -> Iterator[tuple[Loop, str, Vector]]:
        """Yield each ball joint with the body that it connects to the platform and its point on this body, in the world."""
        if len(self.mechanism.loops) != self.legs_wanted:
            self.refuse("loops", len(self.mechanism.loops), f"{self.legs_wanted} ball joints on the platform")
        for loop in self.mechanism.loops:
            ends = {loop.predecessor: loop.p_predecessor, loop.successor: loop.p_successor}
            if loop.kind != "ball" or loop.driven or self.platform.name not in ends:
                self.refuse(f"loops.{loop.name}", loop.kind, f"a ball joint on {self.platform.name!r}")
            name, point = next((name, point) for name, point in ends.items() if name != self.platform.name)
            if name == WORLD:
                self.refuse(f"loops.{loop.name}", WORLD, "a leg")
            p, R = self.place(name)
            yield loop, name, p + R @ point

    def in_platform(self, loop: Loop) -> Vector:
        """Return the point of a loop on the platform, in P."""
        point = loop.p_predecessor if loop.predecessor == self.platform.name else loop.p_successor
        return point - self.platform.p_BoBcm

    def rod(self, body: RigidBody, start: Vector, along: Vector) -> tuple[float, float, float]:
        """Return center of mass from `start` along a rod [m], and transverse and axial inertia; raise ConfigError if not symmetric about
        the line.
        """
        p, R = self.place(body.name)
        center = p + R @ body.p_BoBcm - start
        at = float(center @ along)
        if not np.linalg.norm(center - at * along) < TOLERANCE:
            self.refuse(f"bodies.{body.name}.com", (center + start).tolist(), "a center of mass on the line between the joints")
        I = R @ body.I_BBcm @ R.T
        axial = float(along @ I @ along)
        transverse = 0.5 * (float(np.trace(I)) - axial)
        if not np.abs(I - transverse * np.eye(3) - (axial - transverse) * np.outer(along, along)).max() < TOLERANCE:
            self.refuse(
                f"bodies.{body.name}.inertia", I.tolist(), "equal moments in all directions perpendicular to the line between the joints"
            )
        return at, transverse, axial
