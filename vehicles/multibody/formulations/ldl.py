"""Sparse factorization K = L D L* of the symmetric indefinite matrices of constrained bodies, in blocks of six.

    K = [M  G*]      M positive (semi)definite, G the constraint rows
        [G  0 ]

The pattern is analyzed once (`lay_out_factorization`): the caller numbers the blocks in the order of elimination. A block has up to six
unknowns of one sign (the accelerations of a body, the multipliers of a joint); the fill-in below a block is its border. The numeric
phase takes the pivots in order: D is positive for bodies and negative for rows. A pivot below `DEPENDENT` times its terms counts as zero.
In a row this means that the row depends on previous rows; its multiplier is then zero. (Factors of such
quasidefinite matrices exist for each order: Vanderbei, SIAM J. Optim. 5, 1995; supernodes: Davis, *Direct Methods for Sparse Linear
Systems*, 2006, chapter 4.)

Unknown k of block b has the slot 6 b + k; unused slots of a block stay empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record

Indices = NDArray[np.uint32]
"""Unsigned, so that the compiler does not handle negative indices: a factor of two in speed."""

BLOCK = 6
"""Unknowns of a block: as many as of a rigid body."""

DEPENDENT = 1e-11
"""Pivots below this fraction of the sum of the absolute values of their terms count as zero."""

BLOCKS = (
    # name    shape  unit  description
    ("border", (), "1", "number of rows below the pivots", "i8"),
    ("first", (), "1", "index of the first row in `border`, and of its column in `targets`", "i8"),
)


class Factorization(NamedTuple):
    """The matrix before, L and D after `factorize`.

    Column k of block b is `pivots[b, k]` for the rows of the block, then `panels[b, k]` for the rows of its border; both are views of
    `values`. Entries below the diagonal contain L D, `inverse` (blocks, 6) contains 1 / D, zero without a pivot. `sign` (blocks, 6) is
    the sign of the pivot, 0 for an empty slot. `border` lists the slots of all borders, `targets` the indices in `values` from which the
    products of two border rows are subtracted. `size` (slots,) is the sum of the absolute terms of each diagonal entry; `column` is
    scratch. `dependent` (1,), an input, replaces `DEPENDENT` for rows.
    """

    blocks: Record
    sign: Vector
    border: Indices
    targets: Indices
    values: Vector
    pivots: Vector
    panels: Vector
    inverse: Vector
    size: Vector
    column: Vector
    dependent: Vector


def lay_out_factorization(sizes: Sequence[int], signs: Sequence[int], neighbors: Sequence[set[int]]) -> Factorization:
    """Run the symbolic phase.

    Parameters
    ----------
    sizes : number of unknowns of each block, at most six, in the order of elimination
    signs : +1 for bodies, -1 for rows
    neighbors : for each block the blocks with common entries
    """
    n = len(sizes)
    below = fill_in(neighbors)
    border = [[BLOCK * c + k for c in sorted(below[b]) for k in range(sizes[c])] for b in range(n)]
    first = np.concatenate([[0], np.cumsum([len(slots) for slots in border])]).astype(int)
    width = max((len(slots) for slots in border), default=0)
    blocks = record(BLOCKS, n)
    blocks["border"], blocks["first"] = [len(slots) for slots in border], first[:-1]
    sign = np.zeros((n, BLOCK))
    for b in range(n):
        sign[b, : sizes[b]] = signs[b]
    values = np.zeros(n * BLOCK * (BLOCK + width))
    pivots, panels = values[: n * BLOCK * BLOCK].reshape(n, BLOCK, BLOCK), values[n * BLOCK * BLOCK :].reshape(n, BLOCK, width)
    slots = np.array([slot for slots in border for slot in slots], np.uint32)
    no = np.zeros
    targets = no((slots.size, width), np.uint32)
    f = Factorization(
        blocks=blocks,
        sign=sign,
        border=slots,
        targets=targets,
        values=values,
        pivots=pivots,
        panels=panels,
        inverse=no((n, BLOCK)),
        size=no(n * BLOCK),
        column=no(width),
        dependent=np.full(1, DEPENDENT),
    )
    for b in range(n):
        for j, column in enumerate(border[b]):
            place = place_of_rows(f, column)
            targets[first[b] + j, j : len(border[b])] = [place[row] for row in border[b][j:]]
    return f


def fill_in(neighbors: Sequence[set[int]]) -> list[set[int]]:
    """Return the blocks below each block after elimination of the previous blocks: a block passes its lower blocks to the first of them."""
    below = [{c for c in found if c > b} for b, found in enumerate(neighbors)]
    for b, found in enumerate(neighbors):
        for c in found:
            if c < b:
                below[c].add(b)
    for found in below:
        if found:
            heir = min(found)
            below[heir] |= found - {heir}
    return below


def place_of_rows(f: Factorization, column: int) -> dict[int, int]:
    """Return the index into `f.values` of each row of a column, by slot."""
    b = column // BLOCK
    block, count, width = f.blocks[b], len(f.blocks), f.panels.shape[2]
    border = f.border[block["first"] : block["first"] + block["border"]].tolist()
    places = {BLOCK * b + i: BLOCK * column + i for i in range(BLOCK)}
    return places | {slot: BLOCK * BLOCK * count + width * column + i for i, slot in enumerate(border)}


def entry(f: Factorization, row: int, column: int) -> int:
    """Return the index into `f.values` of the entry of two slots (the stored one of the two symmetric entries)."""
    return place_of_rows(f, min(row, column))[max(row, column)]


@kernel
def clear(f):
    """Set K = 0."""
    for b in range(f.panels.shape[0]):
        for k in range(BLOCK):
            for i in range(BLOCK):
                f.pivots[b, k, i] = 0.0
            for i in range(f.blocks[b]["border"]):
                f.panels[b, k, i] = 0.0


@kernel
def factorize(f):
    """Compute L and D of the matrix in `f.panels`, in place.

    Returns 0, or 1 + the slot of a body whose pivot is not positive (a motion that no inertia resists).
    """
    failed = 0
    for slot in range(f.size.shape[0]):
        f.size[slot] = 0.0
    for b in range(f.panels.shape[0]):
        eliminate_pivots(f, b)
        for k in range(BLOCK):
            if f.sign[b, k] > 0.0 and f.inverse[b, k] == 0.0:
                failed = 1 + BLOCK * b + k
        finish_columns(f, b)
        pass_to_border(f, b)
    return failed


@inline
def eliminate_pivots(f, b):
    """Compute D and L of the block itself."""
    P = f.pivots
    for j in range(BLOCK):
        d = P[b, j, j]
        least = f.dependent[0] if f.sign[b, j] < 0.0 else DEPENDENT
        good = f.sign[b, j] * d > least * (f.size[BLOCK * b + j] + abs(d))
        inverse = 1.0 / d if good else 0.0
        f.inverse[b, j] = inverse
        for k in range(j + 1, BLOCK):
            l = P[b, j, k] * inverse
            f.size[BLOCK * b + k] += abs(l * P[b, j, k])
            for i in range(k, BLOCK):
                P[b, k, i] -= l * P[b, j, i]


@inline
def finish_columns(f, b):
    """Compute L D of the border: the rows are independent, one loop for all."""
    P, B, D = f.pivots, f.panels, f.inverse
    l10, l20, l30, l40, l50 = P[b, 0, 1] * D[b, 0], P[b, 0, 2] * D[b, 0], P[b, 0, 3] * D[b, 0], P[b, 0, 4] * D[b, 0], P[b, 0, 5] * D[b, 0]
    l21, l31, l41, l51 = P[b, 1, 2] * D[b, 1], P[b, 1, 3] * D[b, 1], P[b, 1, 4] * D[b, 1], P[b, 1, 5] * D[b, 1]
    l32, l42, l52 = P[b, 2, 3] * D[b, 2], P[b, 2, 4] * D[b, 2], P[b, 2, 5] * D[b, 2]
    l43, l53 = P[b, 3, 4] * D[b, 3], P[b, 3, 5] * D[b, 3]
    l54 = P[b, 4, 5] * D[b, 4]
    for i in range(f.blocks[b]["border"]):
        c0 = B[b, 0, i]
        c1 = B[b, 1, i] - l10 * c0
        c2 = B[b, 2, i] - l20 * c0 - l21 * c1
        c3 = B[b, 3, i] - l30 * c0 - l31 * c1 - l32 * c2
        c4 = B[b, 4, i] - l40 * c0 - l41 * c1 - l42 * c2 - l43 * c3
        c5 = B[b, 5, i] - l50 * c0 - l51 * c1 - l52 * c2 - l53 * c3 - l54 * c4
        B[b, 1, i], B[b, 2, i], B[b, 3, i], B[b, 4, i], B[b, 5, i] = c1, c2, c3, c4, c5


@inline
def pass_to_border(f, b):
    """Subtract L D L* of the block from the entries between its border rows."""
    B, D, u, n, first = f.panels, f.inverse, f.column, f.blocks[b]["border"], f.blocks[b]["first"]
    for j in range(n):
        c0, c1, c2 = B[b, 0, j], B[b, 1, j], B[b, 2, j]
        c3, c4, c5 = B[b, 3, j], B[b, 4, j], B[b, 5, j]
        l0, l1, l2 = c0 * D[b, 0], c1 * D[b, 1], c2 * D[b, 2]
        l3, l4, l5 = c3 * D[b, 3], c4 * D[b, 4], c5 * D[b, 5]
        f.size[f.border[first + j]] += abs(l0 * c0) + abs(l1 * c1) + abs(l2 * c2) + abs(l3 * c3) + abs(l4 * c4) + abs(l5 * c5)
        for i in range(n):
            u[i] = (l0 * B[b, 0, i] + l1 * B[b, 1, i] + l2 * B[b, 2, i]) + (l3 * B[b, 3, i] + l4 * B[b, 4, i] + l5 * B[b, 5, i])
        for i in range(j, n):
            f.values[f.targets[first + j, i]] -= u[i]


@kernel
def solve(f, x):
    """Replace x (slots,) by the solution of K y = x, zero for rows without a pivot, after `factorize`; empty slots are zero before and
    after.
    """
    for b in range(f.panels.shape[0]):
        forward(f, b, x)
    for n in range(f.panels.shape[0]):
        backward(f, f.panels.shape[0] - 1 - n, x)


@inline
def forward(f, b, x):
    """Compute x = D^-1 L^-1 x, block b."""
    P, B, D, u, n, first, s = f.pivots, f.panels, f.inverse, f.column, f.blocks[b]["border"], f.blocks[b]["first"], BLOCK * b
    y0 = x[s] * D[b, 0]
    y1 = (x[s + 1] - P[b, 0, 1] * y0) * D[b, 1]
    y2 = (x[s + 2] - P[b, 0, 2] * y0 - P[b, 1, 2] * y1) * D[b, 2]
    y3 = (x[s + 3] - P[b, 0, 3] * y0 - P[b, 1, 3] * y1 - P[b, 2, 3] * y2) * D[b, 3]
    y4 = (x[s + 4] - P[b, 0, 4] * y0 - P[b, 1, 4] * y1 - P[b, 2, 4] * y2 - P[b, 3, 4] * y3) * D[b, 4]
    y5 = (x[s + 5] - P[b, 0, 5] * y0 - P[b, 1, 5] * y1 - P[b, 2, 5] * y2 - P[b, 3, 5] * y3 - P[b, 4, 5] * y4) * D[b, 5]
    x[s], x[s + 1], x[s + 2], x[s + 3], x[s + 4], x[s + 5] = y0, y1, y2, y3, y4, y5
    for i in range(n):
        u[i] = (y0 * B[b, 0, i] + y1 * B[b, 1, i] + y2 * B[b, 2, i]) + (y3 * B[b, 3, i] + y4 * B[b, 4, i] + y5 * B[b, 5, i])
    for i in range(n):
        x[f.border[first + i]] -= u[i]


@inline
def backward(f, b, x):
    """Compute x = L^-* x, block b."""
    P, B, D, first, s = f.pivots, f.panels, f.inverse, f.blocks[b]["first"], BLOCK * b
    t0, t1, t2, t3, t4, t5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(f.blocks[b]["border"]):
        y = x[f.border[first + i]]
        t0 += B[b, 0, i] * y
        t1 += B[b, 1, i] * y
        t2 += B[b, 2, i] * y
        t3 += B[b, 3, i] * y
        t4 += B[b, 4, i] * y
        t5 += B[b, 5, i] * y
    y5 = x[s + 5] - D[b, 5] * t5
    y4 = x[s + 4] - D[b, 4] * (t4 + P[b, 4, 5] * y5)
    y3 = x[s + 3] - D[b, 3] * (t3 + P[b, 3, 5] * y5 + P[b, 3, 4] * y4)
    y2 = x[s + 2] - D[b, 2] * (t2 + P[b, 2, 5] * y5 + P[b, 2, 4] * y4 + P[b, 2, 3] * y3)
    y1 = x[s + 1] - D[b, 1] * (t1 + P[b, 1, 5] * y5 + P[b, 1, 4] * y4 + P[b, 1, 3] * y3 + P[b, 1, 2] * y2)
    y0 = x[s] - D[b, 0] * (t0 + P[b, 0, 5] * y5 + P[b, 0, 4] * y4 + P[b, 0, 3] * y3 + P[b, 0, 2] * y2 + P[b, 0, 1] * y1)
    x[s], x[s + 1], x[s + 2], x[s + 3], x[s + 4], x[s + 5] = y0, y1, y2, y3, y4, y5


def operations(f: Factorization) -> tuple[int, int]:
    """Return the number of entries of L below its diagonal and of multiplications of one factorization, without empty slots."""
    stored = products = 0
    for block, sign in zip(f.blocks, f.sign, strict=True):
        for k in range(int(np.count_nonzero(sign))):
            rows = int(np.count_nonzero(sign)) - 1 - k + int(block["border"])
            stored, products = stored + rows, products + rows * (rows + 1) // 2
    return stored, products
