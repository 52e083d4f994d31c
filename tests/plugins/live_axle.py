"""Plugin axle with coupled sides: a rigid beam with both wheels that moves along z and rolls about x.

The coordinates are the heights of the two wheel centers over their design position, theta_L and theta_R. With t half the track and C
midway between the wheel centers,

    z = (theta_L + theta_R) / 2,    sin phi = (theta_L - theta_R) / (2 t),    phi_L = 1 / (2 t cos phi) = -phi_R
    C_L = C_R = (0, 0, 1/2),        phi'' = tan phi phi'^2 where theta_L'' = theta_R'' = 0

The body of a side is its half of the beam with its wheel; both halves move as one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from simulator.base.algebra.vectors import (
    add,
    column,
    cross,
    dot,
    in_frame,
    scale,
    store,
    sub,
    symmetric_in_frame,
    symmetric_matrix_at,
    symmetric_times,
    vector,
)
from simulator.base.arrays import Vector
from simulator.base.callbacks import callback, record_at
from simulator.base.jit import inline
from simulator.base.records import Record, dtype_of
from vehicles.multibody.description.mechanism import Spring
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.axle_section import Axle
from vehicles.suspension.axle_table import axle_fields
from vehicles.suspension.blocks import AxleCallbacks
from vehicles.suspension.contract import INPUTS, KINEMATICS, POINTS
from vehicles.suspension.corner_bodies import add_body, inertia_force, motion_of, put_body, put_inertia, put_motion, start_sums
from vehicles.suspension.corner_design import CornerDesign, Reach
from vehicles.suspension.kinds import register
from vehicles.suspension.wheel_carrier import carrier_with_wheel

BEAMS = (
    # name       shape    unit     description (last index: corner; each side has its own half)
    ("C", (3, 4), "m", "point midway between the wheel centers in the design position"),
    ("half_track", (4,), "m", "distance of a wheel center from C, along y"),
    ("mass", (4,), "kg", "mass of half the beam with its wheel"),
    ("com", (3, 4), "m", "center of mass of the half, from C"),
    ("inertia", (6, 4), "kg m2", "inertia of the half about its center of mass, without wheel spin (xx, yy, zz, xy, xz, yz)"),
    ("wheel", (3, 4), "m", "wheel center from C"),
    ("axle", (3, 4), "1", "wheel axle, pointing left"),
    ("shock", (3, 4), "m", "lower end of the shock absorber from C"),
    ("spring", (3, 4), "m", "lower end of the spring from C"),
    ("J", (3, 4), "m", "upper end of the shock absorber, on the chassis"),
    ("U", (3, 4), "m", "upper end of the spring, on the chassis"),
)
MEMORY = (
    ("C", (3, 4), "m", "position of C"),
    ("cos", (4,), "1", "cosine of the roll angle"),
    ("sin", (4,), "1", "sine of the roll angle"),
    *motion_of(1),
)

P_TYPE, M_TYPE, Q_TYPE, K_TYPE, S_TYPE = (dtype_of(table) for table in (BEAMS, MEMORY, INPUTS, KINEMATICS, POINTS))


@inline
def axes(c, s):
    """Return the axes of the beam."""
    return (1.0, 0.0, 0.0), (0.0, c, s), (0.0, -s, c)


@inline
def velocity(turn, r):
    """Return the velocity of a point r from C, if C moves up by a half and the beam rotates by `turn` about x."""
    return (0.0, -turn * r[2], 0.5 + turn * r[1])


@inline
def strut(a, one, other):
    """Return the length of a vector and its derivatives with respect to the two coordinates."""
    length = math.sqrt(dot(a, a))
    return length, dot(a, one) / length, dot(a, other) / length


@inline
def add_across(o, i, other, mass, w_B, turn, k):
    """Add the contribution of the body of side i to the coordinate of the other side, which rotates the beam by `turn`."""
    c, I = column(o["c"][0], i), symmetric_matrix_at(o["inertia"][0], i)
    w, u = (turn, 0.0, 0.0), velocity(turn, sub(c, column(o["C"], i)))
    I_w, mass_u = symmetric_times(I, w), scale(mass, u)
    G = add(I_w, cross(c, mass_u))
    for j in range(3):
        k["G"][j, other] += G[j]
        k["G"][j + 3, other] += mass_u[j]
    k["D"][other] += dot(u, mass_u) + dot(w, I_w)
    k["D_across"][i // 2] += dot(column(o["u"][0], i), mass_u) + dot(column(o["w"][0], i), I_w)
    f, n = inertia_force(o, 0, i, mass, w_B)
    k["theta_bias"][other] += dot(u, f) + dot(w, n)


@inline
def place_side(p, o, k, i, turn, rise, roll, roll_1):
    """Compute body, wheel and struts of side i; its theta rotates the beam by `turn`; rise, roll and roll_1 are the rates of the beam."""
    C = column(o["C"], i)
    x, y, z = axes(o["cos"][i], o["sin"][i])
    w, w_rel, alpha = (turn, 0.0, 0.0), (roll, 0.0, 0.0), (roll_1, 0.0, 0.0)
    r = in_frame(x, y, z, column(p["com"], i))
    put_body(o, 0, i, add(C, r), w, velocity(turn, r))
    put_motion(o, 0, i, w_rel, add((0.0, 0.0, rise), cross(w_rel, r)), alpha, add(cross(alpha, r), cross(w_rel, cross(w_rel, r))))
    put_inertia(o, 0, i, symmetric_in_frame(x, y, z, symmetric_matrix_at(p["inertia"], i)))
    r = in_frame(x, y, z, column(p["wheel"], i))
    store(k["W"], i, add(C, r))
    store(k["W_1"], i, velocity(turn, r))
    store(k["W_across"], i, velocity(-turn, r))
    store(k["W_dot"], i, add((0.0, 0.0, rise), cross(w_rel, r)))
    store(k["axle"], i, in_frame(x, y, z, column(p["axle"], i)))
    store(k["carrier_x"], i, x)
    store(k["carrier_z"], i, z)
    store(k["w"], i, w)
    store(k["w_across"], i, (-turn, 0.0, 0.0))
    store(k["w_rel"], i, w_rel)
    r = in_frame(x, y, z, column(p["spring"], i))
    length, one, other = strut(sub(add(C, r), column(p["U"], i)), velocity(turn, r), velocity(-turn, r))
    k["spring_length"][i], k["spring_length_1"][i], k["spring_length_across"][i] = length, one, other
    r = in_frame(x, y, z, column(p["shock"], i))
    length, one, other = strut(sub(add(C, r), column(p["J"], i)), velocity(turn, r), velocity(-turn, r))
    k["shock_length"][i], k["shock_length_1"][i], k["shock_length_across"][i] = length, one, other


@callback
def place(parameters, state, seen, result, first, count, h):
    """See `vehicles.suspension.blocks`."""
    p, o = record_at(parameters, P_TYPE)[0], record_at(state, M_TYPE)[0]
    q, k = record_at(seen, Q_TYPE)[0], record_at(result, K_TYPE)[0]
    w_B = vector(q["w_WB_B"])
    for left in range(first, first + count, 2):
        right = left + 1
        per_track = 0.5 / p["half_track"][left]
        sine = per_track * (q["theta"][left] - q["theta"][right])
        cosine = math.sqrt(1.0 - sine * sine)
        turn = per_track / cosine
        roll = turn * (q["theta_dot"][left] - q["theta_dot"][right])
        rise = 0.5 * (q["theta_dot"][left] + q["theta_dot"][right])
        at = add(column(p["C"], left), (0.0, 0.0, 0.5 * (q["theta"][left] + q["theta"][right])))
        k["D_across"][left // 2] = 0.0
        for i in range(left, left + 2):
            store(o["C"], i, at)
            o["cos"][i], o["sin"][i] = cosine, sine
            start_sums(k, i)
        for i in range(left, left + 2):
            side = turn if i == left else -turn
            place_side(p, o, k, i, side, rise, roll, roll * roll * sine / cosine)
            add_body(o, 0, i, p["mass"][i], w_B, k)
            add_across(o, i, left + right - i, p["mass"][i], w_B, -side, k)


@callback
def show(parameters, state, seen, result, first, count, h):
    """See `vehicles.suspension.blocks`: the beam is drawn from its middle."""
    p, o, points = record_at(parameters, P_TYPE)[0], record_at(state, M_TYPE)[0], record_at(result, S_TYPE)[0]
    for i in range(first, first + count):
        x, y, z = axes(o["cos"][i], o["sin"][i])
        C = column(o["C"], i)
        store(points["lower_ball"], i, C)
        store(points["upper_ball"], i, C)
        store(points["tierod_outer"], i, C)
        store(points["shock_lower"], i, add(C, in_frame(x, y, z, column(p["shock"], i))))
        store(points["spring_lower"], i, add(C, in_frame(x, y, z, column(p["spring"], i))))


BLOCK = AxleCallbacks(contract=1, layout=0x3E4BFC315401087A, parameters=BEAMS, memory=MEMORY, place=place, show=show)


@dataclass(frozen=True)
class LiveAxleSide(CornerDesign):
    """One side in the design position, in chassis axes and from the chassis reference point [m]; half the beam is the body `knuckle`."""

    kind: ClassVar[str] = "live_axle"
    block: ClassVar[AxleCallbacks | None] = BLOCK
    Q: Vector
    S: Vector
    U: Vector
    B: Vector
    J: Vector
    W: Vector
    axle: Vector
    bodies: dict[str, RigidBody]
    file: str
    key: str

    @property
    def C(self) -> Vector:
        """Point midway between the wheel centers."""
        return np.asarray(self.W * [1.0, 0.0, 1.0])

    def write(self, corners: Record, parameters: Record, i: int) -> None:
        """See the base class."""
        c, p = corners[0], parameters[0]
        c["spin_inertia"][i], half = carrier_with_wheel(self.bodies, self.W, self.axle, self.file, self.key)
        c["corner_mass"][i] = p["mass"][i] = half.mass
        c["coupled"][i // 2] = 1
        c["travel"][:, i] = -0.15, 0.15
        c["design_frame"][:, :, i] = np.eye(3)
        c["design_wheel_x"][i], c["design_wheel_z"][i] = self.W[0], self.W[2]
        I = half.I_BBcm
        p["inertia"][:, i] = I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]
        p["C"][:, i], p["half_track"][i] = self.C, abs(self.W[1])
        for name, point in (("com", half.p_BoBcm), ("wheel", self.W), ("shock", self.B), ("spring", self.S)):
            p[name][:, i] = point - self.C
        p["axle"][:, i], p["J"][:, i], p["U"][:, i] = self.axle, self.J, self.U

    def add_to(self, parts: Parts, name: str, chassis: str, inner: str, struts: Record, i: int) -> None:
        """See the base class: the left side guides the beam by a slider without mass, the right one is welded to it."""
        half, wheel, s = f"{name}_knuckle", f"{name}_wheel", struts[0]
        if i % 2 == 0:
            parts.add_body(f"{name}_slider", RigidBody("slider", 0.0, self.C, np.zeros((3, 3))))
            parts.add_joint("prismatic", chassis, f"{name}_slider", self.C, np.array([0.0, 0.0, 1.0]), independent=True)
            parts.add_body(half, self.bodies["knuckle"])
            parts.add_joint("revolute", f"{name}_slider", half, self.C, np.array([1.0, 0.0, 0.0]), independent=True)
        else:
            parts.add_body(half, self.bodies["knuckle"])
            parts.add_joint("fixed", f"{name[:-1]}L_knuckle", half, self.C)
        parts.add_body(wheel, self.bodies["wheel"])
        parts.add_joint("revolute", half, wheel, self.W, self.axle, independent=True)
        rate, free_length, damping = (float(s[field][i]) for field in ("spring_rate", "spring_free_length", "rebound_damping"))
        parts.springs.append(Spring(f"{name}_spring", chassis, self.U, half, self.S, rate, free_length))
        parts.springs.append(Spring(f"{name}_damper", chassis, self.J, half, self.B, 0.0, 0.0, damping))

    def reach(self, corners: Record, i: int) -> Reach:
        """See the base class."""
        return Reach(widest=(-0.4, 0.4), closes=None, past_stops=0.03, without_stops=(-0.1, 0.1), short_of_open=0.0)


HARDPOINTS = {
    "SPINDLE": "wheel center",
    "UPRIGHT": "center of mass of half the beam",
    "SHOCK_C": "shock absorber on the chassis",
    "SHOCK_A": "shock absorber on the beam",
    "SPRING_C": "spring on the chassis",
    "SPRING_A": "spring on the beam",
}


class LiveAxle(Axle):
    """Section of a vehicle file; half the beam is the body `knuckle`, with its center of mass at UPRIGHT."""

    fields = axle_fields(HARDPOINTS)
    joints = (("SHOCK_A", "SHOCK_C"), ("SPRING_A", "SPRING_C"))
    bushes = ("SPRING_C", "SPRING_C", "SPRING_C", "SPRING_C", "SHOCK_C", "SPRING_C")
    block = BLOCK
    unsteered = "a live axle is not steered"

    def corner(self, mirror: bool) -> LiveAxleSide:
        """See the base class."""
        p, bodies = self.side(mirror)
        return LiveAxleSide(
            Q=p["SPINDLE"],
            S=p["SPRING_A"],
            U=p["SPRING_C"],
            B=p["SHOCK_A"],
            J=p["SHOCK_C"],
            W=p["SPINDLE"],
            axle=np.array([0.0, 1.0, 0.0]),
            bodies=bodies,
            file=self.file,
            key=self.key,
        )


register("live_axle", LiveAxle)
