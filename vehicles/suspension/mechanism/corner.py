"""A corner from a mechanism file, on one side of a vehicle."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.records import Record
from vehicles.multibody.description.initial_state import InitialState
from vehicles.multibody.description.mechanism import WORLD, Joint, Loop, Mechanism
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.corner_design import CARRIER_NAME, CornerDesign, Reach
from vehicles.suspension.hinge import Hinge
from vehicles.suspension.mechanism.linkage import Linkage, Names
from vehicles.suspension.mechanism.travel_limits import write_ends


class MechanismCorner(CornerDesign):
    """A mechanism on the chassis, in chassis axes and relative to the chassis reference point; `Linkage` checks it.

    An anti-roll bar can be attached to its carrier, or to the arm if its coordinate is that of an arm hinged on the chassis.
    """

    kind: ClassVar[str] = "mechanism"

    def __init__(self, mechanism: Mechanism, start: InitialState, names: Names, file: str, key: str, rack: RigidBody | None = None) -> None:
        self.file, self.key, self.rack, self._start = file, key, rack, start
        self.linkage: Linkage = Linkage(mechanism, start, names, file, key, rack)
        self.Q, self.W, self.axle = self.linkage.Q, self.linkage.W, self.linkage.axle
        self.bodies = {body.name: body for body in mechanism.bodies}
        arm = self._arm()
        # an attribute of the corner, not of its kind, since the file names the bodies
        self.mounts = {CARRIER_NAME: self.linkage.carrier, **({} if arm is None else {arm.child: arm.child})}  # type: ignore[misc]

    def _arm(self) -> Joint | None:
        """Return the hinge on the chassis whose angle is the coordinate of the corner; None: another joint."""
        joint = self.linkage.given.joint(self.linkage.names.coordinate)
        return joint if joint.kind == "revolute" and joint.parent == WORLD else None

    def hinged_point(self, body: str, point: Vector) -> Vector | None:
        arm = self._arm()
        if arm is None or body != arm.child:
            return None
        return Hinge(arm.p_PF, self.linkage.sign * (arm.R_PF @ arm.axes[0])).point(point)

    def in_body(self, body: str, point: Vector) -> Vector:
        p, R = self.linkage.places[body]
        return np.asarray(R.T @ (point - p))

    def with_rack(self, half: RigidBody) -> MechanismCorner:
        linkage = self.linkage
        if not linkage.by_loop:
            expected = "a tie rod, which a rack with mass needs"
            raise ConfigError(self.file, f"{self.key}.steering", linkage.names.steering or "nothing", expected)
        return MechanismCorner(linkage.given, self._start, linkage.names, self.file, self.key, half)

    def write(self, corners: Record, parameters: Record, i: int) -> None:
        out, linkage = corners[0], self.linkage
        out["corner_mass"][i], out["spin_inertia"][i] = linkage.mass, linkage.spin_inertia
        out["design_frame"][:, :, i] = np.eye(3)
        out["design_wheel_x"][i], out["design_wheel_z"][i] = self.W[0], self.W[2]

    def add_to(self, parts: Parts, name: str, chassis: str, inner: str, struts: Record, i: int) -> None:
        m, names = self.linkage.given, self.linkage.names

        def of(body: str) -> str:
            return chassis if body == WORLD else f"{name}_{body}"

        for body in m.bodies:
            parts.add_body(of(body.name), body)
        for joint in m.joints:
            parts.joints.append(self._joint(joint, name, of))
        for loop in m.loops:
            steered = loop.name == names.steering
            parts.loops.append(
                replace(
                    loop,
                    name=f"{name}_{loop.name}",
                    predecessor=of(loop.predecessor),
                    successor=inner if steered else of(loop.successor),
                    driven=steered and inner == chassis,
                )
            )
        s = struts[0]
        for one in m.springs:
            spring, shock = one.name == names.spring, one.name == names.shock
            parts.springs.append(
                replace(
                    one,
                    name=f"{name}_{one.name}",
                    body_a=of(one.body_a),
                    body_b=of(one.body_b),
                    rate=float(s["spring_rate"][i]) * spring,
                    free_length=float(s["spring_free_length"][i]) * spring,
                    damping=float(s["rebound_damping"][i]) * shock,
                )
            )

    def write_ends(self, i: int, corners: Record, struts: Record, lock: float) -> None:
        write_ends(self.linkage, i, corners, struts, lock)

    def reach(self, corners: Record, i: int) -> Reach:
        low, high = (float(theta) for theta in corners[0]["ends"]["closed"][:, i])
        return Reach((low, high), closes=None, past_stops=0.0, without_stops=(low, high), short_of_open=0.0)

    def _joint(self, joint: Joint, name: str, of) -> Joint:  # type: ignore[no-untyped-def]
        """Return the joint with its new names; coordinate and wheel are the independent joints."""
        names = self.linkage.names
        independent = joint.name == names.coordinate or joint.child == names.wheel
        return replace(
            joint,
            name=f"{name}_{joint.name}",
            parent=of(joint.parent),
            child=of(joint.child),
            independent=independent,
            prescribed=joint.name == names.steering,
        )


def find_loop(m: Mechanism, name: str) -> Loop | None:
    """Return the loop of that name; None: there is no such loop."""
    return next((loop for loop in m.loops if loop.name == name), None)
