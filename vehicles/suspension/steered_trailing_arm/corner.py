"""A trailing arm with a kingpin in its design position."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.array_vectors import norm, unit
from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.records import Record, dtype_of
from vehicles.multibody.description.mechanism import Spring
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.blocks import AxleCallbacks, Blocks
from vehicles.suspension.contract import CONTRACT, LAYOUT
from vehicles.suspension.corner_design import CARRIER_NAME, CornerDesign, Places, Reach
from vehicles.suspension.hinge import Hinge, rotation, six_of, turn_to_distance
from vehicles.suspension.steered_trailing_arm.kinematics import ARM, CARRIER, MEMORY, RACK, STEERED_TRAILING_ARMS, place, show, steer
from vehicles.suspension.wheel_carrier import carrier_with_wheel

REACH = Reach(widest=(-0.8, 0.8), closes=None, past_stops=0.05, without_stops=(-0.3, 0.3), short_of_open=0.1)
"""Ranges in rad."""

ARM_RANGE = (-0.4, 0.4)
"""rad. Range of arm angles in the search for the equilibrium."""

MIN_SINE = 0.02
"""Smallest sine of the angle between steering arm and tie rod, seen along the kingpin: at 0 they lie in one plane with it."""


STEERED_TRAILING_ARM_BLOCK = AxleCallbacks(CONTRACT, LAYOUT, STEERED_TRAILING_ARMS, MEMORY, place, show, steer)


@dataclass(frozen=True)
class SteeredTrailingArmCorner(CornerDesign):
    """One side in the design position, in chassis axes and relative to the chassis reference point [m].

    P is a point of the hinge and e its direction, about which jounce is a right-handed rotation; A and T are lower and upper end of the
    kingpin, K and Q outer and inner end of the tie rod, S and U lower and upper end of the spring, B and J those of the shock absorber.
    `bodies` holds arm, knuckle and wheel; the tie rod is massless.
    """

    kind: ClassVar[str] = "steered_trailing_arm"
    block: ClassVar[AxleCallbacks | None] = STEERED_TRAILING_ARM_BLOCK
    mounts: ClassVar[dict[str, str]] = {"trailing_arm": "arm", CARRIER_NAME: "knuckle"}
    P: Vector
    e: Vector
    A: Vector
    T: Vector
    K: Vector
    Q: Vector
    S: Vector
    U: Vector
    B: Vector
    J: Vector
    W: Vector
    axle: Vector
    bodies: dict[str, RigidBody]
    rack: RigidBody | None = None
    file: str = "model"
    key: str = ""
    turned: Vector = field(default_factory=lambda: np.eye(3))

    @property
    def hinge(self) -> Hinge:
        """Hinge of the arm."""
        return Hinge(self.P, self.e)

    @property
    def pin(self) -> Hinge:
        """Kingpin."""
        return Hinge(self.A, unit(self.T - self.A))

    def hinged_point(self, body: str, point: Vector) -> Vector | None:
        return self.hinge.point(point) if body == "trailing_arm" else None

    @property
    def tierod_length(self) -> float:
        return float(norm(self.Q - self.K))

    def with_tie_rod(self, length: float) -> SteeredTrailingArmCorner:
        return _set_tie_rod(self, length)

    def with_rack(self, half: RigidBody) -> SteeredTrailingArmCorner:
        return replace(self, rack=half)

    def kingpin(self, blocks: Blocks, theta: float, i: int) -> tuple[Vector, Vector, Vector] | None:
        c, s = math.cos(theta), math.sin(theta)
        ends = [foot + c * r + s * k for foot, r, k in (self.hinge.point(self.A), self.hinge.point(self.T))]
        return ends[0], ends[1], self._memory_at(blocks, blocks.memory[None], i)["K"][0]

    def write(self, corners: Record, parameters: Record, i: int) -> None:
        c, p, hinge, pin = corners[0], parameters[0], self.hinge, self.pin
        c["spin_inertia"][i], carrier = carrier_with_wheel(self.bodies, self.W, self.axle, self.file, self.key)
        arm, rack = self.bodies["arm"], self.rack
        p["mass"][ARM, i], p["mass"][CARRIER, i] = arm.mass, carrier.mass
        p["e"][:, i], p["P"][:, i], p["n"][:, i] = self.e, self.P, pin.axis
        p["arm_inertia"][:, :, i] = hinge.inertia(arm.I_BBcm)
        for name, point in (("arm_com", arm.p_BoBcm), ("A", self.A), ("top", self.T), ("shock", self.B), ("spring", self.S)):
            p[name][:, :, i] = hinge.point(point)
        p["K"][:, :, i], p["k0"][:, i], p["tierod_length"][i] = pin.point(self.K), self.K - self.A, self.tierod_length
        p["branch"][i] = self._branch()
        p["carrier_com"][:, i], p["carrier_inertia"][:, i] = carrier.p_BoBcm - self.A, six_of(carrier.I_BBcm)
        p["wheel"][:, i], p["axle"][:, i] = self.W - self.A, unit(self.axle)
        p["J"][:, i], p["U"][:, i] = self.J, self.U
        if rack is not None:
            p["mass"][RACK, i], p["rack_com"][:, i], p["rack_inertia"][:, i] = rack.mass, rack.p_BoBcm - self.Q, six_of(rack.I_BBcm)
        c["corner_mass"][i], c["travel"][:, i] = p["mass"][:, i].sum(), ARM_RANGE
        c["design_frame"][:, :, i] = self.turned.T
        c["design_wheel_x"][i], c["design_wheel_z"][i] = self.W[0], self.W[2]

    def _branch(self) -> float:
        """Return the sign of the root of (1) in the design position. Raises ConfigError if that position is a dead point."""
        foot, u, v = self.pin.point(self.K)
        d = foot - self.Q
        along, across = float(d @ u), float(d @ v)
        if abs(across) < MIN_SINE * math.hypot(along, across) or across == 0.0:
            expected = "a tie rod that is not in one plane with the kingpin, since it could not rotate the knuckle"
            raise ConfigError(self.file, f"{self.key}.hardpoints_left.TIEROD_U", self.K.tolist(), expected)
        return -float(np.sign(across))

    def add_to(self, parts: Parts, name: str, chassis: str, inner: str, struts: Record, i: int) -> None:
        arm, knuckle, wheel, s = f"{name}_arm", f"{name}_knuckle", f"{name}_wheel", struts[0]
        for body, ours in ((arm, "arm"), (knuckle, "knuckle"), (wheel, "wheel")):
            parts.add_body(body, self.bodies[ours])
        parts.add_joint("revolute", chassis, arm, self.P, self.e, independent=True)
        parts.add_joint("revolute", arm, knuckle, self.A, self.pin.axis)
        parts.add_joint("revolute", knuckle, wheel, self.W, self.axle, independent=True)
        driven = i < 2 and inner == chassis
        parts.add_loop(f"{name}_L", "distance", (knuckle, inner), self.K, self.Q, length=self.tierod_length, driven=driven)
        rate, free_length, damping = (float(s[row][i]) for row in ("spring_rate", "spring_free_length", "rebound_damping"))
        parts.springs.append(Spring(f"{name}_spring", chassis, self.U, arm, self.S, rate, free_length))
        parts.springs.append(Spring(f"{name}_damper", chassis, self.J, arm, self.B, 0.0, 0.0, damping))

    def reach(self, corners: Record, i: int) -> Reach:
        return REACH

    def gap(self, corners: Record, blocks: Blocks, inputs: Record, i: int) -> float:
        K = self._memory_at(blocks, blocks.memory[None], i)["K"][0]
        return abs(float(norm(K - inputs[0]["Q"][:, i])) - self.tierod_length)

    def turn_of_steering(self, blocks: Blocks, i: int) -> float:
        return float(norm(self._memory_at(blocks, blocks.memory[None], i)["gain"][0]))

    def gaps(self, corners: Record, places: Places, i: int) -> Vector:
        K = self._memory_at(places.blocks, places.memory, i)["K"]
        return np.abs(np.linalg.norm(K - places.inputs["Q"][:, :, i], axis=1) - self.tierod_length)

    def turns_of_steering(self, places: Places, i: int) -> Vector:
        return np.asarray(np.linalg.norm(self._memory_at(places.blocks, places.memory, i)["gain"], axis=1))

    def _memory_at(self, blocks: Blocks, memory: NDArray[np.uint8], i: int) -> dict[str, Vector]:
        """Return the vectors (n, 3) of MEMORY of corner i at the positions with the memory (n, bytes)."""
        block = next(b for b in blocks.others if b["first"] <= i < b["first"] + b["count"])
        kind, lane = dtype_of(MEMORY), int(block["lane"] + i - block["first"])
        own = np.ascontiguousarray(memory[:, block["memory"] :][:, : kind.itemsize]).view(kind)[:, 0]
        return {name: own[name][:, :, lane] for name in ("K", "gain")}


def _set_tie_rod(corner: SteeredTrailingArmCorner, length: float) -> SteeredTrailingArmCorner:
    """Return the corner with another length of the tie rod [m].

    The knuckle rotates about its kingpin, the arm does not move. The result is a regular design position.
    """
    axis = corner.pin
    turn = turn_to_distance(axis, corner.K, corner.Q, length)
    if turn is None:
        raise ConfigError(corner.file, corner.key, length, "a tie-rod length for which the loop of the steering arm closes")
    R = rotation(axis.axis, turn)

    def turned(point: Vector) -> Vector:
        return np.asarray(corner.A + R @ (point - corner.A))

    def turned_body(body: RigidBody) -> RigidBody:
        return RigidBody(body.name, body.mass, turned(body.p_BoBcm), R @ body.I_BBcm @ R.T)

    moved = {name: turned_body(corner.bodies[name]) for name in ("knuckle", "wheel")}
    return replace(
        corner,
        K=turned(corner.K),
        W=turned(corner.W),
        axle=R @ corner.axle,
        turned=R @ corner.turned,
        bodies={**corner.bodies, **moved},
    )


CORNER = SteeredTrailingArmCorner
