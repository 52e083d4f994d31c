"""A MacPherson corner in its design position."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.records import Record, dtype_of
from vehicles.multibody.description.mechanism import JointSpring, Spring
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.blocks import AxleCallbacks, Blocks
from vehicles.suspension.corner_design import CARRIER_NAME, CornerDesign, Places, Reach
from vehicles.suspension.hinge import Hinge, rotation, six_of, turn_to_distance
from vehicles.suspension.macpherson.block import MACPHERSON_BLOCK
from vehicles.suspension.macpherson.kinematics import CARRIER, LOWER_ARM, MEMORY, RACK, STRUT
from vehicles.suspension.wheel_carrier import carrier_with_wheel

REACH = Reach(widest=(-0.8, 0.8), closes=None, past_stops=0.08, without_stops=(-0.3, 0.3), short_of_open=0.1)
"""Ranges in rad."""

ARM_RANGE = (-0.4, 0.4)
"""rad. Range of arm angles in the search for the equilibrium."""

MIN_SINE = 0.02
"""Smallest sine of the angle psi in the design position: at 0 rod and steering axis lie in one plane."""


@dataclass(frozen=True)
class MacPhersonCorner(CornerDesign):
    """A MacPherson corner in the design position, in chassis axes and relative to the chassis reference point [m].

    The letters are those of `vehicles.suspension.macpherson.kinematics`: D ball joint of the lower arm, J that of the strut on the
    chassis, K and Q outer and inner end of the tie rod. V is the lower point of the strut's axis, S and U are the ends of the spring and
    B and J those of the shock absorber, all on that axis. `bodies` holds lower_arm, strut, knuckle and wheel; the tie rod is a massless
    rod.
    """

    kind: ClassVar[str] = "macpherson"
    block: ClassVar[AxleCallbacks | None] = MACPHERSON_BLOCK
    mounts: ClassVar[dict[str, str]] = {"lower_arm": "lca", CARRIER_NAME: "knuckle"}
    arm_point: Vector
    arm_axis: Vector
    D: Vector
    J: Vector
    V: Vector
    K: Vector
    Q: Vector
    S: Vector
    U: Vector
    B: Vector
    W: Vector
    axle: Vector
    bodies: dict[str, RigidBody]
    rack: RigidBody | None = None
    file: str = "model"
    key: str = ""
    turned: Vector = field(default_factory=lambda: np.eye(3))

    @property
    def hinge(self) -> Hinge:
        """Hinge of the lower arm; a rotation by theta > 0 is jounce."""
        e = self.arm_axis / np.linalg.norm(self.arm_axis)
        return Hinge(self.arm_point, e if np.cross(e, self.D - self.arm_point)[2] > 0.0 else -e)

    def hinged_point(self, body: str, point: Vector) -> Vector | None:
        return self.hinge.point(point) if body == "lower_arm" else None

    @property
    def tierod_length(self) -> float:
        return float(np.linalg.norm(self.Q - self.K))

    def with_tie_rod(self, length: float) -> MacPhersonCorner:
        return _set_tie_rod(self, length)

    def write_length(self, parameters: Record, i: int, length: float) -> bool:
        if type(self) is not MacPhersonCorner:
            return False
        parameters[0]["tierod_length"][i] = length  # knuckle and strut rotate about the same line in the adjustment and in the kinematics
        return True

    def kingpin(self, blocks: Blocks, theta: float, i: int) -> tuple[Vector, Vector, Vector] | None:
        if type(self) is not MacPhersonCorner:  # a derived kind may adjust its rod differently
            return None
        foot, r, k = self.hinge.point(self.D)
        return self.J, foot + math.cos(theta) * r + math.sin(theta) * k, self._memory(blocks, i)["K"]

    def with_rack(self, half: RigidBody) -> MacPhersonCorner:
        return replace(self, rack=half)

    def write(self, corners: Record, parameters: Record, i: int) -> None:
        c, p, hinge = corners[0], parameters[0], self.hinge
        u = (self.V - self.J) / np.linalg.norm(self.V - self.J)
        g0, k0 = self.D - self.J, self.K - self.J
        p["e"][:, i], p["J"][:, i], p["u"][:, i], p["g0"][:, i], p["k0"][:, i] = hinge.axis, self.J, u, g0, k0
        p["foot"][i], p["tierod_length"][i] = g0 @ u, self.tierod_length
        p["offset2"][i] = g0 @ g0 - (g0 @ u) ** 2
        p["branch"][i] = self._branch()
        p["D"][:, :, i] = hinge.point(self.D)
        c["spin_inertia"][i], carrier = carrier_with_wheel(self.bodies, self.W, self.axle, self.file, self.key)
        self._write_bodies(p, i, carrier)
        p["wheel"][:, i], p["axle"][:, i] = self.W - self.J, self.axle / np.linalg.norm(self.axle)
        p["spring_length"][i], p["shock_length"][i] = np.linalg.norm(self.S - self.U), np.linalg.norm(self.B - self.J)
        p["spring_end"][:, i], p["shock_end"][:, i] = self.S - self.J, self.B - self.J
        c["corner_mass"][i], c["travel"][:, i] = p["mass"][:, i].sum(), ARM_RANGE
        c["design_frame"][:, :, i] = self.turned.T
        c["design_wheel_x"][i], c["design_wheel_z"][i] = self.W[0], self.W[2]

    def _write_bodies(self, p: Any, i: int, carrier: RigidBody) -> None:
        arm, strut, rack = self.bodies["lower_arm"], self.bodies["strut"], self.rack
        p["mass"][LOWER_ARM, i], p["mass"][STRUT, i], p["mass"][CARRIER, i] = arm.mass, strut.mass, carrier.mass
        p["arm_com"][:, :, i], p["arm_inertia"][:, :, i] = self.hinge.point(arm.p_BoBcm), self.hinge.inertia(arm.I_BBcm)
        for name, body in (("strut", strut), ("carrier", carrier)):
            p[f"{name}_com"][:, i], p[f"{name}_inertia"][:, i] = body.p_BoBcm - self.J, six_of(body.I_BBcm)
        if rack is not None:
            p["mass"][RACK, i], p["rack_com"][:, i], p["rack_inertia"][:, i] = rack.mass, rack.p_BoBcm - self.Q, six_of(rack.I_BBcm)

    def _branch(self) -> float:
        """Return the sign of sin psi in the design position. Raises ConfigError if that position is a dead point."""
        b = (self.D - self.J) / np.linalg.norm(self.D - self.J)
        across = [r - b * (r @ b) for r in (self.Q - self.J, self.K - self.J)]
        product = float(b @ np.cross(across[0], across[1]))
        if abs(product) < MIN_SINE * float(np.linalg.norm(across[0]) * np.linalg.norm(across[1])):
            expected = "a tie rod that is not in one plane with the steering axis (from the strut's top to the lower ball joint)"
            raise ConfigError(self.file, self.key, self.K.tolist(), expected)
        return float(np.sign(product))

    def add_to(self, parts: Parts, name: str, chassis: str, inner: str, struts: Record, i: int) -> None:
        arm, strut, knuckle, wheel = (f"{name}_{short}" for short in ("lca", "strut", "knuckle", "wheel"))
        for body, ours in ((arm, "lower_arm"), (strut, "strut"), (knuckle, "knuckle"), (wheel, "wheel")):
            parts.add_body(body, self.bodies[ours])
        u = (self.V - self.J) / np.linalg.norm(self.V - self.J)
        parts.add_joint("revolute", chassis, arm, self.arm_point, self.arm_axis, independent=True)
        parts.add_joint("spherical", chassis, strut, self.J)
        parts.add_joint("prismatic", strut, knuckle, self.V, u)
        parts.add_joint("revolute", knuckle, wheel, self.W, self.axle, independent=True)
        parts.add_loop(f"{name}_D", "ball", (knuckle, arm), self.D)
        driven = i < 2 and inner == chassis
        parts.add_loop(f"{name}_L", "distance", (knuckle, inner), self.K, self.Q, length=self.tierod_length, driven=driven)
        s = struts[0]
        rate, free_length, damping = (float(s[row][i]) for row in ("spring_rate", "spring_free_length", "rebound_damping"))
        parts.springs.append(Spring(f"{name}_spring", chassis, self.U, knuckle, self.S, rate, free_length))
        parts.joint_springs.append(JointSpring(knuckle, damping=damping))

    def reach(self, corners: Record, i: int) -> Reach:
        return REACH

    def gap(self, corners: Record, blocks: Blocks, inputs: Record, i: int) -> float:
        memory = self._memory(blocks, i)
        return abs(float(np.linalg.norm(memory["K"] - inputs[0]["Q"][:, i])) - self.tierod_length)

    def turn_of_steering(self, blocks: Blocks, i: int) -> float:
        return float(np.linalg.norm(self._memory(blocks, i)["gain"]))

    def gaps(self, corners: Record, places: Places, i: int) -> Vector:
        K = self._memory_at(places.blocks, places.memory, i)["K"]
        return np.abs(np.linalg.norm(K - places.inputs["Q"][:, :, i], axis=1) - self.tierod_length)

    def turns_of_steering(self, places: Places, i: int) -> Vector:
        return np.asarray(np.linalg.norm(self._memory_at(places.blocks, places.memory, i)["gain"], axis=1))

    def _memory(self, blocks: Blocks, i: int) -> dict[str, Vector]:
        """Return the vectors (3,) of MEMORY of corner i."""
        return {name: vectors[0] for name, vectors in self._memory_at(blocks, blocks.memory[None], i).items()}

    def _memory_at(self, blocks: Blocks, memory: NDArray[np.uint8], i: int) -> dict[str, Vector]:
        """Return the vectors (n, 3) of MEMORY of corner i at many positions with the memory (n, bytes)."""
        block = next(b for b in blocks.others if b["first"] <= i < b["first"] + b["count"])
        kind, lane = dtype_of(MEMORY), int(block["lane"] + i - block["first"])
        own = np.ascontiguousarray(memory[:, block["memory"] :][:, : kind.itemsize]).view(kind)[:, 0]
        return {name: own[name][:, :, lane] for name in ("K", "gain")}


def _set_tie_rod(corner: MacPhersonCorner, length: float) -> MacPhersonCorner:
    """Return the corner with another length of the tie rod [m].

    Knuckle and strut rotate about the line from the strut's top J to the lower ball joint D until the outer tie-rod joint K has that
    distance from the inner one Q. The arm does not move, and the length of the strut does not change. The result is a regular design
    position.
    """
    b = corner.D - corner.J
    axis = Hinge(corner.J, b / np.linalg.norm(b))
    turn = turn_to_distance(axis, corner.K, corner.Q, length)
    if turn is None:
        raise ConfigError(corner.file, corner.key, length, "a tie-rod length for which the loop of the steering arm closes")
    R = rotation(axis.axis, turn)

    def turned(point: Vector) -> Vector:
        return np.asarray(corner.J + R @ (point - corner.J))

    def turned_body(body: RigidBody) -> RigidBody:
        return RigidBody(body.name, body.mass, turned(body.p_BoBcm), R @ body.I_BBcm @ R.T)

    moved = {name: turned_body(corner.bodies[name]) for name in ("strut", "knuckle", "wheel")}
    return replace(
        corner,
        V=turned(corner.V),
        K=turned(corner.K),
        S=turned(corner.S),
        B=turned(corner.B),
        W=turned(corner.W),
        axle=R @ corner.axle,
        turned=R @ corner.turned,
        bodies={**corner.bodies, **moved},
    )


CORNER = MacPhersonCorner
