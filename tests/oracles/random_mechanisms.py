"""Random closed mechanisms with every kind of joint and loop: a tree in a random state first, then loops that happen to be closed in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vehicles.multibody.description.mechanism import (
    WORLD,
    Coupling,
    Force,
    Joint,
    JointForce,
    JointSpring,
    Loop,
    Mechanism,
    RigidBody,
    Spring,
)
from vehicles.multibody.tree.body_motion import body_motion
from vehicles.multibody.tree.system import build_system
from vehicles.multibody.tree.tree import advance_positions

KINDS = ("revolute", "prismatic", "universal", "spherical", "fixed", "revolute", "revolute")
LOOPS = ("ball", "point_on_line", "distance", "revolute")


def carried(values, old, new):
    """Positions (n_q,) or velocities (n_v,) of one system in the order of another with the same joints."""
    out = new.neutral() if values.size == old.n_q else np.zeros(new.n_v)
    place = "joint_q" if values.size == old.n_q else "joint_v"
    for name, at in getattr(old, place).items():
        out[getattr(new, place)[name]] = values[at]
    return out


class RandomMechanism:
    """A mechanism, its system, and a state in which its loops are closed; with forces on everything. `floating` gives it two free bodies.

    Attributes
    ----------
    mechanism, system
    q, v, tau, wrenches, prescribed : arguments of a formulation's `accelerations`
    """

    def __init__(self, seed, bodies=12, loops=4, floating=False, prescribed=1):
        self.random = np.random.default_rng(seed)
        tree = self._tree(bodies, floating, prescribed)
        system = build_system(tree)
        q = self._positions(system)
        self.mechanism = replace(tree, loops=self._loops(system, q, loops), couplings=self._coupling(system, q))
        self.system = system = build_system(self.mechanism)
        self.q = carried(q, build_system(tree), system)
        if system.driven:
            driven = system.parts.constraints.driven
            driven["velocity"], driven["acceleration"] = self.random.normal(size=(2, len(driven), 3))
        self.tau = self.random.normal(size=system.n_v)
        self.wrenches = self.random.normal(size=(system.parts.tree.nodes.size, 6))
        self.prescribed = self.random.normal(size=system.n_v)
        self.v = self.random.normal(size=system.n_v)

    def _unit(self):
        a = self.random.normal(size=3)
        return a / np.linalg.norm(a)

    def _rotation(self):
        Q, _ = np.linalg.qr(self.random.normal(size=(3, 3)))
        return Q * np.sign(np.linalg.det(Q))

    def _tree(self, count, floating, prescribed):
        r = self.random
        bodies, joints = [], []
        for i in range(count):
            A = r.normal(size=(3, 3))
            bodies.append(RigidBody(f"b{i}", r.uniform(1.0, 3.0), 0.3 * r.normal(size=3), A @ A.T + np.eye(3)))
            afloat = floating and i in (0, count // 2)
            kind = "free" if afloat else KINDS[r.integers(len(KINDS))]
            parent = WORLD if i == 0 or afloat else f"b{r.integers(max(0, i - 3), i)}"
            a = self._unit()
            across = np.cross(a, self._unit())
            axes = {"revolute": [a], "prismatic": [a], "universal": [a, across / np.linalg.norm(across)]}.get(kind, np.zeros((0, 3)))
            driven = prescribed > 0 and kind in ("revolute", "prismatic", "spherical")
            prescribed -= driven
            joints.append(
                Joint(
                    name=f"j{i}",
                    kind=kind,
                    parent=parent,
                    child=f"b{i}",
                    p_PF=r.normal(size=3),
                    R_PF=self._rotation(),
                    axes=np.array(axes),
                    p_BM=r.normal(size=3),
                    R_BM=self._rotation(),
                    prescribed=bool(driven),
                )
            )
        one_axis = [joint.name for joint in joints if joint.kind in ("revolute", "prismatic")]
        springs = (Spring("s", "b1", r.normal(size=3), f"b{count - 1}", r.normal(size=3), 30.0, 0.4, 2.0),)
        return Mechanism(
            "random",
            tuple(bodies),
            tuple(joints),
            springs=springs,
            joint_springs=tuple(JointSpring(name, 5.0, 0.1, 0.7) for name in one_axis[:2]),
            forces=(Force("f", "b2", r.normal(size=3), r.normal(size=3), r.normal(size=3), follows=True),),
            joint_forces=tuple(JointForce(name, 1.5) for name in one_axis[-1:]),
        )

    def _positions(self, system):
        q = system.neutral()
        out = q.copy()
        advance_positions(system.parts.tree, q, self.random.normal(size=system.n_v), 1.0, out)
        return out

    def _loops(self, system, q, count):
        r, out = self.random, []
        motion = body_motion(system, q, np.zeros(system.n_v), np.zeros(system.n_v))
        names = [body.name for body in system.mechanism.bodies]
        R = {WORLD: np.eye(3), **dict(zip(names, motion.R_WB, strict=True))}
        p = {WORLD: np.zeros(3), **dict(zip(names, motion.p_WB, strict=True))}
        for i in range(count):
            kind = LOOPS[i % len(LOOPS)]
            a, b = r.choice([WORLD, *names], 2, replace=False) if i else (names[-1], WORLD)
            axis, point = self._unit(), r.normal(size=3)
            end = point + (axis * r.normal() if kind in ("point_on_line", "distance") else 0.0)
            out.append(
                Loop(
                    name=f"loop {i}",
                    kind=kind,
                    predecessor=str(a),
                    successor=str(b),
                    p_predecessor=R[a].T @ (point - p[a]),
                    p_successor=R[b].T @ (end - p[b]),
                    axis_predecessor=R[a].T @ axis,
                    axis_successor=R[b].T @ axis,
                    length=float(np.linalg.norm(end - point)),
                    driven=i == 0,
                )
            )
        return tuple(out)

    def _coupling(self, system, q):
        names = [joint.name for joint in system.mechanism.joints if joint.kind in ("revolute", "prismatic")][-2:]
        terms = tuple((name, float(self.random.normal())) for name in names)
        offset = sum(coefficient * float(q[system.joint_q[name]][0]) for name, coefficient in terms)
        return (Coupling("gear", terms, offset),)
