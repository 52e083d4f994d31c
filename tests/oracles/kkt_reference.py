"""Accelerations of a four-corner vehicle from first principles, as a reference for the tests. Shares nothing with the vehicle code.

Every body has six accelerations of its own; every joint and loop is a set of equations between them with a Lagrange multiplier each:

    [ M  J^T ] [    a    ]   [ f ]      M, f      inertia; applied forces less the gyroscopic couple
    [ J   0  ] [ -lambda ] = [ g ]      J a = g   joints and loops, differentiated twice

It takes any model with the topology of ``hmmwv_model.yaml`` and a state with the keys of ``INPUTS`` (quarter vehicle:
``QUARTER_INPUTS``), and answers under the names used in the ``.npz`` files. Signs are theirs too: theta turns right-handed about the
lower arm's axis on both sides.
Frames and units are those of ``mechanism.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simulator.base.arrays import Array
from tests.oracles.mechanism import Joint, Mechanism, Motion, State, body_velocities, joint_rates, loop_points, motion, skew

INPUTS = (
    "chassis_quat_wxyz",
    "chassis_pos",
    "chassis_omega_world",
    "chassis_vel_world",
    "theta",
    "theta_dot",
    "wheel_angle",
    "wheel_rate",
    "wheel_wrench_world",
    "tierod_inner_offset",
    "tierod_inner_vel",
    "tierod_inner_acc",
)
QUARTER_INPUTS = ("corner", "theta", "theta_dot", "wheel_angle", "wheel_rate", "wheel_wrench_world")


# -------------------------------------------------------------------------------------------------------------------- dynamics


def applied_forces(mech: Mechanism, now: Motion, wrench: Array) -> tuple[Array, Array]:
    """Couples about the centers of mass and forces on all bodies (bodies, 3): gravity, springs, dampers, wheel wrenches (wheels, 6)."""
    couple, force = np.zeros_like(now.com), mech.mass[:, None] * mech.gravity

    def push(body: int, y: Array, f: Array) -> None:
        force[body] += f
        couple[body] += np.cross(y - now.com[body], f)

    for s in mech.springs:
        ya, yb = now.pose.r[s.a] + now.pose.R[s.a] @ s.point_a, now.pose.r[s.b] + now.pose.R[s.b] @ s.point_b
        length = float(np.linalg.norm(ya - yb))
        f = s.rate * (s.free_length - length) * (ya - yb) / length
        push(s.a, ya, f)
        push(s.b, yb, -f)
    for joint, c in mech.dampers:
        f = -c * now.qd[joint.first] * now.pose.axis[joint.first]
        push(joint.child, now.pose.origin[joint.first], f)
        push(joint.parent, now.pose.origin[joint.first], -f)
    for (body, center), w in zip(mech.wheels, wrench, strict=True):
        push(body, now.pose.r[body] + now.pose.R[body] @ center, w[:3])
        couple[body] += w[3:]
    return couple, force


def complement(axes: Array) -> Array:
    """Orthonormal rows that span what the given rows do not."""
    return np.linalg.svd(axes)[2][len(axes) :]


class Rows:
    """Collects J a = g, where a stacks angular acceleration and acceleration of the center of mass of every body."""

    def __init__(self, now: Motion) -> None:
        self.now = now
        self.J: list[Array] = []
        self.g: list[Array] = []

    def turn(self, child: int, parent: int, along: Array, bias: Array) -> None:
        """along . (alpha_child - alpha_parent) = along . bias"""
        J = np.zeros((len(along), 6 * len(self.now.com)))
        J[:, 6 * child : 6 * child + 3] = along
        J[:, 6 * parent : 6 * parent + 3] = -along
        self.J.append(J)
        self.g.append(along @ bias)

    def meet(self, a: int, b: int, y: Array, along: Array, bias: Array) -> None:
        """along . (acceleration of a's material point at y - that of b's) = along . bias"""
        J, centripetal = np.zeros((len(along), 6 * len(self.now.com))), np.zeros(3)
        for body, sign in ((a, 1.0), (b, -1.0)):
            arm, w = y - self.now.com[body], self.now.omega[body]
            J[:, 6 * body : 6 * body + 3] = -sign * along @ skew(arm)
            J[:, 6 * body + 3 : 6 * body + 6] = sign * along
            centripetal += sign * np.cross(w, np.cross(w, arm))
        self.J.append(J)
        self.g.append(along @ (bias - centripetal))


def turning_axes(mech: Mechanism, now: Motion, joint: Joint) -> tuple[Array, Array]:
    """Axes (n, 3) of a joint's rotations and the part of alpha_child - alpha_parent that comes from the axes being carried along."""
    omega, bias, axes = now.omega[joint.parent].copy(), np.zeros(3), []
    for k in range(joint.first, joint.first + len(joint.axes)):
        if not mech.sliding[k]:
            e = now.pose.axis[k]
            bias += np.cross(omega, e) * now.qd[k]
            omega += e * now.qd[k]
            axes.append(e)
    return np.array(axes).reshape(-1, 3), bias


def constraints(mech: Mechanism, now: Motion, fixed_chassis: bool) -> tuple[Array, Array]:
    """J and g of all joints, then loops, then (quarter vehicle) the chassis held fast."""
    rows = Rows(now)
    for joint in mech.joints.values():
        axes, bias = turning_axes(mech, now, joint)
        rows.turn(joint.child, joint.parent, complement(axes) if len(axes) else np.eye(3), bias)
        k = joint.first
        y, e = now.pose.origin[k], now.pose.axis[k]
        if mech.sliding[k]:
            coriolis = 2.0 * np.cross(now.omega[joint.parent], e) * now.qd[k]
            rows.meet(joint.child, joint.parent, y, complement(e[None, :]), coriolis)
        else:
            rows.meet(joint.child, joint.parent, y, np.eye(3), np.zeros(3))
    for loop in mech.loops:
        y, _ = loop_points(now.pose, now.steering[0], loop)
        bias = np.zeros(3)
        if loop.steered is not None:
            R = now.pose.R[loop.a]
            bias = -2.0 * np.cross(now.omega[loop.a], R @ now.steering[1, loop.steered]) - R @ now.steering[2, loop.steered]
        rows.meet(loop.a, loop.b, y, np.eye(3), bias)
    J, g = np.vstack(rows.J), np.concatenate(rows.g)
    if fixed_chassis:
        hold = np.zeros((6, J.shape[1]))
        hold[:, :6] = np.eye(6)
        J, g = np.vstack([J, hold]), np.concatenate([g, np.zeros(6)])
    return J, g


def mass_matrix(mech: Mechanism, now: Motion) -> Array:
    """Block-diagonal inertia for (angular velocity, velocity of the center of mass) of every body."""
    M = np.zeros((6 * len(mech.mass), 6 * len(mech.mass)))
    for b, m in enumerate(mech.mass):
        M[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = now.inertia[b]
        M[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] = m * np.eye(3)
    return M


def solve_symmetric(K: Array, rhs: Array) -> Array:
    """K x = rhs with K brought to entries near one first, then refined with residuals in extended precision."""
    d = np.ones(len(rhs))
    for _ in range(6):
        d /= np.sqrt(np.abs(K * np.outer(d, d)).max(axis=1))
    scaled, target = K * np.outer(d, d), (rhs * d).astype(np.longdouble)
    exact = scaled.astype(np.longdouble)
    x = np.zeros(len(rhs), np.longdouble)
    for _ in range(3):
        x += np.linalg.solve(scaled, (target - exact @ x).astype(float))
    return np.asarray(x, float) * d


def inertial_forces(mech: Mechanism, now: Motion, wrench: Array) -> Array:
    """f: applied couples less omega x I omega, and applied forces, stacked by bodies."""
    couple, force = applied_forces(mech, now, wrench)
    gyroscopic = np.cross(now.omega, np.einsum("bij,bj->bi", now.inertia, now.omega))
    return np.hstack([couple - gyroscopic, force]).ravel()


def joint_accelerations(mech: Mechanism, now: Motion, alpha: Array, acc: Array) -> Array:
    """Second derivatives of all joint coordinates from those of the bodies."""
    qdd = np.zeros(mech.size)
    for joint in mech.joints.values():
        axes, bias = turning_axes(mech, now, joint)
        k, p, c = joint.first, joint.parent, joint.child
        if mech.sliding[k]:
            y, e = now.pose.origin[k], now.pose.axis[k]
            point_acc = [
                acc[b] + np.cross(alpha[b], y - now.com[b]) + np.cross(now.omega[b], np.cross(now.omega[b], y - now.com[b])) for b in (p, c)
            ]
            qdd[k] = e @ (point_acc[1] - point_acc[0] - 2.0 * np.cross(now.omega[p], e) * now.qd[k])
        else:
            qdd[k : k + len(axes)] = axes @ (alpha[c] - alpha[p] - bias)  # the axes are orthonormal
    return qdd


def solve(mech: Mechanism, now: Motion, wrench: Array, fixed_chassis: bool = False) -> dict[str, Array]:
    """Accelerations of all bodies and joints, and ``loop_force`` (loops, 3): force of each loop on its body a, world axes."""
    J, g = constraints(mech, now, fixed_chassis)
    M, f = mass_matrix(mech, now), inertial_forces(mech, now, wrench)
    x = solve_symmetric(np.block([[M, J.T], [J, np.zeros((len(g), len(g)))]]), np.concatenate([f, g]))
    bodies = x[: len(f)].reshape(-1, 2, 3)
    first_loop = len(f) + len(g) - 3 * len(mech.loops) - (6 if fixed_chassis else 0)
    loop_force = -x[first_loop : first_loop + 3 * len(mech.loops)].reshape(-1, 3)
    alpha, acc = bodies[:, 0], bodies[:, 1]
    return {"alpha": alpha, "acc": acc, "qdd": joint_accelerations(mech, now, alpha, acc), "loop_force": loop_force}


# ----------------------------------------------------------------------------------------------------------- what tests call


def accelerations(model: Mapping[str, Any], state: State) -> dict[str, Array]:
    """Accelerations of a whole vehicle, and its kinematics, under the names of ``full_straight.npz``.

    Additional: ``body_vel_com``, and ``loop_force`` (12, 3), the force of each loop on its body a (chassis or upper arm), world axes.
    """
    mech = Mechanism(model)
    now = motion(mech, state)
    out = solve(mech, now, np.asarray(state["wheel_wrench_world"], float))
    alpha, acc, qdd = out["alpha"], out["acc"], out["qdd"]
    arm, w = -now.com[0], now.omega[0]
    p_WB = np.asarray(state["chassis_pos"], float)
    return {
        "out_chassis_alpha_world": alpha[0],
        "out_chassis_acc_world": acc[0] + np.cross(alpha[0], arm) + np.cross(w, np.cross(w, arm)),
        "out_theta_ddot": qdd[mech.lca],
        "out_wheel_acc": qdd[mech.spin],
        "out_qdd_all": qdd,
        "body_alpha": alpha,
        "body_acc_com": acc,
        "loop_force": out["loop_force"],
        "q_all": now.q,
        "qd_all": now.qd,
        "body_R": now.pose.R,
        "body_r": now.pose.r + p_WB,
        "body_com": now.com + p_WB,
        "body_omega": now.omega,
        "body_vel_com": now.velocity,
        "reduced_mass_matrix": reduced_mass_matrix(mech, now),
    }


def quarter_accelerations(model: Mapping[str, Any], state: State) -> dict[str, Array]:
    """Accelerations of one corner on a fixed level chassis at the origin, under the names of ``quarter.npz``."""
    mech = Mechanism(model, (str(state["corner"]),))
    at_rest = {"chassis_quat_wxyz": (1.0, 0.0, 0.0, 0.0), "chassis_omega_world": np.zeros(3), "chassis_vel_world": np.zeros(3)}
    now = motion(mech, {**{key: state[key] for key in QUARTER_INPUTS}, **at_rest})
    out = solve(mech, now, np.atleast_2d(np.asarray(state["wheel_wrench_world"], float)), fixed_chassis=True)
    return {
        "out_theta_ddot": out["qdd"][mech.lca[0]],
        "out_wheel_acc": out["qdd"][mech.spin[0]],
        "out_qdd_corner": out["qdd"],
        "body_alpha": out["alpha"][1:],
        "body_acc_com": out["acc"][1:],
        "q_corner": now.q,
        "qd_corner": now.qd,
        "body_R": now.pose.R[1:],
        "body_r": now.pose.r[1:],
        "body_omega": now.omega[1:],
        "reduced_mass_2x2": reduced_mass_matrix(mech, now)[6:, 6:],
    }


def admissible_velocities(mech: Mechanism, now: Motion) -> Array:
    """(6 bodies, 6 + 2 corners): velocities of all bodies that joints and loops allow, one column per unit of
    (chassis angular velocity, velocity of B, theta_dot, wheel_rate), inner ends of the tie rods held in the chassis.
    """
    n, held = len(mech.corners), np.array([now.steering[0], np.zeros((2, 3)), np.zeros((2, 3))])
    columns = []
    for unit in np.eye(6 + 2 * n):
        qd = joint_rates(mech, now.pose, unit[6 : 6 + n], unit[6 + n :], held)
        columns.append(np.hstack(body_velocities(mech, now.pose, now.com, unit[:6].reshape(2, 3), qd)).ravel())
    return np.array(columns).T


def reduced_mass_matrix(mech: Mechanism, now: Motion) -> Array:
    """H of the kinetic energy x^T H x / 2 in the speeds of ``admissible_velocities``."""
    V = admissible_velocities(mech, now)
    return V.T @ mass_matrix(mech, now) @ V


def balances(model: Mapping[str, Any], state: State) -> dict[str, Any]:
    """Energies [J] and momenta of a whole vehicle, world axes.

    ``kinetic_energy``, ``potential_energy`` (gravity from the world's origin, and springs), ``momentum``,
    ``ang_momentum_world_origin``, and ``damper_power`` (what the dampers take, >= 0).
    """
    mech = Mechanism(model)
    now = motion(mech, state)
    com = now.com + np.asarray(state["chassis_pos"], float)
    linear = mech.mass[:, None] * now.velocity
    spin = np.einsum("bij,bj->bi", now.inertia, now.omega)
    strain = 0.0
    for s in mech.springs:
        ya, yb = now.pose.r[s.a] + now.pose.R[s.a] @ s.point_a, now.pose.r[s.b] + now.pose.R[s.b] @ s.point_b
        strain += 0.5 * s.rate * (s.free_length - float(np.linalg.norm(ya - yb))) ** 2
    return {
        "kinetic_energy": float(0.5 * (now.velocity * linear).sum() + 0.5 * (now.omega * spin).sum()),
        "potential_energy": strain - float((mech.mass[:, None] * com @ mech.gravity).sum()),
        "momentum": linear.sum(axis=0),
        "ang_momentum_world_origin": (np.cross(com, linear) + spin).sum(axis=0),
        "damper_power": sum(c * now.qd[joint.first] ** 2 for joint, c in mech.dampers),
    }


def state_at(states: Mapping[str, Any], n: int) -> dict[str, Any]:
    """Inputs of record n of an opened ``.npz`` file, and nothing else."""
    keys = QUARTER_INPUTS if "corner" in states else INPUTS
    return {key: states[key][n] for key in keys if key in states}


def error(value: ArrayLike, reference: ArrayLike) -> float:
    """max |x - ref| / max(1, |ref|)"""
    x, ref = np.asarray(value, float), np.asarray(reference, float)
    return float((np.abs(x - ref) / np.maximum(1.0, np.abs(ref))).max())
