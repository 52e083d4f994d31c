"""Exact solver of small dense quadratic programs without heap: a dual active-set method on the Gram matrix of the constraints.

A strictly convex program with two-sided constraints becomes the search for the point of least norm

    minimize |v|^2 / 2 + sum e_k^2 / (2 r_k)    subject to    low_k <= M_k v + e_k <= high_k

with one slack e_k per row. A row with r_k = 0 is hard (e_k = 0); the independent bounds of the variables are. With multipliers y of the active rows W (signed by side),
v = -M_W^T y and (G_W + diag r_W) y = -bounds, G = M M^T. So an iteration reads only G, which is constant for a plan, and the factors L D L^T of
G_W + diag r_W, which grow by a row when a constraint becomes active. The dual value rises in every iteration, thus no set repeats, and
the result is exact: all conditions of the optimum hold to TIGHT.

Source: Goldfarb and Idnani, A numerically stable dual method for solving strictly convex quadratic programs, 1983; form with least distance and L D L^T
after Arnstrom, Bemporad and Axehill, A dual active-set solver for embedded quadratic programming using recursive LDL^T updates, 2022.
differs: products with G instead of M; a factor is computed again below a removed row; slack per row.
"""

from __future__ import annotations

from simulator.base.jit import inline, kernel
from simulator.base.records import Table

TIGHT = 1e-9
"""1. Largest violation of a constraint and of the sign of a multiplier in a result, in the units of v."""
PIVOT = 1e-13
"""1. Smallest pivot of L D L^T: below it a row depends on the active ones to rounding, and is not added."""


def work_table(rows: int, active: int) -> Table:
    """Return the table of the work space for a number of constraints and a largest number of active ones; the active set is kept for the next start."""
    return (
        ("active_count", (), "1", "number of active constraints", "i8"),
        ("active", (active,), "1", "their rows", "i8"),
        ("side", (active,), "1", "1 at the upper bound, -1 at the lower bound"),
        ("multiplier", (active,), "1", "y, not negative"),
        ("candidate", (active,), "1", "work: multipliers of the present set"),
        ("factor_l", (active, active), "1", "L, unit lower"),
        ("factor_d", (active,), "1", "D"),
        ("value", (rows,), "1", "M v of the result"),
        ("is_active", (rows,), "1", "1 for an active row", "i8"),
        ("iterations", (), "1", "iterations of the last program", "i8"),
    )


@inline
def _factor_row(w, gram, softness, k):
    """Compute row k of L and D of the active constraints from the rows above; return the pivot."""
    L, D, row, side = w["factor_l"], w["factor_d"], w["active"][k], w["side"][k]
    for j in range(k):
        total = side * w["side"][j] * gram[row, w["active"][j]]
        for n in range(j):
            total -= L[k, n] * D[n] * L[j, n]
        L[k, j] = total / D[j]
    pivot = gram[row, row] + softness[row]
    for n in range(k):
        pivot -= L[k, n] * L[k, n] * D[n]
    D[k] = pivot
    return pivot


@inline
def _solve_active(w, low, high):
    """Compute the candidate multipliers of the active constraints: (G_W + diag r) y = -bounds."""
    L, D, y, count = w["factor_l"], w["factor_d"], w["candidate"], w["active_count"]
    for k in range(count):
        row = w["active"][k]
        total = -high[row] if w["side"][k] > 0.0 else low[row]
        for n in range(k):
            total -= L[k, n] * y[n]
        y[k] = total
    for k in range(count):
        y[k] /= D[k]
    for back in range(count):
        k = count - 1 - back
        for n in range(k + 1, count):
            y[k] -= L[n, k] * y[n]


@inline
def _remove(w, gram, softness, k):
    """Remove active constraint k and compute the factors below it again."""
    w["is_active"][w["active"][k]] = 0
    count = w["active_count"] - 1
    for j in range(k, count):
        w["active"][j], w["side"][j], w["multiplier"][j] = w["active"][j + 1], w["side"][j + 1], w["multiplier"][j + 1]
    w["active_count"] = count
    for j in range(k, count):
        _factor_row(w, gram, softness, j)


@inline
def _blocking(w):
    """Return the active constraint whose multiplier reaches zero first on the way to the candidate, -1 if none does, and the part of the way."""
    first, part = -1, 1.0
    for k in range(w["active_count"]):
        if w["candidate"][k] < -TIGHT:
            ratio = w["multiplier"][k] / (w["multiplier"][k] - w["candidate"][k])
            if first < 0 or ratio < part:
                first, part = k, ratio
    return first, part


@inline
def _worst(w, gram, low, high, rows):
    """Compute M v of the present multipliers; return the most violated inactive row, -1 if none is, and its side."""
    worst, most, side = -1, TIGHT, 1.0
    for row in range(rows):
        total = 0.0
        for k in range(w["active_count"]):
            total -= w["side"][k] * w["multiplier"][k] * gram[w["active"][k], row]
        w["value"][row] = total
        if w["is_active"][row] == 0:
            if total - high[row] > most:
                worst, most, side = row, total - high[row], 1.0
            if low[row] - total > most:
                worst, most, side = row, low[row] - total, -1.0
    return worst, side


@kernel
def solve_program(w, gram, softness, low, high, rows, limit):
    """Solve a program, starting with the active set in `w` (`work_table`, one record); return True if the result is exact.

    gram (rows, rows), softness (rows,) r : constant as long as `w` keeps its active set; low and high (rows,) : the bounds, low <= high;
    limit : largest number of iterations. Without an exact result, the active set is empty afterwards, and the caller keeps what it had.
    """
    kept, w["iterations"] = w["active_count"], 0
    for k in range(kept):  # their factors are still valid, because gram and softness are constant
        w["multiplier"][k] = 0.0
    while w["iterations"] < limit:
        w["iterations"] += 1
        _solve_active(w, low, high)
        first, part = _blocking(w)
        if first >= 0:
            for k in range(w["active_count"]):
                w["multiplier"][k] += part * (w["candidate"][k] - w["multiplier"][k])
            _remove(w, gram, softness, first)
            continue
        for k in range(w["active_count"]):
            w["multiplier"][k] = max(0.0, w["candidate"][k])
        row, side = _worst(w, gram, low, high, rows)
        if row < 0:
            return True
        k = w["active_count"]
        if k == len(w["active"]):
            break
        w["active"][k], w["side"][k], w["multiplier"][k] = row, side, 0.0
        if not _factor_row(w, gram, softness, k) > PIVOT:
            break
        w["is_active"][row], w["active_count"] = 1, k + 1
    for k in range(w["active_count"]):
        w["is_active"][w["active"][k]] = 0
    w["active_count"] = 0
    return False
