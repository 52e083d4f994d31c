"""A mechanism as data: bodies, tree joints, loop closures, couplings and forces.

The joints form a tree with the root body `WORLD`; each other body is the child of exactly one joint. A `Loop` or a `Coupling` closes a
kinematic loop. All formulations (`articulated_body`, `fully_augmented`, `tree_augmented`, `constraint_embedding_kernels`) use this
description; `mechanism_file` reads it out of YAML, `urdf` out of URDF and URDF+.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError, JounceError
from vehicles.multibody.description.rigid_body import RigidBody

WORLD = "world"
"""Name of the fixed body."""

JOINTS = {"revolute": 1, "prismatic": 1, "universal": 2, "spherical": 3, "free": 6, "fixed": 0}
"""Kinds of joints with their degrees of freedom."""

LOOPS = {"ball": 3, "revolute": 5, "point_on_line": 2, "distance": 1}
"""Kinds of loop closures with their number of scalar constraints."""


class MechanismError(JounceError):
    """A mechanism has no solution in the requested state; the text names the failing loops, which `loops` also contains."""

    def __init__(self, text: str, loops: tuple[str, ...] = ()) -> None:
        self.loops = loops
        super().__init__(text)


def _zero() -> Vector:
    return np.zeros(3)


def _x_axis() -> Vector:
    return np.array([1.0, 0.0, 0.0])


def _identity() -> Vector:
    return np.eye(3)


@dataclass(frozen=True)
class Joint:
    """Joint between the body `parent` and the body `child`.

    The joint frame F is fixed to the parent P at `p_PF` with attitude `R_PF`. The frame M moves with the joint and coincides with F at
    zero coordinates. The child frame B is fixed to M by `X_BM`: M is at `p_BM` with attitude `R_BM` in B.

    Coordinates, with q the positions and v the velocities:

    - revolute: angle about `axes[0]`, right-handed, child relative to parent
    - prismatic: travel of the child along `axes[0]`
    - universal: angle about `axes[0]`, fixed in the parent, then about `axes[1]`, fixed in the child; the axes are perpendicular
    - spherical: q is the unit quaternion (w, x, y, z) of R_FM, v the angular velocity of M in F, expressed in M
    - free: q is the position of M in F and the quaternion of R_FM, v = [angular; linear] velocity of M, expressed in the world; the parent
    is the world - fixed: none

    Parameters
    ----------
    axes : (n, 3) unit vectors in F, n = 1 for revolute and prismatic, 2 for universal, 0 otherwise
    independent : whether the coordinates are independent coordinates of their loop; with None the program chooses
    prescribed : the coordinates are given functions of time (their accelerations are an input, the joint force is a result)
    """

    name: str
    kind: str
    parent: str
    child: str
    p_PF: Vector = field(default_factory=_zero)
    R_PF: Vector = field(default_factory=_identity)
    axes: Vector = field(default_factory=lambda: np.zeros((0, 3)))
    p_BM: Vector = field(default_factory=_zero)
    R_BM: Vector = field(default_factory=_identity)
    independent: bool | None = None
    prescribed: bool = False


@dataclass(frozen=True)
class Loop:
    """A closure between two bodies of the tree; points are given from the origin of the body frame, in its axes [m].

    - ball: the points `p_predecessor` and `p_successor` coincide
    - revolute: as ball, and `axis_predecessor` is parallel to `axis_successor`
    - point_on_line: `p_predecessor` is on the line through `p_successor` along `axis_successor`
    - distance: the distance of the points is `length`

    An input moves the successor point of a `driven` loop: offset, velocity and acceleration in the axes of the successor (an inner tie-rod
    joint on a steering that is not part of the mechanism).
    """

    name: str
    kind: str
    predecessor: str
    successor: str
    p_predecessor: Vector = field(default_factory=_zero)
    p_successor: Vector = field(default_factory=_zero)
    axis_predecessor: Vector = field(default_factory=_x_axis)
    axis_successor: Vector = field(default_factory=_x_axis)
    length: float = 0.0
    driven: bool = False


@dataclass(frozen=True)
class Coupling:
    """sum of coefficient times coordinate = offset, over revolute and prismatic joints: gears, racks, parallel drives."""

    name: str
    terms: tuple[tuple[str, float], ...]
    offset: float = 0.0


@dataclass(frozen=True)
class Spring:
    """Linear spring and damper on the line between two points: repulsive force `rate` (free_length - distance) - damping x d(distance)/dt
    [N].
    """

    name: str
    body_a: str
    point_a: Vector
    body_b: str
    point_b: Vector
    rate: float
    free_length: float = 0.0
    damping: float = 0.0


@dataclass(frozen=True)
class JointSpring:
    """Linear spring and damper in a revolute or prismatic joint: force - `rate` (q - rest) - `damping` q' [N or N m] on its coordinate."""

    joint: str
    rate: float = 0.0
    rest: float = 0.0
    damping: float = 0.0


@dataclass(frozen=True)
class LevelSpring:
    """Linear spring between the levels of two points along `axis` of the body `base`: an anti-roll bar.

    The force on point a along the axis is - `rate` (level of a - level of b) [N], on point b the opposite; reaction forces act on the base
    at both points.
    """

    name: str
    base: str
    axis: Vector
    body_a: str
    point_a: Vector
    body_b: str
    point_b: Vector
    rate: float


@dataclass(frozen=True)
class Force:
    """Constant force and couple on a body at `point` (body axes), expressed in the world or, with `follows`, in the body [N, N m]."""

    name: str
    body: str
    force: Vector = field(default_factory=_zero)
    couple: Vector = field(default_factory=_zero)
    point: Vector = field(default_factory=_zero)
    follows: bool = False


@dataclass(frozen=True)
class JointForce:
    """Constant force [N or N m] on the coordinate of a revolute or prismatic joint."""

    joint: str
    value: float


@dataclass(frozen=True)
class Mechanism:
    """A complete mechanism. Names are unique among bodies, among joints, and among loops and couplings together.

    `gravity` is the acceleration of free fall in the world [m/s2]; `file` is used in messages.
    """

    name: str
    bodies: tuple[RigidBody, ...]
    joints: tuple[Joint, ...]
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    springs: tuple[Spring, ...] = ()
    joint_springs: tuple[JointSpring, ...] = ()
    level_springs: tuple[LevelSpring, ...] = ()
    forces: tuple[Force, ...] = ()
    joint_forces: tuple[JointForce, ...] = ()
    gravity: Vector = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))
    file: str = "mechanism"

    def __post_init__(self) -> None:
        """Raise ConfigError with the key of the inconsistent element: names, kinds, axes, inertias, the tree."""
        if not self.bodies:
            self._refuse("bodies", "none", "at least one body")
        self._check_names()
        for body in self.bodies:
            self._check_inertia(body)
        for joint in self.joints:
            self._check_joint(joint)
        self._check_tree()
        for loop in self.loops:
            self._check_loop(loop)
        self._check_forces()

    def joint(self, name: str) -> Joint:
        """Return the joint with this name."""
        return next(joint for joint in self.joints if joint.name == name)

    def carrier(self, body: str) -> Joint:
        """Return the joint whose child is the body."""
        return next(joint for joint in self.joints if joint.child == body)

    def _refuse(self, key: str, value: object, expected: str) -> None:
        raise ConfigError(self.file, key, value, expected)

    def _check_names(self) -> None:
        for kind, names in (
            ("bodies", [WORLD, *(body.name for body in self.bodies)]),
            ("joints", [joint.name for joint in self.joints]),
            ("loops", [loop.name for loop in self.loops] + [coupling.name for coupling in self.couplings]),
        ):
            name, count = Counter(names).most_common(1)[0] if names else ("", 0)
            if count > 1:
                self._refuse(kind, name, "names that differ from one another" + (f" and from {WORLD!r}" if kind == "bodies" else ""))

    def _check_inertia(self, body: RigidBody) -> None:
        """Check an inertia.

        Massless bodies and single moments are allowed (rotors, idealized links); the solver detects singular trees later.
        """
        key = f"bodies.{body.name}"
        if not (np.isfinite(body.mass) and body.mass >= 0.0):
            self._refuse(f"{key}.mass", body.mass, "a mass of at least 0 kg")
        I = body.I_BBcm
        if not np.isfinite(I).all() or not np.allclose(I, I.T, rtol=0.0, atol=1e-9 * max(1.0, float(np.abs(I).max()))):
            self._refuse(f"{key}.inertia", I.tolist(), "a symmetric inertia matrix")
        if np.linalg.eigvalsh(I)[0] < -1e-12 * max(1.0, float(np.abs(I).max())):
            self._refuse(f"{key}.inertia", I.tolist(), "an inertia matrix without negative principal moments")

    def _check_joint(self, joint: Joint) -> None:
        key = f"joints.{joint.name}"
        if joint.kind not in JOINTS:
            self._refuse(f"{key}.type", joint.kind, "one of " + ", ".join(JOINTS))
        count = {"revolute": 1, "prismatic": 1, "universal": 2}.get(joint.kind, 0)
        if joint.axes.shape != (count, 3):
            self._refuse(f"{key}.axis", joint.axes.tolist(), f"{count} axes of a {joint.kind} joint")
        if count and np.abs(np.linalg.norm(joint.axes, axis=1) - 1.0).max() > 1e-9:
            self._refuse(f"{key}.axis", joint.axes.tolist(), "unit vectors")
        if count == 2 and abs(joint.axes[0] @ joint.axes[1]) > 1e-9:
            self._refuse(f"{key}.axes", joint.axes.tolist(), "two axes perpendicular to each other")
        if joint.kind == "free" and joint.parent != WORLD:
            self._refuse(f"{key}.parent", joint.parent, f"{WORLD!r}, because a free joint is relative to the world")

    def _check_tree(self) -> None:
        known = {WORLD, *(body.name for body in self.bodies)}
        carried: dict[str, str] = {}
        for joint in self.joints:
            for end, name in (("parent", joint.parent), ("child", joint.child)):
                if name not in known:
                    self._refuse(f"joints.{joint.name}.{end}", name, "one of the bodies")
            if joint.child == WORLD:
                self._refuse(f"joints.{joint.name}.child", WORLD, "a body that moves")
            if joint.child in carried:
                self._refuse(
                    f"joints.{joint.name}.child",
                    joint.child,
                    f"a body that is not yet the child of a joint ({carried[joint.child]!r}); hint: close kinematic loops with `loops`",
                )
            carried[joint.child] = joint.name
        parents = {joint.child: joint.parent for joint in self.joints}
        for body in self.bodies:
            if body.name not in carried:
                self._refuse(f"bodies.{body.name}", "no joint", "a joint with this body as child (kind free for a free body)")
            seen, at = set(), body.name
            while at != WORLD:
                if at in seen:
                    self._refuse(
                        f"joints.{carried[at]}",
                        at,
                        f"joints that form a tree with the root {WORLD!r}; hint: close kinematic loops with `loops`",
                    )
                seen.add(at)
                at = parents[at]

    def _check_loop(self, loop: Loop) -> None:
        key = f"loops.{loop.name}"
        if loop.kind not in LOOPS:
            self._refuse(f"{key}.type", loop.kind, "one of " + ", ".join(LOOPS))
        known = {WORLD, *(body.name for body in self.bodies)}
        for end, name in (("predecessor", loop.predecessor), ("successor", loop.successor)):
            if name not in known:
                self._refuse(f"{key}.{end}", name, "one of the bodies")
        if loop.predecessor == loop.successor:
            self._refuse(f"{key}.successor", loop.successor, "a body other than the predecessor")
        if loop.kind == "distance" and not loop.length > 0.0:
            self._refuse(f"{key}.length", loop.length, "a distance above 0 m")
        if loop.kind in ("revolute", "point_on_line"):
            for end, axis in (("predecessor", loop.axis_predecessor), ("successor", loop.axis_successor)):
                if abs(np.linalg.norm(axis) - 1.0) > 1e-9:
                    self._refuse(f"{key}.{end}.axis", axis.tolist(), "a unit vector")

    def _check_forces(self) -> None:
        known = {WORLD, *(body.name for body in self.bodies)}
        scalar = {joint.name for joint in self.joints if joint.kind in ("revolute", "prismatic")}
        for coupling in self.couplings:
            if not coupling.terms:
                self._refuse(f"couplings.{coupling.name}", "no terms", "at least one joint")
            for joint, _ in coupling.terms:
                if joint not in scalar:
                    self._refuse(f"couplings.{coupling.name}", joint, "a revolute or prismatic joint")
        for spring in self.springs:
            for end, name in (("body_a", spring.body_a), ("body_b", spring.body_b)):
                if name not in known:
                    self._refuse(f"springs.{spring.name}.{end}", name, "one of the bodies")
        for level in self.level_springs:
            for end, name in (("base", level.base), ("body_a", level.body_a), ("body_b", level.body_b)):
                if name not in known:
                    self._refuse(f"level_springs.{level.name}.{end}", name, "one of the bodies")
        for force in self.forces:
            if force.body not in known - {WORLD}:
                self._refuse(f"forces.{force.name}.body", force.body, "one of the bodies")
        for kind, items in (("joint_springs", self.joint_springs), ("joint_forces", self.joint_forces)):
            for item in items:
                if item.joint not in scalar:
                    self._refuse(f"{kind}.{item.joint}", item.joint, "a revolute or prismatic joint")
