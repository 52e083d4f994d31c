"""The curve of closed configurations along which a mechanism moves when all of its freedoms but one are held.

Around a regular configuration the n + 1 coordinates that may move obey n independent constraints, G dq = 0, and the null vector of G is
the tangent of the curve. The curve is followed by pseudo-arclength continuation (H. B. Keller, "Numerical solution of bifurcation and
nonlinear eigenvalue problems", 1977): a step along the tangent, then Newton's method in the plane across it. So the coordinate s that one
thinks of as the input may turn around on the way: where its part of the tangent vanishes, the loop is at a dead point and closes for no
larger s. Where G itself loses rank, branches of the motion cross, and the mechanism may go on in another way than it came.

Lengths are counted in units of the size of the mechanism, so that a step is of radians, whatever the coordinates are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.formulations.embedding import dependent_columns
from vehicles.multibody.loops.constraint_jacobian import joint_jacobian, position_residuals
from vehicles.multibody.tree.coordinates import Coordinate, row_units, size_of, velocity_coordinates
from vehicles.multibody.tree.system import Cluster, System
from vehicles.multibody.tree.tree import VELOCITIES, advance_positions

Vector = NDArray[np.float64]

CLOSED = 1e-14
"""Residual, in sizes of the mechanism, at which Newton's method stops."""
ROUNDING = 1e-11
"""The same, when no step makes it smaller any more."""
STEPS = 12
"""Newton steps before a try is given up; three are usual."""
NEGLIGIBLE = 1e-12
"""Singular values below this part of the largest belong to redundant rows."""
CROSSING = 1e-5
"""Singular values of G below this part of the largest count as zero at the start: a configuration closed to 1e-10 is known to 1e-5 next to
a singular one."""


class Configuration(NamedTuple):
    """A point of the curve.

    q (n_q,) coordinates; s input coordinate; tangent (n + 1,) unit vector over the coordinates that move, lengths in sizes of the
    mechanism; pivots (n,) singular values of G, the last one vanishes where branches cross; gap largest residual [m, rad].
    """

    q: Vector
    s: float
    tangent: Vector
    pivots: Vector
    gap: float

    @property
    def pivot(self) -> float:
        """The smallest pivot, in parts of the largest; 1 without any."""
        return float(self.pivots[-1] / self.pivots[0]) if self.pivots.size else 1.0


class MotionCurve:
    """The curve through a closed configuration, for one input coordinate.

    Parameters
    ----------
    system : laid-out mechanism; its records are used as scratch
    q : (n_q,) closed configuration
    index : index in v of the input coordinate
    held : (n_held,) indices in v of the coordinates of its aggregated body that stay as they are (chosen by `hold` when left out)

    Raises
    ------
    MechanismError : the loops leave the input no motion, or turns that the input stands for are no coordinate of their own
    """

    def __init__(self, system: System, q: Vector, index: int) -> None:
        self.system, self.index = system, index
        cluster, self._v0, self._n_v = _cluster_of(system, index)
        self.rows = slice(cluster.row0, cluster.row1)
        self.size = size_of(system, cluster, q)
        self._coordinates = sorted(velocity_coordinates(system), key=lambda c: c.index)
        self._row_unit = row_units(system, q)[self.rows]
        self._unit = np.array([self.size if c.unit == "m" else 1.0 for c in self._coordinates])
        self.active, self.rank = self._choose(q)
        self.at = int(np.flatnonzero(self.active == index)[0])
        self._refuse_part_of_a_turn()

    def _choose(self, q: Vector) -> tuple[NDArray[np.int64], int]:
        """The input and the dependent coordinates, in order, and the rank of their rows; wishes as in `ConstraintEmbedding`."""
        free = self._candidates()
        if self.rows.start == self.rows.stop:
            return np.array([self.index]), 0
        G = self._scaled(joint_jacobian(self.system, q)[self.rows], np.arange(self.system.n_v))
        joints = {joint.name: joint.independent for joint in self.system.mechanism.joints}
        wishes = [joints[c.joint] for c in self._coordinates]
        ranks = [[i for i in free if i != self.index and wishes[i] is wish] for wish in (False, None, True)]
        chosen = dependent_columns(G, [*ranks, [self.index]])
        if self.index in chosen:  # the input is at a dead point, or cannot move at all: one more coordinate shows which
            others = [i for rank in ranks for i in rank if i not in chosen]
            if not others:
                raise MechanismError(f"{self.system.mechanism.file}: {self.label} cannot move: its loops have no degree of freedom")
            return np.array(sorted([*chosen, others[0]])), len(chosen)
        return np.array(sorted([*chosen, self.index])), len(chosen)

    def _candidates(self) -> list[int]:
        """Coordinates of the aggregated body that are not prescribed, and the input."""
        prescribed = np.zeros(self.system.n_v, bool)
        for node in self.system.parts.tree.nodes:
            prescribed[node["v"] : node["v"] + VELOCITIES[node["kind"]]] = node["prescribed"] > 0
        return [i for i in range(self._v0, self._v0 + self._n_v) if i == self.index or not prescribed[i]]

    def _refuse_part_of_a_turn(self) -> None:
        """A turn about one axis of a free or spherical joint is a coordinate only while the joint turns about no other."""
        own = self.coordinate
        turning = [
            c.label for c in self._coordinates if c.joint == own.joint and ".r" in c.label[len(own.joint) :] and c.index in self.active
        ]
        if own.label in turning and len(turning) > 1:
            raise MechanismError(
                f"{self.system.mechanism.file}: {own.label} is no coordinate by itself: the loops turn the joint about other axes too"
            )

    @property
    def coordinate(self) -> Coordinate:
        """The input."""
        return self._coordinates[self.index]

    @property
    def label(self) -> str:
        """Name of the input."""
        return self.coordinate.label

    @property
    def held(self) -> tuple[str, ...]:
        """Names of the coordinates that could move with the input, and are held."""
        return tuple(self._coordinates[i].label for i in self._candidates() if i not in self.active)

    def start(self, q: Vector) -> Configuration:
        """The point of the curve at the configuration q, which may be open by rounding; its tangent looks towards larger s if it can.

        Raises MechanismError : branches cross there, or it cannot be closed
        """
        given = self.configuration(q, self._input(q), None)
        if given.pivot <= CROSSING:
            raise MechanismError(
                f"{self.system.mechanism.file}: singular configuration at the start: {self.label} can move in several ways"
            )
        found = self.corrected(q, given.s, given.tangent, given.tangent)
        if found is None:
            raise MechanismError(f"{self.system.mechanism.file}: the loops of {self.label} cannot be closed at the start")
        return found

    def _input(self, q: Vector) -> float:
        """Value of the input; turns of free and spherical joints count from where they start."""
        at = self.index
        for node in self.system.parts.tree.nodes[1:]:
            first, kinds = node["v"], node["kind"]
            if first <= at < first + VELOCITIES[kinds]:
                if VELOCITIES[kinds] == 1:
                    return float(q[node["q"]])
                if VELOCITIES[kinds] == 6 and at - first >= 3:
                    position = node["R_PF"] @ q[node["q"] : node["q"] + 3]
                    return float(position[at - first - 3])
        return 0.0

    def jacobian(self, q: Vector) -> Vector:
        """G (rows, n + 1) of the coordinates that move, in sizes of the mechanism."""
        return self._scaled(joint_jacobian(self.system, q)[self.rows], self.active)

    def _scaled(self, G: Vector, columns: NDArray[np.int64]) -> Vector:
        return G[:, columns] * self._unit[columns] / self._row_unit[:, None]

    def configuration(self, q: Vector, s: float, towards: Vector | None) -> Configuration:
        """Tangent and pivots at q; the tangent points like `towards`, by default towards larger s."""
        residual = position_residuals(self.system, q)[self.rows]
        if not self.rank:
            return Configuration(q, s, np.ones(1) if towards is None else towards, np.zeros(0), 0.0)
        _, values, Vt = np.linalg.svd(self.jacobian(q))
        tangent = Vt[self.rank]
        along = tangent[self.at] if towards is None else float(tangent @ towards)
        return Configuration(q, s, -tangent if along < 0.0 else tangent, values[: self.rank], float(np.abs(residual).max(initial=0.0)))

    def reversed(self, point: Configuration) -> Configuration:
        """The same point, looking back."""
        return point._replace(tangent=-point.tangent)

    def moved(self, point: Configuration, step: float) -> Configuration | None:
        """The point where the plane across the tangent, `step` ahead of `point`, cuts the curve; None when Newton's method does not find it."""
        q, s = self.advanced(point.q, point.s, step * point.tangent)
        return self.corrected(q, s, point.tangent, point.tangent)

    def at_input(self, q: Vector, s: float, value: float, towards: Vector) -> Configuration | None:
        """The point near q, which has the input s, with the input `value`; None when Newton's method does not find it."""
        normal = np.zeros(self.active.size)
        normal[self.at] = 1.0
        q, _ = self.advanced(q, s, normal * (value - s) / self._unit[self.index])
        found = self.corrected(q, value, normal, towards)
        return None if found is None else found._replace(s=value)

    def corrected(self, q: Vector, s: float, normal: Vector, towards: Vector) -> Configuration | None:
        """Newton's method from q in the plane across `normal` (n + 1,); None when it does not converge."""
        q, before = q.copy(), np.inf
        for _ in range(STEPS if self.rank else 0):
            residual = position_residuals(self.system, q)[self.rows] / self._row_unit
            gap = float(np.abs(residual).max(initial=0.0))
            if gap <= CLOSED or (gap <= ROUNDING and gap >= 0.5 * before):
                break
            if not gap < 1e3:
                return None
            bordered = np.vstack([self.jacobian(q), normal])
            step = np.linalg.lstsq(bordered, -np.append(residual, 0.0), rcond=NEGLIGIBLE)[0]
            q, s = self.advanced(q, s, step)
            before = gap
        else:
            if self.rank:
                return None
        return self.configuration(q, s, towards)

    def advanced(self, q: Vector, s: float, step: Vector) -> tuple[Vector, float]:
        """q and s moved by a step (n + 1,) of the coordinates that move."""
        v, out = np.zeros(self.system.n_v), q.copy()
        v[self.active] = step * self._unit[self.active]
        advance_positions(self.system.parts.tree, q, v, 1.0, out)
        return out, s + float(v[self.index])

    def ratios(self, tangent: Vector) -> Vector:
        """(n_v,) rates of all coordinates per rate of the input, zero for those that do not move; infinite at a dead point."""
        out = np.zeros(self.system.n_v)
        rates = tangent * self._unit[self.active]
        with np.errstate(divide="ignore", invalid="ignore"):
            out[self.active] = np.where(rates == 0.0, 0.0, rates / rates[self.at])
        return out

    def conditioning(self, q: Vector) -> tuple[float, float]:
        """Smallest singular value of the dependent columns (those of G without the input's), and their condition number;
        zero and infinite where that is rounding."""
        if not self.rank:
            return 1.0, 1.0
        values = np.linalg.svd(np.delete(self.jacobian(q), self.at, axis=1), compute_uv=False)[: self.rank]
        if values[-1] <= NEGLIGIBLE * values[0]:
            return 0.0, np.inf
        return float(values[-1]), float(values[0] / values[-1])


def _cluster_of(system: System, index: int) -> tuple[Cluster, int, int]:
    """The aggregated body of a coordinate, its first coordinate, and how many it has."""
    nodes = system.parts.tree.nodes
    for cluster in system.clusters:
        own = nodes[cluster.first : cluster.last]
        first = int(own["v"].min())
        n = sum(VELOCITIES[kind] for kind in own["kind"])
        if first <= index < first + n:
            return cluster, first, n
    raise ValueError(f"no coordinate {index}")
