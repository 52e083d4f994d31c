"""Sparse solution of the augmented equations: L D L* of the full matrix of (4), with bodies and rows in alternation.

Order of elimination: bodies from the tips of the tree to its base, after each body the rows of its parent joint, then the rows of
the loops and couplings whose last body, except their common ancestor, was this body. All fill-in stays on the path between the ends of a
loop.

In this order a row without a pivot is redundant. Each connected part of the eliminated bodies is attached to only one remaining body,
because a loop is eliminated after all bodies below its common ancestor. If a row depends on previous rows with respect to the eliminated
bodies, it also depends on them with respect to the remaining body, because rows between bodies are invariant to a common motion of the
bodies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record
from vehicles.multibody.formulations.absolute_coordinates import Absolute
from vehicles.multibody.formulations.absolute_layout import Group
from vehicles.multibody.formulations.augmented_equations import (
    Equations,
    inertia_times_acceleration,
    largest_acceleration,
    set_row_accelerations,
    table_of,
)
from vehicles.multibody.formulations.ldl import BLOCK, Factorization, clear, entry, factorize, lay_out_factorization, solve
from vehicles.multibody.tree.constraints import contradicts

REFINE = 1e-13
"""Residual of a row, as a fraction of the largest acceleration, above which the solution is refined."""

PLACES = (
    # name        shape  unit  description
    ("row_slot", (), "1", "slot of the row", "i8"),
    ("body_slot", (), "1", "first slot of the body", "i8"),
    ("place", (), "1", "index of the first number of the entry in the matrix", "i8"),
    ("step", (), "1", "index step to the next number", "i8"),
)
"""Indices of the entries of G in the matrix, in the order of `augmented_equations.ENTRIES`."""

PRODUCTS = (
    ("first", (), "1", "entry of the body that is eliminated first", "i8"),
    ("second", (), "1", "entry of the other body, or the first entry again", "i8"),
    ("place", (), "1", "index of their product in the matrix", "i8"),
    ("down", (), "1", "step from one number of the first entry to the next", "i8"),
    ("right", (), "1", "step from one number of the second entry to the next", "i8"),
)
"""Products of entries in G* W G."""


class Sparse(NamedTuple):
    """Matrix and unknowns. `row_slots` (rows,), `body_slots` (n_bodies,) are indices of rows and bodies in x and b (slots,)."""

    factorization: Factorization
    places: Record
    products: Record
    row_slots: NDArray[np.int64]
    body_slots: NDArray[np.int64]
    x: Vector
    b: Vector


def allocate_sparse(absolute: Absolute, equations: Equations, groups: Sequence[Group], members: Sequence[list[int]]) -> Sparse:
    """Return the workspace: order of elimination, pattern and indices."""
    touched: dict[int, set[int]] = {r: set() for r in range(equations.gamma.size)}
    for item in equations.entries:
        touched[int(item["row"])].add(int(item["body"]))
    blocks = list(_blocks(absolute.bodies.size, groups, members))
    row_slots, body_slots = np.zeros(equations.gamma.size, int), np.zeros(absolute.bodies.size, int)
    for number, (body, rows) in enumerate(blocks):
        if body:
            body_slots[body] = BLOCK * number
        row_slots[rows] = BLOCK * number + np.arange(len(rows))
    neighbors = [{int(body_slots[body]) // BLOCK for r in rows for body in touched[r]} for _, rows in blocks]
    for r in np.flatnonzero(equations.weight):
        bound = {int(body_slots[body]) // BLOCK for body in touched[int(r)]}
        neighbors[min(bound)] |= bound - {min(bound)}
    sizes = [BLOCK if body else len(rows) for body, rows in blocks]
    f = lay_out_factorization(sizes, [1 if body else -1 for body, _ in blocks], neighbors)
    places = []
    for item in equations.entries:
        row, body = int(row_slots[item["row"]]), int(body_slots[item["body"]])
        place = entry(f, row, body)
        places.append((row, body, place, entry(f, row, body + 1) - place))
    slots = f.size.size
    return Sparse(f, table_of(PLACES, places), _products(f, equations, body_slots), row_slots, body_slots, np.zeros(slots), np.zeros(slots))


def _blocks(n_bodies: int, groups: Sequence[Group], members: Sequence[list[int]]) -> list[tuple[int, list[int]]]:
    """Return (body, no rows) and (0, rows) in the order of elimination."""
    out: list[tuple[int, list[int]]] = []
    for body in range(n_bodies - 1, 0, -1):
        out.append((body, []))
        out += [(0, rows) for group, rows in zip(groups, members, strict=True) if min(group.path) == body]
    return out


def _products(f: Factorization, equations: Equations, body_slots: NDArray[np.int64]) -> Record:
    found = []
    for r in np.flatnonzero(equations.weight):
        own = [int(t) for t in np.flatnonzero(equations.entries["row"] == r)]
        for first in own:
            for second in own:
                i, j = (int(body_slots[equations.entries[t]["body"]]) for t in (first, second))
                if i < j or (i == j and first == second):
                    place = entry(f, i, j)
                    found.append((first, second, place, entry(f, i + 1, j + 1) - entry(f, i, j + 1), entry(f, i, j + 1) - place))
    return table_of(PRODUCTS, found)


@kernel
def solve_sparse(a, e, s):
    """Compute `e.alpha` and `e.multipliers` from rows and forces (`augmented_equations.set_rows`, `absolute_coordinates.finish_forces`).

    Returns 0, the body with a motion that no inertia resists, or -1 - r for a redundant row r that contradicts the others.
    """
    assemble(a, e, s)
    failed = factorize(s.factorization)
    if failed != 0:
        return body_at(s, failed - 1)
    set_right_side(a, e, s)
    solve(s.factorization, s.x)
    read_solution(e, s)
    set_row_accelerations(e)
    worst, largest = 0.0, largest_acceleration(a, e)
    for r in range(e.gamma.shape[0]):
        if is_redundant(s, r) and contradicts(e.residual[r], largest):
            return -1 - r
        worst = max(worst, abs(e.residual[r]))
    if worst > REFINE * largest:
        refine(a, e, s)
    return 0


@inline
def body_at(s, slot):
    """Return the body of a slot."""
    for b in range(1, s.body_slots.shape[0]):
        if s.body_slots[b] == slot // BLOCK * BLOCK:
            return b
    return 0


@inline
def is_redundant(s, r):
    """Return whether row r has no pivot."""
    slot = s.row_slots[r]
    return s.factorization.inverse[slot // BLOCK, slot % BLOCK] == 0.0


@kernel
def assemble(a, e, s):
    """Compute the matrix of (4), with G* W G added to M."""
    f = s.factorization
    clear(f)
    for b in range(1, s.body_slots.shape[0]):
        P, A = f.pivots[s.body_slots[b] // BLOCK], a.tree.motion[b]["A"]
        P[0, 0], P[1, 1], P[2, 2], P[0, 1], P[0, 2], P[1, 2] = A[0], A[1], A[2], A[3], A[4], A[5]
        for i in range(3, BLOCK):
            P[i, i] = a.tree.nodes[b]["mass"]
    for t in range(e.entries.shape[0]):
        item, place = e.entries[t], s.places[t]
        for i in range(BLOCK):
            f.values[place["place"] + i * place["step"]] += item["coefficient"] * e.Y[item["source"], item["half"] + i]
    for p in range(s.products.shape[0]):
        product = s.products[p]
        first, second = e.entries[product["first"]], e.entries[product["second"]]
        weight = e.weight[first["row"]] * first["coefficient"] * second["coefficient"]
        same = product["first"] == product["second"]
        for i in range(BLOCK):
            for j in range(i if same else 0, BLOCK):
                place = product["place"] + i * product["down"] + j * product["right"]
                f.values[place] += weight * e.Y[first["source"], first["half"] + i] * e.Y[second["source"], second["half"] + j]


@kernel
def set_right_side(a, e, s):
    """Set b = [f; -gamma] and x = b with - G* W gamma added."""
    for b in range(1, s.body_slots.shape[0]):
        for i in range(BLOCK):
            s.b[s.body_slots[b] + i] = a.tree.motion[b]["f"][i]
    for r in range(e.gamma.shape[0]):
        s.b[s.row_slots[r]] = -e.gamma[r]
    for slot in range(s.x.shape[0]):
        s.x[slot] = s.b[slot]
    weigh(e, s)


@inline
def weigh(e, s):
    """Add G* W times x of the rows to x of the bodies."""
    for t in range(e.entries.shape[0]):
        item, place = e.entries[t], s.places[t]
        weight = e.weight[item["row"]]
        if weight != 0.0:
            pull = weight * item["coefficient"] * s.x[place["row_slot"]]
            for i in range(BLOCK):
                s.x[place["body_slot"] + i] += pull * e.Y[item["source"], item["half"] + i]


@kernel
def read_solution(e, s):
    """Read `e.alpha` and `e.multipliers` from x."""
    for b in range(1, s.body_slots.shape[0]):
        for i in range(BLOCK):
            e.alpha[b, i] = s.x[s.body_slots[b] + i]
    for r in range(e.multipliers.shape[0]):
        e.multipliers[r] = -s.x[s.row_slots[r]]


@kernel
def refine(a, e, s):
    """Run one step of iterative refinement, after `set_row_accelerations`."""
    for slot in range(s.x.shape[0]):
        s.x[slot] = 0.0
    for b in range(1, s.body_slots.shape[0]):
        force = inertia_times_acceleration(a, b, e.alpha[b])
        for i in range(BLOCK):
            s.x[s.body_slots[b] + i] = a.tree.motion[b]["f"][i] - force[i]
    for t in range(e.entries.shape[0]):
        item, place = e.entries[t], s.places[t]
        pull = item["coefficient"] * e.multipliers[item["row"]]
        for i in range(BLOCK):
            s.x[place["body_slot"] + i] += pull * e.Y[item["source"], item["half"] + i]
    for r in range(e.gamma.shape[0]):
        s.x[s.row_slots[r]] = -e.residual[r]
    weigh(e, s)
    solve(s.factorization, s.x)
    for b in range(1, s.body_slots.shape[0]):
        for i in range(BLOCK):
            e.alpha[b, i] += s.x[s.body_slots[b] + i]
    for r in range(e.multipliers.shape[0]):
        e.multipliers[r] -= s.x[s.row_slots[r]]
