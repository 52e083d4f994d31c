"""Mobility of a mechanism: degrees of freedom, redundant constraints, and singular configurations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from vehicles.multibody.loops.constraint_jacobian import (
    free_coordinates,
    joint_jacobian,
    loops_of,
    velocity_products,
)
from vehicles.multibody.tree.system import System

RANK = 1e-5
"""Singular values of Gc below this fraction of the maximum count as zero.

Near a singular configuration, closure to 1e-10 m determines the configuration only to 1e-5.
"""
OBSTRUCTION = 1e-3
"""Minimum residual of redundant rows, relative to the magnitude of their terms, at which they obstruct an admissible velocity."""
TRIALS = 4
"""Number of random admissible velocities in addition to the basis.

The obstruction is quadratic, so a random velocity almost surely shows it.
"""
NAMED = 0.05
"""Minimum contribution of the rows of a loop at which the error names the loop."""


@dataclass(frozen=True)
class Mobility:
    """Result of `mobility` at one configuration.

    Attributes
    ----------
    coordinates : number of coordinates of the tree that are not prescribed
    constraints : number of rows of all loops and couplings
    rank : number of independent rows at this configuration
    redundant : loops and couplings with redundant rows, with their number, for example {"knee": 1}
    singular : whether the configuration is singular
    loops : the loops that cause the singularity
    """

    coordinates: int
    constraints: int
    rank: int
    redundant: dict[str, int]
    singular: bool
    loops: tuple[str, ...]

    @property
    def degrees_of_freedom(self) -> int:
        """Number of independent velocities."""
        return self.coordinates - self.rank


def mobility(system: System, q: Vector) -> Mobility:
    """Count the degrees of freedom at the closed configuration q (n_q,) and check whether the configuration is singular.

    Redundant rows alone are no sign of a singularity: rows of Bricard's mechanism are redundant everywhere on its path. A configuration is
    singular when the rows admit, to first order, velocities that they obstruct to second order. With N the admissible velocities (Gc N =
    0) and U the redundant combinations (U* Gc = 0), a motion with the velocity v = N s needs accelerations with Gc v' = -Gc' v, so

        U* Gc' v = 0

    for each admissible v. Where this fails, the rank at q is lower than around q, or q is an isolated configuration. (Second-order
    mobility, as for frameworks: Connelly and Whiteley, SIAM J. Discrete Math. 9, 1996.) Prescribed coordinates and driven points
    are fixed.
    """
    free = free_coordinates(system)
    G = joint_jacobian(system, q)[:, free]
    U, values, Vt = np.linalg.svd(G) if G.size else (np.eye(len(G)), np.zeros(0), np.eye(G.shape[1]))
    rank = int((values > RANK * values.max(initial=0.0)).sum())
    left, right = U[:, rank:], Vt[rank:].T
    obstruction = _obstruction(system, q, left, right, free)
    return Mobility(
        coordinates=int(free.sum()),
        constraints=len(G),
        rank=rank,
        redundant=_redundant_rows(system, G, rank),
        singular=obstruction is not None,
        loops=() if obstruction is None else loops_of(system, obstruction, NAMED * float(np.abs(obstruction).max())),
    )


def _obstruction(system: System, q: Vector, left: Vector, right: Vector, free: NDArray[np.bool_]) -> Vector | None:
    """Return (rows,) the obstruction of the most obstructed trial velocity by the redundant combinations, or None without obstruction."""
    if not left.size or not right.size:
        return None
    mixed = np.random.default_rng(0).normal(size=(right.shape[1], TRIALS))
    found, worst = None, OBSTRUCTION
    for s in np.hstack([np.eye(right.shape[1]), mixed / np.linalg.norm(mixed, axis=0)]).T:
        v = np.zeros(system.n_v)
        v[free] = right @ s
        second, magnitude = velocity_products(system, q, v)
        opposed = left @ (left.T @ second)
        part = float(np.abs(opposed).max()) / max(float(magnitude.max()), 1e-300)
        if part > worst:
            found, worst = opposed, part
    return found


def _redundant_rows(system: System, G: Vector, rank: int) -> dict[str, int]:
    """Return the number of rows that remain after elimination with the largest remaining row as pivot, by loop."""
    rest, left = G.copy(), list(range(len(G)))
    for _ in range(rank):
        pivot = max(left, key=lambda c: (float(rest[c] @ rest[c]), -c))
        left.remove(pivot)
        direction = rest[pivot] / np.linalg.norm(rest[pivot])
        rest[left] -= np.outer(rest[left] @ direction, direction)
    out: dict[str, int] = {}
    for c in left:
        name = system.loop_names[system.parts.constraints.rows[c]["loop"]]
        out[name] = out.get(name, 0) + 1
    return out
