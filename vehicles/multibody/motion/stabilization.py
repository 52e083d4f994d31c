"""Stabilization of the loop closures in simulations: none, Baumgarte's feedback, coordinate partitioning, or projection.

Multipliers only make phi'' = 0; rounding and the errors of the integrator let phi and phi' grow [Cameron 2013,
appendix; Deyo 1989, section 3.3]. A stabilization acts at two points: on phi'' before each evaluation, and on the state after each step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.jit import kernel
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.formulations.contract import Formulation, MultiplierFormulation
from vehicles.multibody.formulations.cut_joints import allocate_cut_joints
from vehicles.multibody.loops.analysis import mobility
from vehicles.multibody.loops.assembly import open_loop_error
from vehicles.multibody.motion.mass_weighted_projection import ROUNDING, project_positions, project_velocities
from vehicles.multibody.motion.unweighted_projection import allocate_plain, project_positions_plain, project_velocities_plain
from vehicles.multibody.tree.constraints import set_jacobian, set_rates, set_residuals
from vehicles.multibody.tree.coordinates import smallest_unit
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import move, set_velocities

CLOSED = 1e-15
"""m, rad, m/s, rad/s, for a mechanism of one meter or more. Tolerance of projections, if rounding does not stop them earlier.

Where branches of the motion come near to each other, the motion magnifies a remaining gap by the inverse of their distance.
"""
STEPS = 20
"""Maximum Newton steps of a projection; one or two are usual."""


class Control(Protocol):
    """A stabilization method."""

    def begin_motion(self, q: Vector, v: Vector) -> None:
        """Start a step at a closed state."""

    def steer(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return the state at which to evaluate accelerations for q, v, a state within a step.

        A method of order p keeps its order if this is a smooth function of q, v that does not change closed states.
        """

    def settle(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return the corrected state after a step that ended in q, v.

        Raises MechanismError : the loops cannot be closed; the text names them.
        """


class NoControl:
    """No stabilization: the loops drift."""

    def begin_motion(self, q: Vector, v: Vector) -> None:
        """Do nothing."""

    def steer(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return the unchanged state."""
        return q, v

    def settle(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return the unchanged state."""
        return q, v


class Baumgarte(NoControl):
    """phi'' + 2 zeta omega phi' + omega^2 phi = 0: gaps decay like a damped oscillator [Baumgarte 1972; Deyo 1989, section 3.3].

    A higher omega gives smaller gaps, but the gap is then a stiff oscillator for the integrator. With critical
    damping, explicit Runge-Kutta of order 4 is stable to omega h = 2.8 and semi-implicit Euler to 0.83; beyond this limit the closure
    error diverges. `for_step` uses omega = 1 / (5 h), far from the limit: a gap decays within about ten steps.

    Parameters
    ----------
    solver : a formulation with multipliers
    omega : natural frequency of a gap [rad/s]
    zeta : damping ratio of a gap
    """

    def __init__(self, solver: MultiplierFormulation, omega: float, zeta: float = 1.0) -> None:
        self.solver, self.omega, self.zeta = solver, omega, zeta

    @classmethod
    def for_step(cls, solver: MultiplierFormulation, step: float) -> Baumgarte:
        """Return the stabilization for an explicit integrator with steps of `step` seconds."""
        return cls(solver, 0.2 / step)

    def steer(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return the unchanged state, and set the feedback of the solver."""
        parts = self.solver.system.parts
        feedback = np.zeros(parts.constraints.rows.size)
        set_baumgarte(parts.tree, parts.constraints, q, v, 2.0 * self.zeta * self.omega, self.omega**2, feedback)
        self.solver.set_feedback(feedback)
        return q, v


@kernel
def set_baumgarte(tree, constraints, q, v, damping, stiffness, feedback):
    """Compute feedback (rows,) = damping phi' + stiffness phi, with gains in 1/s and 1/s2."""
    rows = constraints.rows.shape[0]
    move(tree, q)
    set_velocities(tree, v)
    set_residuals(constraints, tree.motion, q, 0, rows)
    set_jacobian(constraints, tree.motion, 0, rows)
    set_rates(constraints, tree.motion, v, feedback)
    for c in range(rows):
        feedback[c] = damping * feedback[c] + stiffness * constraints.residual[c]


class _Projection(NoControl):
    """A stabilization that closes the loops of each state, after a step and within a step.

    In closed states redundant rows agree with one another. In open states multipliers would act against their differences.
    """

    def steer(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return the same state as after a step."""
        return self.settle(q, v)


class Partitioning(_Projection):
    """Keep the independent coordinates of the integrator and solve the loops for the dependent ones by Newton's method, their velocities by
    the rows (Wehage and Haug, J. Mech. Design 104, 1982; [Deyo 1989, section 3.3]).

    The choice of coordinates follows the pivots of Gc and is revised when the motion makes it a bad one.

    Parameters
    ----------
    loops : chooses the coordinates and solves. If `loops` is the integrated formulation, it closes the loops of each evaluated state
        itself.
    own : True if `loops` is another object than the integrated formulation
    """

    def __init__(self, loops: ConstraintEmbedding, own: bool = True) -> None:
        self.loops, self.own = loops, own

    @classmethod
    def of(cls, solver: Formulation, q: Vector) -> Partitioning:
        """Return the stabilization for a run of any formulation from q (n_q,)."""
        if isinstance(solver, ConstraintEmbedding):
            return cls(solver, own=False)
        return cls(ConstraintEmbedding(solver.system, q))

    def begin_motion(self, q: Vector, v: Vector) -> None:
        """Exchange the coordinates if the present ones have become bad."""
        if self.own:
            self.loops.begin_motion(q, v)

    def steer(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """See the class."""
        return self.settle(q, v) if self.own else (q, v)

    def settle(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return the state with its dependent part solved."""
        return self.loops.close(q, v)


class MassProjection(_Projection):
    """Project on the nearest closed state in the norm of the mass matrix (see `mass_weighted_projection`).

    Parameters
    ----------
    system : mechanism as flat records
    q : (n_q,) closed configuration that defines the rank of the rows, constant during the run
    """

    def __init__(self, system: System, q: Vector) -> None:
        self.system = system
        self._m = allocate_cut_joints(system)
        self._m.most[0] = mobility(system, q).rank
        self._delta = np.zeros(system.n_v)
        self._closed = CLOSED * smallest_unit(system, q)

    def settle(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Project the positions, then the velocities."""
        x, u = q.copy(), v.copy()
        if not project_positions(self._m, x, self._delta, self._closed, STEPS) <= ROUNDING * self._closed:
            raise open_loop_error(self.system, self.system.parts.constraints.residual, "cannot be closed", "m or rad")
        fastest = max(1.0, float(np.abs(u).max(initial=0.0)))
        if not project_velocities(self._m, x, u, self._delta, self._closed * fastest, STEPS) <= ROUNDING * self._closed * fastest:
            raise open_loop_error(self.system, self._m.residual, "opens for all joint velocities", "m/s or rad/s")
        return x, u


class PlainProjection(_Projection):
    """Project on the nearest closed state, all coordinates with equal weight (see `unweighted_projection`); parameters as in
    `MassProjection`.
    """

    def __init__(self, system: System, q: Vector) -> None:
        self.system = system
        self._m = allocate_plain(system, mobility(system, q).rank)
        self._closed = CLOSED * smallest_unit(system, q)

    def settle(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Project the positions, then the velocities."""
        x, u = q.copy(), v.copy()
        if not project_positions_plain(self._m, x, self._closed, STEPS) <= ROUNDING * self._closed:
            raise open_loop_error(self.system, self._m.residual, "cannot be closed", "m or rad")
        fastest = max(1.0, float(np.abs(u).max(initial=0.0)))
        if not project_velocities_plain(self._m, x, u) <= ROUNDING * self._closed * fastest:
            raise open_loop_error(self.system, self._m.residual, "opens for all joint velocities", "m/s or rad/s")
        return x, u


CONTROLS: dict[str, Callable[[MultiplierFormulation, Vector, float], Control]] = {
    "none": lambda solver, q, step: NoControl(),
    "baumgarte": lambda solver, q, step: Baumgarte.for_step(solver, step),
    "partitioning": lambda solver, q, step: Partitioning.of(solver, q),
    "mass projection": lambda solver, q, step: MassProjection(solver.system, q),
    "projection": lambda solver, q, step: PlainProjection(solver.system, q),
}
"""Stabilization methods by name."""


def make_control(name: str, solver: MultiplierFormulation, q: Vector, step: float) -> Control:
    """Return a stabilization by name, for a run of a formulation with multipliers from q (n_q,) in steps of `step` seconds."""
    return CONTROLS[name](solver, q, step)
