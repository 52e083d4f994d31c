"""Check of a mechanism in one state (`jounce mechanism FILE`): mobility, redundant constraints, aggregated bodies, closure, accelerations.

A state given in the file must satisfy the loop closures. Without a given state, with single joints changed by `--set`, and with
`--assemble`, the loops are closed first, and the report says so.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.json_output import json_text
from simulator.tools.mechanism.initial_state import assembled, closed_state, read_start
from vehicles.multibody.description.initial_state import InitialState
from vehicles.multibody.description.mechanism import WORLD, Joint, Mechanism, MechanismError
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.formulations.kinds import make_formulation
from vehicles.multibody.loops.analysis import Mobility, mobility
from vehicles.multibody.loops.constraint_jacobian import position_residuals, velocity_residuals
from vehicles.multibody.tree.body_motion import mechanical_energy
from vehicles.multibody.tree.coordinates import velocity_coordinates
from vehicles.multibody.tree.system import Dimensions, System, build_system
from vehicles.multibody.tree.tree import advance_positions

COMPARED = ("ce", "ta", "fa")
"""Formulations of the option value `all`; the report shows the accelerations of the first one."""
AGREEMENT = 1e-9
"""Maximum difference between formulations, relative to the larger of 1 and the maximum acceleration."""
BALANCE_TOLERANCE = 1e-6
"""m, and fraction of the moment across the axis: tolerance of the balance of a wheel."""
MAX_NAMES = 8
"""Maximum number of names in one line of the report."""


@dataclass(frozen=True)
class AggregatedBody:
    """Bodies coupled by loops, their parent body, these loops, and the coordinates chosen as independent."""

    bodies: tuple[str, ...]
    parent: str
    loops: tuple[str, ...]
    independent: tuple[str, ...]


class EulerCount(NamedTuple):
    """Coordinates of the tree as counted in [Deyo 1989, section 3.3.3], and their constraints.

    The coordinates include prescribed ones and the four Euler parameters of free and spherical joints. The constraints are those of loops
    and couplings, norms of Euler parameters, and prescribed coordinates.
    """

    coordinates: int
    constraints: int
    norms: int
    prescribed: int


@dataclass(frozen=True)
class Findings:
    """Properties of a mechanism in the state q (n_q,), v (n_v,).

    moved : maximum residual before assembly [m, rad], None for a state that satisfied the closures
    left : loops that are singular at zero coordinates, if the state was moved away from zero
    closure, opening : residual [m, rad] and its rate of each loop and coupling, by name
    accel : (n_v,) accelerations by the first of `formulations`
    energy : kinetic and potential [J]
    formulations : dimensions, and difference of the accelerations from those of the first formulation, by name
    refused : error message of each formulation that failed, by name
    """

    system: System
    q: Vector
    v: Vector
    moved: float | None
    left: tuple[str, ...]
    mobility: Mobility
    aggregated: tuple[AggregatedBody, ...]
    closure: dict[str, float]
    opening: dict[str, float]
    accel: Vector
    energy: tuple[float, float]
    formulations: dict[str, tuple[Dimensions, float]]
    refused: dict[str, str]

    @property
    def euler(self) -> EulerCount:
        """Counts of coordinates and constraints with attitudes as Euler parameters."""
        norms = sum(joint.kind in ("free", "spherical") for joint in self.system.mechanism.joints)
        prescribed = self.system.n_v - self.mobility.coordinates
        return EulerCount(self.system.n_q, self.mobility.constraints + norms + prescribed, norms, prescribed)

    @property
    def agree(self) -> bool:
        """Return whether all formulations that succeeded agree."""
        return all(difference <= AGREEMENT for _, difference in self.formulations.values())


def main_mechanism(arguments: argparse.Namespace) -> int:
    """Print the report of a mechanism file; return 1 if formulations disagree, else 0.

    Raises ConfigError or MechanismError : unreadable file; state that is open, singular or contradictory.
    """
    start = read_start(arguments.file, arguments.state, arguments.set, arguments.assemble, arguments.free)
    names = COMPARED if arguments.formulation == "all" else (arguments.formulation,)
    findings = inspect_mechanism(start.mechanism, start.state, names, start.may_assemble, start.hold, start.may_leave)
    print(json_text(to_dict(findings)) if arguments.json else to_text(findings))
    return 0 if findings.agree else 1


def inspect_mechanism(
    mechanism: Mechanism,
    state: InitialState,
    formulations: Sequence[str],
    may_assemble: bool = False,
    hold: tuple[str, ...] | None = None,
    may_leave: bool = False,
) -> Findings:
    """Compute all properties of a mechanism in a state.

    Parameters
    ----------
    formulations : short names, see `formulations.FORMULATIONS`
    may_assemble : close open loops, with the joints in `hold` fixed (None: the declared independent joints, if possible)
    may_leave : move a singular configuration away from zero coordinates

    Raises
    ------
    MechanismError : the state is open and cannot be closed, or is singular, or all formulations fail
    """
    system = build_system(mechanism)
    q, v, prescribed, moved = closed_state(system, state, may_assemble, hold)
    mobility_found, left = mobility(system, q), tuple[str, ...]()
    if mobility_found.singular and may_leave:
        left = mobility_found.loops
        q, v, moved = assembled(system, _displaced(system), v, ())
        mobility_found = mobility(system, q)
    if mobility_found.singular:
        loops = ", ".join(repr(name) for name in mobility_found.loops)
        raise MechanismError(
            f"{mechanism.file}: singular configuration: {loops} neither close nor open; hint: --set JOINT=VALUE changes it",
            mobility_found.loops,
        )
    results, refused = _solved(system, (q, v, prescribed), formulations)
    accel = next(iter(results.values()))[0]
    return Findings(
        system=system,
        q=q,
        v=v,
        moved=moved,
        left=left,
        mobility=mobility_found,
        aggregated=aggregated_bodies(system, q),
        closure=_by_loop(system, position_residuals(system, q)),
        opening=_by_loop(system, velocity_residuals(system, q, v)),
        accel=accel,
        energy=mechanical_energy(system, q, v),
        formulations={name: (dimensions, _difference(own, accel)) for name, (own, dimensions) in results.items()},
        refused=refused,
    )


def _solved(
    system: System, state: tuple[Vector, Vector, Vector], formulations: Sequence[str]
) -> tuple[dict[str, tuple[Vector, Dimensions]], dict[str, str]]:
    """Return accelerations and dimensions of the formulations that succeed, and the errors of the others.

    Raises MechanismError if all fail.
    """
    q, v, prescribed = state
    results, errors = {}, {}
    for name in formulations:
        try:
            solver = make_formulation(name, system)
            results[name] = solver.accelerations(q, v, prescribed=prescribed), solver.dimensions
        except MechanismError as error:
            errors[name] = error
    if not results:
        raise next(iter(errors.values()))
    return results, {name: str(error).removeprefix(f"{system.mechanism.file}: ") for name, error in errors.items()}


def _displaced(system: System) -> Vector:
    """Return coordinates (n_q,) with each joint at a different distance from zero; free bodies stay, because loops seldom depend on their
    pose.
    """
    q, v = np.zeros(system.n_q), 0.4 * np.sin(1.0 + np.arange(system.n_v))
    for joint in system.mechanism.joints:
        if joint.kind == "free":
            v[system.joint_v[joint.name]] = 0.0
    advance_positions(system.parts.tree, system.neutral(), v, 1.0, q)
    return q


def _difference(accel: Vector, reference: Vector) -> float:
    return float(np.abs(accel - reference).max(initial=0.0) / max(1.0, float(np.abs(reference).max(initial=0.0))))


def _by_loop(system: System, residual: Vector) -> dict[str, float]:
    """Return the maximum residual of each loop and coupling."""
    out = dict.fromkeys(system.loop_names, 0.0)
    for row, value in zip(system.parts.constraints.rows, residual, strict=True):
        name = system.loop_names[row["loop"]]
        out[name] = max(out[name], abs(float(value)))
    return out


def wheels(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the bodies that can only spin on their carrier: balanced rotors on a revolute joint, without children and outside all loops."""
    holding = {joint.parent for joint in mechanism.joints}
    holding |= {end for loop in mechanism.loops for end in (loop.predecessor, loop.successor)}
    bodies = {body.name: body for body in mechanism.bodies}
    names = []
    for joint in mechanism.joints:
        if joint.kind == "revolute" and joint.parent != WORLD and joint.child not in holding and _is_rotor(bodies[joint.child], joint):
            names.append(joint.child)
    return tuple(names)


def _is_rotor(body: RigidBody, joint: Joint) -> bool:
    """Return whether a body with mass and a moment about the axis of its joint is unchanged by rotation about the axis."""
    axis, arm = joint.R_BM @ joint.axes[0], body.p_BoBcm - joint.p_BM
    I = body.I_BBcm
    along = float(axis @ I @ axis)
    across = 0.5 * (float(np.trace(I)) - along)
    is_round = np.abs(I - along * np.outer(axis, axis) - across * (np.eye(3) - np.outer(axis, axis))).max() <= BALANCE_TOLERANCE * across
    return bool(body.mass > 0.0 and along > 0.0 and np.linalg.norm(np.cross(axis, arm)) <= BALANCE_TOLERANCE and is_round)


def aggregated_bodies(system: System, q: Vector) -> tuple[AggregatedBody, ...]:
    """Return the aggregated bodies of a mechanism, and their independent coordinates chosen by `ConstraintEmbedding` at q (n_q,)."""
    independent = set(ConstraintEmbedding(system, q).independent.tolist())
    nodes, rows = system.parts.tree.nodes, system.parts.constraints.rows
    body_of, coordinates = {node: name for name, node in system.node.items()}, velocity_coordinates(system)
    out = []
    for cluster in system.clusters:
        if cluster.row0 < cluster.row1:
            members = range(cluster.first, cluster.last)
            joints = {system.node_names[k] for k in members}
            out.append(
                AggregatedBody(
                    tuple(body_of[k] for k in members if k in body_of),
                    body_of[int(nodes["parent"][cluster.first : cluster.last].min())],
                    tuple(dict.fromkeys(system.loop_names[row["loop"]] for row in rows[cluster.row0 : cluster.row1])),
                    tuple(c.label for c in coordinates if c.joint in joints and c.index in independent),
                )
            )
    return tuple(out)


def to_dict(findings: Findings) -> dict[str, Any]:
    """Return the JSON data: names as in the file, SI units and radians, coordinates as defined by `mechanism.Joint`."""
    system, mechanism, m = findings.system, findings.system.mechanism, findings.mobility
    return {
        "file": mechanism.file,
        "name": mechanism.name,
        "bodies": len(mechanism.bodies),
        "wheels": list(wheels(mechanism)),
        "joints": dict(Counter(joint.kind for joint in mechanism.joints)),
        "loops": dict(Counter(loop.kind for loop in mechanism.loops)),
        "couplings": len(mechanism.couplings),
        "tree_coordinates": m.coordinates,
        "prescribed_coordinates": system.n_v - m.coordinates,
        "constraints": m.constraints,
        "redundant_constraints": m.redundant,
        "degrees_of_freedom": m.degrees_of_freedom,
        "euler_parameters": {"coordinates": findings.euler.coordinates, "constraints": findings.euler.constraints},
        "aggregated_bodies": [
            {"bodies": body.bodies, "parent": body.parent, "loops": body.loops, "independent": body.independent}
            for body in findings.aggregated
        ],
        "assembled_from": findings.moved,
        "singular_at_zero": findings.left,
        "closure": findings.closure,
        "opening": findings.opening,
        "energy": {"kinetic": findings.energy[0], "potential": findings.energy[1]},
        "state": {
            name: {
                "position": findings.q[system.joint_q[name]].tolist(),
                "rate": findings.v[system.joint_v[name]].tolist(),
                "acceleration": findings.accel[system.joint_v[name]].tolist(),
            }
            for name in _moving(findings)
        },
        "formulations": {
            name: {"coordinates": size.coordinates, "constraints": size.constraints, "difference": difference}
            for name, (size, difference) in findings.formulations.items()
        },
        "refused": findings.refused,
        "agree": findings.agree,
    }


def _moving(findings: Findings) -> list[str]:
    """Return the joints with coordinates, in the order of the file."""
    at = findings.system.joint_v
    return [joint.name for joint in findings.system.mechanism.joints if at[joint.name].stop > at[joint.name].start]


def to_text(findings: Findings) -> str:
    """Return the console report."""
    mechanism = findings.system.mechanism
    joints = Counter(joint.kind for joint in mechanism.joints)
    loops = Counter(loop.kind for loop in mechanism.loops)
    m = findings.mobility
    sum_of = f"{m.coordinates} coordinates of the tree - {m.constraints} constraints + {m.constraints - m.rank} redundant"
    rolling, euler = wheels(mechanism), findings.euler
    bodies = _count(len(mechanism.bodies), "body", "bodies")
    if rolling:
        bodies = f"{_count(len(mechanism.bodies) - len(rolling), 'body', 'bodies')} and {_count(len(rolling), 'wheel', 'wheels')}"
    lines = [
        f"{mechanism.file}: {mechanism.name}",
        f"  {bodies}; joints: {_kinds(joints)}; loops: {_kinds(loops)}; couplings: {len(mechanism.couplings)}",
        f"  {sum_of} = {_count(m.degrees_of_freedom, 'degree', 'degrees')} of freedom",
    ]
    if euler.norms:
        parts = f"{m.constraints} of loops, {euler.norms} of norms, {euler.prescribed} prescribed"
        lines.append(f"  with Euler parameters: {euler.coordinates} coordinates, {euler.constraints} constraints ({parts})")
    if m.redundant:
        lines.append("  redundant: " + _some(f"{count} of {name!r}" for name, count in m.redundant.items()))
    for body in findings.aggregated:
        lines.append(f"  aggregated body on {body.parent}: {_some(body.bodies)}")
        lines.append(f"    bound by {_some(map(repr, body.loops))}; independent: {_some(body.independent)}")
    if findings.left:
        lines.append(f"  singular at zero coordinates: {_some(map(repr, findings.left))}; moved to another position")
    if findings.closure:
        closed, opening = max(findings.closure.values()), max(findings.opening.values())
        start = "" if findings.moved is None else f"assembled from a gap of {findings.moved:.3g}; now "
        lines.append(f"  loops: {start}closed to {closed:.1e} (m, rad), rates to {opening:.1e}")
    lines.append(f"  energy: kinetic {findings.energy[0]:.6g} J, potential {findings.energy[1]:.6g} J")
    lines += ["", *_table(findings), "", *_comparison(findings)]
    return "\n".join(lines)


def _some(names: Iterable[str]) -> str:
    """Join names; of a long list the first names, the count of omitted names, and the last name."""
    every = list(names)
    if len(every) > MAX_NAMES:
        every[MAX_NAMES - 2 : -1] = [f"... {len(every) - MAX_NAMES + 1} more ..."]
    return ", ".join(every) or "none"


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def _kinds(kinds: Counter[str]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "none"


def _table(findings: Findings) -> list[str]:
    """Return the table of position, rate and acceleration of each joint."""
    system = findings.system
    rows = [["joint", "position", "rate", "acceleration"]]
    for name in _moving(findings):
        i, j = system.joint_q[name], system.joint_v[name]
        rows.append([name, *(_numbers(x, at) for x, at in ((findings.q, i), (findings.v, j), (findings.accel, j)))])
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    return ["  " + "  ".join([row[0].ljust(widths[0])] + [row[k].rjust(widths[k]) for k in (1, 2, 3)]) for row in rows]


def _numbers(values: Vector, at: slice) -> str:
    """Format numbers; rounding errors, relative to the largest number, as 0, and NaN as "nan"."""
    noise = 1e-13 * max(1.0, float(np.abs(values[np.isfinite(values)]).max(initial=0.0)))
    return " ".join("0" if abs(x) <= noise else f"{x:.6g}" for x in values[at])


def _comparison(findings: Findings) -> list[str]:
    """Return the table of dimensions and acceleration differences of the formulations."""
    first = next(iter(findings.formulations))
    lines = []
    for name, (size, difference) in findings.formulations.items():
        verdict = "the accelerations above" if name == first else f"differs by {difference:.1e}"
        lines.append(f"  {name:<9}  {size.coordinates:>4} coordinates  {size.constraints:>4} constraints  {verdict}")
    lines += [f"  {name:<9}  refuses: {why}" for name, why in findings.refused.items()]
    if not findings.agree:
        lines.append(f"  FAIL: the accelerations of the formulations differ by more than {AGREEMENT:.0e}")
    return lines
