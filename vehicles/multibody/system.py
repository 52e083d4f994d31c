"""From a mechanism to the flat records the kernels work on: nodes in tree order, rows of its constraints, and its aggregated bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, record
from vehicles.multibody.articulated_body import JOINT_SPACE
from vehicles.multibody.constraints import COUPLING, DISTANCE, DOT, DRIVEN, POINT, ROWS, TERMS, Constraints
from vehicles.multibody.forces import CONSTANT_FORCES, JOINT_SPRINGS, SPRINGS, Forces
from vehicles.multibody.mechanism import WORLD, Joint, Loop, Mechanism
from vehicles.multibody.topology import aggregate, path_between
from vehicles.multibody.tree import FIXED, FREE, MOTION, NODES, POSITIONS, PRISMATIC, REVOLUTE, SPHERICAL, VELOCITIES, Tree

Vector = NDArray[np.float64]


class Parts(NamedTuple):
    """What every formulation starts from; one object for the kernels. Inputs of an evaluation: `wrenches`, `tau`, `constraints.driven`."""

    tree: Tree
    joints: Record
    constraints: Constraints
    forces: Forces
    gravity: Vector
    wrenches: Vector
    tau: Vector
    T: Vector


@dataclass(frozen=True)
class Cluster:
    """One aggregated body: nodes first..last-1, its rows row0..row1-1; a single node without rows is an ordinary body."""

    first: int
    last: int
    row0: int
    row1: int


@dataclass(frozen=True)
class System:
    """A mechanism laid out flat.

    Attributes
    ----------
    mechanism : what it was made from
    parts : records of the kernels
    clusters : ordinary and aggregated bodies, in tree order
    node : node of every body, by name (the world is 0)
    X_MB : attitude (3, 3) and origin (3,) of every body's frame B in the frame M of its node, by name
    joint_q, joint_v : where the coordinates of every joint stand in q and v, by name
    node_names : name of the joint every node belongs to
    loop_names : loops, then couplings; a row's "loop" is an index into it
    driven : index into `parts.constraints.driven` of every driven loop, by name
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
        """(n_q,) all coordinates zero, quaternions of no rotation."""
        q = np.zeros(self.n_q)
        for node in self.parts.tree.nodes:
            if node["kind"] == SPHERICAL:
                q[node["q"]] = 1.0
            elif node["kind"] == FREE:
                q[node["q"] + 3] = 1.0
        return q

    def copy(self) -> System:
        """The same system with records of its own, so that two evaluations do not disturb each other."""
        return build_system(self.mechanism)


def build_system(mechanism: Mechanism) -> System:
    """Lay a mechanism out: nodes sorted outward with the nodes of every aggregated body side by side, rows sorted by aggregated body."""
    joints = _outward(mechanism)
    stages = [(joint, stage) for joint in joints for stage in range(2 if joint.kind == "universal" else 1)]
    raw_parent, last_stage = [0], {WORLD: 0}
    for number, (joint, stage) in enumerate(stages, start=1):
        raw_parent.append(number - 1 if stage else last_stage[joint.parent])
        last_stage[joint.child] = number
    node_of_joint = {joint.name: number for number, (joint, _) in enumerate(stages, start=1)}
    closures = [path_between(raw_parent, last_stage[loop.predecessor], last_stage[loop.successor]) for loop in mechanism.loops]
    closures += [_coupled_nodes(raw_parent, [node_of_joint[name] for name, _ in coupling.terms]) for coupling in mechanism.couplings]
    order, groups = aggregate(raw_parent, closures)
    number_of = {old: new for new, old in enumerate(order)}

    tree = Tree(record(NODES, len(order)), record(MOTION, len(order)))
    _stand_still(tree.motion[0])
    tree.nodes[0]["R_PF"] = np.eye(3)
    node = {WORLD: 0}
    X_MB = {WORLD: (np.eye(3), np.zeros(3))}
    joint_q: dict[str, slice] = {}
    joint_v: dict[str, slice] = {}
    bodies = {body.name: body for body in mechanism.bodies}
    for joint in joints:
        R_MB = joint.R_BM.T
        X_MB[joint.child] = (R_MB, -R_MB @ joint.p_BM)
    q = v = 0
    for new, old in enumerate(order[1:], start=1):
        joint, stage = stages[old - 1]
        first, last = stage == 0, stage == (1 if joint.kind == "universal" else 0)
        out = tree.nodes[new]
        out["parent"] = number_of[raw_parent[old]]
        out["kind"], out["q"], out["v"], out["prescribed"] = _kind(joint), q, v, joint.prescribed
        start_q, start_v = (joint_q[joint.name].start, joint_v[joint.name].start) if not first else (q, v)
        q, v = q + POSITIONS[out["kind"]], v + VELOCITIES[out["kind"]]
        joint_q[joint.name], joint_v[joint.name] = slice(start_q, q), slice(start_v, v)
        out["R_PF"], out["p_PF"] = np.eye(3), 0.0
        if first:
            R_MB, p_MB = X_MB[joint.parent]
            out["R_PF"], out["p_PF"] = R_MB @ joint.R_PF, p_MB + R_MB @ joint.p_PF
        if len(joint.axes):
            out["axis"] = joint.axes[stage]
        out["massless"] = not last
        if last:
            node[joint.child] = new
            _write_body(out, bodies[joint.child], *X_MB[joint.child])

    loops = [(group, index) for index, group in enumerate(groups)]
    constraints, clusters, driven = _rows(mechanism, order, groups, loops, tree, node, X_MB, joint_q, joint_v)
    parts = Parts(
        tree,
        record(JOINT_SPACE, len(order)),
        constraints,
        _forces(mechanism, node, X_MB, joint_q, joint_v, v),
        np.array(mechanism.gravity, float),
        np.zeros((len(order), 6)),
        np.zeros(v),
        np.zeros(v),
    )
    names = ("world", *(stages[old - 1][0].name for old in order[1:]))
    loop_names = tuple(loop.name for loop in mechanism.loops) + tuple(coupling.name for coupling in mechanism.couplings)
    return System(mechanism, parts, clusters, node, X_MB, joint_q, joint_v, names, loop_names, driven)


def _outward(mechanism: Mechanism) -> list[Joint]:
    """Joints in the order of the file, every parent body before its children."""
    placed, waiting, out = {WORLD}, list(mechanism.joints), []
    while waiting:
        ready = [joint for joint in waiting if joint.parent in placed]
        out += ready
        placed |= {joint.child for joint in ready}
        waiting = [joint for joint in waiting if joint.child not in placed]
    return out


def _coupled_nodes(parent: list[int], nodes: list[int]) -> set[int]:
    """Nodes between the joints of a coupling: all on the way from each to their nearest common ancestor, which is left out."""
    out: set[int] = set(nodes)
    for other in nodes[1:]:
        out |= path_between(parent, nodes[0], other)
    return out


def _kind(joint: Joint) -> int:
    kinds = {"revolute": REVOLUTE, "prismatic": PRISMATIC, "universal": REVOLUTE, "spherical": SPHERICAL, "free": FREE, "fixed": FIXED}
    return kinds[joint.kind]


def _stand_still(world: Any) -> None:
    world["R"] = np.eye(3)


def _write_body(out: Any, body: Any, R_MB: Vector, p_MB: Vector) -> None:
    out["mass"] = body.mass
    out["com"] = p_MB + R_MB @ body.p_BoBcm
    I = R_MB @ body.I_BBcm @ R_MB.T
    out["inertia"] = I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]
    out["massless"] = body.mass == 0.0 and not I.any()


def _rows(
    mechanism: Mechanism,
    order: list[int],
    groups: list[tuple[list[int], list[int]]],
    loops: list[Any],
    tree: Tree,
    node: dict[str, int],
    X_MB: dict[str, tuple[Vector, Vector]],
    joint_q: dict[str, slice],
    joint_v: dict[str, slice],
) -> tuple[Constraints, tuple[Cluster, ...], dict[str, int]]:
    """Rows of all closures, aggregated body by aggregated body."""
    driven = {loop.name: number for number, loop in enumerate(loop for loop in mechanism.loops if loop.driven)}
    found: list[dict[str, Any]] = []
    terms: list[tuple[float, int, int, int]] = []
    clusters = []
    first = 1
    for nodes, closures in groups:
        start = len(found)
        for closure in closures:
            if closure < len(mechanism.loops):
                loop = mechanism.loops[closure]
                ends = [(node[name], X_MB[name]) for name in (loop.predecessor, loop.successor)]
                rows = loop_rows(loop, *ends)
                for row in rows:
                    row["driven"] = driven.get(loop.name, -1)
            else:
                coupling = mechanism.couplings[closure - len(mechanism.loops)]
                at = len(terms)
                for name, coefficient in coupling.terms:
                    k = int(np.flatnonzero(tree.nodes["v"] == joint_v[name].start)[-1])
                    terms.append((coefficient, k, joint_q[name].start, joint_v[name].start))
                rows = [{"kind": COUPLING, "first": at, "last": len(terms), "offset": coupling.offset, "driven": -1}]
            for row in rows:
                row["loop"] = closure
            found += rows
        clusters.append(Cluster(first, first + len(nodes), start, len(found)))
        first += len(nodes)
    rows_out = record(ROWS, len(found))
    for k, row in enumerate(found):
        for name, value in row.items():
            rows_out[k][name] = value
    terms_out = record(TERMS, len(terms))
    for k, term in enumerate(terms):
        terms_out[k] = term
    n = len(found)
    constraints = Constraints(rows_out, terms_out, record(DRIVEN, len(driven)), np.zeros((n, 12)), np.zeros(n), np.zeros(n), np.zeros(n))
    return constraints, tuple(clusters), driven


def loop_rows(loop: Loop, i: tuple[int, tuple[Vector, Vector]], j: tuple[int, tuple[Vector, Vector]]) -> list[dict[str, Any]]:
    """Rows of one loop between the frames i and j: (number, (R, p)), the body's frame being turned by R and shifted by p in that frame."""
    (number_i, (R_i, p_i)), (number_j, (R_j, p_j)) = i, j
    common = {
        "i": number_i,
        "j": number_j,
        "p_i": p_i + R_i @ loop.p_predecessor,
        "p_j": p_j + R_j @ loop.p_successor,
    }
    if loop.kind == "distance":
        return [{**common, "kind": DISTANCE, "length": loop.length}]
    axis = R_j @ loop.axis_successor
    across = perpendiculars(axis)
    if loop.kind == "point_on_line":
        return [{**common, "kind": POINT, "e": e} for e in across]
    rows = [{**common, "kind": POINT, "e": e} for e in np.eye(3)]
    if loop.kind == "revolute":
        rows += [{**common, "kind": DOT, "u": R_i @ loop.axis_predecessor, "e": e} for e in across]
    return rows


def perpendiculars(axis: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors that form a right-handed frame with `axis`."""
    start = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(axis, start)
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)


def _forces(
    mechanism: Mechanism,
    node: dict[str, int],
    X_MB: dict[str, tuple[Vector, Vector]],
    joint_q: dict[str, slice],
    joint_v: dict[str, slice],
    n_v: int,
) -> Forces:
    def place(body: str, point: Vector) -> tuple[int, Vector]:
        R, p = X_MB[body]
        return node[body], p + R @ point

    springs = record(SPRINGS, len(mechanism.springs))
    for out, spring in zip(springs, mechanism.springs, strict=True):
        out["a"], out["p_a"] = place(spring.body_a, spring.point_a)
        out["b"], out["p_b"] = place(spring.body_b, spring.point_b)
        out["rate"], out["free_length"], out["damping"] = spring.rate, spring.free_length, spring.damping
    joint_springs = record(JOINT_SPRINGS, len(mechanism.joint_springs))
    for out, js in zip(joint_springs, mechanism.joint_springs, strict=True):
        out["q"], out["v"] = joint_q[js.joint].start, joint_v[js.joint].start
        out["rate"], out["rest"], out["damping"] = js.rate, js.rest, js.damping
    constant = record(CONSTANT_FORCES, len(mechanism.forces))
    for out, force in zip(constant, mechanism.forces, strict=True):
        out["node"], out["point"] = place(force.body, force.point)
        R = X_MB[force.body][0] if force.follows else np.eye(3)
        out["force"], out["couple"], out["follows"] = R @ force.force, R @ force.couple, force.follows
    joint_forces = np.zeros(n_v)
    for item in mechanism.joint_forces:
        joint_forces[joint_v[item.joint]] += item.value
    return Forces(springs, joint_springs, constant, joint_forces)
