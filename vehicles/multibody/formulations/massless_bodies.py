"""Massless bodies in formulations in which each joint of the cut tree, or each body, must move some inertia.

For a coupler without mass, or a rod without moment about its own axis, the inertia of other bodies acts through the loops. M is singular
and

    [M   Gc*] [ v'     ]   [ f      ]
    [Gc  0  ] [-lambda ] = [ -gamma ]

is regular nevertheless. Such bodies get an artificial inertia E, and its force at the accelerations of the last iteration is compensated,

    (M + E) v'_n+1 - Gc* lambda_n+1 = f + E v'_n,     Gc v'_n+1 = -gamma

(the proximal point iteration, R. T. Rockafellar, SIAM J. Control Optim. 14, 1976). At convergence E has no effect on the solution. Each
iteration leaves the fraction e' E e / e' (M + E) e of the error for each admissible motion e. This fraction is about `FRACTION` where
other bodies move with the massless body, and 1 where only massless bodies move. So a second solution, started at other accelerations,
detects truly singular mechanisms: the solutions differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from simulator.base.records import Record
from vehicles.multibody.tree.articulated_body import accelerate_nodes
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import move, set_velocities

Evaluate = Callable[[Vector, Vector, Vector], int]
"""(q, v, accel) -> status, 0 or below for success."""

FRACTION = 1e-4
"""Artificial inertia, as a fraction of the mean mass and moment of the mechanism: small for few iterations, large compared with rounding.
"""
THIN = 1e-9
"""A body whose smallest principal moment is below this fraction of the largest gets artificial inertia, too."""
MAX_ITERATIONS = 200
"""Maximum number of iterations. More would be needed for massless bodies that move some hundred times as fast as all bodies with mass."""
SETTLED = 1e-13
"""Change between two iterations, as a fraction of the largest acceleration, at convergence."""
ROUNDING = 1e3
"""Changes up to this multiple of `SETTLED` may be rounding errors when they no longer decrease."""
DISTINCT = 1e-7
"""Minimum difference of two distinct solutions, as a fraction of the largest acceleration."""


class ArtificialInertia:
    """Evaluations that add artificial inertia only when necessary.

    Parameters
    ----------
    system : mechanism as flat records
    copies : (records, index) : further records of the same bodies in a formulation, and the index of each node of the tree in them
    """

    def __init__(self, system: System, copies: Sequence[tuple[Record, NDArray[np.int64]]] = ()) -> None:
        nodes = system.parts.tree.nodes
        self.system = system
        self._nodes = np.array([k for k in sorted(system.node.values()) if k > 0 and _lacks_inertia(nodes[k])], int)
        self._mass, self._moment = _artificial_inertia(nodes)
        self._lent_mass = np.where(nodes["mass"][self._nodes] > 0.0, 0.0, self._mass)
        self._records = [(nodes, self._nodes), *((record, index[self._nodes]) for record, index in copies)]
        self._refused = 0
        self._is_regular = False

    def solve(self, evaluate: Evaluate, q: Vector, v: Vector, accel: Vector) -> int:
        """Overwrite accel (n_v,) except for prescribed coordinates: with `evaluate` alone if all inertias are positive, else by iteration.

        The first iterative solution includes the search for a second solution; later ones only check convergence.
        `system.parts.wrenches` is an input and restored at the end.

        Returns the result of `evaluate`; above zero it is the first failing node of a mechanism that is singular with all its loops.
        """
        given = accel.copy()
        if not self._refused:
            status = evaluate(q, v, accel)
            if status <= 0 or not self._nodes.size:
                return status
            self._refused = status
        wrenches = self.system.parts.wrenches.copy()
        try:
            with self._with_artificial_inertia():
                status = self._iterate(evaluate, q, v, accel, wrenches, given, given)
                if status <= 0 and not self._is_regular:
                    other = np.zeros_like(accel)
                    again = self._iterate(evaluate, q, v, other, wrenches, given, self._other_start(given))
                    self._is_regular = again <= 0 and bool(np.abs(other - accel).max(initial=0.0) <= DISTINCT * _size(accel))
                    return status if self._is_regular else self._refused
                return status
        finally:
            self.system.parts.wrenches[:] = wrenches

    def _other_start(self, given: Vector) -> Vector:
        """Return (n_v,) other initial accelerations, all different; the prescribed ones as given."""
        nodes = self.system.parts.tree.nodes
        prescribed = np.repeat(nodes["prescribed"] > 0, np.diff(np.append(nodes["v"], given.size)))
        return np.where(prescribed, given, 1.0 + np.sin(1.0 + np.arange(given.size)))

    def _iterate(self, evaluate: Evaluate, q: Vector, v: Vector, accel: Vector, wrenches: Vector, given: Vector, start: Vector) -> int:
        """Iterate from the accelerations `start` (n_v,); return the last result of `evaluate`, or a number above zero without convergence."""
        last, before = start, np.inf
        for _ in range(MAX_ITERATIONS):
            self.system.parts.wrenches[:] = wrenches
            self._compensate(q, v, last)
            accel[:] = given
            status = evaluate(q, v, accel)
            change = float(np.abs(accel - last).max(initial=0.0)) / _size(accel)
            if status > 0 or not np.isfinite(change):
                break
            if change <= SETTLED or (change <= ROUNDING * SETTLED and change > 0.5 * before):
                return status
            last, before = accel.copy(), change
        return self._refused

    @contextmanager
    def _with_artificial_inertia(self) -> Iterator[None]:
        """Add artificial mass and inertia to the massless bodies within the context."""
        before = [record[index].copy() for record, index in self._records]
        for record, index in self._records:
            record["mass"][index] += self._lent_mass
            record["inertia"][index, :3] += self._moment
            record["massless"][index] = 0
        try:
            yield
        finally:
            for (record, index), kept in zip(self._records, before, strict=True):
                record[index] = kept

    def _compensate(self, q: Vector, v: Vector, accel: Vector) -> None:
        """Add the forces of the artificial inertias at these accelerations, including gravity on them, to the wrenches."""
        parts = self.system.parts
        move(parts.tree, q)
        set_velocities(parts.tree, v)
        accelerate_nodes(parts.tree, accel)
        m = parts.tree.motion[self._nodes]
        w, alpha = m["V"][:, :3], m["alpha"][:, :3]
        c = np.einsum("nij,nj->ni", m["R"], parts.tree.nodes["com"][self._nodes])
        a = m["alpha"][:, 3:] + np.cross(alpha, c) + np.cross(w, np.cross(w, c))
        F = self._lent_mass[:, None] * (a - parts.gravity)
        parts.wrenches[self._nodes, :3] += self._moment * alpha + np.cross(c, F)
        parts.wrenches[self._nodes, 3:] += F


def _lacks_inertia(node: np.void) -> bool:
    """Return whether a body has no inertia in some direction."""
    if node["mass"] <= 0.0:
        return True
    I = node["inertia"]
    moments = np.linalg.eigvalsh([[I[0], I[3], I[4]], [I[3], I[1], I[5]], [I[4], I[5], I[2]]])
    return bool(moments[0] <= THIN * moments[2])


def _artificial_inertia(nodes: Record) -> tuple[float, float]:
    """Return `FRACTION` of the mean mass [kg] and of the mean moment [kg m2] of the bodies with inertia, about their parent joints."""
    heavy = nodes[1:][nodes["mass"][1:] > 0.0]
    if not heavy.size:
        return FRACTION, FRACTION
    moments = heavy["inertia"][:, :3].sum(axis=1) + 2.0 * heavy["mass"] * (heavy["com"] ** 2).sum(axis=1)
    moment = float(moments.mean()) / 3.0
    return FRACTION * float(heavy["mass"].mean()), FRACTION * (moment or float(heavy["mass"].mean()))


def _size(accel: Vector) -> float:
    return max(1e-3, float(np.abs(accel).max(initial=0.0)))
