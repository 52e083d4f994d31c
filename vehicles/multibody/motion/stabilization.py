"""What keeps a simulation with multipliers on its loops: nothing, Baumgarte's feedback, coordinate partitioning, or projection.

Multipliers make phi'' = 0, and nothing more: rounding and the errors of the integrator let phi and phi' grow [Cameron 2013,
appendix; Deyo 1989, section 3.3]. A control has two places to act: before every evaluation, on what phi'' shall be, and after every step, on the state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import kernel
from vehicles.multibody.formulations.contract import Formulation, MultiplierFormulation
from vehicles.multibody.formulations.cut_joints import lay_out_cut_joints
from vehicles.multibody.formulations.embedding import ConstraintEmbedding
from vehicles.multibody.loops.analysis import mobility
from vehicles.multibody.loops.assembly import open_loop_error
from vehicles.multibody.motion.mass_weighted_projection import ROUNDING, project_positions, project_velocities
from vehicles.multibody.motion.unweighted_projection import close_plainly, lay_out_plain, slow_plainly
from vehicles.multibody.tree.constraints import set_jacobian, set_rates, set_residuals
from vehicles.multibody.tree.coordinates import smallest_unit
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import move, set_velocities

Vector = NDArray[np.float64]

CLOSED = 1e-15
"""m, rad, m/s, rad/s, for a mechanism of one meter or more. Where projections stop, if rounding has not stopped them before: where branches
of the motion come near to each other, what is left of a gap is magnified by their distance."""
STEPS = 20
"""Newton steps of a projection at most; one or two are usual."""


class Control(Protocol):
    """A way to stay on the loops."""

    def set_out(self, q: Vector, v: Vector) -> None:
        """Called with every closed state that a step starts from."""

    def steer(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """State at which to evaluate accelerations for q, v, a state between two steps.

        A method of order p keeps its order when this is a smooth function of q, v that leaves states on the loops alone.
        """

    def settle(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """State to go on from after a step that ended in q, v.

        Raises MechanismError : the loops cannot be closed any more; it names them.
        """


class NoControl:
    """The loops drift as they will."""

    def set_out(self, q: Vector, v: Vector) -> None:
        """Nothing."""

    def steer(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """The state as it is."""
        return q, v

    def settle(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """The state as it is."""
        return q, v


class Baumgarte(NoControl):
    """phi'' + 2 zeta omega phi' + omega^2 phi = 0: gaps die out like a damped oscillator [Baumgarte 1972; Deyo 1989, section 3.3].

    The higher omega, the smaller the gaps, but the gap is a stiff oscillator of its own that the integrator has to follow. Critically
    damped, explicit Runge-Kutta of order 4 follows it to omega h = 2.8 and semi-implicit Euler to 0.83; past that the loops explode.
    `for_step` takes omega = 1 / (5 h): every gap is worn off within some ten steps, far from that limit.

    Parameters
    ----------
    solver : a formulation with multipliers
    omega : natural frequency of a gap [rad/s]
    zeta : its damping ratio
    """

    def __init__(self, solver: MultiplierFormulation, omega: float, zeta: float = 1.0) -> None:
        self.solver, self.omega, self.zeta = solver, omega, zeta

    @classmethod
    def for_step(cls, solver: MultiplierFormulation, step: float) -> Baumgarte:
        """Gains for an explicit integrator with steps of `step` seconds."""
        return cls(solver, 0.2 / step)

    def steer(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """The state as it is; the solver is told what phi'' shall be."""
        parts = self.solver.system.parts
        feedback = np.zeros(parts.constraints.rows.size)
        set_baumgarte(parts.tree, parts.constraints, q, v, 2.0 * self.zeta * self.omega, self.omega**2, feedback)
        self.solver.set_feedback(feedback)
        return q, v


@kernel
def set_baumgarte(tree, constraints, q, v, damping, stiffness, feedback):
    """feedback (rows,) = damping phi' + stiffness phi, with gains in 1/s and 1/s2."""
    rows = constraints.rows.shape[0]
    move(tree, q)
    set_velocities(tree, v)
    set_residuals(constraints, tree.motion, q, 0, rows)
    set_jacobian(constraints, tree.motion, 0, rows)
    set_rates(constraints, tree.motion, v, feedback)
    for c in range(rows):
        feedback[c] = damping * feedback[c] + stiffness * constraints.residual[c]


class _Projection(NoControl):
    """A control that brings every state onto the loops: those that a step ends in, and those in between.

    There redundant rows agree with one another. Off the loops they would not, and multipliers would try to make them.
    """

    def steer(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """The same as after a step."""
        return self.settle(q, v)


class Partitioning(_Projection):
    """Independent coordinates as the integrator left them; the dependent ones from the loops by Newton's method, their velocities from
    the rows (Wehage and Haug, J. Mech. Design 104, 1982; [Deyo 1989, section 3.3]). The choice is made by the pivots of Gc, and again
    where the motion makes it a bad one.

    Parameters
    ----------
    loops : chooses and solves. When it is the formulation that is integrated, it closes the loops of every state that it evaluates by itself.
    own : whether it is another one
    """

    def __init__(self, loops: ConstraintEmbedding, own: bool = True) -> None:
        self.loops, self.own = loops, own

    @classmethod
    def of(cls, solver: Formulation, q: Vector) -> Partitioning:
        """For a run of any formulation from q (n_q,)."""
        if isinstance(solver, ConstraintEmbedding):
            return cls(solver, own=False)
        return cls(ConstraintEmbedding(solver.system, q))

    def set_out(self, q: Vector, v: Vector) -> None:
        """Other coordinates when the present ones have become bad."""
        if self.own:
            self.loops.set_out(q, v)

    def steer(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """See the class."""
        return self.settle(q, v) if self.own else (q, v)

    def settle(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """The state with its dependent part solved."""
        return self.loops.close(q, v)


class MassProjection(_Projection):
    """The nearest state on the loops in the measure of the mass matrix (see `projection`).

    Parameters
    ----------
    system : laid-out mechanism
    q : (n_q,) closed configuration at which the rank of the rows is found; it is kept
    """

    def __init__(self, system: System, q: Vector) -> None:
        self.system = system
        self._m = lay_out_cut_joints(system)
        self._m.most[0] = mobility(system, q).rank
        self._delta = np.zeros(system.n_v)
        self._closed = CLOSED * smallest_unit(system, q)

    def settle(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Positions first, then velocities."""
        x, u = q.copy(), v.copy()
        if not project_positions(self._m, x, self._delta, self._closed, STEPS) <= ROUNDING * self._closed:
            raise open_loop_error(self.system, self.system.parts.constraints.residual, "cannot be closed", "m or rad")
        fastest = max(1.0, float(np.abs(u).max(initial=0.0)))
        if not project_velocities(self._m, x, u, self._delta, self._closed * fastest, STEPS) <= ROUNDING * self._closed * fastest:
            raise open_loop_error(self.system, self._m.residual, "opens whatever the joints do", "m/s or rad/s")
        return x, u


class PlainProjection(_Projection):
    """The nearest state on the loops, all coordinates alike (see `plain_projection`). The parameters are those of `MassProjection`."""

    def __init__(self, system: System, q: Vector) -> None:
        self.system = system
        self._m = lay_out_plain(system, mobility(system, q).rank)
        self._closed = CLOSED * smallest_unit(system, q)

    def settle(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Positions first, then velocities."""
        x, u = q.copy(), v.copy()
        if not close_plainly(self._m, x, self._closed, STEPS) <= ROUNDING * self._closed:
            raise open_loop_error(self.system, self._m.residual, "cannot be closed", "m or rad")
        fastest = max(1.0, float(np.abs(u).max(initial=0.0)))
        if not slow_plainly(self._m, x, u) <= ROUNDING * self._closed * fastest:
            raise open_loop_error(self.system, self._m.residual, "opens whatever the joints do", "m/s or rad/s")
        return x, u


CONTROLS: dict[str, Callable[[MultiplierFormulation, Vector, float], Control]] = {
    "none": lambda solver, q, step: NoControl(),
    "baumgarte": lambda solver, q, step: Baumgarte.for_step(solver, step),
    "partitioning": lambda solver, q, step: Partitioning.of(solver, q),
    "mass projection": lambda solver, q, step: MassProjection(solver.system, q),
    "projection": lambda solver, q, step: PlainProjection(solver.system, q),
}
"""Controls by name."""


def make_control(name: str, solver: MultiplierFormulation, q: Vector, step: float) -> Control:
    """A control by its name, for a run of a formulation with multipliers from q (n_q,) in steps of `step` seconds."""
    return CONTROLS[name](solver, q, step)
