"""Motion of the bodies of a mechanism from its joint coordinates, for all formulations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Vector
from vehicles.multibody.tree.articulated_body import accelerate_nodes
from vehicles.multibody.tree.forces import spring_energy
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import energy, move, set_velocities


@dataclass(frozen=True)
class BodyMotion:
    """Motion of all bodies, in the order of the mechanism, in world axes.

    p_WB (n, 3), R_WB (n, 3, 3) : frame origin [m] and attitude
    w_WB (n, 3), v_WB (n, 3) : angular velocity [rad/s] and velocity of the frame origin [m/s]
    alpha_WB (n, 3), a_WB (n, 3) : their time derivatives [rad/s2, m/s2]
    a_WBcm (n, 3) : acceleration of the center of mass [m/s2]
    """

    p_WB: Vector
    R_WB: Vector
    w_WB: Vector
    v_WB: Vector
    alpha_WB: Vector
    a_WB: Vector
    a_WBcm: Vector


def body_motion(system: System, q: Vector, v: Vector, accel: Vector) -> BodyMotion:
    """Return the motion of the bodies at the coordinates q (n_q,), v (n_v,) and accelerations (n_v,); overwrites the records of the system."""
    tree = system.parts.tree
    move(tree, q)
    set_velocities(tree, v)
    accelerate_nodes(tree, accel)
    bodies = system.mechanism.bodies
    nodes = [system.node[body.name] for body in bodies]
    R_MB = np.array([system.X_MB[body.name][0] for body in bodies])
    p_MB = np.array([system.X_MB[body.name][1] for body in bodies])
    com = np.array([body.p_BoBcm for body in bodies])
    m = tree.motion[nodes]
    R_WM, w, alpha = m["R"], m["V"][:, :3], m["alpha"][:, :3]
    r = np.einsum("nij,nj->ni", R_WM, p_MB)
    R_WB = R_WM @ R_MB
    c = np.einsum("nij,nj->ni", R_WB, com)
    a = m["alpha"][:, 3:] + _carried(w, alpha, r)
    return BodyMotion(m["p"] + r, R_WB, w, m["V"][:, 3:] + np.cross(w, r), alpha, a, a + _carried(w, alpha, c))


def _carried(w: Vector, alpha: Vector, r: Vector) -> Vector:
    """Return the acceleration of body-fixed points at r relative to the body origin."""
    return np.cross(alpha, r) + np.cross(w, np.cross(w, r))


def mechanical_energy(system: System, q: Vector, v: Vector) -> tuple[float, float]:
    """Return (kinetic, potential) energy [J]; the potential of gravity is zero at the world origin, of springs at their free length."""
    parts = system.parts
    move(parts.tree, q)
    set_velocities(parts.tree, v)
    kinetic, potential = energy(parts.tree, parts.gravity)
    return kinetic, potential + spring_energy(parts.forces, parts.tree, q)
