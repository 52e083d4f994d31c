"""Names and units of the coordinates of a mechanism, and their characteristic lengths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Vector
from vehicles.multibody.description.mechanism import Joint
from vehicles.multibody.tree.constraints import COUPLING, DOT
from vehicles.multibody.tree.system import Cluster, System
from vehicles.multibody.tree.tree import POSITIONS, move

AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Coordinate:
    """A coordinate: label (joint name, with an index for several coordinates), joint, index in q or v, unit (rad, m or 1)."""

    label: str
    joint: str
    index: int
    unit: str


def velocity_coordinates(system: System) -> tuple[Coordinate, ...]:
    """Return the n_v coordinates whose rates are v, joint by joint as in the file: `crank`, `cardan[0]`, `chassis.z`, `hip.rx`.

    `hip.rx` is the rotation of a spherical or free joint about x: of the child axes if spherical, of the world axes if free.
    """
    return _labeled(system, system.joint_v, _velocities)


def position_coordinates(system: System) -> tuple[Coordinate, ...]:
    """Return the n_q coordinates of q, joint by joint as in the file; quaternions have the names `hip.qw`, `hip.qx` ..."""
    return _labeled(system, system.joint_q, _positions)


def _labeled(system, places, parts) -> tuple[Coordinate, ...]:  # type: ignore[no-untyped-def]
    found = []
    for joint in system.mechanism.joints:
        start = places[joint.name].start if joint.name in places else 0
        for i, (suffix, unit) in enumerate(parts(joint)):
            found.append(Coordinate(joint.name + suffix, joint.name, start + i, unit))
    return tuple(found)


def _velocities(joint: Joint) -> list[tuple[str, str]]:
    turns, travels = [(f".r{axis}", "rad") for axis in AXES], [(f".{axis}", "m") for axis in AXES]
    return {"spherical": turns, "free": turns + travels}.get(joint.kind) or _scalars(joint)


def _positions(joint: Joint) -> list[tuple[str, str]]:
    quaternion, travels = [(f".q{part}", "1") for part in ("w", *AXES)], [(f".{axis}", "m") for axis in AXES]
    return {"spherical": quaternion, "free": travels + quaternion}.get(joint.kind) or _scalars(joint)


def _scalars(joint: Joint) -> list[tuple[str, str]]:
    return {"revolute": [("", "rad")], "prismatic": [("", "m")], "universal": [("[0]", "rad"), ("[1]", "rad")]}.get(joint.kind, [])


def size_of(system: System, cluster: Cluster, q: Vector) -> float:
    """Return the diagonal [m] of the bounding box of the constraint points of an aggregated body and the joints between them."""
    tree = system.parts.tree
    move(tree, np.asarray(q, float))
    points = [tree.motion["p"][k] for k in range(cluster.first, cluster.last) if POSITIONS[tree.nodes[k]["kind"]] != 7]
    for row in system.parts.constraints.rows[cluster.row0 : cluster.row1]:
        for end in ("i", "j"):
            m = tree.motion[row[end]]
            points.append(m["p"] + m["R"] @ row[f"p_{end}"])
    size = float(np.linalg.norm(np.ptp(np.array(points), axis=0))) if points else 0.0
    return size if size > 0.0 else 1.0


def coordinate_units(system: System, q: Vector) -> Vector:
    """Return (n_v,) the scale of each velocity coordinate: the size [m] of its aggregated body at q (n_q,) for a length, else 1."""
    units = np.ones(system.n_v)
    lengths = [c.index for c in velocity_coordinates(system) if c.unit == "m"]
    nodes = system.parts.tree.nodes
    for cluster in system.clusters:
        if cluster.row0 < cluster.row1:
            first = int(nodes["v"][cluster.first])
            last = int(nodes["v"][cluster.last]) if cluster.last < nodes.size else system.n_v
            units[[i for i in lengths if first <= i < last]] = size_of(system, cluster, q)
    return units


def row_units(system: System, q: Vector) -> Vector:
    """Return (rows,) the scale of each constraint row: the size [m] of its aggregated body at q (n_q,) for a length, else 1."""
    kinds = system.parts.constraints.rows["kind"]
    units = np.ones(kinds.size)
    for cluster in system.clusters:
        if cluster.row0 < cluster.row1:
            units[cluster.row0 : cluster.row1] = size_of(system, cluster, q)
    return np.where((kinds == DOT) | (kinds == COUPLING), 1.0, units)


def smallest_unit(system: System, q: Vector) -> float:
    """Return the smallest scale of the rows, at most 1, so that a residual of the smallest aggregated body is small relative to its size
    [m].
    """
    return float(row_units(system, q).min(initial=1.0))
