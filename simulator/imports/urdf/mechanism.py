"""Content of a mechanism file from a mechanism: everything in world coordinates at zero joint coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.arrays import Matrix, Vector
from vehicles.multibody.description.mechanism import WORLD, Joint, Mechanism


def mechanism_content(mechanism: Mechanism, damping: dict[str, float]) -> dict[str, Any]:
    """Return the content of a mechanism file with the same motion.

    Parameters
    ----------
    damping : viscous damping of joints by name
    """
    poses = _poses(mechanism)
    content: dict[str, Any] = {"name": mechanism.name, "bodies": {}, "joints": {}}
    for body in mechanism.bodies:
        p, R = poses[body.name]
        content["bodies"][body.name] = {"mass": body.mass}
        if body.mass > 0.0:
            content["bodies"][body.name] |= {"com": _plain(p + R @ body.p_BoBcm), "inertia": _plain(R @ body.I_BBcm @ R.T)}
    for joint in mechanism.joints:
        content["joints"][joint.name] = _joint(joint, *_frame(joint, poses))
    for loop in mechanism.loops:
        ends = {
            end: {"body": body, "point": _plain(poses[body][0] + poses[body][1] @ point)}
            for end, body, point in (("predecessor", loop.predecessor, loop.p_predecessor), ("successor", loop.successor, loop.p_successor))
        }
        content.setdefault("loops", {})[loop.name] = {"type": loop.kind, **ends}
    for coupling in mechanism.couplings:
        content.setdefault("couplings", {})[coupling.name] = {"terms": dict(coupling.terms), "offset": coupling.offset}
    if damping:
        content["joint_springs"] = {name: {"rate": 0.0, "damping": value} for name, value in damping.items()}
    return content


def _poses(mechanism: Mechanism) -> dict[str, tuple[Vector, Matrix]]:
    """Return origin and axes of each body in the world at zero joint coordinates."""
    poses: dict[str, tuple[Vector, Matrix]] = {WORLD: (np.zeros(3), np.eye(3))}
    waiting = list(mechanism.joints)
    while waiting:
        ready = [joint for joint in waiting if joint.parent in poses]
        for joint in ready:
            poses[joint.child] = _frame(joint, poses)
        waiting = [joint for joint in waiting if joint.child not in poses]
    return poses


def _frame(joint: Joint, poses: dict[str, tuple[Vector, Matrix]]) -> tuple[Vector, Matrix]:
    p, R = poses[joint.parent]
    return p + R @ joint.p_PF, R @ joint.R_PF


def _joint(joint: Joint, point: Vector, axes: Matrix) -> dict[str, Any]:
    section: dict[str, Any] = {"type": joint.kind, "parent": joint.parent, "child": joint.child}
    if joint.kind not in ("prismatic", "fixed", "free"):
        section["point"] = _plain(point)
    if len(joint.axes):
        section["axis"] = _plain(axes @ joint.axes[0])
    if joint.independent is not None:
        section["independent"] = joint.independent
    return section


def _plain(values: Any) -> Any:
    """Return an array as nested lists, without the zeros with a sign and the rounding errors next to zero."""
    array = np.asarray(values, dtype=float)
    array = np.where(np.abs(array) < 1e-15 * max(1.0, float(np.abs(array).max())), 0.0, array)
    return array.tolist()
