"""Equations of motion of bodies with absolute coordinates and all joints as constraints [Jain 2016, eq 8; Cameron 2013, eqs 1-4].

    [M  G*] [ alpha   ]   [ f     ]
    [G  0 ] [ -lambda ] = [ -gamma ]                                                (4)

M is block diagonal: inertia about the center of mass and mass of each body. Rows of G belong to joints, loops and couplings, with
phi'' = G alpha + gamma. G is stored as `ENTRIES`, one for each pair of a row and a body.

A body without inertia in some direction has a singular block of M although (4) is regular. M + G* W G in place of M, with the right side
f - G* W gamma, has the same solution. W has weights for the rows of the parent joint of such a body and is zero elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.vectors import symmetric_times
from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, Table, record
from vehicles.multibody.formulations.absolute_coordinates import Absolute
from vehicles.multibody.formulations.absolute_layout import Group
from vehicles.multibody.tree.constraints import DOT, set_gamma, set_jacobian, set_residuals

ENTRIES = (
    # name        shape  unit  description
    ("row", (), "1", "row", "i8"),
    ("body", (), "1", "body, never the world", "i8"),
    ("source", (), "1", "row of `Y` with the entry", "i8"),
    ("half", (), "1", "first column in `Y`: 0 for body i, 6 for body j", "i8"),
    ("coefficient", (), "1", "factor of the entry"),
)

COMBINATIONS = (
    ("first", (), "1", "first of the `TERMS` of the row", "i8"),
    ("last", (), "1", "one past the last term", "i8"),
    ("prescribed", (), "1", "coordinate with a prescribed acceleration, or -1", "i8"),
    ("offset", (), "rad, m", "offset of a coupling"),
)
"""Rows sum c q - offset over joint coordinates: couplings, and prescribed coordinates."""

TERMS = (
    ("v", (), "1", "coordinate", "i8"),
    ("coefficient", (), "1", "coefficient of the coordinate"),
)

SINGULAR = 1e-9
"""A body whose smallest principal moment is below this fraction of the largest has no inertia in some direction."""


class Equations(NamedTuple):
    """G, the right side and the solution. Rows: rows of `Absolute.constraints`, then the combinations.

    Y (n, 12) : sources of the entries: rows of the constraints, then the joint coordinates
    weight (rows,) : W
    feedback (rows,) : added to gamma, an input: feedback of a stabilization on phi''
    alpha (n_bodies, 6) : accelerations of the bodies, at the centers of mass
    multipliers, residual, magnitude (rows,) : lambda; residual of phi'', and the sum of the absolute values of its terms
    """

    entries: Record
    combinations: Record
    terms: Record
    Y: Vector
    weight: Vector
    gamma: Vector
    feedback: Vector
    alpha: Vector
    multipliers: Vector
    residual: Vector
    magnitude: Vector


def allocate_equations(absolute: Absolute, groups: Sequence[Group]) -> tuple[Absolute, Equations, list[list[int]]]:
    """Return the entries of all rows, and the rows of each group.

    The returned absolute coordinates have their Jacobians in the common `Y`.
    """
    n, n_v = absolute.constraints.rows.size, absolute.coordinates.size
    Y = np.zeros((n + n_v, 12))
    entries: list[tuple[int, int, int, int, float]] = []
    combinations: list[tuple[int, int, int, float]] = []
    terms: list[tuple[int, float]] = []
    members = []
    for group in groups:
        rows = list(range(group.first, group.last))
        for r in rows:
            entries += _ends(r, r, absolute.constraints.rows[r], 1.0)
        for combination in group.combinations:
            r = n + len(combinations)
            given = -1 if group.is_loop else combination[0][0]
            combinations.append((len(terms), len(terms) + len(combination), given, group.offset))
            terms += combination
            for v, coefficient in combination:
                entries += _ends(r, n + v, absolute.coordinates[v], coefficient)
            rows.append(r)
        members.append(rows)
    count = n + len(combinations)
    no = np.zeros
    equations = Equations(
        entries=table_of(ENTRIES, entries),
        combinations=table_of(COMBINATIONS, combinations),
        terms=table_of(TERMS, terms),
        Y=Y,
        weight=_weights(absolute, groups, members, count),
        gamma=no(count),
        feedback=no(count),
        alpha=no((absolute.bodies.size, 6)),
        multipliers=no(count),
        residual=no(count),
        magnitude=no(count),
    )
    shared = absolute._replace(Y=Y[n:], constraints=absolute.constraints._replace(Y=Y[:n]))
    return shared, equations, members


def _ends(row: int, source: int, ends: np.void, coefficient: float) -> list[tuple[int, int, int, int, float]]:
    return [(row, int(ends[end]), source, half, coefficient) for end, half in (("i", 0), ("j", 6)) if ends[end]]


def table_of(layout: Table, found: Sequence[tuple[float, ...]]) -> Record:
    """Return records of a table layout, one for each tuple of values."""
    out = record(layout, len(found))
    for k, values in enumerate(found):
        out[k] = values
    return out


def lacks_inertia(absolute: Absolute) -> NDArray[np.bool_]:
    """Return (n_bodies,) True for bodies with a singular block of M."""
    nodes = absolute.tree.nodes
    moments = np.array([_principal_moments(node["inertia"]) for node in nodes])
    lacks = (nodes["mass"] <= 0.0) | (moments[:, 0] <= SINGULAR * moments[:, 2])
    lacks[0] = False
    return lacks


def _principal_moments(I: Vector) -> Vector:
    return np.linalg.eigvalsh([[I[0], I[3], I[4]], [I[3], I[1], I[5]], [I[4], I[5], I[2]]])


def _weights(absolute: Absolute, groups: Sequence[Group], members: list[list[int]], count: int) -> Vector:
    """Return W: weights of the parent joints of bodies without inertia, as large as the mean inertia of the mechanism."""
    weight = np.zeros(count)
    lacks, nodes, n = lacks_inertia(absolute), absolute.tree.nodes, absolute.constraints.rows.size
    mass = float(np.mean(nodes["mass"][1:])) if nodes.size > 1 else 0.0
    moment = float(np.mean(nodes["inertia"][1:, :3])) if nodes.size > 1 else 0.0
    for group, rows in zip(groups, members, strict=True):
        if not group.is_loop and any(lacks[list(group.path)]):
            for r in rows:
                turns = r >= n or absolute.constraints.rows[r]["kind"] == DOT
                weight[r] = (moment if turns else mass) or 1.0
    return weight


@kernel
def set_rows(a, e):
    """Compute G and gamma, after `absolute_coordinates.measure`."""
    n = a.constraints.rows.shape[0]
    set_jacobian(a.constraints, a.tree.motion, 0, n)
    set_gamma(a.constraints, a.tree.motion, 0, n)
    for r in range(n):
        e.gamma[r] = a.constraints.gamma[r] + e.feedback[r]
    for k in range(e.combinations.shape[0]):
        c = e.combinations[k]
        total = e.feedback[n + k]
        for t in range(c["first"], c["last"]):
            total += e.terms[t]["coefficient"] * a.gamma[e.terms[t]["v"]]
        if c["prescribed"] >= 0:
            total -= a.prescribed[c["prescribed"]]
        e.gamma[n + k] = total


@kernel
def set_row_residuals(a, e):
    """Compute `e.residual` of all rows from the positions, after `absolute_coordinates.measure`; zero for prescribed coordinates."""
    n = a.constraints.rows.shape[0]
    set_residuals(a.constraints, a.tree.motion, a.q, 0, n)
    for r in range(n):
        e.residual[r] = a.constraints.residual[r]
    for k in range(e.combinations.shape[0]):
        c = e.combinations[k]
        total = 0.0
        if c["prescribed"] < 0:
            for t in range(c["first"], c["last"]):
                total += e.terms[t]["coefficient"] * a.q[a.coordinates[e.terms[t]["v"]]["q"]]
            total -= c["offset"]
        e.residual[n + k] = total


@kernel
def set_row_rates(a, e):
    """Compute `e.residual` of all rows from the velocities, after `set_rows`; zero for prescribed coordinates."""
    n = a.constraints.rows.shape[0]
    for r in range(e.residual.shape[0]):
        e.residual[r] = a.constraints.nu[r] if r < n else 0.0
    for t in range(e.entries.shape[0]):
        entry = e.entries[t]
        e.residual[entry["row"]] += along(e, entry, a.tree.motion[entry["body"]]["V"])
    for k in range(e.combinations.shape[0]):
        if e.combinations[k]["prescribed"] >= 0:
            e.residual[n + k] = 0.0


@inline
def along(e, entry, s):
    """Return the product of an entry with a six-vector."""
    k, i = entry["source"], entry["half"]
    total = e.Y[k, i] * s[0] + e.Y[k, i + 1] * s[1] + e.Y[k, i + 2] * s[2]
    total += e.Y[k, i + 3] * s[3] + e.Y[k, i + 4] * s[4] + e.Y[k, i + 5] * s[5]
    return entry["coefficient"] * total


@kernel
def set_row_accelerations(e):
    """Compute `e.residual` = G alpha + gamma and `e.magnitude` of all rows."""
    for r in range(e.residual.shape[0]):
        e.residual[r], e.magnitude[r] = e.gamma[r], abs(e.gamma[r])
    for t in range(e.entries.shape[0]):
        entry = e.entries[t]
        part = along(e, entry, e.alpha[entry["body"]])
        e.residual[entry["row"]] += part
        e.magnitude[entry["row"]] += abs(part)


@kernel
def largest_acceleration(a, e):
    """Return the largest term of the accelerations: of the rows, and of applied forces alone; after `set_row_accelerations`."""
    largest = 0.0
    for r in range(e.magnitude.shape[0]):
        largest = max(largest, e.magnitude[r])
    for b in range(1, a.bodies.shape[0]):
        f, mass = a.tree.motion[b]["f"], a.tree.nodes[b]["mass"]
        if mass > 0.0:
            largest = max(largest, max(abs(f[3]), abs(f[4]), abs(f[5])) / mass)
    return largest


@inline
def inertia_times_acceleration(a, b, s):
    """Return M s of body b as six numbers."""
    m, mass = a.tree.motion[b], a.tree.nodes[b]["mass"]
    A = m["A"]
    n = symmetric_times((A[0], A[1], A[2], A[3], A[4], A[5]), (s[0], s[1], s[2]))
    return n[0], n[1], n[2], mass * s[3], mass * s[4], mass * s[5]
