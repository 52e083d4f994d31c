"""Interface of all formulations of the equations of motion: inputs, and the detection of singular configurations."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from simulator.base.arrays import Vector
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.loops.analysis import mobility
from vehicles.multibody.tree.system import Dimensions, System


class Formulation(ABC):
    """A method that computes the accelerations of a mechanism. One object has the workspaces of one system and belongs to one thread.

    Parameters
    ----------
    system : mechanism as flat records, used as inputs and scratch
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self._usual_redundant = 0

    @property
    @abstractmethod
    def dimensions(self) -> Dimensions:
        """Numbers of coordinates and constraints of the equations (the table of [Cameron 2013])."""

    def accelerations(
        self,
        q: Vector,
        v: Vector,
        tau: Vector | None = None,
        wrenches: Vector | None = None,
        prescribed: Vector | None = None,
    ) -> Vector:
        """Compute the accelerations (n_v,) of all tree coordinates at a state with closed loops.

        Parameters
        ----------
        q, v : (n_q,), (n_v,) state; positions and velocities that satisfy the loop closures (see `assembly.check_state`)
        tau : (n_v,) forces on the coordinates [N m, N]
        wrenches : (n_nodes, 6) forces [N; F] on the nodes at their origins, in world axes
        prescribed : (n_v,) accelerations of the prescribed coordinates; other entries are not read

        Gravity is `system.parts.gravity`, which may be changed between calls.

        Raises
        ------
        MechanismError : a joint moves no inertia, the configuration is singular, constraints contradict one another, or an acceleration is
            not finite; the text names the joint or the loops
        """
        parts = self.system.parts
        parts.tau[:] = 0.0 if tau is None else tau
        parts.wrenches[:] = 0.0 if wrenches is None else wrenches
        accel = np.zeros(self.system.n_v) if prescribed is None else np.array(prescribed, float)
        self._solve(np.asarray(q, float), np.asarray(v, float), accel)
        if not np.isfinite(accel).all():
            raise self._not_finite(accel)
        return accel

    def _not_finite(self, accel: Vector) -> MechanismError:
        at = int(np.flatnonzero(~np.isfinite(accel))[0])
        name = next(name for name, where in self.system.joint_v.items() if where.start <= at < where.stop)
        return MechanismError(f"{self.system.mechanism.file}: the acceleration of joint {name!r} is not finite")

    @abstractmethod
    def begin_motion(self, q: Vector, v: Vector) -> None:
        """Start at least one step of a motion from the closed state q (n_q,), v (n_v,).

        Within a step an integrator evaluates states with small closure errors. Decisions made here at the closed state (coordinates,
        ranks) hold for these states until the next `begin_motion` or `end_motion`. Raises MechanismError as `accelerations`.
        """

    @abstractmethod
    def end_motion(self) -> None:
        """End a motion: decisions are made at each state again."""

    @abstractmethod
    def _solve(self, q: Vector, v: Vector, accel: Vector) -> None:
        """Overwrite accel, except for prescribed coordinates; raise MechanismError."""

    def _refuse_singular(self, q: Vector, redundant: int) -> None:
        """Raise MechanismError if rows are redundant because the configuration is singular; checked again when their number changes."""
        if redundant == self._usual_redundant:
            return
        found = mobility(self.system, q)
        if found.singular:
            loops = ", ".join(repr(name) for name in found.loops)
            raise MechanismError(f"{self.system.mechanism.file}: singular configuration: {loops} neither close nor open", found.loops)
        self._usual_redundant = redundant


class MultiplierFormulation(Formulation):
    """A formulation with constraint rows and multipliers, and a feedback on the constraints."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self._expected: int | None = None

    def begin_motion(self, q: Vector, v: Vector) -> None:
        """Count the redundant rows at the first of these states: their number is constant during a motion.

        At a closure error of delta a redundant row has a pivot of the order of delta^2, and would not be detected as redundant.
        """
        if self._expected is None:
            self.accelerations(q, v)
            self._expected = len(self.redundant)
            self._keep_rank(self._expected)

    def end_motion(self) -> None:
        """See `Formulation`."""
        self._expected = None
        self._keep_rank(None)

    @abstractmethod
    def _keep_rank(self, redundant: int | None) -> None:
        """Fix the number of redundant rows; None: detect them."""

    @property
    @abstractmethod
    def multipliers(self) -> Vector:
        """Multipliers (rows,) of the last evaluation; zero for redundant rows."""

    @property
    @abstractmethod
    def redundant(self) -> tuple[int, ...]:
        """Rows detected as redundant in the last evaluation."""

    @abstractmethod
    def set_feedback(self, feedback: Vector) -> None:
        """Set the feedback: phi'' + feedback = 0 replaces phi'' = 0; (rows,) in the order of `system.parts.constraints.rows`."""
