"""Elastic model of an axle: rigid bodies between bushings, and the displacements of the wheels under loads.

Displacements from the design position are small. Each body has a rotation phi and a displacement u at the chassis origin: a point r
moves by u + phi x r. With K the stiffness of all bushings, f the loads and G u = 0 the rigid constraints (ball joints, rigid directions,
rods, springs at their present length),

    u = N (N^T K N)^-1 N^T f,    N a basis of the null space of G                                                              (1)

which minimizes the potential energy u K u / 2 - f u. The load on a wheel is a couple and a force at its center. The displacement of its
carrier there, per load, is symmetric and positive semidefinite (Maxwell and Betti), and zero for rigid directions. The length of the
spring is fixed because it determines theta: the exact kinematics describe the motion of the wheel with its spring
(`vehicles.compliance.wheel_displacements`).

Source: the principle of minimum potential energy, for example [Przemieniecki 1968, Theory of Matrix Structural Analysis]; the linkages
are our own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from simulator.base.arrays import Matrix, Vector
from vehicles.suspension.axle_limits import MIRROR

CHASSIS, SUBFRAME, CARRIER = "chassis", "subframe", "carrier"

TOLERANCE = 1e-9
"""Ratio of a singular value of the constraints to the largest one below which a constraint is redundant.

An arm on two rigid bushings has one.
"""


LOOSE = 1e12
"""Condition number of a stiffness above which a body is free to move."""


@dataclass(frozen=True)
class Joint:
    """Point of a body that is attached to a point of another body by ball joint or bushing; `along`: two hardpoints on the bushing axis."""

    point: str
    body: str
    holder: str = CHASSIS
    along: tuple[str, str] | None = None


@dataclass(frozen=True)
class Rod:
    """Massless rod between two bodies; a bushing at `inner` makes it elastic along its length."""

    outer: str
    body: str
    inner: str
    holder: str = CHASSIS


@dataclass(frozen=True)
class Linkage:
    """Left side of an axle, described by hardpoints of its elements.

    The elements are bodies in addition to the carrier, their joints, and the spring whose length determines theta.
    """

    bodies: tuple[str, ...]
    joints: tuple[Joint, ...]
    rods: tuple[Rod, ...] = ()
    spring: Rod | None = None
    """None: the spring lies within the carrier, as in a strut that guides the carrier."""

    @property
    def bushings(self) -> tuple[str, ...]:
        """Hardpoints at which a bushing is possible."""
        rods = (*self.rods, *([] if self.spring is None else [self.spring]))
        return (*(joint.point for joint in self.joints if joint.along is not None), *(rod.inner for rod in rods))


@dataclass(frozen=True)
class Bushing:
    """Stiffness of a bushing [N/m] along its axis and across it; infinite: rigid. For a rod only the axial stiffness is used."""

    axial: float
    radial: float


@dataclass(frozen=True)
class Subframe:
    """Body between the chassis and suspension parts of both sides.

    Attributes
    ----------
    mounts : (n, 3) m, mounts of the left side in B
    rate : (3,) N/m of each mount along x, y, z of B
    carries : hardpoints of the left side that are fixed to the subframe
    """

    mounts: Matrix
    rate: Vector
    carries: tuple[str, ...]


@dataclass
class Assembly:
    """Bodies with their indices, stiffnesses and constraints during assembly."""

    bodies: list[str] = field(default_factory=list)
    springs: list[tuple[Matrix, float]] = field(default_factory=list)
    """Rows of displacement (n,) and their stiffness [N/m]."""
    constraints: list[Matrix] = field(default_factory=list)
    """Rows of displacement that are zero."""

    def row(self, direction: Vector, ends: Sequence[tuple[str, Vector, float]]) -> Matrix:
        """Return the row of the displacement along a direction, summed over points (body, position, sign)."""
        out = np.zeros(6 * len(self.bodies))
        for body, place, sign in ends:
            if body != CHASSIS:
                at = 6 * self.bodies.index(body)
                out[at : at + 3] += sign * np.cross(place, direction)
                out[at + 3 : at + 6] += sign * direction
        return out

    def add_spring(self, direction: Vector, rate: float, ends: Sequence[tuple[str, Vector, float]]) -> None:
        """Add a spring along a direction, or a constraint if it is rigid."""
        row = self.row(direction, ends)
        if np.isinf(rate):
            self.constraints.append(row)
        else:
            self.springs.append((row, rate))

    def loads_on(self, body: str, wheel: Vector) -> Matrix:
        """Return the loads (n, 6) of unit couples and unit forces along x, y, z at the center of a wheel on a body."""
        load, at = np.zeros((6 * len(self.bodies), 6)), 6 * self.bodies.index(body)
        load[at : at + 3, :3], load[at + 3 : at + 6, 3:] = np.eye(3), np.eye(3)
        load[at : at + 3, 3:] = np.cross(wheel, np.eye(3)).T
        return load

    def compliance(self, load: Matrix) -> Matrix:
        """Return the (m, m) displacements along loads (n, m), equation (1)."""
        free = _null_space(np.array(self.constraints), load.shape[0])
        if free.shape[1] == 0:
            return np.zeros((load.shape[1], load.shape[1]))
        rows = np.array([row for row, _ in self.springs]) @ free
        stiffness = rows.T @ (np.array([rate for _, rate in self.springs])[:, None] * rows)
        if np.linalg.cond(stiffness) > LOOSE:
            raise np.linalg.LinAlgError("a body is free to move")
        along = free.T @ load
        result = along.T @ np.linalg.solve(stiffness, along)
        return np.asarray(0.5 * (result + result.T))


def compliance_of(
    linkage: Linkage,
    points: Mapping[str, Vector],
    wheel: Vector,
    bushings: Mapping[str, Bushing],
    subframe: Subframe | None = None,
    sides: int = 2,
) -> Matrix:
    """Return the displacements of the carriers per couple and force on the wheels: (6 sides, 6 sides), left first.

    The displacements are the rotation of the carrier and the displacement of the wheel center, in B.

    Parameters
    ----------
    points : hardpoints of the left side in B [m]
    wheel : wheel center of the left side in B [m]
    bushings : by hardpoint; hardpoints without an entry are rigid

    Raises
    ------
    LinAlgError : a body is free to move, because the linkage has too few joints
    """
    mirrors = (np.ones(3), MIRROR)[:sides]
    a = Assembly([f"{name}{n}" for n in range(sides) for name in (CARRIER, *linkage.bodies)])
    if subframe is not None:
        a.bodies.append(SUBFRAME)
        for mirror in mirrors:
            for mount in subframe.mounts:
                for axis in range(3):
                    a.add_spring(np.eye(3)[axis], float(subframe.rate[axis]), [(SUBFRAME, mount * mirror, 1.0)])
    for n, mirror in enumerate(mirrors):
        _add_side(a, linkage, n, {name: point * mirror for name, point in points.items()}, bushings, subframe)
    return a.compliance(np.hstack([a.loads_on(f"{CARRIER}{n}", wheel * mirror) for n, mirror in enumerate(mirrors)]))


def _add_side(
    a: Assembly, linkage: Linkage, n: int, p: Mapping[str, Vector], bushings: Mapping[str, Bushing], subframe: Subframe | None
) -> None:
    """Add the linkage of one side with the hardpoints p."""
    rigid = Bushing(np.inf, np.inf)

    def body(name: str, point: str) -> str:
        if name != CHASSIS:
            return f"{name}{n}"
        return SUBFRAME if subframe is not None and point in subframe.carries else CHASSIS

    for joint in linkage.joints:
        bushing, place = bushings.get(joint.point, rigid), p[joint.point]
        ends = [(f"{joint.body}{n}", place, 1.0), (body(joint.holder, joint.point), place, -1.0)]
        axis = np.array([0.0, 0.0, 1.0]) if joint.along is None else p[joint.along[1]] - p[joint.along[0]]
        frame = _frame(axis)
        for direction, rate in zip(frame, (bushing.axial, bushing.radial, bushing.radial), strict=True):
            a.add_spring(direction, rate, ends)
    for rod in (*linkage.rods, *([] if linkage.spring is None else [linkage.spring])):
        outer, inner = p[rod.outer], p[rod.inner]
        direction = (outer - inner) / np.linalg.norm(outer - inner)
        ends = [(f"{rod.body}{n}", outer, 1.0), (body(rod.holder, rod.inner), inner, -1.0)]
        a.add_spring(direction, bushings.get(rod.inner, rigid).axial, ends)


def _frame(axis: Vector) -> Matrix:
    """Return three orthonormal directions (3, 3), the first along an axis."""
    x = axis / np.linalg.norm(axis)
    y = np.cross(x, np.eye(3)[int(np.argmin(np.abs(x)))])
    y /= np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)])


def _null_space(rows: Matrix, size: int) -> Matrix:
    """Return an orthonormal basis (n, free) of the displacements that satisfy the constraints."""
    if not len(rows):
        return np.eye(size)
    _, values, right = np.linalg.svd(rows)
    rank = int(np.sum(values > TOLERANCE * values[0]))
    return np.asarray(right[rank:].T)
