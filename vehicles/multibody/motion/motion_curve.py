"""Motion curve: the closed configurations of a mechanism with all degrees of freedom but one fixed.

Near a regular configuration the n + 1 free coordinates satisfy n independent constraints, G dq = 0, and the null vector of G is
the tangent of the curve. The curve is computed by pseudo-arclength continuation (H. B. Keller, "Numerical solution of bifurcation and
nonlinear eigenvalue problems", 1977): a step along the tangent, then Newton's method in the plane perpendicular to it. So the input
coordinate s may reverse: where its component of the tangent is zero, the loop is at a dead point and cannot close for
larger s. Where G loses rank, branches of the motion cross, and the mechanism may continue on another branch.

Lengths are scaled by the size of the mechanism, so that a step is in radians for all coordinates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.formulations.constraint_embedding_formulation import dependent_columns
from vehicles.multibody.loops.constraint_jacobian import joint_jacobian, position_residuals
from vehicles.multibody.tree.coordinates import Coordinate, row_units, size_of, velocity_coordinates
from vehicles.multibody.tree.system import Cluster, System
from vehicles.multibody.tree.tree import VELOCITIES, advance_positions

CLOSED = 1e-14
"""Residual, scaled by the size of the mechanism, at which Newton's method stops."""
ROUNDING = 1e-11
"""Accepted residual when no step reduces it further."""
STEPS = 12
"""Maximum Newton steps; three are usual."""
NEGLIGIBLE = 1e-12
"""Singular values below this fraction of the maximum belong to redundant rows."""
CROSSING = 1e-5
"""Singular values of G below this fraction of the maximum count as zero at the start.

Near a singular configuration, closure to 1e-10 determines the configuration only to 1e-5.
"""


class Configuration(NamedTuple):
    """A point of the curve.

    q (n_q,) coordinates; s input coordinate; tangent (n + 1,) unit vector of the free coordinates, lengths scaled by the size of the
    mechanism; pivots (n,) singular values of G, the last one is zero where branches cross; gap largest residual [m, rad].
    """

    q: Vector
    s: float
    tangent: Vector
    pivots: Vector
    gap: float

    @property
    def pivot(self) -> float:
        """The smallest pivot relative to the largest; 1 without pivots."""
        return float(self.pivots[-1] / self.pivots[0]) if self.pivots.size else 1.0


class MotionCurve:
    """The curve through a closed configuration, for one input coordinate.

    Parameters
    ----------
    system : mechanism as flat records, used as scratch
    q : (n_q,) closed configuration
    index : index in v of the input coordinate

    Raises
    ------
    MechanismError : the input cannot move, or is a single rotation of a joint that also rotates about other axes
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
        self._check_single_rotation()

    def _choose(self, q: Vector) -> tuple[NDArray[np.int64], int]:
        """Return the input and the dependent coordinates, sorted, and the rank of their rows; `Joint.independent` as in
        `ConstraintEmbedding`.
        """
        free = self._candidates()
        if self.rows.start == self.rows.stop:
            return np.array([self.index]), 0
        G = self._scaled(joint_jacobian(self.system, q)[self.rows], np.arange(self.system.n_v))
        joints = {joint.name: joint.independent for joint in self.system.mechanism.joints}
        wishes = [joints[c.joint] for c in self._coordinates]
        ranks = [[i for i in free if i != self.index and wishes[i] is wish] for wish in (False, None, True)]
        chosen = dependent_columns(G, [*ranks, [self.index]])
        if self.index in chosen:  # the input is at a dead point, or cannot move at all: an additional coordinate shows which
            others = [i for rank in ranks for i in rank if i not in chosen]
            if not others:
                raise MechanismError(f"{self.system.mechanism.file}: {self.label} cannot move: its loops have no degree of freedom")
            return np.array(sorted([*chosen, others[0]])), len(chosen)
        return np.array(sorted([*chosen, self.index])), len(chosen)

    def _candidates(self) -> list[int]:
        """Return the coordinates of the aggregated body that are not prescribed, and the input."""
        prescribed = np.zeros(self.system.n_v, bool)
        for node in self.system.parts.tree.nodes:
            prescribed[node["v"] : node["v"] + VELOCITIES[node["kind"]]] = node["prescribed"] > 0
        return [i for i in range(self._v0, self._v0 + self._n_v) if i == self.index or not prescribed[i]]

    def _check_single_rotation(self) -> None:
        """Raise MechanismError if the input is one rotation of a free or spherical joint that also rotates about other axes."""
        own = self.coordinate
        turning = [
            c.label for c in self._coordinates if c.joint == own.joint and ".r" in c.label[len(own.joint) :] and c.index in self.active
        ]
        if own.label in turning and len(turning) > 1:
            raise MechanismError(
                f"{self.system.mechanism.file}: {own.label} is no coordinate by itself; the loops also rotate the joint about other axes"
            )

    @property
    def coordinate(self) -> Coordinate:
        """The input coordinate."""
        return self._coordinates[self.index]

    @property
    def label(self) -> str:
        """Name of the input coordinate."""
        return self.coordinate.label

    @property
    def held(self) -> tuple[str, ...]:
        """Names of the fixed coordinates that could move with the input."""
        return tuple(self._coordinates[i].label for i in self._candidates() if i not in self.active)

    def start(self, q: Vector) -> Configuration:
        """Return the point of the curve at the configuration q, closed up to rounding; its tangent points to larger s if possible.

        Raises MechanismError : branches cross there, or the loops cannot be closed
        """
        given = self.configuration(q, self._input(q), None)
        if given.pivot <= CROSSING:
            raise MechanismError(f"{self.system.mechanism.file}: singular configuration at the start: {self.label} is on several branches")
        configuration = self.corrected(q, given.s, given.tangent, given.tangent)
        if configuration is None:
            raise MechanismError(f"{self.system.mechanism.file}: the loops of {self.label} cannot be closed at the start")
        return configuration

    def _input(self, q: Vector) -> float:
        """Return the value of the input; rotations of free and spherical joints count from the start."""
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
        """Return G (rows, n + 1) of the free coordinates, scaled by the size of the mechanism."""
        return self._scaled(joint_jacobian(self.system, q)[self.rows], self.active)

    def _scaled(self, G: Vector, columns: NDArray[np.int64]) -> Vector:
        return G[:, columns] * self._unit[columns] / self._row_unit[:, None]

    def configuration(self, q: Vector, s: float, towards: Vector | None) -> Configuration:
        """Return tangent and pivots at q; the tangent points in the direction of `towards`, default: larger s."""
        residual = position_residuals(self.system, q)[self.rows]
        if not self.rank:
            return Configuration(q, s, np.ones(1) if towards is None else towards, np.zeros(0), 0.0)
        _, values, Vt = np.linalg.svd(self.jacobian(q))
        tangent = Vt[self.rank]
        along = tangent[self.at] if towards is None else float(tangent @ towards)
        return Configuration(q, s, -tangent if along < 0.0 else tangent, values[: self.rank], float(np.abs(residual).max(initial=0.0)))

    def reversed(self, point: Configuration) -> Configuration:
        """Return the point with the opposite tangent."""
        return point._replace(tangent=-point.tangent)

    def moved(self, point: Configuration, step: float) -> Configuration | None:
        """Return the intersection of the curve with the plane perpendicular to the tangent, `step` ahead of `point`, or None without
        convergence.
        """
        q, s = self.advanced(point.q, point.s, step * point.tangent)
        return self.corrected(q, s, point.tangent, point.tangent)

    def at_input(self, q: Vector, s: float, value: float, towards: Vector) -> Configuration | None:
        """Return the point near q, whose input is s, with the input `value`, or None without convergence."""
        normal = np.zeros(self.active.size)
        normal[self.at] = 1.0
        q, _ = self.advanced(q, s, normal * (value - s) / self._unit[self.index])
        configuration = self.corrected(q, value, normal, towards)
        return None if configuration is None else configuration._replace(s=value)

    def corrected(self, q: Vector, s: float, normal: Vector, towards: Vector) -> Configuration | None:
        """Return the result of Newton's method from q in the plane perpendicular to `normal` (n + 1,), or None without convergence."""
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
        """Return q and s advanced by a step (n + 1,) of the free coordinates."""
        v, out = np.zeros(self.system.n_v), q.copy()
        v[self.active] = step * self._unit[self.active]
        advance_positions(self.system.parts.tree, q, v, 1.0, out)
        return out, s + float(v[self.index])

    def ratios(self, tangent: Vector) -> Vector:
        """Return (n_v,) rates of all coordinates per rate of the input, zero for fixed coordinates; infinite at a dead point."""
        out = np.zeros(self.system.n_v)
        rates = tangent * self._unit[self.active]
        with np.errstate(divide="ignore", invalid="ignore"):
            out[self.active] = np.where(rates == 0.0, 0.0, rates / rates[self.at])
        return out

    def conditioning(self, q: Vector) -> tuple[float, float]:
        """Return the smallest singular value of the dependent columns (G without the input column), and their condition number.

        The result is zero and infinity where the singular value is only rounding.
        """
        if not self.rank:
            return 1.0, 1.0
        values = np.linalg.svd(np.delete(self.jacobian(q), self.at, axis=1), compute_uv=False)[: self.rank]
        if values[-1] <= NEGLIGIBLE * values[0]:
            return 0.0, np.inf
        return float(values[-1]), float(values[0] / values[-1])


def _cluster_of(system: System, index: int) -> tuple[Cluster, int, int]:
    """Return the aggregated body of a coordinate, the index of its first coordinate, and its number of coordinates."""
    nodes = system.parts.tree.nodes
    for cluster in system.clusters:
        own = nodes[cluster.first : cluster.last]
        first = int(own["v"].min())
        n = sum(VELOCITIES[kind] for kind in own["kind"])
        if first <= index < first + n:
            return cluster, first, n
    raise ValueError(f"no coordinate {index}")
