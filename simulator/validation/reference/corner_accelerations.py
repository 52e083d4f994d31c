"""Accelerations of the bodies and joints of a corner, from the results of the suspension kernels, in the order of model files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.validation.reference.model_corners import JOINTS
from vehicles.mechanism_parameters import MechanismParameters
from vehicles.suspension.block_memory import memory_of_corner
from vehicles.suspension.composite_inertia import Workspace
from vehicles.suspension.default_kind import kind_module
from vehicles.suspension.hinge import rotation
from vehicles.suspension.macpherson import kinematics as macpherson
from vehicles.suspension.macpherson.corner import MacPhersonCorner
from vehicles.suspension.semi_trailing_arm import kinematics as semi_trailing_arm
from vehicles.suspension.semi_trailing_arm.corner import SemiTrailingArmCorner

LOWER_ARM, UPRIGHT, CARRIER, TIEROD, SHOCK_LOWER, SHOCK_UPPER, UPPER_ARM = range(len(kind_module("kinematics").BODIES))
"""Indices of the bodies of a double wishbone."""


class CornerAccelerations(NamedTuple):
    """Accelerations of a corner: of the wheel about its axle, angular (n, 3) and of the centers of mass (n, 3) of its bodies, and of its
    joint coordinates."""

    wheel_acc: float
    alpha: Array
    acc: Array
    qdd: Array


class BodyMotions(ABC):
    """Corner i of a mechanism in a workspace. `side` is the sign of the Jounce theta relative to that of the files."""

    side: float

    def __init__(self, mechanism: MechanismParameters, space: Workspace, i: int) -> None:
        self.mechanism, self.space, self.i = mechanism, space, i
        self.corner: Any = mechanism.designs[i]
        self.side = self._side()

    @abstractmethod
    def _side(self) -> float: ...

    @abstractmethod
    def _memory(self) -> tuple[Any, int]:
        """Return rows of `vehicles.suspension.corner_bodies.motion_of`, and the column of this corner."""

    @abstractmethod
    def accelerations(self, couple: float, wheel_rate: float) -> CornerAccelerations:
        """Return the accelerations for a couple [N m] on the wheel about its axle. The wheel turns at `wheel_rate` relative to the
        carrier."""

    @property
    def theta(self) -> tuple[float, float, float]:
        """Coordinate theta with its first and second derivative."""
        s = self.space
        return tuple(float(part[self.i]) for part in (s.state[0]["theta"], s.state[0]["theta_dot"], s.out[0]["theta_ddot"]))  # type: ignore[return-value]

    def relative(self, name: str) -> Array:
        """Return a row of the motion of all bodies (n, 3); accelerations include the part of theta_ddot."""
        o, lane = self._memory()
        share = {"alpha_rel": "w", "a_rel": "u"}
        rest = self.theta[2] * o[share[name]][:, :, lane] if name in share else 0.0
        return np.asarray(o[name][:, :, lane] + rest)

    def absolute(self) -> tuple[Array, Array]:
        """Return the angular accelerations and the accelerations of the centers of mass (n, 3) of all bodies, in chassis axes."""
        w_B, out = self.space.state[0]["w_WB_B"], self.space.out[0]
        alpha_B, c, v = out["alpha_WB_B"], self.relative("c"), self.relative("v_rel")
        alpha = alpha_B + np.cross(w_B, self.relative("w_rel")) + self.relative("alpha_rel")
        return alpha, out["a_WB_B"] + np.cross(alpha_B, c) + np.cross(w_B, np.cross(w_B, c) + 2.0 * v) + self.relative("a_rel")

    def on_carrier(self, body: int, r: Array) -> Array:
        """Return the acceleration of a point at r from the center of mass of a body."""
        alpha, acc = self.absolute()
        w = self.space.state[0]["w_WB_B"] + self.relative("w_rel")[body]
        return np.asarray(acc[body] + np.cross(alpha[body], r) + np.cross(w, np.cross(w, r)))

    def wheel(self, body: int, couple: float, wheel_rate: float) -> tuple[float, Array]:
        """Return the acceleration of the wheel about its axle, and its angular acceleration (3,); `body` carries the wheel."""
        alpha, axle = self.absolute()[0][body], self.space.kinematics[0]["axle"][:, self.i]
        wheel_acc = couple / self.mechanism.corners[0]["spin_inertia"][self.i] - float(axle @ alpha)
        w = self.space.state[0]["w_WB_B"] + self.relative("w_rel")[body]
        return wheel_acc, alpha + wheel_acc * axle + wheel_rate * np.cross(w, axle)


class DoubleWishboneMotions(BodyMotions):
    """Double wishbone with the bodies lca, upright, knuckle, tierod, wheel, shock halves and uca."""

    def _side(self) -> float:
        self.upper_side = np.sign(self.mechanism.own[0]["e_U"][:, self.i] @ self.corner.upper_arm_axis)
        return float(kind_module("mechanism").jounce_sign(self.corner))

    def _memory(self) -> tuple[Any, int]:
        return self.space.blocks.scratch[0], self.i

    def accelerations(self, couple: float, wheel_rate: float) -> CornerAccelerations:
        k, c = self.space.blocks.scratch[0], self.relative("c")
        alpha, acc = self.absolute()
        bodies = self.corner.bodies

        def on_carrier(point: Array) -> Array:
            r = k["D"][:, self.i] + self._carrier_turn() @ (point - self.corner.D) - c[CARRIER]
            return self.on_carrier(CARRIER, r)

        wheel_acc, wheel_alpha = self.wheel(CARRIER, couple, wheel_rate)
        order = (LOWER_ARM, UPRIGHT, CARRIER, TIEROD, None, SHOCK_LOWER, SHOCK_UPPER, UPPER_ARM)
        accs = [acc[b] if b is not None else on_carrier(bodies["wheel"].p_BoBcm) for b in order]
        accs[2] = on_carrier(bodies["knuckle"].p_BoBcm)
        alphas = np.array([alpha[b] if b is not None else wheel_alpha for b in order])
        return CornerAccelerations(wheel_acc, alphas, np.array(accs), self._joints(wheel_acc))

    def _carrier_turn(self) -> Array:
        """Return the rotation (3, 3) of the carrier from its design position."""
        k, corner, i = self.space.blocks.scratch[0], self.corner, self.i
        n0 = (corner.F - corner.D) / np.linalg.norm(corner.F - corner.D)
        arm = corner.K - corner.D
        arm0 = (arm - n0 * (arm @ n0)) / np.linalg.norm(arm - n0 * (arm @ n0))
        n, arm = k["kingpin"][:, i], k["arm"][:, i]
        return np.asarray(np.column_stack([arm, np.cross(n, arm), n]) @ np.column_stack([arm0, np.cross(n0, arm0), n0]).T)

    def _joints(self, wheel_acc: float) -> Array:
        """Return the second derivatives of the eleven joint coordinates, in the order of JOINTS (a universal joint has two)."""
        k, corner, i = self.space.blocks.scratch[0], self.corner, self.i
        theta, rate, accel = self.theta
        w_rel, alpha_rel = self.relative("w_rel"), self.relative("alpha_rel")
        lower_turn = rotation(self.mechanism.own[0]["e_L"][:, i], theta)
        kingpin = k["kingpin"][:, i]

        def universal(parent: int, child: int, first: Array, second: Array) -> tuple[float, float]:
            w, alpha = w_rel[child] - w_rel[parent], alpha_rel[child] - alpha_rel[parent]
            rates = w @ first, w @ second
            alpha = alpha - rates[0] * np.cross(w_rel[parent], first) - rates[1] * np.cross(w_rel[child], second)
            return float(alpha @ first), float(alpha @ second)

        upright = universal(LOWER_ARM, UPRIGHT, lower_turn @ corner.upright_axes[0], k["upright_axis"][:, i])
        tierod = universal(CARRIER, TIEROD, self._carrier_turn() @ corner.tierod_axes[0], k["tierod_axis"][:, i])
        shock = universal(LOWER_ARM, SHOCK_LOWER, lower_turn @ corner.shock_axes[0], k["shock_axis"][:, i])
        joints = {
            "lca": (self.side * accel,),
            "upright": upright,
            "knuckle": (float((alpha_rel[CARRIER] - alpha_rel[UPRIGHT]) @ kingpin),),
            "tierod": tierod,
            "wheel": (wheel_acc,),
            "shock_lower": shock,
            "shock_upper": (self.space.kinematics[0]["shock_length_1"][i] * accel + k["shock_length_2"][i] * rate * rate,),
            "uca": (self.upper_side * (k["phi_1"][i] * accel + k["phi_2"][i] * rate * rate),),
        }
        return np.concatenate([joints[name] for name in JOINTS])


class MacPhersonMotions(BodyMotions):
    """MacPherson strut with the bodies lca, strut, knuckle and wheel, and the coordinates lca, strut (three rates in its axes), knuckle
    and wheel."""

    carrier = macpherson.CARRIER

    def _side(self) -> float:
        return float(np.sign(self.corner.hinge.axis @ self.corner.arm_axis))

    def _memory(self) -> tuple[Any, int]:
        return memory_of_corner(self.space.blocks, macpherson.MEMORY, self.i)

    def accelerations(self, couple: float, wheel_rate: float) -> CornerAccelerations:
        alpha, acc = self.absolute()
        carrier, c = self.carrier, self.relative("c")
        R, W = self.turn(), self.space.kinematics[0]["W"][:, self.i]
        knuckle = W + R @ (self.corner.bodies["knuckle"].p_BoBcm - self.corner.W) - c[carrier]
        wheel_acc, wheel_alpha = self.wheel(carrier, couple, wheel_rate)
        alphas = [alpha[macpherson.LOWER_ARM], alpha[macpherson.STRUT], alpha[carrier], wheel_alpha]
        accs = [
            acc[macpherson.LOWER_ARM],
            acc[macpherson.STRUT],
            self.on_carrier(carrier, knuckle),
            self.on_carrier(carrier, W - c[carrier]),
        ]
        strut = R.T @ self.relative("alpha_rel")[carrier]
        qdd = np.concatenate([[self.side * self.theta[2]], strut, [self._slide()], [wheel_acc]])
        return CornerAccelerations(wheel_acc, np.array(alphas), np.array(accs), qdd)

    def turn(self) -> Array:
        """Return the rotation (3, 3) of the knuckle from its design position."""
        o, lane = self._memory()
        return np.column_stack([o[name][:, lane] for name in ("x", "y", "z")])

    def _slide(self) -> float:
        """Return the extension acceleration of the strut: that of the ball joint on the arm relative to the rod, along the rod."""
        o, lane = self._memory()
        rod = self.turn() @ (self.corner.V - self.corner.J) / np.linalg.norm(self.corner.V - self.corner.J)
        w, alpha = self.relative("w_rel")[macpherson.CARRIER], self.relative("alpha_rel")[macpherson.CARRIER]
        foot, radius, across = self.corner.hinge.point(self.corner.D)
        theta, rate, accel = self.theta
        turned, moved = np.cos(theta) * radius + np.sin(theta) * across, np.cos(theta) * across - np.sin(theta) * radius
        rho, v, a = foot + turned - self.corner.J, rate * moved, accel * moved - rate * rate * turned
        assert np.allclose(foot + turned, o["D"][:, lane], rtol=0.0, atol=1e-9)
        slide = float((v - np.cross(w, rho)) @ rod)
        relative = a - np.cross(alpha, rho) - np.cross(w, np.cross(w, rho)) - 2.0 * slide * np.cross(w, rod)
        return float(relative @ rod)


class SemiTrailingArmMotions(BodyMotions):
    """Semi-trailing arm with the bodies and coordinates arm and wheel."""

    carrier = 0

    def _side(self) -> float:
        return 1.0

    def _memory(self) -> tuple[Any, int]:
        return memory_of_corner(self.space.blocks, semi_trailing_arm.MEMORY, self.i)

    def accelerations(self, couple: float, wheel_rate: float) -> CornerAccelerations:
        R, W, c = self.turn(), self.space.kinematics[0]["W"][:, self.i], self.relative("c")[0]
        arm = W + R @ (self.corner.bodies["knuckle"].p_BoBcm - self.corner.W) - c
        wheel_acc, wheel_alpha = self.wheel(0, couple, wheel_rate)
        alphas = np.array([self.absolute()[0][0], wheel_alpha])
        accs = np.array([self.on_carrier(0, arm), self.on_carrier(0, W - c)])
        return CornerAccelerations(wheel_acc, alphas, accs, np.array([self.side * self.theta[2], wheel_acc]))

    def turn(self) -> Array:
        """Return the rotation (3, 3) of the arm from its design position."""
        return rotation(self.corner.e, self.theta[0])


MOTIONS: dict[str, type[BodyMotions]] = {
    MacPhersonCorner.kind: MacPhersonMotions,
    SemiTrailingArmCorner.kind: SemiTrailingArmMotions,
    kind_module("corner").CORNER.kind: DoubleWishboneMotions,
}


def motions_of(mechanism: MechanismParameters, space: Workspace, i: int) -> BodyMotions:
    """Return the motions of corner i. Raises ConfigError: state files do not support its kind."""
    corner = mechanism.designs[i]
    if corner.kind not in MOTIONS:
        raise ConfigError(corner.file, corner.key, corner.kind, "one of " + ", ".join(MOTIONS))
    return MOTIONS[corner.kind](mechanism, space, i)
