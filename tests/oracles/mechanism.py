"""Mechanism of a four-corner vehicle for the tests' reference: loops closed by Newton's method, poses and velocities.

A model is a mapping in the format of ``hmmwv_model.yaml``. Its points are chassis coordinates at the design position, where all bodies
have the pose (R, r) = (1, 0); a point p of body b is at r_b + R_b p. Positions are taken from the chassis reference point B, in world
axes, so that no digits are lost far from the world's origin. SI units, radians.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simulator.base.arrays import Array

State = Mapping[str, Any]

CORNERS = ("FL", "FR", "RL", "RR")

STEP_THETA = 0.05
"""rad. Longest step of the lower arms on the way from the design position. Larger: Newton may change to another assembly of the loops."""
STEP_OFFSET = 0.01
"""m. The same for the inner ends of the tie rods."""


# ---------------------------------------------------------------------------------------------------------------------- model


@dataclass(frozen=True)
class Joint:
    """Connection of a body to its parent; ``first`` is the index of its first coordinate."""

    kind: str
    parent: int
    child: int
    point: Array
    axes: Array
    first: int


@dataclass(frozen=True)
class Loop:
    """Two material points that coincide; ``steered`` is the row of tierod_inner_* that moves the point on body a, or None."""

    a: int
    b: int
    point: Array
    steered: int | None


@dataclass(frozen=True)
class Spring:
    a: int
    point_a: Array
    b: int
    point_b: Array
    rate: float
    free_length: float


class Mechanism:
    """A model mapping as arrays; ``corners`` names those that are built (the others and their bodies are left out)."""

    def __init__(self, model: Mapping[str, Any], corners: tuple[str, ...] = CORNERS) -> None:
        def built(name: str) -> bool:
            return name == "chassis" or name.split("_", maxsplit=1)[0] in corners

        bodies = [b for b in model["bodies"] if built(b["name"])]
        self.corners = corners
        self.names = [b["name"] for b in bodies]
        self.mass = np.array([b["mass"] for b in bodies], float)
        self.com = np.array([b["com"] for b in bodies], float)
        self.inertia = np.array([b["I"] for b in bodies], float)
        self.gravity = np.array(model["gravity"], float)
        index = {name: i for i, name in enumerate(self.names)}

        self.joints: dict[str, Joint] = {}
        self.coordinate_names: list[str] = []
        for j in (j for j in model["joints"] if built(j["name"])):
            axes, first = np.array(j["axes"], float), len(self.coordinate_names)
            self.joints[j["name"]] = Joint(j["type"], index[j["parent"]], index[j["child"]], np.array(j["point"], float), axes, first)
            self.coordinate_names += [j["name"]] if len(axes) == 1 else [f"{j['name']}_{n + 1}" for n in range(len(axes))]
        self.size = len(self.coordinate_names)
        self.sliding = np.zeros(self.size, bool)
        self.moves = np.zeros((self.size, len(bodies)), bool)  # does coordinate k move body b?
        for joint in self.joints.values():
            own = slice(joint.first, joint.first + len(joint.axes))
            self.sliding[own] = joint.kind == "prismatic"
            self.moves[:, joint.child] = self.moves[:, joint.parent]
            self.moves[own, joint.child] = True

        steered = {"FL_L": 0, "FR_L": 1}
        self.loop_names = [c["name"] for c in model["loops"] if built(c["name"])]
        self.loops = [
            Loop(index[c["body_a"]], index[c["body_b"]], np.array(c["point"], float), steered.get(c["name"]))
            for c in model["loops"]
            if built(c["name"])
        ]
        self.springs = [
            Spring(
                index[s["body_a"]],
                np.array(s["point_a"], float),
                index[s["body_b"]],
                np.array(s["point_b"], float),
                s["k"],
                s["free_length"],
            )
            for s in model["springs"]
            if built(s["name"])
        ]
        self.dampers = [(self.joints[d["joint"]], float(d["c"])) for d in model["dampers"] if built(d["name"])]
        centers = {c["name"]: np.array(c["wheel_centre"], float) for c in model["corners"]}
        self.wheels = [(index[f"{c}_wheel"], centers[c]) for c in corners]
        self.lca = np.array([self.joints[f"{c}_lca"].first for c in corners])
        self.spin = np.array([self.joints[f"{c}_wheel"].first for c in corners])
        self.dependent = np.setdiff1d(np.arange(self.size), np.concatenate([self.lca, self.spin]))


# ----------------------------------------------------------------------------------------------------------------- kinematics


@dataclass(frozen=True)
class Pose:
    """Attitude R and r of every body (positions from B), and axis and origin of every joint coordinate, all in one set of axes."""

    R: Array  # (bodies, 3, 3)
    r: Array  # (bodies, 3)
    axis: Array  # (coordinates, 3)
    origin: Array  # (coordinates, 3)


@dataclass(frozen=True)
class Motion:
    """Where every body is and how it moves, in world axes; positions are from B, velocities those in the world."""

    pose: Pose
    com: Array  # (bodies, 3)
    omega: Array  # (bodies, 3)
    velocity: Array  # (bodies, 3), of the centers of mass
    inertia: Array  # (bodies, 3, 3), about the centers of mass
    q: Array
    qd: Array
    steering: Array  # (3, 2, 3): offset of the tie rods' inner ends in chassis axes, its rate and its acceleration

    def point_velocity(self, body: int, y: Array) -> Array:
        """Velocity of the material point of the body that is now at y."""
        return self.velocity[body] + np.cross(self.omega[body], y - self.com[body])


def skew(v: ArrayLike) -> Array:
    x, y, z = np.asarray(v, float)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rotation(axis: Array, angle: float) -> Array:
    """Right-handed rotation about a unit axis (Rodrigues)."""
    K = skew(axis)
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K)


def attitude(quat_wxyz: ArrayLike) -> Array:
    """R_WB of a unit quaternion (w, x, y, z)."""
    q = np.asarray(quat_wxyz, float)
    w, u = q[0], q[1:]
    return (w * w - u @ u) * np.eye(3) + 2.0 * np.outer(u, u) + 2.0 * w * skew(u)


def place(mech: Mechanism, q: Array, R_WB: Array) -> Pose:
    """Poses of the tree for joint coordinates q, loops not looked at."""
    R, r = np.tile(R_WB, (len(mech.names), 1, 1)), np.zeros((len(mech.names), 3))
    axis, origin = np.zeros((mech.size, 3)), np.zeros((mech.size, 3))
    for joint in mech.joints.values():
        Rp, rp = R[joint.parent], r[joint.parent]
        here = rp + Rp @ joint.point
        Rc, shift = Rp, np.zeros(3)
        for k, a in enumerate(joint.axes, joint.first):
            axis[k], origin[k] = Rc @ a, here
            if mech.sliding[k]:
                shift = axis[k] * q[k]
            else:
                Rc = Rc @ rotation(a, q[k])
        R[joint.child], r[joint.child] = Rc, here + shift - Rc @ joint.point
    return Pose(R, r, axis, origin)


def jacobian(mech: Mechanism, pose: Pose, body: int, y: Array) -> Array:
    """(3, coordinates): velocity relative to the chassis of the material point of a body at y, per joint rate."""
    columns = np.where(mech.sliding[:, None], pose.axis, np.cross(pose.axis, y - pose.origin))
    return (columns * mech.moves[:, body, None]).T


def loop_points(pose: Pose, offset: Array, loop: Loop) -> tuple[Array, Array]:
    """The two points that the loop wants together."""
    p = loop.point if loop.steered is None else loop.point + offset[loop.steered]
    return pose.r[loop.a] + pose.R[loop.a] @ p, pose.r[loop.b] + pose.R[loop.b] @ loop.point


def loop_equations(mech: Mechanism, pose: Pose, offset: Array) -> tuple[Array, Array]:
    """Gaps (3 loops) of all loops and their derivatives (3 loops, coordinates)."""
    gaps, rows = [], []
    for loop in mech.loops:
        ya, yb = loop_points(pose, offset, loop)
        gaps.append(ya - yb)
        rows.append(jacobian(mech, pose, loop.a, ya) - jacobian(mech, pose, loop.b, yb))
    return np.concatenate(gaps), np.vstack(rows)


def close_loops(mech: Mechanism, theta: Array, spin: Array, offset: Array) -> Array:
    """Joint coordinates that close all loops: Newton's method, led from the design position.

    Raises ArithmeticError where the mechanism cannot be assembled.
    """
    steps = max(1, math.ceil(np.abs(theta).max() / STEP_THETA), math.ceil(np.abs(offset).max() / STEP_OFFSET))
    q = np.zeros(mech.size)
    q[mech.spin] = spin
    for n in range(1, steps + 1):
        q[mech.lca] = theta * n / steps
        for _ in range(12):
            gaps, G = loop_equations(mech, place(mech, q, np.eye(3)), offset * n / steps)
            change = np.linalg.solve(G[:, mech.dependent], -gaps)
            q[mech.dependent] += change
            if np.abs(change).max() < 1e-13:
                break
        else:
            raise ArithmeticError(f"the loops do not close at theta = {q[mech.lca]}")
    return q


def joint_rates(mech: Mechanism, pose: Pose, theta_dot: Array, spin_rate: Array, steering: Array) -> Array:
    """All joint rates from the independent ones and the motion of the tie rods' inner ends: the loops' derivative is zero."""
    offset, offset_vel = steering[:2]
    _, G = loop_equations(mech, pose, offset)
    qd = np.zeros(mech.size)
    qd[mech.lca], qd[mech.spin] = theta_dot, spin_rate
    drift = G @ qd
    for n, loop in enumerate(mech.loops):
        if loop.steered is not None:
            drift[3 * n : 3 * n + 3] += pose.R[loop.a] @ offset_vel[loop.steered]
    qd[mech.dependent] = np.linalg.solve(G[:, mech.dependent], -drift)
    return qd


def body_velocities(mech: Mechanism, pose: Pose, com: Array, twist: Array, qd: Array) -> tuple[Array, Array]:
    """Angular velocities and velocities of the centers of mass, from the chassis' (angular velocity, velocity of B) and the joint rates."""
    turning = np.where(mech.sliding, 0.0, qd)[:, None] * pose.axis
    omega = twist[0] + mech.moves.T @ turning
    velocity = twist[1] + np.cross(twist[0], com) + np.array([jacobian(mech, pose, b, com[b]) @ qd for b in range(len(com))])
    return omega, velocity


def motion(mech: Mechanism, state: State) -> Motion:
    """Kinematics of a state: loops closed, velocities consistent. Without tierod_inner_* the tie rods' inner ends stay put."""

    def of(*keys: str) -> list[Array]:
        return [np.atleast_1d(np.asarray(state[key], float)) for key in keys]

    steering = np.array([state.get(f"tierod_inner_{key}", np.zeros((2, 3))) for key in ("offset", "vel", "acc")], float)
    theta, theta_dot, spin, spin_rate = of("theta", "theta_dot", "wheel_angle", "wheel_rate")
    q = close_loops(mech, theta, spin, steering[0])
    pose = place(mech, q, attitude(state["chassis_quat_wxyz"]))
    qd = joint_rates(mech, pose, theta_dot, spin_rate, steering)
    com = pose.r + np.einsum("bij,bj->bi", pose.R, mech.com)
    omega, velocity = body_velocities(mech, pose, com, np.array(of("chassis_omega_world", "chassis_vel_world")), qd)
    inertia = pose.R @ mech.inertia @ pose.R.transpose(0, 2, 1)
    return Motion(pose, com, omega, velocity, inertia, q, qd, steering)
