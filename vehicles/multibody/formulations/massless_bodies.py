"""Massless couplers in formulations that want every joint of the cut tree, or every body by itself, to move some inertia.

A coupler without mass, a rod without moment about its own axis: what resists them are other bodies, by way of the loops. M is singular and

    [M   Gc*] [ v'     ]   [ f      ]
    [Gc  0  ] [-lambda ] = [ -gamma ]

is regular all the same. Such bodies are lent an inertia E, and the force that it takes is given back with the accelerations of the last turn,

    (M + E) v'_n+1 - Gc* lambda_n+1 = f + E v'_n,     Gc v'_n+1 = -gamma

(the proximal point iteration, R. T. Rockafellar, SIAM J. Control Optim. 14, 1976). Where it stands still E is gone from the equations. Of the
error, the part e' E e / e' (M + E) e is left from turn to turn for each admissible motion e: about `SHARE` where other bodies move with the
borrower, all of it where nothing but borrowers move. That is how a mechanism is told that is truly singular: its second solution,
from other accelerations to begin with, is another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from vehicles.multibody.tree.articulated_body import accelerate_nodes
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import move, set_velocities

Vector = NDArray[np.float64]
Evaluate = Callable[[Vector, Vector, Vector], int]
"""(q, v, accel) -> status, 0 or below when it has solved."""

SHARE = 1e-4
"""What is lent, as a part of the mean mass and moment of the mechanism: small for few turns, large enough to be seen beside rounding."""
THIN = 1e-9
"""A body whose smallest moment of inertia is below this part of the largest borrows too."""
TURNS = 200
"""Turns at most. More would be needed where the borrowers move some hundred times as fast as all that has mass."""
SETTLED = 1e-13
"""Change between two turns, as a part of the largest acceleration, at which the iteration stands still."""
ROUNDING = 1e3
"""A change up to so many times `SETTLED` may be rounding, when it no longer falls."""
SAME = 1e-7
"""Difference of two solutions, as a part of the largest acceleration, from which on they are two."""


class LentInertia:
    """Evaluations that lend inertia where they must, and not before.

    Parameters
    ----------
    system : laid-out mechanism
    copies : (records, index) : further records of the same bodies by which a formulation computes, as the index of every node of the tree there
    """

    def __init__(self, system: System, copies: Sequence[tuple[Record, NDArray[np.int64]]] = ()) -> None:
        nodes = system.parts.tree.nodes
        self.system = system
        self._nodes = np.array([k for k in sorted(system.node.values()) if k > 0 and _borrows(nodes[k])], int)
        self._mass, self._moment = _usual(nodes)
        self._lent_mass = np.where(nodes["mass"][self._nodes] > 0.0, 0.0, self._mass)
        self._records = [(nodes, self._nodes), *((record, index[self._nodes]) for record, index in copies)]
        self._refused = 0
        self._is_regular = False

    def solve(self, evaluate: Evaluate, q: Vector, v: Vector, accel: Vector) -> int:
        """Overwrite accel (n_v,) but for prescribed coordinates, by `evaluate` alone as long as it finds inertia everywhere, else by turns.

        The first time that it takes turns it looks for a second solution; later only whether the turns lead anywhere.
        `system.parts.wrenches` is read and comes back as it was.

        Returns what `evaluate` does; above zero it is where a mechanism that is singular with all its loops was refused first.
        """
        given = accel.copy()
        if not self._refused:
            status = evaluate(q, v, accel)
            if status <= 0 or not self._nodes.size:
                return status
            self._refused = status
        wrenches = self.system.parts.wrenches.copy()
        try:
            with self._lent():
                status = self._turn(evaluate, q, v, accel, wrenches, given, given)
                if status <= 0 and not self._is_regular:
                    other = np.zeros_like(accel)
                    again = self._turn(evaluate, q, v, other, wrenches, given, self._elsewhere(given))
                    self._is_regular = again <= 0 and bool(np.abs(other - accel).max(initial=0.0) <= SAME * _size(accel))
                    return status if self._is_regular else self._refused
                return status
        finally:
            self.system.parts.wrenches[:] = wrenches

    def _elsewhere(self, given: Vector) -> Vector:
        """(n_v,) other accelerations to begin with, none like another; the prescribed ones as given."""
        nodes = self.system.parts.tree.nodes
        prescribed = np.repeat(nodes["prescribed"] > 0, np.diff(np.append(nodes["v"], given.size)))
        return np.where(prescribed, given, 1.0 + np.sin(1.0 + np.arange(given.size)))

    def _turn(self, evaluate: Evaluate, q: Vector, v: Vector, accel: Vector, wrenches: Vector, given: Vector, start: Vector) -> int:
        """The iteration from the accelerations `start` (n_v,); what `evaluate` returns in the end, or above zero when it leads nowhere."""
        last, before = start, np.inf
        for _ in range(TURNS):
            self.system.parts.wrenches[:] = wrenches
            self._give_back(q, v, last)
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
    def _lent(self) -> Iterator[None]:
        """Mass and inertia of the borrowers raised, as long as the block lasts."""
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

    def _give_back(self, q: Vector, v: Vector, accel: Vector) -> None:
        """Add to the wrenches what the lent inertias take at these accelerations, gravity on them included."""
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


def _borrows(node: np.void) -> bool:
    """Whether a body has no inertia in some direction."""
    if node["mass"] <= 0.0:
        return True
    I = node["inertia"]
    moments = np.linalg.eigvalsh([[I[0], I[3], I[4]], [I[3], I[1], I[5]], [I[4], I[5], I[2]]])
    return bool(moments[0] <= THIN * moments[2])


def _usual(nodes: Record) -> tuple[float, float]:
    """`SHARE` of the mean mass [kg] and of the mean moment [kg m2] of the bodies that have any, about the joints that carry them."""
    heavy = nodes[1:][nodes["mass"][1:] > 0.0]
    if not heavy.size:
        return SHARE, SHARE
    moments = heavy["inertia"][:, :3].sum(axis=1) + 2.0 * heavy["mass"] * (heavy["com"] ** 2).sum(axis=1)
    moment = float(moments.mean()) / 3.0
    return SHARE * float(heavy["mass"].mean()), SHARE * (moment or float(heavy["mass"].mean()))


def _size(accel: Vector) -> float:
    return max(1e-3, float(np.abs(accel).max(initial=0.0)))
