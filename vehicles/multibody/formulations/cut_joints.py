"""Common part of the two formulations with cut joints: workspaces, the last steps of an evaluation, and the base class."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.symmetric_elimination import solve
from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.formulations.contract import MultiplierFormulation
from vehicles.multibody.formulations.massless_bodies import ArtificialInertia
from vehicles.multibody.loops.constraint_jacobian import free_coordinates
from vehicles.multibody.loops.loop_forces import LoopForces, add_multipliers, allocate_loop_forces, set_accelerations
from vehicles.multibody.tree.articulated_body import scatter
from vehicles.multibody.tree.constraints import contradicts, set_gamma, set_jacobian
from vehicles.multibody.tree.forces import apply_forces
from vehicles.multibody.tree.system import Dimensions, Parts, System
from vehicles.multibody.tree.tree import move, set_velocities, start_inertias

REFINE = 1e-12
"""Residual, as a fraction of the first residual, above which the solution is refined."""
REFINEMENTS = 2
"""Maximum number of refinements."""


class CutJoints(NamedTuple):
    """Workspaces. The unknowns are x = [accelerations of the base bodies not eliminated; -lambda].

    feedback (rows,) is added to the accelerations of the rows, an input: the feedback of a stabilization. A (n, n) is the symmetric matrix
    of the equations. inverse_size, order, work (n,) and rank (1,) belong to its elimination; most (1,) is the upper limit of the rank, an
    input. residual and magnitude (rows,) belong to the accelerations of the rows; multipliers (rows,) are lambda; the force of row c is
    Y_c* lambda_c.
    """

    parts: Parts
    forces: LoopForces
    feedback: Vector
    A: Vector
    inverse_size: Vector
    order: NDArray[np.int64]
    rank: NDArray[np.int64]
    most: NDArray[np.int64]
    x: Vector
    work: Vector
    residual: Vector
    magnitude: Vector
    multipliers: Vector


def allocate_cut_joints(system: System, bases: tuple[int, ...] = ()) -> CutJoints:
    """Return the workspaces of a system; `bases` are the free nodes whose accelerations stay among the unknowns."""
    rows = system.parts.constraints.rows.size
    n, no = 6 * len(bases) + rows, np.zeros
    forces = allocate_loop_forces(system, bases)
    return CutJoints(
        parts=system.parts,
        forces=forces,
        feedback=no(rows),
        A=no((n, n)),
        inverse_size=no(n),
        order=no(n, np.int64),
        rank=no(1, np.int64),
        most=np.array([n]),
        x=no(n),
        work=no(n),
        residual=no(rows),
        magnitude=no(rows),
        multipliers=no(rows),
    )


@kernel
def start(m, q, v):
    """Compute the common part of both formulations: motion, forces, inertias, and rows."""
    parts = m.parts
    tree, constraints = parts.tree, parts.constraints
    rows = constraints.rows.shape[0]
    move(tree, q)
    set_velocities(tree, v)
    apply_forces(parts.forces, tree, q, v, parts.wrenches, parts.tau, parts.T)
    start_inertias(tree, parts.gravity)
    set_jacobian(constraints, tree.motion, 0, rows)
    set_gamma(constraints, tree.motion, 0, rows)
    for c in range(rows):
        constraints.gamma[c] += m.feedback[c]
        m.multipliers[c] = 0.0


@kernel
def finish(m, accel):
    """Solve A y = x for the unknowns, in place, and compute the accelerations; refined until the residuals of the rows are rounding errors.

    Returns 0, or -1 - c for a redundant row c that contradicts the others.
    """
    parts = m.parts
    tree, constraints = parts.tree, parts.constraints
    fixed = m.x.shape[0] - m.residual.shape[0]
    first = largest_residual(m, fixed)
    for _ in range(1 + REFINEMENTS):
        solve(m.A, m.rank[0], m.order, m.x, m.work)
        add_multipliers(m.forces, tree, parts.joints, m.x)
        scatter(tree, parts.joints, accel)
        set_accelerations(constraints, tree.motion, accel, m.residual, m.magnitude)
        for i in range(fixed):
            m.x[i] = 0.0
        for c in range(m.residual.shape[0]):
            m.multipliers[c] -= m.x[fixed + c]
            m.x[fixed + c] = -m.residual[c]
        if largest_residual(m, fixed) <= REFINE * first:
            break
    return contradiction(m, fixed)


@inline
def largest_residual(m, fixed):
    """Return the largest residual in x among the independent rows, each scaled by its compliance."""
    worst = 0.0
    for k in range(fixed, m.rank[0]):
        i = m.order[k]
        worst = max(worst, abs(m.x[i]) * m.inverse_size[i] ** 0.5)
    return worst


@inline
def contradiction(m, fixed):
    """Return -1 - c for a redundant row c that the accelerations violate, or 0."""
    largest = 0.0
    for c in range(m.residual.shape[0]):
        largest = max(largest, m.magnitude[c])
    for k in range(m.rank[0], m.order.shape[0]):
        c = m.order[k] - fixed
        if contradicts(m.residual[c], largest):
            return -1 - c
    return 0


class CutJointFormulation(MultiplierFormulation):
    """Accelerations of a mechanism with cut loops, closed by multipliers.

    Parameters
    ----------
    system : mechanism as flat records, used as inputs and scratch

    Attributes
    ----------
    multipliers : (rows,) of the last evaluation; row c applies the force Y_c* lambda_c to its bodies, zero for redundant rows
    redundant : rows detected as redundant in the last evaluation
    """

    evaluate: Callable[..., int]
    """The kernel (m, q, v, accel)."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.kernel_arguments = self.allocate_workspace(system)
        self._artificial_inertia = ArtificialInertia(system)

    @staticmethod
    @abstractmethod
    def allocate_workspace(system: System) -> CutJoints:
        """Return the workspaces of `evaluate`."""

    @property
    def dimensions(self) -> Dimensions:
        """Number of coordinates of the tree that are not prescribed, and of rows of its loops."""
        rows = self.system.parts.constraints.rows.size
        return Dimensions(int(free_coordinates(self.system).sum()), rows)

    def _keep_rank(self, redundant: int | None) -> None:
        self.kernel_arguments.most[0] = self.kernel_arguments.x.size - (redundant or 0)

    def set_feedback(self, feedback: Vector) -> None:
        """Set the feedback: phi'' + feedback = 0 replaces phi'' = 0; (rows,) in the order of `system.parts.constraints.rows`."""
        self.kernel_arguments.feedback[:] = feedback

    @property
    def multipliers(self) -> Vector:
        """See the class."""
        return self.kernel_arguments.multipliers.copy()

    @property
    def redundant(self) -> tuple[int, ...]:
        """See the class."""
        m = self.kernel_arguments
        return tuple(sorted(int(i) - m.x.size + m.residual.size for i in m.order[m.rank[0] :]))

    def _solve(self, q: Vector, v: Vector, accel: Vector) -> None:
        status = self._artificial_inertia.solve(lambda *state: self.evaluate(self.kernel_arguments, *state), q, v, accel)
        if status > 0:
            raise MechanismError(f"{self.system.mechanism.file}: joint {self.system.node_names[status]!r} moves no inertia")
        self._refuse_singular(q, len(self.redundant))
        if status < 0:
            raise self._contradiction(-1 - status)

    def _contradiction(self, c: int) -> MechanismError:
        name = self.system.loop_names[self.system.parts.constraints.rows[c]["loop"]]
        left = abs(float(self.kernel_arguments.residual[c]))
        file = self.system.mechanism.file
        if not np.isfinite(left):
            return MechanismError(f"{file}: the closure error of {name!r} is too large for accelerations", (name,))
        return MechanismError(f"{file}: the constraints of {name!r} contradict the others by {left:.3g} m/s2 or rad/s2", (name,))
