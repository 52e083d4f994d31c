"""Conversion of a system to bodies with absolute coordinates: joints of the tree become rows between two bodies [Suspension interpolation,
eqs 3-8].

revolute    3 POINT, 2 DOT of the axis         universal   3 POINT, 1 DOT of the two axes
prismatic   2 POINT across the axis, 3 DOT     spherical   3 POINT
fixed       3 POINT, 3 DOT                     free        none
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.records import Record, record
from vehicles.multibody.description.topology import path_between
from vehicles.multibody.formulations.absolute_coordinates import BODIES, COORDINATES, SLIDE, TURN, Absolute
from vehicles.multibody.tree.constraints import COUPLING, DOT, POINT, ROWS, TERMS, Constraints
from vehicles.multibody.tree.forces import Forces
from vehicles.multibody.tree.system import System, loop_rows, perpendiculars
from vehicles.multibody.tree.tree import FIXED, FREE, MOTION, NODES, PRISMATIC, REVOLUTE, SPHERICAL, Tree

WORLD_AXES = np.eye(3)


@dataclass(frozen=True)
class Group:
    """Rows of one joint, loop or coupling, eliminated together after all bodies of `path`.

    Rows first..last-1 of `Absolute.constraints`, and combinations of coordinates: for each further row its coordinates with coefficients.
    """

    name: str
    path: frozenset[int]
    first: int
    last: int
    combinations: tuple[tuple[tuple[int, float], ...], ...] = ()
    offset: float = 0.0
    is_loop: bool = True


@dataclass(frozen=True)
class _Joint:
    """A joint between the bodies i (child) and j: its nodes, and its frame F in j with the origin relative to the center of mass of j."""

    i: int
    j: int
    nodes: list[int]
    R_jF: Vector
    p_jF: Vector
    p_i: Vector


def convert_to_absolute(system: System) -> tuple[Absolute, tuple[Group, ...]]:
    """Return bodies, coordinates and rows of a system, and the groups of rows: joints outward from the world, then loops and couplings."""
    nodes, parts = system.parts.tree.nodes, system.parts
    body_nodes = sorted(system.node[body.name] for body in system.mechanism.bodies)
    body_of = _bodies_of_nodes(nodes, body_nodes)
    bodies, tree = _bodies(nodes, body_nodes)
    joints = list(_joints(nodes, body_nodes, body_of))
    coordinates = record(COORDINATES, system.n_v)
    rows: list[dict[str, Any]] = []
    groups: list[Group] = []
    for joint in joints:
        _write_coordinates(coordinates, nodes, joint)
        first = len(rows)
        rows += _joint_rows(nodes, joint)
        given = tuple(((v, 1.0),) for k in joint.nodes if nodes[k]["prescribed"] for v in _velocities(nodes, k))
        if given or len(rows) > first:
            groups.append(Group(system.node_names[joint.nodes[0]], frozenset({joint.i}), first, len(rows), given, is_loop=False))
    for group, found in _closures(system, nodes, body_of, bodies):
        groups.append(replace(group, first=len(rows), last=len(rows) + len(found)))
        rows += found
    n, n_v = len(rows), system.n_v
    table = record(ROWS, n)
    for out, row in zip(table, rows, strict=True):
        out["driven"] = -1
        for name, value in row.items():
            out[name] = value
    no = np.zeros
    constraints = Constraints(table, record(TERMS, 0), parts.constraints.driven, no((n, 12)), no(n), no(n), no(n))
    absolute = Absolute(
        bodies=bodies,
        tree=tree,
        coordinates=coordinates,
        constraints=constraints,
        forces=_forces(parts.forces, body_of, bodies),
        Y=no((n_v, 12)),
        q=system.neutral(),
        v=no(n_v),
        T=no(n_v),
        gamma=no(n_v),
        prescribed=no(n_v),
        wrenches=no((bodies.size, 6)),
    )
    return absolute, tuple(groups)


def _bodies_of_nodes(nodes: Record, body_nodes: list[int]) -> list[int]:
    """Return the body of each node; the first half of a universal joint belongs to the body of the second half."""
    body_of = [0] * nodes.size
    for body, k in enumerate(body_nodes, start=1):
        body_of[k] = body
        parent = int(nodes["parent"][k])
        if parent and parent not in body_nodes:
            body_of[parent] = body
    return body_of


def _bodies(nodes: Record, body_nodes: list[int]) -> tuple[Record, Tree]:
    bodies = record(BODIES, len(body_nodes) + 1)
    tree = Tree(record(NODES, bodies.size), record(MOTION, bodies.size))
    for b, k in enumerate(body_nodes, start=1):
        bodies[b]["node"], bodies[b]["com"] = k, nodes[k]["com"]
        for name in ("mass", "inertia", "massless"):
            tree.nodes[b][name] = nodes[k][name]
    tree.motion[0]["R"] = WORLD_AXES
    return bodies, tree


def _joints(nodes: Record, body_nodes: list[int], body_of: list[int]) -> Iterator[_Joint]:
    for k in body_nodes:
        parent = int(nodes["parent"][k])
        own = [k] if body_of[parent] != body_of[k] else [parent, k]
        below = int(nodes["parent"][own[0]])
        base = nodes[own[0]]
        yield _Joint(body_of[k], body_of[below], own, base["R_PF"].copy(), base["p_PF"] - nodes[below]["com"], -nodes[k]["com"])


def _velocities(nodes: Record, k: int) -> range:
    start = int(nodes["v"][k])
    return range(start, start + {FIXED: 0, REVOLUTE: 1, PRISMATIC: 1, SPHERICAL: 3, FREE: 6}[int(nodes["kind"][k])])


def _joint_rows(nodes: Record, joint: _Joint) -> list[dict[str, Any]]:
    """Return the POINT and DOT rows of a joint; the node axes of the child are the axes of the moving frame M of the joint."""
    kind, last = int(nodes[joint.nodes[0]]["kind"]), nodes[joint.nodes[-1]]
    ends = {"i": joint.i, "j": joint.j}
    meet = [{**ends, "kind": POINT, "p_i": joint.p_i, "p_j": joint.p_jF, "e": e} for e in joint.R_jF.T]
    hold = [{**ends, "kind": DOT, "u": WORLD_AXES[k], "e": joint.R_jF[:, (k + 1) % 3]} for k in range(3)]
    axis = joint.R_jF @ nodes[joint.nodes[0]]["axis"]
    if len(joint.nodes) == 2:
        return [*meet, {**ends, "kind": DOT, "u": last["axis"], "e": axis}]
    if kind == REVOLUTE:
        return meet + [{**ends, "kind": DOT, "u": last["axis"], "e": e} for e in perpendiculars(axis)]
    if kind == PRISMATIC:
        return [{**meet[0], "e": e} for e in perpendiculars(axis)] + hold
    return {SPHERICAL: meet, FIXED: meet + hold, FREE: []}[kind]


def _write_coordinates(coordinates: Record, nodes: Record, joint: _Joint) -> None:
    for stage, k in enumerate(joint.nodes):
        node, v = nodes[k], int(nodes[k]["v"])
        kind = int(node["kind"])
        axes = {
            REVOLUTE: [node["axis"]],
            PRISMATIC: [node["axis"]],
            SPHERICAL: list(WORLD_AXES),
            FREE: [*WORLD_AXES, *WORLD_AXES],
            FIXED: [],
        }
        for n, axis in enumerate(axes[kind]):
            out = coordinates[v + n]
            out["kind"] = SLIDE if kind == PRISMATIC or n >= 3 else TURN
            out["i"], out["j"], out["q"] = joint.i, joint.j, -1
            in_child = kind == SPHERICAL or stage == 1
            out["carrier"] = joint.i if in_child else joint.j
            out["axis"] = axis if in_child or kind == FREE else joint.R_jF @ axis
            out["p_i"], out["p_j"] = joint.p_i, joint.p_jF
        if stage == 0 and len(joint.nodes) == 2:
            coordinates[v]["cross"] = k
        if kind in (REVOLUTE, PRISMATIC) and len(joint.nodes) == 1:
            across = perpendiculars(node["axis"])[0]
            coordinates[v]["q"], coordinates[v]["mark_i"], coordinates[v]["mark_j"] = node["q"], across, joint.R_jF @ across


def _closures(system: System, nodes: Record, body_of: list[int], bodies: Record) -> Iterator[tuple[Group, list[dict[str, Any]]]]:
    """Return the groups of loops and couplings, with the rows of the loops."""
    parent, mechanism, parts = nodes["parent"].tolist(), system.mechanism, system.parts
    for loop in mechanism.loops:
        ends = []
        for name in (loop.predecessor, loop.successor):
            k, (R, p) = system.node[name], system.X_MB[name]
            ends.append((body_of[k], (R, p - nodes[k]["com"])))
        rows = loop_rows(loop, *ends)
        for row in rows:
            row["driven"] = system.driven.get(loop.name, -1)
        path = path_between(parent, system.node[loop.predecessor], system.node[loop.successor])
        yield Group(loop.name, frozenset(body_of[k] for k in path), 0, 0), rows
    for coupling in parts.constraints.rows[parts.constraints.rows["kind"] == COUPLING]:
        terms = parts.constraints.terms[coupling["first"] : coupling["last"]]
        bound = [int(k) for k in terms["node"]]
        path = set(bound).union(*(path_between(parent, bound[0], k) for k in bound[1:]))
        combination = tuple((int(term["v"]), float(term["coefficient"])) for term in terms)
        yield (
            Group(
                system.loop_names[coupling["loop"]], frozenset(body_of[k] for k in path), 0, 0, (combination,), float(coupling["offset"])
            ),
            [],
        )


def _forces(forces: Forces, body_of: list[int], bodies: Record) -> Forces:
    """Return the forces with bodies in place of nodes and points relative to the centers of mass."""
    springs, level_springs, constant = forces.springs.copy(), forces.level_springs.copy(), forces.constant.copy()
    level_springs["base"] = [body_of[node] for node in level_springs["base"]]
    both = (("a", "p_a"), ("b", "p_b"))
    for table, ends in ((springs, both), (level_springs, both), (constant, (("node", "point"),))):
        for out in table:
            for end, point in ends:
                body = body_of[out[end]]
                out[end], out[point] = body, out[point] - bodies[body]["com"]
    return forces._replace(springs=springs, level_springs=level_springs, constant=constant)
