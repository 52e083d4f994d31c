"""Conversion of a mechanism to flat records for kernels: nodes in tree order, constraint rows, and aggregated bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.records import Record, record
from vehicles.multibody.description.mechanism import WORLD, Coupling, Joint, Loop, Mechanism
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.multibody.description.topology import aggregate, path_between
from vehicles.multibody.tree.articulated_body import JOINT_SPACE
from vehicles.multibody.tree.constraints import COUPLING, DISTANCE, DOT, DRIVEN, POINT, ROWS, TERMS, Constraints
from vehicles.multibody.tree.forces import CONSTANT_FORCES, JOINT_SPRINGS, LEVEL_SPRINGS, SPRINGS, Forces
from vehicles.multibody.tree.tree import FIXED, FREE, MOTION, NODES, POSITIONS, PRISMATIC, REVOLUTE, SPHERICAL, VELOCITIES, Tree

Frame = tuple[int, tuple[Vector, Vector]]
"""Body frame B relative to its node: number of the node, attitude R_MB (3, 3) and origin p_MB (3,)."""

KINDS = {"revolute": REVOLUTE, "prismatic": PRISMATIC, "universal": REVOLUTE, "spherical": SPHERICAL, "free": FREE, "fixed": FIXED}


class Parts(NamedTuple):
    """Common records of all formulations, one argument of the kernels. Inputs of an evaluation: `wrenches`, `tau`, `constraints.driven`."""

    tree: Tree
    joints: Record
    constraints: Constraints
    forces: Forces
    gravity: Vector
    wrenches: Vector
    tau: Vector
    T: Vector


class Dimensions(NamedTuple):
    """Size of a formulation, the columns of the table of [Cameron 2013]; the augmented size is their sum."""

    coordinates: int
    constraints: int


@dataclass(frozen=True)
class Cluster:
    """One aggregated body: nodes first..last-1, its rows row0..row1-1; a single node without rows is an ordinary body."""

    first: int
    last: int
    row0: int
    row1: int


@dataclass(frozen=True)
class System:
    """A mechanism as flat records.

    Attributes
    ----------
    mechanism : the source mechanism
    parts : records of the kernels
    clusters : ordinary and aggregated bodies, in tree order
    node : node of each body, by name (the world is 0)
    X_MB : attitude (3, 3) and origin (3,) of each body frame B in the frame M of its node, by name
    joint_q, joint_v : slices of the coordinates of each joint in q and v, by name
    node_names : name of the joint of each node
    loop_names : loops, then couplings; "loop" of a row is an index into it
    driven : index into `parts.constraints.driven` of each driven loop, by name
    """

    mechanism: Mechanism
    parts: Parts
    clusters: tuple[Cluster, ...]
    node: dict[str, int]
    X_MB: dict[str, tuple[Vector, Vector]]
    joint_q: dict[str, slice]
    joint_v: dict[str, slice]
    node_names: tuple[str, ...]
    loop_names: tuple[str, ...]
    driven: dict[str, int]

    @property
    def n_q(self) -> int:
        """Number of position coordinates."""
        return sum(POSITIONS[kind] for kind in self.parts.tree.nodes["kind"])

    @property
    def n_v(self) -> int:
        """Number of velocity coordinates of the tree."""
        return self.parts.tau.size

    def neutral(self) -> Vector:
        """Return (n_q,) coordinates of zero, with identity quaternions."""
        q = np.zeros(self.n_q)
        for node in self.parts.tree.nodes:
            if node["kind"] == SPHERICAL:
                q[node["q"]] = 1.0
            elif node["kind"] == FREE:
                q[node["q"] + 3] = 1.0
        return q


def build_system(mechanism: Mechanism) -> System:
    """Convert a mechanism: nodes sorted outward with the nodes of each aggregated body consecutive, rows sorted by aggregated body."""
    layout = _Layout(mechanism)
    constraints, clusters = layout.rows()
    n_nodes, n_v = layout.tree.nodes.size, sum(VELOCITIES[kind] for kind in layout.tree.nodes["kind"])
    parts = Parts(
        layout.tree,
        record(JOINT_SPACE, n_nodes),
        constraints,
        layout.forces(n_v),
        np.array(mechanism.gravity, float),
        np.zeros((n_nodes, 6)),
        np.zeros(n_v),
        np.zeros(n_v),
    )
    return System(
        mechanism=mechanism,
        parts=parts,
        clusters=clusters,
        node={name: node for name, (node, _) in layout.frames.items()},
        X_MB={name: X_MB for name, (_, X_MB) in layout.frames.items()},
        joint_q=layout.joint_q,
        joint_v=layout.joint_v,
        node_names=(WORLD, *(layout.stages[old - 1][0].name for old in layout.order[1:])),
        loop_names=tuple(loop.name for loop in mechanism.loops) + tuple(coupling.name for coupling in mechanism.couplings),
        driven=layout.driven,
    )


class _Layout:
    """Numbering of a mechanism, and writer of its records."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.driven = {loop.name: number for number, loop in enumerate(loop for loop in mechanism.loops if loop.driven)}
        self.stages = [(joint, stage) for joint in outward(mechanism) for stage in range(2 if joint.kind == "universal" else 1)]
        self._number()
        self._write_nodes()

    def _number(self) -> None:
        """Number the nodes in the order of the joints, then sort by aggregated body: `order` has the first numbers in the final order."""
        mechanism, parent = self.mechanism, [0]
        last_of, joint_of = {WORLD: 0}, {}
        for number, (joint, stage) in enumerate(self.stages, start=1):
            parent.append(number - 1 if stage else last_of[joint.parent])
            last_of[joint.child] = joint_of[joint.name] = number
        closures = [path_between(parent, last_of[loop.predecessor], last_of[loop.successor]) for loop in mechanism.loops]
        for coupling in mechanism.couplings:
            joints = [joint_of[name] for name, _ in coupling.terms]
            closures.append(set(joints).union(*(path_between(parent, joints[0], other) for other in joints[1:])))
        self.parent = parent
        self.order, self.groups = aggregate(parent, closures)

    def _write_nodes(self) -> None:
        """Write the records of the nodes, the frames of the bodies and the slices of the coordinates."""
        mechanism = self.mechanism
        self.tree = Tree(record(NODES, len(self.order)), record(MOTION, len(self.order)))
        self.tree.motion[0]["R"] = np.eye(3)
        self.frames: dict[str, Frame] = {WORLD: (0, (np.eye(3), np.zeros(3)))}
        self.joint_q: dict[str, slice] = {}
        self.joint_v: dict[str, slice] = {}
        bodies = {body.name: body for body in mechanism.bodies}
        carriers = {joint.child: joint for joint in mechanism.joints}
        number_of = {old: new for new, old in enumerate(self.order)}
        q = v = 0
        for new, old in enumerate(self.order[1:], start=1):
            joint, stage = self.stages[old - 1]
            out = self.tree.nodes[new]
            kind = KINDS[joint.kind]
            out["parent"], out["kind"], out["prescribed"] = number_of[self.parent[old]], kind, joint.prescribed
            out["q"], out["v"] = q, v
            start_q, start_v = (q, v) if stage == 0 else (self.joint_q[joint.name].start, self.joint_v[joint.name].start)
            q, v = q + POSITIONS[kind], v + VELOCITIES[kind]
            self.joint_q[joint.name], self.joint_v[joint.name] = slice(start_q, q), slice(start_v, v)
            out["R_PF"], out["massless"] = np.eye(3), True
            if stage == 0:
                R_MB, p_MB = _frame_in_node(carriers[joint.parent]) if joint.parent != WORLD else (np.eye(3), np.zeros(3))
                out["R_PF"], out["p_PF"] = R_MB @ joint.R_PF, p_MB + R_MB @ joint.p_PF
            if len(joint.axes):
                out["axis"] = joint.axes[stage]
            if joint.kind != "universal" or stage == 1:
                self.frames[joint.child] = (new, _frame_in_node(joint))
                _write_body(out, bodies[joint.child], *_frame_in_node(joint))

    def rows(self) -> tuple[Constraints, tuple[Cluster, ...]]:
        """Return the rows of all closures, sorted by aggregated body."""
        found: list[dict[str, Any]] = []
        terms: list[tuple[float, int, int, int]] = []
        clusters = []
        first = 1
        n_loops = len(self.mechanism.loops)
        for nodes, closures in self.groups:
            start = len(found)
            for closure in closures:
                if closure < n_loops:
                    rows = self._loop(self.mechanism.loops[closure])
                else:
                    rows = self._coupling(self.mechanism.couplings[closure - n_loops], terms)
                found += [{**row, "loop": closure} for row in rows]
            clusters.append(Cluster(first, first + len(nodes), start, len(found)))
            first += len(nodes)
        rows_out, terms_out = record(ROWS, len(found)), record(TERMS, len(terms))
        for k, row in enumerate(found):
            for name, value in row.items():
                rows_out[k][name] = value
        for k, term in enumerate(terms):
            terms_out[k] = term
        n = len(found)
        driven = record(DRIVEN, len(self.driven))
        return Constraints(rows_out, terms_out, driven, np.zeros((n, 12)), np.zeros(n), np.zeros(n), np.zeros(n)), tuple(clusters)

    def _loop(self, loop: Loop) -> list[dict[str, Any]]:
        driven = self.driven.get(loop.name, -1)
        return [{**row, "driven": driven} for row in loop_rows(loop, self.frames[loop.predecessor], self.frames[loop.successor])]

    def _coupling(self, coupling: Coupling, terms: list[tuple[float, int, int, int]]) -> list[dict[str, Any]]:
        at = len(terms)
        for name, coefficient in coupling.terms:
            node = int(np.flatnonzero(self.tree.nodes["v"] == self.joint_v[name].start)[-1])
            terms.append((coefficient, node, self.joint_q[name].start, self.joint_v[name].start))
        return [{"kind": COUPLING, "first": at, "last": len(terms), "offset": coupling.offset, "driven": -1}]

    def _place(self, body: str, point: Vector) -> tuple[int, Vector]:
        """Return the node of a body, and a point of the body in the node axes."""
        node, (R_MB, p_MB) = self.frames[body]
        return node, p_MB + R_MB @ point

    def forces(self, n_v: int) -> Forces:
        """Return the records of springs and constant forces."""
        mechanism = self.mechanism
        springs = record(SPRINGS, len(mechanism.springs))
        for out, spring in zip(springs, mechanism.springs, strict=True):
            out["a"], out["p_a"] = self._place(spring.body_a, spring.point_a)
            out["b"], out["p_b"] = self._place(spring.body_b, spring.point_b)
            out["rate"], out["free_length"], out["damping"] = spring.rate, spring.free_length, spring.damping
        joint_springs = record(JOINT_SPRINGS, len(mechanism.joint_springs))
        for out, held in zip(joint_springs, mechanism.joint_springs, strict=True):
            out["q"], out["v"] = self.joint_q[held.joint].start, self.joint_v[held.joint].start
            out["rate"], out["rest"], out["damping"] = held.rate, held.rest, held.damping
        level_springs = record(LEVEL_SPRINGS, len(mechanism.level_springs))
        for out, level in zip(level_springs, mechanism.level_springs, strict=True):
            out["base"], (R_MB, _) = self.frames[level.base]
            out["axis"], out["rate"] = R_MB @ level.axis, level.rate
            out["a"], out["p_a"] = self._place(level.body_a, level.point_a)
            out["b"], out["p_b"] = self._place(level.body_b, level.point_b)
        constant = record(CONSTANT_FORCES, len(mechanism.forces))
        for out, force in zip(constant, mechanism.forces, strict=True):
            out["node"], out["point"] = self._place(force.body, force.point)
            R = self.frames[force.body][1][0] if force.follows else np.eye(3)
            out["force"], out["couple"], out["follows"] = R @ force.force, R @ force.couple, force.follows
        joint_forces = np.zeros(n_v)
        for item in mechanism.joint_forces:
            joint_forces[self.joint_v[item.joint]] += item.value
        return Forces(springs, joint_springs, level_springs, constant, joint_forces)


def outward(mechanism: Mechanism) -> list[Joint]:
    """Return the joints in the order of the file, but with each parent body before its children."""
    placed, waiting, out = {WORLD}, list(mechanism.joints), []
    while waiting:
        ready = [joint for joint in waiting if joint.parent in placed]
        out += ready
        placed |= {joint.child for joint in ready}
        waiting = [joint for joint in waiting if joint.child not in placed]
    return out


def _frame_in_node(joint: Joint) -> tuple[Vector, Vector]:
    """Return (R_MB, p_MB) of the child body of `joint`."""
    return joint.R_BM.T, -joint.R_BM.T @ joint.p_BM


def _write_body(out: Any, body: RigidBody, R_MB: Vector, p_MB: Vector) -> None:
    out["mass"] = body.mass
    out["com"] = p_MB + R_MB @ body.p_BoBcm
    I = R_MB @ body.I_BBcm @ R_MB.T
    out["inertia"] = I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]
    out["massless"] = body.mass == 0.0 and not I.any()


def loop_rows(loop: Loop, i: Frame, j: Frame) -> list[dict[str, Any]]:
    """Return the rows of one loop between the body frames i (predecessor) and j (successor)."""
    (node_i, (R_i, p_i)), (node_j, (R_j, p_j)) = i, j
    ends = {"i": node_i, "j": node_j, "p_i": p_i + R_i @ loop.p_predecessor, "p_j": p_j + R_j @ loop.p_successor}
    if loop.kind == "distance":
        return [{**ends, "kind": DISTANCE, "length": loop.length}]
    across = perpendiculars(R_j @ loop.axis_successor)
    if loop.kind == "point_on_line":
        return [{**ends, "kind": POINT, "e": e} for e in across]
    rows = [{**ends, "kind": POINT, "e": e} for e in np.eye(3)]
    if loop.kind == "revolute":
        rows += [{**ends, "kind": DOT, "u": R_i @ loop.axis_predecessor, "e": e} for e in across]
    return rows


def perpendiculars(axis: Vector) -> tuple[Vector, Vector]:
    """Return two unit vectors that form a right-handed frame with `axis`."""
    start = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(axis, start)
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)
