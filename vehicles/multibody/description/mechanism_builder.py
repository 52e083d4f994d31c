"""Builder of a mechanism whose bodies all have the same frame in the design position."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from simulator.base.arrays import Vector
from vehicles.multibody.description.mechanism import Joint, JointSpring, LevelSpring, Loop, Mechanism, Spring
from vehicles.multibody.description.rigid_body import RigidBody


@dataclass
class Parts:
    """Elements of a mechanism under construction."""

    bodies: list[RigidBody] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    springs: list[Spring] = field(default_factory=list)
    joint_springs: list[JointSpring] = field(default_factory=list)
    level_springs: list[LevelSpring] = field(default_factory=list)

    def add_body(self, name: str, body: RigidBody) -> None:
        self.bodies.append(replace(body, name=name))

    def add_joint(
        self,
        kind: str,
        parent: str,
        child: str,
        point: Vector,
        axes: Vector | None = None,
        independent: bool | None = False,
        prescribed: bool = False,
    ) -> None:
        """Add a joint with the name of the child at a point of the design position; `axes` (n, 3) or (3,)."""
        axes = np.zeros((0, 3)) if axes is None else np.atleast_2d(axes)
        self.joints.append(
            Joint(child, kind, parent, child, p_PF=point, axes=axes, p_BM=point, independent=independent, prescribed=prescribed)
        )

    def add_loop(
        self, name: str, kind: str, bodies: tuple[str, str], at: Vector, at_successor: Vector | None = None, **more: object
    ) -> None:
        """Add a loop at a point of the design position; `at_successor` is the point of the successor if it differs."""
        self.loops.append(Loop(name, kind, *bodies, at, at if at_successor is None else at_successor, **more))  # type: ignore[arg-type]

    def mechanism(self, name: str, gravity: float, file: str) -> Mechanism:
        """Return the mechanism with all added elements, under gravity [m/s2]; `file` is used in messages."""
        return Mechanism(
            name,
            tuple(self.bodies),
            tuple(self.joints),
            tuple(self.loops),
            springs=tuple(self.springs),
            joint_springs=tuple(self.joint_springs),
            level_springs=tuple(self.level_springs),
            gravity=np.array([0.0, 0.0, -gravity]),
            file=file,
        )
