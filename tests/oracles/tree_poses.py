"""Poses of the bodies of a mechanism from its description, with NumPy only, independent of the multibody solver."""

import numpy as np

from vehicles.multibody.description.mechanism import WORLD


def turn(axis, angle):
    """Rotation matrix about a unit axis (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def quaternion_matrix(q):
    """Rotation matrix of the unit quaternion (w, x, y, z)."""
    w, v = q[0], np.asarray(q[1:])
    K = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return (w * w - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * w * K


def displacement(joint, q):
    """(p_FM, R_FM) of a joint at its coordinates."""
    if joint.kind == "revolute":
        return np.zeros(3), turn(joint.axes[0], q[0])
    if joint.kind == "prismatic":
        return q[0] * joint.axes[0], np.eye(3)
    if joint.kind == "universal":
        return np.zeros(3), turn(joint.axes[0], q[0]) @ turn(joint.axes[1], q[1])
    if joint.kind == "spherical":
        return np.zeros(3), quaternion_matrix(q)
    if joint.kind == "free":
        return np.asarray(q[:3]), quaternion_matrix(q[3:])
    return np.zeros(3), np.eye(3)


def poses(mechanism, positions):
    """(p_WB, R_WB) of every body by name; `positions` are the coordinates of the joints by name."""
    placed = {WORLD: (np.zeros(3), np.eye(3))}
    waiting = list(mechanism.joints)
    while waiting:
        joint = next(joint for joint in waiting if joint.parent in placed)
        waiting.remove(joint)
        p_WP, R_WP = placed[joint.parent]
        p_FM, R_FM = displacement(joint, positions.get(joint.name, ()))
        R_WF = R_WP @ joint.R_PF
        R_WB = R_WF @ R_FM @ joint.R_BM.T
        placed[joint.child] = p_WP + R_WP @ joint.p_PF + R_WF @ p_FM - R_WB @ joint.p_BM, R_WB
    return placed


def loop_gap(mechanism, loop, positions):
    """World vector from the successor's point of a loop to the predecessor's."""
    placed = poses(mechanism, positions)
    (p_1, R_1), (p_2, R_2) = placed[loop.predecessor], placed[loop.successor]
    return p_1 + R_1 @ loop.p_predecessor - p_2 - R_2 @ loop.p_successor


def energy_of(mechanism, q, q1):
    """Kinetic energy and that of gravity, with velocities by differences of the poses; q and q1 hold one coordinate per joint, in order."""
    names = [joint.name for joint in mechanism.joints]

    def placed(t):
        return poses(mechanism, {name: [a + b * t] for name, a, b in zip(names, q, q1, strict=True)})

    h = 1e-5
    before, now, after = placed(-h), placed(0.0), placed(h)
    total = 0.0
    for body in mechanism.bodies:
        center = [p + R @ body.p_BoBcm for p, R in (before[body.name], now[body.name], after[body.name])]
        v = (center[2] - center[0]) / (2 * h)
        spin = (after[body.name][1] - before[body.name][1]) / (2 * h) @ now[body.name][1].T
        w = now[body.name][1].T @ np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        total += 0.5 * body.mass * v @ v + 0.5 * w @ body.I_BBcm @ w - body.mass * mechanism.gravity @ center[1]
    return total
