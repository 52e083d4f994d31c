"""Forward dynamics in absolute coordinates: joints are constraints with multipliers (FA) [Jain 2016, eq 8; Cameron 2013, eqs 1-6].

Each body has six coordinates. There are two solvers: `sparse` factorizes the augmented matrix in an order
that limits the fill-in (`sparse_augmented`), `dense` forms the Schur complement of [Cameron 2013] as a full matrix (`dense_augmented`).

For integration in absolute coordinates, where joints and loops drift, the state contains poses and velocities:

    poses, velocities = solver.absolute_state(q, v)
    evaluate_sparse_state(solver.kernel_arguments, poses, velocities)      stores the accelerations in `equations.alpha`
    advance(poses, velocities, h, poses)                                   of `absolute_coordinates`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from simulator.base.jit import kernel
from simulator.base.rotations import quaternion_of_rotation
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.formulations.absolute_coordinates import (
    Absolute,
    finish_forces,
    follow_tree,
    joint_accelerations,
    measure,
    place_bodies,
    take_wrenches,
)
from vehicles.multibody.formulations.absolute_layout import Group, convert_to_absolute
from vehicles.multibody.formulations.augmented_equations import Equations, allocate_equations, set_row_rates, set_row_residuals, set_rows
from vehicles.multibody.formulations.contract import MultiplierFormulation
from vehicles.multibody.formulations.dense_augmented import Dense, allocate_dense, solve_dense
from vehicles.multibody.formulations.ldl import DEPENDENT
from vehicles.multibody.formulations.massless_bodies import ArtificialInertia
from vehicles.multibody.formulations.sparse_augmented import Sparse, allocate_sparse, solve_sparse
from vehicles.multibody.tree.forces import apply_forces
from vehicles.multibody.tree.system import Dimensions, Parts, System
from vehicles.multibody.tree.tree import move, set_velocities

TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, DEPENDENT)
"""Tolerances for a zero pivot that are tried when the number of zero pivots is known."""


class SparseModel(NamedTuple):
    """Arguments of the kernels with the sparse solver; the inputs are those of `parts`."""

    parts: Parts
    absolute: Absolute
    equations: Equations
    solver: Sparse


class DenseModel(NamedTuple):
    """Arguments of the kernels with the dense solver."""

    parts: Parts
    absolute: Absolute
    equations: Equations
    solver: Dense


@kernel
def evaluate_sparse(m, q, v, accel):
    """Compute joint accelerations from joint coordinates, through the accelerations of the bodies.

    Parameters
    ----------
    m : SparseModel; `parts.tau`, `parts.wrenches`, `parts.gravity`, `parts.constraints.driven` are inputs
    q, v : (n_q,), (n_v,) coordinates of the tree, with closed loops
    accel : (n_v,) overwritten; the accelerations of prescribed coordinates are read

    Returns
    -------
    0, the body with a motion that no inertia resists, or -1 - r for a redundant row r that contradicts the others.
    """
    set_bodies_from_tree(m, q, v, accel)
    set_equations(m)
    status = solve_sparse(m.absolute, m.equations, m.solver)
    joint_accelerations(m.absolute, m.equations.alpha, accel)
    return status


@kernel
def evaluate_dense(m, q, v, accel):
    """Compute joint accelerations as `evaluate_sparse`, with a DenseModel."""
    set_bodies_from_tree(m, q, v, accel)
    set_equations(m)
    status = solve_dense(m.absolute, m.equations, m.solver)
    joint_accelerations(m.absolute, m.equations.alpha, accel)
    return status


@kernel
def evaluate_sparse_state(m, poses, velocities):
    """Compute the accelerations of the bodies, `m.equations.alpha`, from a state in absolute coordinates; same result as `evaluate_sparse`.

    Additional inputs: `absolute.prescribed` (n_v,), and `equations.feedback` (rows,), which is added to gamma.
    """
    place_bodies(m.absolute, poses, velocities)
    set_equations(m)
    return solve_sparse(m.absolute, m.equations, m.solver)


@kernel
def evaluate_dense_state(m, poses, velocities):
    """Compute the accelerations of the bodies as `evaluate_sparse_state`, with a DenseModel."""
    place_bodies(m.absolute, poses, velocities)
    set_equations(m)
    return solve_dense(m.absolute, m.equations, m.solver)


@kernel
def set_bodies_from_tree(m, q, v, accel):
    """Set the bodies from the coordinates of the tree."""
    tree = m.parts.tree
    move(tree, q)
    set_velocities(tree, v)
    follow_tree(m.absolute, tree)
    for i in range(q.shape[0]):
        m.absolute.q[i] = q[i]
    for i in range(v.shape[0]):
        m.absolute.prescribed[i] = accel[i]


@kernel
def set_equations(m):
    """Compute rows and forces from poses and velocities of the bodies."""
    parts, a = m.parts, m.absolute
    measure(a)
    take_wrenches(a, parts.wrenches)
    apply_forces(a.forces, a.tree, a.q, a.v, a.wrenches, parts.tau, a.T)
    finish_forces(a, parts.wrenches, parts.gravity)
    set_rows(a, m.equations)


class FullyAugmented(MultiplierFormulation):
    """Accelerations of a mechanism in absolute coordinates.

    Parameters
    ----------
    system : mechanism as flat records, used as inputs and scratch
    solver : "sparse" or "dense"

    Attributes
    ----------
    multipliers : (rows,) of the last evaluation, row r applies the force G_r* lambda_r to its bodies; rows of the joints outward from the
        world, then rows of the loops, then the combinations of coordinates (prescribed ones, couplings); zero for redundant rows
    row_names : (rows,) joint, loop or coupling of each row
    loop_rows : row index for each row of `system.parts.constraints`
    redundant : rows detected as redundant in the last evaluation
    body_accelerations : (n_bodies, 6) of the last evaluation, [alpha; a] at the centers of mass in world axes; body 0 is the world,
        the others have the order of the tree nodes

    `accelerations` also solves for bodies without inertia in some direction (`massless_bodies`); the dense kernels alone do not.
    """

    evaluate: Callable[..., int]
    """The kernel (m, q, v, accel)."""
    evaluate_state: Callable[..., int]
    """The kernel (m, poses, velocities)."""

    def __init__(self, system: System, solver: str = "sparse") -> None:
        super().__init__(system)
        absolute, groups = convert_to_absolute(system)
        absolute, equations, members = allocate_equations(absolute, groups)
        self.row_names, self._of_loop = _name_rows(groups, members, equations.gamma.size)
        self.loop_rows = _rows_of_loops(system, groups, members)
        self.kernel_arguments: Any
        if solver == "sparse":
            self.evaluate, self.evaluate_state = evaluate_sparse, evaluate_sparse_state
            self.kernel_arguments = SparseModel(system.parts, absolute, equations, allocate_sparse(absolute, equations, groups, members))
        else:
            self.evaluate, self.evaluate_state = evaluate_dense, evaluate_dense_state
            self.kernel_arguments = DenseModel(system.parts, absolute, equations, allocate_dense(absolute, equations))
        place = np.zeros(system.parts.tree.nodes.size, int)
        place[absolute.bodies["node"]] = np.arange(absolute.bodies.size)
        self._artificial_inertia = ArtificialInertia(system, [(absolute.tree.nodes, place)])

    @property
    def dimensions(self) -> Dimensions:
        """Six coordinates for each body, and all rows."""
        m = self.kernel_arguments
        return Dimensions(6 * (m.absolute.bodies.size - 1), m.equations.gamma.size)

    @property
    def multipliers(self) -> Vector:
        """See the class."""
        return self.kernel_arguments.equations.multipliers.copy()

    @property
    def body_accelerations(self) -> Vector:
        """See the class."""
        return self.kernel_arguments.equations.alpha.copy()

    @property
    def redundant(self) -> tuple[int, ...]:
        """See the class."""
        s = self.kernel_arguments.solver
        if isinstance(s, Sparse):
            return tuple(np.flatnonzero(s.factorization.inverse.ravel()[s.row_slots] == 0.0).tolist())
        return tuple(sorted(int(r) for r in s.order[s.rank[0] :]))

    def _solve(self, q: Vector, v: Vector, accel: Vector) -> None:
        given, status = accel.copy(), self._evaluated(q, v, accel)
        if self._expected is not None and status <= 0 and len(self.redundant) != self._expected:
            status = self._evaluate_with_rank(q, v, given, accel)
        self.check(status, q)

    def _evaluated(self, q: Vector, v: Vector, accel: Vector) -> int:
        """Return the result of the kernel, with artificial inertia where necessary."""
        return self._artificial_inertia.solve(lambda *state: self.evaluate(self.kernel_arguments, *state), q, v, accel)

    def _evaluate_with_rank(self, q: Vector, v: Vector, given: Vector, accel: Vector) -> int:
        """Evaluate with the known number of redundant rows, if possible, and return the status.

        The sparse solver has a fixed order of elimination. The only parameter is the tolerance for a zero pivot: the method selects and
        stores the largest power of ten at which the known number of rows is redundant.
        """
        status = 0
        for power in TOLERANCES:
            self.kernel_arguments.solver.factorization.dependent[0] = power
            accel[:] = given
            status = self._evaluated(q, v, accel)
            if len(self.redundant) == self._expected:
                break
        return status

    def _keep_rank(self, redundant: int | None) -> None:
        s = self.kernel_arguments.solver
        if isinstance(s, Sparse):
            s.factorization.dependent[0] = DEPENDENT if redundant is None else TOLERANCES[0]
        else:
            s.most[0] = s.x.size - (redundant or 0)

    def set_feedback(self, feedback: Vector) -> None:
        """Set the feedback: phi'' + feedback = 0; (rows,) in the order of `system.parts.constraints.rows`.

        Joint rows have theirs in `equations`.
        """
        self.kernel_arguments.equations.feedback[self.loop_rows] = feedback

    def check(self, status: int, q: Vector) -> None:
        """Raise MechanismError if an evaluation at the joint positions q (n_q,) has failed or the configuration is singular."""
        file = self.system.mechanism.file
        if status > 0:
            node = int(self.kernel_arguments.absolute.bodies[status]["node"])
            raise MechanismError(f"{file}: joint {self.system.node_names[node]!r} moves no inertia")
        self._refuse_singular(q, len(self.redundant))
        if status < 0:
            row = -1 - status
            name, left = self.row_names[row], abs(float(self.kernel_arguments.equations.residual[row]))
            loops = (name,) if self._of_loop[row] else ()
            raise MechanismError(f"{file}: the constraints of {name!r} contradict the others by {left:.3g} m/s2 or rad/s2", loops)

    def absolute_state(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return poses (n_bodies, 7) and velocities (n_bodies, 6) of the bodies at the coordinates q (n_q,), v (n_v,) of the tree.

        A pose is the center of mass and the quaternion of the node axes; body 0, the world, is fixed.
        """
        a, tree = self.kernel_arguments.absolute, self.system.parts.tree
        move(tree, np.asarray(q, float))
        set_velocities(tree, np.asarray(v, float))
        follow_tree(a, tree)
        a.q[:] = q
        poses = np.zeros((a.bodies.size, 7))
        poses[:, :3], poses[:, 3] = a.tree.motion["p"], 1.0
        for b in range(1, a.bodies.size):
            quaternion_of_rotation(a.tree.motion[b]["R"], poses[b, 3:])
        return poses, a.tree.motion["V"].copy()

    def constraint_errors(self, poses: Vector, velocities: Vector) -> tuple[Vector, Vector]:
        """Return phi and phi' (rows,) of a state; zero for prescribed coordinates."""
        m = self.kernel_arguments
        place_bodies(m.absolute, poses, velocities)
        measure(m.absolute)
        set_rows(m.absolute, m.equations)
        set_row_residuals(m.absolute, m.equations)
        residual = m.equations.residual.copy()
        set_row_rates(m.absolute, m.equations)
        return residual, m.equations.residual.copy()


def _name_rows(groups: tuple[Group, ...], members: list[list[int]], count: int) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    names, of_loop = [""] * count, np.zeros(count, bool)
    for group, rows in zip(groups, members, strict=True):
        for r in rows:
            names[r], of_loop[r] = group.name, group.is_loop
    return tuple(names), of_loop


def _rows_of_loops(system: System, groups: tuple[Group, ...], members: list[list[int]]) -> NDArray[np.int64]:
    rows_of = {group.name: iter(rows) for group, rows in zip(groups, members, strict=True) if group.is_loop}
    return np.array([next(rows_of[system.loop_names[row["loop"]]]) for row in system.parts.constraints.rows], int)
