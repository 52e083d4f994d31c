"""Plugin axle: trailing arms, one rigid body per side on a hinge of any direction, with a torsion bush in the hinge.

The coordinate theta is the angle of the arm, + = jounce. With the hinge through P along e (jounce is a right-handed turn about it) a point of
the arm is P + R(theta) (p - P), its velocity per theta_dot e × (p - P), and its acceleration at steady rate e × (e × (p - P)) rate^2: the
inertia of theta is the constant e . I e about the hinge. The bush pulls back with `stiffness` theta; it acts between arm and chassis alone,
so it enters as a force on theta.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from simulator.base.algebra.vectors import (
    add,
    add_scaled,
    column,
    combine,
    cross,
    dot,
    in_frame,
    scale,
    store,
    sub,
    symmetric_in_frame,
    symmetric_matrix_at,
    vector,
)
from simulator.base.arrays import Vector
from simulator.base.callbacks import callback, record_at
from simulator.base.fields import Field, Group, Number
from simulator.base.jit import inline
from simulator.base.records import Record, dtype_of
from simulator.base.values import Values
from vehicles.multibody.description.mechanism import JointSpring, Spring
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.axle_section import Axle
from vehicles.suspension.axle_table import axle_fields
from vehicles.suspension.blocks import AxleCallbacks
from vehicles.suspension.contract import INPUTS, KINEMATICS, POINTS
from vehicles.suspension.corner_bodies import ThetaMotion, add_body, motion_of, put_inertia, put_theta_body, start_sums
from vehicles.suspension.corner_design import CornerDesign, Reach
from vehicles.suspension.kinds import register
from vehicles.suspension.wheel_carrier import carrier_with_wheel

TRAILING_ARMS = (
    # name       shape    unit     description (last index: corner)
    ("P", (3, 4), "m", "point on the hinge"),
    ("e", (3, 4), "1", "direction of the hinge; a rotation about it by theta > 0 is jounce"),
    ("com", (3, 4), "m", "center of mass of arm and wheel, from P, in the design position"),
    ("inertia", (6, 4), "kg m2", "inertia of arm and wheel about the center of mass, without wheel spin (xx, yy, zz, xy, xz, yz)"),
    ("mass", (4,), "kg", "mass of arm and wheel"),
    ("wheel", (3, 4), "m", "wheel center from P in the design position"),
    ("axle", (3, 4), "1", "wheel axle, pointing left, in the design position"),
    ("shock", (3, 4), "m", "lower end of the shock absorber from P in the design position"),
    ("spring", (3, 4), "m", "lower end of the spring from P in the design position"),
    ("J", (3, 4), "m", "upper end of the shock absorber, on the chassis"),
    ("U", (3, 4), "m", "upper end of the spring, on the chassis"),
    ("stiffness", (4,), "N m/rad", "torsional stiffness of the bush"),
)
MEMORY = (("R", (3, 3, 4), "1", "columns: axes of the arm at the last evaluated position"), *motion_of(1))

P_TYPE, M_TYPE, Q_TYPE, K_TYPE, S_TYPE = (dtype_of(table) for table in (TRAILING_ARMS, MEMORY, INPUTS, KINEMATICS, POINTS))


@inline
def turned(e, theta, a):
    """Return a rotated about e by theta (Rodrigues)."""
    c, s = math.cos(theta), math.sin(theta)
    return add_scaled(combine(c, a, s, cross(e, a)), (1.0 - c) * dot(e, a), e)


@inline
def length_and_slope(a, a_1):
    """Return the length of a vector and its derivative."""
    length = math.sqrt(dot(a, a))
    return length, dot(a, a_1) / length


@callback
def place(parameters, state, seen, result, first, count, h):
    """See `vehicles.suspension.blocks`."""
    p, o = record_at(parameters, P_TYPE)[0], record_at(state, M_TYPE)[0]
    q, k = record_at(seen, Q_TYPE)[0], record_at(result, K_TYPE)[0]
    w_B = vector(q["w_WB_B"])
    for i in range(first, first + count):
        theta, rate = q["theta"][i], q["theta_dot"][i]
        e, P = column(p["e"], i), column(p["P"], i)
        x, y, z = turned(e, theta, (1.0, 0.0, 0.0)), turned(e, theta, (0.0, 1.0, 0.0)), turned(e, theta, (0.0, 0.0, 1.0))
        store(o["R"][0], i, x)
        store(o["R"][1], i, y)
        store(o["R"][2], i, z)

        r = in_frame(x, y, z, column(p["com"], i))
        u = cross(e, r)
        put_theta_body(o, 0, i, rate, ThetaMotion(add(P, r), u, cross(e, u), e, (0.0, 0.0, 0.0)))
        put_inertia(o, 0, i, symmetric_in_frame(x, y, z, symmetric_matrix_at(p["inertia"], i)))
        start_sums(k, i)
        add_body(o, 0, i, p["mass"][i], w_B, k)
        k["theta_bias"][i] += p["stiffness"][i] * theta

        r = in_frame(x, y, z, column(p["wheel"], i))
        store(k["W"], i, add(P, r))
        store(k["W_1"], i, cross(e, r))
        store(k["W_dot"], i, scale(rate, cross(e, r)))
        store(k["axle"], i, in_frame(x, y, z, column(p["axle"], i)))
        store(k["carrier_x"], i, x)
        store(k["carrier_z"], i, z)
        store(k["w"], i, e)
        store(k["w_rel"], i, scale(rate, e))
        r = in_frame(x, y, z, column(p["spring"], i))
        k["spring_length"][i], k["spring_length_1"][i] = length_and_slope(sub(add(P, r), column(p["U"], i)), cross(e, r))
        r = in_frame(x, y, z, column(p["shock"], i))
        k["shock_length"][i], k["shock_length_1"][i] = length_and_slope(sub(add(P, r), column(p["J"], i)), cross(e, r))


@callback
def show(parameters, state, seen, result, first, count, h):
    """See `vehicles.suspension.blocks`: the arm is drawn from its hinge to its struts."""
    p, o, points = record_at(parameters, P_TYPE)[0], record_at(state, M_TYPE)[0], record_at(result, S_TYPE)[0]
    for i in range(first, first + count):
        P = column(p["P"], i)
        x, y, z = column(o["R"][0], i), column(o["R"][1], i), column(o["R"][2], i)
        shock = add(P, in_frame(x, y, z, column(p["shock"], i)))
        spring = add(P, in_frame(x, y, z, column(p["spring"], i)))
        store(points["lower_ball"], i, shock)
        store(points["upper_ball"], i, shock)
        store(points["tierod_outer"], i, shock)
        store(points["shock_lower"], i, shock)
        store(points["spring_lower"], i, spring)


BLOCK = AxleCallbacks(contract=1, layout=0x3E4BFC315401087A, parameters=TRAILING_ARMS, memory=MEMORY, place=place, show=show)


@dataclass(frozen=True)
class TrailingArm(CornerDesign):
    """One side in the design position, in chassis axes and from the chassis reference point [m]; the arm is the body `knuckle`."""

    kind: ClassVar[str] = "trailing_arm"
    block: ClassVar[AxleCallbacks | None] = BLOCK
    P: Vector
    e: Vector
    Q: Vector
    S: Vector
    U: Vector
    B: Vector
    J: Vector
    W: Vector
    axle: Vector
    stiffness: float
    bodies: dict[str, RigidBody]
    file: str
    key: str

    def write(self, corners: Record, parameters: Record, i: int) -> None:
        """See the base class."""
        c, p = corners[0], parameters[0]
        c["spin_inertia"][i], arm = carrier_with_wheel(self.bodies, self.W, self.axle, self.file, self.key)
        c["corner_mass"][i] = p["mass"][i] = arm.mass
        c["travel"][:, i] = -0.4, 0.4
        c["design_frame"][:, :, i] = np.eye(3)
        c["design_wheel_x"][i], c["design_wheel_z"][i] = self.W[0], self.W[2]
        I = arm.I_BBcm
        p["inertia"][:, i] = I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]
        p["P"][:, i], p["e"][:, i], p["stiffness"][i] = self.P, self.e, self.stiffness
        for name, point in (("com", arm.p_BoBcm), ("wheel", self.W), ("shock", self.B), ("spring", self.S)):
            p[name][:, i] = point - self.P
        p["axle"][:, i], p["J"][:, i], p["U"][:, i] = self.axle, self.J, self.U

    def add_to(self, parts: Parts, name: str, chassis: str, inner: str, struts: Record, i: int) -> None:
        """See the base class."""
        arm, wheel, s = f"{name}_knuckle", f"{name}_wheel", struts[0]
        parts.add_body(arm, self.bodies["knuckle"])
        parts.add_joint("revolute", chassis, arm, self.P, self.e, independent=True)
        parts.add_body(wheel, self.bodies["wheel"])
        parts.add_joint("revolute", arm, wheel, self.W, self.axle, independent=True)
        parts.joint_springs.append(JointSpring(arm, rate=self.stiffness))
        rate, free_length, damping = (float(s[field][i]) for field in ("spring_rate", "spring_free_length", "rebound_damping"))
        parts.springs.append(Spring(f"{name}_spring", chassis, self.U, arm, self.S, rate, free_length))
        parts.springs.append(Spring(f"{name}_damper", chassis, self.J, arm, self.B, 0.0, 0.0, damping))

    def reach(self, corners: Record, i: int) -> Reach:
        """See the base class."""
        return Reach(widest=(-0.8, 0.8), closes=None, past_stops=0.05, without_stops=(-0.3, 0.3), short_of_open=0.0)


HARDPOINTS = {
    "SPINDLE": "wheel center",
    "UPRIGHT": "center of mass of the arm",
    "HINGE_INNER": "inner end of the hinge",
    "HINGE_OUTER": "outer end of the hinge",
    "SHOCK_C": "shock absorber on the chassis",
    "SHOCK_A": "shock absorber on the arm",
    "SPRING_C": "spring on the chassis",
    "SPRING_A": "spring on the arm",
}
BUSH = (Field("stiffness", Number("N m/rad", 0.0, 1e6), "torsional stiffness"),)


class TrailingArmAxle(Axle):
    """Section of a vehicle file; the arm is the body `knuckle`."""

    fields = (*axle_fields(HARDPOINTS), Field("bush", Group(BUSH), "torsion bush in the hinge"))
    joints = (("HINGE_INNER", "HINGE_OUTER"), ("SHOCK_A", "SHOCK_C"), ("SPRING_A", "SPRING_C"))
    bushes = ("HINGE_INNER", "HINGE_OUTER", "HINGE_INNER", "HINGE_OUTER", "SHOCK_C", "SPRING_C")
    block = BLOCK
    unsteered = "a trailing arm is not steered"

    def __init__(self, values: Values) -> None:
        self.stiffness = values["bush"]["stiffness"]
        super().__init__(values)

    def corner(self, mirror: bool) -> TrailingArm:
        """See the base class."""
        p, bodies = self.side(mirror)
        e: Any = p["HINGE_OUTER"] - p["HINGE_INNER"]
        e /= np.linalg.norm(e) * np.sign(np.cross(e, p["SPINDLE"] - p["HINGE_INNER"])[2])
        return TrailingArm(
            P=p["HINGE_INNER"],
            e=e,
            Q=p["HINGE_INNER"],
            S=p["SPRING_A"],
            U=p["SPRING_C"],
            B=p["SHOCK_A"],
            J=p["SHOCK_C"],
            W=p["SPINDLE"],
            axle=np.array([0.0, 1.0, 0.0]),
            stiffness=self.stiffness,
            bodies=bodies,
            file=self.file,
            key=self.key,
        )


register("trailing_arm", TrailingArmAxle)
